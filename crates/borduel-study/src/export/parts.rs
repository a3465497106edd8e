//! A whole export, part by part, however long the log is.

use super::{Line, VoteExport, contents, contexts, csv, items, jsonl, people, voters};
use crate::content::Content;
use crate::desk::{Desk, Place, PlacedContent};
use crate::error::{Error, Result};
use crate::event::{Entry, Hash};
use crate::ledger::Ledger;
use crate::low_priority::low_priority;
use crate::state::State;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The files that can be exported.
pub const FILES: [&str; 9] = [
    "votes.csv",
    "votes.jsonl",
    "hints.csv",
    "voters.csv",
    "people.csv",
    "items.csv",
    "contexts.csv",
    "contents.csv",
    "log.jsonl",
];

/// The most contents of items in contexts in a part.
const CONTENTS: usize = 500;

/// How many files may be on their way out at a time: each needs memory for one part.
const OPEN: usize = 16;

/// What the exports of all studies share.
#[derive(Debug)]
pub(crate) struct Exports {
    /// For whoever has a file on its way.
    open: Arc<Semaphore>,
    /// For whoever writes a part of one.
    writing: Semaphore,
}

impl Exports {
    /// Exports that leave a core for those who vote.
    pub(crate) fn new(cores: usize) -> Self {
        Self { open: Arc::new(Semaphore::new(OPEN)), writing: Semaphore::new(cores.saturating_sub(1).max(1)) }
    }
}

/// What is written.
#[derive(Debug)]
enum Writer {
    VoteExport {
        state: Box<State>,
        asked: VoteExport,
        csv: bool,
    },
    /// The hash of the log so far.
    Log(Hash),
    /// Everything there is.
    Whole(String),
    /// What is shown of items in contexts from this place on.
    Contents {
        from: Place,
        part: Vec<PlacedContent>,
    },
}

impl Writer {
    /// The text of these entries, which follow those before; `first` if there are none before.
    fn write(&mut self, entries: &[Entry], first: bool) -> Result<String> {
        match self {
            Self::VoteExport { state, asked, csv: as_csv } => {
                let mut votes = Vec::new();
                for entry in entries {
                    votes.extend(asked.of(entry, state)?);
                }
                if *as_csv {
                    csv(&votes, state, first)
                } else {
                    jsonl(&votes.iter().map(|vote| vote.described(state)).collect::<Vec<_>>())
                }
            }
            Self::Log(log) => jsonl(&entries.iter().map(|entry| Line::new(entry, log)).collect::<Result<Vec<_>>>()?),
            Self::Whole(text) => Ok(std::mem::take(text)),
            Self::Contents { part, .. } => contents(&std::mem::take(part), first),
        }
    }
}

/// A file on its way out: parts of a few megabytes, each written on a thread that gives way to whoever waits for an
/// answer.
#[derive(Debug)]
pub struct Export {
    ledger: Ledger,
    exports: Arc<Exports>,
    desk: Desk,
    first: bool,
    after: u64,
    head: u64,
    /// None after the last part, or one that could not be written.
    writer: Option<Writer>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Export {
    /// The file of this name, as the study is now; `None` if there is no such file. Where too many are on their way, it
    /// waits for one of them to end. Votes are those by one criterion, or by all of them.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub(crate) async fn open(
        ledger: Ledger,
        exports: Arc<Exports>,
        desk: &Desk,
        name: &str,
        criterion: Option<usize>,
    ) -> Result<Option<Self>> {
        if !FILES.contains(&name) {
            return Ok(None);
        }
        // Never closed.
        let place = exports.open.clone().acquire_owned().await.ok();
        let state = desk.copy().await?;
        let head = state.head;
        let writer = match name {
            "log.jsonl" => Writer::Log(Hash::default()),
            "items.csv" => {
                let contents = desk.items().await?;
                let content = |item: u16| {
                    contents.get(usize::from(item)).map_or_else(Content::default, |found| (*found.2).clone())
                };
                Writer::Whole(items(&state, content)?)
            }
            "voters.csv" => Writer::Whole(voters(&state)?),
            "people.csv" => Writer::Whole(people(&state, &ledger.people(desk.study()).await?)?),
            "contexts.csv" => Writer::Whole(contexts(&desk.contexts(0, usize::MAX).await?)?),
            "contents.csv" => Writer::Contents { from: (0, 0), part: Vec::new() },
            "hints.csv" => {
                Writer::VoteExport { state: Box::new(state), asked: VoteExport::hints().by(criterion), csv: true }
            }
            _ => {
                let asked = VoteExport::default().by(criterion);
                Writer::VoteExport { state: Box::new(state), asked, csv: name == "votes.csv" }
            }
        };
        let (desk, writer) = (desk.clone(), Some(writer));
        Ok(Some(Self { ledger, exports, desk, first: true, after: 0, head, writer, _place: place }))
    }

    /// The next part; nothing at the end.
    ///
    /// # Errors
    /// A log that cannot be read.
    pub async fn part(&mut self) -> Result<Option<String>> {
        let Some(mut writer) = self.writer.take() else { return Ok(None) };
        let (first, mut entries, mut more) = (std::mem::take(&mut self.first), Vec::new(), false);
        match &mut writer {
            Writer::Whole(_) => {}
            Writer::Contents { from, part } => {
                let next = self.desk.contents(*from, CONTENTS).await?;
                (*part, more) = (next.0, next.1.is_some());
                *from = next.1.unwrap_or_default();
            }
            Writer::VoteExport { .. } | Writer::Log(_) => {
                // Only one part of each file is in memory, and only as many are written as there are threads for it.
                entries = self.ledger.entries(self.desk.study(), self.after).await?;
                entries.retain(|entry| entry.last <= self.head);
                let missing =
                    || Error::Chain(format!("it says event {}, and event {} is missing", self.head, self.after + 1));
                self.after = entries.last().ok_or_else(missing)?.last;
                more = self.after < self.head;
            }
        }
        let _turn = self.exports.writing.acquire().await;
        let write = move || (writer.write(&entries, first), writer);
        let failed = || Error::Invalid("a part of the file could not be written: see the server's log".to_owned());
        let ((text, writer), _) = low_priority(write).await.ok_or_else(failed)?;
        self.writer = more.then_some(writer);
        text.map(Some)
    }
}
