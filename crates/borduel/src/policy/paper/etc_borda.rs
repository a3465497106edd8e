//! ETC-Borda (Wu, Jin, Di, Lou, Farnoud, Gu, 2023, appendix): explore all items alike, then commit; knows no features.
//!
//! For t ≤ K·N: i_t = 1 + (t−1) mod K, j_t ~ Uniform{1, …, K}; afterwards (î, î) with î = argmax B̂(i), B̂(i) =
//! w_i/n_i. N = ⌈K^{−2/3} T^{2/3} log(K/δ)^{1/3}⌉ and δ = 1/T. The paper's listing updates only while t ≤ N, so that a
//! few answers an item decide; its text means t ≤ K·N. `update = "meant"` (the default) is the text, `"printed"` the
//! listing.

use crate::Result;
use crate::duel::{Duel, Outcome, Proposal};
use crate::policy::shared::commitment::{Commitment, Next};
use crate::policy::shared::counts::ArmCounts;
use crate::policy::shared::settings::{self, rounds};
use crate::policy::{FixedDuel, Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// Which answers an item's score is the mean of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Update {
    /// All K·N of the exploration.
    #[default]
    Meant,
    /// The first N, as in the paper's listing.
    Printed,
}

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Failure probability; 1/T unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// N, the number of questions per item; by the formula unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Which answers an item's score is the mean of.
    pub update: Update,
    /// Questions after the exploration during which late answers are still waited for; as many as explored unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let horizon = settings::horizon(problem)?;
        let delta = settings::delta(self.delta, horizon)?;
        let k = problem.items() as f64;
        let formula = (horizon as f64 / k).powf(2.0 / 3.0) * (k / delta).ln().cbrt();
        let samples = match self.samples {
            Some(0) => {
                return Err(crate::Error::setting("samples", 0, "must be at least 1 per item"));
            }
            Some(n) => n,
            None => formula.ceil() as u64,
        };
        let wanted = samples as f64 * k;
        let budget = rounds(wanted, horizon);
        let update = if self.update == Update::Printed { "printed" } else { "meant" };
        let resolved = vec![
            Resolved::new("delta", delta),
            Resolved::new("samples", samples),
            Resolved::new("update", update),
            Resolved::clamped("exploration", budget, wanted, horizon as f64),
        ];
        Ok(State {
            stream,
            commitment: Commitment::new(budget, self.patience),
            carried: 0,
            counted: if self.update == Update::Printed { samples } else { u64::MAX },
            next: 0,
            propensity: 1.0 / k,
            counts: ArmCounts::new(problem.items()),
            resolved,
        })
    }
}

/// The state: counts, and where the exploration is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    commitment: Commitment,
    /// Questions of earlier explorations, whose answers were taken over.
    carried: u64,
    /// Answers to questions up to this round count.
    counted: u64,
    /// The next item to be shown first.
    next: usize,
    propensity: f64,
    counts: ArmCounts,
    resolved: Vec<Resolved>,
}

impl Policy for State {
    #[inline(always)]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        match self.commitment.next() {
            Next::Explore { .. } => {
                let i = self.next;
                self.next = if i + 1 == problem.items() { 0 } else { i + 1 };
                let j = self.stream.below(problem.items());
                self.commitment.exploration(Duel(i, j), self.propensity)
            }
            Next::Again(duel) => self.commitment.exploration(duel, 1.0),
            Next::Favourite { refit } => {
                let best = refit.then(|| self.counts.best());
                self.commitment.favourite(best)
            }
        }
    }

    #[inline(always)]
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        if self.commitment.wants(proposal) {
            if proposal.round <= self.counted {
                self.counts.add(proposal.duel.0, outcome.reward());
            }
            if self.commitment.answered() {
                self.commitment.settle(Some(self.counts.best()));
            }
        }
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        if self.commitment.cancelled(proposal) {
            self.commitment.settle(Some(self.counts.best()));
        }
    }

    #[inline]
    fn fixed_until(&self) -> Option<FixedDuel> {
        self.commitment.fixed_until()
    }

    fn skip(&mut self, rounds: u64) {
        self.commitment.skip(rounds);
    }

    /// Takes over what an earlier, shorter exploration was answered, and leaves out as many questions as it asked.
    fn inherit(&mut self, _: &Problem, old: &Self) {
        self.counts.clone_from(&old.counts);
        self.next = old.next;
        self.carried = old.carried + old.commitment.explored();
        self.commitment.leave_out(self.carried);
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        self.counts.write_means(out);
    }

    fn settings(&self) -> Vec<Resolved> {
        self.resolved.clone()
    }
}
