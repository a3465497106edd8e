//! A pair that was voted on.

use crate::duel::Arm;

/// A pair that was voted on, as the fit sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Asked {
    pub(crate) i: Arm,
    pub(crate) j: Arm,
    /// The votes, divided by the dispersion.
    pub(crate) n: f64,
    /// The sum of their weights.
    pub(crate) weight: f64,
    /// The share of i.
    pub(crate) share: f64,
    /// μ, what β says of it.
    pub(crate) mu: f64,
    /// p, what β and its own votes say of it together, and h = p(1−p).
    pub(crate) p: f64,
    pub(crate) h: f64,
    /// How many votes stand behind its word.
    pub(crate) backing: f64,
}
