//! Rows that were measured, written down as they come: one JSON line each, after a line that says what they are of.

use crate::experiment::folder::Folder;
use crate::failure::Failure;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

/// The version of the format.
const VERSION: u32 = 1;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    borduel_rows: u32,
    /// Runs and seed, and the version of the program: what makes rows the same.
    of: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line<T> {
    world: String,
    way: String,
    ends: Vec<T>,
}

/// The open file: how the runs of every world and way ended.
pub(super) struct Rows<T> {
    file: File,
    path: PathBuf,
    known: HashMap<(String, String), Vec<T>>,
}

impl<T: Clone + Serialize + DeserializeOwned> Rows<T> {
    /// Goes on with the file of this name in the folder where it is of the same runs, and begins it anew otherwise.
    /// What a kill left unfinished at its end is measured again.
    pub(super) fn open(folder: &Folder, name: &str, of: &str) -> Result<Self, Failure> {
        let path = folder.file(name);
        let header = Header { borduel_rows: VERSION, of: format!("{of}, borduel {}", env!("CARGO_PKG_VERSION")) };
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.lines();
        let same = lines.next().and_then(|line| serde_json::from_str::<Header>(line).ok()).is_some_and(|h| h == header);
        let kept: Vec<Line<T>> =
            if same { lines.filter_map(|line| serde_json::from_str(line).ok()).collect() } else { Vec::new() };
        let mut whole = serde_json::to_string(&header).map_err(|error| Failure::Internal(error.to_string()))? + "\n";
        for line in &kept {
            whole += &(serde_json::to_string(line).map_err(|error| Failure::Internal(error.to_string()))? + "\n");
        }
        folder.write(name, whole.as_bytes())?;
        let file = OpenOptions::new().append(true).open(&path).map_err(|error| Failure::reading(&path, &error))?;
        let known = kept.into_iter().map(|line| ((line.world, line.way), line.ends)).collect();
        Ok(Self { file, path, known })
    }

    /// How the runs of a row ended, where it was measured before.
    pub(super) fn known(&self, world: &str, way: &str) -> Option<&[T]> {
        self.known.get(&(world.to_owned(), way.to_owned())).map(Vec::as_slice)
    }

    /// Writes a row down.
    pub(super) fn add(&mut self, world: &str, way: &str, ends: &[T]) -> Result<(), Failure> {
        let line = Line { world: world.to_owned(), way: way.to_owned(), ends: ends.to_vec() };
        let text = serde_json::to_string(&line).map_err(|error| Failure::Internal(error.to_string()))? + "\n";
        self.file.write_all(text.as_bytes()).map_err(|error| Failure::writing(&self.path, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_and_those_of_other_runs_or_half_a_line_do_not() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        let open = |of: &str| Rows::<f64>::open(&folder, "some.jsonl", of).unwrap();
        let ends = [0.1 + 0.2, 1.0];
        let mut rows = open("2 runs");
        rows.add("here", "so", &ends).unwrap();
        drop(rows);
        let mut file = OpenOptions::new().append(true).open(folder.file("some.jsonl")).unwrap();
        file.write_all(b"{\"world\":\"here\",\"way\":\"other\",\"en").unwrap();
        let rows = open("2 runs");
        assert_eq!((rows.known("here", "so"), rows.known("here", "other")), (Some(&ends[..]), None));
        drop(rows);
        assert_eq!(open("3 runs").known("here", "so"), None);
    }
}
