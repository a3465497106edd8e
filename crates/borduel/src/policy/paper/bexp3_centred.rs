//! BEXP3 with r − ½ in place of r: as unbiased as [`bexp3`], with half the second moment.
//!
//! Since q(i) q(j) is symmetric and φ antisymmetric, Σ_ij q(i) q(j) φ(i,j) = 0, so that subtracting any constant from r
//! leaves the expectation of Q⁻¹ φ r as it is. Not in the paper; a variant of its own name, never silently swapped in.

use crate::Result;
use crate::policy::paper::bexp3;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

pub use crate::policy::paper::bexp3::State;

/// What can be set: as for [`bexp3`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config(pub bexp3::Config);

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        self.0.build_centred(problem, stream, 0.5)
    }
}
