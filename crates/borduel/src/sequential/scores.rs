//! Borda scores of the model with pair effects, and their covariance.
//!
//! With p the chance of a pair, h = p(1−p), q = 1/(1 + nhτ²), c = 1/(K−1): B̂(i) = c Σ_b p(i,b); Cov = Gᵀ M G + own, where the column
//! g_i = Σ_b c h q ψ(i,b) collects what β contributes and own what is not known about the pairs themselves, c²h²τ²q each,
//! added to both items' variances and subtracted from their covariance (what one gains the other loses).

use super::model::Fit;
use super::pair_effects::{Backing, chance, own, rest, slope};
use super::space::Space;
use crate::duel::Arm;
use nalgebra::DMatrix;

/// Scores, their covariance, and what every pair's part in them is.
pub(crate) struct Scores {
    pub(crate) borda: Vec<f64>,
    pub(crate) covariance: DMatrix<f64>,
    /// g, a column an item.
    pub(crate) gradients: DMatrix<f64>,
    /// h of every pair.
    pub(crate) slopes: DMatrix<f64>,
    /// n of every pair.
    pub(crate) votes: DMatrix<f64>,
    /// The backing of every pair.
    pub(crate) backing: DMatrix<f64>,
}

impl Scores {
    /// The scores of a fit.
    pub(crate) fn new(space: &Space<'_>, fit: &Fit) -> Self {
        let (k, tau2) = (space.k, fit.start.tau2);
        let c = 1.0 / (k - 1) as f64;
        let mut chances = DMatrix::from_element(k, k, 0.5);
        let mut slopes = DMatrix::zeros(k, k);
        for i in 0..k {
            for j in i + 1..k {
                let p = chance(space.dot(&fit.start.beta, i, j));
                (chances[(i, j)], chances[(j, i)]) = (p, 1.0 - p);
                (slopes[(i, j)], slopes[(j, i)]) = (slope(p), slope(p));
            }
        }
        let mut votes = DMatrix::zeros(k, k);
        for pair in &fit.asked {
            let (i, j) = (pair.i, pair.j);
            (votes[(i, j)], votes[(j, i)]) = (pair.n, pair.n);
            (chances[(i, j)], chances[(j, i)]) = (pair.p, 1.0 - pair.p);
            (slopes[(i, j)], slopes[(j, i)]) = (pair.h, pair.h);
        }
        let mut backing = DMatrix::zeros(k, k);
        let all = Backing::new(k, fit.asked.iter().map(|p| (p.i, p.j, p.n)));
        for i in 0..k {
            for j in i + 1..k {
                let x = all.of(i, j, votes[(i, j)]);
                (backing[(i, j)], backing[(j, i)]) = (x, x);
            }
        }
        let borda = (0..k).map(|i| c * (chances.row(i).sum() - 0.5)).collect();
        let q = |i: Arm, j: Arm| rest(votes[(i, j)], slopes[(i, j)], tau2, backing[(i, j)]);
        let weights = DMatrix::from_fn(k, k, |i, j| c * slopes[(i, j)] * q(i, j));
        let gradients = space.gradients(&weights);
        let mut covariance = gradients.tr_mul(&(&fit.covariance * &gradients));
        for i in 0..k {
            for j in i + 1..k {
                let doubt =
                    (c * slopes[(i, j)]).powi(2) * own(votes[(i, j)], slopes[(i, j)], tau2, backing[(i, j)]) * q(i, j);
                covariance[(i, i)] += doubt;
                covariance[(j, j)] += doubt;
                covariance[(i, j)] -= doubt;
                covariance[(j, i)] -= doubt;
            }
        }
        Self { borda, covariance, gradients, slopes, votes, backing }
    }

    /// Var(B̂(i) − B̂(j)).
    pub(crate) fn difference(&self, i: Arm, j: Arm) -> f64 {
        let v = &self.covariance;
        (v[(i, i)] + v[(j, j)] - 2.0 * v[(i, j)]).max(1e-12)
    }
}
