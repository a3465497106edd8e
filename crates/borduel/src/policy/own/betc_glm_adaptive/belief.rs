//! What the answers say so far: θ̂ with its normal approximation, who leads, and by how much every rival trails.
//!
//! θ̂ solves Σ n w (μ(⟨v,θ⟩) − r̄) v = 0 with w = μ′/(μ(1−μ)), the likelihood equation of every link (for the logistic
//! link w = 1, and it is the paper's). Answers whose outcome is nearly certain then weigh more, as they should. d
//! answers, half won and half lost and spread over the G-optimal design, are added (Clogg, Rubin, Schenker, Schultz and
//! Weidman 1991), so that there is a maximum from the start and few answers cannot look certain.

use crate::Link;
use crate::Tally;
use crate::borda::{self, Borda};
use crate::design::Design;
use crate::duel::{Arm, Duel};
use crate::features::{Features, add_scaled, dot};
use crate::glm::{self, FitOptions};
use crate::problem::Problem;
use nalgebra::{Cholesky, DMatrix};

/// No answer's variance is taken to be less than this: p = 0.02 or 0.98.
const VARIANCE_FLOOR: f64 = 0.02;

/// Rivals that trail by more than this many standard deviations (of a bound) are left out.
const FAR: f64 = 8.0;

/// What is believed about θ.
pub(super) struct Belief {
    /// θ̂.
    pub(super) theta: Vec<f64>,
    /// The covariance of θ̂.
    pub(super) covariance: DMatrix<f64>,
    /// Every item's estimated Borda score.
    pub(super) scores: Vec<f64>,
    /// The item with the largest.
    pub(super) leader: Arm,
    /// How far each rival trails.
    pub(super) gaps: Vec<f64>,
    /// ∇(B(i) − B(leader)) of each rival, row by row, scaled to what the likelihood says of it (`likelihood`).
    pub(super) rows: Vec<f64>,
}

/// How answers are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// All alike, as in the paper's equation.
    Paper,
    /// By the inverse of their variance, as in the likelihood equation.
    Likelihood,
}

/// Variance of an answer with this score, for weighing.
pub(super) fn variance(link: Link, score: f64) -> f64 {
    let mu = link.mu(score).clamp(0.0, 1.0);
    (mu * (1.0 - mu)).max(VARIANCE_FLOOR)
}

/// The information of an answer with this score: μ′²/(μ(1−μ)).
pub(super) fn information(link: Link, score: f64) -> f64 {
    let slope = link.mu_prime(score);
    if link == Link::Logistic { slope } else { slope * slope / variance(link, score) }
}

impl Belief {
    /// From the answers; `start` is the last θ̂.
    pub(super) fn new(
        problem: &Problem,
        design: &Design,
        tally: &Tally,
        start: Option<&[f64]>,
        weights: Weights,
    ) -> Self {
        let d = problem.dim();
        let mut padded = tally.clone();
        for (slot, weight) in design.support.iter().zip(&design.weights) {
            padded.add_to_slot(*slot, 0.5, weight * d as f64);
        }
        let (theta, precision) = fit(problem, &padded, start, weights);
        let covariance = Cholesky::new(precision).map_or_else(|| DMatrix::identity(d, d) * 1e6, |c| c.inverse());
        let scores = Borda::from_model(problem.features(), problem.link(), &theta).scores().to_vec();
        let leader = borda::winner(&scores);
        let mut belief = Self { theta, covariance, scores, leader, gaps: Vec::new(), rows: Vec::new() };
        belief.find_rivals(problem);
        if weights == Weights::Likelihood {
            belief.sharpen(problem, &padded);
        }
        belief
    }

    /// The mean distance behind the leader: what a uniform item costs.
    pub(super) fn mean_gap(&self) -> f64 {
        self.scores.iter().map(|b| self.scores[self.leader] - b).sum::<f64>() / self.scores.len() as f64
    }

    fn find_rivals(&mut self, problem: &Problem) {
        let (features, link, leader) = (problem.features(), problem.link(), self.leader);
        // The Frobenius norm bounds the largest eigenvalue, and no vector is longer than 1.
        let widest = self.covariance.norm().sqrt();
        let reach = FAR * 2.0 * link.lipschitz() * widest;
        let best = self.scores[leader];
        let near = (0..self.scores.len()).filter(|i| *i != leader && best - self.scores[*i] <= reach);
        let rivals: Vec<Arm> = near.collect();
        self.gaps = rivals.iter().map(|i| best - self.scores[*i]).collect();
        self.rows = match features.item_vectors() {
            Some(items) => self.slopes(problem, items, &rivals),
            None => gradients(features, link, &self.theta, leader, &rivals),
        };
    }

    /// For differences B rises with u = ⟨x, θ⟩ alone, so ∇(B(i) − B(leader)) is taken along x_i − x_leader, which has
    /// the right sign exactly, with the slope between the two.
    fn slopes(&self, problem: &Problem, items: &[f64], rivals: &[Arm]) -> Vec<f64> {
        let (d, link) = (problem.dim(), problem.link());
        let row = |i: Arm| &items[i * d..(i + 1) * d];
        let utilities: Vec<f64> = items.chunks_exact(d).map(|x| dot(x, &self.theta)).collect();
        let top = utilities[self.leader];
        let local = utilities.iter().map(|u| link.mu_prime(top - u)).sum::<f64>() / utilities.len() as f64;
        let mut rows = vec![0.0; rivals.len() * d];
        for ((out, &i), gap) in rows.chunks_exact_mut(d).zip(rivals).zip(&self.gaps) {
            let behind = top - utilities[i];
            let slope = if behind > 1e-6 { gap / behind } else { local };
            add_scaled(out, slope, row(i));
            add_scaled(out, -slope, row(self.leader));
        }
        rows
    }
}

/// ∇B(i) − ∇B(leader), ∇B(i) = (1/K) Σ_j μ′(⟨φ(i,j),θ⟩) φ(i,j).
fn gradients(features: &Features, link: Link, theta: &[f64], leader: Arm, rivals: &[Arm]) -> Vec<f64> {
    let (k, d) = (features.items(), features.dim());
    let projection = features.project(theta);
    let slopes: Vec<f64> =
        (0..features.distinct()).map(|s| link.mu_prime(features.slot_score(&projection, s))).collect();
    let dictionary = features.dictionary().unwrap_or_default();
    let add = |i: Arm, factor: f64, out: &mut [f64]| {
        for j in 0..k {
            let slot = features.slot(Duel(i, j));
            if let Some(slope) = slopes.get(slot.index) {
                let sign = if slot.negative { -factor } else { factor };
                add_scaled(out, sign * slope / k as f64, &dictionary[slot.index * d..(slot.index + 1) * d]);
            }
        }
    };
    let mut of_leader = vec![0.0; d];
    add(leader, -1.0, &mut of_leader);
    let mut rows = vec![0.0; rivals.len() * d];
    for (out, &i) in rows.chunks_exact_mut(d).zip(rivals) {
        out.copy_from_slice(&of_leader);
        add(i, 1.0, out);
    }
    rows
}

/// θ̂ and the information matrix Σ n μ′²/(μ(1−μ)) v vᵀ; with the paper's weights 4 L_μ Σ n μ′ v vᵀ, whose inverse is no
/// smaller than the covariance, since μ(1−μ)/μ′ is largest at 0 for every link.
fn fit(problem: &Problem, padded: &Tally, start: Option<&[f64]>, weights: Weights) -> (Vec<f64>, DMatrix<f64>) {
    let (features, link) = (problem.features(), problem.link());
    let options = FitOptions::default();
    if link == Link::Logistic || weights == Weights::Paper {
        let fit = glm::solve(link, features, padded, start, &options);
        return (fit.theta, fit.hessian * (4.0 * link.lipschitz()));
    }
    // Reweighted twice: from the last θ̂ the weights hardly move any more.
    let mut theta = start.map_or_else(|| vec![0.0; problem.dim()], <[f64]>::to_vec);
    let mut precision = DMatrix::identity(problem.dim(), problem.dim());
    for _ in 0..2 {
        let mut weighted = Tally::new(features);
        for (slot, cell) in padded.iter() {
            let score = features.vector_dot(slot, &theta);
            let weight = link.mu_prime(score) / variance(link, score);
            weighted.add_to_slot(slot, cell.sum / cell.n, cell.n * weight);
        }
        let fit = glm::solve(link, features, &weighted, Some(&theta), &options);
        theta = fit.theta;
        precision = fit.hessian;
    }
    (theta, precision)
}
