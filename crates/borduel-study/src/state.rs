//! The state of a study: the fold of its log.
//!
//! [`State::apply`] is total and pure: no clock (the time comes with the event), no chance, no arithmetic on floats.
//! The same log therefore gives the same bytes of [`State::encode`] on any machine.

mod attributes;
mod blocks;
mod contexts;
mod criteria;
mod gold;
mod items;
mod questions;
mod rows;
mod suggestions;
mod voters;

pub use attributes::Attribute;
pub use blocks::Blocks;
pub use contexts::Context;
pub use criteria::Track;
pub(crate) use gold::fails;
pub use gold::{GoldAnswers, GoldRecord};
pub use items::{Item, check_features};
pub use questions::{Phase, Question};
pub use rows::Rows;
pub use suggestions::{Fate, Suggestion};
pub use voters::Voter;

use crate::error::{Error, Result};
use crate::event::{Answer, Entry, Event, Grade, GradedAnswer, Hash, Kind, Millis, Scope, Source, Standing, Status};
use crate::settings::{Goal, Method, Model, Settings};
use crate::table::Table;
use borduel_rank::ranking::VerdictKind;
use criteria::Criteria;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The version of [`State::encode`]. A snapshot of another one is ignored, and the log replayed.
pub const VERSION: u32 = 14;

/// Everything that follows from a log. A copy of it is cheap, however many votes there are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// How many events there were.
    pub head: u64,
    /// The time of the last one.
    pub at: Millis,
    /// The hash of the log.
    #[serde(with = "crate::hex")]
    pub log_hash: Hash,
    /// When the study was created.
    pub created: Millis,
    /// Where all random numbers come from.
    pub seed: u64,
    /// What the organiser decided.
    #[serde(with = "crate::settings::text")]
    pub settings: Settings,
    /// Whether it is open.
    pub status: Status,
    /// The items by number.
    pub items: Vec<Item>,
    /// The contexts by number; none where items are compared as such.
    pub contexts: Blocks<Context>,
    /// The voters by number.
    pub voters: Blocks<Voter>,
    /// What voters have said about themselves.
    pub attributes: Vec<Attribute>,
    /// The answers of which there were once as many voters as are wanted; only known where somebody is told.
    pub full: BTreeSet<(String, String)>,
    /// What voters have suggested, by number.
    pub suggestions: Vec<Suggestion>,
    /// Whether voters were ever asked how much better something is.
    pub graded: bool,
    /// The questions by number.
    pub questions: Blocks<Question>,
    /// The questions that are open.
    pub open: BTreeSet<u32>,
    /// For each pair i < j that was asked: how often i stood first, less how often j did.
    pub sides: Rows<(u16, u16), i32>,
    /// How often each pair i < j was asked in each context.
    asked_in: Rows<(u16, u16, u16), u32>,
    /// The plan that pairs are drawn from at present.
    pub plan: PairPlan,
    /// The last look; where there are several criteria, each has its own.
    pub judged: Option<Judged>,
    /// What is known by each of several criteria; none where one question is asked about each pair.
    pub criteria: Vec<Track>,
    /// The imported files by name.
    pub imports: BTreeMap<String, Import>,
    /// The votes that count: answers that say something, not taken back, by voters not set aside, on enabled items
    /// and in enabled contexts, whose pair was not gold. Where there are several criteria, the pairs of which that
    /// holds by at least one.
    pub votes: u64,
    /// How many events there were when items, voters' votes or settings last changed: older plans are out of date.
    pub changed: u64,
    /// What has changed since the last look, other than by new votes: how many events there were at the last change,
    /// and the second of the earliest answer that is concerned.
    pub unsettled: Option<(u64, u32)>,
    /// What questions are drawn from; follows from items and plan, and is made again when they change.
    #[serde(skip)]
    table: Option<Arc<Table>>,
    /// The number of the item of each key; follows from the items.
    #[serde(skip)]
    by_key: Arc<HashMap<String, u16>>,
    /// The number of the context of each key; follows from the contexts.
    #[serde(skip)]
    context_by_key: Arc<HashMap<String, u16>>,
}

/// What pairs are drawn from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairPlan {
    /// Its number; 0 before it is adopted.
    pub number: u32,
    /// How many events it has seen.
    pub basis: u64,
    /// How many counted votes it has seen.
    pub votes: u64,
    /// How it was made; `None` where every pair is as likely as another because there is no plan yet.
    pub method: Option<Method>,
    /// The share drawn from all pairs alike.
    pub audits: f64,
    /// (i, j, weight) with i < j.
    pub pairs: Vec<(u16, u16, u32)>,
    /// The pairs i < j that a judge is asked about first, in every context.
    pub judge_first: Vec<(u16, u16)>,
}

/// What a look found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Its number, from 0.
    pub look: u32,
    /// When it was found, in milliseconds since 1970.
    pub at: Millis,
    /// The votes then counted.
    pub votes: u64,
    /// The confidence spent on it.
    pub level: f64,
    /// The kind of verdict that was found.
    pub kind: VerdictKind,
    /// All that may be best, the leader first: the clear winner alone; who may be chosen and who may be just as good;
    /// those that tie; or all that may still be best.
    pub winners: Vec<u16>,
    /// What it is about, where votes have contexts.
    pub about: Option<Scope>,
    /// The votes at which that was first found: looks since then found the same, or too little to say otherwise.
    pub reached: u64,
    /// The second, counted from the study's creation, until which answers may be what it rests on.
    pub rests_until: u32,
    /// Whether what it rests on has changed: then there is no verdict, and all may be best until the next look.
    pub void: bool,
}

impl Judged {
    /// Whether it answers the question of a look that is about this.
    pub fn answers(&self, about: Option<Scope>) -> bool {
        match (self.about, about) {
            (None, None) => true,
            (Some(own), Some(other)) => own.answers(other),
            _ => false,
        }
    }

    /// Whether this is its verdict: the same winners, or the same one that may be chosen.
    fn says(&self, kind: VerdictKind, winners: &[u16], goal: Goal) -> bool {
        let same = match kind {
            VerdictKind::NotEnough => false,
            VerdictKind::GoodEnough if goal == Goal::Winner => self.winners.first() == winners.first(),
            VerdictKind::GoodEnough | VerdictKind::Tie | VerdictKind::ClearWinner => self.winners == winners,
        };
        self.kind == kind && same
    }

    /// Whether it stays when a later look finds this: its confidence is that of ever saying something wrong, so that it
    /// was paid for when it was reached. A verdict stays where nothing is decided, and a clear winner or a tie where
    /// one is only good enough.
    pub fn outlasts(&self, kind: VerdictKind) -> bool {
        let rank = |kind| match kind {
            VerdictKind::NotEnough => 0,
            VerdictKind::GoodEnough => 1,
            VerdictKind::Tie | VerdictKind::ClearWinner => 2,
        };
        rank(self.kind) > rank(kind)
    }
}

/// How much of a file is in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The hash of its bytes.
    #[serde(with = "crate::hex")]
    pub hash: Hash,
    /// The votes it has.
    pub rows: u64,
    /// The votes that are in.
    pub done: u64,
    /// The number of the first of its voters.
    pub voters: u32,
}

impl State {
    /// Applies an event. One that makes no sense changes nothing but the head: a log is what it is.
    pub fn apply(&mut self, at: Millis, event: &Event) {
        self.head += 1;
        self.at = self.at.max(at);
        match event {
            Event::Created { settings, seed } => {
                self.created = at;
                self.settings = settings.clone();
                self.graded = settings.grades;
                self.seed = *seed;
                self.set_criteria();
            }
            Event::Set { settings } => {
                let asked = |settings: &Settings| (settings.model, settings.goal, settings.about, settings.trust);
                let of = |settings: &Settings| (asked(settings), settings.level, settings.margin);
                if of(settings) != of(&self.settings) {
                    self.unsettle(0);
                }
                self.settings = settings.clone();
                self.graded |= settings.grades;
                self.set_criteria();
                self.outdate();
            }
            Event::Status { status } => self.status = *status,
            Event::ItemAdded { item, key, content, features } => self.add_item(*item, key, content, features),
            Event::ItemEdited { item, content, features } => {
                if let Some(item) = self.items.get_mut(usize::from(*item)) {
                    item.content = *content;
                    let features_matter = self.settings.model == Model::Features && item.enabled;
                    let changes = features_matter && item.features != *features;
                    item.features.clone_from(features);
                    if changes {
                        self.unsettle(0);
                    }
                }
                self.changed = self.head;
            }
            Event::ItemEnabled { item, on } => {
                if let Some(item) = self.items.get_mut(usize::from(*item)) {
                    let before = item.enabled;
                    item.enabled = *on && !item.replaced;
                    if item.enabled != before {
                        self.unsettle(0);
                    }
                }
                self.recount();
            }
            Event::ContextAdded { context, key, content } => self.add_context(*context, key, content),
            Event::ContextEdited { context, content } => self.edit_context(*context, content),
            Event::ContextEnabled { context, on } => self.enable_context(*context, *on),
            Event::ContentGiven { item, context, content } => self.give_content(*item, *context, content),
            Event::Joined { voter, kind, owns, network } => {
                if *voter as usize == self.voters.len() {
                    self.voters.push(Voter::new(*kind, owns.clone(), *network, self.second()));
                }
            }
            Event::QuotaFull { key, answer } => drop(self.full.insert((key.clone(), answer.clone()))),
            Event::Suggested { suggestion, voter, content } => self.suggest(*suggestion, *voter, *content),
            Event::Weighed { suggestion, item } => self.weigh(*suggestion, *item),
            Event::Described { voter, answers } => self.describe(*voter, answers),
            Event::VoterState { voter, state, votes } => self.set_voter(*voter, *state, *votes),
            Event::Extended { voter, more } => {
                if let Some(voter) = self.voters.get_mut(*voter as usize) {
                    voter.more = voter.more.saturating_add(*more);
                }
            }
            Event::Planned { plan, basis, votes, method, audits, pairs, judge_first } => {
                self.plan = PairPlan {
                    number: *plan,
                    basis: *basis,
                    votes: *votes,
                    method: Some(*method),
                    audits: *audits,
                    pairs: pairs.clone(),
                    judge_first: judge_first.clone(),
                };
                self.table = None;
            }
            Event::Asked { q, voter, first, second, source, context, .. } => {
                self.ask(*q, *voter, (*first, *second), *context, *source);
            }
            Event::Answered { q, answer, ms, grade, other_criteria, .. } => {
                self.answer(*q, GradedAnswer { answer: *answer, grade: *grade }, other_criteria, *ms);
            }
            Event::Lapsed { q } => self.lapse(*q),
            Event::Retracted { q, .. } => self.retract(*q),
            Event::Judged { look, votes, level, kind, winners, about, criterion } => {
                self.note_look(at, usize::from(*criterion), (*look, *votes, *level), (*kind, winners, *about));
            }
            Event::Imported { name, hash, rows, done, voters, hint } => {
                self.imports.insert(name.clone(), Import { hash: *hash, rows: *rows, done: *done, voters: *voters });
                if *hint {
                    self.outdate();
                    self.unsettle(0);
                }
            }
        }
    }

    /// Takes note of a look by a criterion: its number, votes and level, and what was found.
    fn note_look(
        &mut self,
        at: Millis,
        criterion: usize,
        (look, votes, level): (u32, u64, f64),
        (kind, winners, about): (VerdictKind, &[u16], Option<Scope>),
    ) {
        let (second, goal) = (self.second(), self.settings.goal);
        let Some((judged, unsettled)) = self.looks_by(criterion) else { return };
        let says = |before: &&Judged| before.answers(about) && before.says(kind, winners, goal);
        let before = judged.as_ref().filter(says);
        let reached = before.map_or(votes, |before| before.reached);
        // Who may be just as good is what the last look says.
        let unchanged = before.filter(|before| before.winners == *winners);
        let rests_until = unchanged.map_or(second, |before| before.rests_until);
        let (winners, void) = (winners.to_vec(), false);
        *judged = Some(Judged { look, at, votes, level, kind, winners, about, reached, rests_until, void });
        *unsettled = None;
    }

    /// Applies an entry as it is stored, hash included.
    ///
    /// # Errors
    /// An entry that cannot be read, or that does not follow this state; the state is then of no further use.
    pub fn append(&mut self, entry: &Entry) -> Result<()> {
        if entry.first != self.head + 1 {
            let why = format!("it follows event {}: something is missing in between", self.head);
            return Err(Error::Entry { first: entry.first, why });
        }
        for event in &entry.events()? {
            self.apply(entry.at, event);
        }
        self.seal(entry);
        Ok(())
    }

    /// Takes note of the entry that the last applied events are stored as.
    pub fn seal(&mut self, entry: &Entry) {
        self.log_hash = entry.hash(&self.log_hash);
    }

    /// The state as bytes, the same ones for the same log.
    ///
    /// # Errors
    /// Never: the format holds every value of the state. An error is returned rather than feared.
    pub fn encode(&self) -> Result<Vec<u8>> {
        postcard::to_stdvec(self).map_err(|error| Error::Snapshot(error.to_string()))
    }

    /// The state of these bytes.
    ///
    /// # Errors
    /// Bytes that are no state of this version.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut state: Self = postcard::from_bytes(bytes).map_err(|error| Error::Snapshot(error.to_string()))?;
        state.index();
        Ok(state)
    }

    /// What questions are drawn from.
    pub fn table(&mut self) -> Arc<Table> {
        let table = self.table.take().unwrap_or_else(|| Arc::new(self.new_table()));
        self.table = Some(table.clone());
        table
    }

    fn new_table(&self) -> Table {
        let contexts: Vec<u16> = self.enabled_contexts().collect();
        let own = |context: &u16| self.contexts[usize::from(*context)].contents().map(|(item, _)| item).collect();
        let own: Option<Vec<Vec<u16>>> = self.settings.own_contents.then(|| contexts.iter().map(own).collect());
        Table::in_contexts(self.enabled().collect(), contexts, own.as_deref(), &self.plan.pairs)
    }

    /// The same for whoever only looks.
    pub(crate) fn present_table(&self) -> Arc<Table> {
        self.table.clone().unwrap_or_else(|| Arc::new(self.new_table()))
    }

    /// Whether a voter may vote.
    pub fn may_vote(&self, voter: u32) -> bool {
        self.voters.get(voter as usize).is_some_and(|voter| voter.standing == Standing::Active)
    }

    /// Whether this question's answer counts, if it is answered. Where there are several criteria, that by the first.
    pub fn counts(&self, question: &Question) -> bool {
        question.answer().says_something() && self.may_count(question)
    }

    /// Whether what this question's answer says counts, if it says something.
    fn may_count(&self, question: &Question) -> bool {
        let excluded = self.voters.get(question.voter as usize).is_none_or(|voter| voter.excluded);
        !excluded && self.is_vote(question)
    }

    /// The same, whatever becomes of its voter's votes.
    fn is_vote(&self, question: &Question) -> bool {
        let enabled = |item: u16| self.items.get(usize::from(item)).is_some_and(|item| item.enabled);
        let elsewhere = |context: u16| self.contexts.get(usize::from(context)).is_none_or(|context| !context.enabled);
        question.phase == Phase::Answered
            && !question.source.is_gold()
            && enabled(question.first)
            && enabled(question.second)
            && !question.context().is_some_and(elsewhere)
    }

    /// Whether a new plan is due: a tenth more votes and at least 8, or something else has changed since.
    pub fn plan_due(&self) -> bool {
        let enough = self.items.iter().filter(|item| item.enabled).count() >= 2;
        let stale = self.plan.basis < self.changed || self.plan.method != Some(self.settings.planner);
        let grown = self.votes >= (self.plan.votes + 8).max(self.plan.votes + self.plan.votes / 10);
        enough && (stale || (grown && self.settings.planner != Method::Uniform))
    }

    /// Takes note that answers since this second are not what they were, or do not mean it any more, by any criterion.
    fn unsettle(&mut self, second: u32) {
        self.unsettle_by(Criteria::ALL, second);
    }

    /// Whether a look by a criterion that has seen so many events, until this second, rests on what has changed since.
    pub fn is_out_of_date(&self, criterion: usize, (head, second): (u64, u32)) -> bool {
        self.unsettled_by(criterion).is_some_and(|(changed, earliest)| changed > head && earliest <= second)
    }

    /// Counts the votes again, after something that changes many of them.
    fn recount(&mut self) {
        let (all, each) = self.recounted();
        self.votes = all;
        self.criteria.iter_mut().zip(each).for_each(|(track, votes)| track.votes = votes);
        self.outdate();
    }

    /// Takes note that plans and looks before this event are out of date.
    fn outdate(&mut self) {
        self.changed = self.head;
        self.table = None;
    }

    /// Takes note of a question.
    fn ask(&mut self, q: u32, voter: u32, (first, second): (u16, u16), context: Option<u16>, source: Source) {
        let known = |item: u16| usize::from(item) < self.items.len();
        let somewhere = context.is_none_or(|context| usize::from(context) < self.contexts.len());
        if q as usize != self.questions.len()
            || voter as usize >= self.voters.len()
            || !known(first)
            || !known(second)
            || !somewhere
        {
            return;
        }
        let mut question = Question::new(voter, (first, second), context, source);
        question.second_at = self.second();
        self.questions.push(question);
        if let Some(context) = context {
            self.show_in((first, second), context);
        }
        let asked = &mut self.voters[voter as usize];
        asked.questions.push(q);
        asked.open += 1;
        let hint = asked.kind == Kind::Hint;
        self.open.insert(q);
        // Whom people see first does not hang on what judges saw.
        if !hint {
            let side = self.sides.entry((first.min(second), first.max(second)));
            *side += if first < second { 1 } else { -1 };
        }
        self.items[usize::from(first)].first += 1;
        self.items[usize::from(second)].second += 1;
    }

    /// Of each item: how many votes for it say how much better it is, and how many of those much.
    pub fn grades(&self) -> Vec<(u64, u64)> {
        let mut grades = vec![(0, 0); self.items.len()];
        for question in self.questions.iter().filter(|question| self.counts(question)) {
            let Some(grade) = question.grade() else { continue };
            let better = if question.answer() == Answer::First { question.first } else { question.second };
            let (told, much) = &mut grades[usize::from(better)];
            *told += 1;
            *much += u64::from(grade == Grade::Much);
        }
        grades
    }

    /// Takes note of an answer.
    fn answer(&mut self, q: u32, said: GradedAnswer, other_criteria: &[GradedAnswer], ms: Option<u32>) {
        let second = self.second();
        let Some(question) = self.questions.get_mut(q as usize) else { return };
        if !matches!(question.phase, Phase::Open | Phase::Lapsed) {
            return;
        }
        question.set_answer(said, ms, second);
        let question = *question;
        self.note_other_criteria(q, other_criteria);
        let voter = &mut self.voters[question.voter as usize];
        voter.answered += 1;
        if self.open.remove(&q) {
            voter.open -= 1;
        }
        self.count_vote(self.counting(q, &question), true);
    }

    /// Frees the place of a question that was open for too long.
    fn lapse(&mut self, q: u32) {
        if self.open.remove(&q) {
            let question = &mut self.questions[q as usize];
            question.phase = Phase::Lapsed;
            self.voters[question.voter as usize].open -= 1;
        }
    }

    /// Takes an answer back.
    fn retract(&mut self, q: u32) {
        let Some(question) = self.questions.get(q as usize).copied() else { return };
        if question.phase == Phase::Answered {
            let by = self.counting(q, &question);
            self.count_vote(by, false);
            self.questions[q as usize].phase = Phase::Retracted;
            self.voters[question.voter as usize].answered -= 1;
            if !by.is_empty() {
                self.unsettle_by(by, question.second_at);
            }
        }
    }

    /// Seconds since the study was created, at the time of the last event.
    pub(crate) fn second(&self) -> u32 {
        u32::try_from((self.at - self.created) / 1000).unwrap_or(u32::MAX)
    }

    /// When a question was asked or answered, in milliseconds; exact to a second.
    pub fn time_of(&self, question: &Question) -> Millis {
        self.created + i64::from(question.second_at) * 1000
    }
}
