//! What changed since an earlier ranking: differences of scores with intervals; and where rankings of separate votes differ.
//!
//! The two rankings are taken as independent, se² = se₁² + se₂². Where the earlier votes are among the later ones the true error is
//! smaller, so that what is called a change is one. Scores are over the other items: where items came or went, scores move for
//! that reason too, and the comparison says so.

use super::distribution::{chi_square_tail, t_quantile};
use super::{Interval, Ranking};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// An item in the earlier ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// Its identifier.
    pub item: String,
    /// Its score, where it had one.
    pub borda: Option<f64>,
    /// The standard error of its score.
    pub error: f64,
    /// The best and the worst rank it could have.
    pub rank: (usize, usize),
}

/// How an item changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Its index in the ballots.
    pub item: usize,
    /// Its score before.
    pub before: f64,
    /// Its score now.
    pub now: f64,
    /// The difference now − before.
    pub difference: Interval,
    /// Whether the interval of the difference excludes 0.
    pub clear: bool,
    /// The ranks it could have before.
    pub rank_before: (usize, usize),
}

/// Everything that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    let z = t_quantile(0.5 + 0.5 * level, f64::INFINITY);
    let earlier: HashMap<&str, &Before> = before.iter().map(|item| (item.item.as_str(), item)).collect();
    let (mut changes, mut new) = (Vec::new(), Vec::new());
    for score in &now.items {
        let Some(then) = earlier.get(ids[score.item].as_str()) else {
            new.push(score.item);
            continue;
        };
        let (Some(b), Some(a)) = (score.borda.estimate, then.borda) else { continue };
        let error = score.borda.error.hypot(then.error);
        let difference = Interval { estimate: Some(b - a), low: b - a - z * error, high: b - a + z * error, error };
        let clear = difference.low > 0.0 || difference.high < 0.0;
        changes.push(Change { item: score.item, before: a, now: b, difference, clear, rank_before: then.rank });
    }
    let ranked: std::collections::HashSet<&str> = now.items.iter().map(|score| ids[score.item].as_str()).collect();
    let gone = before.iter().filter(|item| !ranked.contains(item.item.as_str())).map(|item| item.item.clone());
    Comparison { changes, new, gone: gone.collect() }
}

/// How an item fares in several rankings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Divergence {
    /// Its index in the ballots.
    pub item: usize,
    /// Its score in each ranking, where it has one.
    pub scores: Vec<Option<Interval>>,
    /// The chance of so much difference, were its scores the same in all of them; all items taken together (Holm). 1 where there are not two scores.
    pub p: f64,
}

/// Where rankings of separate votes on the same items differ, the most certain differences first.
///
/// Of an item with scores b ± e its weighted mean is b̄ = Σ b/e² / Σ 1/e², and Q = Σ (b − b̄)²/e² is χ² with one degree of freedom less than
/// there are scores (Cochran).
pub fn diverging(rankings: &[Option<&Ranking>]) -> Vec<Divergence> {
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
            let weight: f64 = known.iter().map(|(_, e)| 1.0 / (e * e)).sum();
            let mean = known.iter().map(|(b, e)| b / (e * e)).sum::<f64>() / weight;
            let q: f64 = known.iter().map(|(b, e)| ((b - mean) / e).powi(2)).sum();
            let p = if known.len() < 2 { 1.0 } else { chi_square_tail(q, known.len() as f64 - 1.0) };
            Divergence { item, scores, p }
        })
        .collect();
    found.sort_by(|a, b| a.p.total_cmp(&b.p).then(a.item.cmp(&b.item)));
    let tests = found.iter().filter(|d| d.p < 1.0).count();
    let mut most: f64 = 0.0;
    for (at, divergence) in found.iter_mut().take(tests).enumerate() {
        most = most.max((divergence.p * (tests - at) as f64).min(1.0));
        divergence.p = most;
    }
    found
}
