//! The first rows of a table, all columns of them, to tell what they are.

use crate::error::{Error, Result};
use crate::open::open;
use crate::source::Source;
use crate::table::TableOptions;

/// How many rows are looked at.
const ROWS: usize = 500;

/// The first rows of a table.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub(crate) rows: Vec<Vec<String>>,
    /// Whether there are no further rows.
    whole: bool,
}

impl Sample {
    /// Rows that somebody has at hand; each has a value, empty where there is none, for every column.
    pub fn new(rows: Vec<Vec<String>>) -> Self {
        Self { rows, whole: false }
    }

    /// Whether these are all rows of the table.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether there is a single row.
    pub(crate) fn is_single(&self) -> bool {
        self.whole && self.rows.len() == 1
    }

    /// The first rows of a source, which stay to be read. A row that is not understood is left out: it will be met again.
    pub(crate) fn of(source: &mut Source, options: &TableOptions) -> Result<Self> {
        let (part, cut) = source.beginning()?;
        let Ok(mut table) = open(part, options) else { return Ok(Self::default()) };
        let wanted: Vec<usize> = (0..table.columns().len()).collect();
        table.select(&wanted);
        let (mut rows, mut whole) = (Vec::new(), false);
        while rows.len() < ROWS {
            let mut fields = vec![String::new(); wanted.len()];
            match table.next(&mut fields) {
                Ok(true) => rows.push(fields),
                // A list in one column says nothing against the others.
                Err(Error::Row(_)) if fields.iter().any(|field| !field.is_empty()) => rows.push(fields),
                Err(Error::Row(_)) => {}
                Ok(false) => {
                    // The last row may be cut in the middle.
                    rows.truncate(rows.len().saturating_sub(usize::from(cut)));
                    whole = !cut;
                    break;
                }
                Err(_) => break,
            }
        }
        Ok(Self { rows, whole })
    }

    /// The values of a column that are not missing.
    pub(crate) fn values(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row[column].as_str()).filter(|value| !is_missing(value))
    }

    /// The distinct values of a column that are not missing.
    pub(crate) fn distinct(&self, column: usize) -> std::collections::BTreeSet<&str> {
        self.values(column).collect()
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
        "1" | "1.0" | "true" | "True" | "TRUE" | "T" | "t" | "yes" | "Yes" | "YES" | "y" | "Y" => Some(true),
        "0" | "0.0" | "false" | "False" | "FALSE" | "F" | "f" | "no" | "No" | "NO" | "n" | "N" => Some(false),
        _ => None,
    }
}
