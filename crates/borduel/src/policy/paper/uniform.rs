//! Uniform: two random items, every round; the price of never deciding.
//!
//! i, j ~ Uniform{1, …, K} independently; B̂(i) is the share of rewards of item i when shown first.

use crate::Result;
use crate::duel::{Duel, Outcome, Proposal};
use crate::policy::shared::counts::ArmCounts;
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// Settings of the policy: there are none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {}

impl Config {
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "every policy is built the same way")]
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let k = problem.items() as f64;
        Ok(State { stream, round: 0, propensity: 1.0 / (k * k), counts: ArmCounts::new(problem.items()) })
    }
}

/// The state: counts only.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    propensity: f64,
    counts: ArmCounts,
}

impl Policy for State {
    #[inline(always)]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let (i, j) = self.stream.pair_below(problem.items());
        Proposal::new(self.round, Duel(i, j), self.propensity)
    }

    #[inline(always)]
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        self.counts.add(proposal.duel.0, outcome.reward());
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        self.counts.write_means(out);
    }

    fn settings(&self) -> Vec<Resolved> {
        Vec::new()
    }
}
