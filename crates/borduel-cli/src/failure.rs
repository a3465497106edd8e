//! Everything that can go wrong, as one line and an exit code.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Why the program ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something failed that is nobody's input: exit code 1.
    Internal(String),
    /// The command line asks for something that cannot be: exit code 2.
    Usage(String),
    /// A file holds something that cannot be used: exit code 3.
    Data(String),
    /// A winner was required and there is none: exit code 4.
    NoWinner(String),
    /// Whoever read our output has gone; nothing to say, and no fault.
    Closed,
}

impl Failure {
    /// A file or directory that cannot be written.
    pub(crate) fn writing(path: &Path, error: &io::Error) -> Self {
        Self::Usage(format!("{}: cannot be written ({error})", path.display()))
    }

    /// Standard output that cannot be written.
    pub(crate) fn output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::Internal(format!("standard output cannot be written ({error})"))
        }
    }

    /// An error of the library about what the command line asked for, or about the data it named.
    pub(crate) fn from_command(error: &borduel::Error) -> Self {
        match error {
            borduel::Error::Setting { .. } | borduel::Error::Unknown { .. } => Self::Usage(error.to_string()),
            _ => Self::Data(error.to_string()),
        }
    }

    /// Says what happened, in one line.
    pub(crate) fn report(&self) -> ExitCode {
        let (code, message): (u8, &dyn Display) = match self {
            Self::Internal(message) => (1, message),
            Self::Usage(message) => (2, message),
            Self::Data(message) => (3, message),
            Self::NoWinner(message) => (4, message),
            Self::Closed => return ExitCode::SUCCESS,
        };
        eprintln!("borduel: {message}");
        ExitCode::from(code)
    }
}
