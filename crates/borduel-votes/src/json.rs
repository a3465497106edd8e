//! One JSON object a line, one array of objects, objects one after the other, or one object with a list a column or a
//! list of all rows.

mod by_columns;
mod elements;
mod flat;
mod keys;
mod listed;
mod pick;

use crate::encoding::NOT_UTF8;
use crate::error::{Error, Result, RowError};
use crate::limit::read_line;
use crate::source::Source;
use crate::table::{Table, check_header};
use elements::{Elements, Within};
use keys::Keys;
use std::collections::VecDeque;
use std::io::BufRead;

/// How many rows, and how many bytes of them, are looked at for the names of the columns.
const FIRST_ROWS: usize = 100;
const FIRST_BYTES: usize = 1 << 20;

/// What an object is that holds the columns of a table.
pub(crate) const JSON_COLUMNS: &str = "JSON columns";

/// A table of JSON objects. Its columns are the keys of the first objects; what lies in an object or a short list is
/// named by its path, such as `meta.model_a` or `models.0`.
pub(crate) struct Json {
    file: String,
    packing: &'static str,
    reader: Box<dyn BufRead>,
    /// How objects are told apart; `None` when each has a line of its own.
    elements: Option<Elements>,
    columns: Vec<String>,
    wanted: Vec<String>,
    /// Which of the wanted keys an object has given already.
    seen: Vec<bool>,
    /// The bytes of the current row, without what follows it.
    row: Vec<u8>,
    /// The line on which the current row begins, and the line the reader has reached.
    line: u64,
    reached: u64,
    /// The first rows, with their lines, to be handed over again.
    first: VecDeque<(u64, Vec<u8>)>,
    /// What went wrong after them.
    trouble: Option<Error>,
    /// What they were within a single object, where they were: its columns, or a list.
    turned: Option<String>,
}

impl Json {
    /// Reads the first objects, for their keys.
    pub(crate) fn open(mut source: Source) -> Result<Self> {
        let elements = if source.head()?.trim_ascii_start().first() == Some(&b'[') {
            Some(Elements::new(Within::Array))
        } else if elements::is_spread_over_lines(source.head()?) {
            Some(Elements::new(Within::File))
        } else {
            None
        };
        let mut table = Self {
            file: source.name,
            packing: source.packing,
            reader: source.reader,
            elements,
            columns: Vec::new(),
            wanted: Vec::new(),
            seen: Vec::new(),
            row: Vec::new(),
            line: 0,
            reached: 1,
            first: VecDeque::new(),
            trouble: None,
            turned: None,
        };
        let (mut keys, mut bytes) = (Keys::default(), 0);
        while table.first.len() < FIRST_ROWS && bytes < FIRST_BYTES {
            match table.read_row() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if table.first.is_empty() => return Err(error),
                Err(error) => {
                    table.trouble = Some(error);
                    break;
                }
            }
            let added =
                table.text().and_then(|text| keys.add(text).map_err(|e| table.error(None, None, &not_an_object(&e))));
            // What is wrong with a later row is said when its turn comes.
            if table.first.is_empty() {
                added?;
            }
            bytes += table.row.len();
            table.first.push_back((table.line, std::mem::take(&mut table.row)));
        }
        if table.first.is_empty() {
            return Err(Error::file(&table.file, "holds no objects"));
        }
        if table.first.len() == 1 && table.trouble.is_none() {
            keys = table.turn(keys)?;
        }
        table.columns = keys.names();
        check_header(&table.file, &table.columns)?;
        Ok(table)
    }

    /// Where the only object holds columns, or all rows in a list, the rows take its place.
    fn turn(&mut self, keys: Keys) -> Result<Keys> {
        let Some((line, row)) = self.first.front() else { return Ok(keys) };
        let text = std::str::from_utf8(row).unwrap_or_default();
        let columns = || by_columns::rows(text).map(|rows| (JSON_COLUMNS.to_owned(), rows));
        let list = || listed::rows(text).map(|(path, rows)| (format!("the JSON list \"{path}\""), rows));
        let Some((kind, rows)) = columns().or_else(list) else { return Ok(keys) };
        let (mut keys, line) = (Keys::default(), *line);
        for row in rows.iter().take(FIRST_ROWS) {
            // It was written here from what was read, so it is an object in UTF-8.
            std::str::from_utf8(row)
                .map_or(Ok(()), |text| keys.add(text))
                .map_err(|e| self.error(None, None, &not_an_object(&e)))?;
        }
        self.first = rows.into_iter().map(|row| (line, row)).collect();
        self.turned = Some(kind);
        Ok(keys)
    }

    /// Reads the bytes of the next object.
    fn read_row(&mut self) -> Result<bool> {
        if let Some(elements) = &mut self.elements {
            let (found, line) = elements.next(&self.file, &mut *self.reader, &mut self.row)?;
            self.line = line;
            return Ok(found);
        }
        loop {
            self.line = self.reached;
            self.reached += 1;
            if !read_line(&self.file, self.line, &mut *self.reader, &mut self.row)? {
                return Ok(false);
            }
            if !self.row.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The text of the current row.
    fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.row).map_err(|error| self.encoding(&error))
    }

    fn encoding(&self, error: &std::str::Utf8Error) -> Error {
        let what = format!("the byte 0x{:02X} {NOT_UTF8}", self.row[error.valid_up_to()]);
        self.error(None, None, &what)
    }

    fn error(&self, column: Option<&str>, value: Option<String>, what: &str) -> Error {
        let column = column.map(|name| (0, name.to_owned()));
        Error::Row(Box::new(RowError {
            file: self.file.clone(),
            line: self.line,
            column,
            value,
            what: what.to_owned(),
        }))
    }
}

impl Table for Json {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn kind(&self) -> String {
        let kind = match &self.elements {
            _ if self.turned.is_some() => self.turned.as_deref().unwrap_or_default(),
            None => "JSON lines",
            Some(elements) if elements.within() == Within::Array => "JSON array",
            Some(_) => "JSON objects",
        };
        format!("{}{kind}", self.packing)
    }

    fn numbered(&self) -> bool {
        false
    }

    fn select(&mut self, wanted: &[usize]) {
        self.wanted = wanted.iter().map(|&column| self.columns[column].clone()).collect();
        self.seen = vec![false; wanted.len()];
    }

    fn next(&mut self, fields: &mut [String]) -> Result<bool> {
        if let Some((line, row)) = self.first.pop_front() {
            (self.line, self.row) = (line, row);
        } else if let Some(error) = self.trouble.take() {
            return Err(error);
        } else if !self.read_row()? {
            return Ok(false);
        }
        let Ok(text) = std::str::from_utf8(&self.row) else { return self.text().map(|_| true) };
        fields.iter_mut().for_each(String::clear);
        if flat::pick(text, &self.wanted, fields, &mut self.seen) {
            return Ok(true);
        }
        let fault = pick::pick(text, &self.wanted, fields, &mut self.seen);
        if let Some((index, what)) = fault.map_err(|e| self.error(None, None, &not_an_object(&e)))? {
            return Err(self.error(Some(&self.wanted[index]), None, what));
        }
        if let Some(index) = fields.iter().position(|field| field.contains('\0')) {
            return Err(self.error(Some(&self.wanted[index]), None, "a NUL byte: the file is damaged"));
        }
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn raw(&self) -> String {
        String::from_utf8_lossy(&self.row).trim_end().to_owned()
    }
}

fn not_an_object(error: &serde_json::Error) -> String {
    if error.to_string().starts_with("invalid type: sequence") {
        return "not a JSON object but a list: give each of its values a name, as in {\"left\": \"ash\", \"right\": \
                \"birch\", \"winner\": \"ash\"}, or \
                write the rows as CSV"
            .to_owned();
    }
    format!("not a JSON object ({error}): one object a line, or one array of objects, is expected")
}
