//! Percentile intervals by resampling voters, or votes where voters are unknown.

use super::sums::Sums;
use super::uneven::alone;
use crate::error::{Error, Result};
use crate::parallel;
use crate::stop;
use crate::stream::{Stream, stream};

/// The first step of the path of the resampling.
const BOOTSTRAP: u64 = 0xb007;

/// So many replications are made before somebody looks whether they are still wanted.
const WAVE: usize = 256;

/// Percentile intervals of all scores, and how many replications had no maximum of their own.
pub(crate) struct Percentiles {
    pub(crate) intervals: Vec<(f64, f64)>,
    pub(crate) penalised: usize,
}

/// The scores that other sums (Σw, Σwr, Σwt) of the same pairs give, and whether they have no maximum of their own.
pub(crate) type Refit<'a> = &'a (dyn Fn(&[[f64; 3]]) -> Result<(Vec<f64>, bool)> + Sync);

/// Refits the model `replications` times. Each has its own stream, so that threads change nothing.
pub(crate) fn percentiles(
    sums: &Sums,
    refit: Refit<'_>,
    replications: usize,
    level: f64,
    seed: u64,
) -> Result<Percentiles> {
    if replications < 100 {
        return Err(Error::setting("bootstrap", replications, "percentile intervals need at least 100 replications"));
    }
    if sums.voters.is_empty() && sums.weighted {
        return Err(Error::Data(
            "resampling weighted votes needs to know the voters: name their column, or leave the bootstrap out"
                .to_owned(),
        ));
    }
    if !sums.voters.is_empty() && alone(sums).is_some() {
        return Err(Error::Data(
            "resampling voters needs to know them all, and some votes have none: leave the voters or the bootstrap out"
                .to_owned(),
        ));
    }
    let one = |replication: u64| -> Result<(Vec<f64>, bool)> {
        let mut stream = stream(seed, &[BOOTSTRAP, replication]);
        let mut resampled = vec![[0.0; 3]; sums.pairs.len()];
        if sums.voters.is_empty() {
            resample_votes(sums, &mut stream, &mut resampled);
        } else {
            resample_voters(sums, &mut stream, &mut resampled);
        }
        refit(&resampled)
    };
    let mut all: Vec<(Vec<f64>, bool)> = Vec::new();
    // In waves: were each of a million turns to leave by itself, that would take as long as the turns.
    for first in (0..replications).step_by(WAVE) {
        stop::check();
        let wave = parallel::map(WAVE.min(replications - first), |at| one((first + at) as u64));
        all.extend(wave.into_iter().collect::<Result<Vec<_>>>()?);
    }
    let quantile = |i: usize, p: f64| {
        let mut column: Vec<f64> = all.iter().map(|(scores, _)| scores[i]).collect();
        column.sort_by(f64::total_cmp);
        // Linear between order statistics, as most programs do.
        let at = p * (column.len() - 1) as f64;
        let (low, share) = (at.floor() as usize, at.fract());
        column[low] + share * (column[(low + 1).min(column.len() - 1)] - column[low])
    };
    let tail = 0.5 * (1.0 - level);
    let intervals = parallel::map(sums.len(), |i| (quantile(i, tail), quantile(i, 1.0 - tail)));
    Ok(Percentiles { intervals, penalised: all.iter().filter(|(_, ridge)| *ridge).count() })
}

/// Draws as many voters as there are, with replacement; a group of identical voters is drawn as its members.
fn resample_voters(sums: &Sums, stream: &mut Stream, out: &mut [[f64; 3]]) {
    let ends: Vec<f64> = sums
        .voters
        .iter()
        .scan(0.0, |sum, voter| {
            *sum += voter.copies;
            Some(*sum)
        })
        .collect();
    let total = sums.voter_count();
    let mut drawn = vec![0.0; sums.voters.len()];
    for _ in 0..total.round() as u64 {
        let at = stream.uniform() * total;
        drawn[ends.partition_point(|&end| end <= at).min(ends.len() - 1)] += 1.0;
    }
    for (voter, times) in sums.voters.iter().zip(drawn).filter(|(_, times)| *times > 0.0) {
        for part in &sums.parts[voter.parts.clone()] {
            let factor = times / voter.copies;
            let sums = out[part.pair].iter_mut().zip([part.w, part.wr, part.wt]);
            sums.for_each(|(sum, x)| *sum += factor * x);
        }
    }
}

/// Draws the votes of each pair anew: each of the n votes of answer r is repeated a Poisson(1) number of times. Wins,
/// losses and ties follow from n, Σr and Σr².
fn resample_votes(sums: &Sums, stream: &mut Stream, out: &mut [[f64; 3]]) {
    for (pair, out) in sums.pairs.iter().zip(out) {
        // With answers 0, ½ and 1: Σr − Σr² = ties/4.
        let ties = 4.0 * (pair.w2r - pair.w2r2);
        let wins = pair.w2r - 0.5 * ties;
        let losses = pair.n - wins - ties;
        for (count, r) in [(wins, 1.0), (ties, 0.5), (losses, 0.0)] {
            let times = poisson(count.max(0.0), stream);
            out[0] += times;
            out[1] += times * r;
            if sums.ties && r == 0.5 {
                out[2] += times;
            }
        }
    }
}

/// A Poisson number: by counting up to 60, beyond that rounded from the normal distribution.
fn poisson(mean: f64, stream: &mut Stream) -> f64 {
    if mean > 60.0 {
        return (mean + mean.sqrt() * stream.normal()).round().max(0.0);
    }
    let limit = (-mean).exp();
    let (mut product, mut count) = (1.0 - stream.uniform(), 0.0);
    while product > limit {
        product *= 1.0 - stream.uniform();
        count += 1.0;
    }
    count
}
