//! What all explore-then-commit policies share: how many questions to ask, what is still open, and when to commit.
//!
//! After its last exploration question such a policy proposes its current favourite against itself and goes on learning
//! from late answers; it is committed when none is open, or after `patience` further questions (unless set, as many as it
//! explored). A question that was cancelled is asked again, but in all no more often than was planned once.

use crate::duel::{Arm, Duel, Memory, Proposal};
use serde::{Deserialize, Serialize};

/// The state of an exploration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Commitment {
    round: u64,
    budget: u64,
    patience: u64,
    explored: u64,
    open: u64,
    waited: u64,
    /// Cancelled questions to be asked again.
    returned: Vec<Duel>,
    returns: u64,
    /// Answers since the favourite was last determined.
    news: u64,
    answered: u64,
    favourite: Option<Arm>,
    committed: bool,
}

/// What to ask next.
pub(crate) enum Next {
    /// A new exploration question, to be chosen by the policy.
    Explore,
    /// This exploration question once more.
    Again(Duel),
    /// The favourite against itself; when `refit`, determined anew.
    Favourite { refit: bool },
}

impl Commitment {
    pub(crate) fn new(budget: u64, patience: Option<u64>) -> Self {
        Self {
            round: 0,
            budget,
            patience: patience.unwrap_or(budget),
            explored: 0,
            open: 0,
            waited: 0,
            returned: Vec::new(),
            returns: 0,
            news: 0,
            answered: 0,
            favourite: None,
            committed: false,
        }
    }

    /// Before the first question: leaves out this many, which were asked in an earlier exploration.
    pub(crate) fn leave_out(&mut self, asked: u64) {
        let budget = self.budget.saturating_sub(asked);
        self.patience = if self.patience == self.budget { budget } else { self.patience };
        self.budget = budget;
    }

    /// The number of exploration questions asked, repetitions not counted.
    pub(crate) fn explored(&self) -> u64 {
        self.explored
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Next {
        self.round += 1;
        if self.explored < self.budget {
            self.explored += 1;
            self.open += 1;
            return Next::Explore;
        }
        self.later()
    }

    /// After the last planned question.
    fn later(&mut self) -> Next {
        if let Some(duel) = self.returned.pop() {
            self.open += 1;
            return Next::Again(duel);
        }
        self.waited += 1;
        let last = self.waited > self.patience;
        // A late answer changes little: the favourite is determined anew when 2 % more are known, and at the end.
        let refit = self.favourite.is_none() || (self.news > 0 && (last || self.news * 50 > self.answered));
        Next::Favourite { refit }
    }

    /// The ticket of an exploration question.
    #[inline]
    pub(crate) fn exploration(&self, duel: Duel, propensity: f64) -> Proposal {
        Proposal { round: self.round, duel, propensity, memory: Memory::Exploration }
    }

    /// The favourite against itself.
    pub(crate) fn favourite(&mut self, redetermined: Option<Arm>) -> Proposal {
        if redetermined.is_some() {
            self.settle(redetermined);
        }
        let arm = self.favourite.unwrap_or(0);
        self.committed |= self.waited > self.patience;
        Proposal::plain(self.round, Duel(arm, arm), 1.0)
    }

    /// Counts an answer; true when it was the last one and the policy should settle.
    #[inline]
    pub(crate) fn answered(&mut self) -> bool {
        self.open = self.open.saturating_sub(1);
        self.news += 1;
        self.answered += 1;
        self.is_complete()
    }

    /// Takes a question back; true when nothing is open any more and the policy should settle.
    pub(crate) fn cancelled(&mut self, proposal: &Proposal) -> bool {
        if proposal.memory != Memory::Exploration || self.committed {
            return false;
        }
        self.open = self.open.saturating_sub(1);
        if self.returns < self.budget {
            self.returns += 1;
            self.returned.push(proposal.duel);
        }
        self.is_complete()
    }

    #[inline]
    fn is_complete(&self) -> bool {
        self.open == 0 && self.explored == self.budget && self.returned.is_empty()
    }

    /// Notes the favourite; final if nothing is open.
    pub(crate) fn settle(&mut self, favourite: Option<Arm>) {
        self.favourite = favourite;
        self.news = 0;
        self.committed |= self.is_complete();
    }

    /// Whether an answer to this question still counts.
    #[inline]
    pub(crate) fn wants(&self, proposal: &Proposal) -> bool {
        matches!(proposal.memory, Memory::Exploration) && !self.committed
    }

    #[inline]
    pub(crate) fn committed(&self) -> Option<Duel> {
        if self.committed { self.favourite.map(|arm| Duel(arm, arm)) } else { None }
    }
}
