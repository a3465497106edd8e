//! What knowing everything would gain, now: the expected value of perfect information (EVPI; Raiffa and Schlaifer
//! 1961).

use super::State;
use super::value::{Doubt, Gain};

/// Draws of an expected maximum.
pub(super) const DRAWS: u32 = 32;
/// A plan is made for as many questions as there are answers, and for at least this many.
pub(super) const AHEAD: f64 = 16.0;

/// What is known and what asking would teach, whichever estimate it rests on.
pub(super) struct PerfectInformation {
    /// E[max X⁺]: what knowing everything would gain per round and item.
    pub(super) gain: f64,
    /// The number of standard deviations by which rivals trail.
    pub(super) depth: f64,
}

impl PerfectInformation {
    pub(super) fn new(state: &mut State, all: &impl Doubt) -> Self {
        let doubt = Gain::new(all);
        let gain = doubt.estimate(all, DRAWS, &mut state.stream);
        Self { gain, depth: doubt.depth(all, gain) }
    }
}
