//! From votes to a ranking: Borda scores with honest intervals, ranks, a verdict and its checks.
//!
//! The score of an item is its chance to beat a random other item, B(i) = 1/(K−1) Σ_{j≠i} p(i,j). Where the p(i,j) come
//! from is the [`Model`]'s business; everything after that (intervals, ranks, verdict) needs only the scores and their
//! covariance. Behind the verdict stand comparisons with the best, behind ranks one simultaneous set of intervals for
//! all differences B(i) − B(j).
//!
//! ```
//! use borduel_rank::prelude::*;
//!
//! let wins = [("tea", "coffee", 60), ("coffee", "tea", 20), ("coffee", "mud", 70), ("tea", "mud", 75), ("mud", "tea",
//! 5)]; let votes = wins.iter().flat_map(|&(winner, loser, times)| std::iter::repeat_n((winner, loser), times));
//! let ballots = Ballots::from_pairs(votes)?;
//! let ranking = rank(&ballots, &Model::OneHot, &RankOptions::default())?;
//! assert_eq!(ranking.verdict.kind, VerdictKind::ClearWinner);
//! assert_eq!(ballots.items()[ranking.items[0].item], "tea");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod best;
mod bootstrap;
pub mod checks;
mod compare;
mod context_map;
pub(crate) mod contexts;
mod counts;
mod davidson;
pub(crate) mod dense;
#[doc(hidden)]
mod elimination;
pub(crate) mod estimate;
mod exact;
pub(crate) mod fitted;
pub(crate) mod forecast;
mod graph;
mod intervals;
mod inverse;
mod method;
pub(crate) mod one_hot;
mod options;
mod pairs;
pub(crate) mod placement;
pub(crate) mod points;
mod refined;
mod reliability;
mod rests_on;
pub(crate) mod rows;
pub(crate) mod sampled;
mod scatter;
pub(crate) mod simultaneous;
pub(crate) mod spread;
pub(crate) mod strengths;
pub(crate) mod sums;
pub(crate) mod system;
mod tiers;
mod uneven;
mod verdict;
mod voters;
mod ways;

pub use checks::{ENOUGH_VOTERS, ENOUGH_VOTES, Finding, WithoutBursts};
pub use compare::{Before, Change, Comparison, Divergence, compare, diverging};
pub use context_map::{ContextMap, ContextScores};
pub use contexts::{AboutContexts, WhyContexts};
pub use forecast::{FORECAST_CHANCE, Forecast};
pub use method::{Basis, IntervalRule, Method, ModelKind};
pub use options::{Crossed, RankOptions, Scale};
pub use pairs::PairShare;
pub use placement::{Unranked, WhyNot};
pub use reliability::{
    FEWEST_RELIABLE, RELIABILITY_LEVEL, Reliability, VoterReliability, Without, rank_weighed, reliability,
};
pub use rests_on::{FewestOf, FewestVotes, RestsOn, VotesOfAKind, rests_on};
pub use tiers::tiers;
pub use verdict::{Verdict, VerdictKind, few_voters, fewest_voters};
pub use voters::{Agreement, Suspicion, VoterQuality, agreement, voters};

use crate::ballots::{Ballots, Counts};
use crate::error::{Error, Result};
use crate::features::Features;
use crate::order::descending;
use crate::special::t_quantile;
use crate::stop;
use crate::version::Version;
use contexts::Over;
use estimate::Estimate;
use fitted::Fitted;
use intervals::{around, item_intervals, strengths};
use serde::{Deserialize, Serialize};
use simultaneous::{Differences, probability_best};
use std::collections::HashSet;
use sums::Sums;

/// Where the chances p(i,j) come from.
#[derive(Clone, Debug)]
pub enum Model {
    /// Logistic in these features, whose items are those of the ballots, in their order.
    Features(Features),
    /// One parameter per item: Bradley and Terry's model. Items without votes are not ranked.
    OneHot,
    /// No model: observed shares; nothing is said about pairs that were never compared. Items without votes are not
    /// ranked.
    Counts,
}

/// A number with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Interval {
    /// The estimate; `None` where something that was never compared decides.
    pub estimate: Option<f64>,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The standard error of the estimate.
    pub error: f64,
}

impl Interval {
    /// A number between two ends, with its standard error.
    pub fn new(estimate: Option<f64>, low: f64, high: f64, error: f64) -> Self {
        Self { estimate, low, high, error }
    }
}

/// What is known about one item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ItemScore {
    /// Its index in the ballots.
    pub item: usize,
    /// Its chance to beat a random other item.
    pub borda: Interval,
    /// The best and the worst rank it can have.
    pub rank: (usize, usize),
    /// The share of draws from the fitted normal distribution in which it is best; `None` where that is not known.
    pub p_best: Option<f64>,
    /// Its Bradley–Terry strength in log-odds, the mean of all being 0, where that model can be fitted.
    pub strength: Option<Interval>,
    /// Its answers in votes against ranked items, on which its score rests: `left` is won, `right` is lost.
    pub counts: Counts,
    /// The share of opponents that it was never compared with, even indirectly.
    pub unknown: f64,
}

/// What a circumstance of a vote adds to the log-odds of the item it favours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Effect {
    /// The circumstance: `position`, or the name of a number.
    pub name: String,
    /// What 1 of it adds to the log-odds of the left item.
    pub effect: Interval,
    /// How much more than half of the votes a `deviation` of it brings between equal items.
    pub advantage: f64,
    /// The number's root mean square over votes; 1 for the position.
    pub deviation: f64,
}

/// How likely ties are by Davidson's model, P(tie) ∝ ν √(π_i π_j).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TiePropensity {
    /// ν; without a single tie it is 0 and has an upper bound alone.
    pub nu: Interval,
    /// The chance of a tie between equal items, ν/(2 + ν).
    pub between_equals: Interval,
}

/// The votes between ranked items.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VoteNumbers {
    /// How many there are.
    pub used: f64,
    /// So many votes of equal weight would say as much: (Σw)²/Σw² (Kish).
    pub effective: f64,
}

/// A ranking. It can be saved and loaded; a saved one of another version of its format is refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    version: Version<1>,
    /// What the scores come from.
    pub basis: Basis,
    /// How the intervals were made.
    pub intervals: Method,
    /// The items by score.
    pub items: Vec<ItemScore>,
    /// Items of the ballots that no used vote is about and that the model can say nothing about.
    pub unranked: Vec<usize>,
    /// All items that are not ranked, and why.
    pub left_out: Vec<Unranked>,
    /// The votes that the ranking rests on, and Kish's effective number of them.
    pub votes: VoteNumbers,
    /// The pairs that were compared.
    pub pairs: Vec<PairShare>,
    /// c of the simultaneous set B̂(i) − B̂(j) ± c·se.
    pub critical: f64,
    /// What was estimated and removed.
    pub effects: Vec<Effect>,
    /// How likely ties are, where they are an outcome of their own ([`Ties::Model`](crate::ballots::Ties::Model)).
    pub ties: Option<TiePropensity>,
    /// p(i,j) of the fitted model for all pairs in the order of `items`, row by row, where it was asked for.
    pub chances: Option<Vec<Vec<f64>>>,
    /// About which contexts it speaks, where the votes have any and they are not ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<AboutContexts>,
    /// The verdict on who is best.
    pub verdict: Verdict,
    /// What the checks found.
    pub checks: Vec<Finding>,
    /// What the first place rests on, where somebody asked: see [`rests_on`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<RestsOn>,
    /// How far its voters can be relied on, where somebody asked: see [`reliability`] and [`Ranking::rely`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reliability: Option<Reliability>,
}

/// The most items for which one parameter per item is fitted: the cost of its covariance grows with their cube.
const MOST_ONE_HOT: usize = spread::MOST_PAIRWISE;

/// Ranks the items of these ballots.
///
/// # Errors
/// Fewer than two items with votes, features of other items, or options that make no sense.
#[doc(alias("leaderboard", "bradley_terry", "win_rate"))]
pub fn rank(ballots: &Ballots, model: &Model, options: &RankOptions) -> Result<Ranking> {
    options.check(ballots, model)?;
    // Sums apart by context matter to the fit alone.
    let in_contexts = ballots;
    let together = (ballots.contexts() > 0).then(|| ballots.without_contexts());
    let ballots = together.as_ref().unwrap_or(ballots);
    let (choice, sums) = placed(ballots, model, options)?;
    let k = sums.len();
    let over = Over::new(in_contexts, &sums, model, options)?;
    let votes = if over.is_some() { in_contexts } else { ballots };
    let refined = options.refined(votes, &sums, over.as_ref())?;
    let fitted_to = refined.as_ref().unwrap_or(&sums);
    stop::check();
    let clustered = options.clustered || over.as_ref().is_some_and(Over::is_sample);
    let estimate = estimate_scores(ballots, fitted_to, model, (clustered, options.seed))?;
    let one_each = if over.is_some() { fitted_to } else { &sums };
    let beside = !matches!(model, Model::OneHot) && k <= MOST_ONE_HOT / 3 && graph::components(&sums).1 <= 1;
    let one_hot = beside.then(|| one_hot::one_hot(one_each, clustered, options.seed)).transpose()?;
    stop::check();
    let bradley_terry = if matches!(model, Model::OneHot) { Some(&estimate) } else { one_hot.as_ref() };

    let order = descending(&estimate.borda);
    let quantile = t_quantile(0.5 + 0.5 * options.level, estimate.df);
    let (intervals, how) = item_intervals(fitted_to, &estimate, options, quantile)?;
    let mut strengths = bradley_terry.map(|e| strengths(e, quantile));
    let fitted = estimate.fitted.as_ref().or_else(|| one_hot.as_ref().and_then(|e| e.fitted.as_ref()));
    let plain: Option<Vec<f64>> = strengths.as_ref().map(|all| all.iter().map(|s| s.estimate.unwrap_or(0.0)).collect());
    if let Some(strengths) = &mut strengths {
        options.scale.apply(strengths, &sums.items);
    }
    let chances = fitted
        .filter(|_| options.chances && k <= MOST_ONE_HOT)
        .map(|fitted| order.iter().map(|&i| order.iter().map(|&j| fitted.probability(i, j)).collect()).collect());
    let checks = checks::checks(&checks::Context {
        ballots,
        sums: &sums,
        fitted_to,
        over_contexts: over.is_some(),
        choice: &choice,
        estimate: &estimate,
        order: &order,
        fitted,
        strengths: plain.as_deref(),
        adjusted: options.adjust_position,
        took: options.took.as_deref(),
        seed: options.seed,
    });
    stop::check();
    let map = |fitted: &Fitted| ContextMap::new(in_contexts, &sums.items, fitted);
    let contexts = over.as_ref().map(|over| AboutContexts { map: fitted.and_then(map), ..over.about.clone() });
    // What would settle it depends on how much of the doubt is the contexts'.
    let fixed = || {
        let Some(over) = over.as_ref().filter(|over| over.is_sample()) else { return Ok(None) };
        let sums = options.refined(votes, &sums, Some(&over.fixed()))?;
        let within = sums.map(|sums| estimate_scores(ballots, &sums, model, (options.clustered, options.seed)));
        Ok(within.transpose()?.map(|within| (within, over.about.seen)))
    };
    let (judgement, partial) = judge(&sums, &estimate, &order, &choice, options, &fixed)?;
    let set = Differences::new(&estimate, options.level, options.seed);
    let ranks = set.ranks();
    let p_best = probability_best(&estimate, options.seed);
    let items = order.iter().map(|&i| ItemScore {
        item: sums.items[i],
        borda: intervals[i],
        rank: ranks[i],
        p_best: p_best.as_ref().map(|p| p[i]),
        strength: strengths.as_ref().map(|s| s[i]),
        counts: sums.counts[i],
        unknown: estimate.unknown[i],
    });
    let none = |u: &&Unranked| u.why == WhyNot::NoVotes;
    let mut ranking = Ranking {
        version: Version,
        basis: basis(model, &estimate),
        intervals: how,
        items: items.collect(),
        unranked: choice.unranked.iter().filter(none).map(|u| u.item).collect(),
        left_out: choice.unranked.clone(),
        votes: VoteNumbers { used: sums.votes(), effective: sums.effective_votes() },
        pairs: pairs::shares(&sums, &order, estimate.fitted.as_ref()),
        critical: set.critical,
        effects: effects(&estimate, fitted_to, options, quantile),
        ties: ties(&estimate, quantile, (options.level, fitted_to.effective_votes())),
        chances,
        contexts,
        verdict: Verdict {
            kind: judgement.kind,
            winners: judgement.winners.iter().map(|&i| sums.items[i]).chain(choice.unbeaten()).collect(),
            forecast: judgement.forecast,
            contexts: judgement.contexts,
            where_it_matters: None,
            partial,
            few_voters: few_voters(ballots, options.level),
        },
        checks,
        rests_on: None,
        reliability: None,
    };
    if !partial && choice.unbeaten().is_empty() {
        ranking.place_first();
    }
    Ok(ranking)
}

impl Ranking {
    /// Gives the first place as a verdict about the best item has it: to a winner alone, and to nobody who cannot be
    /// best.
    pub fn place_first(&mut self) {
        let winners: HashSet<usize> = self.verdict.winners.iter().copied().collect();
        if winners.is_empty() {
            return;
        }
        for score in &mut self.items {
            score.rank = match (winners.contains(&score.item), winners.len()) {
                (true, 1) => (1, 1),
                (true, _) => (1, score.rank.1),
                (false, _) => (score.rank.0.max(2), score.rank.1.max(2)),
            };
        }
    }
}

/// Who can be ranked, and the sums of their votes.
fn placed(ballots: &Ballots, model: &Model, options: &RankOptions) -> Result<(placement::Choice, Sums)> {
    let by_features = matches!(model, Model::Features(_));
    let choice = placement::choose(ballots, &options.exclude, options.least_votes, !by_features, !by_features);
    let enough = choice.ranked.len() >= 2 && ballots.used() > 0.0;
    let sums = enough.then(|| Sums::of(ballots, by_name(ballots, &choice.ranked)));
    match sums.filter(|sums| !sums.pairs.is_empty()) {
        Some(sums) => Ok((choice, sums)),
        None => Err(Error::Data(nothing_to_rank(ballots, &choice).to_owned())),
    }
}

/// How readily ties are given, where they are an outcome of their own.
fn ties(estimate: &Estimate, quantile: f64, of: (f64, f64)) -> Option<TiePropensity> {
    let (nu, error) = estimate.fitted.as_ref().and_then(Fitted::ties)?;
    Some(intervals::tie_propensity(nu, error, quantile, of))
}

/// What is adjusted for, each with what it does to a vote.
fn effects(estimate: &Estimate, sums: &Sums, options: &RankOptions, quantile: f64) -> Vec<Effect> {
    let points = estimate.fitted.as_ref().map(Fitted::points).unwrap_or_default();
    let effect = |((effect, error), (name, unit)): ((f64, f64), (String, &f64))| Effect {
        name,
        effect: around(effect / unit, error / unit, quantile),
        advantage: points.mean(effect) - 0.5,
        deviation: *unit,
    };
    let found = estimate.fitted.iter().flat_map(Fitted::effects);
    found.zip(options.adjusted().into_iter().zip(&sums.deviations)).map(effect).collect()
}

/// These items by their names, so that nothing that is drawn depends on the order of the rows in which they were met.
fn by_name(ballots: &Ballots, items: &[usize]) -> Vec<usize> {
    let mut named = items.to_vec();
    named.sort_by_key(|&item| &ballots.items()[item]);
    named
}

fn nothing_to_rank(ballots: &Ballots, choice: &placement::Choice) -> &'static str {
    if ballots.used() <= 0.0 {
        "no vote says which of two items is better: there is nothing to rank"
    } else if choice.unranked.iter().any(|u| matches!(u.why, WhyNot::Excluded | WhyNot::LeastVotes)) {
        "what is left out leaves no two items that were compared: leave out less"
    } else {
        "no two of the items were compared: there is nothing to rank"
    }
}

/// The scores by this model.
fn estimate_scores(ballots: &Ballots, sums: &Sums, model: &Model, (clustered, seed): (bool, u64)) -> Result<Estimate> {
    match model {
        Model::Features(features) => estimate_features(ballots, sums, features, clustered),
        Model::OneHot => one_hot::one_hot(sums, clustered, seed),
        Model::Counts => Ok(counts::estimate(sums, clustered)),
    }
}

/// The model of features, whose items are all those of the ballots; some of them may be left out.
fn estimate_features(ballots: &Ballots, sums: &Sums, features: &Features, clustered: bool) -> Result<Estimate> {
    let all = ballots.items().len();
    if features.items() != all {
        return Err(Error::Data(format!(
            "the features are those of {} items, the votes are about {all}",
            features.items()
        )));
    }
    if sums.items.iter().copied().eq(0..all) {
        return estimate::estimate(sums, features.clone(), clustered);
    }
    estimate::estimate(sums, features.restricted(&sums.items)?, clustered)
}

/// The verdict on the ranked items, and whether they are too few to speak for all. Nothing is settled while somebody
/// who never lost to them has too few votes to be placed.
fn judge(
    sums: &Sums,
    estimate: &Estimate,
    order: &[usize],
    choice: &placement::Choice,
    options: &RankOptions,
    fixed: verdict::Fixed<'_>,
) -> Result<(verdict::Judgement, bool)> {
    let terms =
        verdict::Terms { level: options.level, margin: options.margin, seed: options.seed, votes: sums.votes() };
    let mut judgement = verdict::judge(estimate, order, terms, fixed)?;
    // A group that is no majority of the items that were voted on has no winner of all.
    let voted = sums.len() + choice.unranked.iter().filter(|u| u.why == WhyNot::NotConnected).count();
    let partial = 2 * sums.len() <= voted;
    if partial || !choice.unbeaten().is_empty() {
        judgement.kind = VerdictKind::NotEnough;
        judgement.forecast = (!partial).then_some(Forecast::TooEarly);
        judgement.contexts = None;
    }
    Ok((judgement, partial))
}

fn basis(model: &Model, estimate: &Estimate) -> Basis {
    let model = match model {
        Model::Features(features) => ModelKind::Features { dim: features.dim() },
        Model::OneHot => ModelKind::OneHot,
        Model::Counts => ModelKind::Counts,
    };
    Basis { model, separable: estimate.fitted.as_ref().is_some_and(Fitted::separable) }
}

#[cfg(test)]
mod tests;
