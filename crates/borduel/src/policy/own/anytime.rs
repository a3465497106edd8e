//! Any policy without a horizon: by its own means where it has some, else started again for twice as long when its time
//! is up.
//!
//! `betc-glm-adaptive`, `bexp3` and `bexp3-centred` know how to do without a horizon; `ucb-borda` and `uniform` never
//! need one. The others, and with `method = "doubling"` those as well, are doubled: the first run of the base policy is
//! for `first` rounds (1,000 unless set), the next for twice as many, and so on, so that in round t the present run is
//! for L rounds with t/2 ≤ L ≤ t (from the second run on). The explore-then-commit policies (`betc-glm`,
//! `betc-glm-match`, `betc-glm-adaptive`, `etc-borda`) take all answers over and ask only what a longer exploration
//! asks more: by round t they have explored no more than with the horizon t, and commit with the precision of L. The
//! others start afresh: where regret is c T^{2/3}, all runs together cost at most c L^{2/3}/(1 − 2^{−2/3}) ≈ 2.7 c
//! L^{2/3}, which at the end of a run, t ≈ 2L, is 1.7 times that of a policy that knew t, and at its beginning at
//! most 2.7 times. An answer that arrives after the run in which it was asked for is not learned from. A horizon of the
//! problem is ignored.

use crate::duel::{Arm, Outcome, Proposal};
use crate::policy::{AnyPolicy, FixedDuel, Policy, PolicyConfig, Resolved, paper::betc_glm};
use crate::problem::Problem;
use crate::stream::{Stream, stream};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The policy that plans ahead; `betc-glm-match` unless set.
    pub base: Box<PolicyConfig>,
    /// How it is done; unless set, by the policy's own means where it has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// The rounds of its first run, when doubling.
    pub first: u64,
}

/// How a policy does without a horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// By its own means.
    Own,
    /// Started again for twice as long.
    Doubling,
}

impl Default for Config {
    fn default() -> Self {
        Self { base: Box::new(PolicyConfig::BetcGlmMatch(betc_glm::MatchConfig::default())), method: None, first: 1000 }
    }
}

impl Config {
    /// This policy without a horizon.
    pub fn of(base: PolicyConfig) -> Self {
        Self { base: Box::new(base), ..Self::default() }
    }

    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        if self.first == 0 {
            return Err(Error::setting("first", 0, "must be at least 1 round"));
        }
        if matches!(*self.base, PolicyConfig::Anytime(_)) {
            return Err(Error::setting("base", "anytime", "must be a policy that plans ahead, such as betc-glm-match"));
        }
        let own = || self.base.build(&problem.endless(), stream.clone());
        let own = match self.method {
            Some(Method::Own) => Some(own()?),
            Some(Method::Doubling) => None,
            None => own().ok(),
        };
        // A run without an end is never started again.
        let (base, length) = match own {
            Some(base) => (base, u64::MAX),
            None => (self.base.build(&problem.with_horizon(self.first)?, stream.clone())?, self.first),
        };
        let base = Box::new(base);
        Ok(State { stream, config: self.clone(), base, round: 0, start: 0, length })
    }
}

/// The state: the base policy, and when its time is up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    config: Config,
    base: Box<AnyPolicy>,
    round: u64,
    /// The rounds before the present run.
    start: u64,
    /// The rounds of the present run.
    length: u64,
}

impl State {
    /// The first run, with a stream of its own; or the next one.
    #[cold]
    fn restart(&mut self, problem: &Problem) {
        let fresh = stream(self.stream.bits(), &[]);
        if self.round > 0 {
            self.start = self.round;
            self.length = self.length.saturating_mul(2);
            let longer = problem.with_horizon(self.length).and_then(|longer| self.config.base.build(&longer, fresh));
            // What could be built for a shorter run can be built for a longer one; if not, the present policy goes on.
            if let Ok(mut next) = longer {
                next.inherit(problem, &self.base);
                *self.base = next;
            }
        } else {
            *self.base = (*self.base).clone().with_stream(fresh);
        }
    }

    /// The proposal as the base policy made it, unless an earlier run did.
    fn own(&self, proposal: &Proposal) -> Option<Proposal> {
        let round = proposal.round.checked_sub(self.start).filter(|round| *round > 0)?;
        Some(Proposal { round, ..proposal.clone() })
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        if self.round == 0 || self.round - self.start == self.length {
            self.restart(problem);
        }
        self.round += 1;
        Proposal { round: self.round, ..self.base.ask(problem) }
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        if let Some(own) = self.own(proposal) {
            self.base.tell(problem, &own, outcome);
        }
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        if let Some(own) = self.own(proposal) {
            self.base.cancel(problem, &own);
        }
    }

    fn fixed_until(&self) -> Option<FixedDuel> {
        // Before the first question there is a stream to be drawn, and at the end of a run the next one begins.
        let rest = self.base.fixed_until().filter(|_| self.round > 0)?;
        if self.length == u64::MAX {
            return Some(rest);
        }
        let rounds = rest.rounds.min(self.length - (self.round - self.start));
        (rounds > 0).then_some(FixedDuel { rounds, ..rest })
    }

    fn skip(&mut self, rounds: u64) {
        self.round += rounds;
        self.base.skip(rounds);
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
        if self.round > 0 {
            // Before that, the first question does so.
            self.base.reseed(crate::stream::stream(self.stream.bits(), &[]));
        }
    }

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        self.base.scores(problem, out);
    }

    fn scores_over_others(&self, problem: &Problem) -> Vec<f64> {
        self.base.scores_over_others(problem)
    }

    fn estimate(&self, problem: &Problem) -> Arm {
        self.base.estimate(problem)
    }

    fn settings(&self) -> Vec<Resolved> {
        let run = if self.length == u64::MAX { "endless".into() } else { crate::policy::Setting::from(self.length) };
        let own = [Resolved::new("base", self.config.base.name()), Resolved::new("run", run)];
        own.into_iter().chain(self.base.settings()).collect()
    }
}
