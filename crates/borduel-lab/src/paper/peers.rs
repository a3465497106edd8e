//! Everybody's dueling bandits on the instances that everybody uses: which experiments, and the document they make.

mod document;
mod figure;
mod held;
mod known;
mod others;

use super::parsed;
use crate::experiment::folder::Folder;
use crate::experiment::played::Played;
use crate::failure::Failure;
use borduel::experiment::{EnvironmentConfig, Spacing};
use borduel::{Experiment, Notion, PolicyConfig};
pub use others::Others;
use serde_json::{Value, json};

/// The parts: a Condorcet winner, none, many items, items with features, and what other people's programs are timed
/// beside.
const CONDORCET: &str = "condorcet";
const COPELAND: &str = "copeland";
const MANY: &str = "many";
const FEATURES: &str = "features";
const BESIDE: &str = "beside";

/// A further horizon of the part with features: what is known from elsewhere is known of this one.
const SHORT: u64 = 2_000;

/// A part: its name, horizons, regrets, instances and policies.
struct Part<'a> {
    name: &'a str,
    horizons: Vec<u64>,
    regrets: &'a [Notion],
    environments: Vec<Value>,
    policies: Vec<Value>,
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
        named("ftrl-borda"),
        json!({ "policy": "ftrl-borda", "regularizer": "hybrid" }),
        named("track-borda"),
        named("etc-borda"),
        named("betc-glm-adaptive"),
        named("uniform"),
    ]
}

fn with_features() -> Vec<Value> {
    vec![
        named("max-inp"),
        named("max-pair-ucb"),
        named("max-min-lcb"),
        json!({ "policy": "max-min-lcb", "kernel": "rbf" }),
        json!({ "policy": "max-pair-ucb", "robustness": 0.1 }),
        named("colstim"),
        named("vacdb"),
        named("fgts"),
        json!({ "policy": "fgts", "feel_good": 0.0 }),
        json!({ "policy": "fgts", "feel_good": 0.0, "eta": 1.0 }),
        named("ftrl-borda"),
        named("track-borda"),
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
    let timed = ["rucb", "dts", "rmed", "ccb", "winner-stays", "winner-stays-strong"];
    [
        Part {
            name: CONDORCET,
            horizons: horizons.to_vec(),
            regrets: &[Notion::Condorcet, Notion::Borda, Notion::CondorcetMin, Notion::Copeland],
            environments: instances(&[
                "six-rankers",
                "cyclic",
                "arithmetic",
                "mslr-5",
                "savage",
                "condorcet-not-borda",
            ]),
            policies: pairwise(),
        },
        Part {
            name: COPELAND,
            horizons: horizons.to_vec(),
            regrets: &[Notion::Copeland, Notion::Borda],
            environments: instances(&["copeland-cycle"]),
            policies: pairwise().into_iter().filter(without_winner).collect(),
        },
        Part {
            name: MANY,
            horizons: horizons.to_vec(),
            regrets: &[Notion::Condorcet, Notion::Borda],
            environments: vec![json!({ "kind": "instance", "name": "bradley-terry", "items": 50 })],
            policies: pairwise(),
        },
        Part {
            name: FEATURES,
            horizons: with_short,
            regrets: &[Notion::Utility, Notion::Borda],
            environments: instances(&["cube"]),
            policies: with_features(),
        },
        Part {
            name: BESIDE,
            horizons: vec![others::DUELPY_ROUNDS.min(shortest)],
            regrets: &[Notion::Condorcet],
            environments: instances(&["six-rankers"]),
            policies: timed.map(named).to_vec(),
        },
    ]
}

/// All experiments, one a part and horizon; with a shorter one where something is known of it, and where others are
/// timed.
pub fn experiments(horizons: &[u64], runs: u64, seed: u64) -> Result<Vec<Experiment>, Failure> {
    let mut list = Vec::new();
    for part in parts(horizons) {
        let environments = parsed::<EnvironmentConfig>(part.environments)?;
        let policies = parsed::<PolicyConfig>(part.policies)?;
        for horizon in part.horizons {
            let mut experiment =
                Experiment::new(&format!("{}-{horizon}", part.name), environments.clone(), policies.clone());
            (experiment.runs, experiment.seed, experiment.checkpoints) = (runs, seed, 60);
            experiment.spacing = Spacing::Logarithmic;
            (experiment.horizons, experiment.regrets) = (vec![horizon], part.regrets.to_vec());
            list.push(experiment);
        }
    }
    Ok(list)
}

/// Writes the document and its figure.
pub fn write(played: &[&Played], command: &str, others: &Others, folder: &Folder) -> Result<(), Failure> {
    folder.write("peers.svg", figure::figure(played).standalone().as_bytes())?;
    folder.write("PEERS.md", document::text(played, command, others).as_bytes())
}
