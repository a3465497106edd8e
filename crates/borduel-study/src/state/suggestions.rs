//! What voters suggest as items, and what became of it.

use super::State;
use crate::event::Hash;
use serde::{Deserialize, Serialize};

/// Something that a voter suggests as an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Who suggests it.
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
    /// The suggestions that wait for the organiser, with their numbers.
    pub fn waiting(&self) -> impl Iterator<Item = (u32, &Suggestion)> {
        (0_u32..).zip(&self.suggestions).filter(|(_, suggestion)| suggestion.fate == Fate::Waiting)
    }

    /// How many suggestions a voter has made.
    pub fn suggested_by(&self, voter: u32) -> usize {
        self.suggestions.iter().filter(|suggestion| suggestion.voter == voter).count()
    }
}
