//! How many more votes would settle the matter: a range, or that nobody can tell.
//!
//! After f times as many votes the scores are B̂ + √(1 − 1/f) Z, with Z as uncertain as the scores are now (what is
//! known about the truth and what the new votes add, together), and the bounds of their differences, those of the
//! verdict, are √f times nearer. Between f and f′ they move by √(1/f − 1/f′) Z. Such paths are drawn until the verdict
//! is good enough (a clear winner and a tie are); the range is between two quantiles of the votes that this takes.

use super::estimate::Estimate;
use crate::special::t_quantile;
use crate::stream::{Stream, stream};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// The share of cases in which the number of votes that it takes lies within a forecast range, at least.
pub const FORECAST_CHANCE: f64 = 0.8;

/// How many more votes would settle a matter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Forecast {
    /// There is not enough to tell.
    TooEarly,
    /// A number within these two, in [`FORECAST_CHANCE`] of such cases.
    Between {
        /// The fewest votes it is likely to take.
        low: f64,
        /// The most votes it is likely to take.
        high: f64,
    },
    /// More than anybody will cast: the first are level.
    OutOfReach,
}

/// More votes than this, and more than so many times those there are, nobody will cast.
const MOST_VOTES: f64 = 1e6;
const MOST_TIMES: f64 = 1e3;
/// Nor does anybody take more contexts than this.
const MOST_CONTEXTS: f64 = 1e4;
/// A range that is wider than this says nothing, where the fewer votes are not a small share of those there are anyway.
const WIDEST: f64 = 100.0;
const SMALL_SHARE: f64 = 0.1;
/// With fewer votes an item nothing is forecast.
const VOTES_PER_ITEM: f64 = 5.0;

impl Forecast {
    /// Whether there are so few votes that nothing is forecast.
    pub(crate) fn is_early(votes: f64, items: usize) -> bool {
        // Each vote is about two items.
        2.0 * votes < VOTES_PER_ITEM * items as f64
    }

    /// From two numbers of votes, infinite where no number would do, on top of those there are.
    pub(crate) fn between(low: f64, high: f64, votes: f64) -> Self {
        if low > MOST_VOTES.max(MOST_TIMES * votes) {
            Self::OutOfReach
        } else if high > WIDEST * low.max(SMALL_SHARE * votes) {
            Self::TooEarly
        } else {
            Self::Between { low: low.max(1.0).ceil(), high: high.max(1.0).ceil() }
        }
    }

    /// Between two quantiles of the votes that draws took, infinite where no number would do, on top of those there
    /// are.
    pub(crate) fn of(mut took: Vec<f64>, votes: f64) -> Self {
        took.sort_by(f64::total_cmp);
        let quantile = |p: f64| took[(p * (took.len() - 1) as f64).round() as usize];
        Self::between(quantile(ENDS.0), quantile(ENDS.1), votes)
    }

    /// The range, where there is one.
    pub fn range(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Between { low, high } => Some((low, high)),
            Self::TooEarly | Self::OutOfReach => None,
        }
    }
}

/// The quantiles of what it takes in draws between which a range lies. Draws start from the very votes that they are
/// about and are a little too sure, so that a range leaves out less of them than [`FORECAST_CHANCE`] says.
pub(crate) const ENDS: (f64, f64) = (0.05, 0.93);

/// The first step of the path of the draws.
const FORECAST: u64 = 0xf02e;
pub(crate) const DRAWS: usize = 1_000;
const PATHS: usize = 300;
/// Of more contenders only so many of the first are drawn.
pub(crate) const MOST: usize = 60;
/// Looks are taken after this share of the votes there are, after so many times as many more, and so on up to the last.
const LOOKS: (f64, f64, f64) = (0.02, 1.3, 1e4);

/// What is to be settled.
pub(crate) struct Wanted<'a> {
    /// Who may be best, the leader first.
    pub(crate) contenders: &'a [usize],
    /// At so many standard errors.
    pub(crate) critical: f64,
    pub(crate) margin: f64,
    /// The used votes.
    pub(crate) votes: f64,
    pub(crate) seed: u64,
}

/// How many more votes of the present kind settle it; `None` where some scores are not known at all.
///
/// Where contexts are a sample, `within` is the estimate were they fixed. A variance of a difference V = A/n + B/G then
/// has a part A/n, that of `within`, which more votes in the same contexts make smaller, and a part B/G which they do
/// not.
pub(crate) fn votes_needed(estimate: &Estimate, within: Option<&Estimate>, wanted: &Wanted<'_>) -> Option<Forecast> {
    if !estimate.complete() {
        return None;
    }
    let moving = within.unwrap_or(estimate);
    let took = took(estimate, moving, wanted, |f, reach, own| {
        if within.is_none() { reach / f.sqrt() } else { (reach * reach - own * own * (1.0 - 1.0 / f)).max(0.0).sqrt() }
    });
    Some(took.map_or(Forecast::TooEarly, |took| {
        Forecast::of(took.iter().map(|more| wanted.votes * more).collect(), wanted.votes)
    }))
}

/// How many more contexts, on top of these, settle it, with as many votes each: all of V becomes smaller, and Student's
/// quantile with it.
pub(crate) fn contexts_needed(
    estimate: &Estimate,
    wanted: &Wanted<'_>,
    contexts: usize,
    level: f64,
) -> Option<Forecast> {
    if !estimate.complete() {
        return None;
    }
    let quantile = |f: f64| t_quantile(0.5 + 0.5 * level, f * estimate.df);
    let now = quantile(1.0);
    let took = took(estimate, estimate, wanted, |f, reach, _| reach / f.sqrt() * quantile(f) / now);
    let contexts = contexts as f64;
    Some(took.map_or(Forecast::TooEarly, |took| {
        match Forecast::of(took.iter().map(|more| contexts * more).collect(), contexts) {
            Forecast::Between { low, .. } if low > MOST_CONTEXTS => Forecast::OutOfReach,
            forecast => forecast,
        }
    }))
}

/// How many times as many more it takes in each of some drawn paths, infinite where no number does; `None`
/// where it is too early. `moving` is what scores are drawn from, and `reach` makes the reach of a difference after f
/// times as many of that of the estimate, and of that of `moving`.
fn took(
    estimate: &Estimate,
    moving: &Estimate,
    wanted: &Wanted<'_>,
    reach: impl Fn(f64, f64, f64) -> f64,
) -> Option<Vec<f64>> {
    if Forecast::is_early(wanted.votes, estimate.borda.len()) {
        return None;
    }
    let items = &wanted.contenders[..wanted.contenders.len().min(MOST)];
    let spread = moving.spread.of(items);
    let n = items.len();
    let scores: Vec<f64> = items.iter().map(|&i| estimate.borda[i]).collect();
    let reaches = |estimate: &Estimate| {
        let bounds = estimate.at(wanted.critical);
        DMatrix::from_fn(n, n, |a, b| if a == b { 0.0 } else { bounds.reach_below(items[a], items[b]) })
    };
    let (whole, own) = (reaches(estimate), reaches(moving));
    let mut streams: Vec<Stream> = (0..PATHS).map(|path| stream(wanted.seed, &[FORECAST, path as u64])).collect();
    let mut paths = DMatrix::from_fn(n, PATHS, |at, _| scores[at]);
    let mut took = vec![f64::INFINITY; PATHS];
    let (mut f, mut more) = (1.0, LOOKS.0);
    while more < LOOKS.2 && took.iter().any(|took| took.is_infinite()) {
        let next = 1.0 + more;
        paths += spread.draws(&mut streams) * (1.0 / f - 1.0 / next).sqrt();
        let reach = whole.zip_map(&own, |whole, own| reach(next, whole, own));
        for (took, path) in took.iter_mut().zip(paths.column_iter()).filter(|(took, _)| took.is_infinite()) {
            if is_settled(path.as_slice(), &reach, wanted.margin) {
                *took = more;
            }
        }
        (f, more) = (next, LOOKS.1 * more);
    }
    Some(took)
}

/// The share of draws in which the verdict on `scores` plus a column of `moves` is at least good enough, when the
/// difference of two scores a − b may be less by `reach[(a, b)]`.
pub(crate) fn settled(scores: &[f64], moves: &DMatrix<f64>, reach: &DMatrix<f64>, margin: f64) -> f64 {
    let verdict = |draw: &usize| {
        let moved: Vec<f64> = scores.iter().zip(moves.column(*draw).iter()).map(|(score, by)| score + by).collect();
        is_settled(&moved, reach, margin)
    };
    let draws = moves.ncols();
    (0..draws).filter(verdict).count() as f64 / draws as f64
}

/// Whether the verdict on these scores is at least good enough: the leader is not behind by more than the margin.
fn is_settled(scores: &[f64], reach: &DMatrix<f64>, margin: f64) -> bool {
    let n = scores.len();
    let leader = (0..n).fold(0, |best, a| if scores[a] > scores[best] { a } else { best });
    (0..n).all(|b| b == leader || scores[leader] - scores[b] + margin >= reach[(leader, b)])
}
