//! What a desk shares: the state as it was published after the last commit, how far the study is, and what is shown of
//! its items.

use crate::command::{Command, Refusal, Reply};
use crate::content::Content;
use crate::event::{Hash, Status};
use crate::ledger::{Ledger, StudyId};
use crate::state::{Blocks, Context, Item, State};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::{oneshot, watch};

/// A command and where its answer goes.
pub(super) type Job = (Command, oneshot::Sender<std::result::Result<Reply, Refusal>>);

/// How far a study is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// How many events it has.
    pub head: u64,
    /// The votes that count.
    pub votes: u64,
    /// How many voters there are.
    pub voters: u64,
    /// How many questions are open.
    pub open: u64,
    /// Whether it is open.
    pub status: Status,
    /// How many looks were taken.
    pub looks: u32,
}

impl Head {
    fn of(state: &State) -> Self {
        let looks = (0..state.criteria()).filter_map(|one| state.judged_by(one)).map(|judged| judged.look + 1).sum();
        let (voters, open) = (state.voters.len() as u64, state.open.len() as u64);
        Self { head: state.head, votes: state.votes, voters, open, status: state.status, looks }
    }
}

/// What the handles of a desk, its task and its thinking share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) ledger: Ledger,
    pub(super) study: StudyId,
    /// The state after the last commit; `None` before the log was read, and when the desk has gone.
    pub(super) state: Mutex<Option<Arc<State>>>,
    pub(super) head: watch::Sender<Head>,
    pub(super) contents: Mutex<HashMap<Hash, Arc<Content>>>,
    pub(super) catalogue: Mutex<Catalogue>,
}

/// Keys and contents of the items and contexts by number, so that showing a question does not wait for a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Catalogue {
    /// How many events there were when items or contexts last changed.
    pub(super) changed: Option<u64>,
    pub(super) items: Arc<[Card]>,
    /// The contexts, with the hashes of what items show in them.
    pub(super) contexts: Blocks<Context>,
}

/// An item as it is shown.
#[derive(Debug)]
pub(super) struct Card {
    pub(super) key: String,
    pub(super) hash: Hash,
    /// Once somebody was shown it.
    pub(super) content: OnceLock<Arc<Content>>,
}

impl Shared {
    /// The state after the last commit that this desk knows of. Nobody waits for it, whatever a turn waits for.
    pub(super) fn published(&self) -> Option<Arc<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Shows everybody the state after a commit, and tells them how far the study is.
    pub(super) fn publish(&self, state: Arc<State>) {
        let mut catalogue = self.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
        if catalogue.changed != Some(state.changed) || catalogue.items.len() != state.items.len() {
            let card = |item: &Item| Card { key: item.key.clone(), hash: item.content, content: OnceLock::new() };
            let items = state.items.iter().map(card).collect();
            *catalogue = Catalogue { changed: Some(state.changed), items, contexts: state.contexts.clone() };
        }
        drop(catalogue);
        let head = Head::of(&state);
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
        self.head.send_replace(head);
    }
}
