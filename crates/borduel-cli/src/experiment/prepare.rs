//! From an experiment to a plan: everything that can be wrong with it is found here, before the first round.

use super::clock::Clock;
use super::sources::{Files, fingerprint};
use borduel::Experiment;
use borduel::experiment::{Made, Plan};
use std::path::PathBuf;

/// An experiment that is ready to play.
#[derive(Debug)]
pub struct Prepared {
    /// Its jobs.
    pub plan: Plan,
    /// Of the program's version, the experiment, and the files it reads.
    pub fingerprint: String,
    /// The files it reads.
    pub inputs: Vec<PathBuf>,
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
    let all = (env!("CARGO_PKG_VERSION"), experiment, &prints);
    let text = serde_json::to_vec(&all).map_err(|error| borduel::Error::Data(error.to_string()))?;
    let inputs = prints.keys().map(PathBuf::from).collect();
    Ok(Prepared { plan, fingerprint: format!("{:016x}", fingerprint(&text)), inputs, made })
}
