//! Comma-, tab- and otherwise separated values.

use crate::encoding::{NOT_TEXT, NOT_UTF8};
use crate::error::{Error, Result, RowError};
use crate::limit::{RowLimit, too_long};
use crate::source::Source;
use crate::table::{Table, TableOptions, check_header, trim};
use csv::{ByteRecord, Reader, ReaderBuilder, Terminator};
use std::io::{BufRead, BufReader, Read};

/// The name of the column of row names that R's `write.table` puts in front of the rows and not of the header.
const ROW_NAMES: &str = "row names";

/// A table of separated values.
pub(crate) struct Delimited {
    file: String,
    packing: &'static str,
    delimiter: u8,
    reader: Reader<RowLimit<Box<dyn BufRead>>>,
    columns: Vec<String>,
    wanted: Vec<usize>,
    record: ByteRecord,
    /// A first row that is data, to be handed over again.
    pending: bool,
    /// Whether runs of blanks separate fields.
    apart: bool,
    /// Whether every row ends with a delimiter too many.
    trailing: bool,
    /// The line of the current record, if its last field has line ends in it.
    lines_within: Option<u64>,
}

impl Delimited {
    /// Reads the header. Only one byte ends a record for the parser, LF, or CR in files that know no other: a CR in
    /// front of an LF is white space at the end of the last field.
    pub(crate) fn open(mut source: Source, options: &TableOptions) -> Result<Self> {
        let head = source.head()?;
        if let [0, 1..=255, 0, 1..=255, ..] | [1..=255, 0, 1..=255, 0, ..] = head {
            return Err(Error::file(
                &source.name,
                "is written in UTF-16: convert it (iconv -f UTF-16LE or UTF-16BE -t UTF-8)",
            ));
        }
        if head.first() == Some(&0) {
            return Err(Error::file(&source.name, "begins with a NUL byte: the file is damaged, or not text at all"));
        }
        if head.trim_ascii_start().first() == Some(&b'<') {
            return Err(Error::file(&source.name, "begins with \"<\": it is a web page or XML, and no table"));
        }
        let end = if head.contains(&b'\n') || !head.contains(&b'\r') { b'\n' } else { b'\r' };
        let told = told_delimiter(head);
        // The line that tells the delimiter is not the header.
        let head = if told.is_some() { head.splitn(2, |&b| b == end).nth(1).unwrap_or_default() } else { head };
        let delimiter = match options.delimiter.or(told.map(char::from)) {
            Some(c) if c.is_ascii() => c as u8,
            Some(c) => {
                return Err(Error::file(&source.name, format!("the delimiter \"{c}\" is not an ASCII character")));
            }
            None => guess_delimiter(head, end),
        };
        // Tabs and blanks in any mixture separate fields as blanks do.
        let mixed = delimiter == b' ' && options.delimiter.is_none() && head.contains(&b'\t');
        let apart = options.delimiter.is_none() && told.is_none() && delimiter == RUNS;
        let delimiter = if apart { b'\t' } else { delimiter };
        let (head, reader): (_, Box<dyn BufRead>) = if apart {
            (runs_as_tabs(head), Box::new(BufReader::new(RunsAsTabs::new(source.reader))))
        } else if mixed {
            (without_tabs(head), Box::new(BufReader::new(TabsAsBlanks(source.reader))))
        } else {
            (head.to_vec(), source.reader)
        };
        let shape = Shape::of(&head, delimiter, end);
        let mut table = Self {
            file: source.name,
            packing: source.packing,
            delimiter,
            apart,
            reader: parser(RowLimit::new(reader), delimiter, end),
            columns: Vec::new(),
            wanted: Vec::new(),
            record: ByteRecord::new(),
            pending: options.no_header,
            trailing: shape.is_trailing(),
            lines_within: None,
        };
        if !(table.read_record()? && (told.is_none() || table.read_record()?)) {
            return Err(Error::file(&table.file, "the file is empty: it has no votes and no header"));
        }
        table.text()?;
        table.columns = if options.no_header {
            (1..=table.record.len()).map(|number| number.to_string()).collect()
        } else {
            let names = table.record.iter().map(|field| String::from_utf8_lossy(field).trim().to_owned());
            shape.row_names().then(|| ROW_NAMES.to_owned()).into_iter().chain(names).collect()
        };
        check_header(&table.file, &table.columns)?;
        Ok(table)
    }

    /// Reads the next record that is not a blank line.
    fn read_record(&mut self) -> Result<bool> {
        loop {
            let line = self.reader.position().line();
            self.reader.get_mut().new_row();
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {}
                Ok(false) => return self.check_quotes().map(|()| false),
                Err(error) => {
                    return Err(match error.into_kind() {
                        csv::ErrorKind::Io(error) if RowLimit::<&[u8]>::is_too_long(&error) => {
                            too_long(&self.file, line)
                        }
                        csv::ErrorKind::Io(error) => Error::io(&self.file, line, error),
                        other => Error::file(&self.file, format!("after line {line}: {other:?}")),
                    });
                }
            }
            let last = self.record.iter().next_back().unwrap_or_default();
            self.lines_within = last.contains(&b'\n').then(|| self.line());
            if self.delimiter == b' ' {
                squeeze(&mut self.record);
            }
            // Spreadsheets write an empty row as a line of delimiters, and Markdown draws a line below the header.
            let drawn = |byte: &u8| self.delimiter == b'|' && matches!(byte, b'-' | b':');
            let blank = |field: &[u8]| field.iter().all(|byte| byte.is_ascii_whitespace() || drawn(byte));
            if self.record.iter().any(|field| !blank(field)) {
                return Ok(true);
            }
        }
    }

    /// Refuses a last record that was ended by the end of the file although a quotation mark was open: a field with a
    /// line end in it began with one, and where anything but another is the last byte of the file, it did not end with
    /// one.
    fn check_quotes(&self) -> Result<()> {
        match self.lines_within {
            Some(line) if self.reader.get_ref().last() != Some(b'"') => {
                let what = format!(
                    "a quotation mark opened in line {line} is never closed, so that it swallows all rows after it"
                );
                Err(Error::file(&self.file, what))
            }
            _ => Ok(()),
        }
    }

    /// The record's text, checked.
    fn text(&self) -> Result<&str> {
        let bytes = self.record.as_slice();
        let text = std::str::from_utf8(bytes);
        // Letters of other encodings are no control characters.
        let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
        let nul = bytes.contains(&0);
        if self.line() == 1 && (nul || (text.is_err() && bytes.iter().any(control))) {
            return Err(self.error(NOT_TEXT.to_owned()));
        }
        if nul {
            return Err(self.error("a NUL byte: the file is damaged, or not text at all".to_owned()));
        }
        text.map_err(|error| {
            let byte = bytes[error.valid_up_to()];
            self.error(format!("the byte 0x{byte:02X} {NOT_UTF8}"))
        })
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
            _ if self.apart => "fields separated by several spaces".to_owned(),
            b',' => "CSV".to_owned(),
            b'\t' => "TSV".to_owned(),
            b' ' => "fields separated by spaces".to_owned(),
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
        let behind = self.record.get(self.columns.len()).filter(|_| self.trailing);
        let fields_of_row = self.record.len() - usize::from(behind.is_some_and(|field| field.trim_ascii().is_empty()));
        if fields_of_row != self.columns.len() {
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
        // All at once: whenever its room is full, the writer looks for the next quotation mark all the way to the end
        // again.
        let room = 2 * self.record.as_slice().len() + 3 * self.record.len() + 16;
        let mut builder = csv::WriterBuilder::new();
        let mut writer = builder.buffer_capacity(room).delimiter(self.delimiter).from_writer(Vec::new());
        // Writing to memory does not fail.
        let written = writer.write_byte_record(&self.record).ok().and_then(|()| writer.into_inner().ok());
        String::from_utf8_lossy(&written.unwrap_or_default()).trim_end().to_owned()
    }
}

/// Takes out what is empty: several spaces in a row separate two fields as one does.
fn squeeze(record: &mut ByteRecord) {
    if record.iter().any(|field| field.trim_ascii().is_empty()) {
        let mut kept: ByteRecord = record.iter().filter(|field| !field.trim_ascii().is_empty()).collect();
        kept.set_position(record.position().cloned());
        *record = kept;
    }
}

fn parser<R: Read>(reader: R, delimiter: u8, end: u8) -> Reader<R> {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(delimiter).has_headers(false).flexible(true).terminator(Terminator::Any(end)).from_reader(reader)
}

/// How many fields the first rows have.
struct Shape {
    header: usize,
    rows: Vec<usize>,
    /// Whether the last field of every row is empty.
    empty_end: bool,
}

impl Shape {
    /// Looks at the first rows; the last one that is seen may be cut and does not count, unless there is no other.
    fn of(head: &[u8], delimiter: u8, end: u8) -> Self {
        const ROWS: usize = 20;
        let cut = head.iter().rposition(|&b| b == end).map_or(head.len(), |at| at + 1);
        let mut records = parser(&head[..cut], delimiter, end).into_byte_records();
        let fields = |mut record: ByteRecord| {
            if delimiter == b' ' {
                squeeze(&mut record);
            }
            (record.len(), record.iter().next_back().is_some_and(|field| field.trim_ascii().is_empty()))
        };
        let mut rows = records.by_ref().flatten().map(fields).filter(|&(fields, _)| fields > 0).take(ROWS);
        let header = rows.next().map_or(0, |(fields, _)| fields);
        let (rows, empty): (Vec<usize>, Vec<bool>) = rows.unzip();
        Self { header, rows, empty_end: empty.into_iter().all(|empty| empty) }
    }

    /// Whether all rows have one field more than the header.
    fn is_longer(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|&fields| fields == self.header + 1)
    }

    /// Whether that is a name of the row in front.
    fn row_names(&self) -> bool {
        self.is_longer() && !self.empty_end
    }

    /// Whether it is nothing, behind a delimiter too many.
    fn is_trailing(&self) -> bool {
        self.is_longer() && self.empty_end
    }

    /// Whether this is a table of at least two columns.
    fn is_table(&self) -> bool {
        self.is_longer() || (self.header > 1 && self.rows.iter().all(|&fields| fields == self.header))
    }
}

/// The delimiter that the first line tells, as spreadsheets write it: `sep=;`.
pub(crate) fn told_delimiter(head: &[u8]) -> Option<u8> {
    match head {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter, b'\r' | b'\n', ..] if delimiter.is_ascii() => {
            Some(*delimiter)
        }
        _ => None,
    }
}

/// Bytes with blanks in the place of tabs.
struct TabsAsBlanks<R>(R);

impl<R: Read> Read for TabsAsBlanks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        buffer[..read].iter_mut().filter(|byte| **byte == b'\t').for_each(|byte| *byte = b' ');
        Ok(read)
    }
}

fn without_tabs(head: &[u8]) -> Vec<u8> {
    head.iter().map(|&byte| if byte == b'\t' { b' ' } else { byte }).collect()
}

/// What [`guess_delimiter`] says where runs of blanks stand between fields; no file is separated by it.
const RUNS: u8 = 0;

/// Bytes with a tab in the place of every run of blanks and tabs, but for single blanks: those belong to names.
struct RunsAsTabs<R> {
    inner: R,
    /// What stands for the blanks that were met last, if anything comes after them in their line.
    held: Option<u8>,
    /// Whether nothing but blanks has come in this line.
    begins: bool,
}

impl<R> RunsAsTabs<R> {
    fn new(inner: R) -> Self {
        Self { inner, held: None, begins: true }
    }

    /// What these bytes become. Blanks at both ends of a line are dropped.
    fn turn(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for &byte in bytes {
            match byte {
                b' ' if self.held.is_none() => self.held = Some(b' '),
                b' ' | b'\t' => self.held = Some(b'\t'),
                _ => {
                    let ends = matches!(byte, b'\n' | b'\r');
                    out.extend(self.held.take().filter(|_| !ends && !self.begins));
                    self.begins = ends;
                    out.push(byte);
                }
            }
        }
    }
}

impl<R: Read> Read for RunsAsTabs<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // No more comes out than went in, but for a blank that was held.
        let most = buffer.len().saturating_sub(1);
        let mut out = Vec::with_capacity(buffer.len());
        while out.is_empty() {
            let read = self.inner.read(&mut buffer[..most])?;
            if read == 0 {
                return Ok(0);
            }
            self.turn(&buffer[..read], &mut out);
        }
        buffer[..out.len()].copy_from_slice(&out);
        Ok(out.len())
    }
}

fn runs_as_tabs(head: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len());
    RunsAsTabs::new(head).turn(head, &mut out);
    out
}

/// Whether tabs and runs of blanks stand between fields in turn: some field that tabs make holds several blanks in a
/// row.
pub(crate) fn mixes_blanks(head: &[u8]) -> bool {
    let field = |field: &[u8]| field.trim_ascii().windows(2).any(|two| two == b"  ");
    head.contains(&b'\t') && head.split(|&b| b == b'\t' || b == b'\n').any(field)
}

/// The delimiter that occurs most often in the first line; where none does, runs of blanks if they make a table and
/// single blanks stand within its fields, the space if it makes one (also together with tabs), else the comma.
fn guess_delimiter(head: &[u8], end: u8) -> u8 {
    let line = head.split(|&b| b == end).find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let count = |delimiter: u8| Shape::of(line, delimiter, end).header;
    // The last of equals is taken, so the comma comes last.
    let best = [b'|', b';', b'\t', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',');
    let blanks = Shape::of(&without_tabs(head), b' ', end);
    let better = if best == b'\t' && count(best) > 1 {
        mixes_blanks(head) && blanks.header > count(best)
    } else {
        count(best) < 2
    };
    let runs = Shape::of(&runs_as_tabs(head), b'\t', end);
    let within = runs.header != blanks.header || runs.rows != blanks.rows;
    match better {
        // What ranks items has no fields.
        true if line.split(u8::is_ascii_whitespace).any(|field| field == b">") => best,
        true if within && !runs.rows.is_empty() && !runs.is_longer() && runs.is_table() => RUNS,
        true if blanks.is_table() => b' ',
        _ => best,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// The time that this thread has had on a processor, in nanoseconds, where the system tells; other work on the
    /// machine is not in it.
    fn on_processor() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    }

    /// What it takes to show a row that a quotation mark has made of so many others, the least of three.
    fn time_to_show(rows: usize) -> Option<u64> {
        let text = format!("left,right,winner\n\"a,b,left\n{}", "a,b,left\n".repeat(rows));
        let source = Source::new("votes.csv".to_owned(), Box::new(Cursor::new(text.into_bytes()))).unwrap();
        let mut table = Delimited::open(source, &TableOptions::default()).unwrap();
        assert!(table.next(&mut []).is_err());
        let one = || {
            let start = on_processor()?;
            assert!(table.raw().len() > 9 * rows);
            Some(on_processor()? - start)
        };
        (0..3).filter_map(|_| one()).min()
    }

    #[test]
    fn a_row_without_an_end_is_shown_in_time_proportional_to_its_length() {
        let rows = 4_000_000;
        let text = "ann,bea,1\n".repeat(rows);
        let copy = || {
            let start = on_processor()?;
            assert!(text.clone().len() > rows);
            Some(on_processor()? - start)
        };
        let (Some(copied), Some(shown)) = ((0..3).filter_map(|_| copy()).min(), time_to_show(rows)) else { return };
        // A pass or two over it takes some times as long as to copy it; to search it again from every place a thousand
        // times.
        assert!(shown < 200 * copied.max(1_000_000), "{copied} ns to copy, {shown} ns to show");
    }
}
