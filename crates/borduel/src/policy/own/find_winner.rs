//! find-winner: the best item (or the best k, or the whole order) with as few votes as the information allows, and a
//! verdict that may be looked at any time. Not in the paper.
//!
//! A *look* is taken each time the answers have grown by 1/32 (at least 4): the model with pair effects is fitted, and
//! [`sequential`](crate::sequential) says what is decided. If nothing is, the next questions are planned: those pairs
//! that take the most off Σ 1/E, the doubt about the claims "the leader is not worse than j by more than the margin"
//! (until it is good enough) or "is better than j" (until it is clear). Questions that are
//! open count as answered. One question in ten is an audit, two items at random: audits tell how far the model is from
//! the truth, and nobody is ever shut out. The first K questions are a random cycle through all items.
//!
//! *Where votes are few* (`chain`; unless set, where the budget or else the horizon is below 10 K), most of that cycle
//! would be spent on items that cannot win. The first K − 1 questions are then a chain, and up to 10 K votes the
//! likeliest best item meets the one with the next largest chance (see `chain`); who is likeliest is also who is named
//! until something is decided. Audits and looks stay as they are: the verdict rests on the votes and on its own model.
//!
//! `ask` never computes: it takes the next question of the plan, and draws from the plan when that has been asked
//! already and the answers are late. It never proposes an item against itself. Once decided (or when the budget of
//! answers is spent) it proposes its two best items for ever, is [`committed`](Policy::committed) to that, and learns
//! no more.
//!
//! Where the problem has [`Contexts`](crate::Contexts), each question is asked in one: the one with the fewest votes
//! on the pair ([`next_context`]). Pairs that have none in common are not asked.
//!
//! What a judge answered to the same questions ([`Problem::with_judge`]) makes a verdict about these contexts more
//! precise; planned is as without it.
//!
//! The link of the problem is not used: scores are logistic with pair effects, which take up whatever another link does
//! differently.

use crate::ballots::{Answer, Ballot, Ballots};
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::{FixedDuel, Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::sequential::{Goal, Judgement, Options, Reading, Start, Trust, Until, Votes, next_context};
use crate::stream::Stream;
use crate::{About, Contexts, Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

mod chain;
mod judge_first;

use chain::Chain;

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The confidence of the verdict, however often it is looked at; 0.95 unless set.
    pub level: f64,
    /// Scores closer than this count as equal; 0.02 unless set.
    pub margin: f64,
    /// `winner`, `{ top = k }` or `all`.
    pub goal: Goal,
    /// The most answers to learn from; no limit unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// `checked`; `typical` where the features are wrong about no item in particular; `model` where the model is known
    /// to hold; `nothing` for what holds under every rule of asking, without features, for several times the votes.
    pub trust: Trust,
    /// What is enough to stop: `good-enough` (nobody is better by more than the margin), or `clear` (better than every
    /// other, or a tie).
    #[serde(skip_serializing_if = "Until::is_default")]
    pub until: Until,
    /// Where items are compared in contexts, what the verdict is about: `these` contexts, or `such`; such from 8
    /// contexts on unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// Whether the first K − 1 questions are a chain, and the next ones about the likeliest winners; unless set, where
    /// the budget, or else the horizon, is below 10 K, one item is sought and items have no features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<bool>,
}

impl Default for Config {
    fn default() -> Self {
        let Options { level, margin, goal, trust, until, about, .. } = Options::default();
        Self { level, margin, goal, budget: None, trust, until, about, chain: None }
    }
}

impl Config {
    /// What is asked of the verdict.
    pub fn options(&self) -> Options {
        let Self { level, margin, goal, trust, until, about, .. } = *self;
        Options::default()
            .with_level(level)
            .with_margin(margin)
            .with_goal(goal)
            .with_trust(trust)
            .with_until(until)
            .with_about(about)
    }

    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        self.options().check(problem.items())?;
        settings::features(problem)?;
        if self.budget == Some(0) {
            return Err(Error::setting("budget", 0, "must be at least 1 answer"));
        }
        if problem.contexts().is_some() && !problem.features().is_differences() {
            let remedy =
                "come with features of items, or with none: features of pairs are for problems without contexts";
            return Err(Error::setting("contexts", "features of pairs", remedy));
        }
        if self.trust == Trust::Nothing && problem.contexts().is_some() {
            let remedy = "knows no contexts: leave them out, or take checked";
            return Err(Error::setting("trust", "nothing", remedy));
        }
        let k = problem.items();
        Ok(State {
            stream,
            chained: self.chained(problem)?,
            chain: None,
            next_plan: 0.0,
            likeliest: None,
            config: self.clone(),
            round: 0,
            votes: no_votes(problem),
            asked: BTreeMap::new(),
            voters: None,
            start: Start::unknown(problem.features(), self.trust),
            queue: VecDeque::new(),
            plan: Vec::new(),
            open: Vec::new(),
            next_look: k as f64,
            scores: vec![0.5; k],
            best: Duel(0, 1),
            phase: Phase::Asking,
        })
    }

    fn chained(&self, problem: &Problem) -> Result<bool> {
        let apart = problem.contexts().is_some_and(|contexts| !contexts.is_everywhere());
        let remedy = match self.goal {
            Goal::Winner if !apart => None,
            Goal::Winner => Some("needs every item to be shown in every context: leave it out"),
            _ => Some("leads to one item: leave it out, or take goal = \"winner\""),
        };
        match (self.chain, remedy) {
            (Some(true), Some(remedy)) => Err(Error::setting("chain", "true", remedy)),
            (Some(chain), _) => Ok(chain),
            (None, remedy) => {
                let features = problem.features();
                let plain = features.is_differences() && features.dim() + 1 == features.items();
                let few = |votes: u64| votes < (CHAINED * problem.items()) as u64;
                Ok(remedy.is_none() && plain && self.budget.or(problem.horizon()).is_some_and(few))
            }
        }
    }
}

/// Where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    Asking,
    /// What was to be found is found.
    Decided,
    /// The budget ended before.
    Spent,
}

/// The state: votes per pair, the model to start the next fit from, and the questions planned.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    config: Config,
    round: u64,
    votes: Votes,
    /// The same by voter, once one was told; see [`State::tell_by`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    voters: Option<Box<Ballots>>,
    /// By context how often each pair (by its place i K + j, i < j) was asked there, and how often each item.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    asked: BTreeMap<u32, Asked>,
    start: Start,
    /// Whether votes are few, and then the first pass while it lasts, and the number of answers at which to ask who is
    /// likeliest next.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    chained: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chain: Option<Chain>,
    #[serde(default, skip_serializing_if = "is_zero")]
    next_plan: f64,
    /// Who is likeliest to be the best, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    likeliest: Option<Arm>,
    /// What is still to be asked of the plan, and the plan.
    queue: VecDeque<Duel>,
    plan: Vec<Duel>,
    /// Questions without an answer.
    open: Vec<Duel>,
    /// The number of answers at which to look next.
    next_look: f64,
    scores: Vec<f64>,
    /// The two best items.
    best: Duel,
    phase: Phase,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// How often was asked in a context.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Asked {
    pairs: BTreeMap<u64, u64>,
    items: BTreeMap<usize, u64>,
}

impl Asked {
    /// On a pair, and on its two items.
    fn count(&self, k: usize, i: Arm, j: Arm) -> [u64; 2] {
        let of = |item: Arm| self.items.get(&item).copied().unwrap_or(0);
        [self.pairs.get(&place(k, i, j)).copied().unwrap_or(0), of(i) + of(j)]
    }

    fn add(&mut self, k: usize, i: Arm, j: Arm, questions: u64) {
        *self.pairs.entry(place(k, i, j)).or_default() += questions;
        [i, j].into_iter().for_each(|item| *self.items.entry(item).or_default() += questions);
    }
}

fn place(k: usize, i: Arm, j: Arm) -> u64 {
    (i.min(j) * k + i.max(j)) as u64
}

/// No votes yet on the items of a problem.
fn no_votes(problem: &Problem) -> Votes {
    let mut votes = Votes::new(problem.items());
    if let Some(contexts) = problem.contexts() {
        votes.offer(&offered(contexts, problem.items()));
    }
    votes
}

fn offered(contexts: &Contexts, items: usize) -> Vec<usize> {
    (0..items).map(|item| contexts.offered(item)).collect()
}

/// The share of audits.
const AUDITS: f64 = 0.1;
/// A look is due when the answers have grown by one in so many, and by so many at least.
const GROWTH: f64 = 32.0;
const LEAST: f64 = 4.0;
/// Votes are few up to so many an item.
const CHAINED: usize = 10;
/// So many likely winners are in a plan at least, for questions that are asked while answers are late.
const LATE: usize = 4;

impl State {
    /// Whether what was to be found is found.
    pub fn decided(&self) -> bool {
        self.phase == Phase::Decided
    }

    /// Before the first question: says how many answers will be paid for, where no budget was set, so that few votes
    /// begin with a chain. It goes on asking when they are spent. Returns whether it will now ask otherwise.
    pub fn expect(&mut self, problem: &Problem, answers: u64) -> bool {
        if self.round > 0 || self.votes.count() > 0.0 || self.config.budget.is_some() {
            return false;
        }
        let told = Config { budget: Some(answers), ..self.config.clone() };
        // What can be refused was refused when the policy was built.
        let chained = told.chained(problem).unwrap_or(self.chained);
        std::mem::replace(&mut self.chained, chained) != chained
    }

    /// The answers learned from.
    pub fn votes(&self) -> &Votes {
        &self.votes
    }

    /// How many voters it has heard; `None` where answers came without one.
    pub fn voters(&self) -> Option<usize> {
        self.voters.as_ref().map(|ballots| ballots.copies().len())
    }

    /// Takes over votes that were cast before this policy was made, and looks at once: a session goes on so from its
    /// log. Contexts are known by their names; votes in none of the problem's count as those without one.
    pub fn take_over(&mut self, problem: &Problem, ballots: &Ballots) {
        self.votes = Votes::of(ballots);
        self.asked.clear();
        if let Some(contexts) = problem.contexts() {
            let numbers: Vec<Option<u32>> = ballots.context_names().iter().map(|name| contexts.find(name)).collect();
            self.votes = self.votes.renumbered(|context| numbers[context as usize]);
            self.votes.offer(&offered(contexts, problem.items()));
            for cell in ballots.cells() {
                if let Some(context) = cell.context.and_then(|context| numbers[context as usize]) {
                    let asked = self.asked.entry(context).or_default();
                    asked.add(problem.items(), cell.left as Arm, cell.right as Arm, cell.counts.total() as u64);
                }
            }
        }
        self.voters = (!ballots.shares().is_empty()).then(|| Box::new(ballots.clone()));
        if self.votes.count() >= self.next_look || self.is_spent() {
            self.look(problem);
        }
    }

    /// An answer of this voter. Where several were heard, their habits are allowed for, as in a live study: the winner
    /// is then the one of everybody who might have been asked. A single voter's winner is that voter's own.
    ///
    /// Answers without a voter ([`Policy::tell`]) are independent; if any other has one, they are one more voter's.
    /// With `trust = "nothing"` nothing is decided once one of several voters has answered more than once.
    pub fn tell_by(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome, voter: &str) {
        if self.voters.is_none() {
            self.voters = Some(Box::new(nameless(&self.votes, problem.contexts())));
        }
        self.learn(problem, proposal, outcome, voter);
    }

    fn learn(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome, voter: &str) {
        if self.phase != Phase::Asking || !self.close(proposal, Some(outcome)) {
            return;
        }
        let context = proposal.context();
        self.votes.add_in(context, proposal.duel, outcome.reward());
        if let Some(ballots) = &mut self.voters {
            let voter = ballots.voter(voter);
            let name = context.zip(problem.contexts()).map(|(at, contexts)| contexts.names()[at as usize].as_str());
            add(ballots, (proposal.duel, name), voter, Answer::Soft(outcome.reward()), 1.0);
        }
        if self.votes.count() >= self.next_look || self.is_spent() {
            self.look(problem);
        }
        // A question of the chain whose answer never comes keeps nobody from what is planned.
        if !self.is_chained() || self.votes.count() >= (2 * self.scores.len()) as f64 {
            self.chain = None;
        }
        if self.phase != Phase::Decided && self.is_chained() && self.chain.as_ref().is_none_or(Chain::is_over) {
            self.chain = None;
            if self.votes.count() >= self.next_plan {
                self.plan_likeliest();
            }
        }
    }

    /// Whether votes are still few.
    fn is_chained(&self) -> bool {
        self.chained && self.votes.count() < (CHAINED * self.scores.len()) as f64
    }

    /// Plans questions about the likeliest winners.
    fn plan_likeliest(&mut self) {
        let n = self.votes.count();
        let more = (n / GROWTH).max(1.0).floor();
        self.next_plan = n + more;
        self.plan = chain::likeliest(&self.votes, LATE.max(more as usize), &mut self.stream);
        self.queue = self.plan.iter().copied().take(more as usize).collect();
        self.likeliest = self.plan.first().map(|duel| duel.0);
    }

    /// Whether the next answer makes it look, which takes longer than to note an answer down.
    pub fn looks_next(&self) -> bool {
        let votes = self.votes.count() + 1.0;
        self.phase == Phase::Asking
            && (votes >= self.next_look
                || self.is_chained() && votes >= self.next_plan
                || self.config.budget.is_some_and(|most| votes >= most as f64))
    }

    /// All that can be said now.
    pub fn judgement(&self, problem: &Problem) -> Judgement {
        self.read(problem).judgement()
    }

    fn read<'p>(&self, problem: &'p Problem) -> Reading<'p> {
        let options = self.config.options();
        Reading::resume(problem.features(), &self.votes, self.voters.as_deref(), problem.judge(), &self.start, &options)
    }

    fn look(&mut self, problem: &Problem) {
        let reading = self.read(problem);
        let (kind, best) = reading.found();
        self.best = best;
        let n = self.votes.count();
        let more = (n / GROWTH).max(LEAST).floor();
        self.next_look = n + more;
        self.scores.copy_from_slice(reading.borda());
        if self.config.until.is_reached(kind) {
            // The next fit would start elsewhere: what is decided is said as it was found.
            self.phase = Phase::Decided;
            return;
        }
        if self.is_spent() {
            self.phase = Phase::Spent;
        } else if !self.is_chained() {
            let can_be_asked = |i: Arm, j: Arm| problem.contexts().is_none_or(|contexts| contexts.meet(i, j));
            self.plan = reading.next_questions_of(&self.open, more as usize, usize::MAX, &can_be_asked);
            self.queue = self.plan.iter().copied().collect();
        }
        self.start = reading.into_start();
    }

    fn is_spent(&self) -> bool {
        self.config.budget.is_some_and(|budget| self.votes.count() >= budget as f64)
    }

    /// Plans the first questions.
    fn begin(&mut self, problem: &Problem) {
        if !self.is_chained() {
            return self.plan_first_questions(problem.items(), problem.contexts());
        }
        let chain = Chain::new(&self.votes, &mut self.stream);
        if chain.is_over() {
            self.plan_likeliest();
        } else {
            self.chain = Some(chain);
        }
    }

    /// A random cycle through all items; where contents are missing, one with every item beside one that it can meet.
    fn plan_first_questions(&mut self, k: usize, contexts: Option<&Contexts>) {
        let mut cycle: Vec<Arm> = (0..k).collect();
        for i in (1..k).rev() {
            cycle.swap(i, self.stream.below(i + 1));
        }
        let meet = |i: Arm, j: Arm| i != j && contexts.is_none_or(|contexts| contexts.meet(i, j));
        // Every item can meet another one: that is checked where contents are given.
        let next = |at: usize| (1..k).map(|by| cycle[(at + by) % k]).find(|&other| meet(cycle[at], other));
        self.plan = (0..k).filter_map(|at| next(at).map(|other| Duel(cycle[at], other))).collect();
        self.queue = self.plan.iter().copied().collect();
    }

    /// Takes a question off the list of open ones; whether it was there.
    fn close(&mut self, proposal: &Proposal, outcome: Option<Outcome>) -> bool {
        let Some(at) = self.open.iter().position(|duel| *duel == proposal.duel) else { return false };
        self.open.swap_remove(at);
        if let Some(chain) = &mut self.chain {
            chain.close(proposal.duel, outcome);
        }
        true
    }

    /// The next question before sides are drawn, and the chance of either order of it.
    fn choose(&mut self, k: usize, contexts: Option<&Contexts>) -> (Duel, f64) {
        if let Some(duel) = self.chain.as_mut().and_then(Chain::next) {
            return (duel, 0.5);
        }
        let planned = self.queue.front().copied();
        let audits = match self.chain {
            // All others still play: any two, until one of them has won.
            Some(_) => 1.0,
            None if self.votes.count() < k as f64 => 0.0,
            None => AUDITS,
        };
        let audit = self.stream.uniform() < audits;
        // Where contents are missing, an audit is one of the pairs that have a context in common.
        let apart = contexts.filter(|contexts| audits > 0.0 && !contexts.is_everywhere());
        let pairs: Option<Vec<Duel>> = apart.map(|contexts| {
            let all = (0..k).flat_map(|i| (i + 1..k).map(move |j| Duel(i, j)));
            all.filter(|Duel(i, j)| contexts.meet(*i, *j)).collect()
        });
        let any = audits / pairs.as_ref().map_or(k * (k - 1), |pairs| 2 * pairs.len()) as f64;
        let duel = if let (true, Some(pairs)) = (audit, &pairs) {
            pairs[self.stream.below(pairs.len())]
        } else if audit {
            let i = self.stream.below(k);
            Duel(i, (i + 1 + self.stream.below(k - 1)) % k)
        } else {
            // A plan has at least one question: the first cycle, and later as many as a look is away.
            planned.unwrap_or_else(|| self.plan[self.stream.below(self.plan.len())])
        };
        if !audit {
            self.queue.pop_front();
        }
        let same = |other: &Duel| *other == duel || *other == Duel(duel.1, duel.0);
        let share = match planned {
            Some(planned) => f64::from(u8::from(same(&planned))),
            None if self.plan.is_empty() => 0.0,
            None => self.plan.iter().filter(|other| same(other)).count() as f64 / self.plan.len() as f64,
        };
        (duel, any + 0.5 * (1.0 - audits) * share)
    }

    /// The same question in the context where it is asked, if there are contexts.
    fn in_context(&mut self, problem: &Problem, proposal: Proposal) -> Proposal {
        let (Some(contexts), Duel(i, j), k) = (problem.contexts(), proposal.duel, problem.items()) else {
            return proposal;
        };
        let count = |context: &u32| self.asked.get(context).map_or([0; 2], |asked| asked.count(k, i, j));
        let allowed = contexts.common(i, j).map(|context| (context, count(&context)));
        let Some((context, chance)) = next_context(allowed, &mut self.stream) else { return proposal };
        let propensity = proposal.propensity.map(|pair| pair * chance);
        Proposal { propensity, ..proposal }.in_context(context)
    }
}

/// Votes as those of one voter who has no name, each in its context.
fn nameless(votes: &Votes, contexts: Option<&Contexts>) -> Ballots {
    let mut ballots = Ballots::default();
    for item in 0..votes.items() {
        ballots.item(&item.to_string());
    }
    let apart = votes.by_context().flat_map(|(context, pairs)| pairs.map(move |pair| (context, pair)));
    let together = votes.pairs().filter(|_| votes.contexts() == 0).map(|pair| (None, pair));
    for (context, (i, j, sum)) in together.chain(apart) {
        let name = context.zip(contexts).map(|(at, contexts)| contexts.names()[at as usize].as_str());
        let voter = ballots.voter("");
        // A tie is ½, whose r(1 − r) is ¼.
        let ties = 4.0 * sum.soft;
        for (answer, count) in
            [(Answer::Left, sum.wr - 0.5 * ties), (Answer::Right, sum.w - sum.wr - 0.5 * ties), (Answer::Tie, ties)]
        {
            add(&mut ballots, (Duel(i, j), name), voter, answer, count);
        }
    }
    ballots
}

/// Adds votes. Refused is an item against itself alone, which is no vote either.
fn add(ballots: &mut Ballots, (Duel(i, j), context): (Duel, Option<&str>), voter: u32, answer: Answer, count: f64) {
    let context = context.map(|name| ballots.context(name));
    let ballot =
        Ballot::new(i as u32, j as u32, answer).with_voter(Some(voter)).with_context(context).with_count(count);
    let _ = ballots.add_all(&[ballot]);
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if self.phase != Phase::Asking {
            return self.in_context(problem, Proposal::new(self.round, self.best, 1.0));
        }
        let k = problem.items();
        if self.plan.is_empty() && self.chain.is_none() {
            self.begin(problem);
        }
        let (Duel(i, j), propensity) = self.choose(k, problem.contexts());
        let duel = if self.stream.bits() & 1 == 0 { Duel(i, j) } else { Duel(j, i) };
        self.open.push(duel);
        let proposal = self.in_context(problem, Proposal::new(self.round, duel, propensity));
        if let Some(context) = proposal.context() {
            // It stays counted if it is taken back: then another context is asked first.
            self.asked.entry(context).or_default().add(k, i, j, 1);
        }
        proposal
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        self.learn(problem, proposal, outcome, "");
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        self.close(proposal, None);
    }

    fn fixed_until(&self) -> Option<FixedDuel> {
        (self.phase != Phase::Asking).then_some(FixedDuel::for_good(self.best))
    }

    fn skip(&mut self, rounds: u64) {
        self.round += rounds;
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        // A judgement's scores are over the other items; with p(i,i) = ½ among them they are the paper's.
        let k = out.len() as f64;
        out.iter_mut().zip(&self.scores).for_each(|(b, over_others)| *b = (over_others * (k - 1.0) + 0.5) / k);
    }

    /// The best by score; before anything is decided on few votes, who is likeliest to be the best.
    fn estimate(&self, _: &Problem) -> Arm {
        let few = self.phase != Phase::Decided && self.is_chained();
        self.likeliest.filter(|_| few).unwrap_or_else(|| crate::borda::winner(&self.scores))
    }

    fn settings(&self) -> Vec<Resolved> {
        let mut settings = vec![
            Resolved::new("level", self.config.level),
            Resolved::new("margin", self.config.margin),
            Resolved::new("goal", self.config.goal.to_string().as_str()),
            Resolved::new("until", if self.config.until == Until::Clear { "clear" } else { "good-enough" }),
            Resolved::new("trust", self.config.trust.name()),
            Resolved::new("pair_effects", self.start.pair_effects()),
        ];
        settings.extend(self.config.about.map(|about| Resolved::new("about", about.name())));
        settings.extend(self.config.budget.map(|budget| Resolved::new("budget", budget)));
        settings.extend(self.chained.then(|| Resolved::new("chain", "true")));
        settings
    }
}
