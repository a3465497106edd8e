//! BETC-GLM made adaptive: the paper's frame (design, likelihood, commit), exploring only what is still in doubt.
//!
//! Answers are looked at whenever there are 10 % more of them. A look
//! 1. fits θ̂ with its normal approximation, and so the leader and the law of every rival's B(i) − B(leader)
//!    (`belief`), which for the nearest rivals is scaled to the likelihood itself: near p = 0 and 1 that is far from
//!    normal (`likelihood`);
//! 2. tests the model against the answers (`misfit`); once it fails, scores rest on counts alone (`model_free`), for
//!    good;
//! 3. plans the next questions: those that remove most doubt about the leader for the regret that they cost
//!    (`transductive`);
//! 4. stops exploring when that no longer pays. `stop = "value"`: when no number m of further questions has κ · 2(T−t)
//!    · E[what they let the policy gain] > m · (regret of a question), both under the normal approximation, the
//!    expectation exact in its tail (`value`). κ = exp(0.1 + 1.4 δ), δ the number of standard deviations by which
//!    rivals trail, accounts for being able to stop before the m are over: it is close to what the optimal stopping of
//!    one normal rival asks for. `stop = "evidence"`: when a bound valid for all looks at once shows max B − B(leader)
//!    to be no more than what the full budget of `betc-glm-match` would guarantee (`evidence`).
//!
//! One question in ten is an audit of two uniform items. Before a commitment, items that the model may over- or
//! underrate meet uniform opponents for as long as that pays, by the same rule (`misspecified`); `trust = "typical"`
//! does less of it, provided that the features are wrong about no item in particular. What is bounded is not the number
//! of questions but their *estimated regret*, by the 2(τ + N) that the proof of `betc-glm-match` allows its
//! exploration, or that of `etc-borda` where the model does not fit: where questions cost little, many are asked.
//!
//! Proved: the estimated regret of exploring is at most that of the paper's proof, whatever happens; with `stop =
//! "evidence"`, a model that fits, and κ_μ at θ̂ standing in for the one at θ*, the commitment is as good as
//! `betc-glm-match`'s with probability 1 − δ, so the rate is the paper's. Under an approximation (normal θ̂ or signed
//! roots, linearised scores): the value rule. Only measured: everything about the mean regret of `stop = "value"`,
//! which has no worst-case guarantee beyond the budget. Preferences that change are not its job: `bexp3` is made for
//! them.
//!
//! Without a horizon the policy is anytime: in round t it behaves as if T were 4t, and at least 5,000 (looking too far
//! ahead costs a logarithm, looking not far enough costs every round of a wrong favourite), with δ = 1/t². It looks
//! again when t has grown by 10 %, and never commits for good.

mod belief;
mod evidence;
mod interim;
mod likelihood;
mod misfit;
mod misspecified;
mod model_free;
mod outlier;
mod perfect_information;
mod preposterior;
mod questions;
#[cfg(test)]
mod tests;
mod transductive;
mod value;

pub use questions::next_questions;

use self::model_free::Shares;
use crate::Tally;
use crate::design::{self, Design};
use crate::duel::{Arm, Duel, Memory, Outcome, Proposal};
use crate::policy::shared::alias::Alias;
use crate::policy::shared::counts::ArmCounts;
use crate::policy::shared::settings::{self, rounds};
use crate::policy::{FixedDuel, Policy, Resolved};
use crate::problem::Problem;
use crate::sequential::Trust;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// When exploration ends before its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Stop {
    /// When it no longer pays, by the normal approximation.
    #[default]
    Value,
    /// When a bound shows that the full budget would guarantee nothing better.
    Evidence,
}

/// What can be set; nothing needs to be.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The rule that ends the exploration.
    pub stop: Stop,
    /// How far the features are trusted before it commits: `checked` by answers of every item's own; `typical`, which
    /// costs less provided that they are wrong about no item in particular; or `model`, without looking, where it is
    /// known to hold.
    pub trust: Trust,
    /// Failure probability δ of `stop = "evidence"`; 1/T unless set (1/t² without a horizon).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// How close to optimal the G-optimal design is from which exploration starts; 0.01 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Questions during which late answers are waited for once exploration has ended; twice the longest delay seen, and
    /// 16 more, unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

/// The share of audits among exploration questions.
const AUDITS: f64 = 0.1;
/// The least T that stands in for a horizon that is not known.
const SOON: u64 = 5000;
/// The smallest number of answers at the first look.
const FIRST: f64 = 32.0;

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        if self.trust == Trust::Nothing {
            let remedy = "is for find-winner: this policy follows the features, so take checked";
            return Err(Error::setting("trust", "nothing", remedy));
        }
        if let Some(delta) = self.delta {
            settings::share("delta", delta)?;
        }
        let design = design::g_optimal(settings::features(problem)?, self.tolerance.unwrap_or(0.01))?;
        let duels: Vec<Duel> =
            problem.features().pairs_of(&design.support).into_iter().filter_map(|p| p.first().copied()).collect();
        let mut state = State {
            stream,
            config: self.clone(),
            horizon: problem.horizon(),
            round: 0,
            explored: 0,
            answered: 0,
            open: 0,
            given_up: 0,
            waited: 0,
            slowest: 0,
            next_look: FIRST.max(2.0 * problem.dim() as f64) as u64,
            budget: 0.0,
            spent: 0.0,
            // Two uniform items cost 2 (max B − ½) ≤ 1 on average; nothing better is known before the first look.
            price: 1.0,
            limit: u64::MAX,
            phase: Phase::Exploring,
            fits: true,
            favourite: 0,
            questions: Questions::default(),
            tally: Tally::new(problem.features()),
            counts: ArmCounts::new(problem.items()),
            theta: None,
            design,
        };
        let weights = state.design.weights.clone();
        state.questions.adopt(duels, weights, AUDITS);
        state.budget = state.allowed(problem);
        state.next_look = state.next_look.min(state.budget.ceil() as u64);
        Ok(state)
    }
}

/// Where the policy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Asking in order to learn.
    Exploring,
    /// Asking about the favourite while answers are still open, or until it is worth exploring again.
    Resting,
    /// Asking about the favourite for ever.
    Committed,
}

/// What is asked at present: pairs (or, where the model does not fit, items) with their shares, and audits.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Questions {
    duels: Vec<Duel>,
    weights: Vec<f64>,
    table: Alias,
    audits: f64,
    /// Whether a pair stands for its first item, whose opponents are uniform.
    uniform: bool,
}

impl Questions {
    fn adopt(&mut self, duels: Vec<Duel>, weights: Vec<f64>, audits: f64) {
        self.table.rebuild(weights.iter().copied());
        (self.duels, self.weights, self.audits, self.uniform) = (duels, weights, audits, false);
    }

    fn adopt_items(&mut self, shares: Shares, audits: f64) {
        self.adopt(shares.items.into_iter().map(|i| Duel(i, i)).collect(), shares.weights, audits);
        self.uniform = true;
    }

    /// The probability that a pair comes from the plan rather than from an audit.
    fn planned(&self, duel: Duel, k: f64) -> f64 {
        let same = |planned: &Duel| if self.uniform { planned.0 == duel.0 } else { *planned == duel };
        let shares = self.duels.iter().zip(&self.weights).filter(|(planned, _)| same(planned));
        let share: f64 = shares.map(|(_, weight)| weight).sum();
        (1.0 - self.audits) * if self.uniform { share / k } else { share }
    }
}

/// The state: where it is, what was answered, and what is asked at present.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    config: Config,
    horizon: Option<u64>,
    round: u64,
    explored: u64,
    answered: u64,
    /// Exploration questions whose answers are still expected.
    open: u64,
    /// Questions up to this one are no longer among them: whatever was open then was given up.
    given_up: u64,
    /// Questions since the last look, while resting.
    waited: u64,
    /// The longest delay of an answer, in questions.
    slowest: u64,
    /// The number of answers at which to look.
    next_look: u64,
    /// The most estimated regret of exploring, what of it is spent, and what a question costs at the present estimates.
    budget: f64,
    spent: f64,
    price: f64,
    /// Exploration questions after which answers are waited for.
    limit: u64,
    phase: Phase,
    fits: bool,
    favourite: Arm,
    questions: Questions,
    tally: Tally,
    /// Answers against uniform opponents.
    counts: ArmCounts,
    theta: Option<Vec<f64>>,
    design: Design,
}

impl State {
    /// T, or what stands in for it.
    fn length(&self) -> u64 {
        self.horizon.unwrap_or((4 * self.round).max(SOON))
    }

    fn delta(&self) -> f64 {
        let unset = self.horizon.map_or_else(|| (self.round.max(2) as f64).powi(-2), |t| 1.0 / t as f64);
        self.config.delta.unwrap_or(unset)
    }

    /// ε of `betc-glm-match`: d^{1/6} T^{−1/3}.
    fn epsilon(&self, problem: &Problem) -> f64 {
        (problem.dim() as f64).powf(1.0 / 6.0) / (self.length() as f64).cbrt()
    }

    /// N of `etc-borda`, questions per item.
    fn per_item(&self, problem: &Problem) -> f64 {
        let (k, t) = (problem.items() as f64, self.length() as f64);
        ((t / k).powf(2.0 / 3.0) * (k * t).ln().cbrt()).ceil()
    }

    /// The most estimated regret of exploring: as much as the τ + N questions of `betc-glm-match`, or, where the model
    /// does not fit, the K N of `etc-borda`, may cost by their proofs, two for every question.
    fn allowed(&self, problem: &Problem) -> f64 {
        2.0 * self.questions_of_paper(problem) as f64
    }

    /// τ + N of `betc-glm-match`, or K N of `etc-borda` where the model does not fit.
    fn questions_of_paper(&self, problem: &Problem) -> u64 {
        let (d, t) = (problem.dim() as f64, self.length() as f64);
        if !self.fits {
            return rounds(problem.items() as f64 * self.per_item(problem), self.length());
        }
        let per_weight = d / self.epsilon(problem).powi(2);
        let designed: f64 = self.design.weights.iter().map(|w| (per_weight * w).ceil()).sum();
        rounds((d + t.ln()).ceil() + designed, self.length())
    }

    #[inline]
    fn explore(&mut self, problem: &Problem) -> Proposal {
        self.explored += 1;
        self.open += 1;
        self.spent += self.price;
        let (round, k, audits) = (self.round, problem.items() as f64, self.questions.audits);
        let uniform = audits / (k * k);
        if self.stream.uniform() < audits {
            let (i, j) = self.stream.pair_below(problem.items());
            let (duel, memory) = (Duel(i, j), Memory::Audit { both: true });
            return Proposal { round, duel, propensity: Some(uniform + self.questions.planned(duel, k)), memory };
        }
        let entry = self.questions.table.draw(&mut self.stream);
        let (duel, share) = (self.questions.duels[entry], (1.0 - audits) * self.questions.weights[entry]);
        if !self.questions.uniform {
            return Proposal { round, duel, propensity: Some(uniform + share), memory: Memory::Exploration };
        }
        let duel = Duel(duel.0, self.stream.below(problem.items()));
        Proposal { round, duel, propensity: Some(uniform + share / k), memory: Memory::Audit { both: false } }
    }

    /// Asked for the favourite: is there something else to do?
    #[cold]
    #[inline(never)]
    fn reconsider(&mut self, problem: &Problem) {
        self.phase = Phase::Resting;
        self.waited += 1;
        let unset = if self.answered == 0 { self.explored } else { 2 * self.slowest + 16 };
        let patience = self.config.patience.unwrap_or(unset);
        let given_up = self.open > 0 && self.waited > patience;
        let grown = self.explored >= self.limit || 10 * self.waited > self.round;
        let idle = self.open == 0 && (self.horizon.is_some() || grown);
        if given_up || idle {
            // Whatever is still open is given up (and still welcome); the question at hand has not been asked yet.
            self.open = 0;
            self.given_up = self.round - 1;
            self.look(problem);
        }
    }

    #[inline]
    fn wants(&self, proposal: &Proposal) -> bool {
        matches!(proposal.memory, Memory::Exploration | Memory::Audit { .. }) && self.phase != Phase::Committed
    }

    /// An answer or its loss was noted: is it time to look?
    #[inline]
    fn noted(&mut self, problem: &Problem, proposal: &Proposal) {
        self.open -= u64::from(proposal.round > self.given_up && self.open > 0);
        let over = self.open == 0 && (self.phase == Phase::Resting || self.spent >= self.budget);
        if over || self.answered >= self.next_look {
            self.look(problem);
        }
    }
}

impl Policy for State {
    #[inline]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let mut exploring = self.phase == Phase::Exploring && self.spent < self.budget && self.explored < self.limit;
        if !exploring && self.phase != Phase::Committed {
            self.reconsider(problem);
            exploring = self.phase == Phase::Exploring;
        }
        if exploring {
            self.explore(problem)
        } else {
            Proposal::new(self.round, Duel(self.favourite, self.favourite), 1.0)
        }
    }

    #[inline]
    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        if self.wants(proposal) {
            self.tally.add(problem.features(), proposal.duel, outcome.reward());
            if let Memory::Audit { both } = proposal.memory {
                self.counts.add(proposal.duel.0, outcome.reward());
                if both {
                    self.counts.add(proposal.duel.1, 1.0 - outcome.reward());
                }
            }
            self.answered += 1;
            self.slowest = self.slowest.max(self.round.saturating_sub(proposal.round));
            self.noted(problem, proposal);
        }
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        if self.wants(proposal) {
            self.noted(problem, proposal);
        }
    }

    #[inline]
    fn fixed_until(&self) -> Option<FixedDuel> {
        (self.phase == Phase::Committed).then_some(FixedDuel::for_good(Duel(self.favourite, self.favourite)))
    }

    fn skip(&mut self, rounds: u64) {
        self.round += rounds;
    }

    /// Takes over what was answered before, for a longer run; what has been explored counts against the longer budget.
    fn inherit(&mut self, problem: &Problem, old: &Self) {
        (self.explored, self.answered, self.slowest) = (old.explored, old.answered, old.slowest);
        (self.spent, self.price) = (old.spent, old.price);
        (self.fits, self.favourite) = (old.fits, old.favourite);
        // Both are about the same features, so that nothing is refused.
        self.tally.merge(&old.tally).unwrap_or_default();
        self.counts.clone_from(&old.counts);
        self.theta.clone_from(&old.theta);
        self.budget = self.allowed(problem);
        // The next question begins with a look.
        self.phase = Phase::Resting;
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        out.copy_from_slice(&self.current_scores(problem));
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![
            Resolved::new("stop", if self.config.stop == Stop::Value { "value" } else { "evidence" }),
            Resolved::new("trust", self.config.trust.name()),
            Resolved::new("delta", self.delta()),
            Resolved::new("exploration_regret", self.budget),
            Resolved::new("design_g", self.design.g),
            Resolved::new("model", if self.fits { "not refuted" } else { "does not fit: counts decide" }),
        ]
    }
}
