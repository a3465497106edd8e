//! An experiment as a user writes it, and how it is run: environments × horizons × policies × replications.

mod context_config;
mod feature_config;
mod labels;
mod named_values;
mod pairing;
mod plan;
mod policy_list;
mod results;
mod run_store;
mod sources;
mod statistics;
mod worlds;

pub use context_config::ContextConfig;
pub use feature_config::FeatureConfig;
pub use named_values::NamedValues;
pub use pairing::{Finished, Replication};
pub use plan::{Added, Plan, PlanStep};
pub use results::{CurveSummary, InNotion, OtherRegret, PolicyResult, Results};
pub use run_store::RunStore;
pub use sources::{NoSources, Sources};
pub use statistics::{PairedDifference, Summary, exact_interval};
pub use worlds::{EnvironmentConfig, World};

use crate::judge::Notion;
use crate::policy::PolicyConfig;
use crate::regret::MOST_CHECKPOINTS;
use crate::simulate::Feedback;
use crate::size;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The version of experiment files and results written today.
pub const VERSION: u32 = 1;

/// The most runs of an experiment, over all combinations.
pub const MOST_RUNS: u64 = 10_000_000;

/// The most rounds of a run: a policy that draws in every round would take days for so many.
pub const MOST_ROUNDS: u64 = 10_000_000_000_000;

/// When regret is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Spacing {
    /// At equal distances of rounds.
    Linear,
    /// At equal ratios of rounds.
    Logarithmic,
}

/// What to compare with what.
///
/// Every combination of environment, horizon and policy is run `runs` times. The instance depends on the seed alone;
/// the answers of a replication on the seed and its number.
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
    /// What regret is measured in; the first is "the" regret, the others stand beside it.
    #[serde(default = "borda", skip_serializing_if = "is_borda")]
    pub regrets: Vec<Notion>,
    /// The environments, each a truth to play against.
    pub environments: Vec<EnvironmentConfig>,
    /// The policies; in a file, by name or with settings.
    #[serde(deserialize_with = "policy_list::policies")]
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
fn borda() -> Vec<Notion> {
    vec![Notion::Borda]
}
fn is_borda(regrets: &[Notion]) -> bool {
    regrets == [Notion::Borda]
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
            regrets: borda(),
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
        at_least_one("runs", self.runs.min(1) as usize)?;
        at_least_one("checkpoints", self.checkpoints)?;
        at_least_one("horizons", self.horizons.len())?;
        at_least_one("environments", self.environments.len())?;
        at_least_one("regrets", self.regrets.len())?;
        if let Some(zero) = self.horizons.iter().find(|t| **t == 0) {
            return Err(Error::setting("horizon", zero, "must be at least 1 round"));
        }
        self.check_size()?;
        self.feedback.check()
    }

    /// Refuses sizes that no memory holds, before anything is made.
    fn check_size(&self) -> Result<()> {
        let combinations = [self.environments.len(), self.horizons.len(), self.policies.len()].map(|n| n as u64);
        let runs = [&combinations[..], &[self.runs]].concat();
        size::at_most(MOST_RUNS, "runs", &runs, "take fewer runs, environments, horizons or policies")?;
        let longest = self.horizons.iter().copied().max().unwrap_or(0);
        size::at_most(MOST_ROUNDS, "rounds in a run", &[longest], "take a shorter horizon")?;
        let points = longest.min(self.checkpoints as u64);
        size::at_most(MOST_CHECKPOINTS as u64, "checkpoints", &[points], "take fewer")?;
        let numbers = [&runs[..], &[points, self.regrets.len() as u64]].concat();
        size::at_most(size::MOST_NUMBERS, "numbers in curves", &numbers, "take fewer runs or checkpoints")?;
        self.environments.iter().try_for_each(EnvironmentConfig::check_size)
    }

    /// Makes all instances and policies, so that whatever is wrong is found before the first round. An experiment may
    /// name no policies, where some are added to its plan.
    pub fn plan(&self, sources: &dyn Sources) -> Result<Plan> {
        self.plan_watched(sources, &mut |_| ())
    }

    /// The same, telling the caller whenever something has been made: this library has no clock, its callers may.
    pub fn plan_watched(&self, sources: &dyn Sources, made: &mut dyn FnMut(PlanStep)) -> Result<Plan> {
        self.check()?;
        Plan::new(self, sources, made)
    }

    /// Runs everything on all threads of rayon's pool. The results do not depend on their number.
    pub fn run(&self, sources: &dyn Sources) -> Result<Results> {
        if self.policies.is_empty() {
            return Err(Error::setting("policies", 0, "must be at least 1"));
        }
        self.plan(sources)?.run_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl Fn(&mut Experiment)) -> String {
        let hard = EnvironmentConfig::Hard { d: 2, gap: None };
        let mut experiment = Experiment::new("sizes", vec![hard; 3], vec![PolicyConfig::named("uniform").unwrap(); 2]);
        assert!(experiment.plan(&NoSources).is_ok());
        change(&mut experiment);
        experiment.plan(&NoSources).unwrap_err().to_string()
    }

    #[test]
    fn results_played_apart_are_joined_to_those_played_together() {
        let played = |policies: &[&str], seed: u64| {
            let policies = policies.iter().map(|name| PolicyConfig::named(name).unwrap()).collect();
            let mut experiment = Experiment::new("apart", vec![EnvironmentConfig::Hard { d: 2, gap: None }], policies);
            (experiment.runs, experiment.horizons, experiment.seed) = (3, vec![500, 1_000], seed);
            experiment.run(&NoSources).unwrap()
        };
        let joined = played(&["betc-glm"], 1).join(vec![played(&["dexp3"], 1), played(&["uniform"], 1)]).unwrap();
        assert_eq!(joined, played(&["betc-glm", "dexp3", "uniform"], 1));
        assert!(joined.join(vec![played(&["uniform"], 1)]).unwrap_err().to_string().contains("another label"));
        let apart = played(&["betc-glm"], 1).join(vec![played(&["uniform"], 2)]).unwrap_err();
        assert!(apart.to_string().contains("seed"), "{apart}");
    }

    #[test]
    fn sizes_that_no_memory_holds_are_refused_before_anything_is_made() {
        let message = refused(|experiment| experiment.runs = 3_074_457_345_618_258_603);
        assert!(message.starts_with("that would be 18446744073709551618 runs; at most 10000000"), "{message}");
        assert!(refused(|experiment| experiment.runs = u64::MAX).contains("runs; at most"));
        assert!(refused(|experiment| experiment.runs = 0).contains("at least 1"));
        let message = refused(|experiment| {
            (experiment.checkpoints, experiment.horizons) = (usize::MAX >> 1, vec![MOST_ROUNDS]);
        });
        assert!(message.starts_with("that would be 10000000000000 checkpoints"), "{message}");
        let message = refused(|experiment| experiment.horizons.push(u64::MAX >> 1));
        assert!(message.starts_with("that would be 9223372036854775807 rounds in a run; at most"), "{message}");
        let message = refused(|experiment| (experiment.runs, experiment.checkpoints) = (1_000_000, 1000));
        assert!(message.contains("numbers in curves"), "{message}");
        for features in [
            "{ kind = \"pairs\", items = 9223372036854775807, dim = 3 }",
            "{ kind = \"differences\", items = 3, dim = 9223372036854775807 }",
            "{ kind = \"one-hot\", items = 4294967296 }",
        ] {
            let text = format!("kind = \"glm\"\nfeatures = {features}");
            let message = refused(|experiment| experiment.environments.push(toml::from_str(&text).unwrap()));
            assert!(message.contains("numbers in memory"), "{message}");
        }
        let states =
            "kind = \"adversarial\"\npath = { kind = \"switching\", states = 9223372036854775807, pieces = 10 }";
        let message = refused(|experiment| experiment.environments = vec![toml::from_str(states).unwrap()]);
        assert!(message.contains("states"), "{message}");
        assert!(crate::environment::crowd::Wins::new(1 << 32).is_err());
    }
}
