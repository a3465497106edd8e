//! `borduel reproduce adversarial`: what safety against any adversary costs where nothing changes, where answers are
//! turned round for a while, and where the best item moves; and who follows it.

mod document;
mod figure;
mod known;
mod worlds;

use super::parsed;
use crate::experiment::folder::Folder;
use crate::experiment::played::Played;
use crate::failure::Failure;
use borduel::experiment::Spacing;
use borduel::{Experiment, Feedback, Notion, PolicyConfig};
use serde_json::{Value, json};
use worlds::{Kind, WORLDS};

/// The fewest rounds: six pieces, and a fiftieth of them turned round.
pub const LEAST_ROUNDS: u64 = 100;

/// Those who need no features.
fn without_features() -> Vec<Value> {
    vec![
        json!({ "policy": "dexp3" }),
        json!({ "policy": "bexp3" }),
        json!({ "policy": "ftrl-borda" }),
        json!({ "policy": "ftrl-borda", "regularizer": "hybrid" }),
        json!({ "policy": "track-borda" }),
        json!({ "policy": "track-borda", "replays": true }),
        json!({ "policy": "versatile" }),
        json!({ "policy": "etc-borda" }),
        json!({ "policy": "betc-glm-adaptive" }),
    ]
}

/// Those who have features, beside two who do not look at them.
fn with_features() -> Vec<Value> {
    vec![
        json!({ "policy": "bexp3" }),
        json!({ "policy": "ftrl-linear" }),
        json!({ "policy": "ftrl-linear", "regularizer": "hybrid" }),
        json!({ "policy": "track-linear" }),
        json!({ "policy": "track-linear", "replays": true }),
        json!({ "policy": "ftrl-borda" }),
        json!({ "policy": "track-borda" }),
        json!({ "policy": "betc-glm-match" }),
        json!({ "policy": "betc-glm-adaptive" }),
    ]
}

/// All experiments, one a world and horizon.
pub fn experiments(horizons: &[u64], runs: u64, seed: u64) -> Result<Vec<Experiment>, Failure> {
    let mut list = Vec::new();
    for world in &WORLDS {
        let policies = if world.features { with_features() } else { without_features() };
        let policies = parsed::<PolicyConfig>(policies)?;
        for &horizon in horizons {
            let environments = parsed(vec![(world.environment)(horizon, seed)])?;
            let name = format!("{}-{horizon}", world.name);
            let mut experiment = Experiment::new(&name, environments, policies.clone());
            (experiment.runs, experiment.seed, experiment.checkpoints) = (runs, seed, 60);
            (experiment.horizons, experiment.spacing) = (vec![horizon], Spacing::Logarithmic);
            match world.kind {
                Kind::Still => {}
                Kind::Turned => experiment.feedback = Feedback::IMMEDIATE.flipping(horizon / 50),
                Kind::Moving => experiment.regrets = vec![Notion::BordaDynamic, Notion::Borda],
            }
            list.push(experiment);
        }
    }
    Ok(list)
}

/// Writes the document and its figure.
pub fn write(played: &[&Played], command: &str, folder: &Folder) -> Result<(), Failure> {
    folder.write("adversarial.svg", figure::figure(played).standalone().as_bytes())?;
    let text = document::text(played, command).map_err(|error| Failure::Internal(error.to_string()))?;
    folder.write("ADVERSARIAL.md", text.as_bytes())
}
