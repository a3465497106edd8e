//! Plays an experiment into its directory: with a bar on standard error, and Ctrl-C.

use super::common::{Common, threads};
use super::progress::{bar, heed_interrupts};
use crate::output::results::PlayedResults;
use borduel::Experiment;
use borduel_lab::experiment::perform::{collect, open, publish};
use borduel_lab::experiment::play::{play, rounds_left};
use borduel_lab::experiment::played::Played;
use borduel_lab::experiment::prepare::{Prepared, prepare};
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_report::experiment::simulated;
use std::path::Path;

/// Makes a plan of an experiment, on as many threads as will play it.
pub(crate) fn prepared(experiment: &Experiment, common: &Common) -> Result<Prepared, borduel::Error> {
    // A second call finds the pool made, with the same number.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads(common)).build_global();
    prepare(experiment)
}

/// Plays an experiment into a directory, going on from what is there, and writes all files but bundles' own.
pub(crate) fn perform(prepared: Prepared, path: &Path, common: &Common, command: &str) -> Result<Played, Failure> {
    let (folder, mut journal) = open(&prepared, path, common.force)?;
    let plan = &prepared.plan;
    if !common.quiet {
        journal.notes().iter().for_each(|note| write_line(note));
        if !journal.runs().is_empty() {
            write_line(&format!("{} of {} runs are already in {}", journal.runs().len(), plan.jobs(), path.display()));
        }
    }
    let bar = bar(&plan.experiment().name, rounds_left(plan, &journal), common.quiet);
    let stop = heed_interrupts();
    let played = play(plan, &mut journal, threads(common), stop, &|rounds| bar.set_position(rounds));
    bar.finish_and_clear();
    played.map_err(|failure| match failure {
        Failure::Interrupted(message) => {
            let place = path.display();
            Failure::Interrupted(format!("{message}; they are kept in {place}, the same command goes on"))
        }
        other => other,
    })?;
    let (results, times) = collect(&prepared, journal.runs())?;
    let played = Played { plan: prepared.plan, results, times, command: command.to_owned() };
    publish(played.chapter(), &played.times, &folder)?;
    Ok(played)
}

/// Says where everything is, and what was made up.
pub(crate) fn says(common: &Common, shown: &PlayedResults, path: &Path) {
    if common.quiet {
        return;
    }
    if shown.played.iter().any(|played| simulated(&played.results)) {
        write_line("note: the crowd is simulated; give real votes with --votes FILE");
    }
    write_line(&format!("report, results and pictures are in {}", path.display()));
}
