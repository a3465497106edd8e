//! From an experiment to its results: prepares it, plays it, and puts everything into its directory.

use crate::arguments::Common;
use crate::failure::Failure;
use crate::files::{Files, fingerprint};
use crate::folder::Folder;
use crate::journal::{Entry, Journal};
use crate::labels::labels;
use crate::{format, play, report};
use borduel::Experiment;
use borduel::experiment::{EnvironmentConfig, Made, Plan, PolicyResult, Results};
use cpu_time::ProcessTime;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// An experiment that is ready to play.
pub(crate) struct Prepared {
    pub(crate) plan: Plan,
    /// Of the program's version, the experiment, and the files it reads.
    pub(crate) fingerprint: String,
    /// CPU seconds that each combination's policy took to make.
    made: Vec<f64>,
}

/// Makes all instances and policies; whatever is wrong with the experiment is found here.
pub(crate) fn prepare(experiment: &Experiment, common: &Common) -> Result<Prepared, borduel::Error> {
    // A second call finds the pool made, with the same number.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads(common)).build_global();
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

/// How many threads to use.
fn threads(common: &Common) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    common.jobs.map_or_else(cores, |jobs| jobs as usize)
}

/// Where the results of an experiment go: as said, or a place of its own.
pub(crate) fn place(common: &Common, name: &str, fingerprint: &str) -> PathBuf {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.trim_start_matches('.').chars().map(safe).collect();
    let short = &fingerprint[..8.min(fingerprint.len())];
    common.out.clone().unwrap_or_else(|| Path::new("borduel-out").join(format!("{name}-{short}")))
}

/// An experiment that has been played.
pub(crate) struct Played {
    pub(crate) plan: Plan,
    pub(crate) results: Results,
    pub(crate) timing: Timing,
    /// The command that makes it again.
    pub(crate) command: String,
}

/// How long everything took: never part of the results.
#[derive(Debug, Serialize)]
pub(crate) struct Timing {
    version: u32,
    program: &'static str,
    pub(crate) policies: Vec<PolicyTiming>,
}

/// How long a policy took.
#[derive(Debug, Serialize)]
pub(crate) struct PolicyTiming {
    policy: String,
    label: String,
    environment: String,
    horizon: u64,
    /// Rounds that were stepped through one by one, over all runs.
    rounds_stepped: u64,
    /// CPU seconds that they took.
    cpu_seconds: f64,
    /// The one over the other: per core.
    pub(crate) rounds_per_second: Option<f64>,
    /// CPU seconds to make the policy, and a run of it.
    pub(crate) setup_seconds: f64,
}

/// Plays an experiment into a directory, going on from what is there, and writes all files but bundles' own.
pub(crate) fn perform(prepared: Prepared, path: &Path, common: &Common, command: &str) -> Result<Played, Failure> {
    let Prepared { plan, fingerprint, made } = prepared;
    let folder = Folder::open(path)?;
    let toml = toml::to_string(plan.experiment()).map_err(|error| Failure::Internal(error.to_string()))?;
    let (journal, known) = Journal::open(&folder, &fingerprint, common.force)?;
    if !(common.quiet || known.is_empty()) {
        eprintln!("{} of {} runs are already in {}", known.len(), plan.jobs(), path.display());
    }
    folder.write("experiment.toml", toml.as_bytes())?;
    play::heed_interrupts();
    let entries =
        play::play(&plan, journal, known, threads(common), common.quiet).map_err(|failure| match failure {
            Failure::Interrupted(message) => Failure::Interrupted(format!(
                "{message}; they are kept in {}, the same command goes on",
                path.display()
            )),
            other => other,
        })?;
    let outcomes: Vec<_> = entries.iter().map(|entry| entry.finished.clone()).collect();
    let mut results = plan.collect(&outcomes);
    let names = labels(&plan.experiment().policies);
    results.policies.iter_mut().zip(names.iter().cycle()).for_each(|(policy, name)| policy.label.clone_from(name));
    let timing = timing(&plan, &results, &entries, &made);
    let played = Played { plan, results, timing, command: command.to_owned() };
    write(&played, &folder)?;
    Ok(played)
}

/// Writes everything that comes of one experiment.
fn write(played: &Played, folder: &Folder) -> Result<(), Failure> {
    let internal = |error: serde_json::Error| Failure::Internal(error.to_string());
    folder.write("results.json", &line(serde_json::to_vec(&played.results).map_err(internal)?))?;
    folder.write("curves.csv", format::curves(&played.results).as_bytes())?;
    folder.write("timing.json", &line(serde_json::to_vec(&played.timing).map_err(internal)?))?;
    let figure = report::figure(played, usize::MAX);
    folder.write("regret.svg", figure.standalone().as_bytes())?;
    folder.write("regret.png", &figure.png()?)?;
    folder.write("report.html", report::page(&played.results.experiment.name, &[played], "").as_bytes())
}

fn line(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}

fn timing(plan: &Plan, results: &Results, entries: &[Entry], made: &[f64]) -> Timing {
    let combinations = plan.combinations();
    let one = |(index, result): (usize, &PolicyResult)| {
        let own = || entries.iter().skip(index).step_by(combinations);
        let rounds_stepped: u64 = own().map(|entry| entry.finished.stepped).sum();
        let cpu_seconds: f64 = own().map(|entry| entry.seconds).sum();
        let setup: f64 = own().map(|entry| entry.setup).sum();
        PolicyTiming {
            policy: result.policy.clone(),
            label: result.label.clone(),
            environment: result.environment.clone(),
            horizon: result.horizon,
            rounds_stepped,
            cpu_seconds,
            rounds_per_second: (cpu_seconds > 0.0).then(|| rounds_stepped as f64 / cpu_seconds),
            setup_seconds: made[index] + setup / result.runs.max(1) as f64,
        }
    };
    Timing {
        version: 1,
        program: concat!("borduel ", env!("CARGO_PKG_VERSION")),
        policies: results.policies.iter().enumerate().map(one).collect(),
    }
}

impl Played {
    /// The results of every environment and horizon, and the index of the first of them.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (usize, &[PolicyResult])> {
        let size = self.results.experiment.policies.len();
        self.results.policies.chunks(size).enumerate().map(move |(world, group)| (world * size, group))
    }

    /// Mean final regret of policy `a` minus that of `b`, with its paired standard error.
    pub(crate) fn difference(&self, a: usize, b: usize) -> (f64, f64) {
        let find = |x: usize, y: usize| self.results.differences.iter().find(|d| d.a == x && d.b == y);
        let direct = find(a, b).map(|d| (d.mean, d.se));
        direct.or_else(|| find(b, a).map(|d| (-d.mean, d.se))).unwrap_or((0.0, 0.0))
    }

    /// Whether some of its votes were made up.
    pub(crate) fn simulated(&self) -> bool {
        let votes = |e: &EnvironmentConfig| matches!(e, EnvironmentConfig::Crowd { votes: None, .. });
        self.results.experiment.environments.iter().any(votes)
    }
}
