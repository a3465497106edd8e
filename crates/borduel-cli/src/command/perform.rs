//! Plays an experiment into its directory, and puts everything there that comes of it.

use super::common::{Common, threads};
use crate::experiment::folder::Folder;
use crate::experiment::journal::Journal;
use crate::experiment::labels::labels;
use crate::experiment::play;
use crate::experiment::played::{Played, timing};
use crate::experiment::prepare::Prepared;
use crate::failure::Failure;
use crate::output::report;
use crate::output::results::{Shown, curves};
use std::path::Path;

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
    folder.write("curves.csv", curves(&played.results).as_bytes())?;
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

/// Says where everything is, and what was made up.
pub(crate) fn says(common: &Common, shown: &Shown, path: &Path) {
    if common.quiet {
        return;
    }
    if shown.played.iter().any(|played: &&Played| played.simulated()) {
        eprintln!("note: the crowd is simulated; give real votes with --votes FILE");
    }
    eprintln!("report, results and pictures are in {}", path.display());
}
