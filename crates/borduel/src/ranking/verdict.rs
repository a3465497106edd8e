//! The verdict: a clear winner, a tie at the top, or not enough votes, with how many are still needed.

use super::best::{Best, best};
use super::estimate::Estimate;
use super::forecast::{FORECAST_CHANCE, votes_factor};
use serde::{Deserialize, Serialize};

/// What kind of verdict it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// The leader's score is certainly above every other.
    ClearWinner,
    /// Whoever may be best differs from the others who may by less than the margin.
    Tie,
    /// Neither is certain yet.
    NotEnough,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What kind of verdict it is.
    pub kind: VerdictKind,
    /// The winner, the tied items, or (not enough votes) all that may still be best; as indices of the ballots' items.
    pub winners: Vec<usize>,
    /// With too few votes: how many more of the present kind settle it with the chance below.
    pub votes_needed: Option<f64>,
    /// The chance that so many more votes settle it.
    pub chance: Option<f64>,
    /// How many questions settle it with the same chance if they are asked where it matters; a ranking by itself does not tell, see
    /// [`questions_to_settle`](crate::planning::questions_to_settle).
    #[serde(default)]
    pub votes_where_it_matters: Option<f64>,
    /// Whether only a part of the items, at most half of them, could be ranked together: then there is no winner of all.
    pub partial: bool,
}

/// The verdict on scores: its kind, who it is about (indices of the estimate), and the votes still needed.
pub(crate) struct Judgement {
    pub(crate) kind: VerdictKind,
    pub(crate) winners: Vec<usize>,
    pub(crate) votes_needed: Option<f64>,
}

/// The most items that are ever called a tie.
const MOST_TIED: usize = 1_000;

/// What is asked of a verdict.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) level: f64,
    pub(crate) margin: f64,
    pub(crate) seed: u64,
    /// The used votes.
    pub(crate) votes: f64,
}

/// Judges by comparisons with the best. `order` lists the items by score.
pub(crate) fn judge(estimate: &Estimate, order: &[usize], terms: Terms) -> Judgement {
    let Best { contenders, critical } = best(estimate, order, terms.level, terms.seed);
    if contenders.len() == 1 {
        return Judgement { kind: VerdictKind::ClearWinner, winners: contenders, votes_needed: None };
    }
    let bounds = estimate.at(critical);
    let within = |i: usize, j: usize| bounds.lower(i, j) >= -terms.margin && bounds.lower(j, i) >= -terms.margin;
    // So many contenders are hardly all alike, and their pairs are not looked at.
    let tied = contenders.len() <= MOST_TIED
        && contenders.iter().enumerate().all(|(at, &i)| contenders[..at].iter().all(|&j| within(i, j)));
    if tied {
        return Judgement { kind: VerdictKind::Tie, winners: contenders, votes_needed: None };
    }
    let factor = votes_factor(estimate, &contenders, critical, terms.margin, terms.seed);
    let votes_needed = factor.map(|factor| terms.votes * (factor - 1.0));
    Judgement { kind: VerdictKind::NotEnough, winners: contenders, votes_needed }
}

impl Judgement {
    /// The chance that goes with the votes needed.
    pub(crate) fn chance(&self) -> Option<f64> {
        self.votes_needed.map(|_| FORECAST_CHANCE)
    }
}
