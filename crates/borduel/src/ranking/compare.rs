//! What changed since an earlier ranking: differences of scores with intervals.
//!
//! The two rankings are taken as independent, se² = se₁² + se₂². Where the earlier votes are among the later ones the true error is
//! smaller, so that what is called a change is one. Scores are over the other items: where items came or went, scores move for
//! that reason too, and the comparison says so.

use super::distribution::t_quantile;
use super::{Interval, Ranking};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

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
