//! The link μ between a score and a probability, its derivative, and its integral.

use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// An increasing function μ with μ(x) + μ(−x) = 1, so that p(i,j) = μ(⟨φ(i,j), θ⟩).
///
/// The paper's estimator solves Σ (μ(⟨φ,θ⟩) − r) φ = 0, which maximises Σ r⟨φ,θ⟩ − m(⟨φ,θ⟩) with m′ = μ. For the
/// logistic link that is the likelihood; for the linear link it is least squares; for the probit it is a
/// quasi-likelihood, consistent but not the maximum of the probit likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Link {
    /// μ(x) = 1/(1 + e⁻ˣ): Bradley and Terry's.
    #[default]
    Logistic,
    /// μ(x) = ½ + x, with no clamp: scores must stay within ±½.
    Linear,
    /// μ(x) = Φ(x), the normal distribution function: Thurstone's.
    Probit,
}

impl Link {
    /// The probability μ(x) that an advantage of x wins.
    #[inline]
    pub fn mu(self, x: f64) -> f64 {
        match self {
            Self::Logistic => 1.0 / (1.0 + (-x).exp()),
            Self::Linear => 0.5 + x,
            Self::Probit => 0.5 * libm::erfc(-x * FRAC_1_SQRT_2),
        }
    }

    /// The derivative μ′(x) of the link.
    #[inline]
    pub fn mu_prime(self, x: f64) -> f64 {
        match self {
            // e^{−|x|} cannot overflow, and the formula is even in x.
            Self::Logistic => {
                let e = (-x.abs()).exp();
                e / ((1.0 + e) * (1.0 + e))
            }
            Self::Linear => 1.0,
            Self::Probit => normal_density(x),
        }
    }

    /// The integral m(x) with m′ = μ: log(1 + eˣ), x/2 + x²/2, or xΦ(x) + φ(x).
    #[inline]
    pub fn m(self, x: f64) -> f64 {
        match self {
            Self::Logistic => x.max(0.0) + (-x.abs()).exp().ln_1p(),
            Self::Linear => 0.5 * x + 0.5 * x * x,
            // Evaluated at −|x|, where it is small and positive, and shifted: m(x) − m(−x) = x.
            Self::Probit => {
                let a = x.abs();
                let tail = normal_density(a) - a * 0.5 * libm::erfc(a * FRAC_1_SQRT_2);
                x.max(0.0) + tail.max(0.0)
            }
        }
    }

    /// L_μ: the largest μ′.
    pub fn lipschitz(self) -> f64 {
        self.mu_prime(0.0)
    }

    /// M_μ: the largest |μ″|. For the logistic link that is 1/(6√3) ≈ 0.096; the paper's ¼ is a cruder bound.
    pub fn curvature(self) -> f64 {
        match self {
            Self::Logistic => 1.0 / (6.0 * 3.0_f64.sqrt()),
            Self::Linear => 0.0,
            Self::Probit => normal_density(1.0),
        }
    }

    /// κ = inf { μ′(⟨x,θ⟩) : ‖x‖ ≤ 1, ‖θ − θ*‖ ≤ 1 } for a parameter of length ‖θ*‖ = `norm`.
    pub fn kappa(self, norm: f64) -> f64 {
        // μ′ falls with |x|, and |⟨x,θ⟩| reaches at most ‖θ*‖ + 1.
        self.mu_prime(norm + 1.0)
    }
}

/// The standard normal density.
fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: [Link; 3] = [Link::Logistic, Link::Linear, Link::Probit];

    #[test]
    fn mu_is_complementary_and_its_derivatives_agree_with_differences() {
        for link in LINKS {
            for step in -60..=60 {
                let x = f64::from(step) / 8.0;
                assert!((link.mu(x) + link.mu(-x) - 1.0).abs() < 1e-15);
                let h = 1e-5;
                let slope = (link.mu(x + h) - link.mu(x - h)) / (2.0 * h);
                assert!((slope - link.mu_prime(x)).abs() < 1e-9, "{link:?} μ′({x})");
                let slope = (link.m(x + h) - link.m(x - h)) / (2.0 * h);
                assert!((slope - link.mu(x)).abs() < 1e-9, "{link:?} m′({x})");
            }
        }
    }

    #[test]
    fn nothing_overflows_for_large_scores() {
        for link in LINKS {
            for x in [-1e3, -745.0, -40.0, 40.0, 745.0, 1e3] {
                for value in [link.mu(x), link.mu_prime(x), link.m(x)] {
                    assert!(value.is_finite(), "{link:?} at {x}");
                }
                assert!(link.mu_prime(x) >= 0.0);
            }
        }
        assert_eq!(Link::Logistic.mu(1e3), 1.0);
        assert_eq!(Link::Logistic.mu(-1e3), 0.0);
        assert_eq!(Link::Logistic.m(1e3), 1e3);
        assert_eq!(Link::Probit.m(-1e3), 0.0);
        // Far in the tail the relative precision is kept: log(1 + e^{-40}) = e^{-40} to 17 digits.
        assert!((Link::Logistic.m(-40.0) / (-40.0_f64).exp() - 1.0).abs() < 1e-15);
        // Φ(−10) to 15 digits.
        assert!((Link::Probit.mu(-10.0) / 7.619_853_024_160_527e-24 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn constants_are_the_suprema() {
        for link in LINKS {
            let grid = (-8000..=8000).map(|s| f64::from(s) / 1000.0);
            let steepest = grid.clone().map(|x| link.mu_prime(x)).fold(0.0, f64::max);
            assert!((steepest - link.lipschitz()).abs() < 1e-12);
            let h = 1e-4;
            let curved =
                grid.map(|x| ((link.mu_prime(x + h) - link.mu_prime(x - h)) / (2.0 * h)).abs()).fold(0.0, f64::max);
            assert!((curved - link.curvature()).abs() < 1e-6, "{link:?}: {curved}");
        }
        assert_eq!(Link::Logistic.lipschitz(), 0.25);
        assert!((Link::Logistic.kappa(1.0) - Link::Logistic.mu_prime(2.0)).abs() < 1e-18);
        assert_eq!(Link::Linear.kappa(5.0), 1.0);
    }
}
