//! The paper's bounds on regret, with the constants of their proofs.
//!
//! The paper states its bounds up to constants, takes one round's regret to be at most 1 (it is at most 2), and carries
//! a factor 3 through the matching proof that nothing needs; these functions have the constants as they come out. The
//! upper bounds often exceed 2T, the largest regret there is: a bound is worth drawing only where it does not.

mod graves_lai;
mod least;
mod unstructured;

pub use graves_lai::graves_lai;
pub use unstructured::graves_lai_without_model;

use crate::Link;

/// The lower bound d^{2/3} T^{2/3} / (8√40): no algorithm has less on *every* hard instance with Δ = (dT)^{−1/3}/√40.
///
/// It is a minimax bound over that class (for T > 4d²): a single instance that is easier may well lie below it.
pub fn lower_bound(d: usize, horizon: u64) -> f64 {
    (d as f64 * horizon as f64).powf(2.0 / 3.0) / (8.0 * 40.0_f64.sqrt())
}

/// The gap Δ = (dT)^{−1/3}/√40 at which the lower bound is proved.
pub fn lower_bound_gap(d: usize, horizon: u64) -> f64 {
    (d as f64 * horizon as f64).powf(-1.0 / 3.0) / 40.0_f64.sqrt()
}

/// What an explore-then-commit bound depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explored {
    /// The rounds explored, τ + N.
    pub exploration: u64,
    /// ε of the designed exploration.
    pub epsilon: f64,
    /// δ, the failure probability.
    pub delta: f64,
    /// The number of rounds, T.
    pub horizon: u64,
    /// κ of the instance: see [`Link::kappa`].
    pub kappa: f64,
    /// The link from θᵀφ to a probability.
    pub link: Link,
}

impl Explored {
    /// "Fewer arms": 2(τ+N) + 12 L_μ ε T √log(3K²/δ) / κ, with probability 1 − 2δ.
    pub fn fewer_arms_bound(&self, items: usize) -> f64 {
        let k = items as f64;
        let width = (3.0 * k * k / self.delta).ln().sqrt();
        self.bound(12.0 * width)
    }

    /// "Matching": 2(τ+N) + 4 L_μ ε T √(½ d log(1 + 2(τ+N)/d) + log(1/δ)) / κ, with probability 1 − 2δ.
    pub fn matching_bound(&self, d: usize) -> f64 {
        let d = d as f64;
        let log = (1.0 + 2.0 * self.exploration as f64 / d).ln();
        self.bound(4.0 * (0.5 * d * log + (1.0 / self.delta).ln()).sqrt())
    }

    fn bound(&self, factor: f64) -> f64 {
        let commit = factor * self.link.lipschitz() * self.epsilon * self.horizon as f64 / self.kappa;
        2.0 * self.exploration as f64 + commit
    }
}

/// BEXP3: 2γT + 2 log K / η + 2ηdT/γ in expectation, for γ ≥ √(ηd/λ₀) with the exact λ₀ (see
/// [`crate::Features::lambda0`]).
pub fn bexp3_bound(items: usize, d: usize, horizon: u64, eta: f64, gamma: f64) -> f64 {
    let t = horizon as f64;
    2.0 * gamma * t + 2.0 * (items as f64).ln() / eta + 2.0 * eta * d as f64 * t / gamma
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_the_formulas() {
        // d = 6, T = 10⁶: (6·10⁶)^{2/3} = 33,019; over 8√40 = 50.596 that is 652.6.
        assert!((lower_bound(6, 1_000_000) - 652.6).abs() < 0.1);
        assert!((lower_bound_gap(6, 1_000_000) - 8.7e-4).abs() < 1e-5);
        let explored = Explored {
            exploration: 111_000,
            epsilon: 0.0112,
            delta: 1e-6,
            horizon: 1_000_000,
            kappa: 1.0,
            link: Link::Linear,
        };
        let expected = 222_000.0 + 12.0 * 11_200.0 * (3.0_f64 * 16_384.0 * 1e6).ln().sqrt();
        assert!((explored.fewer_arms_bound(128) - expected).abs() < 1e-6);
        let root = (3.5 * (1.0_f64 + 222_000.0 / 7.0).ln() + 1e6_f64.ln()).sqrt();
        assert!((explored.matching_bound(7) - (222_000.0 + 4.0 * 11_200.0 * root)).abs() < 1e-6);
        assert!((bexp3_bound(2, 3, 100, 0.1, 0.5) - (100.0 + 20.0 * 2.0_f64.ln() + 120.0)).abs() < 1e-9);
    }
}
