//! The command `borduel` as a library: the binary calls it, and whatever else brings the same command.

// A message that cannot be written must not end the program: everything goes through `stderr` and `output::print`.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod command;
pub mod find;
pub mod output;
pub mod votes;

use std::ffi::OsString;

/// Does what these arguments say, the program's name being the first of them, and returns the exit code: 0 done, 1
/// internal error, 2 wrong usage, 3 bad data, 4 no clear winner where one was required, 130 interrupted.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    match command::run(arguments) {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}
