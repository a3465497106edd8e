//! What an item has of its own in a context: log-odds of i over j in context c are those of the pair plus u(i,c) −
//! u(j,c), u ~ N(0, τ²), τ² estimated.
//!
//! **Scores are means over contexts.** A vote counts v = 1/(1 + ¼τ²(n_ic + n_jc)) times, with n_ic the votes on
//! item i in context c: where contexts do not differ all votes count alike, and where they do each context counts
//! alike, however many votes it has.
//!
//! **τ²** is the posterior mean of the same kind as that of pair effects. S_ic = Σ n (share − p) over the pairs
//! of item i in context c has, with V = Σ n h and ℓ the share of it that the fit follows, the variance (1 −
//! ℓ) (V + τ² (V² + Σ (nh)² − 2 Σ nh²)): a single vote, whose p is the mean over contexts already, says
//! nothing of τ². Every vote is in two of these sums, so each counts as half of one. With few contexts the mean
//! lies well above the best guess, which is what keeps the verdict about such contexts honest: see
//! `tests/contexts.rs`.

use super::asked::Asked;
use super::pair_effects::{Square, own, posterior_mean, shrinkage};
use super::space::Space;
use super::votes::{PairSum, Votes};
use crate::duel::Arm;
use crate::stream::Stream;
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// The votes on a pair in a context.
pub(super) struct Cell {
    /// The pair's place among all that were asked.
    pub(super) place: usize,
    /// The votes, the sum of their weights, and the share of the pair's first item.
    pub(super) n: f64,
    pub(super) w: f64,
    share: f64,
    /// What of the share is a judge's correction.
    shift: f64,
    /// n_ic + n_jc.
    item_votes: f64,
}

impl Cell {
    /// How often a vote counts.
    pub(super) fn weight(&self, tau2: f64) -> f64 {
        1.0 / (1.0 + 0.25 * tau2 * self.item_votes)
    }
}

/// Votes by context.
pub(crate) struct ByContext {
    /// The pairs of every context, in the order of [`Votes::by_context`].
    pub(super) cells: Vec<Vec<Cell>>,
    /// Which number in that order each context has.
    numbers: BTreeMap<Option<u32>, usize>,
    /// In how many contexts each item can be shown.
    pub(super) offered: Vec<f64>,
}

impl ByContext {
    /// Nothing where there is one context or none.
    pub(crate) fn new(votes: &Votes) -> Option<Self> {
        if votes.contexts() < 2 {
            return None;
        }
        let places: BTreeMap<(Arm, Arm), usize> =
            votes.pairs().enumerate().map(|(place, (i, j, _))| ((i, j), place)).collect();
        let (mut cells, mut numbers) = (Vec::with_capacity(votes.contexts()), BTreeMap::new());
        for (context, pairs) in votes.by_context() {
            numbers.insert(context, cells.len());
            let mut of_item: BTreeMap<Arm, f64> = BTreeMap::new();
            for (i, j, sum) in pairs.clone() {
                *of_item.entry(i).or_insert(0.0) += sum.votes();
                *of_item.entry(j).or_insert(0.0) += sum.votes();
            }
            let cell = |(i, j, sum): (Arm, Arm, &PairSum)| Cell {
                place: places[&(i, j)],
                n: sum.votes(),
                w: sum.w,
                share: sum.share(),
                shift: sum.shift / sum.w,
                item_votes: of_item[&i] + of_item[&j],
            };
            cells.push(pairs.map(cell).collect());
        }
        let offered = (0..votes.items()).map(|item| votes.offered(item) as f64).collect();
        Some(Self { cells, numbers, offered })
    }

    /// The votes, each as often as it counts.
    pub(crate) fn weighted(&self, votes: &Votes, tau2: f64) -> Votes {
        votes.weighted(self.cells.iter().flatten().map(|cell| cell.weight(tau2)))
    }

    /// How often a vote counts that was cast in this context on the pair at this place.
    pub(crate) fn weight(&self, context: Option<u32>, place: usize, tau2: f64) -> f64 {
        self.cell(context, place).map_or(1.0, |cell| cell.weight(tau2))
    }

    /// What a judge's correction adds to the answers on the pair at this place that were given in this context.
    pub(crate) fn shift(&self, context: Option<u32>, place: usize) -> f64 {
        self.cell(context, place).map_or(0.0, |cell| cell.shift)
    }

    fn cell(&self, context: Option<u32>, place: usize) -> Option<&Cell> {
        let cells = &self.cells[*self.numbers.get(&context)?];
        cells.binary_search_by_key(&place, |cell| cell.place).ok().map(|at| &cells[at])
    }

    /// The posterior mean of τ²; `pairs` is the variance of pair effects.
    pub(crate) fn estimate(
        &self,
        space: &Space<'_>,
        covariance: &DMatrix<f64>,
        asked: &[Asked],
        (pairs, dispersion): (f64, f64),
    ) -> f64 {
        let mut squares = Vec::new();
        let mut followed = vec![0.0; space.dim()];
        for context in &self.cells {
            for (_, cells) in by_item(context, asked) {
                let [mut v, mut sum, mut pair_squares, mut single, mut alone] = [0.0; 5];
                followed.fill(0.0);
                for (sign, cell) in cells {
                    let pair = &asked[cell.place];
                    let n = cell.n / dispersion;
                    let known = n * pair.h;
                    let q = shrinkage(pair.n, pair.h, pairs, pair.backing);
                    v += known;
                    sum += sign * n * (cell.share - pair.p);
                    pair_squares += known * known;
                    single += known * pair.h;
                    alone += known * known * own(pair.n, pair.h, pairs, pair.backing) * q;
                    space.add(&mut followed, pair.i, pair.j, sign * known * q);
                }
                let entries: Vec<(usize, f64)> =
                    followed.iter().copied().enumerate().filter(|(_, x)| *x != 0.0).collect();
                let product =
                    |(a, x): &(usize, f64)| x * entries.iter().map(|(b, y)| covariance[(*a, *b)] * y).sum::<f64>();
                let leverage = (alone + entries.iter().map(product).sum::<f64>()) / v;
                let slope = (v * v + pair_squares - 2.0 * single) / v;
                if leverage <= 0.95 && slope > 0.0 {
                    squares.push(Square { z: sum * sum / (v * (1.0 - leverage)), slope, weight: 0.5 });
                }
            }
        }
        posterior_mean(&squares)
    }
}

/// The pairs of every item in a context, with 1 where it is the pair's first and −1 where it is the second.
pub(super) fn by_item<'c>(context: &'c [Cell], asked: &[Asked]) -> BTreeMap<Arm, Vec<(f64, &'c Cell)>> {
    let mut items: BTreeMap<Arm, Vec<(f64, &Cell)>> = BTreeMap::new();
    for cell in context {
        let pair = &asked[cell.place];
        items.entry(pair.i).or_default().push((1.0, cell));
        items.entry(pair.j).or_default().push((-1.0, cell));
    }
    items
}

/// The context in which to ask a pair: the one with the fewest votes on this pair, among those the one with the
/// fewest on its two items, among those one at random; with its chance. `None` where none is allowed.
///
/// Each allowed context comes with these two numbers, and with a third where a further one decides between equals;
/// questions that are open count as votes. What is allowed is the
/// caller's to say: where both items have something to show, and, for a person, where the voter has not seen this
/// pair.
pub fn next_context<const N: usize>(
    allowed: impl IntoIterator<Item = (u32, [u64; N])>,
    stream: &mut Stream,
) -> Option<(u32, f64)> {
    let (mut fewest, mut equals) = ([u64::MAX; N], Vec::new());
    for (context, votes) in allowed {
        if votes < fewest {
            fewest = votes;
            equals.clear();
        }
        if votes == fewest {
            equals.push(context);
        }
    }
    match *equals {
        [] => None,
        [only] => Some((only, 1.0)),
        _ => Some((equals[stream.below(equals.len())], 1.0 / equals.len() as f64)),
    }
}

#[cfg(test)]
mod tests {
    use super::next_context;
    use crate::stream::stream;

    #[test]
    fn the_next_context_has_the_fewest_votes() {
        let mut s = stream(1, &[]);
        assert_eq!(next_context::<2>([], &mut s), None);
        assert_eq!(next_context([(3, [1, 0]), (4, [0, 9]), (5, [0, 8])], &mut s), Some((5, 1.0)));
        let drawn: Vec<u32> = (0..200)
            .map(|_| {
                let (context, chance) = next_context([(7, [0, 2]), (8, [1, 0]), (9, [0, 2])], &mut s).unwrap();
                assert_eq!(chance, 0.5);
                context
            })
            .collect();
        let sevens = drawn.iter().filter(|context| **context == 7).count();
        assert!(drawn.iter().all(|context| [7, 9].contains(context)) && (60..140).contains(&sevens), "{sevens}");
    }
}
