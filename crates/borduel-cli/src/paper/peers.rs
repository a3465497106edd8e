//! Everybody's dueling bandits on the instances that everybody uses: which experiments, and the document they make.

mod document;
mod entries;
mod figure;
mod known;
mod others;

use crate::experiment::folder::Folder;
use crate::experiment::played::Played;
use crate::failure::Failure;
use borduel::experiment::{EnvironmentConfig, Spacing};
use borduel::{Experiment, Notion, PolicyConfig};
pub(crate) use others::Others;
use serde_json::{Value, json};

/// The parts: a Condorcet winner, none, many items, items with features, and what other people's programs are timed beside.
const CONDORCET: &str = "condorcet";
const COPELAND: &str = "copeland";
const MANY: &str = "many";
const FEATURES: &str = "features";
const BESIDE: &str = "beside";

/// A further horizon of the part with features: what is known from elsewhere is known of this one.
const SHORT: u64 = 2_000;

/// CPU seconds that a hundred runs of a policy on an instance may take; a slower one plays fewer.
const ENOUGH: f64 = 6.0;
/// The least share of the runs that is worth playing, and the seconds that a hundred times this share may take.
const LEAST: f64 = 0.05;
const TOO_LONG: f64 = 30.0;

/// A part: its name, horizons, regrets, instances, policies, and nanoseconds a round of those that step through most rounds one by one, as
/// measured.
struct Part<'a> {
    name: &'a str,
    horizons: Vec<u64>,
    regrets: &'a [Notion],
    environments: Vec<Value>,
    policies: Vec<Value>,
    slow: &'a [(&'a str, f64)],
}

impl Part<'_> {
    /// How many of the runs asked for this policy plays over this horizon: all if a hundred take no longer than [`ENOUGH`], else in proportion;
    /// none if even the [`LEAST`] of them take [`TOO_LONG`].
    fn runs(&self, policy: &Value, horizon: u64, asked: u64) -> u64 {
        let Some((_, nanoseconds)) = self.slow.iter().find(|(name, _)| policy["policy"] == *name) else { return asked };
        let hundred = 100.0 * 1e-9 * nanoseconds * horizon as f64;
        if LEAST * hundred > TOO_LONG {
            return 0;
        }
        (asked as f64 * (ENOUGH / hundred).clamp(LEAST, 1.0)).ceil() as u64
    }
}

fn named(name: &str) -> Value {
    json!({ "policy": name })
}

fn instances(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| json!({ "kind": "instance", "name": name })).collect()
}

/// Everybody who needs no features.
fn pairwise() -> Vec<Value> {
    vec![
        named("rucb"),
        named("dts"),
        json!({ "policy": "dts", "plus": true }),
        named("rmed"),
        json!({ "policy": "rmed", "variant": "rmed2" }),
        json!({ "policy": "rmed", "variant": "rmed2fh" }),
        named("merge"),
        json!({ "policy": "merge", "choice": "ucb" }),
        named("ccb"),
        named("versatile"),
        json!({ "policy": "versatile", "estimator": "iw" }),
        json!({ "policy": "versatile", "players": "shared" }),
        json!({ "policy": "versatile", "players": "shared", "estimator": "iw" }),
        named("self-sparring"),
        named("winner-stays"),
        named("winner-stays-strong"),
        named("active-ranking"),
        named("etc-borda"),
        named("betc-glm-adaptive"),
        named("uniform"),
    ]
}

fn with_features() -> Vec<Value> {
    vec![
        named("max-inp"),
        named("max-pair-ucb"),
        json!({ "policy": "max-pair-ucb", "robustness": 0.1 }),
        named("colstim"),
        named("vacdb"),
        named("fgts"),
        json!({ "policy": "fgts", "feel_good": 0.0 }),
        json!({ "policy": "fgts", "feel_good": 0.0, "eta": 1.0 }),
        named("betc-glm-match"),
        named("betc-glm-adaptive"),
        named("uniform"),
    ]
}

fn parts(horizons: &[u64]) -> [Part<'static>; 5] {
    let shortest = horizons.iter().copied().min().unwrap_or(1);
    let mut with_short: Vec<u64> = [SHORT].into_iter().filter(|t| *t < shortest).collect();
    with_short.extend(horizons);
    let assumes = ["rucb", "rmed", "merge", "winner-stays", "winner-stays-strong"];
    let without_winner = |policy: &Value| !assumes.iter().any(|name| policy["policy"] == *name);
    let few = ["rucb", "dts", "rmed", "merge", "self-sparring", "winner-stays-strong", "uniform"];
    let timed = ["rucb", "dts", "rmed", "ccb", "winner-stays", "winner-stays-strong"];
    [
        Part {
            name: CONDORCET,
            horizons: horizons.to_vec(),
            regrets: &[Notion::Condorcet, Notion::Borda, Notion::CondorcetMin],
            environments: instances(&["six-rankers", "cyclic", "arithmetic", "mslr-5", "condorcet-not-borda"]),
            policies: pairwise(),
            slow: &[("versatile", 400.0), ("self-sparring", 1_500.0), ("betc-glm-adaptive", 1_000.0)],
        },
        Part {
            name: COPELAND,
            horizons: horizons.to_vec(),
            regrets: &[Notion::Copeland, Notion::Borda],
            environments: instances(&["copeland-cycle"]),
            policies: pairwise().into_iter().filter(without_winner).collect(),
            slow: &[("dts", 1_000.0), ("versatile", 500.0), ("self-sparring", 2_000.0), ("betc-glm-adaptive", 2_000.0)],
        },
        Part {
            name: MANY,
            horizons: vec![shortest],
            regrets: &[Notion::Condorcet, Notion::Borda],
            environments: vec![json!({ "kind": "instance", "name": "bradley-terry", "items": 50 })],
            policies: few.map(named).into_iter().chain([json!({ "policy": "merge", "choice": "ucb" })]).collect(),
            slow: &[],
        },
        Part {
            name: FEATURES,
            horizons: with_short,
            regrets: &[Notion::Utility, Notion::Borda],
            environments: instances(&["cube"]),
            policies: with_features(),
            slow: &[("colstim", 5_000.0), ("fgts", 50_000.0)],
        },
        Part {
            name: BESIDE,
            horizons: vec![others::DUELPY_ROUNDS.min(shortest)],
            regrets: &[Notion::Condorcet],
            environments: instances(&["six-rankers"]),
            policies: timed.map(named).to_vec(),
            slow: &[],
        },
    ]
}

/// All experiments; these horizons are those of the parts with instances that everybody uses (of many items the shortest). Every part makes
/// one experiment a horizon and number of runs.
pub(crate) fn experiments(horizons: &[u64], runs: u64, seed: u64) -> Result<Vec<Experiment>, Failure> {
    let mut list = Vec::new();
    for part in parts(horizons) {
        let environments = parsed::<EnvironmentConfig>(part.environments.clone())?;
        for &horizon in &part.horizons {
            let own: Vec<u64> = part.policies.iter().map(|policy| part.runs(policy, horizon, runs)).collect();
            for runs in entries::distinct(own.iter().copied()).into_iter().filter(|runs| *runs > 0) {
                let policies = part.policies.iter().zip(&own).filter(|(_, own)| **own == runs);
                let policies = parsed::<PolicyConfig>(policies.map(|(policy, _)| policy.clone()).collect())?;
                let name = format!("{}-{horizon}-{runs}", part.name);
                let mut experiment = Experiment::new(&name, environments.clone(), policies);
                (experiment.runs, experiment.seed, experiment.checkpoints) = (runs, seed, 60);
                experiment.spacing = Spacing::Logarithmic;
                (experiment.horizons, experiment.regrets) = (vec![horizon], part.regrets.to_vec());
                list.push(experiment);
            }
        }
    }
    Ok(list)
}

fn parsed<T: serde::de::DeserializeOwned>(list: Vec<Value>) -> Result<Vec<T>, Failure> {
    let one = |value: Value| serde_json::from_value(value).map_err(|error| Failure::Internal(error.to_string()));
    list.into_iter().map(one).collect()
}

/// Writes the document and its figure.
pub(crate) fn write(played: &[&Played], command: &str, others: &Others, folder: &Folder) -> Result<(), Failure> {
    folder.write("peers.svg", figure::figure(played).standalone().as_bytes())?;
    folder.write("PEERS.md", document::text(played, command, others).as_bytes())
}
