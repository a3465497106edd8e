//! Gold pairs: pairs with a known answer, which show who looks and who does not.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The most gold pairs of a study.
const MOST: usize = 200;

/// Pairs with a known answer: to the first question, where several are asked about each pair. Answers to them are never
/// counted as votes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields, rename_all = "snake_case")]
pub struct Gold {
    /// The pairs. Their items may be hidden ones, which are asked about in no other way.
    #[schema(max_items = 200)]
    pub pairs: Vec<GoldPair>,
    /// The share of questions that are gold, as long as there are gold pairs that the voter has not seen.
    #[schema(minimum = 0.01, maximum = 0.5)]
    pub share: f64,
    /// How many gold pairs a voter may fail.
    #[schema(maximum = 200)]
    pub may_fail: u32,
    /// What becomes of whoever fails more.
    pub then: Then,
}

/// A pair with a known answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct GoldPair {
    /// The key of the item that is better.
    pub better: String,
    /// The key of the other one.
    pub worse: String,
    /// The key of the context in which the two are shown; none where they are shown as such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// What becomes of whoever fails too many gold pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Then {
    /// The organiser sees it.
    #[default]
    Flag,
    /// The voter's votes are not counted; the voter may go on.
    Aside,
    /// The voter's votes are not counted, and the study ends for the voter, with the code for those screened out.
    Away,
}

impl Default for Gold {
    fn default() -> Self {
        Self { pairs: Vec::new(), share: 0.1, may_fail: 1, then: Then::Flag }
    }
}

impl Gold {
    /// Whether nothing is said about gold pairs.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Checks every bound.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.pairs.len() > MOST {
            return Err(format!("settings.gold has {} pairs: at most {MOST} are possible", self.pairs.len()));
        }
        if !(0.01..=0.5).contains(&self.share) {
            return Err(format!("settings.gold.share is {}: it must be a number from 0.01 to 0.5", self.share));
        }
        let may_fail = self.may_fail;
        if may_fail as usize > MOST {
            return Err(format!("settings.gold.may_fail is {may_fail}: it must be at most {MOST}"));
        }
        for (at, pair) in self.pairs.iter().enumerate() {
            let (better, worse) = (&pair.better, &pair.worse);
            if better == worse {
                return Err(format!("settings.gold: {better:?} cannot be better than itself"));
            }
            let same = |other: &GoldPair| {
                other.context == pair.context
                    && ((&other.better, &other.worse) == (better, worse)
                        || (&other.worse, &other.better) == (better, worse))
            };
            if self.pairs[..at].iter().any(same) {
                return Err(format!("settings.gold has the pair {better:?} and {worse:?} twice"));
            }
        }
        Ok(())
    }
}
