//! Finished runs, written down as they come, so that an experiment that was stopped goes on where it was.
//!
//! The first line says which version of this format and which experiment it is; every other line is one finished run with a
//! checksum: `{"check":"…","run":{…}}`, where `check` is the fingerprint of the experiment's own and of the run as it stands
//! in the line. A last line without its end is what was being written when the program was killed, and is forgotten. A line
//! that does not check is no run: it is reported, taken out, and its run is played again. A file that is not a journal of
//! ours is never touched.

use super::folder::Folder;
use super::sources::fingerprint;
use crate::failure::Failure;
use crate::whole::{draft, finish};
use borduel::experiment::{Finished, Plan};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: u32 = 2;

/// The name of the file.
pub const NAME: &str = "journal.jsonl";

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    borduel_journal: u32,
    experiment: String,
}

/// A line after the first.
#[derive(Debug, Serialize, Deserialize)]
struct Line<'a> {
    check: String,
    #[serde(borrow)]
    run: &'a RawValue,
}

/// A finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Which one.
    pub job: usize,
    /// CPU seconds spent in its rounds.
    pub seconds: f64,
    /// CPU seconds spent before its first round.
    pub setup: f64,
    /// What came of it.
    pub finished: Finished,
}

/// The open journal of an experiment; nobody else can open it meanwhile.
#[derive(Debug)]
pub struct Journal {
    /// `None` for a journal that is kept in memory alone.
    file: Option<File>,
    path: PathBuf,
    experiment: String,
    length: u64,
    runs: BTreeMap<usize, Entry>,
    notes: Vec<String>,
}

impl Journal {
    /// Opens the journal of this experiment (its fingerprint) in a directory, or starts it; `force` gives up that of another
    /// one.
    ///
    /// # Errors
    /// A journal of another experiment, a file that is no journal, somebody else at work, a file that cannot be used.
    pub fn open(folder: &Folder, experiment: &str, force: bool) -> Result<Self, Failure> {
        let path = folder.file(NAME);
        let mut file = open_locked(&path, folder)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| Failure::reading(&path, &error))?;
        let header = Header { borduel_journal: VERSION, experiment: experiment.to_owned() };
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let anew = match identify(&bytes, whole, &header) {
            Identity::Ours => false,
            Identity::Unwritten => true,
            Identity::Other(_) if force => true,
            Identity::Other(what) => {
                let place = folder.path().display();
                let remedy = "choose another --out, or --force to overwrite it";
                return Err(Failure::Usage(format!("{place}: holds {what}; {remedy}")));
            }
            Identity::Foreign => {
                let remedy = "it is not touched; choose another --out, or move it away";
                return Err(Failure::Usage(format!("{}: is not a journal of borduel; {remedy}", path.display())));
            }
        };
        let mut journal = Self { file: Some(file), path, experiment: experiment.to_owned(), ..Self::in_memory() };
        if anew {
            journal.write_anew(&header)?;
            return Ok(journal);
        }
        let bad = journal.take_over(&bytes[..whole]);
        if bad.is_empty() {
            journal.cut(whole as u64)?;
        } else {
            journal.notes.push(journal.complaint(&bad));
            journal.write_anew(&header)?;
        }
        Ok(journal)
    }

    /// A journal that is kept in memory alone.
    pub fn in_memory() -> Self {
        let (path, experiment) = (PathBuf::new(), String::new());
        Self { file: None, path, experiment, length: 0, runs: BTreeMap::new(), notes: Vec::new() }
    }

    /// The finished runs that were found, by number.
    pub fn runs(&self) -> &BTreeMap<usize, Entry> {
        &self.runs
    }

    /// What was wrong with what was found.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds a finished run.
    ///
    /// # Errors
    /// A disk that is full, and the like; nothing half-written stays.
    pub fn add(&mut self, entry: Entry) -> Result<(), Failure> {
        if self.file.is_some() {
            let line = self.line(&entry)?;
            self.append(&line)?;
        }
        self.runs.insert(entry.job, entry);
        Ok(())
    }

    /// Forgets runs that cannot be of this plan: another number of checkpoints, an item or a run that is not there.
    pub fn keep_only_those_of(&mut self, plan: &Plan) {
        let before = self.runs.len();
        self.runs.retain(|&job, entry| job < plan.jobs() && plan.accepts(job, &entry.finished));
        let gone = before - self.runs.len();
        if gone > 0 {
            let path = self.path.display();
            self.notes.push(format!("{path}: {gone} runs are not of this experiment's shape; they are played again"));
        }
    }

    /// Reads the lines after the first; returns the numbers of those that do not check.
    fn take_over(&mut self, bytes: &[u8]) -> Vec<usize> {
        let mut bad = Vec::new();
        let mut disputed = Vec::new();
        // All that is looked at ends with a line end, which ends the last line rather than beginning another.
        let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
        for (index, line) in lines.enumerate().skip(1) {
            match self.parse(line) {
                Some(entry) => match self.runs.get(&entry.job) {
                    // Two lines of one run say the same, or neither is believed.
                    Some(known) if known.finished != entry.finished => {
                        disputed.push(entry.job);
                        bad.push(index + 1);
                    }
                    Some(_) => {}
                    None => {
                        self.runs.insert(entry.job, entry);
                    }
                },
                None => bad.push(index + 1),
            }
        }
        disputed.iter().for_each(|job| {
            self.runs.remove(job);
        });
        bad
    }

    fn parse(&self, line: &[u8]) -> Option<Entry> {
        let Line { check, run } = serde_json::from_slice(line).ok()?;
        (check == self.check(run.get())).then(|| serde_json::from_str(run.get()).ok())?
    }

    /// The checksum of a run: of its text, and of the experiment, so that a line of another journal does not check here.
    fn check(&self, run: &str) -> String {
        format!("{:016x}", fingerprint(format!("{} {run}", self.experiment).as_bytes()))
    }

    fn complaint(&self, bad: &[usize]) -> String {
        let lines: Vec<String> = bad.iter().take(5).map(ToString::to_string).collect();
        let more = if bad.len() > 5 { format!(" and {} more", bad.len() - 5) } else { String::new() };
        let what = if bad.len() == 1 { "line" } else { "lines" };
        let path = self.path.display();
        format!("{path}: {what} {}{more} cannot be believed; what is missing is played again", lines.join(", "))
    }

    fn line(&self, entry: &Entry) -> Result<Vec<u8>, Failure> {
        let internal = |error: serde_json::Error| Failure::Internal(error.to_string());
        let run = serde_json::value::to_raw_value(entry).map_err(internal)?;
        let mut line = serde_json::to_vec(&Line { check: self.check(run.get()), run: &run }).map_err(internal)?;
        line.push(b'\n');
        Ok(line)
    }

    /// Writes header and runs in the place of what is there.
    fn write_anew(&mut self, header: &Header) -> Result<(), Failure> {
        let mut text = serde_json::to_vec(header).map_err(|error| Failure::Internal(error.to_string()))?;
        text.push(b'\n');
        for entry in self.runs.values() {
            text.extend(self.line(entry)?);
        }
        // Beside the old one and then in its place, so that nothing is lost if that fails; nobody else can open it.
        let failed = |error: io::Error| Failure::writing(&self.path, &error);
        let mut draft = draft(&self.path).map_err(failed)?;
        draft.as_file().lock().and_then(|()| draft.write_all(&text)).map_err(failed)?;
        self.file = Some(finish(draft, &self.path).map_err(failed)?);
        self.length = text.len() as u64;
        Ok(())
    }

    /// Shortens the file to so many bytes, where writing goes on.
    fn cut(&mut self, length: u64) -> Result<(), Failure> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let cut = file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length)));
        cut.map_err(|error| Failure::writing(&self.path, &error))?;
        self.length = length;
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes).map_err(|error| {
            // What was half written is cut off; if even that fails, the missing line end says so to the next reader.
            let _ = file.set_len(self.length);
            Failure::writing(&self.path, &error)
        })?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// Opens the file, made if it is missing, and locks it against everybody else.
fn open_locked(path: &Path, folder: &Folder) -> Result<File, Failure> {
    // A pipe would be waited for without end, a device swallow everything.
    if fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        let remedy = "it is not touched; choose another --out, or move it away";
        return Err(Failure::Usage(format!("{}: is not a file; {remedy}", path.display())));
    }
    let failed = |error| Failure::writing(path, &error);
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let place = folder.path().display();
            Err(Failure::Usage(format!("{place}: another borduel is at work here; choose another --out")))
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Whose journal a file is.
enum Identity {
    /// This experiment's.
    Ours,
    /// Nobody's yet: empty, or killed in its first line.
    Unwritten,
    /// Another version's or experiment's, in words.
    Other(String),
    /// No journal at all.
    Foreign,
}

fn identify(bytes: &[u8], whole: usize, wanted: &Header) -> Identity {
    if whole == 0 {
        let begun = serde_json::to_vec(wanted).is_ok_and(|header| header.starts_with(bytes));
        return if begun { Identity::Unwritten } else { Identity::Foreign };
    }
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match serde_json::from_slice::<Header>(first) {
        Ok(found) if found == *wanted => Identity::Ours,
        Ok(found) if found.borduel_journal != VERSION => Identity::Other(format!(
            "a journal of version {}, this program writes version {VERSION}",
            found.borduel_journal
        )),
        Ok(found) => Identity::Other(format!(
            "another experiment (fingerprint {}, here {})",
            found.experiment, wanted.experiment
        )),
        Err(_) => Identity::Foreign,
    }
}

#[cfg(test)]
mod tests;
