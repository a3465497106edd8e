//! The one writer of a study in a process: a queue of commands, a turn for all that wait, answers after the commit.
//!
//! Whoever comes while a turn is being committed is in the next one, so that many voters share one commit without a
//! timer. Turns run in a task of their own: a client that goes away cancels nothing.

mod background;
mod clock;
mod shared;

pub use shared::Head;

use crate::command::{Command, Refusal, Reply};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::event::{Hash, Millis};
use crate::ledger::{Ledger, StudyId};
use crate::state::{Context, State, Suggestion};
use background::Background;
use clock::Clock;
use futures_util::future::{Either, select};
use shared::{Card, Catalogue, Job, Shared};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How many commands may wait.
const QUEUE: usize = 4_096;
/// The most commands of a turn.
const BATCH: usize = 256;
/// How long a desk waits before it looks for what is due.
const MINUTE: Duration = Duration::from_mins(1);
/// How many contents are kept at hand.
const CONTENTS: usize = 20_000;
/// After so many minutes without a command a desk goes.
const IDLE: u32 = 10;

/// What is shown of an item in a context: the keys of both, and the content.
pub type PlacedContent = (String, String, Arc<Content>);

/// A place among the contents: the number of a context, and how many of its contents come before.
pub type Place = (usize, usize);

/// The desk of a study. Copies are the same desk.
#[derive(Clone, Debug)]
pub struct Desk {
    queue: mpsc::Sender<Job>,
    shared: Arc<Shared>,
}

impl Desk {
    /// Opens the desk of a study. Plans and looks of all desks share these permits.
    pub fn open(ledger: Ledger, study: StudyId, workers: Arc<Semaphore>) -> (Self, JoinHandle<()>) {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let (head, _) = watch::channel(Head::default());
        let (contents, catalogue) = (Mutex::default(), Mutex::default());
        let shared = Arc::new(Shared { ledger, study, state: Mutex::default(), head, contents, catalogue });
        let background = Background::new(shared.clone(), queue.downgrade(), workers);
        let task = tokio::spawn(work(shared.clone(), jobs, background));
        (Self { queue, shared }, task)
    }

    /// The number of the study.
    pub fn study(&self) -> StudyId {
        self.shared.study
    }

    /// Whether the desk has gone; another one must be opened then.
    pub fn gone(&self) -> bool {
        self.queue.is_closed()
    }

    /// Sends a command and waits for its answer, which comes after the commit.
    ///
    /// # Errors
    /// A refusal; [`Refusal::Busy`] when too many wait, [`Refusal::Storage`] when the database failed.
    pub async fn send(&self, command: Command) -> std::result::Result<Reply, Refusal> {
        let (answer, answered) = oneshot::channel();
        self.queue.try_send((command, answer)).map_err(|_| Refusal::Busy)?;
        answered.await.unwrap_or(Err(Refusal::Busy))
    }

    /// How far the study is, whenever that changes.
    pub fn heads(&self) -> watch::Receiver<Head> {
        self.shared.head.subscribe()
    }

    /// Reads the state as it was after the last commit, without waiting for a turn that is under way.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub async fn read<T>(&self, look: impl FnOnce(&State) -> T) -> Result<T> {
        let (mut heads, mut refused) = (self.heads(), None);
        loop {
            if let Some(state) = self.shared.published() {
                return Ok(look(&state));
            }
            if let Some(refusal) = refused {
                return Err(Error::Refused(refusal));
            }
            // Nobody has come to this desk yet: the next turn reads the study, even if it then cannot begin.
            let (turn, news) = (pin!(self.send(Command::Tick)), pin!(heads.changed()));
            if let Either::Left((told, _)) = select(turn, news).await {
                refused = told.err();
            }
        }
    }

    /// A copy of the state, for whoever needs longer.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub async fn copy(&self) -> Result<State> {
        self.read(State::clone).await
    }

    async fn content(&self, card: &Card) -> Result<Arc<Content>> {
        if let Some(content) = card.content.get() {
            return Ok(content.clone());
        }
        let content = self.content_of(&card.hash, &card.key).await?;
        // What was deleted stays unknown, so that nothing wrong is kept.
        Ok(if self.known(&card.hash).is_some() { card.content.get_or_init(|| content).clone() } else { content })
    }

    /// The content of this hash, if it was read lately.
    fn known(&self, hash: &Hash) -> Option<Arc<Content>> {
        self.shared.contents.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }

    /// The content of this hash, which is called by this key where it is not there any more.
    async fn content_of(&self, hash: &Hash, key: &str) -> Result<Arc<Content>> {
        if let Some(content) = self.known(hash) {
            return Ok(content);
        }
        let bytes = self.shared.ledger.content(self.shared.study, hash).await?;
        let content = Arc::new(Content::read(bytes.as_deref(), key));
        if bytes.is_some() {
            let mut contents = self.shared.contents.lock().unwrap_or_else(PoisonError::into_inner);
            if contents.len() >= CONTENTS {
                contents.clear();
            }
            contents.insert(*hash, content.clone());
        }
        Ok(content)
    }

    /// The key of a context and what is shown of it.
    ///
    /// # Errors
    /// No such context, or a study that cannot be read.
    pub async fn context(&self, number: u16) -> Result<(String, Arc<Content>)> {
        let contexts = self.catalogue().await?.contexts;
        let none = || Refusal::NoContext(format!("number {number}"));
        let context = contexts.get(usize::from(number)).ok_or_else(none)?;
        Ok((context.key.clone(), self.content_of(&context.content, &context.key).await?))
    }

    /// The contexts with what is shown of them, by number: at most so many from this one on.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub async fn contexts(&self, from: usize, most: usize) -> Result<Vec<(u16, Context, Arc<Content>)>> {
        // As they are now: what was asked in them is no part of the catalogue.
        let contexts = self.read(|state| state.contexts.clone()).await?;
        let mut found = Vec::new();
        for (number, context) in (0_u16..).zip(&contexts).skip(from).take(most) {
            found.push((number, context.clone(), self.content_of(&context.content, &context.key).await?));
        }
        Ok(found)
    }

    /// The key of an item and what is shown of it in a context: what it has of its own there, or what is shown
    /// everywhere.
    ///
    /// # Errors
    /// No such item, or a study that cannot be read.
    pub async fn shown(&self, item: u16, context: Option<u16>) -> Result<(String, Arc<Content>)> {
        let (key, general) = self.item(item).await?;
        let Some(context) = context else { return Ok((key, general)) };
        let contexts = self.catalogue().await?.contexts;
        let own = contexts.get(usize::from(context)).and_then(|context| context.content_of(item));
        Ok(match own {
            None => (key, general),
            Some(hash) => {
                let own = self.content_of(&hash, &key).await?;
                (key, Arc::new(Content { title: general.title.clone(), ..(*own).clone() }))
            }
        })
    }

    /// The key of an item and what is shown of it.
    ///
    /// # Errors
    /// No such item, or a study that cannot be read.
    pub async fn item(&self, number: u16) -> Result<(String, Arc<Content>)> {
        let items = self.catalogue().await?.items;
        let card = items.get(usize::from(number)).ok_or_else(|| Refusal::NoItem(format!("number {number}")))?;
        Ok((card.key.clone(), self.content(card).await?))
    }

    /// What is shown of all items, by number.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub async fn items(&self) -> Result<Vec<(u16, String, Arc<Content>)>> {
        let all = self.catalogue().await?.items;
        let mut items = Vec::with_capacity(all.len());
        for (number, card) in (0_u16..).zip(all.iter()) {
            items.push((number, card.key.clone(), self.content(card).await?));
        }
        Ok(items)
    }

    /// The suggestions that wait for the organiser: number, voter, and what is to be shown.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub async fn suggestions(&self) -> Result<Vec<(u32, u32, Arc<Content>)>> {
        let waiting: Vec<_> = self.read(|state| state.waiting().map(|(at, one)| (at, *one)).collect()).await?;
        let mut found = Vec::with_capacity(waiting.len());
        for (number, Suggestion { voter, content, .. }) in waiting {
            found.push((number, voter, self.content_of(&content, &format!("suggestion {number}")).await?));
        }
        Ok(found)
    }

    /// What is shown of items in contexts, by the keys of both: at most so many from this place on, the number of a
    /// context and how many of its contents come before, and the place after those.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub async fn contents(&self, from: Place, most: usize) -> Result<(Vec<PlacedContent>, Option<Place>)> {
        let Catalogue { items, contexts, .. } = self.catalogue().await?;
        let mut found = Vec::new();
        for (at, context) in contexts.iter().enumerate().skip(from.0) {
            let before = if at == from.0 { from.1 } else { 0 };
            for (place, (item, hash)) in context.contents().enumerate().skip(before) {
                if found.len() == most {
                    return Ok((found, Some((at, place))));
                }
                let key = &items[usize::from(item)].key;
                found.push((key.clone(), context.key.clone(), self.content_of(&hash, key).await?));
            }
        }
        Ok((found, None))
    }

    async fn catalogue(&self) -> Result<Catalogue> {
        let known = || self.shared.catalogue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let catalogue = known();
        if catalogue.changed.is_some() {
            return Ok(catalogue);
        }
        self.read(|_| ()).await?;
        Ok(known())
    }
}

/// The desk's task.
async fn work(shared: Arc<Shared>, mut jobs: mpsc::Receiver<Job>, mut background: Background) {
    let mut batch: Vec<Job> = Vec::with_capacity(BATCH);
    let mut idle = 0;
    let (mut open, mut clock, mut doubted) = (Open::default(), Clock::default(), false);
    loop {
        match timeout(MINUTE, jobs.recv_many(&mut batch, BATCH)).await {
            Ok(0) => break,
            Ok(_) => idle = 0,
            Err(_) => idle += 1,
        }
        if idle >= IDLE {
            // Whoever has sent something in this moment is told that nothing was stored.
            jobs.close();
            break;
        }
        metrics::gauge!("borduel_queue_length").set(jobs.len() as f64);
        turn(&shared, (&mut clock, &mut doubted), &mut batch).await;
        if let Some(state) = shared.published() {
            open.are(state.open.len());
            background.after(&state);
        }
    }
    open.are(0);
    // Whoever still has a handle, as pages that follow the study do, keeps no state with it.
    let last = shared.state.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(state) = last {
        background.leave(Arc::unwrap_or_clone(state)).await;
    }
    shared.head.send_modify(|_| ());
}

/// The open questions of this study in the gauge of all studies that have a desk.
#[derive(Default)]
struct Open(usize);

impl Open {
    fn are(&mut self, now: usize) {
        if now != self.0 {
            metrics::gauge!("borduel_open_questions").increment(now as f64 - self.0 as f64);
            self.0 = now;
        }
    }
}

/// One turn for all that wait. The state is doubted after one that failed in its middle.
async fn turn(shared: &Shared, (clock, doubted): (&mut Clock, &mut bool), batch: &mut Vec<Job>) {
    let (commands, answers): (Vec<Command>, Vec<_>) = batch.drain(..).unzip();
    let started = Instant::now();
    let outcome = decide(shared, (clock, doubted), &commands).await;
    metrics::histogram!("borduel_commit_seconds").record(started.elapsed().as_secs_f64());
    metrics::histogram!("borduel_batch_size").record(commands.len() as f64);
    match outcome {
        Ok((replies, events)) => {
            metrics::counter!("borduel_events_total").increment(events as u64);
            for (answer, reply) in answers.into_iter().zip(replies) {
                // Whoever has gone away does not need the answer.
                let _ = answer.send(reply);
            }
        }
        Err(error) => {
            metrics::counter!("borduel_failed_turns_total").increment(1);
            tracing::error!(study = shared.study, %error, "a turn failed");
            for answer in answers {
                let _ = answer.send(Err(Refusal::Storage(error.to_string())));
            }
            // Whoever waits meanwhile waits for the database, not for a processor.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Decides commands in a turn: their replies, and how many events there were.
async fn decide(
    shared: &Shared,
    (clock, doubted): (&mut Clock, &mut bool),
    commands: &[Command],
) -> Result<(Vec<std::result::Result<Reply, Refusal>>, usize)> {
    let known = if let Some(known) = shared.published().filter(|_| !*doubted) {
        known
    } else {
        // Before anything is locked: a long log takes its time.
        let loaded = Arc::new(shared.ledger.load(shared.study).await?);
        shared.publish(loaded.clone());
        *doubted = false;
        loaded
    };
    let begun = shared.ledger.begin(shared.study).await?;
    let work = |turn: &mut crate::decide::Turn<'_>| {
        let replies: Vec<_> = commands.iter().map(|command| turn.decide(command)).collect();
        (replies, turn.events.len())
    };
    let now = clock.time(known.at, (now(), Instant::now()));
    // Whoever reads meanwhile reads the state as it was. Should this fail, nothing is guessed: the next turn reads the
    // log.
    let finished = shared.ledger.finish(begun, Some((*known).clone()), now, work).await;
    *doubted = finished.is_err();
    let (state, decided) = finished?;
    // Before anybody is told: whoever was given a question finds its items.
    shared.publish(Arc::new(state));
    Ok(decided)
}

/// The time now, in milliseconds since 1970.
pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::ledger::NewStudy;

    /// As a page that follows a study for days does.
    #[tokio::test]
    async fn whoever_holds_a_desk_that_has_gone_is_told_and_keeps_no_state() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(&format!("sqlite:{}", folder.path().join("test.db").display())).await.unwrap();
        let (slug, title) = ("tea".to_owned(), "Tea".to_owned());
        let new = NewStudy { slug, title, settings: Settings::default(), ..NewStudy::default() };
        let study = ledger.create(&new, 0).await.unwrap();
        let (queue, mut jobs) = mpsc::channel(QUEUE);
        let (head, _) = watch::channel(Head::default());
        let (contents, catalogue) = (Mutex::default(), Mutex::default());
        let shared = Arc::new(Shared { ledger, study, state: Mutex::default(), head, contents, catalogue });
        let background = Background::new(shared.clone(), queue.downgrade(), Arc::new(Semaphore::new(1)));
        let desk = Desk { queue, shared: shared.clone() };
        shared.publish(Arc::new(shared.ledger.load(study).await.unwrap()));
        let (heads, state) = (desk.heads(), Arc::downgrade(&shared.published().unwrap()));
        // What ten minutes without a command do.
        jobs.close();
        work(shared, jobs, background).await;
        assert!(desk.gone() && heads.has_changed().unwrap());
        assert!(state.upgrade().is_none(), "the handle keeps a state");
    }
}
