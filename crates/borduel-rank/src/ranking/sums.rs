//! Ballots reduced further: the items that are ranked, and one entry per unordered pair of them.

use crate::ballots::{Ballots, Circumstance, Circumstances, Counts, PairVotes, Share, Ties};
use std::collections::HashMap;
use std::ops::Range;

/// The used votes of an unordered pair i < j, seen from i.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pair {
    pub(crate) i: usize,
    pub(crate) j: usize,
    /// Whether i was shown on the right, where the two orders of a pair are kept apart.
    pub(crate) right: bool,
    /// Σ 1.
    pub(crate) n: f64,
    /// Σ w.
    pub(crate) w: f64,
    /// Σ w r, with r the answer for i.
    pub(crate) wr: f64,
    /// Σ w², Σ w² r, Σ w² r².
    pub(crate) w2: f64,
    pub(crate) w2r: f64,
    pub(crate) w2r2: f64,
    /// Σ w and Σ w² of ties, where they are an outcome of their own.
    pub(crate) wt: f64,
    pub(crate) w2t: f64,
}

impl Pair {
    /// Σ w² (r − μ)².
    pub(crate) fn squared_residuals(&self, mu: f64) -> f64 {
        (self.w2r2 - 2.0 * mu * self.w2r + mu * mu * self.w2).max(0.0)
    }

    /// The effective number of votes, (Σw)²/Σw².
    pub(crate) fn effective(&self) -> f64 {
        self.w * self.w / self.w2
    }

    /// The observed share of i.
    pub(crate) fn share(&self) -> f64 {
        self.wr / self.w
    }
}

/// What one voter (or group of identical voters) said about one unordered pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) pair: usize,
    pub(crate) w: f64,
    pub(crate) wr: f64,
    /// Σ w of ties, where they are an outcome of their own.
    pub(crate) wt: f64,
}

/// A voter: `copies` identical people, and where their parts lie.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Voter {
    pub(crate) copies: f64,
    pub(crate) parts: Range<usize>,
}

/// By what votes hang together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum By {
    /// Every vote by itself.
    Nothing,
    /// The votes of a voter together.
    #[default]
    Voter,
    /// By context, in the place of the voter; votes without one are one more.
    Context,
    /// By every combination of voter and context.
    Both,
}

/// How votes are put together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Grouping<'a> {
    /// Whether there is an entry for each order in which a pair was shown.
    pub(crate) as_shown: bool,
    pub(crate) by: By,
    /// What a vote counts in each context, and behind those without any.
    pub(crate) weights: Option<&'a [f64]>,
    /// Whether there is an entry for each context in which a pair was compared, so that all its votes weigh the same.
    pub(crate) apart: bool,
}

/// Everything a ranking is computed from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    /// The ranked items, as indices of the ballots.
    pub(crate) items: Vec<usize>,
    /// Pairs with used votes, sorted.
    pub(crate) pairs: Vec<Pair>,
    /// The answers of each ranked item in votes against ranked ones, `left` meaning "won" and `right` "lost".
    pub(crate) counts: Vec<Counts>,
    pub(crate) parts: Vec<Part>,
    pub(crate) voters: Vec<Voter>,
    /// Whether some vote had a sampling weight other than 1.
    pub(crate) weighted: bool,
    /// Whether ties are an outcome of their own.
    pub(crate) ties: bool,
    /// Where pairs are kept apart by what else is known about a vote: so many numbers for each entry of `pairs`, in
    /// favour of its first item where positive, and in units of `deviations`.
    pub(crate) covariates: usize,
    pub(crate) z: Vec<f64>,
    /// What 1 in `z` stands for.
    pub(crate) deviations: Vec<f64>,
    /// The same pairs with the votes summed by a second thing than the voter, and by both at once.
    pub(crate) crossed: Option<Box<[Sums; 2]>>,
}

impl Sums {
    /// Keeps all items, or (`voted_only`) those that some used vote is about.
    pub(crate) fn new(ballots: &Ballots, voted_only: bool) -> Self {
        let mut voted = vec![!voted_only; ballots.items().len()];
        for cell in ballots.cells().iter().filter(|cell| cell.w > 0.0) {
            voted[cell.left as usize] = true;
            voted[cell.right as usize] = true;
        }
        Self::of(ballots, (0..voted.len()).filter(|&item| voted[item]).collect())
    }

    /// Keeps these items, in this order, and the votes between them.
    ///
    /// Weights are brought to the scale at which Σw = Σw², the effective number of votes: results then cannot depend on
    /// the unit in which somebody weighs, and a vote of the heavy kind counts about 1.
    pub(crate) fn of(ballots: &Ballots, items: Vec<usize>) -> Self {
        Self::grouped(ballots, items, Grouping::default())
    }

    /// The same without what each voter said.
    pub(crate) fn of_pairs(ballots: &Ballots, items: Vec<usize>) -> Self {
        Self::grouped(ballots, items, Grouping { by: By::Nothing, ..Grouping::default() })
    }

    /// The same, put together as asked. With an entry for each order in which a pair was shown, `z` is +1 where its
    /// first item was on the left, −1 where it was on the right.
    pub(crate) fn grouped(ballots: &Ballots, items: Vec<usize>, grouping: Grouping<'_>) -> Self {
        let mut sums = Self::build(ballots, items, grouping);
        if grouping.as_shown {
            sums.z = sums.pairs.iter().map(|pair| if pair.right { -1.0 } else { 1.0 }).collect();
            sums.covariates = 1;
            sums.deviations = vec![1.0];
        }
        sums
    }

    /// The same with an entry for each pair and each value of the circumstances of its votes; behind them comes the
    /// side, if `position`.
    pub(crate) fn under(ballots: &Ballots, items: Vec<usize>, circumstances: &Circumstances, position: bool) -> Self {
        let mut sums = Self::of(ballots, items);
        let mut place = vec![usize::MAX; ballots.items().len()];
        sums.items.iter().enumerate().for_each(|(at, &item)| place[item] = at);
        let kept = |vote: &Circumstance| {
            let ends = (place[vote.left as usize], place[vote.right as usize]);
            (ends.0 != usize::MAX && ends.1 != usize::MAX).then_some(ends)
        };
        sums.deviations = deviations(circumstances.iter().filter(|(vote, _)| kept(vote).is_some()));
        if position {
            sums.deviations.push(1.0);
        }
        sums.covariates = sums.deviations.len();
        sums.pairs.clear();
        let mut known: HashMap<(usize, usize, Vec<u64>), usize> = HashMap::new();
        let mut rows: Vec<(Pair, Vec<f64>)> = Vec::new();
        let mut shares: Vec<(u32, Part)> = Vec::new();
        for (vote, numbers) in circumstances.iter() {
            let Some((left, right)) = kept(vote) else { continue };
            let flip = left > right;
            let sign = if flip { -1.0 } else { 1.0 };
            let side = position.then_some(1.0);
            // −0 and 0 are one value.
            let z: Vec<f64> = numbers
                .iter()
                .zip(&sums.deviations)
                .map(|(x, unit)| x / unit)
                .chain(side)
                .map(|x| sign * x + 0.0)
                .collect();
            let (i, j) = (left.min(right), left.max(right));
            let key = (i, j, z.iter().map(|x| x.to_bits()).collect());
            let at = *known.entry(key).or_insert_with(|| {
                rows.push((Pair { i, j, right: flip, ..Pair::default() }, z));
                rows.len() - 1
            });
            let [n, w, wr, w2, w2r, w2r2] = vote.sums;
            // These are equal votes, and where ties are an outcome of their own nothing else is ½.
            let tied = sums.ties && wr == 0.5 * w;
            add_cell(&mut rows[at].0, &PairVotes { tied, n, w, wr, w2, w2r, w2r2, ..PairVotes::default() }, flip);
            if let Some(voter) = vote.voter {
                shares.push((voter, part(at, (w, wr), flip, tied)));
            }
        }
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let by_items = |at: &usize| (rows[*at].0.i, rows[*at].0.j);
        let by_numbers = |a: &usize, b: &usize| {
            let pairs = rows[*a].1.iter().zip(&rows[*b].1);
            pairs.map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        };
        order.sort_by(|a, b| by_items(a).cmp(&by_items(b)).then_with(|| by_numbers(a, b)));
        let mut new_place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| new_place[old] = new);
        sums.pairs = order.iter().map(|&at| rows[at].0).collect();
        sums.z = order.iter().flat_map(|&at| rows[at].1.iter().copied()).collect();
        shares.iter_mut().for_each(|(_, part)| part.pair = new_place[part.pair]);
        shares.sort_by_key(|(voter, part)| (*voter, part.pair));
        (sums.parts, sums.voters) = (Vec::new(), Vec::new());
        for own in shares.chunk_by(|a, b| a.0 == b.0) {
            let start = sums.parts.len();
            for same in own.chunk_by(|a, b| a.1.pair == b.1.pair) {
                let none = Part { pair: same[0].1.pair, w: 0.0, wr: 0.0, wt: 0.0 };
                sums.parts.push(same.iter().fold(none, |sum, (_, part)| Part {
                    w: sum.w + part.w,
                    wr: sum.wr + part.wr,
                    wt: sum.wt + part.wt,
                    ..sum
                }));
            }
            sums.voters.push(Voter { copies: 1.0, parts: start..sums.parts.len() });
        }
        if sums.weighted {
            sums.rescale();
        }
        sums
    }

    fn build(ballots: &Ballots, items: Vec<usize>, Grouping { as_shown, by, weights, apart }: Grouping<'_>) -> Self {
        let mut place = vec![usize::MAX; ballots.items().len()];
        items.iter().enumerate().for_each(|(at, &item)| place[item] = at);
        let ties = ballots.ties() == Ties::Model;
        let mut sums = Self { counts: vec![Counts::default(); items.len()], items, ties, ..Self::default() };

        let ends = |cell: &PairVotes| (place[cell.left as usize], place[cell.right as usize]);
        let kept = |cell: &PairVotes| ends(cell).0 != usize::MAX && ends(cell).1 != usize::MAX;
        let mut entries = Vec::with_capacity(ballots.cells().len());
        for (number, cell) in ballots.cells().iter().enumerate().filter(|(_, cell)| kept(cell)) {
            let (left, right) = ends(cell);
            let flipped = Counts { left: cell.counts.right, right: cell.counts.left, ..cell.counts };
            sums.counts[left].add(&cell.counts);
            sums.counts[right].add(&flipped);
            if cell.w > 0.0 {
                let context = cell.context.filter(|_| apart);
                entries.push((left.min(right), left.max(right), as_shown && left > right, context, number));
            }
        }
        entries.sort_unstable();
        // Of every cell its pair, whether it is seen from the other side there, and whether it is of ties: all that its
        // many shares ask for, close together.
        let mut seen: Vec<Option<(u32, bool, bool)>> = vec![None; ballots.cells().len()];
        let mut last = None;
        for (i, j, right, context, number) in entries {
            if last.replace((i, j, right, context)) != Some((i, j, right, context)) {
                sums.pairs.push(Pair { i, j, right, ..Pair::default() });
            }
            let at = sums.pairs.len() - 1;
            let cell = &ballots.cells()[number];
            let flip = ends(cell).0 > ends(cell).1;
            match weights.map(|weights| weight_in(weights, cell.context)) {
                None => add_cell(&mut sums.pairs[at], cell, flip),
                Some(weight) => add_cell(&mut sums.pairs[at], &cell.weighed(weight), flip),
            }
            seen[number] = Some((at as u32, flip, cell.tied));
        }

        let context = |cell: u32| ballots.cells()[cell as usize].context;
        let copies = |share: &Share| ballots.copies()[share.voter as usize];
        let weighed = |share: Share| {
            let weight = weights.map_or(1.0, |weights| weight_in(weights, context(share.cell)));
            Share { w: weight * share.w, wr: weight * share.wr, ..share }
        };
        match by {
            By::Nothing => {}
            By::Voter => {
                sums.parts.reserve_exact(ballots.shares().len());
                let own = |share: &Share| (u64::from(share.voter), copies(share), weighed(*share));
                sums.add_parts(ballots.shares().iter().map(own), &seen);
            }
            By::Context => {
                let all = (0..).zip(ballots.cells()).map(|(cell, votes)| Share {
                    voter: votes.context.unwrap_or(u32::MAX),
                    cell,
                    w: votes.w,
                    wr: votes.wr,
                });
                let mut all: Vec<Share> = all.collect();
                all.sort_by_key(|share| (share.voter, share.cell));
                sums.add_parts(all.into_iter().map(|share| (u64::from(share.voter), 1.0, weighed(share))), &seen);
            }
            By::Both => {
                let number = |share: &Share| context(share.cell).map_or(u64::from(u32::MAX), u64::from);
                let key = |share: &Share| u64::from(share.voter) << 32 | number(share);
                let mut all = ballots.shares().to_vec();
                all.sort_by_key(|share| (key(share), share.cell));
                sums.add_parts(all.into_iter().map(|share| (key(&share), copies(&share), weighed(share))), &seen);
            }
        }
        sums.weighted = ballots.weighted();
        if sums.weighted || weights.is_some() {
            sums.rescale();
        }
        sums
    }

    /// Adds what clusters said, each with its key and its copies, those of one cluster one after the other. `seen`
    /// tells of every cell its pair, whether it is seen from the other side there, and whether it is of ties.
    fn add_parts(&mut self, shares: impl Iterator<Item = (u64, f64, Share)>, seen: &[Option<(u32, bool, bool)>]) {
        let mut last = None;
        for (key, copies, share) in shares {
            let Some((pair, flip, tied)) = seen[share.cell as usize] else { continue };
            if last != Some(key) {
                last = Some(key);
                let start = self.parts.len();
                self.voters.push(Voter { copies, parts: start..start });
            }
            self.parts.push(part(pair as usize, (share.w, share.wr), flip, tied));
            // A voter was pushed for the first share.
            if let Some(voter) = self.voters.last_mut() {
                voter.parts.end = self.parts.len();
            }
        }
    }

    /// All voters in so many ranges, some of which may be empty.
    pub(crate) fn voters_in_parts(&self, parts: usize) -> Vec<Range<usize>> {
        let size = self.voters.len().div_ceil(parts).max(1);
        let end = |part: usize| (part * size).min(self.voters.len());
        (0..parts).map(|part| end(part)..end(part + 1)).collect()
    }

    /// All voters in ranges that cores can share. How many there are depends on the votes and never on the threads, so
    /// that no digit of a sum over voters does.
    pub(crate) fn stretches(&self) -> Vec<Range<usize>> {
        const MANY: usize = 1 << 16;
        self.voters_in_parts(if self.parts.len() < MANY { 1 } else { 8 })
    }

    /// Brings the weights to the scale at which Σw = Σw².
    fn rescale(&mut self) {
        let (w, w2) = self.pairs.iter().fold((0.0, 0.0), |(w, w2), pair| (w + pair.w, w2 + pair.w2));
        if w2 <= 0.0 {
            return;
        }
        let unit = w / w2;
        for pair in &mut self.pairs {
            for sum in [&mut pair.w, &mut pair.wr, &mut pair.wt] {
                *sum *= unit;
            }
            for square in [&mut pair.w2, &mut pair.w2r, &mut pair.w2r2, &mut pair.w2t] {
                *square *= unit * unit;
            }
        }
        for part in &mut self.parts {
            for sum in [&mut part.w, &mut part.wr, &mut part.wt] {
                *sum *= unit;
            }
        }
    }

    /// K.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The number of used votes.
    pub(crate) fn votes(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.n).sum()
    }

    /// Kish's effective number of votes, (Σw)²/Σw²: so many votes of equal weight would say as much.
    pub(crate) fn effective_votes(&self) -> f64 {
        effective(self.pairs.iter())
    }

    /// The effective number of votes about each item.
    pub(crate) fn effective_by_item(&self) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.len()];
        for pair in &self.pairs {
            for item in [pair.i, pair.j] {
                sums[item].0 += pair.w;
                sums[item].1 += pair.w2;
            }
        }
        sums.iter().map(|&(w, w2)| if w2 > 0.0 { w * w / w2 } else { 0.0 }).collect()
    }

    /// The number of voters, those of a group counted each.
    pub(crate) fn voter_count(&self) -> f64 {
        self.voters.iter().map(|voter| voter.copies).sum()
    }

    /// The effective number of voters: as much less than their number as weights make the votes less.
    pub(crate) fn effective_voters(&self) -> f64 {
        let share = if self.weighted { self.effective_votes() / self.votes() } else { 1.0 };
        self.voter_count() * share.min(1.0)
    }
}

/// What a vote counts in this context.
fn weight_in(weights: &[f64], context: Option<u32>) -> f64 {
    weights[context.map_or(weights.len() - 1, |context| context as usize)]
}

/// (Σw)²/Σw².
fn effective<'a>(pairs: impl Iterator<Item = &'a Pair>) -> f64 {
    let (w, w2) = pairs.fold((0.0, 0.0), |(w, w2), pair| (w + pair.w, w2 + pair.w2));
    if w2 > 0.0 { w * w / w2 } else { 0.0 }
}

/// The root mean square of every number over votes: seen from 0, since turning a pair round turns its sign.
fn deviations<'a>(votes: impl Iterator<Item = (&'a Circumstance, &'a [f64])>) -> Vec<f64> {
    let (mut squares, mut count) = (Vec::new(), 0.0);
    for (vote, numbers) in votes {
        squares.resize(numbers.len(), 0.0);
        squares.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += vote.sums[1] * x * x);
        count += vote.sums[1];
    }
    squares.iter().map(|sum: &f64| (sum / count).sqrt()).map(|unit| if unit > 0.0 { unit } else { 1.0 }).collect()
}

/// Adds an ordered pair's sums; `flip` when its left item is the later one, so that r becomes 1 − r.
fn add_cell(pair: &mut Pair, cell: &PairVotes, flip: bool) {
    pair.n += cell.n;
    pair.w += cell.w;
    pair.w2 += cell.w2;
    pair.wr += if flip { cell.w - cell.wr } else { cell.wr };
    pair.w2r += if flip { cell.w2 - cell.w2r } else { cell.w2r };
    pair.w2r2 += if flip { cell.w2 - 2.0 * cell.w2r + cell.w2r2 } else { cell.w2r2 };
    if cell.tied {
        pair.wt += cell.w;
        pair.w2t += cell.w2;
    }
}

/// What a voter said about a pair, from Σw and Σwr of one of its orders.
fn part(pair: usize, (w, wr): (f64, f64), flip: bool, tied: bool) -> Part {
    Part { pair, w, wr: if flip { w - wr } else { wr }, wt: if tied { w } else { 0.0 } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballots::{Answer, BothBad};

    #[test]
    fn both_orders_of_a_pair_are_one_and_unvoted_items_are_left_out() {
        let mut b = Ballots::new(Ties::Half, BothBad::Drop, true);
        let [x, y, z] = ["x", "y", "z"].map(|name| b.item(name));
        let v = b.voter("v");
        b.add(z, x, Some(v), Answer::Soft(0.25), 2.0, 1.0).unwrap();
        b.add(x, z, Some(v), Answer::Left, 1.0, 1.0).unwrap();
        b.add(x, y, Some(v), Answer::Skip, 1.0, 1.0).unwrap();
        let sums = Sums::new(&b.finish(), true);
        assert_eq!(sums.items, [x as usize, z as usize]);
        let pair = sums.pairs[0];
        // Weights 2 and 1 in the unit 5/3: Σw = Σw² = 9/5, as many equal votes as say the same.
        let unit = 3.0 / 5.0;
        assert_eq!((pair.i, pair.j, pair.n, pair.w, pair.wr), (0, 1, 2.0, 3.0 * unit, (2.0 * 0.75 + 1.0) * unit));
        assert!((pair.w2 - 9.0 / 5.0).abs() < 1e-15 && (sums.effective_votes() - 9.0 / 5.0).abs() < 1e-15);
        // Σ w² (r − ½)² = (4·(¼)² + 1·(½)²)/(5/3)².
        assert!((pair.squared_residuals(0.5) - 0.5 * unit * unit).abs() < 1e-15);
        // The skip was about an item that is left out.
        assert_eq!((sums.counts[0].left, sums.counts[0].skip, sums.counts[1].right), (1.0, 0.0, 1.0));
        assert!((sums.parts.iter().map(|p| p.wr).sum::<f64>() - pair.wr).abs() < 1e-15);
        assert_eq!(sums.voters[0].parts, 0..2);
    }
}
