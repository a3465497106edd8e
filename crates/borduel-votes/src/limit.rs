//! The greatest length of a row, so that no input, however it is packed, takes more memory than that.

use crate::error::{Error, Result};
use std::io::{self, BufRead, Read};

/// The longest row that is read, in bytes: a vote with two long conversations and its pictures fits.
pub(crate) const LONGEST_ROW: usize = 64 << 20;

/// What an error says of a row that is longer.
pub(crate) fn too_long(file: &str, line: u64) -> Error {
    let what = format!(
        "the row that begins in line {line} has no end within {} MiB, the longest that is read: is a quotation mark \
         missing, or is it another kind of file?",
        LONGEST_ROW >> 20
    );
    Error::file(file, what)
}

/// The mark of an input error that is really a row without an end.
#[derive(Debug)]
struct TooLong;

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a row without an end")
    }
}

impl std::error::Error for TooLong {}

/// Bytes of which only [`LONGEST_ROW`] are handed over before [`RowLimit::new_row`] is called.
pub(crate) struct RowLimit<R> {
    inner: R,
    left: usize,
    /// The last byte that was not a line end.
    last: Option<u8>,
}

impl<R: Read> RowLimit<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, left: LONGEST_ROW, last: None }
    }

    /// Another row may have its full length.
    pub(crate) fn new_row(&mut self) {
        self.left = LONGEST_ROW;
    }

    /// The last byte handed over that was not part of a line's end.
    pub(crate) fn last(&self) -> Option<u8> {
        self.last
    }

    /// Whether an error is that of a row without an end.
    pub(crate) fn is_too_long(error: &io::Error) -> bool {
        matches!(error.get_ref(), Some(inner) if inner.is::<TooLong>())
    }
}

impl<R: Read> Read for RowLimit<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(TooLong));
        }
        let room = buffer.len().min(self.left);
        let read = self.inner.read(&mut buffer[..room])?;
        self.left -= read;
        self.last = buffer[..read].iter().rfind(|b| !matches!(b, b'\r' | b'\n')).copied().or(self.last);
        Ok(read)
    }
}

/// Reads a line into `row`, its end included; `false` at the end of the input. `number` is the line's.
pub(crate) fn read_line(file: &str, number: u64, reader: &mut dyn BufRead, row: &mut Vec<u8>) -> Result<bool> {
    row.clear();
    let read =
        reader.take(LONGEST_ROW as u64 + 1).read_until(b'\n', row).map_err(|e| Error::io(file, number - 1, e))?;
    if read > LONGEST_ROW {
        return Err(too_long(file, number));
    }
    Ok(read > 0)
}
