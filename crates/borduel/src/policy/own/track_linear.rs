//! Follows the best item with features and the linear link: [`track_borda`](crate::policy::track_borda) with an optimal
//! design in place of uniform pairs.
//!
//! Assumes p_t(i,j) = ½ + ⟨φ(i,j), θ_t⟩ with any θ_t, as [`bexp3`](crate::policy::bexp3) does. Rules, and what of them
//! is ours and what is others': [`track`]; κ = 4ζ ≤ 4d.

use crate::Result;
use crate::policy::own::track;
pub use crate::policy::own::track::State;
use crate::policy::shared::exploration::Exploration;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config(pub track::Config);

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        Ok(self.0.build(problem, stream, Exploration::of_features(problem)?))
    }
}
