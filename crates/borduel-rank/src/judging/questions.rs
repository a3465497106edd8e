//! The very same questions, put to people and to a judge: how far they agree, and what the judge's answers would save.
//!
//! A question is a pair and, where votes have one, its context. An answer is y = 1 for the first item, −1 for the
//! second, 0 for a tie; which item is first means nothing, so that chance is measured about 0.
//!
//! *Agreement* is Krippendorff's α of two who answer one question, 1 − E(y − z)²/(E y² + E z²): 1 is full
//! agreement, 0 what chance gives.
//!
//! *Saving.* Within a pair y and z vary with the context. If the judge has answered a pair on all contexts, z − E z
//! is known for every question that a person is asked, and y − λ(z − E z) has the mean of y and, with the best λ,
//! 1 − ρ² of its variance, ρ being the correlation of y and z within pairs: a control variate, which saves ρ² of
//! people's votes. Over the m contexts of a pair on which both answered, with ȳ_c the mean of people's answers, q_c
//! that of their squares, the sums over pairs of
//!
//! Σ_c (ȳ_c − ȳ)(z_c − z̄), Σ_c (z_c − z̄)², (m−1)/m · Σ q_c − 1/m · Σ_{c≠c′} ȳ_c ȳ_c′
//!
//! estimate (m − 1) times Cov(y, z), Var z and Var y without a bias. Without contexts there is nothing to correlate
//! beyond the pair, and nothing is saved.
//!
//! Errors come from leaving out one pair of items after the other (the jackknife).

use crate::ballots::Ballots;
use crate::ranking::Interval;
use crate::special::t_quantile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far two agree who answer the same question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Agreements {
    /// The judge and a person.
    pub judge: Interval,
    /// Two people, where a question was answered by more than one.
    pub people: Option<Interval>,
    /// The questions that both answered.
    pub questions: usize,
}

/// What a judge's answers would save.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Saving {
    /// ρ, the correlation of a person's answer and the judge's within pairs.
    pub correlation: Interval,
    /// The share of people's votes it saves, ρ², nothing where ρ is negative.
    pub share: Interval,
    /// Pairs that both answered in two contexts or more.
    pub pairs: usize,
}

/// n, Σy and Σy² of the answers to a question.
type Sum = [f64; 3];

/// The questions of every pair that both answered: people's answers and the judge's.
pub(super) struct Asked {
    pairs: Vec<Vec<(Sum, Sum)>>,
    /// Whether questions have contexts.
    contexts: bool,
}

/// Puts the questions of both beside each other. Items are the same, under the same numbers. Weighted votes are not
/// told apart, and have no questions.
pub(super) fn asked(people: &Ballots, judge: &Ballots) -> Asked {
    let (ours, theirs) = (sums(people), sums(judge));
    let mut pairs: BTreeMap<(u32, u32), Vec<(Sum, Sum)>> = BTreeMap::new();
    for (key, own) in &ours {
        if let Some(other) = theirs.get(key) {
            pairs.entry((key.0, key.1)).or_default().push((*own, *other));
        }
    }
    Asked { pairs: pairs.into_values().collect(), contexts: people.contexts() > 0 && judge.contexts() > 0 }
}

/// The answers to every question, seen from the first item of the pair.
fn sums(ballots: &Ballots) -> BTreeMap<(u32, u32, Option<String>), Sum> {
    let mut all: BTreeMap<(u32, u32, Option<String>), Sum> = BTreeMap::new();
    if ballots.weighted() {
        return all;
    }
    let names = ballots.context_names();
    for cell in ballots.cells().iter().filter(|cell| cell.n > 0.0) {
        let context = cell.context.map(|context| names[context as usize].clone());
        let sum = all.entry((cell.left.min(cell.right), cell.left.max(cell.right), context)).or_default();
        // y = 2r − 1.
        let y = 2.0 * cell.wr - cell.w;
        let squares = 4.0 * (cell.w2r2 - cell.w2r) + cell.w2;
        sum[0] += cell.n;
        sum[1] += if cell.left > cell.right { -y } else { y };
        sum[2] += squares;
    }
    all
}

/// How far they agree; `None` where they have no question in common.
pub(super) fn agreements(asked: &Asked, level: f64) -> Option<Agreements> {
    // Σ y z, Σ y² and Σ z² over a person's and the judge's answers to a question.
    let judge = |(own, other): &(Sum, Sum)| {
        let (z, zz) = (other[1] / other[0], other[2] / other[0]);
        [2.0 * own[1] * z, own[2] + own[0] * zz]
    };
    // The same over two different people, each answer with the weight 1.
    let people = |(own, _): &(Sum, Sum)| {
        if own[0] < 2.0 { [0.0; 2] } else { [(own[1] * own[1] - own[2]) / (own[0] - 1.0), own[2]] }
    };
    let ratio = |sum: &[f64; 2]| (sum[1] > 0.0).then(|| sum[0] / sum[1]);
    let of = |one: &dyn Fn(&(Sum, Sum)) -> [f64; 2]| {
        let pairs: Vec<[f64; 2]> = asked.pairs.iter().map(|pair| added(pair.iter().map(one))).collect();
        jackknife(&pairs, ratio, level)
    };
    let questions = asked.pairs.iter().map(Vec::len).sum();
    Some(Agreements { judge: of(&judge)?, people: of(&people), questions })
}

/// What the judge's answers would save; `None` without contexts, or where fewer than three pairs have two of them.
pub(super) fn saving(asked: &Asked, level: f64) -> Option<Saving> {
    let pair = |questions: &Vec<(Sum, Sum)>| -> [f64; 3] {
        let m = questions.len() as f64;
        if m < 2.0 {
            return [0.0; 3];
        }
        let both: Vec<(f64, f64, f64)> =
            questions.iter().map(|(own, other)| (own[1] / own[0], own[2] / own[0], other[1] / other[0])).collect();
        let mean = |pick: fn(&(f64, f64, f64)) -> f64| both.iter().map(pick).sum::<f64>() / m;
        let (y, z) = (mean(|q| q.0), mean(|q| q.2));
        let covariance: f64 = both.iter().map(|q| (q.0 - y) * (q.2 - z)).sum();
        let variance: f64 = both.iter().map(|q| (q.2 - z).powi(2)).sum();
        let squares: f64 = both.iter().map(|q| q.0 * q.0).sum();
        let own = (m - 1.0) * mean(|q| q.1) - (m * m * y * y - squares) / m;
        [covariance, variance, own]
    };
    let pairs: Vec<[f64; 3]> = asked.pairs.iter().map(pair).collect();
    let several = asked.pairs.iter().filter(|questions| questions.len() >= 2).count();
    if !asked.contexts || several < 3 {
        return None;
    }
    let rho = |sum: &[f64; 3]| (sum[1] > 0.0 && sum[2] > 0.0).then(|| sum[0] / (sum[1] * sum[2]).sqrt());
    let correlation = jackknife(&pairs, rho, level)?;
    let square = |x: f64| x.max(0.0).powi(2);
    let share = Interval {
        estimate: correlation.estimate.map(square),
        low: square(correlation.low),
        high: square(correlation.high).min(1.0),
        error: 2.0 * correlation.estimate.unwrap_or(0.0).max(0.0) * correlation.error,
    };
    Some(Saving { correlation, share, pairs: several })
}

fn added<const N: usize>(sums: impl Iterator<Item = [f64; N]>) -> [f64; N] {
    sums.fold([0.0; N], |all, one| std::array::from_fn(|at| all[at] + one[at]))
}

/// A statistic of the sum of all, with the error from leaving out one after the other.
fn jackknife<const N: usize>(
    all: &[[f64; N]],
    statistic: impl Fn(&[f64; N]) -> Option<f64>,
    level: f64,
) -> Option<Interval> {
    let there: Vec<[f64; N]> = all.iter().copied().filter(|one| one.iter().any(|x| *x != 0.0)).collect();
    let sum = added(there.iter().copied());
    let estimate = statistic(&sum)?;
    let n = there.len() as f64;
    let without = |one: &[f64; N]| {
        let rest = std::array::from_fn(|at| sum[at] - one[at]);
        statistic(&rest).map_or(0.0, |left| (left - estimate).powi(2))
    };
    if n < 2.0 {
        return None;
    }
    let error = ((n - 1.0) / n * there.iter().map(without).sum::<f64>()).sqrt();
    let c = t_quantile(0.5 + 0.5 * level, n - 1.0);
    Some(Interval { estimate: Some(estimate), low: estimate - c * error, high: estimate + c * error, error })
}
