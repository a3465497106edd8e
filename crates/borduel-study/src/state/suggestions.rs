//! What voters suggest as items, and what became of it.

use super::State;
use crate::event::Hash;
use serde::{Deserialize, Serialize};

/// Something that a voter suggests as an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The number of the voter who suggests it.
    pub voter: u32,
    /// The hash of what is to be shown of it.
    #[serde(with = "crate::hex")]
    pub content: Hash,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// The organiser has yet to look at it.
    Waiting,
    /// It is the item of this number.
    Item(u16),
    /// It was rejected, and what it said is deleted.
    Rejected,
}

impl State {
    /// Takes note of what a voter suggests.
    pub(super) fn suggest(&mut self, suggestion: u32, voter: u32, content: Hash) {
        if suggestion as usize == self.suggestions.len() {
            self.suggestions.push(Suggestion { voter, content, fate: Fate::Waiting });
        }
    }

    /// Takes note of what became of it.
    pub(super) fn weigh(&mut self, suggestion: u32, item: Option<u16>) {
        if let Some(suggestion) = self.suggestions.get_mut(suggestion as usize) {
            suggestion.fate = item.map_or(Fate::Rejected, Fate::Item);
        }
    }

    /// The suggestions that wait for the organiser, with their numbers.
    pub fn waiting(&self) -> impl Iterator<Item = (u32, &Suggestion)> {
        (0_u32..).zip(&self.suggestions).filter(|(_, suggestion)| suggestion.fate == Fate::Waiting)
    }

    /// How many suggestions a voter has made.
    pub fn suggested_by(&self, voter: u32) -> usize {
        self.suggestions.iter().filter(|suggestion| suggestion.voter == voter).count()
    }
}
