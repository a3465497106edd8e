//! The likelihood itself, where its parabola will not do: how unlikely it is that a rival leads.
//!
//! Near p = 0 and 1 the likelihood is far from normal. What counts is not that a rival trails by x = gap/s standard
//! deviations but r = √(2 (max ℓ(θ) − max ℓ(θ′))), θ′ all parameters under which it draws level: the signed root of the
//! likelihood ratio, which is close to a standard normal number where x is not. The rows b of the nearest rivals are
//! scaled by x/r, so that s = gap/r.
//!
//! "Draws level" is the linearised condition ⟨b, θ′ − θ̂⟩ = gap, exact for differences and for the linear link. Newton
//! steps along it, from the θ′ of the parabola, find the maximum.

use super::belief::Belief;
use crate::Link;
use crate::Tally;
use crate::features::Features;
use crate::problem::Problem;
use nalgebra::{DMatrix, DVector};

/// No probability is taken to be closer to 0 or 1. The linear link's are kept from going beyond by a steep parabola.
const EDGE: f64 = 1e-3;
/// The most steps towards a maximum, and the gain in ℓ below which no more are made.
const STEPS: usize = 30;
const ENOUGH: f64 = 1e-4;
/// Rivals that are looked at: the nearest, fewer where vectors times d² are many, for one step costs that much for
/// each.
const NEAREST: usize = 16;
const WORK: usize = 1 << 21;
/// A rival nearer than this many standard deviations is in doubt either way.
const NEAR: f64 = 0.5;
/// No row is scaled by more than this, or by less than its inverse.
const MOST: f64 = 2.0;

impl Belief {
    /// Scales the rows of the nearest rivals to what the likelihood says.
    pub(super) fn sharpen(&mut self, problem: &Problem, answers: &Tally) {
        let d = problem.dim();
        let likelihood = Likelihood::new(problem.features(), problem.link(), answers);
        let rivals = NEAREST.min(WORK / (likelihood.n.len() * d * d).max(1));
        if rivals == 0 {
            return;
        }
        let theta = DVector::from_column_slice(&self.theta);
        let mut near = Vec::new();
        for (row, gap) in self.rows.chunks_exact(d).zip(&self.gaps) {
            let row = DVector::from_column_slice(row);
            let moved = &self.covariance * &row;
            let variance = row.dot(&moved);
            near.push((gap / variance.sqrt(), near.len(), &theta + moved * (gap / variance), row));
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let most = -likelihood.value(&likelihood.descend(theta, None));
        for (x, rival, level, row) in near.into_iter().take(rivals).filter(|(x, ..)| (NEAR..f64::INFINITY).contains(x))
        {
            let ratio = most + likelihood.value(&likelihood.descend(level, Some(&row)));
            let scale = (x / (2.0 * ratio.max(0.0)).sqrt()).clamp(1.0 / MOST, MOST);
            self.rows[rival * d..(rival + 1) * d].iter_mut().for_each(|b| *b *= scale);
        }
    }
}

/// Answers, vector by vector.
struct Likelihood {
    link: Link,
    vectors: DMatrix<f64>,
    n: Vec<f64>,
    /// The share won.
    shares: Vec<f64>,
}

impl Likelihood {
    fn new(features: &Features, link: Link, tally: &Tally) -> Self {
        let cells: Vec<_> = tally.iter().collect();
        let mut vectors = DMatrix::zeros(features.dim(), cells.len());
        for ((slot, _), mut column) in cells.iter().zip(vectors.column_iter_mut()) {
            features.write_vector(*slot, column.as_mut_slice());
        }
        let n = cells.iter().map(|(_, cell)| cell.n).collect();
        let shares = cells.iter().map(|(_, cell)| cell.sum / cell.n).collect();
        Self { link, vectors, n, shares }
    }

    /// μ within its edges, and by how much it was beyond them.
    fn mu(&self, score: f64) -> (f64, f64) {
        let mu = self.link.mu(score);
        let within = mu.clamp(EDGE, 1.0 - EDGE);
        (within, if self.link == Link::Linear { mu - within } else { 0.0 })
    }

    /// −ℓ(θ), and what p beyond the edges costs.
    fn value(&self, theta: &DVector<f64>) -> f64 {
        let scores = self.vectors.tr_mul(theta);
        let one = |((score, n), r): ((&f64, &f64), &f64)| {
            let (mu, beyond) = self.mu(*score);
            0.5 * (beyond / EDGE).powi(2) - n * (r * mu.ln() + (1.0 - r) * (-mu).ln_1p())
        };
        scores.iter().zip(&self.n).zip(&self.shares).map(one).sum()
    }

    /// The gradient of the value and its curvature, for the probit link the expectation of it.
    fn derivatives(&self, theta: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let scores = self.vectors.tr_mul(theta);
        let (mut gradient, mut scaled) = (DVector::zeros(theta.len()), self.vectors.clone());
        for (k, mut column) in scaled.column_iter_mut().enumerate() {
            let ((mu, beyond), slope) = (self.mu(scores[k]), self.link.mu_prime(scores[k]));
            let (n, r) = (self.n[k], self.shares[k]);
            let (pull, curved) = if beyond == 0.0 {
                let variance = mu * (1.0 - mu);
                let curved = match self.link {
                    Link::Linear => r / (mu * mu) + (1.0 - r) / ((1.0 - mu) * (1.0 - mu)),
                    _ => slope * slope / variance,
                };
                (n * (mu - r) * slope / variance, n * curved)
            } else {
                (beyond / (EDGE * EDGE), 1.0 / (EDGE * EDGE))
            };
            gradient.axpy(pull, &self.vectors.column(k), 1.0);
            column *= curved.sqrt();
        }
        (gradient, &scaled * scaled.transpose())
    }

    /// θ of the least value; with a row, among those with the same ⟨row, θ⟩ as the first.
    fn descend(&self, mut theta: DVector<f64>, row: Option<&DVector<f64>>) -> DVector<f64> {
        let mut value = self.value(&theta);
        for _ in 0..STEPS {
            let (gradient, curvature) = self.derivatives(&theta);
            let Some(solver) = curvature.cholesky() else { break };
            let mut step = -solver.solve(&gradient);
            if let Some(row) = row {
                let moved = solver.solve(row);
                step.axpy(-row.dot(&step) / row.dot(&moved), &moved, 1.0);
            }
            let lengths = std::iter::successors(Some(1.0), |length| Some(0.5 * length)).take(14);
            let tried = lengths.map(|length| &theta + &step * length).map(|next| (self.value(&next), next));
            let Some((next_value, next)) = tried.into_iter().find(|(next, _)| *next < value) else { break };
            let gained = value - next_value;
            (theta, value) = (next, next_value);
            if gained < ENOUGH {
                break;
            }
        }
        theta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Duel;

    /// Two items, one of which won a share of n answers.
    fn two(link: Link, n: f64, share: f64) -> Likelihood {
        let features = Features::one_hot(2).unwrap();
        let mut tally = Tally::new(&features);
        tally.add_weighted(&features, Duel(0, 1), 1.0, n * share);
        tally.add_weighted(&features, Duel(0, 1), 0.0, n * (1.0 - share));
        Likelihood::new(&features, link, &tally)
    }

    #[test]
    fn the_maximum_is_what_was_seen_and_a_level_pair_costs_the_divergence() {
        for link in [Link::Logistic, Link::Probit, Link::Linear] {
            for share in [0.3, 0.9, 0.99] {
                let likelihood = two(link, 100.0, share);
                let d = likelihood.vectors.nrows();
                let best = likelihood.descend(DVector::zeros(d), None);
                let mu = link.mu(likelihood.vectors.column(0).dot(&best));
                assert!((mu - share).abs() < 1e-3, "{link:?}: {mu} for {share}");
                let row = likelihood.vectors.column(0).into_owned();
                let level = likelihood.descend(DVector::zeros(d), Some(&row));
                let ratio = likelihood.value(&level) - likelihood.value(&best);
                let divergence = share * (2.0 * share).ln() + (1.0 - share) * (2.0 * (1.0 - share)).ln();
                assert!((ratio - 100.0 * divergence).abs() < 0.01, "{link:?} {share}: {ratio}");
            }
        }
    }
}
