//! What contexts add to what is not known about scores.
//!
//! With x_pc the share of the weight of pair p that lies in context c, and κ_pa what
//! the share of pair p does to the score of item a (see [`clusters`](super::clusters)), u(i,c) moves the score of a
//! by L_ic,a = Σ_p ± h x_pc κ_pa. So the covariance of scores grows by τ² Σ LᵀL about *such* contexts; and
//! by τ² Σ (L − L̄)ᵀ(L − L̄) about *these*, L̄ the mean over all contexts in which the item can be
//! shown, which is 0 as soon as each has its equal part. What a single vote has of it is in its p(1−p) already,
//! and is taken off. Balanced, the lead of one item on another gets 2τ²h²/G. With κ_pa = α_p (Y_ia − Y_ja) +
//! β_p (1{i=a} − 1{j=a}), Y_ia = ⟨z(i), M g_a⟩, all of it is sums of Laplacians.

use super::asked::Asked;
use super::contexts::by_item;
use super::model::Fit;
use super::pair_effects::shrinkage;
use super::space::Space;
use crate::about::About;
use crate::duel::Arm;
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// What contexts add to what is not known about scores.
pub(crate) struct Doubt {
    /// Beside the covariance of the scores.
    pub(super) covariance: DMatrix<f64>,
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
            let q = shrinkage(pair.n, pair.h, fit.start.tau2, pair.backing);
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
                    add_square(&mut squares, &single.into_iter(), -1.0 / cell.n.max(1.0));
                }
                row.iter().for_each(|(&at, x)| all[(item, at)] += x);
                add_square(&mut squares, &row.iter().map(|(&at, &x)| (at, x)), 1.0);
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
fn add_square(sum: &mut DMatrix<f64>, entries: &(impl Iterator<Item = (usize, f64)> + Clone), w: f64) {
    for (a, x) in entries.clone() {
        for (b, y) in entries.clone() {
            sum[(a, b)] += w * x * y;
        }
    }
}
