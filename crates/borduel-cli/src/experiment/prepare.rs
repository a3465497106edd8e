//! From an experiment to a plan: everything that can be wrong with it is found here, before the first round.

use super::clock::Clock;
use super::sources::{Files, fingerprint};
use borduel::Experiment;
use borduel::experiment::{Made, Plan};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An experiment that is ready to play.
#[derive(Debug)]
pub struct Prepared {
    /// Its jobs.
    pub plan: Plan,
    /// The files it reads.
    pub inputs: Vec<PathBuf>,
    /// A fingerprint of each.
    prints: BTreeMap<String, u64>,
    /// CPU seconds that each combination's policy took to make.
    pub made: Vec<f64>,
}

/// Makes all instances and policies; the experiment's files are read from where their paths say.
///
/// # Errors
/// Whatever is wrong with the experiment.
pub fn prepare(experiment: &Experiment) -> Result<Prepared, borduel::Error> {
    let files = Files::default();
    let (mut clock, mut made) = (Clock::of_program(), Vec::new());
    let plan = experiment.plan_watched(&files, &mut |what| {
        if what == Made::Policy {
            made.push(clock.seconds());
        }
        clock = Clock::of_program();
    })?;
    let prints = files.prints();
    Ok(Prepared { plan, inputs: prints.keys().map(PathBuf::from).collect(), prints, made })
}

impl Prepared {
    /// Of the program's version, the experiment, the files it reads, and what was added to the plan.
    ///
    /// # Errors
    /// A setting of a policy of one's own that JSON cannot hold.
    pub fn fingerprint(&self) -> Result<String, borduel::Error> {
        let all = (env!("CARGO_PKG_VERSION"), self.plan.experiment(), &self.prints, self.plan.additions());
        let text = serde_json::to_vec(&all).map_err(|error| borduel::Error::Data(error.to_string()))?;
        Ok(format!("{:016x}", fingerprint(&text)))
    }
}
