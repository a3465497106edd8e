//! BETC-GLM-Match: [`betc_glm`](crate::policy::betc_glm) with the parameters of the paper's matching theorem.
//!
//! τ = C₄ λ₀⁻² (d + log(1/δ)) and ε = d^{1/6} T^{−1/3}, δ = 1/T. The paper deems λ₀ a constant and names no C₄; both
//! are 1 here unless set. No theorem covers that (λ₀ ≤ 1/d always); `lambda0 = "exact"` computes the eigenvalue, and
//! then τ may well exceed T, to which exploration is clamped.

use crate::Result;
use crate::policy::Resolved;
use crate::policy::paper::betc_glm::{DesignMode, FitMode, Schedule};
use crate::policy::shared::settings::{self, Lambda0, positive};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

pub use crate::policy::paper::betc_glm::State;

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Rounds of uniform exploration; by the theorem unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tau: Option<u64>,
    /// The precision ε of the designed exploration; by the theorem unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// Failure probability δ; 1/T unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// λ₀: a number or `"exact"`; 1 unless set.
    pub lambda0: Lambda0,
    /// The constant C₄; 1 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c4: Option<f64>,
    /// How the design is found.
    pub design: DesignMode,
    /// How close to optimal the design is; 0.01 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// How the likelihood's equation is solved.
    pub fit: FitMode,
    /// Questions after the exploration during which late answers are still waited for; as many as explored unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let horizon = settings::horizon(problem)?;
        let delta = settings::delta(self.delta, horizon)?;
        let lambda0 = self.lambda0.resolve(problem.features())?;
        let c4 = positive("c4", self.c4.unwrap_or(1.0))?;
        let (d, t) = (problem.dim() as f64, horizon as f64);
        let formula = c4 * (d + (1.0 / delta).ln()) / (lambda0 * lambda0);
        let schedule = Schedule {
            horizon,
            delta,
            tau: self.tau.map_or(formula, |tau| tau as f64),
            epsilon: self.epsilon.unwrap_or_else(|| d.powf(1.0 / 6.0) / t.cbrt()),
            design: self.design,
            tolerance: self.tolerance.unwrap_or(0.01),
            fit: self.fit,
            patience: self.patience,
            resolved: vec![Resolved::new("lambda0", lambda0), Resolved::new("c4", c4)],
        };
        schedule.build(problem, stream)
    }
}
