//! The log of votes: a CSV file that `rank` reads, a row an answer, written before anything else happens.

use crate::failure::Failure;
use crate::votes::aside::unwritable;
use borduel::ballots::Ballots;
use borduel_votes::{Items, ReadOptions, VoteReader, Words};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first line.
const HEADER: &str = "question,left,right,winner\n";

/// The answers that a judge or a person may give, as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Word {
    Left,
    Right,
    Tie,
    BothBad,
    Skip,
}

impl Word {
    fn text(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Tie => "tie",
            Self::BothBad => "both-bad",
            Self::Skip => "skip",
        }
    }
}

/// An open log.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    /// Answers of any kind in it.
    pub(crate) rows: u64,
    /// Where each row of this session begins.
    starts: Vec<u64>,
}

impl Log {
    /// Opens a log, or begins one. A last row that a kill cut short is taken off, which is said by the second value.
    pub(crate) fn open(path: &Path) -> Result<(Self, bool), Failure> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| unwritable(path, &error))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| Failure::reading(path, &error))?;
        let mut log = Self { path: path.to_owned(), file, rows: 0, starts: Vec::new() };
        if bytes.is_empty() {
            log.append(HEADER)?;
            return Ok((log, false));
        }
        let torn = !bytes.ends_with(b"\n");
        if torn {
            let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            if whole == 0 && !HEADER.as_bytes().starts_with(&bytes) {
                let message = format!("{}: has no whole line: it is not a log of votes", path.display());
                return Err(Failure::Data(message));
            }
            bytes.truncate(whole);
            log.file.set_len(whole as u64).map_err(|error| unwritable(path, &error))?;
            if whole == 0 {
                log.append(HEADER)?;
            }
        }
        log.rows = csv::ReaderBuilder::new().flexible(true).from_reader(&bytes[..]).byte_records().count() as u64;
        Ok((log, torn))
    }

    fn append(&mut self, line: &str) -> Result<(), Failure> {
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Writes an answer down.
    pub(crate) fn write(&mut self, question: u64, left: &str, right: &str, word: Word) -> Result<(), Failure> {
        let end = self.file.seek(SeekFrom::End(0)).map_err(|error| unwritable(&self.path, &error))?;
        let mut writer = csv::Writer::from_writer(Vec::new());
        let question = question.to_string();
        let row = writer.write_record([question.as_str(), left, right, word.text()]).map_err(|error| error.to_string());
        let bytes = row.and_then(|()| writer.into_inner().map_err(|error| error.to_string()));
        let line = bytes.map_err(Failure::Internal)?;
        self.append(&String::from_utf8_lossy(&line))?;
        self.starts.push(end);
        self.rows += 1;
        Ok(())
    }

    /// Takes the last row of this session back; whether there was one.
    pub(crate) fn undo(&mut self) -> Result<bool, Failure> {
        let Some(start) = self.starts.pop() else { return Ok(false) };
        self.file.set_len(start).map_err(|error| unwritable(&self.path, &error))?;
        self.rows -= 1;
        Ok(true)
    }

    /// The votes in it.
    pub(crate) fn ballots(&self, items: &Items) -> Result<Ballots, Failure> {
        let word = |word: Word| vec![word.text().to_owned()];
        let words = Words {
            left: word(Word::Left),
            right: word(Word::Right),
            tie: word(Word::Tie),
            both_bad: word(Word::BothBad),
            skip: word(Word::Skip),
        };
        let mut reader = VoteReader::new(ReadOptions { words, ..ReadOptions::default() }).with_items(items);
        let name = self.path.to_string_lossy();
        reader.read(&name).map_err(|error| Failure::Data(error.to_string()))?;
        Ok(reader.finish().0)
    }
}

/// Refuses a log that is another input of the same command.
pub(crate) fn differs(log: &Path, items: &Path) -> Result<(), Failure> {
    let same = match (std::fs::canonicalize(log), std::fs::canonicalize(items)) {
        (Ok(a), Ok(b)) => a == b,
        (Err(error), _) if error.kind() == ErrorKind::NotFound => log == items,
        _ => false,
    };
    if same {
        let message = format!("--votes {}: is the list of items: votes need a file of their own", log.display());
        return Err(Failure::Usage(message));
    }
    Ok(())
}
