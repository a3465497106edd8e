//! What a verdict over contexts is about: these contexts, or such contexts.

use serde::{Deserialize, Serialize};

/// Which question a verdict answers where items were compared in contexts, such as prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// Which item is best on these contexts, each of which counts alike: B(i) = 1/G Σ_c B(i | c).
    These,
    /// Which item is best on contexts like these, of which these are a sample.
    Such,
}

impl About {
    /// From so many contexts on a verdict speaks about contexts like them, if nobody says otherwise: with fewer the
    /// scatter between contexts is hardly known, and Student's quantile of 95 % is beyond 2.45 standard errors.
    pub const FEWEST_FOR_SUCH: usize = 8;

    /// The question that so many contexts can answer: such contexts where there are enough, else these.
    pub fn by_number(contexts: usize) -> Self {
        if contexts < Self::FEWEST_FOR_SUCH { Self::These } else { Self::Such }
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::These => "these",
            Self::Such => "such",
        }
    }
}
