//! The command line: what can be asked for, and what is refused at once.

use clap::{Parser, Subcommand, ValueEnum};

/// Which of these is best, when all one can ask is "this one or that one?"
#[derive(Debug, Parser)]
#[command(name = "borduel", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 bad data, 4 no clear winner (rank --require-winner)."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Rank items from a file of votes: scores with intervals, a verdict, and checks
    Rank(crate::rank::Rank),
    /// Choose which pairs to ask next, and say what precision that will buy
    Design(crate::design::Design),
}

/// How the results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// One JSON object
    Json,
    /// One row for every result
    Csv,
    /// Markdown
    Md,
}
