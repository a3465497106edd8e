//! Comparisons with the best: who is, and who may still be, the item of the highest score.
//!
//! * *Winner.* The leader is called the winner when it is above every other item, each comparison by itself at the
//!   two-sided level. No allowance for the number of items is needed: with two items tied at the top one of them is
//!   called the winner with probability 1 − level, and further items can only make it less likely (Gutmann and Maymin
//!   1987).
//! * *Contenders* (Hsu 1984). Item i cannot be best if some j is above it at the one-sided critical value d_i of max_j
//!   (Z_j − Z_i)/se: the true best item then stays among the contenders with the stated probability, whoever it is. d_i
//!   is never taken below the two-sided value of a single comparison, so that the winner's rule and the contenders'
//!   agree.

use super::estimate::Estimate;
use super::simultaneous::{quantile, scale};
use super::spread::MOST_PAIRWISE;
use crate::parallel;
use crate::special::t_quantile;
use crate::stop::Stop;
use crate::stream::{Stream, stream};
use nalgebra::DMatrix;

/// The first step of the path of the draws.
const CONTENDERS: u64 = 0xc027;
/// Draws for d_i, with up to a thousand items and beyond.
const DRAWS: (usize, usize) = (4_000, 1_000);
/// Beyond `MOST_PAIRWISE` items only so many of the first are asked whether they are above somebody.
const FIRST: usize = 200;

/// The most items for which d_i is drawn.
const MOST_DOUBTFUL: usize = 100;

/// Who is best.
pub(crate) struct Best {
    /// The winner alone, or everybody who may still be best, by score.
    pub(crate) contenders: Vec<usize>,
    /// The two-sided critical value of one comparison.
    pub(crate) critical: f64,
}

/// Judges all items; `order` lists them by score.
pub(crate) fn best(estimate: &Estimate, order: &[usize], level: f64, seed: u64) -> Best {
    let k = order.len();
    let critical = t_quantile(0.5 + 0.5 * level, estimate.df);
    let single = estimate.at(critical);
    let leader = order[0];
    let open: Vec<usize> = order[1..].iter().copied().filter(|&i| !single.above(leader, i)).collect();
    if open.is_empty() {
        return Best { contenders: vec![leader], critical };
    }
    let highest = t_quantile(1.0 - (1.0 - level) / (k - 1) as f64, estimate.df).max(critical);
    let safe = estimate.at(highest);
    let rivals = if k > MOST_PAIRWISE { &order[..FIRST.min(k)] } else { order };
    let below = |i: usize, bounds: &super::estimate::Bounds<'_>| {
        rivals.iter().take_while(|&&j| estimate.borda[j] >= estimate.borda[i]).any(|&j| bounds.above(j, i))
    };
    // Certainly out by Bonferroni's bound, or in even by a single comparison; between the two d_i decides.
    let state: Vec<Option<bool>> = parallel::map(k, |at| match below(order[at], &single) {
        false => Some(true),
        true if below(order[at], &safe) => Some(false),
        true => None,
    });
    // Where very many are in doubt, only the first are looked at more closely: the others stay, which errs on the safe
    // side.
    let doubtful: Vec<usize> =
        order.iter().zip(&state).filter(|(_, s)| s.is_none()).map(|(&i, _)| i).take(MOST_DOUBTFUL).collect();
    let mut kept = vec![false; estimate.borda.len()];
    order.iter().zip(&state).for_each(|(&i, s)| kept[i] = s.unwrap_or(true));
    if !doubtful.is_empty() && k <= MOST_PAIRWISE {
        let mut values = critical_values(estimate, &doubtful, level, seed);
        values.iter_mut().for_each(|d| *d = d.clamp(critical, highest));
        if estimate.exact.is_some() {
            // Exact bounds are made for all pairs at once: one value for all items.
            let most = values.iter().copied().fold(critical, f64::max);
            let bounds = estimate.at(most);
            doubtful.iter().for_each(|&i| kept[i] = !below(i, &bounds));
        } else {
            doubtful.iter().zip(&values).for_each(|(&i, &d)| kept[i] = !below(i, &estimate.at(d)));
        }
    }
    kept[leader] = true;
    let mut contenders: Vec<usize> = order.iter().copied().filter(|&i| kept[i]).collect();
    if contenders.len() == 1 {
        // Everybody else is below somebody, yet not all of them below the leader: no winner can be named.
        contenders.extend(open);
    }
    Best { contenders, critical }
}

/// d_i for some items, from joint draws of all scores.
fn critical_values(estimate: &Estimate, items: &[usize], level: f64, seed: u64) -> Vec<f64> {
    let k = estimate.borda.len();
    let draws = if k <= 1_000 { DRAWS.0 } else { DRAWS.1 };
    let batches: Vec<(DMatrix<f64>, Vec<f64>)> = parallel::map(draws.div_ceil(BATCH), |number| {
        let from = number * BATCH;
        let mut streams: Vec<Stream> =
            (from..(from + BATCH).min(draws)).map(|draw| stream(seed, &[CONTENDERS, draw as u64])).collect();
        let z = estimate.spread.draws(&mut streams);
        let scales = streams.iter_mut().map(|s| scale(estimate.df, s)).collect();
        (z, scales)
    });
    let stop = Stop::here();
    let one = |i: usize| {
        stop.check();
        let inverse: Vec<f64> = (0..k)
            .map(|j| {
                let error = estimate.spread.drawn_difference(i, j);
                if error > 1e-12 { 1.0 / error } else { 0.0 }
            })
            .collect();
        let mut largest = Vec::with_capacity(draws);
        for (z, scales) in &batches {
            for (column, scale) in z.column_iter().zip(scales) {
                let own = column[i];
                let most =
                    column.iter().zip(&inverse).fold(0.0, |most: f64, (x, inverse)| most.max((x - own) * inverse));
                largest.push(most / scale);
            }
        }
        quantile(&mut largest, level)
    };
    parallel::map(items.len(), |at| one(items[at]))
}

/// Draws made at once.
const BATCH: usize = super::simultaneous::BATCH;
