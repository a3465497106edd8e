//! Items whose own votes contradict the effect that all other items suggest for them.

use super::space::Space;
use nalgebra::DMatrix;

/// The weak prior precision of an effect.
const FREE: f64 = 0.5;
/// An effect is contradicted when its square is so many times what its variance and σ² allow.
pub(crate) const OUTLIER: f64 = 6.0;

/// An item's effect by its own votes, under a weak prior.
pub(crate) struct Own {
    effect: f64,
    variance: f64,
}

impl Own {
    pub(crate) fn new(effect: f64, variance: f64, prior: f64) -> Self {
        let left = 1.0 - (prior - FREE) * variance;
        Self { effect: effect / left, variance: variance / left }
    }

    /// The prior precision that the item's own votes suggest.
    pub(crate) fn precision(&self) -> f64 {
        (1.0 / (self.effect * self.effect + self.variance)).max(FREE)
    }
}

/// The prior precisions with which to fit the effects next: those of their own for the ones that their votes
/// contradict, this one for the others.
pub(crate) fn loosened(
    space: &Space<'_>,
    covariance: &DMatrix<f64>,
    (beta, sigma2): (&[f64], f64),
    present: &[f64],
    typical: f64,
) -> Vec<f64> {
    let one = |(c, prior): (usize, &f64)| {
        let own = Own::new(beta[c], covariance[(c, c)], *prior);
        let outlier = own.effect * own.effect > OUTLIER * (own.variance + sigma2);
        if space.frees && outlier { own.precision().min(typical) } else { typical }
    };
    (space.d..).zip(present).map(one).collect()
}
