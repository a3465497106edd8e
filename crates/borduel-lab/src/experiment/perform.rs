//! The directory of an experiment: opened with its journal, and filled with everything that comes of it.

use super::folder::Folder;
use super::journal::{Journal, NAME};
use super::played::{Times, times};
use super::prepare::Prepared;
use super::runs::Runs;
use crate::atomic_write::Inputs;
use crate::curves::curves;
use crate::failure::Failure;
use borduel::Results;
use borduel_report::experiment::{Chapter, figure, page};
use std::fs;
use std::path::{Path, PathBuf};

/// The files that come of one experiment, beside its journal.
const FILES: [&str; 7] =
    ["experiment.toml", "results.json", "curves.csv", "timing.json", "regret.svg", "regret.png", "report.html"];

/// Opens a directory for an experiment, with the journal of what is finished already; `force` gives up that of another
/// one.
///
/// # Errors
/// A place that cannot be written, that holds another experiment or files that may be anybody's, or where an input of
/// this one would be overwritten.
pub fn open(prepared: &Prepared, path: &Path, force: bool) -> Result<(Folder, Journal), Failure> {
    let fingerprint = prepared.fingerprint().map_err(|error| Failure::from_command(&error))?;
    let Prepared { plan, inputs, .. } = prepared;
    let folder = Folder::open(path)?;
    let inputs = Inputs::new(inputs.iter().map(PathBuf::as_path));
    let toml = toml::to_string(plan.experiment()).map_err(|error| Failure::Internal(error.to_string()))?;
    let kept = |name: &str| name == FILES[0] && fs::read(folder.file(name)).is_ok_and(|there| there == toml.as_bytes());
    let written = FILES.iter().chain([&NAME]).filter(|name| !kept(name));
    written.clone().try_for_each(|name| inputs.refuse("--out", &folder.file(name)))?;
    // Without a journal nothing here is known to be an experiment's.
    let unknown = fs::metadata(folder.file(NAME)).map_or(0, |known| known.len()) == 0;
    if let Some(name) = written.clone().find(|name| **name != NAME && folder.file(name).exists())
        && unknown
        && !force
    {
        let place = folder.file(name);
        let remedy = "choose another --out, or --force to overwrite it";
        return Err(Failure::Usage(format!(
            "{}: is there already, and no journal says whose it is; {remedy}",
            place.display()
        )));
    }
    let journal = Journal::open(&folder, plan, &fingerprint, force)?;
    folder.write("experiment.toml", toml.as_bytes())?;
    Ok((folder, journal))
}

/// What comes of all runs, in their order, and how long they took.
///
/// # Errors
/// Runs that were put away and cannot be read.
pub fn collect(prepared: &Prepared, runs: &Runs) -> Result<(Results, Times), Failure> {
    let results = prepared.plan.collect_from(runs)?;
    let times = times(&results, runs, &prepared.made);
    Ok((results, times))
}

/// Writes everything that comes of one experiment.
///
/// # Errors
/// A file that cannot be written.
pub fn publish(chapter: Chapter<'_>, times: &Times, folder: &Folder) -> Result<(), Failure> {
    let internal = |error: serde_json::Error| Failure::Internal(error.to_string());
    let results = chapter.results;
    folder.write("results.json", &line(serde_json::to_vec(results).map_err(internal)?))?;
    folder.write("curves.csv", curves(results).csv().as_bytes())?;
    folder.write("timing.json", &line(serde_json::to_vec(times).map_err(internal)?))?;
    let figure = figure(results, usize::MAX);
    folder.write("regret.svg", figure.standalone().as_bytes())?;
    folder.write("regret.png", &figure.png().map_err(|error| Failure::Internal(error.to_string()))?)?;
    folder.write("report.html", page(&results.experiment.name, &[chapter], &[]).as_bytes())
}

fn line(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}
