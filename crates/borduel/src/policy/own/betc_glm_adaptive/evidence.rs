//! Bounds that hold for all looks at once: how much better than the leader some item may still be.
//!
//! With V = V₀ + Σ n v vᵀ, V₀ the d added answers of the design, and answers within [0, 1] (so ½-sub-Gaussian), with
//! probability 1 − δ for all numbers of answers together, however questions were chosen (Abbasi-Yadkori, Pál and
//! Szepesvári 2011),
//!   ‖θ̂ − θ*‖_V ≤ (1/κ) (½ √(2 log(1/δ) + log(det V/det V₀)) + ½ √d) =: ρ/κ;
//! the last term is what the added answers can be wrong by. κ = inf μ′ is taken at θ̂. A linear link's gap along b is
//! then off by at most ρ ‖b‖_{V⁻¹}; any other's by 2 L_μ (ρ/κ) max_v ‖v‖_{V⁻¹}.

use super::belief::Belief;
use super::model_free::ModelFree;
use crate::Link;
use crate::Tally;
use crate::design::Design;
use crate::features::{Features, dot};
use crate::policy::shared::counts::ArmCounts;
use crate::problem::Problem;
use nalgebra::{Cholesky, DMatrix};

/// What the full budget of `betc-glm-match` guarantees for max B − B(î): 2 L_μ ε √(½ d log(1 + 2n/d) + log(1/δ))/κ.
pub(super) fn guarantee(problem: &Problem, belief: &Belief, epsilon: f64, delta: f64, budget: u64) -> f64 {
    let (d, link) = (problem.dim() as f64, problem.link());
    let root = (0.5 * d * (1.0 + 2.0 * budget as f64 / d).ln() + (1.0 / delta).ln()).sqrt();
    2.0 * link.lipschitz() * epsilon * root / kappa(link, belief)
}

fn kappa(link: Link, belief: &Belief) -> f64 {
    link.kappa(dot(&belief.theta, &belief.theta).sqrt())
}

/// A bound on max B − B(leader).
pub(super) fn shortfall(problem: &Problem, belief: &Belief, design: &Design, tally: &Tally, delta: f64) -> f64 {
    let (features, link, d) = (problem.features(), problem.link(), problem.dim());
    let added = features.information(design.support.iter().zip(&design.weights).map(|(s, w)| (*s, w * d as f64)));
    let all = &added + features.information(tally.iter().map(|(slot, cell)| (slot, cell.n)));
    let (Some(before), Some(after)) = (Cholesky::new(added), Cholesky::new(all)) else { return f64::INFINITY };
    let growth = after.ln_determinant() - before.ln_determinant();
    let radius = 0.5 * (2.0 * (1.0 / delta).ln() + growth).sqrt() + 0.5 * (d as f64).sqrt();
    let inverse = after.inverse();
    if link == Link::Linear {
        let off = |(row, gap): (&[f64], &f64)| radius * quadratic(&inverse, row).sqrt() - gap;
        return belief.rows.chunks_exact(d).zip(&belief.gaps).map(off).fold(0.0, f64::max);
    }
    let off = 2.0 * link.lipschitz() / kappa(link, belief) * radius * longest(features, &inverse);
    let nearest = belief.gaps.iter().copied().fold(f64::INFINITY, f64::min);
    (off - nearest).max(0.0)
}

/// max ‖v‖ in the norm of `m`; for differences twice the largest distance from the mean item, which is no less.
fn longest(features: &Features, m: &DMatrix<f64>) -> f64 {
    let (rows, factor) = match features.dictionary() {
        Some(rows) => (rows.to_vec(), 1.0),
        None => (features.means(), 2.0),
    };
    factor * rows.chunks_exact(features.dim()).map(|v| quadratic(m, v)).fold(0.0, f64::max).sqrt()
}

/// vᵀ M v.
fn quadratic(m: &DMatrix<f64>, v: &[f64]) -> f64 {
    v.iter().zip(m.as_slice().chunks_exact(v.len())).map(|(x, column)| x * dot(column, v)).sum::<f64>().max(0.0)
}

/// What `etc-borda` guarantees from N answers an item: 2 √(log(2K/δ)/(2N)).
pub(super) fn guarantee_of_counts(items: usize, per_item: f64, delta: f64) -> f64 {
    2.0 * ((2.0 * items as f64 / delta).ln() / (2.0 * per_item)).sqrt()
}

/// A bound on max B − B(leader) from counts: Robbins's normal mixture for every item, √((n+1) log(2K√(n+1)/δ)/2)/n.
pub(super) fn shortfall_of_counts(counted: &ModelFree, counts: &ArmCounts, delta: f64) -> f64 {
    let k = counted.scores.len();
    let width = |i: usize| {
        let n = counts.get(i).n;
        let log = (2.0 * k as f64 * (n + 1.0).sqrt() / delta).ln();
        if n > 0.0 { (0.5 * (n + 1.0) * log).sqrt() / n } else { 1.0 }
    };
    let leader = counted.leader;
    let off = |i: usize| counted.scores[i] - counted.scores[leader] + width(i) + width(leader);
    (0..k).filter(|i| *i != leader).map(off).fold(0.0, f64::max)
}
