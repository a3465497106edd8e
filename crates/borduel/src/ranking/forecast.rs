//! How many more votes of the present kind would settle the matter, and with which chance.
//!
//! After f times as many votes the scores are B̂ + √(1 − 1/f) Z, with Z as uncertain as the scores are now (what is known about the
//! truth and what the new votes add, together), and the bounds of their differences, those of the verdict, are √f times nearer. The verdict is drawn so many times at each f;
//! the smallest f at which it is good enough (a clear winner and a tie are) in the stated share of draws counts.

use super::estimate::Estimate;
use crate::stream::{Stream, stream};
use nalgebra::DMatrix;

/// The chance with which a forecast number of votes settles the matter.
pub const FORECAST_CHANCE: f64 = 0.8;

/// The first step of the path of the draws.
const FORECAST: u64 = 0xf02e;
pub(crate) const DRAWS: usize = 1_000;
/// Of more contenders only so many of the first are drawn.
pub(crate) const MOST: usize = 60;
/// More than so many times the votes there are is "never".
const MOST_TIMES: f64 = 1e6;

/// By which factor the votes must grow; `None` where no number would do, or some scores are not known at all.
pub(crate) fn votes_factor(
    estimate: &Estimate,
    contenders: &[usize],
    critical: f64,
    margin: f64,
    seed: u64,
) -> Option<f64> {
    if !estimate.complete() {
        return None;
    }
    let items = &contenders[..contenders.len().min(MOST)];
    let spread = estimate.spread.of(items);
    let n = items.len();
    let scores: Vec<f64> = items.iter().map(|&i| estimate.borda[i]).collect();
    let bounds = estimate.at(critical);
    let errors = DMatrix::from_fn(n, n, |a, b| if a == b { 0.0 } else { bounds.reach_below(items[a], items[b]) });
    let mut streams: Vec<Stream> = (0..DRAWS).map(|draw| stream(seed, &[FORECAST, draw as u64])).collect();
    let z = spread.draws(&mut streams);
    let settled = |f: f64| {
        let (move_by, shrink) = ((1.0 - 1.0 / f).sqrt(), 1.0 / f.sqrt());
        settled(&scores, &(&z * move_by), &(&errors * shrink), margin) >= FORECAST_CHANCE
    };
    let (mut low, mut high) = (1.0, 2.0);
    while !settled(high) {
        low = high;
        high *= 2.0;
        if high > MOST_TIMES {
            return None;
        }
    }
    for _ in 0..20 {
        let middle = f64::sqrt(low * high);
        if settled(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// The share of draws in which the verdict on `scores` plus a column of `moves` is at least good enough, when the difference of two
/// scores a − b may be less by `reach[(a, b)]`.
pub(crate) fn settled(scores: &[f64], moves: &DMatrix<f64>, reach: &DMatrix<f64>, margin: f64) -> f64 {
    let n = scores.len();
    let verdict = |draw: usize| {
        let scores: Vec<f64> = (0..n).map(|a| scores[a] + moves[(a, draw)]).collect();
        let leader = (0..n).fold(0, |best, a| if scores[a] > scores[best] { a } else { best });
        (0..n).all(|b| b == leader || scores[leader] - scores[b] + margin >= reach[(leader, b)])
    };
    let draws = moves.ncols();
    (0..draws).filter(|&draw| verdict(draw)).count() as f64 / draws as f64
}
