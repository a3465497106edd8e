//! Winner Stays, strong (WS-S; Chen, Frazier, ICML 2017): [`winner_stays`] with exploitation in between. Assumes a
//! Condorcet winner.
//!
//! The ℓ-th exploration goes on until max C ≥ (K−1)ℓ; the leader then meets itself ⌊β^ℓ⌋ times, and these answers are
//! not learned from.
//!
//! *Where it differs.* The theory holds for any β > 1 and names none; 1.1 is ours (a later study takes 1.05, duelpy 2):
//! the larger, the more an early leader costs that is not the winner. What is answered late during an exploitation
//! moves C, but neither ends it nor changes its leader, and a bar that was passed meanwhile counts from the next answer
//! on. (duelpy 1.0.0 explores one *duel* in place of one exploration, and sits on a wrong item to the end in two of
//! three runs of 10⁴ rounds.)

use crate::policy::peers::winner_stays;
pub use crate::policy::peers::winner_stays::State;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
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
