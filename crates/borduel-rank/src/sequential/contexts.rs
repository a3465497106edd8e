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
//!
//! **What it does to scores.** With x_pc the share of the weight of pair p that lies in context c, and κ_pa what
//! the share of pair p does to the score of item a (see [`clusters`](super::clusters)), u(i,c) moves the score of a
//! by L_ic,a = Σ_p ± h x_pc κ_pa. So the covariance of scores grows by τ² Σ LᵀL about *such* contexts; and
//! by τ² Σ (L − L̄)ᵀ(L − L̄) about *these*, L̄ the mean over all contexts in which the item can be
//! shown, which is 0 as soon as each has its equal part. What a single vote has of it is in its p(1−p) already,
//! and is taken off. Balanced, the lead of one item on another gets 2τ²h²/G. With κ_pa = α_p (Y_ia − Y_ja) +
//! β_p (1{i=a} − 1{j=a}), Y_ia = ⟨z(i), M g_a⟩, all of it is sums of Laplacians.

use super::asked::Asked;
use super::model::Fit;
use super::pair_effects::{Square, own, posterior_mean, rest};
use super::space::Space;
use super::votes::{PairSum, Votes};
use crate::about::About;
use crate::duel::Arm;
use crate::stream::Stream;
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// The votes on a pair in a context.
struct Cell {
    /// The pair's place among all that were asked.
    place: usize,
    /// The votes, the sum of their weights, and the share of the pair's first item.
    n: f64,
    w: f64,
    share: f64,
    /// n_ic + n_jc.
    beside: f64,
}

impl Cell {
    /// How often a vote counts.
    fn weight(&self, tau2: f64) -> f64 {
        1.0 / (1.0 + 0.25 * tau2 * self.beside)
    }
}

/// Votes by context.
pub(crate) struct Contexts {
    /// The pairs of every context, in the order of [`Votes::by_context`].
    cells: Vec<Vec<Cell>>,
    /// Which number in that order each context has.
    numbers: BTreeMap<Option<u32>, usize>,
    /// In how many contexts each item can be shown.
    offered: Vec<f64>,
}

impl Contexts {
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
                beside: of_item[&i] + of_item[&j],
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
        let cells = self.numbers.get(&context).map_or(&[][..], |&number| &self.cells[number]);
        cells.binary_search_by_key(&place, |cell| cell.place).map_or(1.0, |at| cells[at].weight(tau2))
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
                    let q = rest(pair.n, pair.h, pairs, pair.backing);
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
fn by_item<'c>(context: &'c [Cell], asked: &[Asked]) -> BTreeMap<Arm, Vec<(f64, &'c Cell)>> {
    let mut items: BTreeMap<Arm, Vec<(f64, &Cell)>> = BTreeMap::new();
    for cell in context {
        let pair = &asked[cell.place];
        items.entry(pair.i).or_default().push((1.0, cell));
        items.entry(pair.j).or_default().push((-1.0, cell));
    }
    items
}

/// What contexts add to what is not known about scores.
pub(crate) struct Doubt {
    /// Beside the covariance of the scores.
    covariance: DMatrix<f64>,
    /// What would be left of every score's with any number of votes in these contexts.
    floor: Vec<f64>,
}

impl Doubt {
    /// `gradients` are those of the scores. Nothing where there are no contexts.
    pub(crate) fn new(space: &Space<'_>, fit: &Fit, gradients: &DMatrix<f64>, about: About) -> Option<Self> {
        let (contexts, tau2) = (fit.contexts.as_ref()?, fit.start.context2?);
        let k = space.k;
        let c = 1.0 / (k - 1) as f64;
        // h κ of every pair's own share: its part by way of β, and by its own effect.
        let parts = |pair: &Asked| {
            let q = rest(pair.n, pair.h, fit.start.tau2, pair.backing);
            [pair.h * q * pair.n, pair.h * (1.0 - q) * c]
        };
        let parts: Vec<[f64; 2]> = fit.asked.iter().map(parts).collect();
        // Of rows of two Laplacians, side by side, the sum of squares; and these Laplacians over all contexts.
        let mut squares = DMatrix::zeros(2 * k, 2 * k);
        let mut all = DMatrix::zeros(k, 2 * k);
        let mut row: BTreeMap<usize, f64> = BTreeMap::new();
        for context in &contexts.cells {
            for (item, cells) in by_item(context, &fit.asked) {
                row.clear();
                for (_, cell) in cells {
                    let pair = &fit.asked[cell.place];
                    let other = pair.i + pair.j - item;
                    let x = cell.weight(tau2) * cell.w / pair.weight;
                    for (half, part) in parts[cell.place].iter().enumerate() {
                        *row.entry(half * k + item).or_insert(0.0) += x * part;
                        *row.entry(half * k + other).or_insert(0.0) -= x * part;
                    }
                    // What single votes have of it, half of it for either item.
                    let single: [(usize, f64); 4] = std::array::from_fn(|at| {
                        let (half, sign) = (at / 2, if at % 2 == 0 { 1.0 } else { -1.0 });
                        (half * k + if at % 2 == 0 { item } else { other }, sign * x * parts[cell.place][half])
                    });
                    add_square(&mut squares, single.into_iter(), -1.0 / cell.n.max(1.0));
                }
                row.iter().for_each(|(&at, x)| all[(item, at)] += x);
                add_square(&mut squares, row.iter().map(|(&at, &x)| (at, x)), 1.0);
            }
        }
        // From differences of strengths to scores: Y above, 1 below.
        let mut scores = DMatrix::zeros(2 * k, k);
        scores.rows_mut(0, k).copy_from(&space.potentials(&(&fit.covariance * gradients)));
        scores.rows_mut(k, k).fill_diagonal(1.0);
        let mut mean = all * &scores;
        mean.row_iter_mut().zip(&contexts.offered).for_each(|(mut row, offered)| row.unscale_mut(offered.sqrt()));
        let evenly = mean.tr_mul(&mean) * tau2;
        let covariance = scores.tr_mul(&(squares * &scores)) * tau2;
        Some(match about {
            About::Such => Self { floor: evenly.diagonal().iter().copied().collect(), covariance },
            About::These => Self { floor: vec![0.0; k], covariance: covariance - evenly },
        })
    }

    /// What is added to the variance of a score.
    pub(crate) fn variance(&self, i: Arm) -> f64 {
        self.covariance[(i, i)].max(0.0)
    }

    /// What is added to the variance of a lead.
    pub(crate) fn difference(&self, i: Arm, j: Arm) -> f64 {
        let v = &self.covariance;
        (v[(i, i)] + v[(j, j)] - 2.0 * v[(i, j)]).max(0.0)
    }

    /// What would be left of a score's variance with any number of votes in these contexts.
    pub(crate) fn floor(&self, i: Arm) -> f64 {
        self.floor[i].min(self.variance(i))
    }
}

/// sum ← sum + w xxᵀ for a vector with these entries.
fn add_square(sum: &mut DMatrix<f64>, entries: impl Iterator<Item = (usize, f64)> + Clone, w: f64) {
    for (a, x) in entries.clone() {
        for (b, y) in entries.clone() {
            sum[(a, b)] += w * x * y;
        }
    }
}

/// The context in which to ask a pair: the one with the fewest votes on this pair, among those the one with the
/// fewest on its two items, among those one at random; with its chance. `None` where none is allowed.
///
/// Each allowed context comes with these two numbers; questions that are open count as votes. What is allowed is the
/// caller's to say: where both items have something to show, and, for a person, where the voter has not seen this
/// pair.
pub fn next_context(allowed: impl IntoIterator<Item = (u32, [u64; 2])>, stream: &mut Stream) -> Option<(u32, f64)> {
    let (mut fewest, mut equals) = ([u64::MAX; 2], Vec::new());
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
    use super::*;
    use crate::duel::Duel;
    use crate::features::Features;
    use crate::sequential::scores::Scores;
    use crate::sequential::{Trust, model};
    use crate::stream::stream;

    /// Every u(i,c) by itself: how it moves the scores, and the squares of that.
    #[test]
    fn the_doubt_is_that_of_every_effect() {
        let (k, g) = (5, 6);
        let mut s = stream(3, &[]);
        let x: Vec<f64> = (0..k * 2).map(|_| s.normal()).collect();
        for features in [Features::one_hot(k).unwrap(), Features::differences_scaled(k, 2, &x).unwrap()] {
            let mut votes = Votes::new(k);
            for _ in 0..400 {
                let i = s.below(k);
                let c = s.below(g) as u32;
                votes.add_in(
                    Some(c * c),
                    Duel(i, (i + 1 + s.below(k - 1)) % k),
                    f64::from(u8::from(s.uniform() < 0.6)),
                );
            }
            let space = Space::new(&features, Trust::Checked);
            let fit = model::fit(&space, &votes, &model::Start::new(&space), true, 6);
            let scores = Scores::new(&space, &fit);
            let (contexts, tau2, c) =
                (fit.contexts.as_ref().unwrap(), fit.start.context2.unwrap(), 1.0 / (k - 1) as f64);
            let directions = &fit.covariance * &scores.gradients;
            let kappa = |place: usize, a: Arm| {
                let pair = &fit.asked[place];
                let q = rest(pair.n, pair.h, fit.start.tau2, pair.backing);
                let sign = f64::from(u8::from(pair.i == a)) - f64::from(u8::from(pair.j == a));
                q * pair.n * space.dot(directions.column(a).as_slice(), pair.i, pair.j) + (1.0 - q) * c * sign
            };
            let x = |cell: &Cell| cell.weight(tau2) * cell.w / fit.asked[cell.place].weight;
            let (mut such, mut sums) = (DMatrix::zeros(k, k), DMatrix::zeros(k, k));
            for context in &contexts.cells {
                for item in 0..k {
                    let mut load = nalgebra::DVector::zeros(k);
                    for cell in context {
                        let pair = &fit.asked[cell.place];
                        let sign = f64::from(u8::from(pair.i == item)) - f64::from(u8::from(pair.j == item));
                        let own = nalgebra::DVector::from_fn(k, |a, _| sign * pair.h * x(cell) * kappa(cell.place, a));
                        such -= &own * own.transpose() / cell.n;
                        load += own;
                    }
                    such += &load * load.transpose();
                    let mut row = sums.row_mut(item);
                    row += load.transpose();
                }
            }
            let these = &such - sums.tr_mul(&sums) / g as f64;
            for (about, expected) in [(About::Such, such), (About::These, these)] {
                let found = Doubt::new(&space, &fit, &scores.gradients, about).unwrap();
                assert!((&found.covariance - &expected * tau2).amax() < 1e-9 * expected.amax(), "{about:?}");
            }
        }
    }

    #[test]
    fn the_next_context_has_the_fewest_votes() {
        let mut s = stream(1, &[]);
        assert_eq!(next_context([], &mut s), None);
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

    /// τ is found again, and contexts that have nothing of their own leave nearly everything as it is.
    #[test]
    fn the_spread_between_contexts_is_found() {
        let estimate = |tau: f64| {
            let (k, g) = (6, 30);
            let mut s = stream(9, &[]);
            let effects: Vec<f64> = (0..k * g).map(|_| tau * s.normal()).collect();
            let mut votes = Votes::new(k);
            for _ in 0..9_000 {
                let (i, c) = (s.below(k), s.below(g));
                let j = (i + 1 + s.below(k - 1)) % k;
                let p = 1.0 / (1.0 + (effects[c * k + j] - effects[c * k + i]).exp());
                votes.add_in(Some(c as u32), Duel(i, j), f64::from(u8::from(s.uniform() < p)));
            }
            let features = Features::one_hot(k).unwrap();
            let judgement =
                crate::sequential::judge(&features, &votes, &crate::sequential::Options::default()).unwrap();
            judgement.contexts.unwrap().spread
        };
        assert!(estimate(0.0) < 0.1);
        assert!((estimate(0.5) - 0.5).abs() < 0.1, "{}", estimate(0.5));
    }
}
