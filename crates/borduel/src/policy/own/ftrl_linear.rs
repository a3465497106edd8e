//! FTRL for Borda regret with features and the linear link: [`ftrl_borda`](crate::policy::ftrl_borda) with the estimate
//! of BEXP3 under a fixed design.
//!
//! Assumes p_t(i,j) = ½ + ⟨φ(i,j), θ_t⟩ with any θ_t, as [`bexp3`](crate::policy::bexp3) does; under another link its
//! estimates are of the linear model that comes closest. It needs neither a horizon nor λ₀. A round explores by the
//! G-optimal design, V is the design's and not q's, and ζ ≤ d; rates and blocks: [`ftrl`]. Expected regret is O((d log
//! K)^{1/3} T^{2/3}) against any adversary who does not see the draws, and d log T log(KT)/Δ² where θ stays (derived
//! for this design, which is ours; the estimate θ̂ = V⁻¹φ(r − ½) is that of the paper's BEXP3, centred).
//!
//! `design = "scores"` explores by the design that makes ζ as small as it can be; on the paper's hard case it is the
//! G-optimal one. In contexts of every round ([`ftrl`]) both are designs over all contexts.

use crate::Result;
use crate::policy::own::ftrl;
pub use crate::policy::own::ftrl::State;
use crate::policy::own::ftrl::{Exploit, Regularizer};
use crate::policy::shared::exploration::Exploration;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// Which pairs are asked where something is to be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DesignFor {
    /// Those of the G-optimal design: every pair is estimated well.
    #[default]
    Pairs,
    /// Those of the design for scores: every difference of scores is, and ζ is as small as it can be.
    Scores,
}

/// What can be set: as for [`ftrl_borda`](crate::policy::ftrl_borda), and the design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// ρ, by which β moves; 0.1 unless set.
    pub rho: f64,
    /// What keeps the weights from following the leader at once.
    pub regularizer: Regularizer,
    /// Δ₀: how much of a score exploration costs at most; ½ unless set, which is always true.
    pub gap: f64,
    /// What is asked where nothing is to be learned.
    pub exploit: Exploit,
    /// Which pairs are asked where something is to be learned.
    pub design: DesignFor,
}

impl Default for Config {
    fn default() -> Self {
        let ftrl::Config { rho, regularizer, gap, exploit } = ftrl::Config::default();
        Self { rho, regularizer, gap, exploit, design: DesignFor::default() }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let Self { rho, regularizer, gap, exploit, design } = *self;
        let exploration = match design {
            DesignFor::Pairs => Exploration::of_features(problem)?,
            DesignFor::Scores => Exploration::for_scores(problem)?,
        };
        ftrl::Config { rho, regularizer, gap, exploit }.build(problem, stream, exploration)
    }
}
