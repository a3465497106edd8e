//! Everybody's dueling bandits on the instances that everybody uses: which experiments, and the document they make.

mod document;
mod known;

use crate::experiment::folder::Folder;
use crate::experiment::played::Played;
use crate::failure::Failure;
use borduel::experiment::{EnvironmentConfig, Spacing};
use borduel::{Experiment, Notion, PolicyConfig};
use serde_json::{Value, json};

/// The four parts: a Condorcet winner, none, many items, and items with features.
const CONDORCET: &str = "condorcet";
const COPELAND: &str = "copeland";
const MANY: &str = "many";
const FEATURES: &str = "features";

/// The horizons of the part with features, which is about the first few thousand rounds; none is longer than the other parts'.
const SHORT: [u64; 2] = [2_000, 10_000];

/// A part: its name, horizons, regrets, instances and policies.
type Part<'a> = (&'a str, &'a [u64], &'a [Notion], Vec<Value>, Vec<Value>);

/// All experiments; these horizons are those of the parts without features (of many items the shortest).
pub(crate) fn experiments(horizons: &[u64], runs: u64, seed: u64) -> Result<Vec<Experiment>, Failure> {
    let named = |name: &str| json!({ "policy": name });
    let pairwise = || {
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
    };
    let without_winner = |policy: &Value| {
        let assumes = ["rucb", "rmed", "merge", "winner-stays", "winner-stays-strong"];
        !assumes.iter().any(|name| policy["policy"] == *name)
    };
    let few = ["rucb", "dts", "rmed", "merge", "self-sparring", "winner-stays-strong", "uniform"];
    let many = few.map(named).into_iter().chain([json!({ "policy": "merge", "choice": "ucb" })]).collect();
    let features = vec![
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
    ];
    let instances = |names: &[&str]| names.iter().map(|name| json!({ "kind": "instance", "name": name })).collect();
    let standard = instances(&["six-rankers", "cyclic", "arithmetic", "mslr-5", "condorcet-not-borda"]);
    let crowd = vec![json!({ "kind": "instance", "name": "bradley-terry", "items": 50 })];
    let shortest: Vec<u64> = horizons.iter().copied().min().into_iter().collect();
    let mut short: Vec<u64> = SHORT.into_iter().filter(|t| shortest.iter().all(|least| t <= least)).collect();
    if short.is_empty() {
        short.clone_from(&shortest);
    }
    let parts: [Part; 4] = [
        (CONDORCET, horizons, &[Notion::Condorcet, Notion::CondorcetMin, Notion::Borda], standard, pairwise()),
        (
            COPELAND,
            horizons,
            &[Notion::Copeland, Notion::Borda],
            instances(&["copeland-cycle"]),
            pairwise().into_iter().filter(without_winner).collect(),
        ),
        (MANY, &shortest, &[Notion::Condorcet, Notion::Borda], crowd, many),
        (FEATURES, &short, &[Notion::Utility, Notion::Borda], instances(&["cube"]), features),
    ];
    let make = |(name, horizons, regrets, environments, policies): Part| {
        let environments = parsed::<EnvironmentConfig>(environments)?;
        let mut experiment = Experiment::new(name, environments, parsed::<PolicyConfig>(policies)?);
        (experiment.runs, experiment.seed, experiment.checkpoints) = (runs, seed, 60);
        experiment.spacing = Spacing::Logarithmic;
        (experiment.horizons, experiment.regrets) = (horizons.to_vec(), regrets.to_vec());
        Ok(experiment)
    };
    parts.into_iter().map(make).collect()
}

fn parsed<T: serde::de::DeserializeOwned>(list: Vec<Value>) -> Result<Vec<T>, Failure> {
    let one = |value: Value| serde_json::from_value(value).map_err(|error| Failure::Internal(error.to_string()));
    list.into_iter().map(one).collect()
}

/// Writes the document.
pub(crate) fn write(played: &[&Played], command: &str, folder: &Folder) -> Result<(), Failure> {
    folder.write("PEERS.md", document::text(played, command).as_bytes())
}

/// The experiment of this name.
fn find<'a>(played: &[&'a Played], name: &str) -> Option<&'a Played> {
    played.iter().find(|p| p.results.experiment.name == name).copied()
}
