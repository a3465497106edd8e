//! Votes that somebody holds as columns already, such as a data frame: the same detection, words and refusals as for
//! files.
//!
//! [`Layout::find`] tells what the columns are; [`VoteReader::batches`] then takes them batch by batch, so that memory
//! does not grow with the votes.
//!
//! ```
//! use borduel_votes::columns::{Column, Layout, Sample};
//! use borduel_votes::{Columns, ReadOptions, VoteReader};
//!
//! let names = ["left", "right", "winner"].map(str::to_owned);
//! let layout = Layout::find("votes", &names, &Sample::default(), &Columns::default())?;
//! let mut reader = VoteReader::new(ReadOptions::default());
//! let mut batches = reader.batches("votes", &names, layout);
//! let items = ["tea", "coffee"].map(str::to_owned);
//! let answers = ["left", "tie"].map(str::to_owned);
//! batches.add(&[
//!     Column::Codes { codes: &[0, 1, 0], names: &items },
//!     Column::Codes { codes: &[1, 0, 1], names: &items },
//!     Column::Codes { codes: &[0, 0, 1], names: &answers },
//! ])?;
//! batches.finish(&Sample::default());
//! assert_eq!(reader.finish().0.used(), 3.0);
//! # Ok::<(), borduel_votes::Error>(())
//! ```

mod alike;

pub use crate::layout::Layout;
pub use crate::sample::Sample;

use crate::error::{Error, Result};
use crate::layout::Shape;
use crate::read::{VoteReader, row_error};
use crate::row::RowReader;
use crate::shown;
use crate::table::Table;
use std::fmt::Write;

/// A column of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// Values out of a list of names, by their index; a negative one is a missing value.
    Codes {
        /// Which name, for every row.
        codes: &'a [i32],
        /// The names that the codes stand for.
        names: &'a [String],
    },
    /// Numbers; NaN is a missing value.
    Numbers(&'a [f64]),
}

impl Column<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Codes { codes, .. } => codes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }
}

/// Takes the batches of one table, whose rows are counted from 1 through all of them.
pub struct Batches<'r, 'a> {
    reader: &'r mut VoteReader<'a>,
    rows: RowReader,
    columns: Vec<String>,
    read: u64,
}

impl<'a> VoteReader<'a> {
    /// Takes votes as columns with these names; `name` is the table's for messages.
    pub fn batches<'r>(&'r mut self, name: &str, columns: &[String], layout: Layout) -> Batches<'r, 'a> {
        let rows = RowReader::new(name, columns, layout, &self.options().words);
        Batches { reader: self, rows, columns: columns.to_vec(), read: 0 }
    }
}

impl Batches<'_, '_> {
    /// Adds a batch: one column for each of the table's, all of one length. Columns that the layout does not use may be
    /// empty.
    ///
    /// # Errors
    /// See [`Error`]; the row of a [`Error::Row`] is counted from 1 through all batches.
    pub fn add(&mut self, batch: &[Column<'_>]) -> Result<()> {
        let used = self.rows.layout.used();
        let length = used.first().and_then(|&first| batch.get(first)).map_or(0, Column::len);
        if let Some(&column) = used.iter().find(|&&column| batch.get(column).is_none_or(|c| c.len() != length)) {
            let what = format!("the column \"{}\" of a batch has not the length of the others", self.columns[column]);
            return Err(Error::file(&self.rows.file, what));
        }
        let alike = if self.may_group() { alike::groups(batch, &used, length) } else { None };
        let file = self.rows.file.clone();
        let mut table = BatchTable {
            file: &file,
            columns: &self.columns,
            batch,
            wanted: Vec::new(),
            length,
            alike,
            at: 0,
            row: 0,
            times: 1,
            before: self.read,
        };
        self.read += length as u64;
        self.reader.read_rows(&mut table, &mut self.rows)
    }

    /// Whether rows that are alike may be read once and counted: where nothing but items and an answer matters, and no
    /// row is set aside, each with its own number.
    fn may_group(&self) -> bool {
        let RowReader { layout, weight_at, count_at, .. } = &self.rows;
        let options = self.reader.options();
        !options.table.lenient
            && options.extra.is_empty()
            && !matches!(layout.shape, Shape::Counts { .. })
            && layout.voter.or(layout.ask).or(*weight_at).or(*count_at).is_none()
    }

    /// Notes down what was detected, and how the first rows were read.
    pub fn finish(self, sample: &Sample) {
        let RowReader { file, layout, .. } = &self.rows;
        let shown = shown::pairs(&self.columns, sample, layout, &self.reader.options().words);
        self.reader.note(file, &layout.describe(&self.columns), &shown);
    }
}

/// A batch, read row by row.
struct BatchTable<'b> {
    file: &'b str,
    columns: &'b [String],
    batch: &'b [Column<'b>],
    wanted: Vec<usize>,
    length: usize,
    /// The first of every kind of rows that are alike, and how many they are; without it every row is read.
    alike: Option<Vec<(usize, u64)>>,
    /// How many rows, or kinds of rows, of this batch have been read.
    at: usize,
    /// The current row, and how many it stands for.
    row: usize,
    times: u64,
    /// How many rows there were in the batches before.
    before: u64,
}

impl BatchTable<'_> {
    /// Writes the wanted fields of a row.
    fn write(&self, row: usize, fields: &mut [String]) -> Result<()> {
        for (field, &column) in fields.iter_mut().zip(&self.wanted) {
            field.clear();
            match self.batch[column] {
                Column::Codes { codes, names } => {
                    let Ok(code) = usize::try_from(codes[row]) else { continue };
                    let name = names.get(code).ok_or_else(|| {
                        let what = format!("the code {code} of the column \"{}\" has no name", self.columns[column]);
                        row_error(self.file, self.line(), what)
                    })?;
                    field.push_str(name.trim());
                }
                Column::Numbers(numbers) if numbers[row].is_nan() => {}
                // Writing to a string does not fail.
                Column::Numbers(numbers) => drop(write!(field, "{}", numbers[row])),
            }
        }
        Ok(())
    }
}

impl Table for BatchTable<'_> {
    fn columns(&self) -> &[String] {
        self.columns
    }

    fn kind(&self) -> String {
        "columns".to_owned()
    }

    fn numbered(&self) -> bool {
        false
    }

    fn select(&mut self, wanted: &[usize]) {
        self.wanted = wanted.to_vec();
    }

    fn next(&mut self, fields: &mut [String]) -> Result<bool> {
        let next = match &self.alike {
            Some(groups) => groups.get(self.at).copied(),
            None => (self.at < self.length).then_some((self.at, 1)),
        };
        let Some((row, times)) = next else { return Ok(false) };
        (self.at, self.row, self.times) = (self.at + 1, row, times);
        self.write(row, fields).map(|()| true)
    }

    fn line(&self) -> u64 {
        self.before + self.row as u64 + 1
    }

    fn raw(&self) -> String {
        let mut fields = vec![String::new(); self.wanted.len()];
        // A row whose codes have no names has no text either.
        let _ = self.write(self.row, &mut fields);
        fields.join(",")
    }

    fn times(&self) -> u64 {
        self.times
    }
}
