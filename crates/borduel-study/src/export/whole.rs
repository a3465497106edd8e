//! A whole export, part by part, however long the log is.

use super::{Line, Votes, csv, items, jsonl};
use crate::content::Content;
use crate::desk::Desk;
use crate::error::Result;
use crate::ledger::{Ledger, StudyId};
use crate::state::State;

/// The files that can be exported.
pub const FILES: [&str; 4] = ["votes.csv", "votes.jsonl", "items.csv", "log.jsonl"];

/// What is written.
#[derive(Debug)]
enum Writer {
    Votes {
        state: Box<State>,
        asked: Votes,
        csv: bool,
    },
    Log(Box<State>),
    /// Everything there is.
    Whole(String),
}

/// A file on its way out.
#[derive(Debug)]
pub struct Export {
    ledger: Ledger,
    study: StudyId,
    after: u64,
    head: u64,
    begun: bool,
    writer: Writer,
}

impl Export {
    /// The file of this name, as the study is now; `None` if there is no such file.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub async fn open(ledger: &Ledger, desk: &Desk, name: &str) -> Result<Option<Self>> {
        let state = desk.copy().await?;
        let head = state.head;
        let writer = match name {
            "votes.csv" | "votes.jsonl" => {
                Writer::Votes { state: Box::new(state), asked: Votes::default(), csv: name == "votes.csv" }
            }
            "log.jsonl" => Writer::Log(Box::default()),
            "items.csv" => {
                let contents = desk.items().await?;
                let content = |item: u16| {
                    contents.get(usize::from(item)).map_or_else(Content::default, |found| (*found.2).clone())
                };
                Writer::Whole(items(&state, content)?)
            }
            _ => return Ok(None),
        };
        Ok(Some(Self { ledger: ledger.clone(), study: desk.study(), after: 0, head, begun: false, writer }))
    }

    /// The next part; nothing at the end.
    ///
    /// # Errors
    /// A log that cannot be read.
    pub async fn part(&mut self) -> Result<Option<String>> {
        let first = !std::mem::replace(&mut self.begun, true);
        if let Writer::Whole(text) = &mut self.writer {
            return Ok(first.then(|| std::mem::take(text)));
        }
        if !first && self.after >= self.head {
            return Ok(None);
        }
        let mut entries = self.ledger.entries(self.study, self.after).await?;
        entries.retain(|entry| entry.last <= self.head);
        self.after = entries.last().map_or(self.head, |entry| entry.last);
        let text = match &mut self.writer {
            Writer::Votes { state, asked, csv: as_csv } => {
                let mut votes = Vec::new();
                for entry in &entries {
                    votes.extend(asked.of(entry, state)?);
                }
                if *as_csv { csv(&votes, first)? } else { jsonl(&votes)? }
            }
            Writer::Log(state) => {
                jsonl(&entries.iter().map(|entry| Line::new(entry, state)).collect::<Result<Vec<_>>>()?)?
            }
            Writer::Whole(_) => String::new(),
        };
        Ok(Some(text))
    }
}
