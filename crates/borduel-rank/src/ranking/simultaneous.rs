//! One simultaneous set of intervals for all differences B(i) − B(j), and the ranks that follow from it.
//!
//! Beyond [`MOST_PAIRWISE`] items the set is one of intervals of scores, by Bonferroni's or Scheffé's bound, whichever
//! is smaller: an item is certainly above another when their intervals do not overlap, which needs no look at every
//! pair.

use super::estimate::{Bounds, Estimate};
use super::spread::{MOST_PAIRWISE, Spread};
use crate::parallel;
use crate::special::{chi_square_from_normal, chi_square_quantile, t_quantile};
use crate::stop::Stop;
use crate::stream::{Stream, stream};

/// The first step of the path of the draws for the simultaneous set.
const CRITICAL: u64 = 0x5e7;
/// The first step of the path of the draws for the probability of being best.
const BEST: u64 = 0xbe57;

/// About how many numbers are looked at while drawing.
const WORK: f64 = 5e8;
/// Draws at least, and at most.
const DRAWS: (usize, usize) = (400, 10_000);
/// Draws made at once.
pub(crate) const BATCH: usize = 64;

/// The simultaneous set: B(i) − B(j) lies within B̂(i) − B̂(j) ± c·se(i,j) for all pairs together.
pub(crate) struct Differences<'a> {
    estimate: &'a Estimate,
    bounds: Bounds<'a>,
    /// c, the quantile of max |t|.
    pub(crate) critical: f64,
}

impl<'a> Differences<'a> {
    /// Draws max |t| from the joint distribution of the scores; Student's when degrees of freedom are few.
    pub(crate) fn new(estimate: &'a Estimate, level: f64, seed: u64) -> Self {
        let k = estimate.borda.len();
        let critical = if k > MOST_PAIRWISE {
            let each = t_quantile(1.0 - 0.5 * (1.0 - level) / k as f64, estimate.df);
            each.min(scheffe(level, estimate.spread.rank() as f64, estimate.df))
        } else {
            largest_difference(estimate, level, seed)
        };
        Self { estimate, bounds: estimate.at(critical), critical }
    }

    /// The interval of B(i).
    fn ends(&self, i: usize) -> (f64, f64) {
        let (down, up) = self.bounds.reach(i);
        let (b, unknown) = (self.estimate.borda[i], 0.5 * self.estimate.unknown[i]);
        (b - down - unknown, b + up + unknown)
    }

    /// The lowest and highest rank each item can have.
    pub(crate) fn ranks(&self) -> Vec<(usize, usize)> {
        let k = self.estimate.borda.len();
        if k > MOST_PAIRWISE {
            let ends: Vec<(f64, f64)> = (0..k).map(|i| self.ends(i)).collect();
            let sorted = |pick: fn(&(f64, f64)) -> f64| {
                let mut list: Vec<f64> = ends.iter().map(pick).collect();
                list.sort_by(f64::total_cmp);
                list
            };
            let (lows, highs) = (sorted(|e| e.0), sorted(|e| e.1));
            let rank = |&(low, high): &(f64, f64)| {
                (1 + k - lows.partition_point(|l| *l <= high), k - highs.partition_point(|h| *h < low))
            };
            return ends.iter().map(rank).collect();
        }
        let rank = |i| {
            let above = (0..k).filter(|&j| self.bounds.above(j, i)).count();
            let below = (0..k).filter(|&j| self.bounds.above(i, j)).count();
            (1 + above, k - below)
        };
        parallel::map(k, rank)
    }
}

/// The quantile of max |Z(i) − Z(j)| / se(i,j) over all pairs, over √(χ²/df).
fn largest_difference(estimate: &Estimate, level: f64, seed: u64) -> f64 {
    let k = estimate.borda.len();
    // 1/se of all pairs i < j, row by row; 0 where two scores cannot differ.
    let inverse = |i: usize| {
        (i + 1..k).map(move |j| {
            let error = estimate.spread.drawn_difference(i, j);
            if error > 1e-12 { 1.0 / error } else { 0.0 }
        })
    };
    let inverses: Vec<Vec<f64>> = parallel::map(k, |i| inverse(i).collect());
    let pairs = (k * k) as f64 / 2.0;
    let draws = ((WORK / pairs) as usize).clamp(DRAWS.0, DRAWS.1);
    let stop = Stop::here();
    let batch = |number: usize| -> Vec<f64> {
        stop.check();
        let from = number * BATCH;
        let mut streams: Vec<Stream> =
            (from..(from + BATCH).min(draws)).map(|draw| stream(seed, &[CRITICAL, draw as u64])).collect();
        let n = streams.len();
        let z = estimate.spread.draws_by_row(&mut streams);
        // An item's draws lie together, so that the innermost loop is one over neighbours.
        let z: Vec<&[f64]> = z.as_slice().chunks_exact(n).collect();
        let mut largest = vec![0.0_f64; n];
        for (i, row) in inverses.iter().enumerate() {
            for (j, &inverse) in row.iter().enumerate() {
                for ((most, a), b) in largest.iter_mut().zip(z[i]).zip(z[i + 1 + j]) {
                    let t = (a - b).abs() * inverse;
                    *most = if t > *most { t } else { *most };
                }
            }
        }
        largest.iter().zip(&mut streams).map(|(most, stream)| most / scale(estimate.df, stream)).collect()
    };
    let mut largest: Vec<f64> = parallel::map(draws.div_ceil(BATCH), batch).concat();
    quantile(&mut largest, level)
}

/// The value below which this share of the numbers lies.
pub(crate) fn quantile(values: &mut [f64], level: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(level * (values.len() as f64 - 1.0)).ceil() as usize]
}

/// Scheffé's bound on max |t| over all linear combinations of m normal variables.
fn scheffe(level: f64, m: f64, df: f64) -> f64 {
    let numerator = chi_square_quantile(level, m);
    // The F quantile is at most a little above its normal limit; the denominator's lower tail makes it safe.
    let denominator = if df.is_infinite() { 1.0 } else { chi_square_quantile(1.0 - level, df) / df };
    (numerator / denominator.max(1e-3)).sqrt()
}

/// √(χ²/df): 1 in the normal case.
pub(crate) fn scale(df: f64, stream: &mut Stream) -> f64 {
    if df.is_infinite() {
        1.0
    } else if df <= 8.0 {
        let sum: f64 = (0..df.round().max(1.0) as u32).map(|_| stream.normal().powi(2)).sum();
        (sum / df.round().max(1.0)).sqrt()
    } else {
        (chi_square_from_normal(stream.normal(), df) / df).sqrt()
    }
}

/// The share of draws from the fitted normal distribution in which each item is best, ties split; `None` where some
/// score is not known at all. Items more than nine standard errors below the leader are never best in so few draws, and
/// not drawn.
pub(crate) fn probability_best(estimate: &Estimate, seed: u64) -> Option<Vec<f64>> {
    if !estimate.complete() {
        return None;
    }
    let k = estimate.borda.len();
    let floor = (0..k).map(|i| estimate.borda[i] - 4.5 * estimate.error(i)).fold(f64::NEG_INFINITY, f64::max);
    let near: Vec<usize> = (0..k).filter(|&i| estimate.borda[i] + 4.5 * estimate.error(i) >= floor).collect();
    let part = (near.len() < k).then(|| estimate.spread.of(&near));
    let spread: &Spread = part.as_ref().unwrap_or(&estimate.spread);
    let draws = ((WORK / spread.cost()) as usize).clamp(DRAWS.0, DRAWS.1);
    let stop = Stop::here();
    let batch = |number: usize| {
        stop.check();
        let from = number * BATCH;
        let mut streams: Vec<Stream> =
            (from..(from + BATCH).min(draws)).map(|draw| stream(seed, &[BEST, draw as u64])).collect();
        let z = spread.draws_by_row(&mut streams);
        // An item's scores in all draws of the batch lie together: first the best of each draw, then how many share
        // that place.
        let scores = || z.column_iter().zip(&near).map(|(moves, &item)| (moves, estimate.borda[item]));
        let (mut top, mut sharing) = (vec![f64::NEG_INFINITY; z.nrows()], vec![0.0; z.nrows()]);
        for (moves, score) in scores() {
            top.iter_mut().zip(moves.iter()).for_each(|(top, x)| *top = top.max(score + x));
        }
        let is_first = |score: f64, top: f64| score >= top - 1e-12;
        for (moves, score) in scores() {
            let draws = sharing.iter_mut().zip(moves.iter().zip(&top));
            draws.for_each(|(sharing, (x, top))| *sharing += f64::from(is_first(score + x, *top)));
        }
        let share = scores().map(|(moves, score)| {
            let draws = moves.iter().zip(&top).zip(&sharing);
            draws.filter(|((x, top), _)| is_first(score + *x, **top)).map(|(_, sharing)| 1.0 / sharing).sum::<f64>()
        });
        share.collect::<Vec<f64>>()
    };
    let parts: Vec<Vec<f64>> = parallel::map(draws.div_ceil(BATCH), batch);
    let mut shares = vec![0.0; k];
    for part in &parts {
        part.iter().zip(&near).for_each(|(share, &item)| shares[item] += share / draws as f64);
    }
    Some(shares)
}
