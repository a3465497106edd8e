//! Plays an experiment into its directory, and puts everything there that comes of it.

use super::common::{Common, threads};
use super::progress::{bar, heed_interrupts};
use crate::experiment::folder::Folder;
use crate::experiment::journal::{Journal, NAME};
use crate::experiment::play::{play, rounds_left};
use crate::experiment::played::{Played, times};
use crate::experiment::prepare::{Prepared, prepare};
use crate::failure::Failure;
use crate::output::results::{Shown, curves};
use crate::say::say;
use crate::whole::Inputs;
use borduel::Experiment;
use borduel_report::experiment::{figure, page, simulated};
use std::fs;
use std::path::{Path, PathBuf};

/// Makes a plan of an experiment, on as many threads as will play it.
pub(crate) fn prepared(experiment: &Experiment, common: &Common) -> Result<Prepared, borduel::Error> {
    // A second call finds the pool made, with the same number.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads(common)).build_global();
    prepare(experiment)
}

/// The files that come of one experiment, beside its journal.
const FILES: [&str; 7] =
    ["experiment.toml", "results.json", "curves.csv", "timing.json", "regret.svg", "regret.png", "report.html"];

/// Plays an experiment into a directory, going on from what is there, and writes all files but bundles' own.
pub(crate) fn perform(prepared: Prepared, path: &Path, common: &Common, command: &str) -> Result<Played, Failure> {
    let fingerprint = prepared.fingerprint().map_err(|error| Failure::from_command(&error))?;
    let Prepared { plan, inputs, made, .. } = prepared;
    let folder = Folder::open(path)?;
    let inputs = Inputs::new(inputs.iter().map(PathBuf::as_path));
    let toml = toml::to_string(plan.experiment()).map_err(|error| Failure::Internal(error.to_string()))?;
    let kept = |name: &str| name == FILES[0] && fs::read(folder.file(name)).is_ok_and(|there| there == toml.as_bytes());
    let written = FILES.iter().chain([&NAME]).filter(|name| !kept(name));
    written.into_iter().try_for_each(|name| inputs.refuse("--out", &folder.file(name)))?;
    let mut journal = Journal::open(&folder, &fingerprint, common.force)?;
    if !common.quiet {
        journal.notes().iter().for_each(|note| say(note));
        if !journal.runs().is_empty() {
            say(&format!("{} of {} runs are already in {}", journal.runs().len(), plan.jobs(), path.display()));
        }
    }
    folder.write("experiment.toml", toml.as_bytes())?;
    let bar = bar(&plan.experiment().name, rounds_left(&plan, &journal), common.quiet);
    let stop = heed_interrupts();
    let played = play(&plan, &mut journal, threads(common), stop, &|rounds| bar.set_position(rounds));
    bar.finish_and_clear();
    let entries = played.map_err(|failure| match failure {
        Failure::Interrupted(message) => {
            let place = path.display();
            Failure::Interrupted(format!("{message}; they are kept in {place}, the same command goes on"))
        }
        other => other,
    })?;
    let outcomes: Vec<_> = entries.iter().map(|entry| entry.finished.clone()).collect();
    let results = plan.collect(&outcomes);
    let times = times(&plan, &results, &entries, &made);
    let played = Played { plan, results, times, command: command.to_owned() };
    write(&played, &folder)?;
    Ok(played)
}

/// Writes everything that comes of one experiment.
fn write(played: &Played, folder: &Folder) -> Result<(), Failure> {
    let internal = |error: serde_json::Error| Failure::Internal(error.to_string());
    folder.write("results.json", &line(serde_json::to_vec(&played.results).map_err(internal)?))?;
    folder.write("curves.csv", curves(&played.results).csv().as_bytes())?;
    folder.write("timing.json", &line(serde_json::to_vec(&played.times).map_err(internal)?))?;
    let figure = figure(&played.results, usize::MAX);
    folder.write("regret.svg", figure.standalone().as_bytes())?;
    folder.write("regret.png", &figure.png().map_err(|error| Failure::Internal(error.to_string()))?)?;
    folder.write("report.html", page(&played.results.experiment.name, &[played.chapter()], &[]).as_bytes())
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
    if shown.played.iter().any(|played| simulated(&played.results)) {
        say("note: the crowd is simulated; give real votes with --votes FILE");
    }
    say(&format!("report, results and pictures are in {}", path.display()));
}
