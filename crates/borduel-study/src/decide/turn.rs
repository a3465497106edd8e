//! One turn of a study: facts applied as they are found, and rows to be stored beside them.

use crate::command::{Refusal, Row};
use crate::error::no_text;
use crate::event::{Event, Millis, Status};
use crate::settings::Stop;
use crate::state::State;

/// What one turn of a study decides: facts applied as they are found, and rows to be stored beside them.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The state, with all that was decided applied.
    pub state: &'a mut State,
    /// The time of the decision.
    pub now: Millis,
    /// The events that were decided, in order.
    pub events: Vec<Event>,
    /// What is to be stored beside it.
    pub rows: Vec<Row>,
}

impl<'a> Turn<'a> {
    /// A turn at this time, or at the time of the last event if clocks went back; what is due by then happens.
    pub fn new(state: &'a mut State, now: Millis) -> Self {
        let now = now.max(state.at);
        let mut turn = Self { state, now, events: Vec::new(), rows: Vec::new() };
        turn.due();
        turn
    }

    /// Notes a fact.
    pub(crate) fn emit(&mut self, event: Event) {
        self.state.apply(self.now, &event);
        self.events.push(event);
    }

    /// Lapses what was open for too long, and closes the study when its time or its number of votes has come.
    pub(super) fn due(&mut self) {
        let life = i64::from(self.state.settings.ticket_seconds) * 1000;
        // Questions are numbered in the order of their times.
        let late = |q: &&u32| self.state.time_of(&self.state.questions[**q as usize]) + life < self.now;
        let late: Vec<u32> = self.state.open.iter().take_while(late).copied().collect();
        for q in late {
            self.emit(Event::Lapsed { q });
        }
        let over = self.is_over(self.state.settings.stop);
        if over && matches!(self.state.status, Status::Open | Status::Paused) {
            self.emit(Event::Status { status: Status::Closed });
        }
    }

    /// Whether a study that stops like this closes by itself now.
    fn is_over(&self, stop: Stop) -> bool {
        match stop {
            Stop::Votes(votes) => (0..self.state.criteria()).all(|one| self.state.votes_by(one) >= votes),
            Stop::Date(date) => self.now >= date,
            Stop::Never | Stop::GoodEnough | Stop::Clear => false,
        }
    }

    /// Refuses what would close the study at once, without a word.
    pub(crate) fn must_be_ahead(&self, stop: Stop) -> Result<(), Refusal> {
        match stop {
            _ if !self.is_over(stop) => Ok(()),
            Stop::Votes(votes) => Err(Refusal::Invalid(format!(
                "settings.stop after {votes} votes: there are as many already; choose more, or never"
            ))),
            _ => Err(Refusal::Invalid("settings.stop: that time is past; choose a later one, or never".to_owned())),
        }
    }

    pub(super) fn must_be(&self, allowed: &[Status], needed: &'static str) -> Result<(), Refusal> {
        let status = self.state.status;
        if allowed.contains(&status) { Ok(()) } else { Err(Refusal::Status { status, needed }) }
    }

    /// Refuses what PostgreSQL cannot hold as text: it would fail the whole turn, with everybody else's votes.
    pub(super) fn must_be_text(what: &str, text: &str) -> Result<(), Refusal> {
        if text.contains('\0') { Err(Refusal::Invalid(no_text(what))) } else { Ok(()) }
    }

    pub(super) fn must_vote(&self, voter: u32) -> Result<(), Refusal> {
        if voter as usize >= self.state.voters.len() {
            return Err(Refusal::NoVoter(voter));
        }
        if self.state.may_vote(voter) { Ok(()) } else { Err(Refusal::Barred(voter)) }
    }
}
