//! One simultaneous set of intervals for all differences B(i) − B(j), and what follows from it: ranks, and who may be best.

use super::distribution::{chi_square_from_normal, chi_square_quantile};
use super::estimate::Estimate;
use crate::stream::{Stream, stream};
use nalgebra::DVector;
use rayon::prelude::*;

/// The first step of the path of the draws for the simultaneous set.
const CRITICAL: u64 = 0x5e7;
/// The first step of the path of the draws for the probability of being best.
const BEST: u64 = 0xbe57;

/// The most pair differences looked at while drawing.
const WORK: f64 = 4e9;
/// Draws at most, and at least; where even these cost too much, Scheffé's bound takes their place.
const DRAWS: (usize, usize) = (10_000, 1_000);

/// The simultaneous set: B(i) − B(j) lies within B̂(i) − B̂(j) ± c·se(i,j) for all pairs together.
pub(crate) struct Differences<'a> {
    estimate: &'a Estimate,
    /// c, the quantile of max |t|.
    pub(crate) critical: f64,
    errors: Vec<f64>,
}

impl<'a> Differences<'a> {
    /// Draws max |t| from the joint distribution of the scores; Student's when degrees of freedom are few.
    pub(crate) fn new(estimate: &'a Estimate, level: f64, seed: u64) -> Self {
        let k = estimate.borda.len();
        let mut errors = vec![0.0; k * k];
        errors.par_chunks_mut(k).enumerate().for_each(|(i, row)| {
            row.iter_mut().enumerate().for_each(|(j, e)| *e = estimate.difference_error(i, j));
        });
        let pairs = (k * k) as f64 / 2.0;
        let draws = ((WORK / pairs) as usize).min(DRAWS.0);
        let critical = if draws < DRAWS.1 {
            let m = estimate.factor.ncols() as f64;
            scheffe(level, m, estimate.df)
        } else {
            let mut largest: Vec<f64> = (0..draws as u64)
                .into_par_iter()
                .map(|draw| largest_ratio(estimate, &errors, &mut stream(seed, &[CRITICAL, draw])))
                .collect();
            largest.sort_by(f64::total_cmp);
            largest[(level * (draws as f64 - 1.0)).ceil() as usize]
        };
        Self { estimate, critical, errors }
    }

    /// The standard error of a difference.
    pub(crate) fn error(&self, i: usize, j: usize) -> f64 {
        self.errors[i * self.estimate.borda.len() + j]
    }

    /// The interval of B(i) − B(j). What is unknown about either item widens it by all that is possible.
    pub(crate) fn interval(&self, i: usize, j: usize) -> (f64, f64) {
        let e = self.estimate;
        let half = self.critical * self.error(i, j) + 0.5 * (e.unknown[i] + e.unknown[j]);
        let difference = e.borda[i] - e.borda[j];
        (difference - half, difference + half)
    }

    /// Whether i is certainly above j.
    pub(crate) fn above(&self, i: usize, j: usize) -> bool {
        i != j && self.interval(i, j).0 > 0.0
    }

    /// The lowest and highest rank each item can have.
    pub(crate) fn ranks(&self) -> Vec<(usize, usize)> {
        let k = self.estimate.borda.len();
        let rank = |i| {
            let above = (0..k).filter(|&j| self.above(j, i)).count();
            let below = (0..k).filter(|&j| self.above(i, j)).count();
            (1 + above, k - below)
        };
        (0..k).into_par_iter().map(rank).collect()
    }
}

/// Scheffé's bound on max |t| over all linear combinations of m normal variables.
fn scheffe(level: f64, m: f64, df: f64) -> f64 {
    let numerator = chi_square_quantile(level, m);
    // The F quantile is at most a little above its normal limit; the denominator's lower tail makes it safe.
    let denominator = if df.is_infinite() { 1.0 } else { chi_square_quantile(1.0 - level, df) / df };
    (numerator / denominator.max(1e-3)).sqrt()
}

/// One draw of max |Z(i) − Z(j)| / se(i,j), over √(χ²/df).
fn largest_ratio(estimate: &Estimate, errors: &[f64], stream: &mut Stream) -> f64 {
    let z = draw(estimate, stream);
    let k = z.len();
    let mut largest: f64 = 0.0;
    for i in 0..k {
        for j in i + 1..k {
            let error = errors[i * k + j];
            if error > 1e-12 {
                largest = largest.max((z[i] - z[j]).abs() / error);
            }
        }
    }
    largest / scale(estimate.df, stream)
}

/// √(χ²/df): 1 in the normal case.
fn scale(df: f64, stream: &mut Stream) -> f64 {
    if df.is_infinite() {
        1.0
    } else if df <= 8.0 {
        let sum: f64 = (0..df.round().max(1.0) as u32).map(|_| stream.normal().powi(2)).sum();
        (sum / df.round().max(1.0)).sqrt()
    } else {
        (chi_square_from_normal(stream.normal(), df) / df).sqrt()
    }
}

/// A draw of the scores' errors, F z.
fn draw(estimate: &Estimate, stream: &mut Stream) -> DVector<f64> {
    let z = DVector::from_fn(estimate.factor.ncols(), |_, _| stream.normal());
    &estimate.factor * z
}

/// The share of draws from the fitted normal distribution in which each item is best, ties split; `None` where some score is
/// not known at all.
pub(crate) fn probability_best(estimate: &Estimate, seed: u64) -> Option<Vec<f64>> {
    if estimate.unknown.iter().any(|&u| u > 1e-12) {
        return None;
    }
    let k = estimate.borda.len();
    let best = |number: u64| {
        let z = draw(estimate, &mut stream(seed, &[BEST, number]));
        let score = |i: usize| estimate.borda[i] + z[i];
        let top = (0..k).map(score).fold(f64::NEG_INFINITY, f64::max);
        (0..k).filter(|&i| score(i) >= top - 1e-12).collect::<Vec<_>>()
    };
    let winners: Vec<Vec<usize>> = (0..DRAWS.0 as u64).into_par_iter().map(best).collect();
    let mut share = vec![0.0; k];
    for draw in &winners {
        draw.iter().for_each(|&i| share[i] += 1.0 / (draw.len() * winners.len()) as f64);
    }
    Some(share)
}
