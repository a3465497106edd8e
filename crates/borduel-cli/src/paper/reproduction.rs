//! The reproduction: the paper's figures, its claims held against numbers, and what its open choices do.

mod case;
mod claims;
mod document;

use crate::experiment::file::set;
use crate::experiment::folder::Folder;
use crate::experiment::played::Played;
use crate::failure::Failure;
use crate::paper::scaling::{self, Exponent};
use borduel::environment::crowd::Responses;
use borduel::experiment::EnvironmentConfig;
use borduel::{Experiment, PolicyConfig};
use borduel_report::experiment::figure;

/// The names of its experiments, beside those of scaling.
const HARD: &str = "study-hard";
const RECOVERED: &str = "study-eventtime";
const EMPIRICAL: &str = "study-eventtime-empirical";
const ADVERSARIAL: &str = "study-adversarial";

/// How many policies the paper compares: the first ones of every experiment here.
const PAPER: usize = 6;

/// What the paper leaves open: each a policy of its own beside the six.
const VARIANTS: [&str; 7] = [
    "betc-glm-match.lambda0=exact",
    "bexp3.lambda0=exact",
    "bexp3-centred.lambda0=1.0",
    "betc-glm.design=paper",
    "betc-glm-match.design=paper",
    "etc-borda.update=printed",
    "bexp3-centred.lambda0=exact",
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
    let quick: Vec<&str> = VARIANTS.into_iter().filter(|variant| !variant.starts_with("bexp3")).collect();
    [
        (hard, HARD, &VARIANTS[..]),
        (eventtime, RECOVERED, &VARIANTS[..6]),
        (&empirical, EMPIRICAL, &quick),
        (adversarial, ADVERSARIAL, &VARIANTS),
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
        set(&mut policy, variant)?;
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
