//! Everything that can go wrong, as one line and an exit code.

use crate::stderr::write_line;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;

/// Why the program ends early.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// Something failed that is nobody's input: exit code 1.
    Internal(String),
    /// The command line asks for something that cannot be: exit code 2.
    Usage(String),
    /// A file holds something that cannot be used: exit code 3.
    Data(String),
    /// The user stopped it: exit code 130, as shells have it.
    Interrupted(String),
    /// A winner was required and there is none: exit code 4.
    NoWinner(String),
}

impl Failure {
    /// A file that cannot be read.
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        Self::Data(match error.kind() {
            io::ErrorKind::NotFound => format!(
                "{}: there is no such file; paths are taken from the directory that borduel is started in",
                path.display()
            ),
            io::ErrorKind::InvalidData => format!("{}: it is not a text file in UTF-8", path.display()),
            _ => format!("{}: it cannot be read ({error})", path.display()),
        })
    }

    /// A file or directory that cannot be written.
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
        let message = |remedy: &str| format!("{}: cannot be written ({error}); {remedy}", path.display());
        match error.kind() {
            PermissionDenied | ReadOnlyFilesystem | NotADirectory | NotFound => {
                Self::Usage(message("choose another directory with --out"))
            }
            _ => Self::Internal(message("make room or choose another directory with --out; finished runs are kept")),
        }
    }

    /// Standard output that cannot be written.
    pub fn output(error: &io::Error) -> Self {
        Self::Internal(format!("standard output cannot be written ({error})"))
    }

    /// An error of the library about what the command line asked for, or about the data it named.
    pub fn from_command(error: &borduel::Error) -> Self {
        match error {
            borduel::Error::Setting { .. } | borduel::Error::Unknown { .. } => Self::Usage(error.to_string()),
            _ => Self::Data(error.to_string()),
        }
    }

    /// The exit code and the line.
    fn parts(&self) -> (u8, &str) {
        match self {
            Self::Internal(message) => (1, message),
            Self::Usage(message) => (2, message),
            Self::Data(message) => (3, message),
            Self::NoWinner(message) => (4, message),
            Self::Interrupted(message) => (130, message),
        }
    }

    /// Says what happened, in one line; returns the exit code.
    pub fn report(&self) -> u8 {
        let (code, message) = self.parts();
        write_line(&format!("borduel: {message}"));
        code
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.parts().1)
    }
}

impl std::error::Error for Failure {}

#[cfg(feature = "studies")]
impl From<borduel_study::Error> for Failure {
    fn from(error: borduel_study::Error) -> Self {
        use borduel_study::Error;
        match &error {
            Error::Address(_) | Error::NoDatabase(_) | Error::Taken(_) | Error::NoStudy(_) => {
                Self::Usage(error.to_string())
            }
            Error::Database { .. } | Error::Snapshot(_) => Self::Internal(error.to_string()),
            _ => Self::Data(error.to_string()),
        }
    }
}
