//! One session: the policy, its open questions, and the log that all of it can be made from again.

use super::cheap::CheapJudge;
use super::contexts::Material;
use super::log::{Log, Question, Row, Word};
use crate::votes::hint::same_questions;
use borduel::ballots::Ballots;
use borduel::policy::find_winner::{Config, State};
use borduel::ranking::Model;
use borduel::sequential::{Judgement, Trust};
use borduel::{AnyPolicy, Duel, Features, Link, Outcome, Policy, PolicyConfig, Problem, Proposal, stream};
use borduel_lab::failure::Failure;
use borduel_report::{plain, sequential};
use borduel_votes::Items;
use std::collections::{BTreeMap, HashSet};

/// A run of `find`: the items, the answers so far, and the policy.
pub(crate) struct Session {
    pub(crate) items: Items,
    /// What items are compared on, where that is given.
    pub(crate) material: Option<Material>,
    problem: Problem,
    config: Config,
    policy: State,
    seed: u64,
    /// Who answers, where an answer does not say so.
    voter: Option<String>,
    log: Log,
    /// What judges answered in contexts whose votes are hints, and one who is asked before people.
    judges: (Vec<Ballots>, Option<CheapJudge>),
    /// The questions without an answer, by number.
    open: BTreeMap<u64, Proposal>,
    next: u64,
    /// How often each voter answered, where every pair is taken by itself.
    heard: BTreeMap<Option<String>, u64>,
    /// Pairs that were skipped in this session, each in its context: another question is asked first.
    skipped: HashSet<(usize, usize, Option<u32>)>,
}

/// How often a pair that was just skipped is put off.
const PUT_OFF: usize = 20;

impl Session {
    pub(crate) fn new(
        (items, model, material): (Items, Model, Option<Material>),
        judges: (Vec<Ballots>, Option<CheapJudge>),
        config: Config,
        seed: u64,
        voter: Option<String>,
        log: Log,
    ) -> Result<Self, Failure> {
        let features = match &model {
            Model::Features(features) => Ok(features.clone()),
            _ => Features::one_hot(items.ids.len()),
        };
        let problem = features.and_then(|features| Problem::new(features, Link::Logistic, None));
        let mut problem = problem.map_err(|error| Failure::from_command(&error))?;
        if let Some(material) = &material {
            problem = problem.in_contexts(material.contexts().clone());
        }
        let policy = fresh(&config, &problem, seed, log.len())?;
        let next = log.next_question();
        let (open, heard, skipped) = (BTreeMap::new(), BTreeMap::new(), HashSet::new());
        let mut session =
            Self { items, material, problem, config, policy, seed, voter, log, judges, open, next, heard, skipped };
        session.hear_judges()?;
        session.restore()?;
        Ok(session)
    }

    /// Makes the policy anew from the log.
    fn restore(&mut self) -> Result<(), Failure> {
        self.policy = fresh(&self.config, &self.problem, self.seed, self.log.len())?;
        self.open.clear();
        self.heard.clear();
        if self.config.trust == Trust::Nothing {
            for voter in self.log.answerers() {
                *self.heard.entry(voter.map(str::to_owned)).or_default() += 1;
            }
            self.check_heard()?;
        }
        self.policy.take_over(&self.problem, &self.ballots()?);
        Ok(())
    }

    /// Refuses several voters who answer more than once, where every answer to a pair must have the pair's one chance.
    fn check_heard(&self) -> Result<(), Failure> {
        let again = |(voter, answers): (&Option<String>, &u64)| (*answers > 1).then(|| voter.clone());
        match self.heard.iter().find_map(again) {
            Some(voter) if self.heard.len() > 1 => {
                let who = voter.map_or("somebody without a name".to_owned(), |voter| plain(&voter).into_owned());
                Err(Failure::Usage(format!(
                    "--trust nothing takes answers of one voter, or one answer of each: {who} answered several times, \
                     beside others; take --trust checked"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Takes into account what judges have answered to the same questions.
    pub(crate) fn hear_judges(&mut self) -> Result<(), Failure> {
        let Some(material) = &self.material else { return Ok(()) };
        let (hints, cheap) = &self.judges;
        let cheap = cheap.as_ref().map(|cheap| cheap.ballots(&self.items)).transpose()?;
        if let Some(answers) = same_questions(hints.iter().chain(&cheap), &self.items, material.contexts()) {
            self.problem = self.problem.with_judge(answers).map_err(|error| Failure::from_command(&error))?;
        }
        Ok(())
    }

    /// The questions for the cheap judge, if there is one, before people go on: whole pairs where that pays.
    pub(crate) fn for_judge(&self) -> Vec<Question> {
        let Some(cheap) = self.judges.1.as_ref().filter(|_| !self.is_over()) else { return Vec::new() };
        let mut pairs = self.policy.for_judge(&self.problem, cheap.prices());
        // A judge that says the same everywhere has answered, if nothing that helps.
        pairs.retain(|&pair| !cheap.knows(pair));
        cheap.questions(&pairs)
    }

    /// An answer of the cheap judge, into its log: no vote. What comes of it is for [`Session::hear_judges`].
    pub(crate) fn judged(&mut self, question: Question, word: Word, voter: Option<&str>) -> Result<(), Failure> {
        self.judges.1.as_mut().map_or(Ok(()), |cheap| cheap.write(question, word, voter, &self.items))
    }

    /// The cheap judge, if there is one.
    pub(crate) fn cheap(&self) -> Option<&CheapJudge> {
        self.judges.1.as_ref()
    }

    /// What is shown in a question.
    pub(crate) fn shown(&self) -> (&Items, Option<&Material>) {
        (&self.items, self.material.as_ref())
    }

    /// The votes so far.
    pub(crate) fn ballots(&self) -> Result<Ballots, Failure> {
        self.log.ballots(&self.items)
    }

    /// Whether what was to be found is found.
    pub(crate) fn decided(&self) -> bool {
        self.policy.decided()
    }

    /// Whether no more may be asked.
    pub(crate) fn is_over(&self) -> bool {
        self.decided() || self.config.budget.is_some_and(|budget| self.log.len() >= budget)
    }

    /// The answers so far, of any kind.
    pub(crate) fn answers(&self) -> u64 {
        self.log.len()
    }

    /// The questions that wait for their answers.
    pub(crate) fn waiting(&self) -> usize {
        self.open.len()
    }

    /// What can be said now.
    pub(crate) fn judgement(&self) -> Judgement {
        self.policy.judgement(&self.problem)
    }

    /// The same in words.
    pub(crate) fn sentence(&self, judgement: &Judgement) -> String {
        [Some(self.sentence_alone(judgement)), self.whose(judgement)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The same without whose verdict it is.
    pub(crate) fn sentence_alone(&self, judgement: &Judgement) -> String {
        sequential::verdict(judgement, &|item| plain(self.label(item)).into_owned())
    }

    /// Whose verdict it is, where one judge answered everything; and that a few speak for nobody else, be they voters
    /// or contexts.
    pub(crate) fn whose(&self, judgement: &Judgement) -> Option<String> {
        let (first, voters) = self.log.voters();
        let of_voters = sequential::whose(first, voters, judgement.options.level);
        let said: Vec<String> = of_voters.into_iter().chain(sequential::few_contexts(judgement)).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// How many answered; those who were not named are one.
    pub(crate) fn voters(&self) -> usize {
        self.log.voters().1
    }

    /// What to call an item before people.
    pub(crate) fn label(&self, item: usize) -> &str {
        self.items.names[item].as_deref().unwrap_or(&self.items.ids[item])
    }

    /// The next question; none when the verdict is there or the open questions are all that the budget allows.
    pub(crate) fn ask(&mut self) -> Option<Question> {
        let spent = self.log.len() + self.open.len() as u64;
        if self.is_over() || self.config.budget.is_some_and(|budget| spent >= budget) {
            return None;
        }
        let mut proposal = self.policy.ask(&self.problem);
        for _ in 0..PUT_OFF {
            if !self.skipped.contains(&key(&proposal)) {
                break;
            }
            self.policy.cancel(&self.problem, &proposal);
            proposal = self.policy.ask(&self.problem);
        }
        let (Duel(left, right), context) = (proposal.duel, proposal.context());
        let question = Question { number: self.next, left, right, context };
        self.open.insert(self.next, proposal);
        self.next += 1;
        Some(question)
    }

    /// An answer: into the log, then to the policy. `false` if no such question is open.
    pub(crate) fn answer(&mut self, number: u64, word: Word, voter: Option<&str>) -> Result<bool, Failure> {
        let Some(proposal) = self.open.remove(&number) else { return Ok(false) };
        let Duel(i, j) = proposal.duel;
        let voter = voter.or(self.voter.as_deref()).filter(|voter| !voter.is_empty());
        let (voter, context) = (voter.map(str::to_owned), proposal.context());
        if self.config.trust == Trust::Nothing && matches!(word, Word::Left | Word::Right | Word::Tie) {
            *self.heard.entry(voter.clone()).or_default() += 1;
            self.check_heard()?;
        }
        let row = Row { question: number, left: i, right: j, word, voter, context, prices: None };
        self.log.write(row.clone(), &self.items)?;
        let outcome = match word {
            Word::Left => Outcome::Win,
            Word::Right => Outcome::Loss,
            Word::Tie => Outcome::Tie,
            Word::BothBad | Word::Skip => {
                self.skipped.insert(key(&proposal));
                self.policy.cancel(&self.problem, &proposal);
                return Ok(true);
            }
        };
        match row.voter {
            Some(voter) => self.policy.tell_by(&self.problem, &proposal, outcome, &voter),
            None => self.policy.tell(&self.problem, &proposal, outcome),
        }
        Ok(true)
    }

    /// Takes the last answer of this session back; whether there was one.
    pub(crate) fn undo(&mut self) -> Result<bool, Failure> {
        let undone = self.log.undo()?;
        if undone {
            self.restore()?;
        }
        Ok(undone)
    }
}

/// A pair, whichever stands first, and its context.
fn key(proposal: &Proposal) -> (usize, usize, Option<u32>) {
    let Duel(i, j) = proposal.duel;
    (i.min(j), i.max(j), proposal.context())
}

/// A policy without votes. Its stream depends on how many answers there were, so that going on does not ask the same
/// again.
fn fresh(config: &Config, problem: &Problem, seed: u64, rows: u64) -> Result<State, Failure> {
    match PolicyConfig::FindWinner(config.clone()).build(problem, stream(seed, &[rows])) {
        Ok(AnyPolicy::FindWinner(policy)) => Ok(policy),
        Ok(_) => Err(Failure::Internal("find-winner made another policy".to_owned())),
        Err(error) => Err(Failure::from_command(&error)),
    }
}
