//! The items' intervals, by whichever rule, and how they were made.

use super::estimate::Estimate;
use super::fitted::Fitted;
use super::sums::Sums;
use super::{Interval, IntervalRule, Method, RankOptions, TiePropensity, bootstrap};
use crate::error::{Error, Result};

/// The interval of every item, and how it was made.
pub(super) fn item_intervals(
    sums: &Sums,
    estimate: &Estimate,
    options: &RankOptions,
    quantile: f64,
) -> Result<(Vec<Interval>, Method)> {
    let crossed = sums.crossed.as_deref().map(|[second, _]| second.effective_voters());
    let known = |i: usize| (estimate.unknown[i] < 1e-12).then(|| estimate.borda[i]);
    let effective = sums.weighted.then(|| sums.effective_votes());
    let df = estimate.clusters.map(|_| estimate.df);
    if let Some(replications) = options.bootstrap {
        let Some(fitted) = estimate.fitted.as_ref().filter(|_| estimate.complete()) else {
            return Err(Error::Data(
                "the bootstrap needs a fitted model in which all items can be compared".to_owned(),
            ));
        };
        let refit = |votes: &[[f64; 3]]| fitted.refit(sums, votes);
        let found = bootstrap::percentiles(sums, &refit, replications, options.level, options.seed)?;
        let interval = |(i, &(low, high)): (usize, &(f64, f64))| Interval {
            estimate: known(i),
            low,
            high,
            error: estimate.error(i),
        };
        let how = Method {
            level: options.level,
            rule: IntervalRule::Bootstrap { replications, separable: found.penalised },
            clusters: (!sums.voters.is_empty()).then_some(sums.voters.len() as f64),
            df,
            crossed,
            floored: false,
            effective,
        };
        return Ok((found.intervals.iter().enumerate().map(interval).collect(), how));
    }
    let bounds = estimate.at(quantile);
    let interval = |i: usize| {
        let (down, up) = bounds.reach(i);
        let (b, unknown) = (estimate.borda[i], 0.5 * estimate.unknown[i]);
        Interval {
            estimate: known(i),
            low: (b - down - unknown).max(0.0),
            high: (b + up + unknown).min(1.0),
            error: estimate.error(i),
        }
    };
    let rule = match (&estimate.exact, estimate.clusters, estimate.draws) {
        (Some(_), None, _) => IntervalRule::Exact,
        (Some(_), Some(_), _) => IntervalRule::WiderOfBoth,
        (None, _, Some(draws)) => IntervalRule::Sampled { draws },
        (None, _, None) => IntervalRule::Delta,
    };
    let clusters = estimate.clusters.map(|g| if crossed.is_some() { sums.effective_voters() } else { g });
    let how = Method { level: options.level, rule, clusters, df, crossed, floored: estimate.floored, effective };
    Ok(((0..sums.len()).map(interval).collect(), how))
}

/// The Bradley–Terry strengths, centred, in log-odds.
pub(super) fn strengths(estimate: &Estimate, quantile: f64) -> Vec<Interval> {
    let all = estimate.fitted.as_ref().map(Fitted::strengths).unwrap_or_default();
    all.into_iter().map(|(s, error)| around(s, error, quantile)).collect()
}

/// ν and ν/(2 + ν) from ν and the standard error of ln ν. Where not one of n votes is a tie, the upper end is that at
/// which this has a chance of 1 − level, all items being equal: ν/(2 + ν) = 1 − (1 − level)^{1/n}.
pub(super) fn tie_propensity(nu: f64, error: f64, quantile: f64, (level, n): (f64, f64)) -> TiePropensity {
    let chance = |nu: f64| nu / (2.0 + nu);
    let (low, high, error) = if nu > 0.0 {
        let factor = (quantile * error).exp();
        (nu / factor, nu * factor, nu * error)
    } else {
        let most = 1.0 - (1.0 - level).powf(1.0 / n);
        (0.0, 2.0 * most / (1.0 - most), 0.0)
    };
    // The derivative of ν/(2 + ν) is 2/(2 + ν)².
    let slope = 2.0 / (2.0 + nu).powi(2);
    let between = Interval { estimate: Some(chance(nu)), low: chance(low), high: chance(high), error: slope * error };
    TiePropensity { nu: Interval { estimate: Some(nu), low, high, error }, between_equals: between }
}

/// An estimate and so many standard errors on both sides.
pub(super) fn around(estimate: f64, error: f64, quantile: f64) -> Interval {
    Interval { estimate: Some(estimate), low: estimate - quantile * error, high: estimate + quantile * error, error }
}
