//! The words of the game: items, duels, proposals and their answers.

use serde::{Deserialize, Serialize};

/// An item, by its index from 0.
pub type Arm = usize;

/// Two items to be compared, in order; the same item twice is allowed and teaches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Duel(pub Arm, pub Arm);

/// How a duel ended, seen from its first item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The second item was preferred.
    Loss,
    /// Neither was preferred: counts ½.
    Tie,
    /// The first item was preferred.
    Win,
}

impl Outcome {
    /// The reward r of the first item: 1, ½ or 0.
    #[inline]
    pub fn reward(self) -> f64 {
        // Half its place in the list: a table of three would be slower in the innermost loop.
        0.5 * f64::from(self as u8)
    }

    /// A win if `won`, else a loss.
    #[inline]
    pub fn from_win(won: bool) -> Self {
        if won { Self::Win } else { Self::Loss }
    }
}

/// A question asked: which duel, when, how likely it was, and all that its policy needs to learn from the answer later.
///
/// Keep it until the answer comes, then hand it back with [`tell`](crate::Policy::tell) or
/// [`cancel`](crate::Policy::cancel); it may be saved in between.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The number of this question, from 1.
    pub round: u64,
    /// The two items to show.
    pub duel: Duel,
    /// The probability with which this duel was proposed, given what was known: 1 for a choice without chance.
    pub propensity: f64,
    /// What the policy remembers of the moment of asking.
    pub(crate) memory: Memory,
}

impl Proposal {
    /// A proposal that needs no memory of the moment.
    #[inline]
    pub(crate) fn plain(round: u64, duel: Duel, propensity: f64) -> Self {
        Self { round, duel, propensity, memory: Memory::Nothing }
    }
}

/// The longest vector that a proposal carries without allocating.
pub(crate) const INLINE: usize = 16;

/// What a policy wrote on its ticket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Memory {
    /// Nothing: round, duel and propensity say it all.
    Nothing,
    /// The question belongs to the exploration of an explore-then-commit policy.
    Exploration,
    /// The same, against an opponent drawn uniformly: the answer counts for the first item's Borda score without any
    /// model, and when `both` items were drawn so, for the second's too.
    Audit {
        /// Whether the first item was drawn uniformly as well.
        both: bool,
    },
    /// A vector of at most [`INLINE`] numbers, and the number of times it had changed.
    Inline {
        /// How often the vector had changed.
        version: u64,
        /// The vector, filled up with zeros.
        vector: [f64; INLINE],
    },
    /// A longer vector.
    Heap {
        /// How often the vector had changed.
        version: u64,
        /// The vector.
        vector: Box<[f64]>,
    },
}
