//! From an experiment to a plan: everything that can be wrong with it is found here, before the first round.

use super::clock::Clock;
use super::sources::{Files, fingerprint};
use borduel::Experiment;
use borduel::experiment::{Plan, PlanStep};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An experiment that is ready to play.
#[derive(Debug)]
pub struct Prepared {
    /// The jobs that the experiment consists of.
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
    prepare_with(experiment, BTreeMap::new(), |_| Ok(()))
}

/// The same, with files that are `held` already, by path, and with policies of one's own that `add` adds to the plan.
///
/// # Errors
/// Whatever is wrong with the experiment; no policy at all.
pub fn prepare_with(
    experiment: &Experiment,
    held: BTreeMap<String, Vec<u8>>,
    add: impl FnOnce(&mut Plan) -> Result<(), borduel::Error>,
) -> Result<Prepared, borduel::Error> {
    let files = Files::holding(held);
    let (mut clock, mut made) = (Clock::of_program(), Vec::new());
    let mut plan = experiment.plan_watched(&files, &mut |what| {
        if what == PlanStep::Policy {
            made.push(clock.seconds());
        }
        clock = Clock::of_program();
    })?;
    let prints = files.prints();
    add(&mut plan)?;
    if plan.combinations() == 0 {
        let (name, remedy) = ("policies", "must be at least 1".to_owned());
        return Err(borduel::Error::Setting { name, value: "0".to_owned(), remedy });
    }
    // What was added took no time to speak of: it is made at the start of every run.
    let mut named = made.into_iter();
    let setup = |combination| plan.config(combination).and_then(|_| named.next()).unwrap_or(0.0);
    let made = (0..plan.combinations()).map(setup).collect();
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
