//! Settings: the values a policy uses, where they come from, and how they are checked.

use crate::context_family::ContextFamily;
use crate::features::Features;
use crate::problem::Problem;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// A setting as it is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resolved {
    /// Its name, as in the configuration.
    pub name: String,
    /// The value in use.
    pub value: Setting,
    /// What the formula gave, where the value had to be clamped.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clamped_from: Option<f64>,
}

/// A number or a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A whole number, such as of rounds.
    Count(u64),
    /// A real number, such as a probability.
    Number(f64),
    /// A word, such as the name of a rule.
    Word(String),
}

impl From<u64> for Setting {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl From<f64> for Setting {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Setting {
    fn from(value: &str) -> Self {
        Self::Word(value.to_owned())
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(n) => n.fmt(f),
            Self::Number(x) => x.fmt(f),
            Self::Word(w) => w.fmt(f),
        }
    }
}

impl Resolved {
    /// A setting used as it is.
    pub(crate) fn new(name: &str, value: impl Into<Setting>) -> Self {
        Self { name: name.to_owned(), value: value.into(), clamped_from: None }
    }

    /// A setting whose value is the smaller of a formula's and a limit.
    pub(crate) fn clamped(name: &str, value: impl Into<Setting>, formula: f64, limit: f64) -> Self {
        Self { clamped_from: (formula > limit).then_some(formula), ..Self::new(name, value) }
    }
}

/// λ₀ in the paper's formulas: a number (1 unless set; no theorem covers that, since λ₀ ≤ 1/d), or the true smallest
/// eigenvalue.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Lambda0 {
    /// This value, whatever the features are.
    Value(f64),
    /// The smallest eigenvalue of (1/K²) Σ φφᵀ on the span.
    Computed(Exact),
}

/// The word `exact`, in place of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exact {
    /// Computed from the features.
    Exact,
}

impl Default for Lambda0 {
    fn default() -> Self {
        Self::Value(1.0)
    }
}

impl Lambda0 {
    /// Computed from the features.
    pub const EXACT: Self = Self::Computed(Exact::Exact);

    pub(crate) fn resolve(self, features: &Features) -> Result<f64> {
        match self {
            Self::Computed(Exact::Exact) => Ok(features.lambda0()),
            Self::Value(x) => positive("lambda0", x),
        }
    }
}

/// How wide an interval is: a number, or what a theorem asks for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Width {
    /// This value, whatever the theorem says.
    Value(f64),
    /// The value of the theorem.
    Computed(Theory),
}

/// The word `theory`, in place of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theory {
    /// Computed from T, d and the link.
    Theory,
}

impl Width {
    /// The value of the theorem, by its word.
    pub const THEORY: Self = Self::Computed(Theory::Theory);
}

/// The horizon, which a policy that plans ahead must know.
pub(crate) fn horizon(problem: &Problem) -> Result<u64> {
    problem
        .horizon()
        .ok_or_else(|| Error::setting("horizon", "none", "this policy plans ahead: give the problem a horizon"))
}

/// Features, without which a policy that learns through them has nothing to learn.
pub(crate) fn features(problem: &Problem) -> Result<&Features> {
    if problem.dim() == 0 {
        return Err(Error::setting("features", "none", "this policy learns through features: give the items some"));
    }
    Ok(problem.features())
}

/// All contexts that may come up, where there are several and they are known. One alone is like none.
#[inline]
pub(crate) fn several(problem: &Problem) -> Option<&ContextFamily> {
    problem.family().filter(|family| family.len() > 1)
}

/// Positive numbers that can be squared, and divided by, without leaving what a `f64` holds: a state with an infinite
/// number in it could not be opened again.
const USABLE: RangeInclusive<f64> = 1e-30..=1e30;

/// A positive number.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if USABLE.contains(&value) {
        Ok(value)
    } else {
        Err(Error::setting(name, value, "must be a positive number from 1e-30 to 1e30"))
    }
}

/// A number that is not negative.
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<f64> {
    if value == 0.0 || USABLE.contains(&value) {
        Ok(value)
    } else {
        Err(Error::setting(name, value, "must be 0 or a positive number from 1e-30 to 1e30"))
    }
}

/// A number of (0, 1].
pub(crate) fn share(name: &'static str, value: f64) -> Result<f64> {
    if value <= 1.0 && USABLE.contains(&value) {
        Ok(value)
    } else {
        Err(Error::setting(name, value, "must lie in (0, 1], and not below 1e-30"))
    }
}

/// The failure probability δ: as set, or 1/T.
pub(crate) fn delta(set: Option<f64>, horizon: u64) -> Result<f64> {
    match set {
        None => Ok(1.0 / horizon as f64),
        Some(x) => share("delta", x),
    }
}

/// A formula's number of rounds, rounded up and kept within the horizon.
pub(crate) fn rounds(formula: f64, horizon: u64) -> u64 {
    // `as` saturates, so that a formula beyond 2⁶⁴ is the horizon too.
    (formula.ceil() as u64).min(horizon)
}
