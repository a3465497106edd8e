//! The reproduction: the paper's figures, its claims held against numbers, and what its open choices do.

mod case;
mod claims;
mod document;
mod transitivity;

use crate::experiment::file::set;
use crate::experiment::folder::Folder;
use crate::experiment::played::Played;
use crate::failure::Failure;
use crate::paper::scaling::{self, Exponent};
use borduel::environment::crowd::Responses;
use borduel::experiment::EnvironmentConfig;
use borduel::{Experiment, PolicyConfig, theory};
use borduel_report::experiment::{figure, matrix};

/// The names of its experiments, beside those of scaling.
const HARD: &str = "study-hard";
const RECOVERED: &str = "study-eventtime";
const EMPIRICAL: &str = "study-eventtime-empirical";
const ADVERSARIAL: &str = "study-adversarial";
const LOWER: &str = "study-lower-bound";
const BIASED: &str = "study-biased";

/// How many policies the paper compares: the first ones of every experiment here.
const PAPER: usize = 6;

/// What the paper leaves open: each a policy of its own beside the six; and, last, the policy that is not in the paper.
const VARIANTS: [&str; 10] = [
    "betc-glm-match.lambda0=exact",
    "bexp3.lambda0=exact",
    "bexp3-centred.lambda0=1.0",
    "betc-glm.design=paper",
    "betc-glm-match.design=paper",
    "betc-glm.fit=paper",
    "betc-glm-match.fit=paper",
    "etc-borda.update=printed",
    "bexp3-centred.lambda0=exact",
    "betc-glm-adaptive",
];

/// The experiments, but for scaling.
pub fn experiments(
    hard: &Experiment,
    eventtime: &Experiment,
    adversarial: &Experiment,
) -> Result<Vec<Experiment>, Failure> {
    let mut empirical = eventtime.clone();
    for environment in &mut empirical.environments {
        if let EnvironmentConfig::Crowd { responses, .. } = environment {
            *responses = Responses::Empirical;
        }
    }
    // BEXP3 learns in every round, which takes long on a crowd: its variants are played where they say most.
    let quick: Vec<&str> = VARIANTS[..9].iter().copied().filter(|variant| !variant.starts_with("bexp3")).collect();
    // The instance of the lower bound's proof, as hard as it can be made for this horizon.
    let mut lower = hard.clone();
    // The instance as the paper first describes it, with one dimension less.
    let mut biased = hard.clone();
    for (lower, biased) in lower.environments.iter_mut().zip(&mut biased.environments) {
        if let EnvironmentConfig::Hard { d, gap } = lower {
            *biased = EnvironmentConfig::HardBiased { d: *d, gap: *gap };
            *gap = Some(theory::lower_bound_gap(*d as usize, hard.horizons.first().copied().unwrap_or(1)));
        }
    }
    [
        (hard, HARD, &VARIANTS[..]),
        (eventtime, RECOVERED, &VARIANTS[..8]),
        (&empirical, EMPIRICAL, &quick),
        (adversarial, ADVERSARIAL, &VARIANTS[..9]),
        (&lower, LOWER, &VARIANTS[9..]),
        (&biased, BIASED, &[]),
    ]
    .into_iter()
    .map(|(base, name, variants)| {
        let mut experiment = base.clone();
        name.clone_into(&mut experiment.name);
        experiment.policies = policies(variants)?;
        Ok(experiment)
    })
    .collect()
}

/// The paper's six, and these variants.
fn policies(variants: &[&str]) -> Result<Vec<PolicyConfig>, Failure> {
    let mut policies = Experiment::paper_policies();
    for variant in variants {
        let name = variant.split('.').next().unwrap_or_default();
        let mut policy = [PolicyConfig::named(name).map_err(|error| Failure::Internal(error.to_string()))?];
        if variant.contains('=') {
            set(&mut policy, variant)?;
        }
        policies.extend(policy);
    }
    Ok(policies)
}

/// Writes the document and its figures.
pub fn write(played: &[&Played], exponents: &[Exponent], command: &str, folder: &Folder) -> Result<(), Failure> {
    for (experiment, file, title) in [
        (HARD, "hard.svg", None),
        (RECOVERED, "eventtime.svg", Some("EventTime, recovered probabilities")),
        (EMPIRICAL, "eventtime-empirical.svg", Some("EventTime, empirical probabilities")),
    ] {
        if let Some(played) = played.iter().find(|p| p.results.experiment.name == experiment) {
            let mut figure = figure(&played.results, PAPER);
            // The environment is called after the file that its votes are in, which tells a reader nothing.
            if let (Some(title), Some(panel)) = (title, figure.panels.first_mut()) {
                let rest = panel.title.split_once("): ").map_or("", |(_, rest)| rest);
                panel.title = format!("{title}: {rest}");
            }
            folder.write(file, figure.standalone().as_bytes())?;
        }
    }
    let empirical = played.iter().find(|p| p.results.experiment.name == EMPIRICAL);
    let world = empirical.and_then(|played| played.plan.worlds().first());
    if let Some(png) = world.and_then(|world| matrix(world.environment())) {
        folder.write("eventtime-matrix.png", &png)?;
    }
    folder.write("scaling.svg", scaling::figure(played, exponents).standalone().as_bytes())?;
    folder.write("REPRODUCTION.md", document::text(played, exponents, command).as_bytes())
}
