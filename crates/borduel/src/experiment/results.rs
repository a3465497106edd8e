//! What comes out of an experiment.

use super::named::Named;
use super::statistics::{PairedDifference, Summary, mean_and_sd, quantile};
use super::{Experiment, Finished, VERSION, World};
use crate::policy::{PolicyConfig, Resolved, Setting};
use serde::{Deserialize, Serialize};

/// The results of an experiment: no word about time, so that the same experiment gives the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Results {
    /// The version of this format.
    pub version: u32,
    /// What was run.
    pub experiment: Experiment,
    /// One entry for every environment, horizon and policy, in that order.
    pub policies: Vec<PolicyResult>,
    /// Paired differences of final regret between the policies of one environment and horizon.
    pub differences: Vec<PairedDifference>,
}

impl Results {
    pub(super) fn new(experiment: Experiment, policies: Vec<PolicyResult>, differences: Vec<PairedDifference>) -> Self {
        Self { version: VERSION, experiment, policies, differences }
    }

    /// The results of every instance (an environment and a horizon), and where the first of them stands in
    /// [`policies`](Self::policies).
    pub fn groups(&self) -> impl Iterator<Item = (usize, &[PolicyResult])> {
        let size = self.experiment.policies.len().max(1);
        self.policies.chunks(size).enumerate().map(move |(instance, group)| (instance * size, group))
    }

    /// Mean final regret of the policy at `a` minus that at `b` (of the same instance), with its paired standard error.
    pub fn difference(&self, a: usize, b: usize) -> (f64, f64) {
        let find = |x: usize, y: usize| self.differences.iter().find(|d| d.a == x && d.b == y);
        let direct = find(a, b).map(|d| (d.mean, d.se));
        direct.or_else(|| find(b, a).map(|d| (-d.mean, d.se))).unwrap_or((0.0, 0.0))
    }
}

/// One policy in one environment over one horizon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PolicyResult {
    /// Its name.
    pub policy: String,
    /// Its name as the paper prints it.
    pub label: String,
    /// The environment.
    pub environment: String,
    /// T.
    pub horizon: u64,
    /// Replications.
    pub runs: u64,
    /// The settings in use, by name.
    pub settings: Named<Setting>,
    /// What the formula gave for settings that had to be clamped.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub clamped: Named<f64>,
    /// Regret at the end.
    pub final_regret: Summary,
    /// Every replication's regret at the end.
    pub final_regrets: Vec<f64>,
    /// The share of replications whose last estimate names a true Borda winner.
    pub winner_found: f64,
    /// Regret over time.
    pub curve: CurveSummary,
}

/// Regret over time, over replications.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveSummary {
    /// The rounds.
    pub round: Vec<u64>,
    /// The mean at each.
    pub mean: Vec<f64>,
    /// The standard deviation over replications.
    pub sd: Vec<f64>,
    /// The 10 % quantile.
    pub q10: Vec<f64>,
    /// The median.
    pub median: Vec<f64>,
    /// The 90 % quantile.
    pub q90: Vec<f64>,
}

impl PolicyResult {
    pub(super) fn new(
        config: &PolicyConfig,
        world: &World,
        horizon: u64,
        settings: &[Resolved],
        rounds: &[u64],
        finished: &[&Finished],
    ) -> Self {
        let finals: Vec<f64> = finished.iter().filter_map(|f| f.regret.last().copied()).collect();
        let winners = world.winners();
        let found = finished.iter().filter(|f| winners.contains(&f.estimate)).count();
        let mut curve = CurveSummary {
            round: rounds.to_vec(),
            mean: Vec::new(),
            sd: Vec::new(),
            q10: Vec::new(),
            median: Vec::new(),
            q90: Vec::new(),
        };
        for point in 0..rounds.len() {
            let mut values: Vec<f64> = finished.iter().filter_map(|f| f.regret.get(point).copied()).collect();
            let (mean, sd) = mean_and_sd(&values);
            values.sort_by(f64::total_cmp);
            curve.mean.push(mean);
            curve.sd.push(sd);
            curve.q10.push(quantile(&values, 0.1));
            curve.median.push(quantile(&values, 0.5));
            curve.q90.push(quantile(&values, 0.9));
        }
        Self {
            policy: config.name().to_owned(),
            label: config.label().to_owned(),
            environment: world.label().to_owned(),
            horizon,
            runs: finished.len() as u64,
            settings: settings.iter().map(|s| (s.name.clone(), s.value.clone())).collect(),
            clamped: settings.iter().filter_map(|s| Some((s.name.clone(), s.clamped_from?))).collect(),
            final_regret: Summary::of(&finals),
            winner_found: found as f64 / finished.len().max(1) as f64,
            final_regrets: finals,
            curve,
        }
    }
}
