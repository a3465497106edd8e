//! Comma-, tab- and otherwise separated values.

use crate::error::{Error, Result, RowError};
use crate::source::Source;
use crate::table::{Table, TableOptions, check_header, trim};
use csv::{ByteRecord, Reader, ReaderBuilder, Terminator};
use std::io::BufRead;

/// A table of separated values.
pub(crate) struct Delimited {
    file: String,
    packing: &'static str,
    delimiter: u8,
    reader: Reader<Box<dyn BufRead>>,
    columns: Vec<String>,
    wanted: Vec<usize>,
    record: ByteRecord,
    /// A first row that is data, to be handed over again.
    pending: bool,
    /// Whether lines end in CR LF, once the first line has been seen.
    carriage_return: Option<bool>,
    /// A line without the CR of the lines before it.
    odd_line: Option<u64>,
    lenient: bool,
}

impl Delimited {
    /// Reads the header. Only LF ends a record for the parser: a CR in front of it is taken off here, which is how mixed line
    /// ends are noticed.
    pub(crate) fn open(mut source: Source, options: &TableOptions) -> Result<Self> {
        let delimiter = match options.delimiter {
            Some(c) if c.is_ascii() => c as u8,
            Some(c) => {
                return Err(Error::file(&source.name, format!("the delimiter \"{c}\" is not an ASCII character")));
            }
            None => guess_delimiter(source.head()?),
        };
        let reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .from_reader(source.reader);
        let mut table = Self {
            file: source.name,
            packing: source.packing,
            delimiter,
            reader,
            columns: Vec::new(),
            wanted: Vec::new(),
            record: ByteRecord::new(),
            pending: options.no_header,
            carriage_return: None,
            odd_line: None,
            lenient: options.lenient,
        };
        if !table.read_record()? {
            return Err(Error::file(&table.file, "is empty"));
        }
        let header = table.text()?;
        if header.contains('\r') {
            return Err(Error::file(&table.file, "has lines that end in a bare CR: convert it (tr '\\r' '\\n')"));
        }
        table.columns = if options.no_header {
            (1..=table.record.len()).map(|number| number.to_string()).collect()
        } else {
            table.record.iter().map(|field| String::from_utf8_lossy(field).trim().to_owned()).collect()
        };
        check_header(&table.file, &table.columns)?;
        Ok(table)
    }

    /// Reads the next record that is not a blank line, and takes a CR off its end.
    fn read_record(&mut self) -> Result<bool> {
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => {
                    let line = self.reader.position().line();
                    return Err(match error.into_kind() {
                        csv::ErrorKind::Io(error) => Error::io(&self.file, line, error),
                        other => Error::file(&self.file, format!("after line {line}: {other:?}")),
                    });
                }
            }
            let carriage_return =
                self.record.as_slice().ends_with(b"\r") && !self.record[self.record.len() - 1].is_empty();
            if carriage_return {
                let last = self.record.len() - 1;
                let kept = self.record[last][..self.record[last].len() - 1].to_vec();
                self.record.truncate(last);
                self.record.push_field(&kept);
            }
            if self.record.len() == 1 && self.record[0].is_empty() {
                continue;
            }
            let usual = *self.carriage_return.get_or_insert(carriage_return);
            // The very last line may lack its end, so a lacking CR counts only once another line follows.
            let odd = self.odd_line.take().or_else(|| (carriage_return && !usual).then(|| self.line()));
            if usual && !carriage_return {
                self.odd_line = Some(self.line());
            }
            if let Some(line) = odd.filter(|_| !self.lenient) {
                let (here, before) = if usual { ("LF", "CR LF") } else { ("CR LF", "LF") };
                let what = format!(
                    "line {line} ends in {here}, the lines before it in {before}: mixed line ends can hide broken rows; \
                     convert the file (dos2unix), or read it with --lenient"
                );
                return Err(Error::file(&self.file, what));
            }
            return Ok(true);
        }
    }

    /// The record's text, checked.
    fn text(&self) -> Result<&str> {
        let bytes = self.record.as_slice();
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let byte = bytes[error.valid_up_to()];
            self.error(format!("the byte 0x{byte:02X} is not valid UTF-8: convert the file (iconv -f LATIN1 -t UTF-8)"))
        })?;
        if text.contains('\0') {
            return Err(self.error("a NUL byte: the file is damaged, or not text at all".to_owned()));
        }
        Ok(text)
    }

    fn error(&self, what: String) -> Error {
        Error::Row(Box::new(RowError { file: self.file.clone(), line: self.line(), column: None, value: None, what }))
    }
}

impl Table for Delimited {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn kind(&self) -> String {
        let name = match self.delimiter {
            b',' => "CSV".to_owned(),
            b'\t' => "TSV".to_owned(),
            other => format!("fields separated by \"{}\"", char::from(other)),
        };
        format!("{}{name}", self.packing)
    }

    fn numbered(&self) -> bool {
        true
    }

    fn select(&mut self, wanted: &[usize]) {
        self.wanted = wanted.to_vec();
    }

    fn next(&mut self, fields: &mut [String]) -> Result<bool> {
        if std::mem::take(&mut self.pending) {
            // The record read by `open` is still there.
        } else if !self.read_record()? {
            return Ok(false);
        }
        let text = self.text()?;
        if self.record.len() != self.columns.len() {
            let what = format!(
                "{} fields where the header has {}: is a quotation mark or a delimiter missing or too many?",
                self.record.len(),
                self.columns.len()
            );
            return Err(self.error(what));
        }
        for (field, &column) in fields.iter_mut().zip(&self.wanted) {
            field.clear();
            // The whole record is valid UTF-8, but a field boundary inside a character would show here.
            let value = self.record.range(column).and_then(|range| text.get(range));
            field.push_str(trim(value.unwrap_or("\u{fffd}")));
        }
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    fn raw(&self) -> String {
        let mut writer = csv::WriterBuilder::new().delimiter(self.delimiter).from_writer(Vec::new());
        // Writing to memory does not fail.
        let written = writer.write_byte_record(&self.record).ok().and_then(|()| writer.into_inner().ok());
        String::from_utf8_lossy(&written.unwrap_or_default()).trim_end().to_owned()
    }
}

/// The delimiter that occurs most often in the first line; the comma when none does.
fn guess_delimiter(head: &[u8]) -> u8 {
    let line = head.split(|&b| b == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let count = |delimiter: u8| line.split(|&b| b == delimiter).count();
    // The last of equals is taken, so the comma comes last.
    [b'|', b';', b'\t', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
}
