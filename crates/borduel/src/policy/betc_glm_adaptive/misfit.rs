//! Whether the model fits: its probabilities against the answers, vector by vector and item by item.
//!
//! Two sums of squares, each Σ (observed − expected)²/variance: over distinct vectors, of all answers; and over items, of the
//! audits, in which both items are uniform, so that an item's share of wins estimates its Borda score without any model. An
//! exact binomial count has the mean 1 and the variance 2 + (1 − 6pq)/(npq) for its term; a scaled χ² law with the same two
//! moments and Wilson and Hilferty's cube root turn the sum into a standard normal number.

use super::belief::{Belief, variance};
use crate::policy::counts::Counts;
use crate::problem::Problem;
use crate::tally::Tally;

/// A model is dropped beyond this many standard deviations: one in three million looks if it fits.
const LIMIT: f64 = 5.0;

/// Whether the answers contradict the model.
pub(super) fn misfits(problem: &Problem, belief: &Belief, tally: &Tally, counts: &Counts) -> bool {
    by_vector(problem, belief, tally) > LIMIT || by_item(belief, counts) > LIMIT
}

/// Pairs that share a vector must share a probability that the model can express.
fn by_vector(problem: &Problem, belief: &Belief, tally: &Tally) -> f64 {
    let (features, link) = (problem.features(), problem.link());
    let mut sum = Squares::default();
    for (slot, cell) in tally.iter().filter(|(_, cell)| cell.n >= 2.0) {
        let score = features.vector_dot(slot, &belief.theta);
        sum.add(cell.n, cell.sum - cell.n * link.mu(score), variance(link, score));
    }
    // A vector without features is even by antisymmetry.
    let even = tally.cell(features.distinct());
    if even.n >= 2.0 {
        sum.add(even.n, even.sum - 0.5 * even.n, 0.25);
    }
    sum.z(problem.dim() as f64)
}

/// Every item's share of wins in the audits must be its Borda score.
fn by_item(belief: &Belief, counts: &Counts) -> f64 {
    let mut sum = Squares::default();
    for (arm, score) in belief.scores.iter().enumerate() {
        let count = counts.get(arm);
        if count.n >= 2.0 {
            let score = score.clamp(0.02, 0.98);
            sum.add(count.n, count.wins - count.n * score, score * (1.0 - score));
        }
    }
    sum.z(0.0)
}

#[derive(Default)]
struct Squares {
    terms: f64,
    sum: f64,
    variance: f64,
}

impl Squares {
    /// A count of n answers off by `residual`, each of variance pq.
    fn add(&mut self, n: f64, residual: f64, pq: f64) {
        self.terms += 1.0;
        self.sum += residual * residual / (n * pq);
        self.variance += 2.0 + (1.0 - 6.0 * pq) / (n * pq);
    }

    /// How far the sum is above its mean, in standard deviations; the fit of `fitted` parameters takes up that many terms.
    fn z(&self, fitted: f64) -> f64 {
        let mean = self.terms - fitted;
        if mean < 1.0 {
            return 0.0;
        }
        let spread = self.variance * mean / self.terms;
        let freedom = 2.0 * mean * mean / spread;
        let scale = 2.0 / (9.0 * freedom);
        ((self.sum / mean).cbrt() - (1.0 - scale)) / scale.sqrt()
    }
}
