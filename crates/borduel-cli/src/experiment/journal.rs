//! Finished runs, written down as they come, so that an experiment that was stopped goes on where it was.
//!
//! The first line says which version of this format and which experiment it is; every other line is one finished run. A
//! last line without its end is what was being written when the program was killed, and is forgotten.

use super::folder::Folder;
use crate::failure::Failure;
use borduel::experiment::Finished;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// The version of the format.
const VERSION: u32 = 1;

/// The name of the file.
const NAME: &str = "journal.jsonl";

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    borduel_journal: u32,
    experiment: String,
}

/// A finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Which one.
    pub(crate) job: usize,
    /// CPU seconds spent in its rounds.
    pub(crate) seconds: f64,
    /// CPU seconds spent before its first round.
    pub(crate) setup: f64,
    /// What came of it.
    pub(crate) finished: Finished,
}

/// The open journal of an experiment.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Journal {
    /// Opens the journal of this experiment, or starts it; also returns what is in it.
    pub(crate) fn open(folder: &Folder, experiment: &str, force: bool) -> Result<(Self, Vec<Entry>), Failure> {
        let path = folder.file(NAME);
        let failed = |error| Failure::writing(&path, &error);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let place = folder.path().display();
                return Err(Failure::Usage(format!("{place}: another borduel is at work here; choose another --out")));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let header = Header { borduel_journal: VERSION, experiment: experiment.to_owned() };
        let mut entries = Vec::new();
        let mut length = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..length].lines();
        if let Some(first) = lines.next() {
            match check(first, &header) {
                Ok(()) => entries = read(lines, &path)?,
                Err(_) if force => length = 0,
                Err(reason) => {
                    let remedy = "choose another --out, or --force to overwrite it";
                    return Err(Failure::Usage(format!("{}: holds {reason}; {remedy}", folder.path().display())));
                }
            }
        }
        file.set_len(length as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        let mut journal = Self { file, path: path.clone(), length: length as u64 };
        if length == 0 {
            journal.line(&header)?;
        }
        Ok((journal, entries))
    }

    /// Adds a finished run.
    pub(crate) fn add(&mut self, entry: &Entry) -> Result<(), Failure> {
        self.line(entry)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(value).map_err(|error| Failure::Internal(error.to_string()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(|error| {
            // What was half written is cut off; if even that fails, the missing line end says so to the next reader.
            let _ = self.file.set_len(self.length);
            Failure::writing(&self.path, &error)
        })?;
        self.length += line.len() as u64;
        Ok(())
    }
}

/// Whether a journal is of this version and experiment, or what it is instead.
fn check(line: &str, wanted: &Header) -> Result<(), String> {
    match serde_json::from_str::<Header>(line) {
        Ok(found) if found == *wanted => Ok(()),
        Ok(found) if found.borduel_journal != VERSION => {
            Err(format!("a journal of version {}, this program writes version {VERSION}", found.borduel_journal))
        }
        Ok(found) => Err(format!("another experiment (fingerprint {}, here {})", found.experiment, wanted.experiment)),
        Err(_) => Err(format!("a {NAME} that is not ours")),
    }
}

fn read<'a>(lines: impl Iterator<Item = &'a str>, path: &std::path::Path) -> Result<Vec<Entry>, Failure> {
    lines
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| {
                let remedy = "--force starts the experiment anew";
                Failure::Data(format!("{}, line {}: is damaged ({error}); {remedy}", path.display(), index + 2))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(job: usize) -> Entry {
        let finished = Finished { regret: vec![0.1 + 0.2, 1.0 / 3.0], estimate: 4, stepped: 17 };
        Entry { job, seconds: 0.5, setup: 0.25, finished }
    }

    #[test]
    fn what_was_finished_is_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let (mut journal, before) = Journal::open(&folder, "abc", false).unwrap();
        assert!(before.is_empty());
        journal.add(&entry(0)).unwrap();
        journal.add(&entry(3)).unwrap();
        assert!(matches!(Journal::open(&folder, "abc", false), Err(Failure::Usage(m)) if m.contains("at work")));
        drop(journal);
        // Killed while writing a line.
        File::options().append(true).open(folder.file(NAME)).unwrap().write_all(b"{\"job\":5,\"sec").unwrap();
        let (mut journal, found) = Journal::open(&folder, "abc", false).unwrap();
        assert_eq!(found, [entry(0), entry(3)]);
        journal.add(&entry(5)).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&folder, "abc", false).unwrap().1.len(), 3);
    }

    #[test]
    fn another_experiment_is_refused_unless_forced() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        Journal::open(&folder, "abc", false).unwrap().0.add(&entry(0)).unwrap();
        assert!(matches!(Journal::open(&folder, "abd", false), Err(Failure::Usage(_))));
        assert!(Journal::open(&folder, "abd", true).unwrap().1.is_empty());
        std::fs::write(folder.file(NAME), "{\"borduel_journal\":9,\"experiment\":\"abc\"}\n").unwrap();
        assert!(matches!(Journal::open(&folder, "abc", false), Err(Failure::Usage(m)) if m.contains("version 9")));
    }

    #[test]
    fn damage_is_not_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        Journal::open(&folder, "abc", false).unwrap().0.add(&entry(0)).unwrap();
        File::options().append(true).open(folder.file(NAME)).unwrap().write_all(b"rubbish\n").unwrap();
        assert!(matches!(Journal::open(&folder, "abc", false), Err(Failure::Data(m)) if m.contains("line 3")));
    }
}
