//! The voters of a study.

use super::State;
use crate::event::{Kind, Standing};
use serde::{Deserialize, Serialize};

/// One voter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voter {
    /// What kind of voter.
    pub kind: Kind,
    /// Whether it may vote.
    pub standing: Standing,
    /// Whether its votes are set aside.
    pub aside: bool,
    /// The items that it must not be asked about.
    pub owns: Box<[u16]>,
    /// Its questions, in the order in which they were asked.
    pub questions: Vec<u32>,
    /// How many of them are answered and not taken back.
    pub answered: u32,
    /// How many of them are open.
    pub open: u32,
}

impl Voter {
    pub(super) fn new(kind: Kind, owns: Vec<u16>) -> Self {
        let owns = owns.into_boxed_slice();
        Self { kind, standing: Standing::Active, aside: false, owns, questions: Vec::new(), answered: 0, open: 0 }
    }
}

impl State {
    /// How many answers are wanted of this voter: `None` for a judge, who answers as many as there are.
    pub fn goal(&self, voter: &Voter) -> Option<u32> {
        (voter.kind != Kind::Judge).then_some(self.settings.questions_per_voter)
    }

    /// The open questions of a voter, in the order in which they were asked.
    pub fn open_of(&self, voter: u32) -> Vec<u32> {
        let Some(voter) = self.voters.get(voter as usize) else { return Vec::new() };
        // The newest are the likeliest to be open: look from the end until all are found.
        let newest = voter.questions.iter().rev().filter(|q| self.open.contains(q));
        let mut open: Vec<u32> = newest.take(voter.open as usize).copied().collect();
        open.reverse();
        open
    }
}
