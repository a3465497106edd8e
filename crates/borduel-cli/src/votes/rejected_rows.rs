//! The file of rows that were not understood: it comes into being with its first row, and stays only if all went well.

use borduel_lab::atomic_write::{Output, is_full};
use borduel_lab::failure::Failure;
use borduel_votes::RowError;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Rows that are set aside.
pub(super) struct RejectedRows {
    place: PathBuf,
    output: Option<Output>,
    failure: Option<io::Error>,
}

impl RejectedRows {
    pub(super) fn new(place: PathBuf) -> Self {
        Self { place, output: None, failure: None }
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
        let output = if let Some(output) = &mut self.output {
            output
        } else {
            let mut output = Output::open(&self.place)?;
            output.write_all(b"file,line,column,value,reason,row\n")?;
            self.output.insert(output)
        };
        let column = error.column.as_ref().map_or("", |(_, name)| name.as_str());
        let value = error.value.as_deref().unwrap_or_default();
        let line = error.line.to_string();
        let fields = [error.file.as_str(), line.as_str(), column, value, error.what.as_str(), row];
        // All at once: whenever its room is full, the writer looks for the next quotation mark all the way to the end
        // again.
        let room = fields.iter().map(|field| 2 * field.len() + 3).sum();
        let mut writer = csv::WriterBuilder::new().buffer_capacity(room).from_writer(output);
        writer.write_record(fields)?;
        writer.flush()
    }

    /// What went wrong with the file, if anything did.
    pub(super) fn failure(&mut self) -> Option<Failure> {
        self.failure.take().map(|error| unwritable(&self.place, &error))
    }

    /// Moves the file to its place, if there were any rows.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let Self { place, output: Some(output), .. } = self else { return Ok(()) };
        output.finish().map_err(|error| unwritable(&place, &error))
    }
}

/// A file named on the command line that cannot be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let missing = error.kind() == io::ErrorKind::NotFound;
    let why = if missing { "there is no such folder".to_owned() } else { error.to_string() };
    let message = format!("{}: cannot be written ({why}); ", path.display());
    if is_full(error) {
        Failure::Internal(message + "make room or name another file")
    } else {
        Failure::Usage(message + "name another file")
    }
}
