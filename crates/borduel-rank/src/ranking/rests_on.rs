//! What the first place rests on: the fewest votes, voters and contexts without which another item is first.
//!
//! To first order, leaving votes out moves θ̂ by −H⁻¹ Σ w e φ, and so the lead B̂(i) − B̂(j) of the first
//! item over a rival by −Σ w e φᵀH⁻¹(g(i) − g(j)), e = r − E r being their residuals. Those that lower it
//! most are taken first, a third of what seems to be needed at a time; then the model is fitted again and all
//! influences are computed anew. What comes of it is put to the proof: the items are ranked once more without these
//! votes. (Influence of a set of votes: Broderick, Giordano and Meager 2020.) The fewest are sought, not proved: no set
//! is called smallest.
//!
//! Over contexts a vote counts v = 1/(n + K/2), n being the votes of its context (see `contexts`; that contents may be
//! missing matters little here), so that leaving m of them out makes the others there count more. With S the influence
//! of all votes of the context and s that of the m, the lead falls by S − (S − s) (n + K/2)/(n − m + K/2): by S where
//! the whole context goes.

use super::contexts::Over;
use super::estimate::Estimate;
use super::fitted::{Fitted, Influence};
use super::sums::{Grouping, Sums};
use super::{Model, RankOptions, Ranking, by_name, estimate_scores, placement};
use crate::about::About;
use crate::ballots::{Answer, Ballot, Ballots, PairVotes, Ties};
use crate::order::{sort_ascending, sort_descending};
use crate::stop;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the first place rests on; `None` where nothing of the kind is known or none of it unseats the first item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RestsOn {
    /// The fewest votes that were found.
    pub votes: Option<FewestVotes>,
    /// The fewest voters, with all their votes.
    pub voters: Option<FewestOf>,
    /// The fewest contexts, such as prompts, with all their votes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<FewestOf>,
}

/// Votes without which another item is first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FewestVotes {
    /// How many votes have to go.
    pub removed: u64,
    /// How many votes there are.
    pub of: f64,
    /// Which item (an index of the ballots) is then first.
    pub first: usize,
    /// Which votes, the most of a kind first.
    pub which: Vec<VotesOfAKind>,
}

/// Votes that say the same. Items are indices of the ballots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VotesOfAKind {
    /// How many of these votes have to go.
    pub votes: u64,
    /// The item they prefer; of a tie either.
    pub winner: usize,
    /// The item that lost them.
    pub loser: usize,
    /// Whether they call it a tie.
    pub tie: bool,
    /// In which context, where that matters to what they count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// Voters, or contexts, without whose votes another item is first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FewestOf {
    /// The names of the voters, or of the contexts.
    pub which: Vec<String>,
    /// How many voters or contexts there are.
    pub of: u64,
    /// Which item (an index of the ballots) is then first.
    pub first: usize,
}

/// The most items, and the most kinds of votes, for which it is looked for.
const MOST: (usize, usize) = (500, 100_000);
/// Rivals that are looked at closely: those whom the fewest would bring to the top to first order.
const RIVALS: usize = 5;
/// Of many items the first so many are rivals.
const FIRST: usize = 60;
/// How often something is put back to see whether it was needed, and added where the proof failed.
const TRIES: (usize, usize) = (20, 8);

/// What the first place of this ranking of these ballots rests on. Votes of unequal weight and soft ones are not told
/// apart in sums, and counts have no model: then nothing is known.
pub fn rests_on(ballots: &Ballots, model: &Model, options: &RankOptions, ranking: &Ranking) -> Option<RestsOn> {
    let told = !ballots.weighted() && ballots.totals().soft == 0.0 && options.circumstances.is_none();
    if !told || ranking.items.len() > MOST.0 || ballots.cells().len() > MOST.1 {
        return None;
    }
    let search = Search::new(ballots, model, options, ranking.items.first()?.item)?;
    let kinds = search.kinds();
    let votes = search.fewest(&kinds).map(|(taken, first)| search.votes(&kinds, &taken, first));
    let of = |groups: Vec<(String, Unit)>| {
        let (names, units): (Vec<String>, Vec<Unit>) = groups.into_iter().unzip();
        let (taken, first) = search.fewest(&units)?;
        let which = names.into_iter().zip(&taken).filter(|(_, n)| **n > 0).map(|(name, _)| name).collect();
        Some(FewestOf { which, of: units.len() as u64, first })
    };
    Some(RestsOn { votes, voters: of(search.voters()), contexts: of(search.contexts()) })
}

/// What is left out at once, so often at most: Σw and Σwr, seen from the left, of every cell it has a part in.
struct Unit {
    takes: Vec<(usize, f64, f64)>,
    most: u64,
}

struct Search<'a> {
    ballots: &'a Ballots,
    model: &'a Model,
    options: &'a RankOptions,
    sums: Sums,
    fitted: Fitted,
    /// Of every cell of the ballots the entry of the sums it is part of, and whether that sees it from the other side.
    place: Vec<Option<(usize, bool)>>,
    /// The first item, as an index of the sums.
    first: usize,
    /// Whether votes count by their contexts, and what makes the sums of it.
    by_context: bool,
    unit: f64,
}

/// What is left of the votes: Σw and Σwr of every cell of the ballots, seen from its left.
type Left = Vec<[f64; 2]>;

impl<'a> Search<'a> {
    fn new(ballots: &'a Ballots, model: &'a Model, options: &'a RankOptions, first: usize) -> Option<Self> {
        let Estimated { sums, estimate, by_context } = estimated(ballots, model, options)?;
        let first = sums.items.iter().position(|&item| item == first)?;
        let mut at = vec![usize::MAX; ballots.items().len()];
        sums.items.iter().enumerate().for_each(|(place, &item)| at[item] = place);
        let place = |cell: &PairVotes| {
            let (left, right) = (at[cell.left as usize], at[cell.right as usize]);
            let flip = left > right;
            let key = (left.min(right), left.max(right), options.adjust_position && flip);
            let entry = sums.pairs.binary_search_by_key(&key, |pair| (pair.i, pair.j, pair.right)).ok()?;
            (cell.w > 0.0).then_some((entry, flip))
        };
        let place = ballots.cells().iter().map(place).collect();
        let fitted = estimate.fitted?;
        let mut search = Self { ballots, model, options, fitted, sums, place, first, by_context, unit: 1.0 };
        if by_context {
            let all: f64 = search.sums.pairs.iter().map(|pair| pair.w).sum();
            search.unit = all / search.entries(&search.all_votes()).iter().map(|[w, ..]| w).sum::<f64>();
        }
        Some(search)
    }

    /// The votes, those that say the same together, in an order that does not depend on that of the rows.
    fn kinds(&self) -> Vec<Unit> {
        let mut kinds = Vec::new();
        for (at, cell) in self.ballots.cells().iter().enumerate() {
            let Some((entry, flip)) = self.place[at] else { continue };
            let counts = &cell.counts;
            // What is no win, no loss and yet used is a tie.
            let ties = if cell.tied { cell.n } else { cell.n - counts.left - counts.right };
            let decided = if cell.tied { [0.0; 2] } else { [counts.left, counts.right] };
            for (r, count) in [(1.0, decided[0]), (0.0, decided[1]), (0.5, ties)] {
                if count >= 1.0 {
                    let key = (entry, flip, (2.0 * r) as u8, cell.context);
                    kinds.push((key, Unit { takes: vec![(at, 1.0, r)], most: count as u64 }));
                }
            }
        }
        kinds.sort_by_key(|(key, _)| *key);
        kinds.into_iter().map(|(_, unit)| unit).collect()
    }

    /// The voters by name, where votes tell them.
    fn voters(&self) -> Vec<(String, Unit)> {
        if self.ballots.by_question().is_some() {
            return Vec::new();
        }
        let mut voters = Vec::new();
        for shares in self.ballots.shares().chunk_by(|a, b| a.voter == b.voter) {
            let Some(name) = self.ballots.voter_name(shares[0].voter as usize) else { return Vec::new() };
            let own = shares.iter().map(|share| (share.cell as usize, share.w, share.wr));
            let takes: Vec<_> = own.filter(|(cell, ..)| self.place[*cell].is_some()).collect();
            if !takes.is_empty() {
                voters.push((name, Unit { takes, most: 1 }));
            }
        }
        voters.sort_by(|a, b| a.0.cmp(&b.0));
        voters
    }

    /// The contexts by name.
    fn contexts(&self) -> Vec<(String, Unit)> {
        let mut takes: BTreeMap<String, Vec<(usize, f64, f64)>> = BTreeMap::new();
        let names = self.ballots.context_names();
        for (at, cell) in self.ballots.cells().iter().enumerate() {
            if let (Some(context), Some(_)) = (cell.context, self.place[at]) {
                takes.entry(names[context as usize].clone()).or_default().push((at, cell.w, cell.wr));
            }
        }
        takes.into_iter().map(|(name, takes)| (name, Unit { takes, most: 1 })).collect()
    }

    fn all_votes(&self) -> Left {
        self.ballots.cells().iter().map(|cell| [cell.w, cell.wr]).collect()
    }

    fn take(left: &mut Left, unit: &Unit, times: f64) {
        for &(cell, w, wr) in &unit.takes {
            left[cell][0] -= times * w;
            left[cell][1] -= times * wr;
        }
    }

    /// The place of a cell's context: those without one are together, behind the others.
    fn context(&self, cell: usize) -> usize {
        self.ballots.cells()[cell].context.map_or(self.ballots.contexts(), |context| context as usize)
    }

    /// n + K/2 of every context, with n what is left of its votes; 1 where votes count alike.
    fn sizes(&self, left: &Left) -> Vec<f64> {
        if !self.by_context {
            return vec![1.0; self.ballots.contexts() + 1];
        }
        let mut sizes = vec![0.5 * self.sums.len() as f64; self.ballots.contexts() + 1];
        for (cell, [w, _]) in left.iter().enumerate().filter(|(cell, _)| self.place[*cell].is_some()) {
            sizes[self.context(cell)] += w;
        }
        sizes
    }

    /// Σw, Σwr and Σw of ties of every entry, of what is left.
    fn entries(&self, left: &Left) -> Vec<[f64; 3]> {
        let sizes = self.sizes(left);
        let mut entries = vec![[0.0; 3]; self.sums.pairs.len()];
        for (cell, &[w, wr]) in left.iter().enumerate() {
            let Some((entry, flip)) = self.place[cell] else { continue };
            let v = self.unit / sizes[self.context(cell)];
            let tied = if self.ballots.cells()[cell].tied { w } else { 0.0 };
            let seen = [w, if flip { w - wr } else { wr }, tied];
            entries[entry].iter_mut().zip(seen).for_each(|(sum, x)| *sum += v * x);
        }
        entries
    }

    /// By how much the lead over the rival falls without each unit, to first order in what the fit follows.
    fn gains(&self, units: &[Unit], left: &Left, fit: &Influence) -> Vec<f64> {
        let sizes = self.sizes(left);
        let pull = |&(cell, w, wr): &(usize, f64, f64)| {
            let Some((entry, flip)) = self.place[cell] else { return 0.0 };
            let wr = if flip { w - wr } else { wr };
            fit.pull[entry] * (wr - fit.expected[entry] * w) * self.unit / sizes[self.context(cell)]
        };
        if !self.by_context {
            return units.iter().map(|unit| unit.takes.iter().map(pull).sum()).collect();
        }
        let mut all = vec![0.0; sizes.len()];
        for (cell, &[w, wr]) in left.iter().enumerate() {
            all[self.context(cell)] += pull(&(cell, w, wr));
        }
        let gain = |unit: &Unit| -> f64 {
            let mut of_contexts: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
            for take in &unit.takes {
                let (own, removed) = of_contexts.entry(self.context(take.0)).or_default();
                *own += pull(take);
                *removed += take.1;
            }
            let of_context = |(context, (own, removed)): (usize, (f64, f64))| {
                all[context] - (all[context] - own) * sizes[context] / (sizes[context] - removed)
            };
            of_contexts.into_iter().map(of_context).sum()
        };
        units.iter().map(gain).collect()
    }

    /// The fewest units that were found, how often each is taken, and who is then first.
    fn fewest(&self, units: &[Unit]) -> Option<(Vec<u64>, usize)> {
        let votes = self.all_votes();
        let mut order: Vec<usize> = (0..self.sums.len()).filter(|&i| i != self.first).collect();
        let entries = self.entries(&votes);
        let start = self.fitted.influence(&self.sums, &entries, (self.first, *order.first()?))?;
        if self.is_unseated(&start) {
            // Whoever is first by another estimate than this one has nothing to lose here.
            return None;
        }
        sort_descending(&mut order, &start.borda);
        order.truncate(FIRST);
        let half = units.iter().map(|unit| unit.most).sum::<u64>() / 2;
        let mut rivals: Vec<(u64, usize)> = Vec::new();
        for rival in order {
            stop::check();
            let fit = self.fitted.influence(&self.sums, &entries, (self.first, rival))?;
            let (none, gains) = (vec![0; units.len()], self.gains(units, &votes, &fit));
            if let Some(plan) = plan(units, &none, &gains, fit.borda[self.first] - fit.borda[rival]) {
                rivals.push((plan.iter().map(|(_, n)| n).sum(), rival));
            }
        }
        rivals.sort_by_key(|(needed, _)| *needed);
        let mut best: Option<(u64, Vec<u64>, usize)> = None;
        for &(_, rival) in rivals.iter().take(RIVALS) {
            let most = best.as_ref().map_or(half, |(count, ..)| count - 1);
            if let Some((taken, first)) = self.unseat(units, rival, most) {
                best = Some((taken.iter().sum(), taken, first));
            }
        }
        best.map(|(_, taken, first)| (taken, first))
    }

    /// Takes units until this rival, or somebody else, is first: at most so many.
    fn unseat(&self, units: &[Unit], rival: usize, most: u64) -> Option<(Vec<u64>, usize)> {
        let (mut taken, mut votes, mut count) = (vec![0; units.len()], self.all_votes(), 0);
        let mut proofs = 0;
        let fitted = |votes: &Left| self.fitted.influence(&self.sums, &self.entries(votes), (self.first, rival));
        let mut fit = fitted(&votes)?;
        loop {
            stop::check();
            let again = fitted(&votes);
            // Without a maximum of the likelihood only the proof can tell, and the last influences lead on.
            let unsure = again.is_none();
            fit = again.unwrap_or(fit);
            let gains = self.gains(units, &votes, &fit);
            if unsure || self.is_unseated(&fit) {
                if let Some(first) = self.proved(units, &taken) {
                    return Some(self.pruned(units, (taken, first), &gains, rival));
                }
                proofs += 1;
                if proofs > TRIES.1 {
                    return None;
                }
            }
            let lead = (fit.borda[self.first] - fit.borda[rival]).max(f64::MIN_POSITIVE);
            let plan = plan(units, &taken, &gains, lead)?;
            let needed = plan.iter().map(|(_, n)| n).sum::<u64>();
            let mut now = if unsure { 1 } else { (needed / 3).max(1) };
            count += now;
            if count > most {
                return None;
            }
            for (unit, n) in plan {
                let n = n.min(now);
                taken[unit] += n;
                Self::take(&mut votes, &units[unit], n as f64);
                now -= n;
            }
        }
    }

    fn is_unseated(&self, fit: &Influence) -> bool {
        fit.borda.iter().any(|&b| b > fit.borda[self.first])
    }

    /// The same without what was not needed, the least influential first.
    fn pruned(
        &self,
        units: &[Unit],
        (taken, first): (Vec<u64>, usize),
        gains: &[f64],
        rival: usize,
    ) -> (Vec<u64>, usize) {
        let mut kept = taken.clone();
        let mut order: Vec<usize> = (0..units.len()).filter(|&unit| taken[unit] > 0).collect();
        sort_ascending(&mut order, gains);
        for unit in order.into_iter().take(TRIES.0) {
            kept[unit] -= 1;
            let mut votes = self.all_votes();
            kept.iter().zip(units).for_each(|(&n, unit)| Self::take(&mut votes, unit, n as f64));
            let fit = self.fitted.influence(&self.sums, &self.entries(&votes), (self.first, rival));
            if !fit.is_some_and(|fit| self.is_unseated(&fit)) {
                kept[unit] += 1;
            }
        }
        if kept == taken {
            return (taken, first);
        }
        match self.proved(units, &kept) {
            Some(first) => (kept, first),
            None => (taken, first),
        }
    }

    /// Ranks the items without these votes, and says who is then first if it is another item.
    fn proved(&self, units: &[Unit], taken: &[u64]) -> Option<usize> {
        let mut left = self.all_votes();
        units.iter().zip(taken).for_each(|(unit, &n)| Self::take(&mut left, unit, n as f64));
        // Scores depend on the points alone, so that wins and losses may stand for ties.
        let ties = if self.ballots.ties() == Ties::Model { Ties::Model } else { Ties::Half };
        let mut votes = Ballots::new(ties, crate::ballots::BothBad::Drop, self.ballots.sides_known());
        self.ballots.items().iter().for_each(|name| {
            votes.item(name);
        });
        let contexts: Vec<u32> = self.ballots.context_names().iter().map(|name| votes.context(name)).collect();
        // Who is not ranked is not first of others either.
        let ranked = self.ballots.cells().iter().zip(left).zip(&self.place).filter(|(_, place)| place.is_some());
        for ((cell, [w, wr]), _) in ranked {
            let answers = if cell.tied { [(Answer::Tie, w); 2] } else { [(Answer::Left, wr), (Answer::Right, w - wr)] };
            for (answer, count) in answers.into_iter().take(if cell.tied { 1 } else { 2 }) {
                // Nothing is left of a sum that was taken away but rounding.
                if count > 1e-9 {
                    let (left, right, weight) = (cell.left, cell.right, 1.0);
                    let context = cell.context.map(|context| contexts[context as usize]);
                    votes.add_all(&[Ballot { left, right, voter: None, context, answer, weight, count }]).ok()?;
                }
            }
        }
        let Estimated { sums, estimate, .. } = estimated(&votes.finish(), self.model, self.options)?;
        let best = (0..sums.len()).max_by(|&a, &b| estimate.borda[a].total_cmp(&estimate.borda[b]).then(b.cmp(&a)))?;
        (sums.items[best] != self.sums.items[self.first]).then(|| sums.items[best])
    }

    /// Votes that were taken, by what they say.
    fn votes(&self, units: &[Unit], taken: &[u64], first: usize) -> FewestVotes {
        let mut kinds: BTreeMap<(usize, usize, bool, Option<u32>), u64> = BTreeMap::new();
        for (unit, &n) in units.iter().zip(taken).filter(|(_, n)| **n > 0) {
            for &(cell, _, r) in &unit.takes {
                let cell = &self.ballots.cells()[cell];
                let (left, right) = (cell.left as usize, cell.right as usize);
                let context = cell.context.filter(|_| self.by_context);
                let key = match r {
                    1.0 => (left, right, false, context),
                    0.0 => (right, left, false, context),
                    _ => (left.min(right), left.max(right), true, context),
                };
                *kinds.entry(key).or_default() += n;
            }
        }
        let names = self.ballots.context_names();
        let kind = |((winner, loser, tie, context), votes): ((usize, usize, bool, Option<u32>), u64)| {
            let context = context.map(|context| names[context as usize].clone());
            VotesOfAKind { votes, winner, loser, tie, context }
        };
        let mut which: Vec<VotesOfAKind> = kinds.into_iter().map(kind).collect();
        let name = |item: usize| &self.ballots.items()[item];
        which.sort_by(|a, b| {
            let key = |kind: &'_ VotesOfAKind| (name(kind.winner), name(kind.loser), kind.context.clone());
            b.votes.cmp(&a.votes).then_with(|| key(a).cmp(&key(b)))
        });
        FewestVotes { removed: taken.iter().sum(), of: self.sums.votes(), first, which }
    }
}

/// The sums of the items that are ranked, and their scores.
struct Estimated {
    sums: Sums,
    estimate: Estimate,
    /// Whether votes count by their contexts.
    by_context: bool,
}

fn estimated(ballots: &Ballots, model: &Model, options: &RankOptions) -> Option<Estimated> {
    let by_features = matches!(model, Model::Features(_));
    let choice = placement::choose(ballots, &options.exclude, options.least_votes, !by_features, !by_features);
    let items = by_name(ballots, &choice.ranked);
    let grouping = Grouping { as_shown: options.adjust_position, ..Grouping::default() };
    let mut sums = Sums::grouped(ballots, items.clone(), grouping);
    if sums.len() < 2 || sums.pairs.is_empty() {
        return None;
    }
    // Scores are the same about such contexts as about these, which may be fewer than such need.
    let these = RankOptions { about: options.about.map(|_| About::These), ..options.clone() };
    let over = Over::new(ballots, &sums, model, &these).ok()?;
    if let Some(weights) = over.as_ref().and_then(|over| over.weights.as_deref()) {
        sums = Sums::grouped(ballots, items, Grouping { weights: Some(weights), ..grouping });
    }
    let estimate = estimate_scores(ballots, &sums, model, (false, options.seed)).ok()?;
    Some(Estimated { sums, estimate, by_context: over.is_some() })
}

/// How often which units are taken until the lead is gone, to first order, the most influential first; `None` where all
/// of them are not enough.
fn plan(units: &[Unit], taken: &[u64], gains: &[f64], lead: f64) -> Option<Vec<(usize, u64)>> {
    let mut order: Vec<usize> =
        (0..units.len()).filter(|&unit| gains[unit] > 0.0 && taken[unit] < units[unit].most).collect();
    sort_descending(&mut order, gains);
    let (mut plan, mut left) = (Vec::new(), lead);
    for unit in order {
        let n = ((left / gains[unit]).ceil() as u64).clamp(1, units[unit].most - taken[unit]);
        plan.push((unit, n));
        left -= n as f64 * gains[unit];
        if left <= 0.0 {
            return Some(plan);
        }
    }
    None
}
