//! What can be wrong with a file, with the place where it was seen and the remedy.

use std::fmt;
use std::path::Path;

/// What is wrong with a row: the field, and why.
pub(crate) type Fault = (Option<usize>, String);

/// The result of reading something.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system, or the decompressor, refused.
    #[error("{file}: {what}")]
    Io {
        /// The file, or `standard input`.
        file: String,
        /// What failed, and the remedy where there is one.
        what: String,
        /// What the operating system answered.
        source: std::io::Error,
    },
    /// The file as a whole is not what it should be.
    #[error("{file}: {what}")]
    File {
        /// The file, or `standard input`.
        file: String,
        /// What is wrong, and the remedy.
        what: String,
    },
    /// One row was not understood.
    #[error(transparent)]
    Row(Box<RowError>),
}

impl Error {
    pub(crate) fn file(file: &str, what: impl Into<String>) -> Self {
        Self::File { file: file.to_owned(), what: what.into() }
    }

    /// An input or output error, in words a person can act on.
    pub(crate) fn io(file: &str, line: u64, source: std::io::Error) -> Self {
        let place = if line > 0 { format!(" after line {line}") } else { String::new() };
        let what = match source.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                format!("the compressed data end too early{place}: the file is truncated, fetch it again")
            }
            std::io::ErrorKind::NotFound => not_there(file),
            std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => {
                format!("the compressed data are damaged{place} ({source}): fetch the file again")
            }
            _ => format!("cannot be read{place}: {source}"),
        };
        Self::Io { file: file.to_owned(), what, source }
    }
}

/// So many files are named that somebody may have meant.
const NAMED: usize = 5;

/// What to do about a file that is not there: what may be meant is listed.
fn not_there(file: &str) -> String {
    if file.starts_with("http://") || file.starts_with("https://") {
        return format!("is an address, not a file; fetch it first: `curl -O {file}`");
    }
    let folder = Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return "no such file: there is no such folder".to_owned();
    };
    let tables = ["csv", "tsv", "txt", "json", "jsonl", "pgn", "parquet", "gz", "zst", "soc", "soi", "toc", "toi"];
    let table = |path: &Path| path.extension().is_some_and(|ending| tables.iter().any(|known| ending == *known));
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| table(path));
    let mut names: Vec<String> =
        paths.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    let more = if names.len() > NAMED { " …" } else { "" };
    names.truncate(NAMED);
    let there = if names.is_empty() { String::new() } else { format!("; there are {}{more}", names.join(", ")) };
    format!("no such file{there}")
}

/// A row that was not understood: file, line, column, value, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// The file, or `standard input`.
    pub file: String,
    /// The line, counted from 1 (in a Parquet file or a JSON array: the row).
    pub line: u64,
    /// The column's number, counted from 1 (0 where columns have no order), and its name.
    pub column: Option<(usize, String)>,
    /// The value that is refused, where there is one.
    pub value: Option<String>,
    /// Why it is not understood, and the remedy.
    pub what: String,
}

impl std::error::Error for RowError {}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)?;
        match &self.column {
            Some((0, name)) => write!(f, ", column \"{name}\"")?,
            Some((number, name)) => write!(f, ", column {number} (\"{name}\")")?,
            None => {}
        }
        match &self.value {
            Some(value) => write!(f, ": \"{}\" {}", shortened(value), self.what),
            None => write!(f, ": {}", self.what),
        }
    }
}

/// A value short enough for a message.
pub(crate) fn shortened(value: &str) -> String {
    const LONGEST: usize = 60;
    let clean: String = value.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if value.chars().count() > LONGEST { format!("{clean}…") } else { clean }
}
