//! The verdict at any time: for whoever looks after every vote, while the questions depend on the answers.
//!
//! A model with pair effects of estimated variance gives Borda scores B̂ and their covariance; every claim "i is not
//! worse than j by more than the margin" that the [`Goal`] needs has an e-value E against its contrary; and what was to
//! be found is found as soon as Σ 1/E ≤ δ over all claims, δ = 1 − level. How far features are believed is [`Trust`];
//! by default no claim about two items rests on what the features say of either.
//!
//! **Two things can be shown.** *Good enough*: the claims with the margin, Σ 1/E ≤ δ; it ends in every world, and says
//! nothing about whether another is just as good. *Clear*: the claims with margin 0, "i is better than j", Σ 1/E ≤ δ/2.
//! The half is for items that are exactly equal: of s equal best items, each is named with a chance of at most
//! δ/2/(s − 1) (Σ 1/E over its equals must fall to δ/2, so their E must reach 2(s − 1)/δ in the harmonic mean, and the
//! arithmetic mean of e-processes is an e-process), all of them together with at most δ/2 · s/(s − 1) ≤ δ, however long
//! one looks.
//!
//! **What is proved**: each E is an e-process, whose chance ever to exceed 1/δ while its claim is false is at most δ,
//! *if* the estimated lead is normal about the truth with the stated variance (a Brownian motion in its information).
//! With a wrong winner l named, the claim about l and the true best is one of those in the sum, so that for every
//! single wrong item the chance to be named is at most δ. **What holds asymptotically**: the normality, with the votes
//! on every pair that matters.
//!
//! **What is only measured**, by `borduel reproduce fewest` in worlds that are as hard as can be and by
//! `tests/sequential.rs` in small:
//! * the questions: for those of `find-winner` and for random pairs. In simulations
//!   apart from these, other rules that do not know the truth (king of the hill, Elo, top-two) stayed at or below 3 %
//!   wrong. **There is no theorem for all rules** about them: one that knows the truth and asks no more about a pair
//!   that was unlucky made 23 % wrong winners of 12 items and 65 % of 30, at a level of 95 %. [`Trust::Nothing`] has
//!   one, for several times the votes: see `by_pair`;
//! * the intervals of scores, each item's by itself: with strengths spread by 0.5 to 4, the best item's was left at
//!   some look in 2 % of studies (7.5 % of 80 in the worst of 19 rows, `docs/FEWEST.md`);
//! * that the variances of pair effects (τ²) and of items' effects beside features (σ², or each item's own), which are
//!   estimated anew at each look, cover what the model cannot express;
//! * that effects are centred: the pairs that are asked are taken to be no odder, on average, than those that are not;
//! * the caps: one pair's word (see `pair_effects`), the bounds of τ², σ² and the dispersion;
//! * the widening for voters with habits, a factor for every item;
//! * that changing leaders do not add up: there are K − 1 wrong items, but the right one is found before most of them
//!   have their chance.
//!
//! **Contexts**, such as prompts: scores are means over them, an item has an effect of its own in each, of estimated
//! variance, and the verdict is about these contexts or about such ([`About`]); see `contexts`. That its size holds
//! with few contexts is measured. About these, a judge's answers to the same questions take part of the variance off:
//! see `control`.
//!
//! ```
//! use borduel_rank::sequential::{Options, Votes, judge};
//! use borduel_rank::{Duel, Features};
//! let mut votes = Votes::new(3);
//! for vote in 0..300 {
//!     votes.add(Duel(0, 1), if vote % 4 == 0 { 0.0 } else { 1.0 });
//!     votes.add(Duel(1, 2), if vote % 3 == 0 { 0.0 } else { 1.0 });
//!     votes.add(Duel(0, 2), if vote % 5 == 0 { 0.0 } else { 1.0 });
//! }
//! let judgement = judge(&Features::one_hot(3)?, &votes, &Options::default())?;
//! assert!(judgement.decided);
//! assert_eq!(judgement.items[0].item, 0);
//! # Ok::<(), borduel_rank::Error>(())
//! ```

pub(crate) mod asked;
pub(crate) mod by_pair;
mod claim;
pub(crate) mod clusters;
pub(crate) mod context_doubt;
pub(crate) mod contexts;
mod control;
pub(crate) mod evidence;
mod forecast;
pub(crate) mod freed;
mod intervals;
mod judge_first;
mod judgement;
pub(crate) mod model;
mod outliers;
pub(crate) mod pair_effects;
pub(crate) mod plan;
mod reading;
pub(crate) mod scores;
pub(crate) mod space;
pub(crate) mod standing;
mod votes;
pub(crate) mod wide;

pub use contexts::next_context;
pub use control::Controlled;
pub use judge_first::{is_turned, pairs_first};
pub use judgement::{AboutContexts, ItemStanding, Judgement, judge};
pub use model::Start;
pub use reading::{Reading, judge_ballots};
pub use votes::{PairSum, Votes};

use crate::about::About;
use crate::error::{Error, Result};
use crate::ranking::VerdictKind;
use serde::{Deserialize, Serialize};

/// Whether the model is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Trust {
    /// As far as the votes bear it out: pair effects, and item effects beside features, of estimated variance; and what
    /// is claimed of
    /// an item rests on its own votes, not on its features.
    #[default]
    Checked,
    /// The same, provided that the features are wrong about no item in particular: claims rest on effects shrunk by
    /// their estimated variance.
    Typical,
    /// Altogether: for worlds where it is known to hold.
    Model,
    /// Not at all, nor whoever chooses the pairs: each claim rests on the answers to the pairs of its two items, each
    /// pair by itself, and holds under every rule of asking, also one that knows the truth. It takes several times the
    /// votes, and knows neither features, contexts nor weights, nor voters who answer more than once.
    Nothing,
}

impl Trust {
    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Typical => "typical",
            Self::Model => "model",
            Self::Nothing => "nothing",
        }
    }

    /// What a verdict then takes for granted, in words that follow "provided that".
    pub fn assumption(self) -> Option<&'static str> {
        match self {
            Self::Checked => None,
            Self::Typical => Some("the features are wrong about no item in particular"),
            Self::Model => Some("the model holds"),
            Self::Nothing => Some(
                "every answer about a pair has the pair's one chance, whatever came before (nothing else is assumed)",
            ),
        }
    }
}

/// What is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Goal {
    /// The item with the highest Borda score.
    #[default]
    Winner,
    /// The best k items, in any order.
    Top(usize),
    /// The whole order, up to the margin.
    All,
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Winner => f.write_str("winner"),
            Self::Top(k) => write!(f, "top {k}"),
            Self::All => f.write_str("all"),
        }
    }
}

/// What is enough to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// Nobody is better than what is named by more than the margin.
    #[default]
    GoodEnough,
    /// What is named is better than everything else, or all that may be best are shown to be equal up to the margin.
    Clear,
}

impl Until {
    /// Whether a verdict of this kind is enough.
    pub fn is_reached(self, kind: VerdictKind) -> bool {
        match kind {
            VerdictKind::ClearWinner | VerdictKind::Tie => true,
            VerdictKind::GoodEnough => self == Self::GoodEnough,
            VerdictKind::NotEnough => false,
        }
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    #[doc(hidden)]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What is asked of a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The confidence of the verdict over the whole study, however often it is looked at.
    pub level: f64,
    /// Scores closer than this count as equal (0.02 is two points of a hundred). With 0, nearly equal items are told
    /// apart for ever.
    pub margin: f64,
    /// What is to be found.
    pub goal: Goal,
    /// Whether the model is believed.
    pub trust: Trust,
    /// What is enough to stop.
    pub until: Until,
    /// Where votes have contexts, what the verdict is about; [`About::by_number`] unless set.
    pub about: Option<About>,
}

crate::setters!(Options {
    with_level: level: f64,
    with_margin: margin: f64,
    with_goal: goal: Goal,
    with_trust: trust: Trust,
    with_until: until: Until,
    with_about: about: Option<About>,
});

impl Default for Options {
    fn default() -> Self {
        Self {
            level: 0.95,
            margin: 0.02,
            goal: Goal::Winner,
            trust: Trust::Checked,
            until: Until::GoodEnough,
            about: None,
        }
    }
}

impl Options {
    /// Refuses what makes no sense for so many items.
    ///
    /// # Errors
    /// A level outside of (0, 1), a margin or a goal that no items can have.
    pub fn check(&self, items: usize) -> Result<()> {
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

    /// What the verdict on votes in so many contexts is about.
    pub(crate) fn about(&self, contexts: usize) -> About {
        self.about.unwrap_or_else(|| About::by_number(contexts))
    }

    /// The Σ 1/E at which what is named is good enough.
    pub(crate) fn bar(&self) -> f64 {
        1.0 - self.level
    }

    /// The Σ 1/E, of claims with margin 0, at which it is clear: half as much, because of two that are equal either may
    /// be named.
    pub(crate) fn clear_bar(&self) -> f64 {
        0.5 * self.bar()
    }

    /// The log E of the leader's lead on a rival at which that one is out: one of K − 1 rivals of the true best, hence
    /// the union.
    pub(crate) fn out(&self, items: usize) -> f64 {
        let rivals = if self.trust == Trust::Nothing { by_pair::claims(self.goal, items) } else { (items - 1) as f64 };
        (rivals / self.clear_bar()).ln()
    }

    /// The margin of the claims that are still to be shown, and the Σ 1/E at which they are.
    pub(crate) fn target(&self) -> (f64, f64) {
        match self.until {
            Until::GoodEnough => (self.margin, self.bar()),
            Until::Clear => (0.0, self.clear_bar()),
        }
    }
}
/// The most items that can be told apart.
pub const MOST_ITEMS: usize = 2_000;

#[cfg(test)]
mod tests;
