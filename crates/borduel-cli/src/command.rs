//! The command line: what can be asked for, and who answers. One file a subcommand.

#[cfg(not(feature = "studies"))]
mod absent;
mod common;
mod design;
mod find;
#[cfg(feature = "studies")]
mod health;
mod perform;
mod progress;
mod rank;
mod reproduce;
mod run;
#[cfg(feature = "studies")]
mod serve;
mod shell;
#[cfg(feature = "studies")]
mod study;

use crate::failure::Failure;
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use std::ffi::OsString;

/// Which of these is best, when all one can ask is "this one or that one?"
#[derive(Debug, Parser)]
#[command(name = "borduel", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 bad data, 4 no clear winner \
    (rank --require-winner, find --budget), 130 interrupted.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Reproduce the experiments of the paper, with its settings unless told otherwise
    Reproduce(reproduce::Reproduce),
    /// Run an experiment file of your own
    Run(run::Run),
    /// Rank items from a file of votes: scores with intervals, a verdict, and checks
    Rank(rank::Rank),
    /// Find the best item with the fewest votes: asks you or a program of yours, and says when one may stop
    Find(find::Find),
    /// Choose which pairs to ask next, and say what precision that will buy
    Design(design::Design),
    /// Serve live studies: people or programs vote, the pairs are chosen, the verdict says when to stop
    #[cfg(feature = "studies")]
    Serve(serve::Serve),
    /// Serve live studies (not in this build: says how to have them)
    #[cfg(not(feature = "studies"))]
    Serve(absent::Studies),
    /// Ask a running server whether it is ready: exit code 0, or 1
    #[cfg(feature = "studies")]
    Health(health::Health),
    /// Make, open, invite to, import into, export, verify and back up live studies
    #[cfg(feature = "studies")]
    Study(study::Study),
    /// Make, open, verify … live studies (not in this build: says how to have them)
    #[cfg(not(feature = "studies"))]
    Study(absent::Studies),
    /// Print a completion script for your shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page (roff)
    Man,
}

/// Reads these arguments, the program's name first, and does what they say.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    match Arguments::try_parse_from(arguments) {
        Ok(Arguments { command }) => command.run(),
        Err(error) => shell::answer(&error),
    }
}

impl Command {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Reproduce(arguments) => reproduce::main(&arguments),
            Self::Run(arguments) => run::main(&arguments),
            Self::Rank(arguments) => rank::main(&arguments),
            Self::Find(arguments) => find::main(&arguments),
            Self::Design(arguments) => design::main(&arguments),
            #[cfg(feature = "studies")]
            Self::Serve(arguments) => serve::main(&arguments),
            #[cfg(feature = "studies")]
            Self::Health(arguments) => health::main(&arguments),
            #[cfg(feature = "studies")]
            Self::Study(arguments) => study::main(&arguments),
            #[cfg(not(feature = "studies"))]
            Self::Serve(_) | Self::Study(_) => Err(absent::failure()),
            Self::Completions { shell } => shell::completions(&mut Arguments::command(), shell),
            Self::Man => shell::man(Arguments::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
