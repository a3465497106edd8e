//! The files that an experiment names: read once, and remembered by what is in them.

use crate::failure::Failure;
use crate::wins;
use borduel::environment::crowd::Wins;
use borduel::experiment::Sources;
use borduel::{Error, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads files by their path, and notes a fingerprint of each: other votes make another experiment.
#[derive(Debug, Default)]
pub struct Files {
    /// What is at hand already, by path.
    held: BTreeMap<String, Vec<u8>>,
    prints: RefCell<BTreeMap<String, u64>>,
}

impl Files {
    /// Files whose contents somebody has brought along need not be there.
    pub fn holding(held: BTreeMap<String, Vec<u8>>) -> Self {
        Self { held, ..Self::default() }
    }

    /// The fingerprints of all files read so far, by path.
    pub fn prints(&self) -> BTreeMap<String, u64> {
        self.prints.borrow().clone()
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let read =
            || std::fs::read(name).map_err(|error| Error::Data(Failure::reading(Path::new(name), &error).to_string()));
        let bytes = self.held.get(name).cloned().map_or_else(read, Ok)?;
        self.prints.borrow_mut().insert(name.to_owned(), fingerprint(&bytes));
        Ok(bytes)
    }
}

impl Sources for Files {
    fn votes(&self, name: &str) -> Result<Wins> {
        wins::read(name, self.bytes(name)?).map_err(Error::Data)
    }

    fn table(&self, name: &str) -> Result<Vec<Vec<f64>>> {
        let text = String::from_utf8(self.bytes(name)?)
            .map_err(|_| Error::Data(format!("{name}: it is not a text file in UTF-8")))?;
        numbers(&text).map_err(|message| Error::Data(format!("{name}: {message}")))
    }
}

/// A table of finite numbers; a first row that holds no numbers at all is a header.
fn numbers(text: &str) -> std::result::Result<Vec<Vec<f64>>, String> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).flexible(true).from_reader(text.as_bytes());
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        if index == 0 && record.iter().all(|cell| cell.parse::<f64>().is_err()) {
            continue;
        }
        let row = record.iter().enumerate().map(|(column, cell)| match cell.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(format!("line {line}, column {}: \"{cell}\" is not a finite number", column + 1)),
        });
        let row = row.collect::<std::result::Result<Vec<f64>, String>>()?;
        if let Some(first) = rows.first()
            && first.len() != row.len()
        {
            return Err(format!("line {line}: {} numbers, the first row has {}", row.len(), first.len()));
        }
        rows.push(row);
    }
    if rows.is_empty() { Err("there are no numbers in it".to_owned()) } else { Ok(rows) }
}

/// FNV-1a of 64 bits: short, and the same everywhere.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_finite_numbers() {
        assert_eq!(numbers("a,b\n1,2\n3,4e-1\n").unwrap(), [[1.0, 2.0], [3.0, 0.4]]);
        assert_eq!(numbers("1,NaN\n").unwrap_err(), "line 1, column 2: \"NaN\" is not a finite number");
        assert_eq!(numbers("1,2\n3\n").unwrap_err(), "line 2: 1 numbers, the first row has 2");
        assert!(numbers("").is_err());
    }

    #[test]
    fn the_fingerprint_is_the_published_one() {
        assert_eq!(fingerprint(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
