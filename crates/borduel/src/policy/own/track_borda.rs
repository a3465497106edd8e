//! Follows the best item without features: exploration that never ceases, and a test of every recent window. For
//! dynamic regret.
//!
//! Assumes nothing; takes a horizon where there is one. Rules, and what of them is ours and what is others': [`track`].
//! A round explores by a uniform ordered pair, so that κ = K − 1. Where nothing changes it is an ε-greedy policy with
//! regret of about 3Δ̄ K^{1/3} T^{2/3}, at or below `etc-borda`; for large T and clear gaps
//! [`ftrl_borda`](crate::policy::ftrl_borda) has less.

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
    #[expect(clippy::unnecessary_wraps, reason = "every policy is built the same way")]
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        Ok(self.0.build(problem, stream, Exploration::of_pairs(problem)))
    }
}
