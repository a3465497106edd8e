//! The verdict at any time: it stays true although somebody looks after every vote and the questions depend on the answers.
//!
//! A model with pair effects of estimated variance ([`Trust::Checked`]) gives Borda scores B̂ and their covariance; every claim
//! "i is not worse than j by more than the margin" that the [`Goal`] needs has an e-value E against its contrary; and what was to
//! be found is found as soon as Σ 1/E ≤ δ over all claims, δ = 1 − level.
//!
//! **What is proved**: each E is an e-process, whose chance ever to exceed 1/δ while its claim is false is at most δ, *if* the
//! estimated lead is normal about the truth with the stated variance (a Brownian motion in its information). With a wrong winner l
//! named, the claim about l and the true best is one of those in the sum, so that for every single wrong item the chance to be
//! named is at most δ. **What holds asymptotically**: the normality, with the votes on every pair that matters. **What is only
//! measured**: that the estimated τ² covers what the model cannot express, and that changing leaders do not add up (there are K − 1
//! wrong items, but the right one is found before most of them have their chance). `borduel reproduce fewest` measures all of that in
//! worlds that are as hard as can be, and `tests/sequential.rs` does so in small.
//!
//! ```
//! use borduel::sequential::{Options, Votes, judge};
//! use borduel::{Duel, Features};
//! let mut votes = Votes::new(3);
//! for vote in 0..300 {
//!     votes.add(Duel(0, 1), if vote % 4 == 0 { 0.0 } else { 1.0 });
//!     votes.add(Duel(1, 2), if vote % 3 == 0 { 0.0 } else { 1.0 });
//!     votes.add(Duel(0, 2), if vote % 5 == 0 { 0.0 } else { 1.0 });
//! }
//! let judgement = judge(&Features::one_hot(3)?, &votes, &Options::default())?;
//! assert!(judgement.decided);
//! assert_eq!(judgement.items[0].item, 0);
//! # Ok::<(), borduel::Error>(())
//! ```

pub(crate) mod asked;
pub(crate) mod clusters;
pub(crate) mod evidence;
mod judgement;
pub(crate) mod model;
pub(crate) mod pair_effects;
pub(crate) mod plan;
mod reading;
pub(crate) mod scores;
pub(crate) mod space;
pub(crate) mod standing;
mod votes;

pub use judgement::{ItemStanding, Judgement, judge};
pub use reading::{Reading, judge_ballots};
pub use votes::{PairSum, Votes};

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Whether the model is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Trust {
    /// As far as the votes bear it out: pair effects, and item effects beside features, of estimated variance.
    #[default]
    Checked,
    /// Altogether: for worlds where it is known to hold.
    Model,
}

/// What is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Goal {
    /// The best item.
    #[default]
    Winner,
    /// The best k items, in any order.
    Top(usize),
    /// The whole order, up to the margin.
    All,
}

/// What is asked of a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The confidence of the verdict over the whole study, however often it is looked at.
    pub level: f64,
    /// Scores closer than this count as equal (0.02 is two points of a hundred). With 0, nearly equal items are told apart for
    /// ever.
    pub margin: f64,
    /// What is to be found.
    pub goal: Goal,
    /// Whether the model is believed.
    pub trust: Trust,
}

impl Default for Options {
    fn default() -> Self {
        Self { level: 0.95, margin: 0.02, goal: Goal::Winner, trust: Trust::Checked }
    }
}

impl Options {
    /// Refuses what makes no sense for so many items.
    pub(crate) fn check(&self, items: usize) -> Result<()> {
        if !(self.level > 0.5 && self.level < 1.0) {
            return Err(Error::setting("level", self.level, "must lie between 0.5 and 1, such as 0.95"));
        }
        if !(self.margin >= 0.0 && self.margin < 0.5) {
            return Err(Error::setting("margin", self.margin, "must lie in [0, 0.5), such as 0.02 for two points"));
        }
        if let Goal::Top(k) = self.goal
            && !(1..items).contains(&k)
        {
            return Err(Error::setting("top", k, format!("must be at least 1 and less than the {items} items")));
        }
        if items > MOST_ITEMS {
            let remedy = format!("at most {MOST_ITEMS} can be told apart: its cost grows with their cube");
            return Err(Error::setting("items", items, remedy));
        }
        Ok(())
    }

    /// The Σ 1/E at which what was to be found is found.
    pub(crate) fn bar(&self) -> f64 {
        1.0 - self.level
    }
}
/// The most items that can be told apart.
pub const MOST_ITEMS: usize = 2_000;

#[cfg(test)]
mod tests;
