//! What has been played: its plan, its results, and how long everything took.

use super::journal::Entry;
use borduel::experiment::{EnvironmentConfig, Plan, PolicyResult, Results};
use serde::Serialize;

/// An experiment that has been played.
pub(crate) struct Played {
    pub(crate) plan: Plan,
    pub(crate) results: Results,
    pub(crate) timing: Timing,
    /// The command that makes it again.
    pub(crate) command: String,
}

/// How long everything took: never part of the results.
#[derive(Debug, Serialize)]
pub(crate) struct Timing {
    version: u32,
    program: &'static str,
    pub(crate) policies: Vec<PolicyTiming>,
}

/// How long a policy took.
#[derive(Debug, Serialize)]
pub(crate) struct PolicyTiming {
    policy: String,
    label: String,
    environment: String,
    horizon: u64,
    /// Rounds that were stepped through one by one, over all runs.
    rounds_stepped: u64,
    /// CPU seconds that they took.
    cpu_seconds: f64,
    /// The one over the other: per core.
    pub(crate) rounds_per_second: Option<f64>,
    /// CPU seconds to make the policy, and a run of it.
    pub(crate) setup_seconds: f64,
}

impl Played {
    /// The results of every environment and horizon, and the index of the first of them.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (usize, &[PolicyResult])> {
        let size = self.results.experiment.policies.len();
        self.results.policies.chunks(size).enumerate().map(move |(world, group)| (world * size, group))
    }

    /// Mean final regret of policy `a` minus that of `b`, with its paired standard error.
    pub(crate) fn difference(&self, a: usize, b: usize) -> (f64, f64) {
        let find = |x: usize, y: usize| self.results.differences.iter().find(|d| d.a == x && d.b == y);
        let direct = find(a, b).map(|d| (d.mean, d.se));
        direct.or_else(|| find(b, a).map(|d| (-d.mean, d.se))).unwrap_or((0.0, 0.0))
    }

    /// Whether some of its votes were made up.
    pub(crate) fn simulated(&self) -> bool {
        let votes = |e: &EnvironmentConfig| matches!(e, EnvironmentConfig::Crowd { votes: None, .. });
        self.results.experiment.environments.iter().any(votes)
    }
}

/// The times of everything, from what was written down.
pub(crate) fn timing(plan: &Plan, results: &Results, entries: &[Entry], made: &[f64]) -> Timing {
    let combinations = plan.combinations();
    let one = |(index, result): (usize, &PolicyResult)| {
        let own = || entries.iter().skip(index).step_by(combinations);
        let rounds_stepped: u64 = own().map(|entry| entry.finished.stepped).sum();
        let cpu_seconds: f64 = own().map(|entry| entry.seconds).sum();
        let setup: f64 = own().map(|entry| entry.setup).sum();
        PolicyTiming {
            policy: result.policy.clone(),
            label: result.label.clone(),
            environment: result.environment.clone(),
            horizon: result.horizon,
            rounds_stepped,
            cpu_seconds,
            rounds_per_second: (cpu_seconds > 0.0).then(|| rounds_stepped as f64 / cpu_seconds),
            setup_seconds: made[index] + setup / result.runs.max(1) as f64,
        }
    };
    Timing {
        version: 1,
        program: concat!("borduel ", env!("CARGO_PKG_VERSION")),
        policies: results.policies.iter().enumerate().map(one).collect(),
    }
}
