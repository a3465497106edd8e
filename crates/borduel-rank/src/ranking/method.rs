//! How a ranking was made, as data: what the scores come from, and how the intervals were made.

use serde::{Deserialize, Serialize};

/// What the scores come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Basis {
    /// The kind of model behind the scores.
    pub model: ModelKind,
    /// Whether some votes are unanimous in a way that has no finite best fit, so that a pseudo-vote per parameter was
    /// added, half won and half lost.
    pub separable: bool,
}

/// The kinds of model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ModelKind {
    /// A logistic model of the items' features.
    Features {
        /// Their dimension, which is their rank.
        dim: usize,
    },
    /// One parameter per item: Bradley and Terry's.
    OneHot,
    /// Observed shares, averaged over opponents.
    Counts,
}

/// How the intervals of scores were made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Method {
    /// The confidence of the intervals.
    pub level: f64,
    /// The rule by which the intervals were made.
    pub rule: IntervalRule,
    /// How many voters' habits they allow for; `None` where votes are taken as independent.
    pub clusters: Option<f64>,
    /// The degrees of freedom of their errors, where voters' habits are allowed for: the fewer, the more unevenly they
    /// vote.
    #[serde(default)]
    pub df: Option<f64>,
    /// By how many other things votes hang together too, where they do so in two ways.
    pub crossed: Option<f64>,
    /// Whether some were widened by the model's own variance, because votes that agree exactly are not certain.
    pub floored: bool,
    /// Kish's effective number of votes, where votes have weights.
    pub effective: Option<f64>,
}

/// By which rule intervals were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum IntervalRule {
    /// The delta method: derivatives of the scores times the covariance of the strengths.
    Delta,
    /// The delta method with standard errors from draws, where items are too many to compute them.
    Sampled {
        /// The number of draws.
        draws: usize,
    },
    /// Exact intervals of the shares, after Clopper and Pearson.
    Exact,
    /// The wider of exact intervals and those by the delta method.
    WiderOfBoth,
    /// Percentiles of a bootstrap over voters, or over votes where voters are not known.
    Bootstrap {
        /// How many samples were drawn.
        replications: usize,
        /// How many of them had no finite best fit.
        separable: usize,
    },
    /// Intervals that hold at all times together, however often one looks.
    Anytime,
}
