//! Borda scores of the model with pair effects, and their covariance.
//!
//! With p the chance of a pair, h = p(1−p), q = 1/(1 + nhτ²), c = 1/(K−1): B̂(i) = c Σ_b p(i,b); Cov = Gᵀ M G + own,
//! where the column g_i = Σ_b c h q ψ(i,b) collects what β contributes and own what is not known about the pairs
//! themselves, c²h²τ²q each, added to both items' variances and subtracted from their covariance (what one gains the
//! other loses).

use super::by_pair::ByPair;
use super::context_doubt::Doubt;
use super::freed::Freed;
use super::model::Fit;
use super::pair_effects::{Backing, chance, own, shrinkage, slope};
use super::space::Space;
use super::votes::Votes;
use super::wide::Along;
use crate::about::About;
use crate::duel::Arm;
use nalgebra::DMatrix;

/// Scores, their covariance, and what every pair's part in them is.
pub(crate) struct Scores {
    /// The score of every item, with its own effect freed.
    pub(crate) borda: Vec<f64>,
    /// The scores as fitted.
    pub(super) fitted: Vec<f64>,
    /// By how much standard errors are wider than those of independent votes.
    factors: Vec<f64>,
    /// What freeing effects does, where they are freed.
    pub(crate) freed: Option<Freed>,
    /// What every pair says by itself, where nothing else is believed.
    pub(crate) by_pair: Option<ByPair>,
    /// What contexts add to what is not known, where there are any.
    pub(crate) contexts: Option<Doubt>,
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
        let along = Along::new(space, &fit.start.beta);
        for i in 0..k {
            for j in i + 1..k {
                let p = chance(along.of(i, j));
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
        let fitted: Vec<f64> = (0..k).map(|i| c * (chances.row(i).sum() - 0.5)).collect();
        let q = |i: Arm, j: Arm| shrinkage(votes[(i, j)], slopes[(i, j)], tau2, backing[(i, j)]);
        let weights = DMatrix::from_fn(k, k, |i, j| c * slopes[(i, j)] * q(i, j));
        let gradients = space.gradients(&weights);
        let directions = &fit.covariance * &gradients;
        let mut covariance =
            if space.is_wide() { gradients.transpose() * &directions } else { gradients.tr_mul(&directions) };
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
        let freed = Freed::new(space, fit, &directions);
        let shift = |i: Arm| freed.as_ref().map_or(0.0, |freed| freed.alone(i).0);
        let borda = (0..k).map(|i| (fitted[i] + shift(i)).clamp(0.0, 1.0)).collect();
        let (factors, contexts, by_pair) = (vec![1.0; k], None, None);
        Self { borda, fitted, factors, freed, by_pair, contexts, covariance, gradients, slopes, votes, backing }
    }

    /// The same by the pairs alone, with no model.
    pub(crate) fn by_pair(mut self, votes: &Votes) -> Self {
        let by_pair = ByPair::new(votes);
        self.borda = by_pair.scores();
        self.fitted.clone_from(&self.borda);
        self.by_pair = Some(by_pair);
        self
    }

    /// Widens standard errors by a factor for every item.
    pub(crate) fn widen(&mut self, factors: Vec<f64>) {
        for (i, a) in factors.iter().enumerate() {
            for (j, b) in factors.iter().enumerate() {
                self.covariance[(i, j)] *= a * b;
            }
        }
        self.factors = factors;
    }

    /// The same about contexts, where there are any.
    pub(crate) fn about(mut self, space: &Space<'_>, fit: &Fit, about: About) -> Self {
        self.contexts = Doubt::new(space, fit, &self.gradients, about);
        self
    }

    /// By how much standard errors are wider than those of independent votes without contexts.
    pub(crate) fn widening(&self) -> Vec<f64> {
        let one = |(i, factor): (Arm, &f64)| {
            let Some(contexts) = &self.contexts else { return *factor };
            let own = self.own_variance(i).max(1e-12);
            factor * ((own + contexts.variance(i)) / own).sqrt()
        };
        self.factors.iter().enumerate().map(one).collect()
    }

    /// The variance of a score.
    pub(crate) fn variance(&self, i: Arm) -> f64 {
        self.own_variance(i) + self.contexts.as_ref().map_or(0.0, |contexts| contexts.variance(i))
    }

    /// The same without what contexts add.
    fn own_variance(&self, i: Arm) -> f64 {
        if let Some(by_pair) = &self.by_pair {
            return by_pair.variance(i);
        }
        let more = self.freed.as_ref().map_or(0.0, |freed| freed.alone(i).1);
        (self.covariance[(i, i)] + self.factors[i].powi(2) * more).max(0.0)
    }

    /// The lead of i over j, and its variance.
    pub(crate) fn difference(&self, i: Arm, j: Arm) -> (f64, f64) {
        if let Some(by_pair) = &self.by_pair {
            return (self.borda[i] - self.borda[j], by_pair.difference(i, j));
        }
        let v = &self.covariance;
        let (lead, variance) = (self.fitted[i] - self.fitted[j], v[(i, i)] + v[(j, j)] - 2.0 * v[(i, j)]);
        let factors = [self.factors[i], self.factors[j]];
        let (shift, more) = self.freed.as_ref().map_or((0.0, 0.0), |freed| freed.difference(i, j, factors));
        let variance = (variance + more).max(1e-12);
        (lead + shift, variance + self.contexts.as_ref().map_or(0.0, |contexts| contexts.difference(i, j)))
    }
}
