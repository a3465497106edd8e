//! From votes to a plan: which pairs are worth asking, and how often. Runs beside the log, on a thread of its own.

use crate::command::Plan;
use crate::error::Result;
use crate::settings::{Method, Settings};
use crate::standing::Evidence;
use borduel::planning::{self, Goal, PlanOptions};
use std::collections::BTreeMap;

/// Plans the next questions. Shares are whole numbers (how often a pair stands in the plan), so that chances are exact.
///
/// # Errors
/// Votes or items of which nothing can be planned; the present plan then stays.
pub fn plan(evidence: &Evidence, settings: &Settings) -> Result<Plan> {
    let pairs = match settings.planner {
        Method::Uniform => Vec::new(),
        Method::Design => design(evidence, settings)?,
    };
    let audits = if pairs.is_empty() { 1.0 } else { settings.audits };
    let (basis, votes, method) = (evidence.head, evidence.votes, settings.planner);
    Ok(Plan { basis, votes, method, audits, pairs })
}

/// The questions that tell soonest which item is best, for a budget of b = max(2K, n/10). Nobody sees a pair twice, so no
/// pair may stand in it more often than there will be voters: ⌈b / questions per voter⌉.
fn design(evidence: &Evidence, settings: &Settings) -> Result<Vec<(u16, u16, u32)>> {
    let k = evidence.items.len();
    let budget = (2 * k as u64).max(evidence.votes / 10).min(10_000) as f64;
    let most = (budget / f64::from(settings.questions_per_voter)).ceil() as usize;
    let options = PlanOptions {
        goal: Goal::Winner,
        budget,
        most_per_pair: Some(most.max(1)),
        level: settings.level,
        margin: settings.margin,
        ..PlanOptions::default()
    };
    let votes = (evidence.ballots.used() > 0.0).then_some(&evidence.ballots);
    let planned = planning::plan(k, &evidence.model, votes, &options)?;
    let mut shares: BTreeMap<(u16, u16), u32> = BTreeMap::new();
    for duel in &planned.asks {
        let (i, j) = (evidence.items[duel.0], evidence.items[duel.1]);
        *shares.entry((i.min(j), i.max(j))).or_default() += 1;
    }
    Ok(shares.into_iter().map(|((i, j), times)| (i, j, times)).collect())
}
