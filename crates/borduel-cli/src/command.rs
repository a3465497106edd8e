//! The command line: what can be asked for, and who answers. One file a subcommand.

#[cfg(not(feature = "studies"))]
mod absent;
mod check;
mod common;
mod design;
mod find;
#[cfg(feature = "studies")]
mod health;
mod help;
mod judge;
mod perform;
mod progress;
mod rank;
mod reference;
mod reproduce;
mod run;
#[cfg(feature = "studies")]
mod serve;
mod shell;
#[cfg(feature = "studies")]
mod study;

use borduel_lab::failure::Failure;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
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
    /// Say what a cheap judge, such as a language model, is worth beside people
    Judge(judge::Judge),
    /// Audit somebody else's leaderboard from its votes: what may be wrong with it, probe by probe
    Check(check::Check),
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
    /// Print every command and flag as a page of the documentation (Markdown)
    #[command(hide = true)]
    Reference,
}

/// Reads these arguments, the program's name first, and does what they say.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    let mut command = command();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parsed = command
        .try_get_matches_from_mut(&arguments)
        .and_then(|matches| Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command)));
    match parsed {
        Ok(Arguments { command }) => command.run(),
        Err(error) => shell::answer(&error, &shell::command_in(&command, &arguments)),
    }
}

/// The command line, with its help arranged.
fn command() -> clap::Command {
    help::arranged(Arguments::command())
}

impl Command {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Reproduce(arguments) => reproduce::main(&arguments),
            Self::Run(arguments) => run::main(&arguments),
            Self::Rank(arguments) => rank::main(&arguments),
            Self::Find(arguments) => find::main(&arguments),
            Self::Judge(arguments) => judge::main(&arguments),
            Self::Check(arguments) => check::main(&arguments),
            Self::Design(arguments) => design::main(&arguments),
            #[cfg(feature = "studies")]
            Self::Serve(arguments) => serve::main(&arguments),
            #[cfg(feature = "studies")]
            Self::Health(arguments) => health::main(&arguments),
            #[cfg(feature = "studies")]
            Self::Study(arguments) => study::main(&arguments),
            #[cfg(not(feature = "studies"))]
            Self::Serve(_) | Self::Study(_) => Err(absent::failure()),
            Self::Completions { shell } => shell::completions(&mut command(), shell),
            Self::Man => shell::man(command()),
            Self::Reference => reference::main(command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn the_short_help_has_ten_flags_at_most_and_every_command_two_examples() {
        let mut command = command();
        command.build();
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
            let shown = |arg: &&clap::Arg| arg.get_long().is_some() && !arg.is_hide_short_help_set();
            let flags: Vec<_> = sub.get_arguments().filter(shown).filter_map(clap::Arg::get_long).collect();
            let own = flags.iter().filter(|flag| !matches!(**flag, "help" | "version")).count();
            assert!(own <= 10, "{} -h has {own} flags: {flags:?}", sub.get_name());
            assert!(help::examples_of(sub.get_name()).len() >= 2, "{} has no two examples", sub.get_name());
        }
    }

    #[cfg(feature = "studies")]
    #[test]
    fn every_command_of_studies_has_two_examples() {
        let command = command();
        let study = command.find_subcommand("study").unwrap();
        for sub in study.get_subcommands() {
            let name = format!("study {}", sub.get_name());
            assert!(help::examples_of(&name).len() >= 2, "{name} has no two examples");
            assert!(sub.get_after_help().is_some(), "{name} -h shows no example");
        }
    }

    /// A flag that is named where help is arranged, and that no command has, would be forgotten there.
    #[test]
    fn help_is_arranged_of_flags_that_there_are() {
        let mut command = command();
        command.build();
        for (sub, flags) in help::first_flags() {
            let Some(sub) = command.find_subcommand(sub) else { continue };
            for flag in flags {
                assert!(sub.get_arguments().any(|arg| arg.get_long() == Some(flag)), "{} --{flag}", sub.get_name());
            }
        }
    }
}
