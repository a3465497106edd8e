//! Items that voters suggest: they wait until the organiser takes or rejects them.

use super::turn::Turn;
use crate::command::{Item, Refusal, Reply, Row};
use crate::event::{Event, Hash, Status};
use crate::state::Fate;
use sha2::{Digest, Sha256};

/// The most suggestions of one voter.
pub const MOST_SUGGESTIONS: usize = 5;
/// The most suggestions that wait in one study.
const WAITING: usize = 500;

impl Turn<'_> {
    pub(super) fn suggest(&mut self, voter: u32, content: &[u8]) -> Result<Reply, Refusal> {
        self.must_vote(voter)?;
        let refuse = |why: &str| Err(Refusal::Invalid(why.to_owned()));
        if !self.state.settings.suggestions {
            return refuse("this study takes no suggestions");
        }
        self.must_be(&[Status::Open, Status::Paused], "suggestions are taken until it is closed")?;
        if self.state.voters[voter as usize].answered == 0 {
            return refuse("a suggestion needs an answer that was given before");
        }
        let hash: Hash = Sha256::digest(content).into();
        // Whoever sends it twice has said it once, and who suggests what is there has nothing to add.
        let there = self.state.items.iter().any(|item| item.content == hash);
        if there || self.state.suggestions.iter().any(|suggestion| suggestion.content == hash) {
            return Ok(Reply::Unchanged);
        }
        if self.state.suggested_by(voter) >= MOST_SUGGESTIONS {
            return Err(Refusal::Invalid(format!("a voter suggests at most {MOST_SUGGESTIONS} items")));
        }
        if self.state.waiting().count() >= WAITING {
            return refuse("more suggestions wait than the organiser can look at: come back later");
        }
        self.rows.push(Row::Content { hash, body: content.to_vec() });
        self.emit(Event::Suggested { suggestion: self.state.suggestions.len() as u32, voter, content: hash });
        Ok(Reply::Done)
    }

    /// Makes an item of a suggestion, or rejects it.
    pub(super) fn weigh(&mut self, suggestion: u32, item: Option<&Item>) -> Result<Reply, Refusal> {
        let found = self.state.suggestions.get(suggestion as usize).copied();
        let Some(found) = found.filter(|found| found.fate == Fate::Waiting) else {
            return Err(Refusal::Invalid(format!("there is no suggestion {suggestion} that waits")));
        };
        let Some(item) = item else {
            self.must_be(&[Status::Draft, Status::Open, Status::Paused, Status::Closed], "its items stay as they are")?;
            self.reject(suggestion, &found.content);
            return Ok(Reply::Done);
        };
        if self.state.item(&item.key).is_some() {
            return Err(Refusal::Invalid(format!("there is an item {:?} already: take another key", item.key)));
        }
        self.set_items(std::slice::from_ref(item))?;
        let number = self.state.item(&item.key);
        self.emit(Event::Weighed { suggestion, item: number });
        Ok(Reply::Done)
    }

    /// Rejects what a voter who goes has suggested, as far as it still waits.
    pub(super) fn reject_all_of(&mut self, voter: u32) {
        let own = self.state.waiting().filter(|(_, suggestion)| suggestion.voter == voter);
        let own: Vec<(u32, Hash)> = own.map(|(number, suggestion)| (number, suggestion.content)).collect();
        own.iter().for_each(|(number, content)| self.reject(*number, content));
    }

    fn reject(&mut self, suggestion: u32, content: &Hash) {
        self.emit(Event::Weighed { suggestion, item: None });
        // What somebody else shows stays.
        let items = self.state.items.iter().any(|item| item.content == *content);
        if !items && !self.state.contexts.iter().any(|context| context.content == *content) {
            self.rows.push(Row::Discard { hash: *content });
        }
    }
}
