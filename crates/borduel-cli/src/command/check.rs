//! `borduel check`: the audit of somebody else's leaderboard.

use crate::output::{Format, Shows, show};
use crate::votes::files::label;
use crate::votes::model::{items, with_jobs};
use crate::votes::reading::ReadFlags;
use crate::votes::rejected_rows::unwritable;
use borduel::audit::{AuditOptions, FALSE_ALARM, audit};
use borduel::ballots::Ballots;
use borduel::ranking::RankOptions;
use borduel_lab::atomic_write::write_whole;
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_report::Table;
use borduel_report::audit::Audited;
use borduel_report::ranking::{Ranked, Source};
use borduel_votes::{ExtraColumns, ItemIndex};
use clap::Args;
use std::path::{Path, PathBuf};

/// Audit the leaderboard that these votes make
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files of the votes behind the board; `-` for standard input
    #[arg(required = true, value_name = "VOTES")]
    votes: Vec<String>,
    /// The published order, a list of items (a column id, item or name), best first: which places the votes carry
    #[arg(long, value_name = "FILE")]
    published: Option<PathBuf>,
    /// Whether scores changed over time, by this column of dates or numbers
    #[arg(long, value_name = "COLUMN")]
    over: Option<String>,
    /// Where all random numbers come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many threads work; the results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// How results are printed on standard output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Write a page, to look at offline or to send
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// No messages, errors excepted
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    reading: ReadFlags,
}

/// Runs the command.
pub(crate) fn main(arguments: &Check) -> Result<(), Failure> {
    let written = [("--html", arguments.html.as_ref())];
    arguments.reading.check_outputs(&arguments.votes, &[arguments.published.as_ref()], &written)?;
    let extra = ExtraColumns { over: arguments.over.clone(), ..ExtraColumns::default() };
    let read = || arguments.reading.read(&arguments.votes, None, extra, arguments.quiet);
    let votes = with_jobs(arguments.jobs, read)??;
    let mut options = AuditOptions::default().with_seed(arguments.seed);
    if let Some(path) = &arguments.published {
        published(arguments, path, &votes.ballots, &mut options)?;
    }
    options.over = votes.extra.over.into_iter().map(|stretch| stretch.ballots).collect();
    let found = with_jobs(arguments.jobs, || audit(&votes.ballots, &options))?;
    let audit = found.map_err(|error| Failure::from_command(&error))?;
    let files = label(&arguments.votes, None);
    let options = RankOptions::default().with_level(1.0 - FALSE_ALARM).with_seed(arguments.seed);
    let audited = Audited {
        audit: &audit,
        ranked: Ranked {
            ranking: &audit.ranking,
            ballots: &votes.ballots,
            options: &options,
            names: &[],
            source: Source {
                rows: votes.rows.read,
                set_aside: votes.rows.set_aside,
                unanswered: votes.rows.unanswered,
                notes: &votes.notes,
                question: None,
                files: Some(files.as_str()),
                hint: None,
            },
            strength: false,
            verdict: None,
        },
    };
    if let Some(path) = &arguments.html {
        write_whole(path, audited.page().as_bytes()).map_err(|error| unwritable(path, &error))?;
        if !arguments.quiet {
            write_line(&format!("the page is in {}", path.display()));
        }
    }
    show(&audited, arguments.format, arguments.quiet)
}

/// The published order: items with votes by their numbers, others by name.
fn published(arguments: &Check, path: &Path, ballots: &Ballots, options: &mut AuditOptions) -> Result<(), Failure> {
    let list = items(path, &arguments.reading.table(), true)?;
    let index = ItemIndex::of_ids(ballots.items());
    let mut order = Vec::new();
    for id in &list.ids {
        match index.find(id) {
            Ok(item) => order.push(item),
            Err(_) => options.unknown.push(id.clone()),
        }
    }
    if order.is_empty() {
        let message =
            format!("{}: none of its {} items is voted on: are the names the same?", path.display(), list.ids.len());
        return Err(Failure::Data(message));
    }
    options.published = Some(order);
    Ok(())
}

impl Shows for Audited<'_> {
    fn text(&self) -> String {
        Audited::text(self)
    }

    fn markdown(&self) -> String {
        Audited::markdown(self)
    }

    fn csv(&self) -> Table {
        self.csv_table()
    }

    fn json(&self) -> Result<String, Failure> {
        Audited::json(self).map_err(|error| Failure::Internal(error.to_string()))
    }
}
