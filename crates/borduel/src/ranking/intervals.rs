//! The items' intervals, by whichever method, and how they were made, in words.

use super::estimate::{Estimate, Fitted};
use super::sums::Sums;
use super::words::percent;
use super::{Interval, RankOptions, bootstrap};
use crate::error::{Error, Result};

/// The interval of every item, and how it was made.
pub(super) fn item_intervals(
    sums: &Sums,
    estimate: &Estimate,
    options: &RankOptions,
    quantile: f64,
) -> Result<(Vec<Interval>, String)> {
    let percent = percent(options.level);
    let known = |i: usize| (estimate.unknown[i] < 1e-12).then(|| estimate.borda[i]);
    if let Some(replications) = options.bootstrap {
        let Some(fitted) = estimate.fitted.as_ref().filter(|_| estimate.complete()) else {
            return Err(Error::Data(
                "the bootstrap needs a fitted model in which all items can be compared".to_owned(),
            ));
        };
        let refit = |votes: &[(f64, f64)]| fitted.refit(sums, votes);
        let found = bootstrap::percentiles(sums, &refit, replications, options.level, options.seed)?;
        let what = if sums.voters.is_empty() { "votes" } else { "voters" };
        let mut how =
            format!("{percent} % percentile intervals from {replications} bootstrap replications over {what}");
        if found.penalised > 0 {
            how += &format!(" ({} of them separable)", found.penalised);
        }
        let interval = |(i, &(low, high)): (usize, &(f64, f64))| Interval {
            estimate: known(i),
            low,
            high,
            error: estimate.error(i),
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
    let method = match (&estimate.exact, estimate.clusters) {
        (Some(_), None) => "exact intervals of the shares (Clopper and Pearson)",
        (Some(_), Some(_)) => "the wider of exact intervals of the shares and those by the delta method",
        (None, _) => "intervals by the delta method",
    };
    let votes = match estimate.clusters {
        Some(g) => format!("clustered by {g:.0} voters"),
        None => "votes taken as independent".to_owned(),
    };
    let floor = if estimate.floored {
        ", some of them widened by the model's own variance, because votes that agree exactly are not certain"
    } else {
        ""
    };
    let effective =
        if sums.weighted { format!("; {:.1} effective votes (Kish)", sums.effective_votes()) } else { String::new() };
    let how = format!("{percent} % {method}, {votes}{floor}{effective}");
    Ok(((0..sums.len()).map(interval).collect(), how))
}

/// The Bradley–Terry strengths, centred, in log-odds.
pub(super) fn strengths(estimate: &Estimate, quantile: f64) -> Vec<Interval> {
    let all = estimate.fitted.as_ref().map(Fitted::strengths).unwrap_or_default();
    all.into_iter().map(|(s, error)| around(s, error, quantile)).collect()
}

/// An estimate and so many standard errors on both sides.
pub(super) fn around(estimate: f64, error: f64, quantile: f64) -> Interval {
    Interval { estimate: Some(estimate), low: estimate - quantile * error, high: estimate + quantile * error, error }
}
