//! What changed since an earlier ranking: differences of scores with intervals; and where rankings of separate votes
//! differ.
//!
//! The two rankings are taken as independent, se² = se₁² + se₂², with Student's t where either has few voters. Where
//! the earlier votes are among the later ones the true error is smaller, so that what is called a change is one.
//! Scores are over the other items: where items came or went, scores move for that reason too, and the comparison says
//! so.

use super::{Interval, Ranking};
use crate::order::ascending;
use crate::special::{f_tail, t_cdf, t_quantile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// An item in the earlier ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Before {
    /// The identifier of the item.
    pub item: String,
    /// Its score, where it had one.
    pub borda: Option<f64>,
    /// The standard error of its score.
    pub error: f64,
    /// The degrees of freedom of that, where votes were taken together by voter.
    #[serde(default)]
    pub df: Option<f64>,
    /// The best and the worst rank it could have.
    pub rank: (usize, usize),
}

impl Before {
    /// An item with its score, the standard error of that, and the best and the worst rank that it could have.
    pub fn new(item: impl Into<String>, borda: Option<f64>, error: f64, rank: (usize, usize)) -> Self {
        Self { item: item.into(), borda, error, df: None, rank }
    }
}

crate::setters!(Before {
    with_df: df: Option<f64>,
});

/// How an item changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// Its index in the ballots.
    pub item: usize,
    /// The item's score before.
    pub before: f64,
    /// The item's score now.
    pub now: f64,
    /// The difference now − before.
    pub difference: Interval,
    /// Whether it has changed beyond chance, all items taken together (Holm); its interval is that of this item by
    /// itself.
    pub clear: bool,
    /// The ranks it could have before.
    pub rank_before: (usize, usize),
}

/// All that changed from an earlier ranking to this one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Comparison {
    /// Items in both rankings, the present order kept.
    pub changes: Vec<Change>,
    /// Items (indices of the ballots) that were not ranked before.
    pub new: Vec<usize>,
    /// Identifiers of items that are no longer ranked.
    pub gone: Vec<String>,
}

/// Compares a ranking with an earlier one. `ids` are the identifiers of the ballots' items.
pub fn compare(before: &[Before], now: &Ranking, ids: &[String], level: f64) -> Comparison {
    let earlier: HashMap<&str, &Before> = before.iter().map(|item| (item.item.as_str(), item)).collect();
    let (mut changes, mut new, mut p) = (Vec::new(), Vec::new(), Vec::new());
    for score in &now.items {
        let Some(then) = earlier.get(ids[score.item].as_str()) else {
            new.push(score.item);
            continue;
        };
        let (Some(b), Some(a)) = (score.borda.estimate, then.borda) else { continue };
        let error = score.borda.error.hypot(then.error);
        let df = welch((score.borda.error, now.intervals.df), (then.error, then.df));
        let z = t_quantile(0.5 + 0.5 * level, df);
        let difference = Interval { estimate: Some(b - a), low: b - a - z * error, high: b - a + z * error, error };
        // As if both were the common score, where that is more: scores that are by chance far from ½ look too certain.
        let (n, m) = (coins(b, score.borda.error), coins(a, then.error));
        let common = (n * b + m * a) / (n + m);
        let error = error.max((common * (1.0 - common) * (1.0 / n + 1.0 / m)).sqrt());
        // Without an error there is nothing that chance could have done.
        p.push(if error > 0.0 { 2.0 * t_cdf(-(b - a).abs() / error, df) } else { f64::from(u8::from(a == b)) });
        changes.push(Change { item: score.item, before: a, now: b, difference, clear: false, rank_before: then.rank });
    }
    holm(&mut p);
    changes.iter_mut().zip(&p).for_each(|(change, p)| change.clear = *p < 1.0 - level);
    let ranked: std::collections::HashSet<&str> = now.items.iter().map(|score| ids[score.item].as_str()).collect();
    let gone = before.iter().filter(|item| !ranked.contains(item.item.as_str())).map(|item| item.item.clone());
    Comparison { changes, new, gone: gone.collect() }
}

/// The degrees of freedom of a difference, (e₁² + e₂²)²/(e₁⁴/df₁ + e₂⁴/df₂): few voters tell their variance badly
/// (Welch 1947, Satterthwaite 1946).
fn welch(one: (f64, Option<f64>), other: (f64, Option<f64>)) -> f64 {
    let part = |(error, df): (f64, Option<f64>)| df.map_or(0.0, |df| error.powi(4) / df);
    let (sum, parts) = (one.0.powi(2) + other.0.powi(2), part(one) + part(other));
    if parts > 0.0 { sum * sum / parts } else { f64::INFINITY }
}

/// How an item fares in several rankings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Divergence {
    /// Its index in the ballots.
    pub item: usize,
    /// Its score in each ranking, where it has one.
    pub scores: Vec<Option<Interval>>,
    /// The chance of so much difference, were its scores the same in all of them; all items taken together (Holm). 1
    /// where there are not two scores.
    pub p: f64,
}

/// Where rankings of separate votes on the same items differ, the most certain differences first.
///
/// A score b ± e is worth n = b(1 − b)/e² coins. The common score is b̄ = Σ n b/Σ n, and Q = Σ n (b − b̄)²/(b̄(1 − b̄))
/// is χ² with one degree of freedom less than there are scores: Pearson's. Cochran's, with 1/e² in the place of n/(b̄(1
/// − b̄)), trusts those most that are by chance far from ½, and finds differences that are none where votes are few.
/// Where errors come from few voters, Q over its degrees of freedom has Fisher's F in the place of χ², with the degrees
/// of freedom of the ranking that has the fewest.
pub fn diverging(rankings: &[Option<&Ranking>]) -> Vec<Divergence> {
    let df = rankings.iter().flatten().filter_map(|ranking| ranking.intervals.df).fold(f64::INFINITY, f64::min);
    let mut scores: BTreeMap<usize, Vec<Option<Interval>>> = BTreeMap::new();
    for (at, ranking) in rankings.iter().enumerate() {
        for score in ranking.iter().flat_map(|ranking| &ranking.items) {
            scores.entry(score.item).or_insert_with(|| vec![None; rankings.len()])[at] = Some(score.borda);
        }
    }
    let mut found: Vec<Divergence> = scores
        .into_iter()
        .map(|(item, scores)| {
            let known: Vec<(f64, f64)> = (scores.iter().flatten())
                .filter_map(|s| s.estimate.map(|b| (b, s.error)))
                .filter(|(_, error)| *error > 0.0)
                .collect();
            let all: f64 = known.iter().map(|&(b, e)| coins(b, e)).sum();
            let mean = known.iter().map(|&(b, e)| coins(b, e) * b).sum::<f64>() / all;
            let scatter: f64 = known.iter().map(|&(b, e)| coins(b, e) * (b - mean).powi(2)).sum();
            let q = if scatter > 0.0 { scatter / (mean * (1.0 - mean)) } else { 0.0 };
            let p = if known.len() < 2 { 1.0 } else { f_tail(q, known.len() as f64 - 1.0, df) };
            Divergence { item, scores, p }
        })
        .collect();
    found.sort_by(|a, b| a.p.total_cmp(&b.p).then(a.item.cmp(&b.item)));
    let mut p: Vec<f64> = found.iter().map(|divergence| divergence.p).filter(|p| *p < 1.0).collect();
    holm(&mut p);
    found.iter_mut().zip(p).for_each(|(divergence, p)| divergence.p = p);
    found
}

/// How many coins say as much as a score b ± e. One of 0 or 1 is worth a coin at least.
fn coins(b: f64, e: f64) -> f64 {
    (b * (1.0 - b) / (e * e)).max(1.0)
}

/// Makes chances of single tests those of all of them together (Holm 1979).
fn holm(chances: &mut [f64]) {
    let order = ascending(chances);
    let mut most: f64 = 0.0;
    for (at, &test) in order.iter().enumerate() {
        most = most.max((chances[test] * (order.len() - at) as f64).min(1.0));
        chances[test] = most;
    }
}
