//! From an experiment to a plan: everything that can be wrong with it is found here, before the first round.

use super::sources::{Files, fingerprint};
use borduel::Experiment;
use borduel::experiment::{Made, Plan};
use cpu_time::ProcessTime;

/// An experiment that is ready to play.
pub(crate) struct Prepared {
    pub(crate) plan: Plan,
    /// Of the program's version, the experiment, and the files it reads.
    pub(crate) fingerprint: String,
    /// CPU seconds that each combination's policy took to make.
    pub(crate) made: Vec<f64>,
}

/// Makes all instances and policies; whatever is wrong with the experiment is found here.
pub(crate) fn prepare(experiment: &Experiment, threads: usize) -> Result<Prepared, borduel::Error> {
    // A second call finds the pool made, with the same number.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    let files = Files::default();
    let (mut clock, mut made) = (ProcessTime::now(), Vec::new());
    let plan = experiment.plan_watched(&files, &mut |what| {
        if what == Made::Policy {
            made.push(clock.elapsed().as_secs_f64());
        }
        clock = ProcessTime::now();
    })?;
    let all = (env!("CARGO_PKG_VERSION"), experiment, files.prints());
    let text = serde_json::to_vec(&all).map_err(|error| borduel::Error::Data(error.to_string()))?;
    Ok(Prepared { plan, fingerprint: format!("{:016x}", fingerprint(&text)), made })
}
