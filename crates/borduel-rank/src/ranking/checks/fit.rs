//! Whether the model explains the votes: Pearson's χ² = Σ (Σw(r−μ))²/(φ Σw² v) over pairs, v = Var r being μ(1−μ) but
//! for modelled ties.
//!
//! φ is the dispersion of single votes, which ties make less than 1. Without voters the mean, variance and skewness of
//! χ² tell its tail, with few votes a pair too (`chi_square`). Votes of one voter hang together (all of a ranking do),
//! so with voters the distribution of χ² is drawn: every voter's residuals get a random sign, and what the fit would
//! have absorbed of them is taken off (the wild bootstrap).

use super::chi_square::{self, Asked};
use super::{Context, Finding};
use crate::parallel;
use crate::ranking::fitted::Fitted;
use crate::ranking::scatter::Expected;
use crate::ranking::sums::{Pair, Part, Sums, Voter};
use crate::special::chi_square_tail;
use crate::stream::{Stream, stream};
use serde::{Deserialize, Serialize};

/// The chance of a false alarm.
pub const FIT_LEVEL: f64 = 0.01;

/// Drawn χ² values, and fewer where there are very many votes. The observed one is among the largest 3 of 300, or the
/// largest of 100, in 1 % of cases.
const DRAWS: (u64, u64) = (299, 99);
/// Draws made side by side.
const LANES: usize = 8;
/// So many pairs at a time, whose sums stay in the processor's own memory.
const BLOCK: usize = 2048;
/// The first step of the path of the signs.
const SIGNS: u64 = 0x51;
/// About how many numbers are looked at while drawing; where it is more, χ² counts as if votes were independent.
const MOST_WORK: f64 = 1e9;
/// χ² is smaller than this share of what independent votes would give: then votes scatter too little for the test.
const TOO_SMALL: f64 = 0.995;

/// The least votes a parameter.
const VOTES_PER_PARAMETER: f64 = 10.0;

/// Why the fit was not tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoFit {
    /// Some items cannot be compared.
    Incomplete,
    /// There are as many parameters as pairs.
    Saturated,
    /// The votes do not scatter at all.
    NoScatter,
    /// There are fewer than ten votes a parameter: the fit then follows single votes, and χ² says nothing.
    TooFewVotes,
}

/// A pair and how it deviates from the model. Items are indices of the ballots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Deviation {
    /// The first item of the pair.
    pub first: usize,
    /// The second item of the pair.
    pub second: usize,
    /// The votes on the pair.
    pub votes: f64,
    /// The share of the first.
    pub share: f64,
    /// What the model says.
    pub fitted: f64,
}

pub(super) fn fit(context: &Context<'_>) -> Finding {
    let untested = |why| Finding::FitUntested { why };
    let Some(fitted) = context.fitted.filter(|_| context.estimate.complete()) else {
        return untested(NoFit::Incomplete);
    };
    let rows = &context.fitted_to.pairs;
    // What was adjusted for keeps votes on a pair apart; χ² is one of pairs.
    let same = |a: &Pair, b: &Pair| (a.i, a.j) == (b.i, b.j);
    let lengths: Vec<usize> = rows.chunk_by(same).map(<[Pair]>::len).collect();
    let df = lengths.len() as f64 - fitted.dim() as f64;
    if df < 1.0 {
        return untested(NoFit::Saturated);
    }
    let (votes, d) = (context.fitted_to.effective_votes(), fitted.dim() as f64);
    if votes < VOTES_PER_PARAMETER * d {
        return untested(NoFit::TooFewVotes);
    }
    let scores = fitted.scores(context.fitted_to);
    let Expected { mean: mu, variance: own, .. } = Expected::at(fitted.points(), &scores, false);
    let (mut residuals, mut expected) = (0.0, 0.0);
    for ((pair, p), variance) in rows.iter().zip(&mu).zip(&own) {
        residuals += pair.squared_residuals(*p);
        expected += pair.w2 * variance;
    }
    // The fit has followed the votes by d of them: their residuals are so much smaller than their errors.
    let dispersion = residuals / expected * votes / (votes - d);
    if dispersion.is_nan() || dispersion <= 1e-9 {
        return untested(NoFit::NoScatter);
    }
    // The fit is one to votes and pseudo-votes: without those all votes of an item that never lost would lie on one
    // side of it.
    let pseudo = |at: usize| fitted.pseudo.get(at).copied().unwrap_or(0.0);
    let pseudo_squares: Vec<f64> =
        mu.iter().enumerate().map(|(at, p)| 0.5 * pseudo(at) * (p * p + (1.0 - p) * (1.0 - p))).collect();
    let variance = |at: usize| dispersion * rows[at].w2 * own[at] + pseudo_squares[at];
    let unit: Vec<f64> = by_pair(&lengths, variance).map(|v| 1.0 / v).collect();
    let residual = |at: usize| rows[at].wr - mu[at] * rows[at].w + pseudo(at) * (0.5 - mu[at]);
    let each: Vec<f64> = by_pair(&lengths, residual).zip(&unit).map(|(s, unit)| s * s * unit).collect();
    let chi_square: f64 = each.iter().sum();
    let worst = (0..each.len()).fold(0, |worst, at| if each[at] > each[worst] { at } else { worst });
    drop(each);
    let scatter: f64 = unit.iter().map(|unit| 1.0 / unit).sum();
    let (w, w2) = (by_pair(&lengths, |at| rows[at].w), by_pair(&lengths, |at| rows[at].w2));
    let wins = by_pair(&lengths, |at| rows[at].w * mu[at]);
    let asked = |(((w, w2), wins), unit): (((f64, f64), f64), &f64)| Asked {
        n: w * w / w2,
        mean: wins / w,
        variance: 1.0 / (unit * w2),
        share: 1.0 / (unit * scatter),
    };
    let asked = w.zip(w2).zip(wins).zip(&unit).map(asked);
    let mut independent = chi_square::tail(chi_square, (df, unit.len()), asked);
    if fitted.separable() {
        // Pseudo-votes are no coins, and what is told by moments of such takes them for one.
        independent = independent.max(chi_square_tail(chi_square, df));
    }
    let drawn = context.by_voter().then_some(()).and_then(|()| {
        by_signs(context.fitted_to, (fitted, &pseudo_squares), (&mu, &own), (&lengths, &unit), chi_square, context.seed)
    });
    let by_voter = drawn.is_some();
    let (p, least) = drawn.unwrap_or((independent, 0.0));
    let start = lengths[..worst].iter().sum::<usize>();
    let of_worst = |of: &dyn Fn(usize) -> f64| (start..start + lengths[worst]).map(of).sum::<f64>();
    let w = of_worst(&|at| rows[at].w);
    Finding::Fit {
        chi_square,
        df,
        p,
        least,
        by_voter,
        powerless: independent > TOO_SMALL && p > 0.5,
        worst: Deviation {
            first: context.sums.items[rows[start].i],
            second: context.sums.items[rows[start].j],
            votes: of_worst(&|at| rows[at].n),
            share: of_worst(&|at| rows[at].wr) / w,
            fitted: of_worst(&|at| rows[at].w * mu[at]) / w,
        },
    }
}

/// The sum over the rows of each pair, whose numbers these lengths are.
fn by_pair(lengths: &[usize], row: impl Fn(usize) -> f64) -> impl Iterator<Item = f64> {
    lengths.iter().scan(0, move |next, &length| {
        let start = std::mem::replace(next, *next + length);
        Some((start..*next).map(&row).sum())
    })
}

/// The pair and the voter of every part, and what it comes to, block of pairs by block of pairs, and voter by voter
/// within a block.
fn by_blocks(sums: &Sums, value: impl Fn(&Part) -> f64) -> Vec<(u32, u32, f64)> {
    let mut places = vec![0; sums.pairs.len().div_ceil(BLOCK)];
    sums.parts.iter().for_each(|part| places[part.pair / BLOCK] += 1);
    let mut start = 0;
    places.iter_mut().for_each(|place| start += std::mem::replace(place, start));
    let mut values = vec![(0, 0, 0.0); sums.parts.len()];
    for (voter, who) in sums.voters.iter().enumerate() {
        for part in &sums.parts[who.parts.clone()] {
            let place = &mut places[part.pair / BLOCK];
            values[*place] = (part.pair as u32, voter as u32, value(part));
            *place += 1;
        }
    }
    values
}

/// The share of draws, the observed one among them, in which χ² is as large as observed, and the least that this share
/// can be.
fn by_signs(
    sums: &Sums,
    (fitted, pseudo): (&Fitted, &[f64]),
    (mu, own): (&[f64], &[f64]),
    (lengths, unit): (&[usize], &[f64]),
    observed: f64,
    seed: u64,
) -> Option<(f64, f64)> {
    let work = |draws: u64| draws as f64 * (sums.parts.len() as f64 + fitted.cost());
    let draws = if work(DRAWS.0) <= MOST_WORK { DRAWS.0 } else { DRAWS.1 };
    if work(draws) > 2.0 * MOST_WORK {
        return None;
    }
    let pairs: Vec<(usize, usize)> = sums.pairs.iter().map(|pair| (pair.i, pair.j)).collect();
    // The fit has taken its share of the residuals already, and takes it once more of what is drawn.
    let stretch: Vec<f64> = fitted.stretch.iter().map(|s| s.sqrt()).collect();
    let residual = |part: &Part| stretch[part.pair] * (part.wr - mu[part.pair] * part.w);
    let residuals = by_blocks(sums, residual);
    let votes = |at: usize| sums.pairs[at].w + fitted.pseudo.get(at).copied().unwrap_or(0.0);
    let slopes: Vec<f64> = own.iter().enumerate().map(|(at, variance)| votes(at) * variance).collect();
    // Several draws go through the residuals side by side: reading them is what a draw waits for.
    let batch = |first: u64| -> Option<u64> {
        let count = (draws - first).min(LANES as u64) as usize;
        let mut streams: Vec<Stream> = (first..).take(count).map(|number| stream(seed, &[SIGNS, number])).collect();
        let draw = |voter: &Voter| {
            let mut signs = [0.0_f32; LANES];
            for (sign, stream) in signs.iter_mut().zip(&mut streams) {
                // Members of a group of identical voters get signs of their own: their sum is drawn as a normal number.
                *sign = if voter.copies > 1.0 {
                    (stream.normal() / voter.copies.sqrt()) as f32
                } else if stream.uniform() < 0.5 {
                    -1.0
                } else {
                    1.0
                };
            }
            signs
        };
        let signs: Vec<[f32; LANES]> = sums.voters.iter().map(draw).collect();
        let mut signed = vec![[0.0; LANES]; mu.len()];
        for &(pair, voter, residual) in &residuals {
            let lanes = signed[pair as usize].iter_mut().zip(&signs[voter as usize]);
            lanes.for_each(|(sum, &sign)| *sum += f64::from(sign) * residual);
        }
        if fitted.separable() {
            for (signed, square) in signed.iter_mut().zip(pseudo) {
                let draws = signed.iter_mut().zip(&mut streams);
                draws.for_each(|(sum, stream)| *sum += stream.normal() * square.sqrt());
            }
        }
        let mut larger = 0;
        for lane in 0..count {
            let signed: Vec<f64> = signed.iter().map(|lanes| lanes[lane]).collect();
            let taken = fitted.absorbed(&pairs, (&sums.z, sums.covariates), &signed)?;
            let left: Vec<f64> = (0..mu.len()).map(|at| signed[at] - slopes[at] * taken[at]).collect();
            let chi: f64 = by_pair(lengths, |at| left[at]).zip(unit).map(|(s, unit)| s * s * unit).sum();
            larger += u64::from(chi >= observed);
        }
        Some(larger)
    };
    let batches = parallel::map((draws as usize).div_ceil(LANES), |at| batch((at * LANES) as u64));
    let larger: Option<u64> = batches.into_iter().sum();
    let least = 1.0 / (1.0 + draws as f64);
    Some((least * (1.0 + larger? as f64), least))
}
