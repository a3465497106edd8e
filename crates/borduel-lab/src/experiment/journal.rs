//! Finished runs, written down as they come, so that an experiment that was stopped goes on where it was.
//!
//! The first line says which version of this format and which experiment it is; every other line is one finished run
//! with a checksum: `{"check":"…","run":{…}}`, where `check` is the fingerprint of the experiment's own and of the run
//! as it stands in the line. A last line without its end is what was being written when the program was killed, and is
//! forgotten. A line that does not check is no run: it is reported, taken out, and its run is played again. A file that
//! is not a journal of ours is never touched.

use super::folder::Folder;
use super::runs::{Entry, Runs, Taken};
use super::sources::fingerprint;
use crate::atomic_write::{draft, finish, open_locked, target};
use crate::failure::Failure;
use borduel::experiment::Plan;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// The version of the format.
const VERSION: u32 = 2;

/// What to do where the file cannot be had.
const ELSEWHERE: &str = "choose another --out, or move it away";

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

/// The open journal of an experiment; nobody else can open it meanwhile.
#[derive(Debug)]
pub struct Journal {
    /// `None` for a journal that is kept in memory alone.
    file: Option<File>,
    path: PathBuf,
    experiment: String,
    length: u64,
    runs: Runs,
    notes: Vec<String>,
}

/// What was wrong with lines of a journal.
#[derive(Debug, Default)]
struct Wrong {
    /// Lines, counted from 1.
    lines: BTreeSet<usize>,
    /// Runs of which two lines say different things.
    disputed: BTreeSet<usize>,
    /// How many lines are of no run of this plan.
    misshapen: usize,
}

impl Journal {
    /// Opens the journal of this plan's experiment (its fingerprint) in a directory, or starts it; `force` gives up
    /// that of another one. Runs that cannot be of this plan (another number of checkpoints, an item that is not there)
    /// are left out.
    ///
    /// # Errors
    /// A journal of another experiment, a file that is no journal, somebody else at work, a file that cannot be used.
    pub fn open(folder: &Folder, plan: &Plan, experiment: &str, force: bool) -> Result<Self, Failure> {
        let named = folder.file(NAME);
        // Through links, which stay.
        let path = target(&named).map_err(|error| Failure::writing(&named, &error))?;
        let file = open_locked(&path, ELSEWHERE)?;
        let header = Header { borduel_journal: VERSION, experiment: experiment.to_owned() };
        let first = first_line(&file).map_err(|error| Failure::reading(&path, &error))?;
        let anew = match identify(&first, &header) {
            Identity::Ours => false,
            Identity::Unwritten => true,
            Identity::Other(_) if force => true,
            Identity::Other(what) => {
                let place = folder.path().display();
                let remedy = "choose another --out, or --force to overwrite it";
                return Err(Failure::Usage(format!("{place}: holds {what}; {remedy}")));
            }
            Identity::Foreign => {
                let path = path.display();
                return Err(Failure::Usage(format!(
                    "{path}: is not a journal of borduel; it is not touched; {ELSEWHERE}"
                )));
            }
        };
        let runs = Runs::of(plan, Some(folder.path()));
        let mut journal =
            Self { file: None, path, experiment: experiment.to_owned(), length: 0, runs, notes: Vec::new() };
        if anew {
            journal.write_anew(&header, None)?;
            return Ok(journal);
        }
        let mut wrong = Wrong::default();
        let whole = journal.take_over(&file, plan, &mut wrong)?;
        if wrong.misshapen > 0 {
            let (path, gone) = (journal.path.display(), wrong.misshapen);
            let note = format!("{path}: {gone} runs are not of this experiment's shape; they are played again");
            journal.notes.push(note);
        }
        if wrong.lines.is_empty() {
            journal.file = Some(file);
            journal.cut(whole)?;
        } else {
            journal.notes.push(journal.complaint(&wrong.lines));
            journal.write_anew(&header, Some((&file, &wrong)))?;
        }
        Ok(journal)
    }

    /// A journal that is kept in memory alone.
    pub fn in_memory(plan: &Plan) -> Self {
        let (path, experiment, runs) = (PathBuf::new(), String::new(), Runs::of(plan, None));
        Self { file: None, path, experiment, length: 0, runs, notes: Vec::new() }
    }

    /// The runs that are finished, from the file and since.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// What was wrong with what was found.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds a finished run, of a shape that the plan accepts.
    ///
    /// # Errors
    /// A disk that is full, and the like; nothing half-written stays.
    pub fn add(&mut self, entry: &Entry) -> Result<(), Failure> {
        if self.file.is_some() {
            let line = self.line(entry)?;
            self.append(&line)?;
        }
        self.take(entry).map(drop)
    }

    fn take(&mut self, entry: &Entry) -> Result<Taken, Failure> {
        let failed = |error: io::Error| {
            let remedy = "make room where temporary files are, or in the directory of --out";
            Failure::Internal(format!("the curves of finished runs cannot be put away ({error}); {remedy}"))
        };
        self.runs.take(entry).map_err(failed)
    }

    /// Reads the lines after the first, one at a time; returns where the last whole one ends.
    fn take_over(&mut self, file: &File, plan: &Plan, wrong: &mut Wrong) -> Result<u64, Failure> {
        let mut whole = 0;
        let path = self.path.clone();
        let mut lines = lines(file).map_err(|error| Failure::reading(&path, &error))?;
        while let Some((number, line)) = lines.next().map_err(|error| Failure::reading(&path, &error))? {
            whole += line.len() as u64 + 1;
            if number == 1 {
                continue;
            }
            match self.parse(line) {
                None => {
                    wrong.lines.insert(number);
                }
                Some(entry) if entry.job >= plan.jobs() || !plan.accepts(entry.job, &entry.finished) => {
                    wrong.misshapen += 1;
                }
                // Two lines of one run say the same, or neither is believed.
                Some(entry) => {
                    if self.take(&entry)? == Taken::Disputed {
                        wrong.disputed.insert(entry.job);
                        wrong.lines.insert(number);
                    }
                }
            }
        }
        wrong.disputed.iter().for_each(|job| self.runs.forget(*job));
        Ok(whole)
    }

    fn parse(&self, line: &[u8]) -> Option<Entry> {
        let Line { check, run } = serde_json::from_slice(line).ok()?;
        (check == self.check(run.get())).then(|| serde_json::from_str(run.get()).ok())?
    }

    /// The checksum of a run: of its text, and of the experiment, so that a line of another journal does not check
    /// here.
    fn check(&self, run: &str) -> String {
        format!("{:016x}", fingerprint(format!("{} {run}", self.experiment).as_bytes()))
    }

    fn complaint(&self, bad: &BTreeSet<usize>) -> String {
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

    /// Writes a header in the place of what is there, and after it those lines of an old journal that can be believed.
    fn write_anew(&mut self, header: &Header, old: Option<(&File, &Wrong)>) -> Result<(), Failure> {
        let mut text = serde_json::to_vec(header).map_err(|error| Failure::Internal(error.to_string()))?;
        text.push(b'\n');
        // Beside the old one and then in its place, so that nothing is lost if that fails; nobody else can open it.
        let failed = |error: io::Error| Failure::writing(&self.path, &error);
        let draft = draft(&self.path).map_err(failed)?;
        let written = || -> io::Result<u64> {
            let mut writer = BufWriter::new(draft.as_file());
            writer.write_all(&text)?;
            let mut length = text.len() as u64;
            if let Some((file, wrong)) = old {
                let mut lines = lines(file)?;
                while let Some((number, line)) = lines.next()? {
                    let disputed = || self.parse(line).is_some_and(|entry| wrong.disputed.contains(&entry.job));
                    if number > 1 && !wrong.lines.contains(&number) && !disputed() {
                        writer.write_all(line)?;
                        writer.write_all(b"\n")?;
                        length += line.len() as u64 + 1;
                    }
                }
            }
            writer.flush()?;
            Ok(length)
        };
        let length = written().map_err(failed)?;
        self.file = Some(finish(draft, &self.path).map_err(failed)?);
        self.length = length;
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

/// Whose journal a file is.
enum Identity {
    /// A journal of this experiment.
    Ours,
    /// Nobody's yet: empty, or killed in its first line.
    Unwritten,
    /// Another version's or experiment's, in words.
    Other(String),
    /// No journal at all.
    Foreign,
}

fn identify(first: &[u8], wanted: &Header) -> Identity {
    let Some(line) = first.strip_suffix(b"\n") else {
        let begun = serde_json::to_vec(wanted).is_ok_and(|header| header.starts_with(first));
        return if begun { Identity::Unwritten } else { Identity::Foreign };
    };
    match serde_json::from_slice::<Header>(line) {
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

/// The first line with its end, or as much as no header is longer than.
fn first_line(mut file: &File) -> io::Result<Vec<u8>> {
    file.rewind()?;
    let mut line = Vec::new();
    BufReader::new(file.take(4096)).read_until(b'\n', &mut line)?;
    Ok(line)
}

/// The whole lines of a file, one at a time: there may be more than fit into memory.
struct Lines<'a> {
    reader: BufReader<&'a File>,
    line: Vec<u8>,
    number: usize,
}

fn lines(mut file: &File) -> io::Result<Lines<'_>> {
    file.rewind()?;
    Ok(Lines { reader: BufReader::with_capacity(1 << 16, file), line: Vec::new(), number: 0 })
}

impl Lines<'_> {
    /// The next line without its end, and its number from 1. A last line that has no end was being written when the
    /// program was killed, and is none.
    fn next(&mut self) -> io::Result<Option<(usize, &[u8])>> {
        self.line.clear();
        self.reader.read_until(b'\n', &mut self.line)?;
        self.number += 1;
        Ok(self.line.strip_suffix(b"\n").map(|line| (self.number, line)))
    }
}

#[cfg(test)]
mod tests;
