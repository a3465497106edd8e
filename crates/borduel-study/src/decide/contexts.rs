//! What organisers want of contexts: new ones, what is shown of them, and what is shown of items in them.

use super::manage::check_key;
use super::turn::Turn;
use crate::command::{Context, Placed, Refusal, Reply, Row};
use crate::event::{Event, Hash, Status};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// The most contexts of a study.
const MOST_CONTEXTS: usize = 10_000;
/// The most contents of items in contexts.
const MOST_CONTENTS: usize = 1_000_000;

/// When contexts may change.
const UNTIL_ARCHIVED: [Status; 4] = [Status::Draft, Status::Open, Status::Paused, Status::Closed];

impl Turn<'_> {
    pub(super) fn set_contexts(&mut self, contexts: &[Context]) -> Result<Reply, Refusal> {
        self.must_be(&UNTIL_ARCHIVED, "its contexts stay as they are")?;
        let (mut given, mut new) = (HashSet::with_capacity(contexts.len()), 0);
        for context in contexts {
            check_key(&context.key)?;
            if !given.insert(&*context.key) {
                return Err(Refusal::Invalid(format!("the key {:?} is given twice", context.key)));
            }
            let Some(known) = self.state.context(&context.key) else {
                new += 1;
                continue;
            };
            let known = &self.state.contexts[usize::from(known)];
            if known.content != hash(&context.content) && known.shown() > 0 && !context.correction {
                return Err(Refusal::Invalid(format!(
                    "items were compared in the context {:?}: say that it is a correction, whose votes stay, or \
                     give what is new a key of its own",
                    context.key
                )));
            }
        }
        if self.state.contexts.len() + new > MOST_CONTEXTS {
            return Err(Refusal::Invalid(format!("a study has at most {MOST_CONTEXTS} contexts")));
        }
        let before = self.events.len();
        for context in contexts {
            let content = hash(&context.content);
            match self.state.context(&context.key) {
                Some(number) if self.state.contexts[usize::from(number)].content == content => continue,
                Some(number) => self.emit(Event::ContextEdited { context: number, content }),
                None => {
                    let number = self.state.contexts.len() as u16;
                    self.emit(Event::ContextAdded { context: number, key: context.key.clone(), content });
                }
            }
            self.rows.push(Row::Content { hash: content, body: context.content.clone() });
        }
        Ok(if self.events.len() > before { Reply::Done } else { Reply::Unchanged })
    }

    pub(super) fn enable_context(&mut self, key: &str, on: bool) -> Result<Reply, Refusal> {
        self.must_be(&UNTIL_ARCHIVED, "its contexts stay as they are")?;
        let context = self.state.context(key).ok_or_else(|| Refusal::NoContext(key.to_owned()))?;
        if self.state.contexts[usize::from(context)].enabled == on {
            return Ok(Reply::Unchanged);
        }
        self.emit(Event::ContextEnabled { context, on });
        Ok(Reply::Done)
    }

    pub(super) fn set_contents(&mut self, contents: &[Placed]) -> Result<Reply, Refusal> {
        self.must_be(&UNTIL_ARCHIVED, "its contents stay as they are")?;
        let mut new = Vec::with_capacity(contents.len());
        let mut given = HashSet::with_capacity(contents.len());
        for placed in contents {
            let item = self.state.item(&placed.item).ok_or_else(|| Refusal::NoItem(placed.item.clone()))?;
            let context =
                self.state.context(&placed.context).ok_or_else(|| Refusal::NoContext(placed.context.clone()))?;
            let twice = !given.insert((item, context));
            let (here, content) = (&self.state.contexts[usize::from(context)], hash(&placed.content));
            if here.content_of(item) == Some(content) && !twice {
                continue;
            }
            let seen = here.shown_of(item) > 0 && !placed.correction;
            if twice || seen {
                let why = if twice {
                    "is given twice"
                } else {
                    "was asked about: say that it is a correction, whose votes stay, or put what is new into \
                     a context of its own"
                };
                return Err(Refusal::Invalid(format!(
                    "the content of item {:?} in the context {:?} {why}",
                    placed.item, placed.context
                )));
            }
            new.push((item, context, content, placed));
        }
        let there: usize = self.state.contexts.iter().map(|context| context.contents().count()).sum();
        if there + new.len() > MOST_CONTENTS {
            return Err(Refusal::Invalid(format!("a study has at most {MOST_CONTENTS} contents in contexts")));
        }
        for &(item, context, content, placed) in &new {
            self.rows.push(Row::Content { hash: content, body: placed.content.clone() });
            self.emit(Event::ContentGiven { item, context, content });
        }
        Ok(if new.is_empty() { Reply::Unchanged } else { Reply::Done })
    }
}

fn hash(content: &[u8]) -> Hash {
    Sha256::digest(content).into()
}
