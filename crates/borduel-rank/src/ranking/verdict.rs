//! The verdict: a clear winner, good enough, a tie at the top, or not enough votes, with how many are still needed.

use super::best::{Best, best};
use super::estimate::Estimate;
use super::forecast::{Forecast, Wanted, contexts_needed, votes_needed};
use crate::ballots::{Ballots, Share};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// What kind of verdict it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// The leader is shown to be better than every other item.
    ClearWinner,
    /// The leader may be chosen: nobody is better by more than the margin; others may be just as good.
    GoodEnough,
    /// Whoever may be best differs from the others who may by less than the margin.
    Tie,
    /// Neither is certain yet.
    NotEnough,
}

/// What the votes say about who is best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What kind of verdict it is.
    pub kind: VerdictKind,
    /// All that may be best, the leader first: the clear winner alone; who may be chosen and who may be just as good;
    /// the tied items; or all that may still be best, also those that never lost and have too few votes to be ranked.
    /// As indices of the ballots' items.
    pub winners: Vec<usize>,
    /// With too few votes: how many more of the present kind settle it; `None` where some items were never compared
    /// with others. Where the contexts are a sample, these are votes in the same contexts.
    pub forecast: Option<Forecast>,
    /// With too few votes, where the contexts are a sample: how many more contexts settle it, with as many votes each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Forecast>,
    /// How many questions settle it if they are asked where it matters; a ranking by itself does not tell, see
    /// [`questions_to_settle`](crate::planning::questions_to_settle).
    pub where_it_matters: Option<Forecast>,
    /// Whether only a part of the items, at most half of them, could be ranked together: then there is no winner of
    /// all.
    pub partial: bool,
    /// Where all votes are by so few voters that they speak for nobody else: how many voters.
    #[serde(default)]
    pub few_voters: Option<u32>,
}

impl Verdict {
    /// A verdict about these items, with nothing more known.
    pub fn new(kind: VerdictKind, winners: Vec<usize>) -> Self {
        let (forecast, contexts, where_it_matters, partial, few_voters) = (None, None, None, false, None);
        Self { kind, winners, forecast, contexts, where_it_matters, partial, few_voters }
    }

    /// Takes in how many questions settle it if they are asked where it matters, if that is fewer than of the present
    /// kind.
    pub fn compare_where_it_matters(&mut self, chosen: Option<Forecast>) {
        let most = |forecast: Option<Forecast>| forecast.and_then(|forecast| forecast.range()).map(|range| range.1);
        let fewer = most(chosen).zip(most(self.forecast)).is_some_and(|(chosen, present)| chosen < present);
        self.where_it_matters = chosen.filter(|_| fewer);
    }
}

/// The verdict on scores: its kind, who it is about (indices of the estimate), and the votes still needed.
pub(crate) struct Judgement {
    pub(crate) kind: VerdictKind,
    pub(crate) winners: Vec<usize>,
    pub(crate) forecast: Option<Forecast>,
    pub(crate) contexts: Option<Forecast>,
}

/// Where the contexts are a sample: the estimate were they fixed, and their number. It takes a fit of its own, and is
/// made where it is wanted.
pub(crate) type Fixed<'a> = &'a dyn Fn() -> Result<Option<(Estimate, usize)>>;

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
pub(crate) fn judge(estimate: &Estimate, order: &[usize], terms: Terms, fixed: Fixed<'_>) -> Result<Judgement> {
    let settled = |kind, winners| Judgement { kind, winners, forecast: None, contexts: None };
    let Best { contenders, critical } = best(estimate, order, terms.level, terms.seed);
    if contenders.len() == 1 {
        return Ok(settled(VerdictKind::ClearWinner, contenders));
    }
    let bounds = estimate.at(critical);
    let within = |i: usize, j: usize| bounds.lower(i, j) >= -terms.margin && bounds.lower(j, i) >= -terms.margin;
    // So many contenders are hardly all alike, and their pairs are not looked at.
    let tied = contenders.len() <= MOST_TIED
        && contenders.iter().enumerate().all(|(at, &i)| contenders[..at].iter().all(|&j| within(i, j)));
    if tied {
        return Ok(settled(VerdictKind::Tie, contenders));
    }
    // The leader is the first contender.
    if contenders.iter().all(|&j| bounds.lower(order[0], j) >= -terms.margin) {
        return Ok(settled(VerdictKind::GoodEnough, contenders));
    }
    let wanted =
        Wanted { contenders: &contenders, critical, margin: terms.margin, votes: terms.votes, seed: terms.seed };
    let fixed = fixed()?;
    let forecast = votes_needed(estimate, fixed.as_ref().map(|(within, _)| within), &wanted);
    let contexts = fixed.and_then(|(_, contexts)| contexts_needed(estimate, &wanted, contexts, terms.level));
    Ok(Judgement { kind: VerdictKind::NotEnough, winners: contenders, forecast, contexts })
}

/// The fewest voters who speak for others: were every voter as likely to prefer either of two items, n of them would
/// agree by chance in 2^(1−n) of cases, which must not exceed 1 − level.
pub fn fewest_voters(level: f64) -> u32 {
    (1.0 - (1.0 - level).log2()).ceil() as u32
}

/// The number of voters, where all votes are by fewer than [`fewest_voters`], who speak for nobody else.
pub fn few_voters(ballots: &Ballots, level: f64) -> Option<u32> {
    if let Some(voters) = ballots.by_question() {
        return (voters == 1).then_some(1);
    }
    let weight = |shares: &[Share]| shares.iter().map(|share| share.w).sum::<f64>();
    let named = weight(ballots.shares());
    let all: f64 = ballots.cells().iter().map(|cell| cell.w).sum();
    let by_voter = ballots.shares().chunk_by(|a, b| a.voter == b.voter);
    let voters: f64 = by_voter.map(|shares| ballots.copies()[shares[0].voter as usize]).sum();
    let few = named > (1.0 - 1e-9) * all && voters < f64::from(fewest_voters(level));
    few.then_some(voters as u32).filter(|&voters| voters > 0)
}
