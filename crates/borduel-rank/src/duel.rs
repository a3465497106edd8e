//! Items, duels and how they end.

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
