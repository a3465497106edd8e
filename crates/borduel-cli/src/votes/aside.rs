//! The file of rows that were not understood: it comes into being with its first row, and stays only if all went well.

use crate::failure::Failure;
use crate::whole::{draft, finish};
use borduel_votes::RowError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Rows that are set aside.
pub(super) struct Aside {
    place: PathBuf,
    rows: Option<csv::Writer<Sink>>,
    failure: Option<io::Error>,
}

enum Sink {
    /// A file on its way to its place.
    Draft(NamedTempFile),
    /// What is no file is written to as it is.
    Device(File),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Draft(file) => file.write(bytes),
            Self::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Draft(file) => file.flush(),
            Self::Device(file) => file.flush(),
        }
    }
}

impl Aside {
    pub(super) fn new(place: PathBuf) -> Self {
        Self { place, rows: None, failure: None }
    }

    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Writes a row down. What goes wrong is remembered, so that it is not blamed on the votes.
    pub(super) fn add(&mut self, error: &RowError, row: &str) -> io::Result<()> {
        self.write(error, row).map_err(|failure| {
            let kind = failure.kind();
            self.failure.get_or_insert(failure);
            kind.into()
        })
    }

    fn write(&mut self, error: &RowError, row: &str) -> io::Result<()> {
        let rows = if let Some(rows) = &mut self.rows {
            rows
        } else {
            let device = fs::metadata(&self.place).is_ok_and(|known| !known.is_file() && !known.is_dir());
            let sink = if device {
                Sink::Device(File::options().write(true).open(&self.place)?)
            } else {
                Sink::Draft(draft(&self.place)?)
            };
            let mut rows = csv::Writer::from_writer(sink);
            rows.write_record(["file", "line", "column", "value", "reason", "row"])?;
            self.rows.insert(rows)
        };
        let column = error.column.as_ref().map_or("", |(_, name)| name.as_str());
        let value = error.value.as_deref().unwrap_or_default();
        rows.write_record([&error.file, &error.line.to_string(), column, value, &error.what, row])?;
        Ok(())
    }

    /// What went wrong with the file, if anything did.
    pub(super) fn failure(&mut self) -> Option<Failure> {
        self.failure.take().map(|error| unwritable(&self.place, &error))
    }

    /// Moves the file to its place, if there were any rows.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let Self { place, rows: Some(rows), .. } = self else { return Ok(()) };
        let sink = rows.into_inner().map_err(|error| unwritable(&place, error.error()))?;
        if let Sink::Draft(file) = sink {
            finish(file, &place).map_err(|error| unwritable(&place, &error))?;
        }
        Ok(())
    }
}

/// A file named on the command line that cannot be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let message = format!("{}: cannot be written ({error}); ", path.display());
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => Failure::Internal(message + "make room or name another file"),
        _ => Failure::Usage(message + "name another file"),
    }
}
