//! What a desk has done beside its log: plans, looks and snapshots. Asking and answering never wait for any of it.

use super::shared::{Job, Shared};
use crate::command::Command;
use crate::evaluation::{Evaluation, evaluate};
use crate::event::Status;
use crate::low_priority::low_priority;
use crate::standing;
use crate::state::State;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, oneshot};

/// A snapshot is made after this many events, or a tenth of all, whichever is more.
const SNAPSHOT: u64 = 5_000;
/// Below this, replaying is as fast as reading a snapshot.
const SMALL: u64 = 500;
/// Thinking rests nine times as long as it computed, and at least so long: at most a tenth of one core.
const REST: Duration = Duration::from_millis(200);

pub(super) struct Background {
    shared: Arc<Shared>,
    queue: mpsc::WeakSender<Job>,
    workers: Arc<Semaphore>,
    thinking: Arc<AtomicBool>,
    /// The head at which thinking failed: it is not tried again before something has changed.
    failed: Arc<AtomicU64>,
    keeping: Arc<AtomicBool>,
    last_snapshot: u64,
}

impl Background {
    pub(super) fn new(shared: Arc<Shared>, queue: mpsc::WeakSender<Job>, workers: Arc<Semaphore>) -> Self {
        let (thinking, keeping) = (Arc::default(), Arc::default());
        Self { shared, queue, workers, thinking, failed: Arc::new(AtomicU64::new(u64::MAX)), keeping, last_snapshot: 0 }
    }

    /// Starts what is due after a turn.
    pub(super) fn after(&mut self, state: &State) {
        if state.head.saturating_sub(self.last_snapshot) >= SNAPSHOT.max(state.head / 10)
            && !self.keeping.swap(true, Ordering::AcqRel)
        {
            self.last_snapshot = state.head;
            let (shared, keeping, copy) = (self.shared.clone(), self.keeping.clone(), state.clone());
            tokio::spawn(async move {
                keep(&shared, copy).await;
                keeping.store(false, Ordering::Release);
            });
        }
        let plan = state.status == Status::Open && state.plan_due();
        let looks = standing::looks_due(state);
        let tried = self.failed.load(Ordering::Acquire) == state.head;
        if (plan || !looks.is_empty()) && !tried && !self.thinking.swap(true, Ordering::AcqRel) {
            let (queue, workers) = (self.queue.clone(), self.workers.clone());
            let (thinking, failed, copy) = (self.thinking.clone(), self.failed.clone(), state.clone());
            tokio::spawn(async move {
                let head = copy.head;
                // The permits are never closed; without one there is nothing to plan with.
                let Ok(permit) = workers.acquire_owned().await else { return };
                let evaluation = low_priority(move || evaluate(&copy, plan, &looks)).await;
                drop(permit);
                let (Evaluation { commands, complete }, took) = evaluation.unwrap_or_default();
                if !complete {
                    failed.store(head, Ordering::Release);
                }
                tell(&queue, commands).await;
                tokio::time::sleep(REST.max(9 * took)).await;
                thinking.store(false, Ordering::Release);
                tell(&queue, vec![Command::Tick]).await;
            });
        }
    }

    /// Keeps a snapshot before the desk goes.
    pub(super) async fn leave(&mut self, state: State) {
        if state.head > self.last_snapshot && state.head >= SMALL {
            self.last_snapshot = state.head;
            keep(&self.shared, state).await;
        }
    }
}

async fn keep(shared: &Shared, state: State) {
    match shared.ledger.keep_snapshot(shared.study, state).await {
        Ok(size) => metrics::gauge!("borduel_snapshot_bytes").set(size as f64),
        Err(error) => tracing::warn!(study = shared.study, %error, "a snapshot could not be kept"),
    }
}

/// Sends commands to the own desk, if it is still there. Their answers are of no interest.
async fn tell(queue: &mpsc::WeakSender<Job>, commands: Vec<Command>) {
    let Some(queue) = queue.upgrade() else { return };
    for command in commands {
        if queue.send((command, oneshot::channel().0)).await.is_err() {
            return;
        }
    }
}
