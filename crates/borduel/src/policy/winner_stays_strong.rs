//! Winner Stays, strong: [`winner_stays`] with exploitation in between.

use super::winner_stays;
pub use super::winner_stays::State;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// β: the ℓ-th exploitation takes ⌊β^ℓ⌋ rounds. The theory holds for any β > 1.
    pub beta: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { beta: 1.1 }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        if !(self.beta > 1.0 && self.beta.is_finite()) {
            return Err(Error::setting("beta", self.beta, "must be a number above 1, such as 1.1"));
        }
        Ok(winner_stays::State::new(problem, stream, Some(self.beta)))
    }
}
