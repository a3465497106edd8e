//! Whether the model fits: its probabilities against the answers, vector by vector and item by item.
//!
//! Two sums of squares, each Σ (observed − expected)²/variance: over distinct vectors, of all answers; and over items,
//! of the audits, in which both items are uniform, so that an item's share of wins estimates its Borda score without
//! any model. An exact binomial count has the mean 1 and the variance 2 + (1 − 6pq)/(npq) for its term; a scaled χ² law
//! with the same two moments and Wilson and Hilferty's cube root turn the sum into a standard normal number.

use super::belief::{Belief, information, variance};
use crate::Tally;
use crate::policy::shared::counts::ArmCounts;
use crate::problem::Problem;
use nalgebra::DVector;

/// A model is dropped beyond this many standard deviations: one in three million looks if it fits.
const LIMIT: f64 = 5.0;
/// Counts whose variance npq is below this are left out.
const FEWEST: f64 = 1.0;

/// Whether the answers contradict the model.
pub(super) fn misfits(problem: &Problem, belief: &Belief, tally: &Tally, counts: &ArmCounts) -> bool {
    by_vector(problem, belief, tally) > LIMIT || by_item(belief, counts) > LIMIT
}

/// Pairs that share a vector must share a probability that the model can express. The fit takes up a part of every
/// term, its leverage n h vᵀ Σ v.
fn by_vector(problem: &Problem, belief: &Belief, tally: &Tally) -> f64 {
    let (features, link) = (problem.features(), problem.link());
    let mut sum = Squares::default();
    let mut v = DVector::zeros(problem.dim());
    for (slot, cell) in tally.iter() {
        let score = features.vector_dot(slot, &belief.theta);
        let pq = variance(link, score);
        if cell.n * pq >= FEWEST {
            features.write_vector(slot, v.as_mut_slice());
            let leverage = cell.n * information(link, score) * v.dot(&(&belief.covariance * &v));
            sum.add(cell.n, cell.sum - cell.n * link.mu(score), pq, 1.0 - leverage);
        }
    }
    // A pair without features is even by antisymmetry.
    let even = tally.cell(features.distinct());
    sum.add(even.n, even.sum - 0.5 * even.n, 0.25, 1.0);
    sum.z()
}

/// Every item's share of wins in the audits must be its Borda score.
fn by_item(belief: &Belief, counts: &ArmCounts) -> f64 {
    let mut sum = Squares::default();
    for (arm, score) in belief.scores.iter().enumerate() {
        let count = counts.get(arm);
        let score = score.clamp(0.02, 0.98);
        sum.add(count.n, count.wins - count.n * score, score * (1.0 - score), 1.0);
    }
    sum.z()
}

/// A sum of squares with its mean and variance under the model.
#[derive(Default)]
struct Squares {
    sum: f64,
    mean: f64,
    variance: f64,
}

impl Squares {
    /// A count of n answers off by `residual`, each of variance pq, whose term has this mean. A count of few answers,
    /// or of answers nearly certain, is far from normal and left out.
    fn add(&mut self, n: f64, residual: f64, pq: f64, mean: f64) {
        if n * pq >= FEWEST {
            self.sum += residual * residual / (n * pq);
            self.mean += mean.clamp(0.0, 1.0);
            self.variance += (2.0 + (1.0 - 6.0 * pq) / (n * pq)) * mean.clamp(0.0, 1.0);
        }
    }

    /// How far the sum is above its mean, in standard deviations; 0 when the fit takes up all there is.
    fn z(&self) -> f64 {
        if self.mean < 0.5 {
            return 0.0;
        }
        let freedom = 2.0 * self.mean * self.mean / self.variance;
        let scale = 2.0 / (9.0 * freedom);
        ((self.sum / self.mean).cbrt() - (1.0 - scale)) / scale.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn counts_that_follow_the_model_are_rarely_refused_and_others_always() {
        let mut s = stream(7, &[]);
        let mut worst: f64 = 0.0;
        for _ in 0..2000 {
            let (mut fair, mut off) = (Squares::default(), Squares::default());
            for cell in 0..40 {
                let (n, p) = (4 + 3 * cell, 0.1 + 0.02 * f64::from(cell));
                let wins = f64::from((0..n).filter(|_| s.uniform() < p).count() as u32);
                let n = f64::from(n);
                fair.add(n, wins - n * p, p * (1.0 - p), 1.0);
                let wrong = if cell % 2 == 0 { p + 0.25 } else { p - 0.08 };
                off.add(n, wins - n * wrong, wrong * (1.0 - wrong), 1.0);
            }
            worst = worst.max(fair.z());
            assert!(off.z() > LIMIT);
        }
        // The largest of 2000 normal numbers is about 3.4.
        assert!(worst < 4.5, "{worst}");
    }
}
