//! What comes out of an experiment.

use super::named_values::NamedValues;
use super::run_store::RunStore;
use super::statistics::{PairedDifference, Summary, mean_and_sd, paired_differences, quantile, sorted};
use super::{Experiment, VERSION, World};
use crate::judge::Notion;
use crate::policy::{Resolved, Setting};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The results of an experiment: no word about time, so that the same experiment gives the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Results {
    /// The version of this format.
    pub version: u32,
    /// The experiment that was run.
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

    /// The results of several experiments as those of one: own policies beside built-in ones, say, that were played
    /// apart from each other. They must have met the same answers: everything but the name and the policies must be the
    /// same.
    ///
    /// # Errors
    /// [`Error::Data`] where something else differs, or where two results have one label.
    pub fn join(mut self, others: Vec<Self>) -> Result<Self> {
        let met =
            |experiment: &Experiment| Experiment { name: String::new(), policies: Vec::new(), ..experiment.clone() };
        for other in others {
            if met(&self.experiment) != met(&other.experiment) {
                let why = "these results cannot stand side by side: they differ in environments, horizons, runs, seed, \
                           regrets, \
                           checkpoints or feedback";
                return Err(Error::Data(why.to_owned()));
            }
            let known = |new: &PolicyResult| self.policies.iter().any(|p| p.world == new.world && p.label == new.label);
            if let Some(twice) = other.policies.iter().find(|new| known(new)) {
                let why = format!("two results are called \"{}\": give one of the policies another label", twice.label);
                return Err(Error::Data(why));
            }
            self.policies.extend(other.policies);
            self.experiment.policies.extend(other.experiment.policies);
        }
        // A stable sort: within an instance the order is that of the experiments.
        self.policies.sort_by_key(|result| result.world);
        let groups: Vec<Vec<usize>> =
            self.groups().map(|(first, group)| (first..first + group.len()).collect()).collect();
        self.differences = paired_differences(&groups, |index| &self.policies[index].final_regrets);
        Ok(self)
    }

    /// The results of every instance (an environment and a horizon), and where the first of them stands in
    /// [`policies`](Self::policies).
    pub fn groups(&self) -> impl Iterator<Item = (usize, &[PolicyResult])> {
        let groups = self.policies.chunk_by(|a, b| a.world == b.world);
        groups.scan(0, |next, group| {
            let first = *next;
            *next += group.len();
            Some((first, group))
        })
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
    /// The name of the policy.
    pub policy: String,
    /// Its name as the paper prints it, and what tells it from other entries of that name.
    pub label: String,
    /// The instance, counted from 0 over environments and horizons.
    #[serde(default)]
    pub world: usize,
    /// The name of the environment.
    pub environment: String,
    /// The number of rounds, T.
    pub horizon: u64,
    /// The number of replications.
    pub runs: u64,
    /// The settings in use, by name.
    pub settings: NamedValues<Setting>,
    /// What the formula gave for settings that had to be clamped.
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    pub clamped: NamedValues<f64>,
    /// Regret at the end.
    pub final_regret: Summary,
    /// Every replication's regret at the end.
    pub final_regrets: Vec<f64>,
    /// The share of replications whose last estimate names a true winner in the notion of this regret; where a context
    /// comes up in every round, the mean share of contexts whose winner is named.
    pub winner_found: f64,
    /// The cumulative regret over time.
    pub curve: CurveSummary,
    /// The same in every further notion of regret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherRegret>,
}

/// Regret in a further notion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OtherRegret {
    /// The notion of regret.
    pub regret: Notion,
    /// Regret at the end.
    pub final_regret: Summary,
    /// Every replication's regret at the end.
    pub final_regrets: Vec<f64>,
    /// The share of replications whose last estimate names a true winner in this notion.
    pub winner_found: f64,
    /// The cumulative regret over time.
    pub curve: CurveSummary,
}

/// A policy's regret in one notion, whichever it is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct InNotion<'a> {
    /// The notion of regret.
    pub regret: Notion,
    /// Regret at the end.
    pub final_regret: &'a Summary,
    /// The share of replications whose last estimate names a true winner in this notion.
    pub winner_found: f64,
    /// The cumulative regret over time.
    pub curve: &'a CurveSummary,
}

impl PolicyResult {
    /// Its regret in every notion of these, which are those of its experiment in their order.
    pub fn in_every_notion(&self, notions: &[Notion]) -> impl Iterator<Item = InNotion<'_>> {
        let Self { final_regret, winner_found, curve, .. } = self;
        let regret = notions.first().copied().unwrap_or_default();
        let first = InNotion { regret, final_regret, winner_found: *winner_found, curve };
        std::iter::once(first).chain(self.others.iter().map(|other| InNotion {
            regret: other.regret,
            final_regret: &other.final_regret,
            winner_found: other.winner_found,
            curve: &other.curve,
        }))
    }
}

/// Regret over time, over replications.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CurveSummary {
    /// The rounds at which it is noted.
    pub round: Vec<u64>,
    /// The mean at each.
    pub mean: Vec<f64>,
    /// The standard deviation over replications.
    pub sd: Vec<f64>,
    /// The 10 % quantile.
    pub q10: Vec<f64>,
    /// The median over the replications.
    pub median: Vec<f64>,
    /// The 90 % quantile.
    pub q90: Vec<f64>,
}

impl CurveSummary {
    /// Adds a checkpoint with these replications' values.
    fn note(&mut self, values: &[f64]) {
        let (mean, sd) = mean_and_sd(values);
        let sorted = sorted(values);
        self.mean.push(mean);
        self.sd.push(sd);
        self.q10.push(quantile(&sorted, 0.1));
        self.median.push(quantile(&sorted, 0.5));
        self.q90.push(quantile(&sorted, 0.9));
    }
}

/// What a result is of.
pub(super) struct Of<'a> {
    pub(super) policy: &'a str,
    pub(super) label: &'a str,
    pub(super) world: usize,
    pub(super) environment: &'a World,
    pub(super) horizon: u64,
    pub(super) settings: &'a [Resolved],
}

impl PolicyResult {
    /// Of all replications of a combination. They are asked for checkpoint by checkpoint, so that never more than the
    /// values of one are looked at.
    pub(super) fn new<K: RunStore>(
        of: &Of<'_>,
        rounds: &[u64],
        kept: &K,
        combination: usize,
    ) -> std::result::Result<Self, K::Error> {
        let estimates = kept.estimates(combination);
        let mut regrets = Vec::new();
        for (notion, judge) in of.environment.judges().iter().enumerate() {
            let mut curve = CurveSummary { round: rounds.to_vec(), ..CurveSummary::default() };
            let mut finals = Vec::new();
            for checkpoint in 0..rounds.len() {
                finals = kept.regrets(combination, notion, checkpoint)?;
                curve.note(&finals);
            }
            let found = match kept.found(combination, notion) {
                Some(shares) => shares.iter().sum(),
                None => estimates.iter().filter(|estimate| judge.winners().contains(estimate)).count() as f64,
            };
            regrets.push(OtherRegret {
                regret: judge.notion(),
                final_regret: Summary::of(&finals),
                final_regrets: finals,
                winner_found: found / estimates.len().max(1) as f64,
                curve,
            });
        }
        // An experiment has at least one notion of regret.
        let first = regrets.remove(0);
        Ok(Self {
            policy: of.policy.to_owned(),
            label: of.label.to_owned(),
            world: of.world,
            environment: of.environment.label().to_owned(),
            horizon: of.horizon,
            runs: estimates.len() as u64,
            settings: of.settings.iter().map(|s| (s.name.clone(), s.value.clone())).collect(),
            clamped: of.settings.iter().filter_map(|s| Some((s.name.clone(), s.clamped_from?))).collect(),
            final_regret: first.final_regret,
            final_regrets: first.final_regrets,
            winner_found: first.winner_found,
            curve: first.curve,
            others: regrets,
        })
    }
}
