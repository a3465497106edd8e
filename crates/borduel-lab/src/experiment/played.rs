//! What has been played: its plan, its results, and how long everything took.

use super::runs::Runs;
use borduel::experiment::{Plan, PolicyResult, Results};
use borduel_report::experiment::Chapter;
use serde::Serialize;

/// An experiment that has been played.
#[derive(Debug)]
pub struct Played {
    /// What was to be played.
    pub plan: Plan,
    /// What came of it.
    pub results: Results,
    /// How long it took.
    pub times: Times,
    /// The command that makes it again.
    pub command: String,
}

/// How long everything took: never part of the results.
#[derive(Debug, Serialize)]
pub struct Times {
    version: u32,
    program: &'static str,
    /// Of every combination, in the order of the results.
    pub policies: Vec<PolicyTimes>,
}

/// How long a policy took.
#[derive(Debug, Serialize)]
pub struct PolicyTimes {
    policy: String,
    label: String,
    environment: String,
    horizon: u64,
    /// Rounds that were stepped through one by one, over all runs.
    rounds_stepped: u64,
    /// CPU seconds that they took.
    cpu_seconds: f64,
    /// The one over the other: per core.
    pub rounds_per_second: Option<f64>,
    /// CPU seconds to make the policy, and a run of it.
    pub setup_seconds: f64,
}

impl PolicyTimes {
    /// All rounds of so many runs, rested or stepped, over the CPU seconds they took.
    pub fn all_rounds_per_second(&self, runs: u64) -> Option<f64> {
        (self.cpu_seconds > 0.0).then(|| self.horizon as f64 * runs as f64 / self.cpu_seconds)
    }
}

impl Played {
    /// As a page tells it.
    pub fn chapter(&self) -> Chapter<'_> {
        Chapter { results: &self.results, worlds: self.plan.worlds(), command: &self.command }
    }
}

/// The times of everything, from what was written down.
pub(super) fn times(results: &Results, runs: &Runs, made: &[f64]) -> Times {
    let one = |(index, result): (usize, &PolicyResult)| {
        let rounds_stepped: u64 = runs.summaries_of(index).map(|run| run.stepped).sum();
        let cpu_seconds: f64 = runs.summaries_of(index).map(|run| run.seconds).sum();
        let setup: f64 = runs.summaries_of(index).map(|run| run.setup).sum();
        PolicyTimes {
            policy: result.policy.clone(),
            label: result.label.clone(),
            environment: result.environment.clone(),
            horizon: result.horizon,
            rounds_stepped,
            cpu_seconds,
            rounds_per_second: (cpu_seconds > 0.0).then(|| rounds_stepped as f64 / cpu_seconds),
            // What was added to the plan since then is made at the start of every run.
            setup_seconds: made.get(index).copied().unwrap_or(0.0) + setup / result.runs.max(1) as f64,
        }
    };
    Times {
        version: 1,
        program: concat!("borduel ", env!("CARGO_PKG_VERSION")),
        policies: results.policies.iter().enumerate().map(one).collect(),
    }
}
