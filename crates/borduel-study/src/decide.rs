//! From a command and a state to facts and a reply.
//!
//! Deciding applies each fact as it is found, so that a command may depend on what it has just decided (a second
//! question on a first); a refusal always comes before the first fact. What is random comes from the study's seed and
//! the question's number alone.

mod contexts;
mod describe;
mod import;
mod manage;
mod suggest;
mod turn;
mod voting;

pub use suggest::MOST_SUGGESTIONS;
pub use turn::Turn;
pub use voting::{COMMENT, JUDGE_AHEAD, UNDO_LAST, UNDO_WITHIN};

use crate::command::{Command, Refusal, Reply, Row};
use crate::event::{Event, GradedAnswer, Millis};
use crate::state::State;
use voting::Submitted;

impl Turn<'_> {
    /// Decides one command.
    ///
    /// # Errors
    /// A [`Refusal`]; nothing is then changed.
    pub fn decide(&mut self, command: &Command) -> Result<Reply, Refusal> {
        match command {
            Command::Ask { voter, count } => self.ask(*voter, *count),
            Command::More { voter, count } => self.more(*voter, *count),
            Command::Answer { voter, q, answer, ms, stacked, grade, other_criteria, comment, more } => {
                let (ms, stacked, comment) = (*ms, *stacked, comment.as_deref());
                let first = GradedAnswer { answer: *answer, grade: *grade };
                let said = std::iter::once(first).chain(other_criteria.iter().copied()).collect();
                let given = Submitted { q: *q, said, ms, stacked, comment };
                self.answer(*voter, given, *more)
            }
            Command::Undo { q, voter } => self.undo(*q, *voter),
            Command::Comment { voter, text } => self.comment(*voter, text),
            Command::Keep(body) => Ok(self.keep(body)),
            Command::Join(join) => self.join(join),
            Command::Describe { voter, answers } => self.describe(*voter, answers),
            Command::Voter { voter, standing, votes, by } => self.set_voter(*voter, *standing, *votes, *by),
            Command::Items(items) => self.set_items(items),
            Command::Suggest { voter, content } => self.suggest(*voter, content),
            Command::Weigh { suggestion, item } => self.weigh(*suggestion, item.as_ref()),
            Command::Enable { key, on } => self.enable(key, *on),
            Command::Contexts(contexts) => self.set_contexts(contexts),
            Command::EnableContext { key, on } => self.enable_context(key, *on),
            Command::Contents(contents) => self.set_contents(contents),
            Command::Set(change) => self.set(change),
            Command::Status(status) => self.set_status(*status),
            Command::Adopt(plan) => Ok(self.adopt(plan)),
            Command::Judge(look) => Ok(self.judge(look)),
            Command::Import(chunk) => self.import(chunk),
            Command::Tick => Ok(Reply::Unchanged),
        }
    }
}

/// Decides one command on its own: the facts, what is to be stored beside them, and the reply. The state has them
/// applied; after a refusal they are only what was due by then, such as lapsed questions.
pub fn decide(state: &mut State, command: &Command, now: Millis) -> (Vec<Event>, Vec<Row>, Result<Reply, Refusal>) {
    let mut turn = Turn::new(state, now);
    let reply = turn.decide(command);
    (turn.events, turn.rows, reply)
}
