//! The one error of this crate: what failed, where, and what to do.

/// What is said of a text that PostgreSQL cannot hold.
pub(crate) fn no_text(what: &str) -> String {
    format!("{what} has the character U+0000, which is none of any text: leave it out")
}

/// The result of anything that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a study could not be read or written. A command that is refused is not an error but a
/// [`Refusal`](crate::refusal::Refusal).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A stored entry has a format that this version does not know.
    #[error(
        "the entry at event {first} has format {format}, written by a newer borduel: this one reads formats up to \
         {known}; update it"
    )]
    Format {
        /// The number of the entry's first event.
        first: u64,
        /// The format that the log names.
        format: u32,
        /// The newest format known here.
        known: u32,
    },
    /// A stored entry cannot be read.
    #[error("the entry at event {first} cannot be used: {why}; restore the database from a backup")]
    Entry {
        /// The number of the entry's first event.
        first: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The log and its head contradict each other.
    #[error(
        "the log of the study does not end as its head says ({0}): it was changed by hand; restore the database from a \
         backup"
    )]
    Chain(String),
    /// A snapshot cannot be read; the log can still be replayed.
    #[error("a snapshot cannot be read: {0}")]
    Snapshot(String),
    /// There is no such study.
    #[error("there is no study {0:?}: `borduel study list` shows those there are")]
    NoStudy(String),
    /// The name is taken.
    #[error("there is a study {0:?} already: choose another name")]
    Taken(String),
    /// There is no such database.
    #[error(
        "{0}: there is no such database; `borduel serve` and `borduel study create` make one, others need --database"
    )]
    NoDatabase(String),
    /// The address of a database cannot be understood.
    #[error(
        "{0:?} is not an address of a database: write sqlite:FILE, such as sqlite:borduel.db, or \
         postgres://USER@HOST/NAME"
    )]
    Address(String),
    /// The database does not do what it should.
    #[error("the database cannot {what}: {source}")]
    Database {
        /// What was wanted of it.
        what: &'static str,
        /// What the database answered.
        source: sqlx::Error,
    },
    /// Something about a request is wrong.
    #[error("{0}")]
    Invalid(String),
    /// A file cannot be read or written.
    #[error("{what}: {source}")]
    File {
        /// Which file, and what was wanted of it.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of votes cannot be used.
    #[error(transparent)]
    Votes(#[from] borduel_votes::Error),
    /// A computation of the statistics failed.
    #[error(transparent)]
    Library(#[from] borduel_rank::Error),
    /// A command was refused.
    #[error(transparent)]
    Refused(#[from] crate::Refusal),
}

/// Says what was wanted of the database when it fails.
pub(crate) trait Wanted<T> {
    /// The error with what was wanted.
    fn wanted(self, what: &'static str) -> Result<T>;
}

impl<T> Wanted<T> for std::result::Result<T, sqlx::Error> {
    fn wanted(self, what: &'static str) -> Result<T> {
        self.map_err(|source| Error::Database { what, source })
    }
}
