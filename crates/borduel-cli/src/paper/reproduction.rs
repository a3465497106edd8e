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
use borduel_report::experiment::figure;

/// The names of its experiments, beside those of scaling.
const HARD: &str = "study-hard";
const RECOVERED: &str = "study-eventtime";
const EMPIRICAL: &str = "study-eventtime-empirical";
const ADVERSARIAL: &str = "study-adversarial";
const LOWER: &str = "study-lower-bound";

/// How many policies the paper compares: the first ones of every experiment here.
const PAPER: usize = 6;

/// What the paper leaves open: each a policy of its own beside the six; and, last, the policy that is not in the paper.
const VARIANTS: [&str; 8] = [
    "betc-glm-match.lambda0=exact",
    "bexp3.lambda0=exact",
    "bexp3-centred.lambda0=1.0",
    "betc-glm.design=paper",
    "betc-glm-match.design=paper",
    "etc-borda.update=printed",
    "bexp3-centred.lambda0=exact",
    "betc-glm-adaptive",
];

/// The experiments, but for scaling.
pub(crate) fn experiments(
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
    let quick: Vec<&str> = VARIANTS[..7].iter().copied().filter(|variant| !variant.starts_with("bexp3")).collect();
    // The instance of the lower bound's proof, as hard as it can be made for this horizon.
    let mut lower = hard.clone();
    for environment in &mut lower.environments {
        if let EnvironmentConfig::Hard { d, gap } = environment {
            *gap = Some(theory::lower_bound_gap(*d as usize, hard.horizons.first().copied().unwrap_or(1)));
        }
    }
    [
        (hard, HARD, &VARIANTS[..]),
        (eventtime, RECOVERED, &VARIANTS[..6]),
        (&empirical, EMPIRICAL, &quick),
        (adversarial, ADVERSARIAL, &VARIANTS[..7]),
        (&lower, LOWER, &VARIANTS[7..]),
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
pub(crate) fn write(played: &[&Played], exponents: &[Exponent], command: &str, folder: &Folder) -> Result<(), Failure> {
    for (experiment, file) in [(HARD, "hard.svg"), (RECOVERED, "eventtime.svg"), (EMPIRICAL, "eventtime-empirical.svg")]
    {
        if let Some(played) = played.iter().find(|p| p.results.experiment.name == experiment) {
            folder.write(file, figure(&played.results, PAPER).standalone().as_bytes())?;
        }
    }
    folder.write("scaling.svg", scaling::figure(played, exponents).standalone().as_bytes())?;
    folder.write("REPRODUCTION.md", document::text(played, exponents, command).as_bytes())
}
