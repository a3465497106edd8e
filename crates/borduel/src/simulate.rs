//! The engine: one policy, one environment, one loop.

use crate::arena::{Arena, Meeting};
use crate::duel::{Duel, Outcome, Proposal};
use crate::environment::{ContextLaw, Environment};
use crate::judge::Judge;
use crate::policy::{Driver, Policy};
use crate::problem::Problem;
use crate::regret::{ExactSum, Record, Regret};
use crate::stream::{ANSWERS, CONTEXTS, DELIVERY, Numbered, REPLICATION, index_below, numbered};
use crate::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::mem::ManuallyDrop;
use std::ops::Range;

/// When answers arrive: at once, late, or in batches.
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
        /// The shortest delay, in rounds.
        least: u64,
        /// The longest delay, in rounds.
        most: u64,
    },
    /// All answers of `size` consecutive rounds together, after the last of them.
    Batched {
        /// The number of rounds in a batch.
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
    /// When the answers arrive.
    pub timing: Timing,
    /// The probability that an answer never arrives, and nobody says so.
    pub lost: f64,
    /// The answers of so many first rounds are turned round, as somebody would who wants to mislead.
    #[serde(skip_serializing_if = "is_zero")]
    pub flipped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Feedback {
    /// Answers that arrive before the next question.
    pub const IMMEDIATE: Self = Self { timing: Timing::Immediate, lost: 0.0, flipped: 0 };

    /// Answers that arrive as `timing` says.
    pub fn new(timing: Timing) -> Self {
        Self { timing, ..Self::IMMEDIATE }
    }

    /// The same, with the answers of so many first rounds turned round.
    #[must_use]
    pub fn flipping(self, flipped: u64) -> Self {
        Self { flipped, ..self }
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
    /// The policy that plays.
    pub policy: P,
    /// What was noted of the run.
    pub record: R,
    round: u64,
    stepped: u64,
    answers: Numbered,
    delivery: Numbered,
    feedback: Feedback,
    mail: Mail,
}

/// Answers on their way: the next to arrive on top, of the same round the first asked.
type Mail = BinaryHeap<Reverse<Letter>>;

/// An answer on its way: asked in round `sent`, it is told before the question of round `due + 1`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Letter {
    due: u64,
    sent: u64,
    proposal: Proposal,
    outcome: Outcome,
}

impl Letter {
    /// When it is told; no two letters were sent in one round.
    fn place(&self) -> (u64, u64) {
        (self.due, self.sent)
    }
}

impl Ord for Letter {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place().cmp(&other.place())
    }
}

impl PartialOrd for Letter {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Letter {
    fn eq(&self, other: &Self) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Letter {}

impl<P: Policy, R: Record> Run<P, R> {
    /// Replication number `replication` of an experiment: its answers depend on seed, number and round alone, so that
    /// all policies meet the same ones.
    pub fn new(policy: P, record: R, seed: u64, replication: u64, feedback: Feedback) -> Result<Self> {
        feedback.check()?;
        Ok(Self {
            policy,
            record,
            round: 0,
            stepped: 0,
            answers: numbered(seed, &[REPLICATION, replication, ANSWERS]),
            delivery: numbered(seed, &[REPLICATION, replication, DELIVERY]),
            feedback,
            mail: Mail::new(),
        })
    }

    /// The number of rounds played.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Rounds that were stepped through one by one; in the others the policy rested.
    pub fn stepped(&self) -> u64 {
        self.stepped
    }

    /// Plays until round `end` is over.
    pub fn until<E: Environment>(&mut self, end: u64, arena: &Arena<E>) {
        let Self { policy, record, round, stepped, answers, delivery, feedback, mail } = self;
        let post = Post { feedback: *feedback, delivery: *delivery, mail };
        policy.drive(Play { end, arena, record, round, stepped, answers: *answers, post });
    }
}

/// All of a run but the policy, for the time of one call.
struct Play<'a, E, R> {
    end: u64,
    arena: &'a Arena<E>,
    record: &'a mut R,
    round: &'a mut u64,
    stepped: &'a mut u64,
    answers: Numbered,
    post: Post<'a>,
}

impl<E: Environment, R: Record> Driver for Play<'_, E, R> {
    type Output = ();

    fn drive<P: Policy>(self, policy: &mut P) {
        if let Some(law) = self.arena.environment().contexts() {
            return self.play_in_contexts(policy, law);
        }
        match self.arena.judges() {
            [_] => self.play(policy, First::default()),
            judges => self.play(policy, All { judges, sums: vec![ExactSum::default(); judges.len()] }),
        }
    }
}

impl<E: Environment, R: Record> Play<'_, E, R> {
    fn play<P: Policy, L: Ledger>(self, policy: &mut P, mut ledger: L) {
        let Self { end, arena, record, round, stepped, answers, mut post } = self;
        let at_once = post.feedback == Feedback::IMMEDIATE;
        let (environment, judge, problem) = (arena.environment(), &arena.judges()[0], arena.problem());
        let odds = |round, duel| (environment.probability(round, duel), Regret::of(judge.regret(round, duel)));
        while *round < end {
            let before = *round;
            let stop = end.min(before.saturating_add(record.room()));
            ledger.clear();
            if let Some(rest) = policy.fixed_until() {
                // Nothing is drawn or learned: on to the end of the rest, or to where the world changes or a letter
                // comes.
                let mut last = stop.min(before.saturating_add(rest.rounds.max(1)));
                if let Some(change) = environment.next_change(before + 1) {
                    last = last.min(change.max(before + 2) - 1);
                }
                if let Some(due) = post.next().filter(|_| rest.rounds < u64::MAX) {
                    last = last.min(due.max(before + 1));
                }
                policy.skip(last - before);
                let regret = Regret::of(judge.regret(before + 1, rest.duel));
                ledger.note(last - before, before + 1, rest.duel, regret);
                *round = last;
            } else {
                let rounds = before..stop;
                *round = match (at_once, arena.cells()) {
                    (true, Some(cells)) => step(policy, problem, looked_up(cells), answers, rounds, &mut ledger),
                    (true, None) => step(policy, problem, odds, answers, rounds, &mut ledger),
                    (false, _) => post.step(policy, problem, odds, answers, before, &mut ledger),
                };
                *stepped += *round - before;
            }
            record.advance(*round - before, ledger.sums());
            if !at_once {
                post.deliver(problem, policy, *round);
            }
        }
    }
}

impl<E: Environment, R: Record> Play<'_, E, R> {
    /// The same where a context comes up in every round: a policy is asked for the problem of the round, and nobody
    /// rests, since the next round may be another one. The context depends on seed, replication and round alone.
    fn play_in_contexts<P: Policy>(self, policy: &mut P, law: &ContextLaw) {
        let Self { end, arena, record, round, stepped, answers, mut post } = self;
        let (problem, judges) = (arena.problem(), arena.judges());
        let contexts = answers.substream(CONTEXTS);
        let (mut desk, mut sums) = (None, vec![ExactSum::default(); judges.len()]);
        while *round < end {
            let before = *round;
            let stop = end.min(before.saturating_add(record.room()));
            sums.fill(ExactSum::default());
            while *round < stop {
                *round += 1;
                let here = law.at(contexts, *round, &mut desk);
                let proposal = policy.ask(here.problem());
                for (sum, judge) in sums.iter_mut().zip(judges) {
                    sum.add(1, Regret::of(judge.regret_here(&here, proposal.duel)));
                }
                let won = answers.uniform(*round) < here.probability(proposal.duel);
                post.send(*round, proposal, Outcome::from_win(won != (*round <= post.feedback.flipped)));
                post.deliver(problem, policy, *round);
            }
            *stepped += *round - before;
            record.advance(*round - before, &sums);
        }
    }
}

/// Where the regret of a stretch of rounds is added up, for all judges.
trait Ledger: Sized {
    /// Nothing so far.
    fn clear(&mut self);
    /// So many rounds like this one, with this duel; the first judge's regret is known.
    fn note(&mut self, rounds: u64, round: u64, duel: Duel, first: Regret);
    /// What they come to.
    fn sums(&self) -> &[ExactSum];
    /// Takes everything out: in variables of its own the innermost loop keeps it in registers.
    fn take(&mut self) -> Self;
}

/// A single judge.
#[derive(Default)]
struct First([ExactSum; 1]);

impl Ledger for First {
    fn clear(&mut self) {
        *self = Self::default();
    }

    #[inline(always)]
    fn note(&mut self, rounds: u64, _: u64, _: Duel, first: Regret) {
        self.0[0].add(rounds, first);
    }

    fn sums(&self) -> &[ExactSum] {
        &self.0
    }

    #[inline(always)]
    fn take(&mut self) -> Self {
        Self(self.0)
    }
}

/// Several judges at once.
struct All<'a> {
    judges: &'a [Judge],
    sums: Vec<ExactSum>,
}

impl Ledger for All<'_> {
    fn clear(&mut self) {
        self.sums.fill(ExactSum::default());
    }

    #[inline]
    fn note(&mut self, rounds: u64, round: u64, duel: Duel, first: Regret) {
        self.sums[0].add(rounds, first);
        for (sum, judge) in self.sums.iter_mut().zip(self.judges).skip(1) {
            sum.add(rounds, Regret::of(judge.regret(round, duel)));
        }
    }

    fn sums(&self) -> &[ExactSum] {
        &self.sums
    }

    fn take(&mut self) -> Self {
        Self { judges: self.judges, sums: std::mem::take(&mut self.sums) }
    }
}

/// The odds of a table. They name no environment, so that one copy of the innermost loop serves all.
fn looked_up((k, cells): (usize, &[Meeting])) -> impl Fn(u64, Duel) -> (f64, Regret) {
    move |_, Duel(i, j)| {
        let cell = cells[i * k + j];
        (cell.probability, cell.regret)
    }
}

/// The innermost loop: ask, answer, tell, for these rounds (counted from 0) or until the policy rests. Adds up the
/// regret and returns the last round played, counted from 1. `odds` gives the probability and the first judge's regret
/// of a duel.
///
/// A function of its own, never inlined, whose arguments are known not to overlap, and with the sum in a variable of
/// its own: so the compiler keeps it in registers.
#[inline(never)]
fn step<P: Policy, L: Ledger>(
    policy: &mut P,
    problem: &Problem,
    odds: impl Fn(u64, Duel) -> (f64, Regret),
    answers: Numbered,
    rounds: Range<u64>,
    ledger: &mut L,
) -> u64 {
    let mut own = ledger.take();
    let mut round = rounds.start;
    while round < rounds.end && policy.fixed_until().is_none() {
        round += 1;
        // A panic leaks the ticket: to be freed there it would have to lie in memory in every round.
        let proposal = ManuallyDrop::new(policy.ask(problem));
        let (probability, regret) = odds(round, proposal.duel);
        let won = answers.uniform(round) < probability;
        own.note(1, round, proposal.duel, regret);
        policy.tell(problem, &proposal, Outcome::from_win(won));
        drop(ManuallyDrop::into_inner(proposal));
        policy.play_inline(problem, rounds.end - round, |duel| {
            round += 1;
            let (probability, regret) = odds(round, duel);
            own.note(1, round, duel, regret);
            Outcome::from_win(answers.uniform(round) < probability)
        });
    }
    *ledger = own;
    round
}

/// Answers on their way.
struct Post<'a> {
    feedback: Feedback,
    delivery: Numbered,
    mail: &'a mut Mail,
}

impl Post<'_> {
    /// When the next letter arrives.
    fn next(&self) -> Option<u64> {
        self.mail.peek().map(|Reverse(letter)| letter.due)
    }

    /// One round whose answer is told when it arrives. Returns its number.
    fn step<P: Policy, L: Ledger>(
        &mut self,
        policy: &mut P,
        problem: &Problem,
        odds: impl Fn(u64, Duel) -> (f64, Regret),
        answers: Numbered,
        before: u64,
        ledger: &mut L,
    ) -> u64 {
        let round = before + 1;
        let proposal = policy.ask(problem);
        let (probability, regret) = odds(round, proposal.duel);
        let won = (answers.uniform(round) < probability) != (round <= self.feedback.flipped);
        ledger.note(1, round, proposal.duel, regret);
        self.send(round, proposal, Outcome::from_win(won));
        round
    }

    /// Tells all answers that are due when `round` rounds are over.
    #[inline(never)]
    fn deliver<P: Policy>(&mut self, problem: &Problem, policy: &mut P, round: u64) {
        while self.next().is_some_and(|due| due <= round) {
            if let Some(Reverse(letter)) = self.mail.pop() {
                policy.tell(problem, &letter.proposal, letter.outcome);
            }
        }
    }

    /// Sends an answer on its way, or loses it. Two random numbers belong to every round: of loss and of delay.
    #[inline(never)]
    fn send(&mut self, round: u64, proposal: Proposal, outcome: Outcome) {
        let first = round.wrapping_mul(2);
        let lost = self.feedback.lost > 0.0 && self.delivery.uniform(first) < self.feedback.lost;
        let due = match self.feedback.timing {
            Timing::Immediate => round,
            Timing::Delayed { least, most } => {
                let spread = (most - least).saturating_add(1);
                let delay = index_below(self.delivery.bits(first.wrapping_add(1)), spread);
                round.saturating_add(least).saturating_add(delay)
            }
            Timing::Batched { size } => round.div_ceil(size).saturating_mul(size),
        };
        if !lost {
            self.mail.push(Reverse(Letter { due, sent: round, proposal, outcome }));
        }
    }
}
