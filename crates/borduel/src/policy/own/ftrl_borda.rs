//! FTRL for Borda regret without features: weights and exploration that adapt. Safe against any adversary, and cheap
//! where nothing changes.
//!
//! Assumes nothing and needs no horizon. A round explores by a uniform ordered pair, so that ζ = (K−1)/4 and u =
//! (K−1)/2; rates, blocks, and what of them is ours and what is others': [`ftrl`]. Expected regret is O((K log K)^{1/3}
//! T^{2/3}) against any adversary who does not see the draws, K log T log(KT)/Δ² where the best item stays and leads by
//! Δ, and in between with turned answers (derived for this design; ρ = 0.1 in place of 1 raises the constant of the
//! first by at most 2.2). That is the mean: a single run may stay with a near-best item for most of T.

use crate::Result;
use crate::policy::own::ftrl;
pub use crate::policy::own::ftrl::State;
use crate::policy::shared::exploration::Exploration;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config(pub ftrl::Config);

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        self.0.build(problem, stream, Exploration::of_pairs(problem))
    }
}
