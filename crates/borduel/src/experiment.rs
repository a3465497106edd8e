//! An experiment as a user writes it, and how it is run: environments × horizons × policies × replications.

mod named;
mod results;
mod statistics;
mod worlds;

pub use named::Named;
pub use results::{CurveSummary, PolicyResult, Results};
pub use statistics::{PairedDifference, Summary, exact_interval};
pub use worlds::{EnvironmentConfig, FeatureConfig, NoSources, Sources, World};

use crate::error::{Error, Result};
use crate::policy::{AnyPolicy, Policy, PolicyConfig, Resolved};
use crate::regret::{Checkpoints, Curve};
use crate::simulate::{Feedback, Run};
use crate::stream::{POLICY, REPLICATION, stream};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The version of experiment files and results written today.
pub const VERSION: u32 = 1;

/// When regret is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Spacing {
    /// At equal distances.
    Linear,
    /// At equal ratios.
    Logarithmic,
}

/// What to compare with what.
///
/// Every combination of environment, horizon and policy is run `runs` times. The instance depends on the seed alone; the
/// answers of a replication on the seed and its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Experiment {
    /// The version of this format.
    #[serde(default = "version")]
    pub version: u32,
    /// What it is called.
    #[serde(default = "unnamed")]
    pub name: String,
    /// All random numbers come from here.
    #[serde(default = "one")]
    pub seed: u64,
    /// Replications of every combination.
    #[serde(default = "fifty")]
    pub runs: u64,
    /// T, one or several.
    #[serde(default = "million")]
    pub horizons: Vec<u64>,
    /// How many points a curve has.
    #[serde(default = "two_hundred")]
    pub checkpoints: usize,
    /// How they are spaced.
    #[serde(default = "linear")]
    pub spacing: Spacing,
    /// What happens to answers on their way.
    #[serde(default)]
    pub feedback: Feedback,
    /// The truths.
    pub environments: Vec<EnvironmentConfig>,
    /// The policies.
    pub policies: Vec<PolicyConfig>,
}

fn version() -> u32 {
    VERSION
}
fn unnamed() -> String {
    "experiment".to_owned()
}
fn one() -> u64 {
    1
}
fn fifty() -> u64 {
    50
}
fn million() -> Vec<u64> {
    vec![1_000_000]
}
fn two_hundred() -> usize {
    200
}
fn linear() -> Spacing {
    Spacing::Linear
}

impl Experiment {
    /// The paper's: one horizon of 10⁶ rounds, 50 runs, seed 1.
    pub fn new(name: &str, environments: Vec<EnvironmentConfig>, policies: Vec<PolicyConfig>) -> Self {
        Self {
            version: VERSION,
            name: name.to_owned(),
            seed: one(),
            runs: fifty(),
            horizons: million(),
            checkpoints: two_hundred(),
            spacing: Spacing::Linear,
            feedback: Feedback::IMMEDIATE,
            environments,
            policies,
        }
    }

    /// The six policies of the paper's figures.
    pub fn paper_policies() -> Vec<PolicyConfig> {
        ["betc-glm", "betc-glm-match", "bexp3", "ucb-borda", "dexp3", "etc-borda"]
            .iter()
            .filter_map(|name| PolicyConfig::named(name).ok())
            .collect()
    }

    fn check(&self) -> Result<()> {
        if self.version != VERSION {
            return Err(Error::Version { what: "the experiment", found: self.version, known: VERSION });
        }
        let at_least_one = |name, count: usize| {
            if count == 0 { Err(Error::setting(name, 0, "must be at least 1")) } else { Ok(()) }
        };
        at_least_one("runs", self.runs as usize)?;
        at_least_one("checkpoints", self.checkpoints)?;
        at_least_one("horizons", self.horizons.len())?;
        at_least_one("environments", self.environments.len())?;
        at_least_one("policies", self.policies.len())?;
        if let Some(zero) = self.horizons.iter().find(|t| **t == 0) {
            return Err(Error::setting("horizon", zero, "must be at least 1 round"));
        }
        self.feedback.check()
    }

    /// Makes all instances and policies, so that whatever is wrong is found before the first round.
    pub fn plan(&self, sources: &dyn Sources) -> Result<Plan> {
        self.plan_watched(sources, &mut |_| ())
    }

    /// The same, telling the caller whenever something has been made: this library has no clock, its callers may.
    pub fn plan_watched(&self, sources: &dyn Sources, made: &mut dyn FnMut(Made)) -> Result<Plan> {
        self.check()?;
        let mut worlds = Vec::new();
        let mut combinations = Vec::new();
        for environment in &self.environments {
            for &horizon in &self.horizons {
                let world = worlds.len();
                worlds.push(environment.build(self.seed, horizon, sources)?);
                made(Made::World);
                for (policy, config) in self.policies.iter().enumerate() {
                    let problem = worlds[world].problem();
                    let prototype = config.build(problem, stream(self.seed, &[]))?;
                    combinations.push(Combination { world, policy, horizon, prototype });
                    made(Made::Policy);
                }
            }
        }
        Ok(Plan { experiment: self.clone(), worlds, combinations })
    }

    /// Runs everything on all threads of rayon's pool. The results do not depend on their number.
    pub fn run(&self, sources: &dyn Sources) -> Result<Results> {
        let plan = self.plan(sources)?;
        let outcomes = (0..plan.jobs()).into_par_iter().map(|job| plan.run(job)).collect::<Result<Vec<_>>>()?;
        Ok(plan.collect(&outcomes))
    }
}

/// What has just been made while planning, each in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// The next instance of [`Plan::worlds`].
    World,
    /// The policy of the next combination.
    Policy,
}

/// An experiment that is ready to run: a list of independent jobs.
#[derive(Debug)]
pub struct Plan {
    experiment: Experiment,
    worlds: Vec<World>,
    combinations: Vec<Combination>,
}

/// One environment, horizon and policy.
#[derive(Debug)]
struct Combination {
    world: usize,
    policy: usize,
    horizon: u64,
    /// The policy before its first question; every replication is a copy with its own stream.
    prototype: AnyPolicy,
}

/// What is kept of one finished replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Cumulative regret at the checkpoints.
    pub regret: Vec<f64>,
    /// The item the policy would name at the end.
    pub estimate: usize,
    /// Rounds that were stepped through one by one.
    pub stepped: u64,
}

impl Plan {
    /// The experiment.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// The instances, in the order of environments and horizons.
    pub fn worlds(&self) -> &[World] {
        &self.worlds
    }

    /// The number of jobs: combinations × runs.
    pub fn jobs(&self) -> usize {
        self.combinations.len() * self.experiment.runs as usize
    }

    /// Which combination and replication a job is. Replications of one number lie together, so that an interrupted
    /// experiment has the same number of every policy.
    fn job(&self, job: usize) -> (&Combination, u64) {
        let n = self.combinations.len();
        (&self.combinations[job % n], (job / n) as u64)
    }

    /// The number of rounds of a job.
    pub fn horizon(&self, job: usize) -> u64 {
        self.job(job).0.horizon
    }

    /// The combination a job belongs to, as an index into [`Results::policies`].
    pub fn combination(&self, job: usize) -> usize {
        job % self.combinations.len()
    }

    /// The instance that a combination is played on, as an index into [`worlds`](Self::worlds).
    pub fn world(&self, combination: usize) -> usize {
        self.combinations[combination].world
    }

    /// The number of combinations.
    pub fn combinations(&self) -> usize {
        self.combinations.len()
    }

    /// The name of the policy of a job.
    pub fn policy_name(&self, job: usize) -> &'static str {
        self.experiment.policies[self.job(job).0.policy].name()
    }

    /// A job before its first round.
    pub fn start(&self, job: usize) -> Result<Run<AnyPolicy, Curve>> {
        let (combination, replication) = self.job(job);
        let seed = self.experiment.seed;
        let policy = combination.prototype.clone().with_stream(stream(seed, &[REPLICATION, replication, POLICY]));
        let curve = Curve::new(self.checkpoints(combination.horizon));
        Run::new(policy, curve, seed, replication, self.experiment.feedback)
    }

    /// Plays a job on until the end of round `end`.
    pub fn advance(&self, job: usize, run: &mut Run<AnyPolicy, Curve>, end: u64) {
        let world = &self.worlds[self.job(job).0.world];
        match world {
            World::Fixed { environment, .. } => run.until(end, environment.as_ref()),
            World::Adversarial { environment, .. } => run.until(end, environment.as_ref()),
        }
    }

    /// What to keep of a job that has been played to its horizon.
    pub fn finish(&self, job: usize, run: &Run<AnyPolicy, Curve>) -> Finished {
        let world = &self.worlds[self.job(job).0.world];
        Finished {
            regret: run.record.values().to_vec(),
            estimate: run.policy.estimate(world.problem()),
            stepped: run.stepped(),
        }
    }

    /// Whether this can have come of a job: as many checkpoints, an item that is there, finite numbers.
    pub fn accepts(&self, job: usize, finished: &Finished) -> bool {
        let (combination, _) = self.job(job);
        let items = self.worlds[combination.world].problem().items();
        finished.regret.len() == self.checkpoints(combination.horizon).rounds().len()
            && finished.regret.iter().all(|regret| regret.is_finite())
            && finished.estimate < items
            && finished.stepped <= combination.horizon
    }

    /// A whole job.
    pub fn run(&self, job: usize) -> Result<Finished> {
        let mut run = self.start(job)?;
        self.advance(job, &mut run, self.horizon(job));
        Ok(self.finish(job, &run))
    }

    /// The results of all jobs, in their order.
    pub fn collect(&self, outcomes: &[Finished]) -> Results {
        let n = self.combinations.len();
        let policies = self
            .combinations
            .iter()
            .enumerate()
            .map(|(index, combination)| {
                let config = &self.experiment.policies[combination.policy];
                let finished: Vec<&Finished> = outcomes.iter().skip(index).step_by(n).collect();
                let world = &self.worlds[combination.world];
                PolicyResult::new(
                    config,
                    world,
                    combination.horizon,
                    &self.settings(index),
                    self.checkpoints(combination.horizon).rounds(),
                    &finished,
                )
            })
            .collect();
        let differences = statistics::paired_differences(&self.combinations_of_worlds(), |index| {
            outcomes.iter().skip(index).step_by(n).map(|f| f.regret.last().copied().unwrap_or(0.0)).collect()
        });
        Results::new(self.experiment.clone(), policies, differences)
    }

    /// The settings in use in a combination.
    pub fn settings(&self, combination: usize) -> Vec<Resolved> {
        self.combinations[combination].prototype.settings()
    }

    /// The combinations of every instance.
    fn combinations_of_worlds(&self) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new(); self.worlds.len()];
        self.combinations.iter().enumerate().for_each(|(index, c)| groups[c.world].push(index));
        groups
    }

    fn checkpoints(&self, horizon: u64) -> Checkpoints {
        match self.experiment.spacing {
            Spacing::Linear => Checkpoints::linear(horizon, self.experiment.checkpoints),
            Spacing::Logarithmic => Checkpoints::logarithmic(horizon, self.experiment.checkpoints),
        }
    }
}
