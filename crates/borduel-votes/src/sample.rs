//! The first rows of a table, all columns of them, to tell what they are.

use crate::error::{Error, Result};
use crate::open::open;
use crate::source::Source;
use crate::table::{Table, TableOptions};
use std::collections::HashMap;

/// How many rows are looked at.
const ROWS: usize = 500;

/// The first rows of a table.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts about the rows")]
pub struct Sample {
    pub(crate) rows: Vec<Vec<String>>,
    /// The line on which each of them begins; none where rows come from no file.
    lines: Vec<u64>,
    /// Whether there are no further rows.
    whole: bool,
    /// Whether columns have an order, so that the header was a row.
    pub(crate) ordered: bool,
    /// Whether there were rows that were not understood.
    left_out: bool,
    /// Whether this is a trial of some advice, on which no further advice is given.
    pub(crate) trial: bool,
}

impl Sample {
    /// Rows that somebody has at hand; each has a value, empty where there is none, for every column.
    pub fn new(rows: Vec<Vec<String>>) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Whether these are all rows of the table.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether there are rows, and none of them was understood.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.rows.is_empty() && self.left_out
    }

    /// Whether there is a single row.
    pub(crate) fn is_single(&self) -> bool {
        self.whole && self.rows.len() == 1 && !self.left_out
    }

    /// The first rows of a source, which stay to be read. A row that is not understood is left out: it will be met
    /// again.
    pub(crate) fn of(source: &mut Source, options: &TableOptions) -> Result<Self> {
        let (part, cut) = source.beginning()?;
        let Ok(mut table) = open(part, options) else { return Ok(Self::default()) };
        let wanted: Vec<usize> = (0..table.columns().len()).collect();
        table.select(&wanted);
        let mut sample = Self { ordered: table.numbered(), ..Self::default() };
        while sample.rows.len() < ROWS {
            let mut fields = vec![String::new(); wanted.len()];
            match table.next(&mut fields) {
                // A list in one column says nothing against the others.
                Err(Error::Row(_)) if fields.iter().all(String::is_empty) => sample.left_out = true,
                Ok(true) | Err(Error::Row(_)) => {
                    sample.rows.push(fields);
                    sample.lines.push(table.line());
                }
                Ok(false) => {
                    // The last row may be cut in the middle.
                    sample.rows.truncate(sample.rows.len().saturating_sub(usize::from(cut)));
                    sample.whole = !cut;
                    break;
                }
                Err(_) => break,
            }
        }
        Ok(sample)
    }

    /// The rows of a table without a header, whose first was taken for one.
    pub(crate) fn with_first(&self, first: &[String]) -> Self {
        let mut sample = self.clone();
        sample.rows.insert(0, first.to_vec());
        sample.lines.insert(0, 1);
        sample
    }

    /// The rows below so many of them.
    pub(crate) fn below(&self, rows: usize) -> Self {
        let [rows, lines] = [self.rows.len(), self.lines.len()].map(|length| rows.min(length));
        Self { rows: self.rows[rows..].to_vec(), lines: self.lines[lines..].to_vec(), ..self.clone() }
    }

    /// The rows that are wanted; all of them where none is.
    pub(crate) fn of_wanted(&self, wanted: impl Fn(&[String]) -> bool) -> Self {
        let keep: Vec<bool> = self.rows.iter().map(|row| wanted(row)).collect();
        if keep.iter().all(|kept| *kept == keep[0]) {
            return self.clone();
        }
        let kept = |at: &usize| keep[*at];
        let rows = (0..self.rows.len()).filter(kept).map(|at| self.rows[at].clone()).collect();
        let lines = (0..self.lines.len()).filter(kept).map(|at| self.lines[at]).collect();
        Self { rows, lines, ..self.clone() }
    }

    /// The rows of each value of a column, in the order of their first appearance.
    pub(crate) fn by(&self, column: usize) -> Vec<(String, Self)> {
        let mut groups: Vec<(String, Self)> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (row, &line) in self.rows.iter().zip(&self.lines) {
            let own = *known.entry(&row[column]).or_insert_with(|| {
                groups.push((row[column].clone(), Self::default()));
                groups.len() - 1
            });
            groups[own].1.push(row.clone(), line);
        }
        groups
    }

    /// Adds a row, and the line on which it begins.
    pub(crate) fn push(&mut self, row: Vec<String>, line: u64) {
        self.rows.push(row);
        self.lines.push(line);
    }

    /// The same rows for a trial of some advice.
    pub(crate) fn as_trial(&self) -> Self {
        Self { trial: true, ..self.clone() }
    }

    /// Where a row stands, for messages: `line 7`, or `row 5` where there are no lines.
    pub(crate) fn place(&self, row: usize) -> String {
        self.lines.get(row).map_or_else(|| format!("row {row}"), |line| format!("line {line}"))
    }

    /// The values of a column that are not missing.
    pub(crate) fn values(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row[column].as_str()).filter(|value| !is_missing(value))
    }

    /// Whether a column may say how many a row stands for: whole numbers, not all of them 1, that do not number the
    /// rows.
    pub(crate) fn may_count(&self, column: usize) -> bool {
        let numbers: Option<Vec<u32>> = self.values(column).map(|value| value.parse().ok()).collect();
        numbers.is_some_and(|all| all.iter().any(|&number| number > 1)) && !self.numbers_rows(column)
    }

    /// Whether a column numbers the rows, from any number on.
    pub(crate) fn numbers_rows(&self, column: usize) -> bool {
        let numbers: Option<Vec<u32>> = self.values(column).map(|value| value.parse().ok()).collect();
        numbers.is_some_and(|all| all.windows(2).all(|two| two[0].checked_add(1) == Some(two[1])))
    }

    /// The distinct values of a column that are not missing.
    pub(crate) fn distinct(&self, column: usize) -> std::collections::BTreeSet<&str> {
        self.values(column).collect()
    }
}

/// Rows that are at hand, as a table.
pub(crate) struct SampleTable<'s> {
    kind: String,
    columns: &'s [String],
    sample: &'s Sample,
    wanted: Vec<usize>,
    /// How many rows were read.
    read: usize,
}

impl<'s> SampleTable<'s> {
    pub(crate) fn new(kind: String, columns: &'s [String], sample: &'s Sample) -> Self {
        Self { kind, columns, sample, wanted: Vec::new(), read: 0 }
    }
}

impl Table for SampleTable<'_> {
    fn columns(&self) -> &[String] {
        self.columns
    }

    fn kind(&self) -> String {
        self.kind.clone()
    }

    fn numbered(&self) -> bool {
        true
    }

    fn select(&mut self, wanted: &[usize]) {
        self.wanted = wanted.to_vec();
    }

    fn next(&mut self, fields: &mut [String]) -> Result<bool> {
        let Some(row) = self.sample.rows.get(self.read) else { return Ok(false) };
        self.read += 1;
        fields.iter_mut().zip(&self.wanted).for_each(|(field, &column)| field.clone_from(&row[column]));
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.sample.lines.get(self.read.saturating_sub(1)).copied().unwrap_or(self.read as u64)
    }

    fn raw(&self) -> String {
        self.sample.rows.get(self.read.saturating_sub(1)).map_or_else(String::new, |row| row.join(","))
    }
}

/// Whether a value is how people and programs write that there is none.
pub(crate) fn is_missing(value: &str) -> bool {
    // `\N` is how databases write it.
    matches!(value, "" | "NA" | "N/A" | "n/a" | "<NA>" | "#N/A" | "NaN" | "nan" | "NULL" | "null" | "None" | "\\N")
}

/// What a column of yes and no says.
pub(crate) fn flag(value: &str) -> Option<bool> {
    match value {
        "1" | "1.0" | "true" | "True" | "TRUE" | "T" | "t" | "yes" | "Yes" | "YES" | "y" | "Y" | "Chosen"
        | "chosen" | "Selected" | "selected" => Some(true),
        "0" | "0.0" | "false" | "False" | "FALSE" | "F" | "f" | "no" | "No" | "NO" | "n" | "N" | "Not Chosen"
        | "Not chosen" | "not chosen" | "Not Selected" | "Not selected" | "not selected" => Some(false),
        _ => None,
    }
}
