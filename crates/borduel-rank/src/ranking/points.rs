//! What a vote is expected to say: Davidson's model of wins, losses and ties, and Bradley and Terry's where there are
//! none.
//!
//! P(i wins) : P(tie) : P(j wins) = eᵘ : ν e^{u/2} : 1 with u = s_i − s_j (Davidson 1970, π = eˢ: P(tie) ∝ ν √(π_i
//! π_j)). With the points r ∈ {1, ½, 0} and t = 1 for a tie, the log-likelihood of a vote is r u + t η − A(u, η), η =
//! ln ν, A = ln(1 + e^{η+u/2} + eᵘ): an exponential family, concave, told by sums of points and of ties alone, and its
//! fit gives every item the points it had. (Rao and Kupper's model has neither property.) The derivatives of A are the
//! moments: E r, E t, Var r, Cov(r, t), Var t. ν = 0 is Bradley and Terry's model.

use crate::link::Link;

/// How points depend on the log-odds u of a win against a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Points {
    /// ν ≥ 0, the propensity to tie.
    pub(crate) nu: f64,
}

impl Points {
    /// e = e^{−|u|/2} and 1 + ν e + e², to which everything is in proportion.
    fn parts(self, u: f64) -> (f64, f64) {
        let e = (-0.5 * u.abs()).exp();
        (e, 1.0 + self.nu * e + e * e)
    }

    /// E r = P(win) + ½ P(tie): the chance to beat the other, a tie counted as half.
    pub(crate) fn mean(self, u: f64) -> f64 {
        if self.nu == 0.0 {
            return Link::Logistic.mu(u);
        }
        let (e, sum) = self.parts(u);
        (if u >= 0.0 { 1.0 } else { e * e } + 0.5 * self.nu * e) / sum
    }

    /// Var r, the derivative of the mean.
    pub(crate) fn slope(self, u: f64) -> f64 {
        if self.nu == 0.0 {
            return Link::Logistic.mu_prime(u);
        }
        let (e, sum) = self.parts(u);
        e * (e + 0.25 * self.nu * (1.0 + e * e)) / (sum * sum)
    }

    /// A(u), the integral of the mean.
    pub(crate) fn integral(self, u: f64) -> f64 {
        if self.nu == 0.0 {
            return Link::Logistic.m(u);
        }
        let e = (-0.5 * u.abs()).exp();
        u.max(0.0) + (self.nu * e + e * e).ln_1p()
    }

    /// E t, the chance of a tie.
    pub(crate) fn tie(self, u: f64) -> f64 {
        let (e, sum) = self.parts(u);
        self.nu * e / sum
    }

    /// Cov(r, t) = P(tie)(½ − E r), the derivative of the mean by ln ν.
    pub(crate) fn cross(self, u: f64) -> f64 {
        self.tie(u) * (0.5 - self.mean(u))
    }

    /// Var r, for coins as μ(1 − μ).
    pub(crate) fn variance(self, u: f64) -> f64 {
        if self.nu == 0.0 {
            let mu = self.mean(u);
            return mu * (1.0 - mu);
        }
        self.slope(u)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_the_derivatives_and_those_of_three_outcomes() {
        for nu in [1e-3, 0.4, 1.0, 2.0, 30.0] {
            let points = Points { nu };
            for u in [-40.0, -3.0, -0.5, 0.0, 1.0, 7.0, 900.0] {
                let (h, mean) = (1e-4, points.mean(u));
                let slope = (points.mean(u + h) - points.mean(u - h)) / (2.0 * h);
                assert!((points.slope(u) - slope).abs() < 1e-8, "{nu} {u}");
                let rise = (points.integral(u + h) - points.integral(u - h)) / (2.0 * h);
                assert!((mean - rise).abs() < 1e-7 && (mean + points.mean(-u) - 1.0).abs() < 1e-15);
                let by_log = |log: f64| Points { nu: nu * f64::exp(log) }.mean(u);
                assert!((points.cross(u) - (by_log(h) - by_log(-h)) / (2.0 * h)).abs() < 1e-8);
                let (win, tie) = (mean - 0.5 * points.tie(u), points.tie(u));
                assert!((points.slope(u) - (win + 0.25 * tie - mean * mean)).abs() < 1e-12);
                if u.abs() < 30.0 {
                    assert!((tie - nu * (win * (1.0 - win - tie)).sqrt()).abs() < 1e-9, "{nu} {u}");
                }
            }
        }
        // Without ties it is a coin's.
        let (coin, u) = (Points::default(), 0.7);
        let mu = Link::Logistic.mu(u);
        assert_eq!((coin.mean(u), coin.tie(u), coin.cross(u)), (mu, 0.0, 0.0));
    }
}
