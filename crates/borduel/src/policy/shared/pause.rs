//! A rest that a policy has settled on: one duel, mostly of an item with itself, up to some round.

use crate::duel::{Arm, Duel, Proposal};
use crate::policy::FixedDuel;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// Up to round `until` (with it) all questions are this duel; [`u64::MAX`]: for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pause {
    duel: Duel,
    until: u64,
}

impl Default for Pause {
    fn default() -> Self {
        Self { duel: Duel(0, 0), until: 0 }
    }
}

impl Pause {
    /// A pause that ends.
    pub(crate) fn until(arm: Arm, until: u64) -> Self {
        Self { duel: Duel(arm, arm), until: until.min(u64::MAX - 1) }
    }

    /// One that does not.
    pub(crate) fn for_good(arm: Arm) -> Self {
        Self { duel: Duel(arm, arm), until: u64::MAX }
    }

    /// One that ends only when an answer to an earlier question comes, of which so many are open. None where every
    /// question has a context of its own: in the next one another duel may be better.
    pub(crate) fn unless_answered(problem: &Problem, duel: Duel, open: u64) -> Self {
        if problem.context().is_some() {
            return Self::default();
        }
        Self { duel, until: if open == 0 { u64::MAX } else { u64::MAX - 1 } }
    }

    /// The question of this round, if it lies in the pause.
    #[inline]
    pub(crate) fn question(&self, round: u64) -> Option<Proposal> {
        (round <= self.until).then(|| Proposal::new(round, self.duel, 1.0))
    }

    /// What is left of it when `round` rounds are over.
    #[inline]
    pub(crate) fn left(&self, round: u64) -> Option<FixedDuel> {
        if self.until <= round {
            return None;
        }
        let duel = self.duel;
        if self.until == u64::MAX {
            return Some(FixedDuel::for_good(duel));
        }
        Some(FixedDuel { duel, rounds: self.until - round })
    }

    /// Who rests.
    pub(crate) fn arm(&self) -> Arm {
        self.duel.0
    }
}

/// How a policy rests that does nothing meanwhile but count rounds, and takes another stream: three methods of
/// `Policy`, from its fields `pause`, `round` and `stream`.
macro_rules! rests {
    () => {
        #[inline]
        fn fixed_until(&self) -> Option<$crate::policy::FixedDuel> {
            self.pause.left(self.round)
        }

        fn skip(&mut self, rounds: u64) {
            self.round += rounds;
        }

        fn reseed(&mut self, stream: $crate::stream::Stream) {
            self.stream = stream;
        }
    };
}

pub(in crate::policy) use rests;
