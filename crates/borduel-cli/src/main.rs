//! The binary `borduel`: reads the command line, does what it says, and answers with an exit code.

mod arguments;
mod design;
mod failure;
mod rank;
mod vote_files;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    match dispatch(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    match arguments.command {
        Command::Rank(arguments) => rank::main(&arguments),
        Command::Design(arguments) => design::main(&arguments),
    }
}
