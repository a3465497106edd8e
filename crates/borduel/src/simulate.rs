//! The engine: one policy, one environment, one loop.

use crate::duel::{Duel, Outcome, Proposal};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::policy::{Driver, Policy};
use crate::problem::Problem;
use crate::regret::{ExactSum, Record, Regret};
use crate::stream::{ANSWERS, DELIVERY, REPLICATION, Stream, stream};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::VecDeque;
use std::ops::Range;

/// When answers arrive.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Timing {
    /// Before the next question.
    #[default]
    #[serde(deserialize_with = "nothing_else")]
    Immediate,
    /// After a number of further rounds, drawn uniformly between `least` and `most` for each answer.
    Delayed {
        /// The shortest delay.
        least: u64,
        /// The longest.
        most: u64,
    },
    /// All answers of `size` consecutive rounds together, after the last of them.
    Batched {
        /// Rounds per batch.
        size: u64,
    },
}

/// Refuses further keys, which serde passes over where a variant has none of its own.
fn nothing_else<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(deserializer).map(|Nothing {}| ())
}

/// What happens to answers on their way.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Feedback {
    /// When they arrive.
    pub timing: Timing,
    /// The probability that an answer never arrives, and nobody says so.
    pub lost: f64,
}

impl Feedback {
    /// Answers that arrive before the next question.
    pub const IMMEDIATE: Self = Self { timing: Timing::Immediate, lost: 0.0 };

    /// Answers that arrive as `timing` says.
    pub fn new(timing: Timing) -> Self {
        Self { timing, lost: 0.0 }
    }

    /// The same, with answers lost at random.
    #[must_use]
    pub fn losing(self, lost: f64) -> Self {
        Self { lost, ..self }
    }

    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.lost) {
            return Err(Error::setting("lost", self.lost, "must be a probability, between 0 and 1"));
        }
        match self.timing {
            Timing::Delayed { least, most } if least > most => {
                Err(Error::setting("least", least, format!("must not exceed most = {most}")))
            }
            Timing::Batched { size: 0 } => Err(Error::setting("size", 0, "a batch needs at least 1 round")),
            _ => Ok(()),
        }
    }
}

/// One replication: a policy at work, what was noted of it, and everything needed to go on.
///
/// It can be saved at any round; loaded, it goes on to the same bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run<P, R> {
    /// The policy.
    pub policy: P,
    /// What was noted.
    pub record: R,
    round: u64,
    stepped: u64,
    answers: Stream,
    delivery: Stream,
    feedback: Feedback,
    mail: VecDeque<Letter>,
}

/// An answer on its way: it is told before the question of round `due + 1`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Letter {
    due: u64,
    proposal: Proposal,
    outcome: Outcome,
}

impl<P: Policy, R: Record> Run<P, R> {
    /// Replication number `replication` of an experiment: its answers depend on seed and number alone, so that all
    /// policies meet the same ones.
    pub fn new(policy: P, record: R, seed: u64, replication: u64, feedback: Feedback) -> Result<Self> {
        feedback.check()?;
        Ok(Self {
            policy,
            record,
            round: 0,
            stepped: 0,
            answers: stream(seed, &[REPLICATION, replication, ANSWERS]),
            delivery: stream(seed, &[REPLICATION, replication, DELIVERY]),
            feedback,
            mail: VecDeque::new(),
        })
    }

    /// Rounds played.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Rounds that were stepped through one by one; the others were committed and passed in a stride.
    pub fn stepped(&self) -> u64 {
        self.stepped
    }

    /// Plays until round `end` is over.
    pub fn until<E: Environment>(&mut self, end: u64, environment: &E) {
        let Self { policy, record, round, stepped, answers, delivery, feedback, mail } = self;
        policy.drive(Play { end, environment, record, round, stepped, answers, delivery, feedback: *feedback, mail });
    }
}

/// All of a run but the policy, for the time of one call.
struct Play<'a, E, R> {
    end: u64,
    environment: &'a E,
    record: &'a mut R,
    round: &'a mut u64,
    stepped: &'a mut u64,
    answers: &'a mut Stream,
    delivery: &'a mut Stream,
    feedback: Feedback,
    mail: &'a mut VecDeque<Letter>,
}

impl<E: Environment, R: Record> Driver for Play<'_, E, R> {
    type Output = ();

    fn drive<P: Policy>(self, policy: &mut P) {
        let Self { end, environment, record, round, stepped, answers, .. } = self;
        let mut post = Post { feedback: self.feedback, delivery: self.delivery, mail: self.mail };
        let at_once = post.feedback == Feedback::IMMEDIATE;
        let problem = environment.problem();
        let odds = |round, duel| (environment.probability(round, duel), Regret::of(environment.regret(round, duel)));
        while *round < end {
            let before = *round;
            let stop = end.min(before.saturating_add(record.room()));
            let mut regret = ExactSum::default();
            if let Some(duel) = policy.committed() {
                // Nothing is asked, drawn or learned any more: on to the end, or to where the world changes.
                *round = environment.next_change(before + 1).map_or(stop, |change| stop.min(change - 1));
                regret.add(*round - before, Regret::of(environment.regret(before + 1, duel)));
            } else {
                *round = match environment.table() {
                    _ if !at_once => post.step(policy, problem, odds, answers, before, &mut regret),
                    None => step(policy, problem, odds, answers, before..stop, &mut regret),
                    Some(table) => {
                        let odds = |_, duel| (table.cell(duel).probability, table.cell(duel).regret);
                        step(policy, problem, odds, answers, before..stop, &mut regret)
                    }
                };
                *stepped += *round - before;
            }
            record.advance(*round - before, regret);
            if !at_once {
                post.deliver(problem, policy, *round);
            }
        }
    }
}

/// The innermost loop: ask, answer, tell, for these rounds (counted from 0) or until the policy has committed. Adds up the
/// regret and returns the last round played, counted from 1. `odds` gives the probability and the regret of a duel.
///
/// A function of its own, never inlined, whose arguments are known not to overlap, and with the stream and the sum in
/// variables of its own: so the compiler keeps them in registers.
#[inline(never)]
fn step<P: Policy>(
    policy: &mut P,
    problem: &Problem,
    odds: impl Fn(u64, Duel) -> (f64, Regret),
    answers: &mut Stream,
    rounds: Range<u64>,
    regret: &mut ExactSum,
) -> u64 {
    let (mut stream, mut sum) = (answers.clone(), *regret);
    let mut round = rounds.start;
    while round < rounds.end && policy.committed().is_none() {
        round += 1;
        let proposal = policy.ask(problem);
        let (probability, regret) = odds(round, proposal.duel);
        let won = stream.uniform() < probability;
        sum.add(1, regret);
        policy.tell(problem, &proposal, Outcome::from_win(won));
    }
    (*answers, *regret) = (stream, sum);
    round
}

/// Answers on their way.
struct Post<'a> {
    feedback: Feedback,
    delivery: &'a mut Stream,
    mail: &'a mut VecDeque<Letter>,
}

impl Post<'_> {
    /// One round whose answer is told when it arrives. Returns its number.
    fn step<P: Policy>(
        &mut self,
        policy: &mut P,
        problem: &Problem,
        odds: impl Fn(u64, Duel) -> (f64, Regret),
        answers: &mut Stream,
        before: u64,
        sum: &mut ExactSum,
    ) -> u64 {
        let round = before + 1;
        let proposal = policy.ask(problem);
        let (probability, regret) = odds(round, proposal.duel);
        let won = answers.uniform() < probability;
        sum.add(1, regret);
        self.send(round, proposal, Outcome::from_win(won));
        round
    }

    /// Tells all answers that are due when `round` rounds are over.
    #[inline(never)]
    fn deliver<P: Policy>(&mut self, problem: &Problem, policy: &mut P, round: u64) {
        while self.mail.front().is_some_and(|letter| letter.due <= round) {
            if let Some(letter) = self.mail.pop_front() {
                policy.tell(problem, &letter.proposal, letter.outcome);
            }
        }
    }

    /// Sends an answer on its way, or loses it.
    #[inline(never)]
    fn send(&mut self, round: u64, proposal: Proposal, outcome: Outcome) {
        let lost = self.feedback.lost > 0.0 && self.delivery.uniform() < self.feedback.lost;
        let due = match self.feedback.timing {
            Timing::Immediate => round,
            Timing::Delayed { least, most } => {
                let spread = (most - least + 1) as usize;
                round.saturating_add(least).saturating_add(self.delivery.below(spread) as u64)
            }
            Timing::Batched { size } => round.div_ceil(size).saturating_mul(size),
        };
        if !lost {
            // In the order of arrival; of the same round in the order of asking.
            let place = self.mail.partition_point(|letter| letter.due <= due);
            self.mail.insert(place, Letter { due, proposal, outcome });
        }
    }
}
