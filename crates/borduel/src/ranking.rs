//! From votes to a ranking: Borda scores with honest intervals, ranks, a verdict and its checks.
//!
//! The score of an item is its chance to beat a random other item, B(i) = 1/(K−1) Σ_{j≠i} p(i,j). Where the p(i,j) come from is
//! the [`Model`]'s business; everything after that (intervals, ranks, verdict) needs only the scores and their covariance.
//! Behind ranks and verdict stands one simultaneous set of intervals for all differences B(i) − B(j).
//!
//! ```
//! use borduel::ballots::{Answer, Ballots, BothBad, Ties};
//! use borduel::ranking::{Model, RankOptions, VerdictKind, rank};
//!
//! let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
//! let [tea, coffee, mud] = ["tea", "coffee", "mud"].map(|name| ballots.item(name));
//! for (left, right, wins, losses) in [(tea, coffee, 60.0, 20.0), (coffee, mud, 70.0, 10.0), (mud, tea, 5.0, 75.0)] {
//!     ballots.add(left, right, None, Answer::Left, 1.0, wins)?;
//!     ballots.add(left, right, None, Answer::Right, 1.0, losses)?;
//! }
//! let ranking = rank(&ballots.finish(), &Model::OneHot, &RankOptions::default())?;
//! assert_eq!(ranking.verdict.kind, VerdictKind::ClearWinner);
//! assert_eq!(ranking.items[0].item, tea as usize);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bootstrap;
mod checks;
mod counts;
pub(crate) mod distribution;
pub(crate) mod estimate;
mod graph;
pub(crate) mod simultaneous;
pub(crate) mod sums;
mod verdict;

pub use checks::{Check, ENOUGH_VOTERS, ENOUGH_VOTES};
pub use verdict::{Verdict, VerdictKind};

use crate::ballots::{Ballots, Counts};
use crate::error::{Error, Result};
use crate::features::Features;
use distribution::t_quantile;
use estimate::{Estimate, Fitted};
use nalgebra::DVector;
use simultaneous::{Differences, probability_best};
use sums::Sums;

/// Where the chances p(i,j) come from.
#[derive(Clone, Debug)]
pub enum Model {
    /// Logistic in these features, whose items are those of the ballots, in their order.
    Features(Features),
    /// One parameter per item: Bradley and Terry's model. Items without votes are not ranked.
    OneHot,
    /// No model: observed shares; nothing is said about pairs that were never compared. Items without votes are not ranked.
    Counts,
}

/// How to rank.
#[derive(Clone, Debug)]
pub struct RankOptions {
    /// The confidence level of all intervals.
    pub level: f64,
    /// Scores closer than this count as equal (0.02 is two points of a hundred).
    pub margin: f64,
    /// Whether to allow for voters' habits where voters are known.
    pub clustered: bool,
    /// Replications of the bootstrap that then takes the place of the delta method in the items' intervals.
    pub bootstrap: Option<usize>,
    /// The seed of everything drawn.
    pub seed: u64,
    /// What to call the items of the ballots in sentences; their own names when empty.
    pub labels: Vec<String>,
}

impl Default for RankOptions {
    fn default() -> Self {
        Self { level: 0.95, margin: 0.02, clustered: true, bootstrap: None, seed: 1, labels: Vec::new() }
    }
}

/// A number with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate; `None` where something that was never compared decides.
    pub estimate: Option<f64>,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What is known about one item.
#[derive(Clone, Debug, PartialEq)]
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
    /// Its answers: `left` is won, `right` is lost.
    pub counts: Counts,
    /// The share of opponents that it was never compared with, even indirectly.
    pub unknown: f64,
}

/// A pair's votes and what the model makes of them, in the order of [`Ranking::items`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairShare {
    /// The place of the first item in the ranking.
    pub first: usize,
    /// The place of the second item in the ranking; always later.
    pub second: usize,
    /// The used votes.
    pub votes: f64,
    /// The share of the first item in them.
    pub share: f64,
    /// p(first, second) of the fitted model, where there is one.
    pub fitted: Option<f64>,
}

/// A ranking.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// What the scores come from, in words.
    pub model: String,
    /// How the intervals were made, in words.
    pub intervals: String,
    /// The items by score.
    pub items: Vec<ItemScore>,
    /// Items of the ballots that no used vote is about and that the model can say nothing about.
    pub unranked: Vec<usize>,
    /// The pairs that were compared.
    pub pairs: Vec<PairShare>,
    /// c of the simultaneous set B̂(i) − B̂(j) ± c·se.
    pub critical: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The checks.
    pub checks: Vec<Check>,
}

/// The most items for which one parameter per item is fitted: the cost grows with their cube.
const MOST_ONE_HOT: usize = 3_000;

/// Ranks the items of these ballots.
///
/// # Errors
/// Fewer than two items with votes, features of other items, or options that make no sense.
pub fn rank(ballots: &Ballots, model: &Model, options: &RankOptions) -> Result<Ranking> {
    check_options(options)?;
    if !options.labels.is_empty() && options.labels.len() != ballots.items().len() {
        let (found, expected) = (options.labels.len(), ballots.items().len());
        return Err(Error::Shape { what: "the labels", shape: "one an item".to_owned(), expected, found });
    }
    let sums = Sums::new(ballots, !matches!(model, Model::Features(_)));
    let k = sums.len();
    if sums.pairs.is_empty() {
        return Err(Error::Data("no vote says which of two items is better: there is nothing to rank".to_owned()));
    }
    let estimate = match model {
        Model::Features(features) => {
            if features.items() != k {
                return Err(Error::Data(format!(
                    "the features are those of {} items, the votes are about {k}",
                    features.items()
                )));
            }
            estimate::estimate(&sums, features.clone(), options.clustered)?
        }
        Model::OneHot if k > MOST_ONE_HOT => {
            return Err(Error::Data(format!(
                "{k} items are too many for one parameter each (at most {MOST_ONE_HOT}): give item features, or use the counts alone"
            )));
        }
        Model::OneHot => estimate::estimate(&sums, Features::one_hot(k)?, options.clustered)?,
        Model::Counts => counts::estimate(&sums, options.clustered),
    };
    let one_hot = match model {
        Model::OneHot => None,
        _ if k > MOST_ONE_HOT / 3 || graph::components(&sums).1 > 1 => None,
        _ => Some(estimate::estimate(&sums, Features::one_hot(k)?, options.clustered)?),
    };
    let bradley_terry = if matches!(model, Model::OneHot) { Some(&estimate) } else { one_hot.as_ref() };

    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&a, &b| estimate.borda[b].total_cmp(&estimate.borda[a]).then(a.cmp(&b)));
    let set = Differences::new(&estimate, options.level, options.seed);
    let labels = if options.labels.is_empty() { ballots.items() } else { &options.labels };
    let name = |i: usize| labels[sums.items[i]].clone();
    let quantile = t_quantile(0.5 + 0.5 * options.level, estimate.df);
    let (intervals, how) = item_intervals(&sums, &estimate, options, quantile)?;
    let strengths = bradley_terry.and_then(|e| strengths(e, quantile));
    let fitted = estimate.fitted.as_ref().or_else(|| one_hot.as_ref().and_then(|e| e.fitted.as_ref()));
    let plain: Option<Vec<f64>> = strengths.as_ref().map(|all| all.iter().map(|s| s.estimate.unwrap_or(0.0)).collect());
    let checks = checks::checks(&checks::Context {
        ballots,
        sums: &sums,
        estimate: &estimate,
        order: &order,
        fitted,
        strengths: plain.as_deref(),
        name: &name,
    });
    let verdict = word_verdict(&sums, &estimate, &set, &order, options, &name);
    let p_best = probability_best(&estimate, options.seed);
    let ranks = set.ranks();
    let items = order.iter().map(|&i| ItemScore {
        item: sums.items[i],
        borda: intervals[i],
        rank: ranks[i],
        p_best: p_best.as_ref().map(|p| p[i]),
        strength: strengths.as_ref().map(|s| s[i]),
        counts: sums.counts[i],
        unknown: estimate.unknown[i],
    });
    Ok(Ranking {
        model: describe_model(model, &estimate),
        intervals: how,
        items: items.collect(),
        unranked: (0..ballots.items().len()).filter(|item| sums.items.binary_search(item).is_err()).collect(),
        pairs: pair_shares(&sums, &order, estimate.fitted.as_ref()),
        critical: set.critical,
        verdict,
        checks,
    })
}

fn check_options(options: &RankOptions) -> Result<()> {
    if !(options.level > 0.5 && options.level < 1.0) {
        return Err(Error::setting("level", options.level, "must lie between 0.5 and 1, such as 0.95"));
    }
    if !(options.margin > 0.0 && options.margin < 1.0) {
        return Err(Error::setting("margin", options.margin, "must lie between 0 and 1, such as 0.02 for two points"));
    }
    Ok(())
}

/// The interval of every item, and how it was made.
fn item_intervals(
    sums: &Sums,
    estimate: &Estimate,
    options: &RankOptions,
    quantile: f64,
) -> Result<(Vec<Interval>, String)> {
    let percent = 100.0 * options.level;
    let known = |i: usize| (estimate.unknown[i] < 1e-12).then(|| estimate.borda[i]);
    if let Some(replications) = options.bootstrap {
        let Some(fitted) = estimate.fitted.as_ref().filter(|_| estimate.unknown.iter().all(|&u| u < 1e-12)) else {
            return Err(Error::Data(
                "the bootstrap needs a fitted model in which all items can be compared".to_owned(),
            ));
        };
        let start = fitted.theta.as_slice();
        let found = bootstrap::percentiles(sums, &fitted.features, start, replications, options.level, options.seed)?;
        let what = if sums.voters.is_empty() { "votes" } else { "voters" };
        let mut how =
            format!("{percent} % percentile intervals from {replications} bootstrap replications over {what}");
        if found.penalised > 0 {
            how += &format!(" ({} of them separable)", found.penalised);
        }
        let interval = |(i, &(low, high)): (usize, &(f64, f64))| Interval { estimate: known(i), low, high };
        return Ok((found.intervals.iter().enumerate().map(interval).collect(), how));
    }
    let interval = |i: usize| {
        let half = quantile * estimate.error(i) + 0.5 * estimate.unknown[i];
        let b = estimate.borda[i];
        Interval { estimate: known(i), low: (b - half).max(0.0), high: (b + half).min(1.0) }
    };
    let how = match estimate.clusters {
        Some(g) => format!("{percent} % intervals by the delta method, clustered by {g:.0} voters"),
        None => format!("{percent} % intervals by the delta method, votes taken as independent"),
    };
    Ok(((0..sums.len()).map(interval).collect(), how))
}

/// The Bradley–Terry strengths s(i) = ⟨φ̄(i), θ̂⟩, centred, in log-odds.
fn strengths(estimate: &Estimate, quantile: f64) -> Option<Vec<Interval>> {
    let fitted: &Fitted = estimate.fitted.as_ref().filter(|_| estimate.unknown.iter().all(|&u| u < 1e-12))?;
    let means = fitted.features.means();
    let one = |mean: &[f64]| {
        let mean = DVector::from_column_slice(mean);
        let s = mean.dot(&fitted.theta);
        let half = quantile * (&fitted.covariance * &mean).dot(&mean).max(0.0).sqrt();
        Interval { estimate: Some(s), low: s - half, high: s + half }
    };
    Some(means.chunks_exact(fitted.features.dim()).map(one).collect())
}

fn describe_model(model: &Model, estimate: &Estimate) -> String {
    let mut text = match model {
        Model::Features(features) => {
            format!("logistic in {} feature dimension{}", features.dim(), if features.dim() == 1 { "" } else { "s" })
        }
        Model::OneHot => "one parameter per item (Bradley–Terry)".to_owned(),
        Model::Counts => "observed shares, averaged over opponents".to_owned(),
    };
    if estimate.fitted.as_ref().is_some_and(|fitted| fitted.separable) {
        text += "; some votes are unanimous in a way that has no finite best fit, so a pseudo-vote per parameter was added, half won and half lost";
    }
    text
}

fn pair_shares(sums: &Sums, order: &[usize], fitted: Option<&Fitted>) -> Vec<PairShare> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    let mut shares: Vec<PairShare> = sums
        .pairs
        .iter()
        .map(|pair| {
            let flip = place[pair.i] > place[pair.j];
            let (a, b) = if flip { (pair.j, pair.i) } else { (pair.i, pair.j) };
            let share = if flip { 1.0 - pair.share() } else { pair.share() };
            let fitted = fitted.map(|fitted| fitted.probability(a, b));
            PairShare { first: place[a], second: place[b], votes: pair.n, share, fitted }
        })
        .collect();
    shares.sort_by_key(|pair| (pair.first, pair.second));
    shares
}

/// The verdict, in one sentence.
fn word_verdict(
    sums: &Sums,
    estimate: &Estimate,
    set: &Differences<'_>,
    order: &[usize],
    options: &RankOptions,
    name: &dyn Fn(usize) -> String,
) -> Verdict {
    let (kind, winners, votes_needed) = verdict::judge(estimate, set, order, options.margin, sums.votes());
    let leader = order[0];
    let percent = 100.0 * options.level;
    let list = |items: &[usize]| {
        let mut text = items.iter().take(5).map(|&i| name(i)).collect::<Vec<_>>().join(", ");
        if items.len() > 5 {
            text += &format!(" and {} more", items.len() - 5);
        }
        text
    };
    let text = match kind {
        VerdictKind::ClearWinner => {
            format!(
                "Clear winner: {} beats a random other item in {:.1} % of votes, and its score is above every other ({percent} % confidence for all comparisons together).",
                name(leader),
                100.0 * estimate.borda[leader]
            )
        }
        VerdictKind::Tie => {
            format!("Tie at the top: {} differ by less than {} points.", list(&winners), 100.0 * options.margin)
        }
        VerdictKind::NotEnough => {
            let more = match votes_needed {
                Some(votes) => format!("about {} more votes of the present kind would settle it", round_up(votes)),
                None if estimate.unknown.iter().any(|&u| u > 1e-12) => {
                    "some items were never compared with others, even indirectly".to_owned()
                }
                None => "how many more are needed cannot be estimated".to_owned(),
            };
            format!(
                "Not enough votes: {} of {} items may still be best ({}); {more}.",
                winners.len(),
                order.len(),
                list(&winners)
            )
        }
    };
    Verdict { kind, text, winners: winners.iter().map(|&i| sums.items[i]).collect(), votes_needed }
}

/// A number rounded up to two digits, which is all that such a forecast is worth, with separators.
fn round_up(votes: f64) -> String {
    let unit = 10_f64.powf((votes.max(1.0).log10().floor() - 1.0).max(0.0));
    let digits = format!("{:.0}", (votes / unit).ceil() * unit);
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
