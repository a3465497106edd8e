//! `borduel judge`: what a cheap judge is worth beside people.

use crate::output::{Format, Shows, show};
use crate::votes::model::with_jobs;
use crate::votes::percent::level;
use crate::votes::prices::prices;
use crate::votes::reading::{ReadFlags, only_once};
use crate::votes::rejected_rows::unwritable;
use borduel::judging::{Prices, worth};
use borduel_lab::atomic_write::write_whole;
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_report::Table;
use borduel_report::judging::{Document, Judged, standalone};
use borduel_votes::ExtraColumns;
use clap::Args;
use std::path::PathBuf;

/// Say what a cheap judge is worth beside people
#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "the names of arguments are those of the command")]
pub(crate) struct Judge {
    /// People's votes
    #[arg(value_name = "PEOPLE")]
    people: String,
    /// The judge's votes, on the same items under the same names
    #[arg(value_name = "JUDGE")]
    judge: String,
    /// The judge is one of the items: whether it favours itself
    #[arg(long, value_name = "ITEM")]
    judge_is: Option<String>,
    /// What an answer of a person costs, and one of the judge, such as 1,0.01: whether it pays to ask the judge first
    #[arg(long, value_name = "PERSON,JUDGE", value_parser = prices)]
    prices: Option<Prices>,
    /// The confidence of all intervals, in percent
    #[arg(long, default_value = "95", value_name = "PERCENT", value_parser = level)]
    level: f64,
    /// How many threads work; the results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// How results are printed on standard output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Write a page with a picture, to look at offline or to send
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the picture alone: people's scores against the judge's
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// No messages, errors excepted
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    reading: ReadFlags,
}

/// Runs the command.
pub(crate) fn main(arguments: &Judge) -> Result<(), Failure> {
    let files = [arguments.people.clone(), arguments.judge.clone()];
    only_once(&files)?;
    let written = [("--html", arguments.html.as_ref()), ("--svg", arguments.svg.as_ref())];
    arguments.reading.check_outputs(&files, &[], &written)?;
    let read = |reading: &ReadFlags, file: &String| {
        with_jobs(arguments.jobs, || {
            reading.read(std::slice::from_ref(file), None, ExtraColumns::default(), arguments.quiet)
        })?
    };
    let people = read(&arguments.reading, &files[0])?;
    // A judge's file need not have the column that says which person voted.
    let judge = read(&arguments.reading.of_one_voter(), &files[1])?;
    let found = || worth(&people.ballots, &judge.ballots, arguments.level / 100.0, arguments.judge_is.as_deref());
    let worth = with_jobs(arguments.jobs, found)?.map_err(|error| Failure::from_command(&error))?;
    let paid = arguments.prices.and_then(|prices| prices.paid(&worth, &people.ballots));
    let judged = Judged { worth: &worth, sources: (&files[0], &files[1]), paid };
    let write = |path: &PathBuf, text: &str, what: &str| -> Result<(), Failure> {
        write_whole(path, text.as_bytes()).map_err(|error| unwritable(path, &error))?;
        if !arguments.quiet {
            write_line(&format!("the {what} is in {}", path.display()));
        }
        Ok(())
    };
    if let Some(path) = &arguments.html {
        write(path, &judged.page(), "page")?;
    }
    if let Some(path) = &arguments.svg {
        write(path, &standalone(&judged), "picture")?;
    }
    show(&judged, arguments.format, arguments.quiet)
}

impl Shows for Judged<'_> {
    fn text(&self) -> String {
        Judged::text(self)
    }

    fn markdown(&self) -> String {
        Judged::markdown(self)
    }

    fn csv(&self) -> Table {
        self.csv_table()
    }

    fn json(&self) -> Result<String, Failure> {
        Document::of(self).json().map_err(|error| Failure::Internal(error.to_string()))
    }
}
