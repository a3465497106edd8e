//! The engine: one policy, one environment, one loop.

use crate::duel::{Outcome, Proposal};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::policy::{Driver, Policy};
use crate::problem::Problem;
use crate::regret::Record;
use crate::stream::{ANSWERS, DELIVERY, REPLICATION, Stream, stream};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// When answers arrive.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Timing {
    /// Before the next question.
    #[default]
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
        let post = Post { feedback: self.feedback, delivery: self.delivery, mail: self.mail };
        let before = *self.round;
        let strode = play(policy, self.environment, self.record, self.answers, post, before, self.end);
        *self.round = before.max(self.end);
        *self.stepped += *self.round - before - strode;
    }
}

/// The whole engine: one short loop from `round` to `end`; returns how many of the rounds were passed in strides.
///
/// A function of its own, never inlined, whose arguments are known not to overlap: so the compiler keeps the state of
/// policy, record and streams in registers.
#[inline(never)]
fn play<P: Policy, E: Environment, R: Record>(
    policy: &mut P,
    environment: &E,
    record: &mut R,
    answers: &mut Stream,
    mut post: Post<'_>,
    mut round: u64,
    end: u64,
) -> u64 {
    let problem = environment.problem();
    let at_once = post.feedback == Feedback::IMMEDIATE;
    let mut strode = 0;
    while round < end {
        if !at_once {
            post.deliver(problem, policy, round);
        }
        if let Some(duel) = policy.committed() {
            // Nothing is asked, drawn or learned any more: on to the end, or to where the world changes.
            let last = environment.next_change(round + 1).map_or(end, |change| end.min(change - 1));
            record.advance(last - round, duel, environment.regret(round + 1, duel));
            strode += last - round;
            round = last;
            continue;
        }
        round += 1;
        let proposal = policy.ask(problem);
        let duel = proposal.duel;
        let won = answers.uniform() < environment.probability(round, duel);
        record.advance(1, duel, environment.regret(round, duel));
        if at_once {
            policy.tell(problem, &proposal, Outcome::from_win(won));
        } else {
            post.send(round, proposal, Outcome::from_win(won));
        }
    }
    if !at_once {
        post.deliver(problem, policy, round);
    }
    strode
}

/// Answers on their way.
struct Post<'a> {
    feedback: Feedback,
    delivery: &'a mut Stream,
    mail: &'a mut VecDeque<Letter>,
}

impl Post<'_> {
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
