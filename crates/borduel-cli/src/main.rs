//! The binary `borduel`: reads the command line, does what it says, and answers with an exit code.

mod arguments;
mod beyond;
mod chart;
mod design;
mod execute;
mod experiment_file;
mod failure;
mod files;
mod folder;
mod format;
mod journal;
mod labels;
mod numbers;
mod play;
mod rank;
mod report;
mod reproduce;
mod run;
mod scaling;
mod shell;
mod spans;
mod study;
mod vote_files;
mod votes;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let done = match Arguments::try_parse() {
        Ok(arguments) => dispatch(arguments),
        Err(error) => shell::answer(&error),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    match arguments.command {
        Command::Reproduce(arguments) => reproduce::main(&arguments),
        Command::Run(arguments) => run::main(&arguments),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man => shell::man(),
        Command::Rank(arguments) => rank::main(&arguments),
        Command::Design(arguments) => design::main(&arguments),
    }
}
