//! What all explore-then-commit policies share: how many questions to ask, what is still open, and when to commit.
//!
//! After its last exploration question such a policy proposes its current favourite against itself and goes on learning
//! from late answers; it is committed when none is open, or after `patience` further questions (unless set, as many as
//! it explored). A question that was cancelled is asked again, but in all no more often than was planned once.

use crate::duel::{Arm, Duel, Memory, Proposal};
use crate::policy::FixedDuel;
use serde::{Deserialize, Serialize};

/// The state of an exploration. It is kept in few counters, the rest following from them, since every round counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Commitment {
    round: u64,
    budget: u64,
    /// The number of questions, as it was set.
    patience: Option<u64>,
    answered: u64,
    /// Cancelled questions to be asked again; how many were cancelled, and of these asked again, in all.
    returned: Vec<Duel>,
    cancelled: u64,
    repeated: u64,
    /// How many questions have gone to the favourite.
    waited: u64,
    favourite: Option<Arm>,
    /// The number of answers when the favourite was last determined.
    settled: u64,
    committed: bool,
}

/// What to ask next.
pub(crate) enum Next {
    /// A new exploration question, to be chosen by the policy: which one, from 1.
    Explore { number: u64 },
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
            patience,
            answered: 0,
            returned: Vec::new(),
            cancelled: 0,
            repeated: 0,
            waited: 0,
            favourite: None,
            settled: 0,
            committed: false,
        }
    }

    /// Before the first question: leaves out this many, which were asked in an earlier exploration.
    pub(crate) fn leave_out(&mut self, asked: u64) {
        self.budget = self.budget.saturating_sub(asked);
    }

    /// The number of exploration questions asked, repetitions not counted.
    #[inline]
    pub(crate) fn explored(&self) -> u64 {
        self.round.min(self.budget)
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Next {
        self.round += 1;
        if self.round <= self.budget { Next::Explore { number: self.round } } else { self.later() }
    }

    /// After the last planned question.
    #[cold]
    fn later(&mut self) -> Next {
        if let Some(duel) = self.returned.pop() {
            self.repeated += 1;
            return Next::Again(duel);
        }
        self.waited += 1;
        let last = self.out_of_patience();
        let news = self.answered - self.settled;
        // A late answer changes little: the favourite is determined anew when 2 % more are known, and at the end.
        let refit = self.favourite.is_none() || (news > 0 && (last || news * 50 > self.answered));
        Next::Favourite { refit }
    }

    /// Whether late answers have been waited for as long as was set, or as many questions as were explored.
    fn out_of_patience(&self) -> bool {
        self.waited > self.patience.unwrap_or(self.budget)
    }

    /// The ticket of an exploration question.
    #[inline]
    pub(crate) fn exploration(&self, duel: Duel, propensity: f64) -> Proposal {
        Proposal { round: self.round, duel, propensity: Some(propensity), memory: Memory::Exploration }
    }

    /// The same in one of several contexts.
    #[inline]
    pub(crate) fn exploration_in(&self, context: u32, duel: Duel, propensity: f64) -> Proposal {
        Proposal { memory: Memory::ExplorationIn(context), ..self.exploration(duel, propensity) }
    }

    /// The favourite against itself.
    pub(crate) fn favourite(&mut self, redetermined: Option<Arm>) -> Proposal {
        if redetermined.is_some() {
            self.settle(redetermined);
        }
        let arm = self.favourite.unwrap_or(0);
        self.committed |= self.out_of_patience();
        Proposal::new(self.round, Duel(arm, arm), 1.0)
    }

    /// Counts an answer; true when it was the last one and the policy should settle.
    #[inline]
    pub(crate) fn answered(&mut self) -> bool {
        self.answered += 1;
        self.round >= self.budget && self.is_complete()
    }

    /// Takes a question back; true when nothing is open any more and the policy should settle.
    pub(crate) fn cancelled(&mut self, proposal: &Proposal) -> bool {
        if !self.wants(proposal) && self.wants_in(proposal).is_none() {
            return false;
        }
        if self.cancelled < self.budget {
            self.returned.push(proposal.duel);
        }
        self.cancelled += 1;
        self.is_complete()
    }

    /// Whether all questions were asked, and none is open.
    fn is_complete(&self) -> bool {
        let asked = self.explored() + self.repeated;
        self.round >= self.budget && asked <= self.answered + self.cancelled && self.returned.is_empty()
    }

    /// Notes the favourite; final if nothing is open.
    pub(crate) fn settle(&mut self, favourite: Option<Arm>) {
        self.favourite = favourite;
        self.settled = self.answered;
        self.committed |= self.is_complete();
    }

    /// Whether an answer to this question still counts.
    #[inline]
    pub(crate) fn wants(&self, proposal: &Proposal) -> bool {
        matches!(proposal.memory, Memory::Exploration) && !self.committed
    }

    /// The same of a question in one of several contexts, and in which.
    #[inline]
    pub(crate) fn wants_in(&self, proposal: &Proposal) -> Option<u32> {
        match proposal.memory {
            Memory::ExplorationIn(context) if !self.committed => Some(context),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn fixed_until(&self) -> Option<FixedDuel> {
        if self.committed { self.favourite.map(|arm| FixedDuel::for_good(Duel(arm, arm))) } else { None }
    }

    /// That many questions to the favourite, once committed.
    pub(crate) fn skip(&mut self, rounds: u64) {
        self.round += rounds;
        self.waited += rounds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many questions go to the favourite before a commitment, when no answer comes.
    fn waits(patience: Option<u64>) -> u64 {
        let mut commitment = Commitment::new(10, patience);
        commitment.leave_out(4);
        let mut waited = 0;
        while commitment.fixed_until().is_none() {
            if let Next::Favourite { .. } = commitment.next() {
                commitment.favourite(Some(0));
                waited += 1;
            }
        }
        waited - 1
    }

    #[test]
    fn patience_that_was_set_stays_whatever_is_left_out() {
        assert_eq!([None, Some(9), Some(10), Some(0)].map(waits), [6, 9, 10, 0]);
    }
}
