//! The one duel that a policy has fixed, mostly of an item with itself, up to some round.

use crate::duel::{Arm, Duel, Proposal};
use crate::policy::FixedDuel;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// Up to round `until` (with it) all questions are this duel; [`u64::MAX`]: for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FixedUntil {
    duel: Duel,
    until: u64,
}

impl Default for FixedUntil {
    fn default() -> Self {
        Self { duel: Duel(0, 0), until: 0 }
    }
}

impl FixedUntil {
    /// One that ends.
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

    /// The question of this round, if its duel is fixed.
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

    /// The item of the duel, or its first one.
    pub(crate) fn arm(&self) -> Arm {
        self.duel.0
    }
}

/// Three methods of `Policy`, from the fields `fixed`, `round` and `stream` of a policy that only counts rounds while
/// its duel is fixed, and takes another stream.
macro_rules! fixed_until {
    () => {
        #[inline]
        fn fixed_until(&self) -> Option<$crate::policy::FixedDuel> {
            self.fixed.left(self.round)
        }

        fn skip(&mut self, rounds: u64) {
            self.round += rounds;
        }

        fn reseed(&mut self, stream: $crate::stream::Stream) {
            self.stream = stream;
        }
    };
}

pub(in crate::policy) use fixed_until;
