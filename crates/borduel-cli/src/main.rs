//! The binary `borduel`: all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(borduel_cli::main(std::env::args_os()))
}
