//! FTRL for Borda regret with features and the linear link: [`ftrl_borda`](crate::policy::ftrl_borda) with the estimate
//! of BEXP3 under a fixed design.
//!
//! Assumes p_t(i,j) = ½ + ⟨φ(i,j), θ_t⟩ with any θ_t, as [`bexp3`](crate::policy::bexp3) does; under another link its
//! estimates are of the linear model that comes closest. It needs neither a horizon nor λ₀. A round explores by the
//! G-optimal design, V is the design's and not q's, and ζ ≤ d; rates and blocks: [`ftrl`]. Expected regret is O((d log
//! K)^{1/3} T^{2/3}) against any adversary who does not see the draws, and d log T log(KT)/Δ² where θ stays (derived
//! for this design, which is ours; the estimate θ̂ = V⁻¹φ(r − ½) is that of the paper's BEXP3, centred).

use crate::Result;
use crate::policy::own::ftrl;
pub use crate::policy::own::ftrl::State;
use crate::policy::shared::exploration::Exploration;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set: as for [`ftrl_borda`](crate::policy::ftrl_borda).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config(pub ftrl::Config);

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        self.0.build(problem, stream, Exploration::of_features(problem)?)
    }
}
