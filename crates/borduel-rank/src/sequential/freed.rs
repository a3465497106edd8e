//! No claim about two items rests on an effect of either that is shrunk by what the other items are like.
//!
//! Beside features, items' effects are shrunk by one estimated variance σ². That is right of most items and wrong of
//! one that the features mistake: its effect is held down by all the others', its lead is not centred at the truth, and
//! nobody asks about it. So
//! * in whatever is said of items i and j, their own effects e have variances of their own, estimated by one step of EM
//!   from a weak prior: ê² + Var e, as σ² is, over one item instead of all. Without votes that is the weak prior; votes
//!   that bear the features out let it fall in proportion to what they know, so that at most half of an effect, and
//!   never more than about half a standard error, is shrunk;
//! * an effect that its own votes contradict ([`OUTLIER`](super::outliers::OUTLIER)) has that prior in the fit too,
//!   since one step from far away does not get there.
//!
//! The effects of all others, to which i and j are compared, stay as they are. Taking precisions a off the prior of the
//! coordinates U is a change of rank two. With D = diag(a), S = UᵀMU, W = (I − DS)⁻¹D and t = UᵀMg it adds MUWUᵀM to M,
//! hence tᵀWt to the variance of the direction g, and moves β by MUWUᵀβ (one Newton step), hence the score by tᵀWUᵀβ.

use super::model::Fit;
use super::outliers::Own;
use super::space::Space;
use crate::duel::Arm;
use nalgebra::{DMatrix, Matrix2, Vector2};

/// What freeing items does to the scores of a fit.
pub(crate) struct Freed {
    /// a of every item.
    pub(super) excess: Vec<f64>,
    /// Uᵀβ of every item.
    effects: Vec<f64>,
    /// UᵀMU of all items together, and UᵀMg of every item's effect (row) and score (column).
    covariance: DMatrix<f64>,
    loads: DMatrix<f64>,
}

impl Freed {
    /// `directions` is M times the gradient of every item's score. Nothing where no effect is to be freed.
    pub(crate) fn new(space: &Space<'_>, fit: &Fit, directions: &DMatrix<f64>) -> Option<Self> {
        let (d, k) = (space.d, space.k);
        let excess = |c: usize| {
            let prior = fit.precisions[c - d];
            let own = Own::new(fit.start.beta[c], fit.covariance[(c, c)], prior);
            (prior - own.precision()).max(0.0)
        };
        space.frees.then(|| Self {
            excess: (d..d + k).map(excess).collect(),
            effects: fit.start.beta[d..].to_vec(),
            covariance: fit.covariance.view((d, d), (k, k)).into_owned(),
            loads: directions.rows(d, k).into_owned(),
        })
    }

    /// By how much the score of an item and its variance grow when its own effect is freed.
    pub(crate) fn alone(&self, i: Arm) -> (f64, f64) {
        let (a, load) = (self.excess[i], self.loads[(i, i)]);
        let weight = a / (1.0 - a * self.covariance[(i, i)]);
        (load * weight * self.effects[i], load * weight * load)
    }

    /// By how much a lead of i over j and its variance grow when both are freed; `factors` are those of their standard
    /// errors.
    pub(crate) fn difference(&self, i: Arm, j: Arm, factors: [f64; 2]) -> (f64, f64) {
        let of = |item: Arm| Vector2::new(self.loads[(i, item)], self.loads[(j, item)]);
        let weight = self.coordinates(i, j).weight;
        let wide = of(i) * factors[0] - of(j) * factors[1];
        let effects = Vector2::new(self.effects[i], self.effects[j]);
        ((of(i) - of(j)).dot(&(weight * effects)), wide.dot(&(weight * wide)))
    }

    /// Those of two items.
    pub(crate) fn coordinates(&self, i: Arm, j: Arm) -> Coordinates {
        let m = &self.covariance;
        Coordinates::new(
            Vector2::new(self.excess[i], self.excess[j]),
            Matrix2::new(m[(i, i)], m[(i, j)], m[(j, i)], m[(j, j)]),
        )
    }
}

/// The effects that a claim frees.
pub(crate) struct Coordinates {
    excess: Vector2<f64>,
    /// S and W.
    s: Matrix2<f64>,
    weight: Matrix2<f64>,
}

impl Coordinates {
    fn new(excess: Vector2<f64>, s: Matrix2<f64>) -> Self {
        // S is below σ² < 1/a, which is why there is an inverse.
        let a = Matrix2::from_diagonal(&excess);
        let weight = (Matrix2::identity() - a * s).try_inverse().unwrap_or_else(Matrix2::zeros) * a;
        Self { excess, s, weight }
    }

    /// W.
    pub(crate) fn weight(&self) -> &Matrix2<f64> {
        &self.weight
    }

    /// What is left of them when M falls by `shrink` zzᵀ at these coordinates.
    pub(crate) fn after(&self, shrink: f64, z: &Vector2<f64>) -> Self {
        Self::new(self.excess, self.s - shrink * z * z.transpose())
    }
}
