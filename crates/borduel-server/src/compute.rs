//! Long computations for requests: few at a time, and one for all who want the same, which goes on when they give up.
//!
//! A request that takes too long is answered and forgotten, a computation cannot be: it goes on. Whoever asks again and
//! again therefore waits for the one that is under way, and does not start another beside it.

use crate::api_result::ApiResult;
use crate::problem::Problem;
use borduel_study::low_priority::low_priority;
use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, Semaphore};

/// What was last found of something, at hand also while it is found anew.
#[derive(Debug)]
pub(crate) struct Latest<T> {
    last: std::sync::Mutex<Option<T>>,
    /// Locked while it is found anew.
    making: Arc<Mutex<()>>,
    /// Since when it is.
    since: std::sync::Mutex<Option<Instant>>,
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Self { last: std::sync::Mutex::default(), making: Arc::default(), since: std::sync::Mutex::default() }
    }
}

impl<T: Clone> Latest<T> {
    /// What was last found, without waiting for anybody.
    pub(crate) fn last(&self) -> Option<T> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How long it has been looked for, if it is.
    fn under_way(&self) -> Option<Duration> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner).map(|since| since.elapsed())
    }

    fn is_made_since(&self, since: Option<Instant>) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }
}

/// What is kept of something, for all who want it.
pub(crate) type Slot<T> = Arc<Latest<T>>;
/// Slots by what they are of.
pub(crate) type Slots<K, T> = std::sync::Mutex<HashMap<K, Slot<T>>>;

/// The slot of something among others; a new one takes the place of those that nobody uses and that are empty or old.
pub(crate) fn slot<K: Eq + Hash, T: Clone>(all: &Slots<K, T>, of: K, old: impl Fn(&T) -> bool) -> Slot<T> {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    if !all.contains_key(&of) {
        all.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.last().is_some_and(|last| !old(&last)));
    }
    all.entry(of).or_default().clone()
}

/// Computes on threads that give way to everybody who votes. Copies share their threads.
#[derive(Clone, Debug)]
pub(crate) struct Computer(Arc<Semaphore>);

impl Computer {
    /// One that leaves a core for those who vote, but never has one computation wait for all others.
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(cores.saturating_sub(1).max(2))))
    }

    /// What a long computation finds. Whoever gives up before it has begun leaves nothing behind.
    ///
    /// # Errors
    /// A computation that panicked, or no thread for it.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> ApiResult<T> {
        let failed = || Problem::new("internal", "a computation failed: see the server's log");
        // The permits are never closed.
        let permit = self.0.clone().acquire_owned().await.map_err(|_| failed())?;
        let work = move || {
            // Held until it has ended, not only for as long as somebody waits for it.
            let _permit = permit;
            work()
        };
        low_priority(work).await.map(|(found, _)| found).ok_or_else(failed)
    }
}

/// What the slot holds, if that will do; otherwise what `make` finds, for all who wait for the slot.
///
/// # Errors
/// Those of `make`; whoever comes next tries again.
pub(crate) async fn shared<T: Clone + Send + 'static>(
    slot: Slot<T>,
    will_do: impl FnOnce(&T) -> bool,
    make: impl Future<Output = ApiResult<T>> + Send + 'static,
) -> ApiResult<T> {
    let making = slot.making.clone().lock_owned().await;
    if let Some(found) = slot.last().filter(will_do) {
        return Ok(found);
    }
    // In a task of its own, which holds the slot to its end although this request may be given up before.
    slot.is_made_since(Some(Instant::now()));
    let task = tokio::spawn(async move {
        let made = make.await;
        slot.is_made_since(None);
        let made = made?;
        *slot.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        drop(making);
        Ok(made)
    });
    task.await.unwrap_or_else(|_| Err(Problem::new("internal", "a computation failed: see the server's log")))
}

/// What the slot holds, if that will do; otherwise what `make` finds, if it has not been waited for so long already,
/// and then what the slot held all the time. Nothing only where nothing was ever found.
///
/// # Errors
/// Those of `make`.
pub(crate) async fn at_hand<T: Clone + Send + 'static>(
    slot: Slot<T>,
    will_do: impl Fn(&T) -> bool + Send + 'static,
    wait: Duration,
    make: impl Future<Output = ApiResult<T>> + Send + 'static,
) -> ApiResult<Option<T>> {
    let last = slot.last();
    if last.as_ref().is_some_and(&will_do) {
        return Ok(last);
    }
    let wait = wait.saturating_sub(slot.under_way().unwrap_or_default());
    // In a task of its own, which begins although nobody may wait for it.
    let making = tokio::spawn(shared(slot, will_do, make));
    match tokio::time::timeout(wait, making).await {
        Ok(Ok(made)) => made.map(Some),
        Ok(Err(_)) => Err(Problem::new("internal", "a computation failed: see the server's log")),
        Err(_) => Ok(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use tokio::time::timeout;

    /// Computations that end when they are let go: how many run, how many ran at once at most, and how many have ended.
    #[derive(Default)]
    struct Runs {
        let_go: AtomicBool,
        running: AtomicUsize,
        most: AtomicUsize,
        ended: AtomicUsize,
    }

    impl Runs {
        fn run(&self) -> usize {
            let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            while !self.let_go.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
            self.running.fetch_sub(1, Ordering::SeqCst);
            self.ended.fetch_add(1, Ordering::SeqCst) + 1
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_gives_up_and_asks_again_waits_for_the_same_computation() {
        let (computer, slot, runs) = (Computer::new(), Slot::default(), Arc::new(Runs::default()));
        let ask = || {
            let (computer, runs) = (computer.clone(), runs.clone());
            shared(slot.clone(), |_| true, async move { computer.run(move || runs.run()).await })
        };
        for _ in 0..10 {
            assert!(timeout(Duration::from_millis(10), ask()).await.is_err(), "nobody is answered yet");
            assert_eq!(slot.last(), None, "nothing was found yet, and whoever wants to know that does not wait");
        }
        runs.let_go.store(true, Ordering::SeqCst);
        // Many at once, with patience: all are given what those who gave up have left behind.
        for found in futures_util::future::join_all((0..10).map(|_| ask())).await {
            assert_eq!(found.unwrap(), 1);
        }
        assert_eq!((runs.most.load(Ordering::SeqCst), runs.ended.load(Ordering::SeqCst)), (1, 1));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn only_a_few_run_at_a_time_also_when_nobody_waits_for_them() {
        let (computer, runs) = (Computer::new(), Arc::new(Runs::default()));
        let allowed = computer.0.available_permits();
        let run = || {
            let runs = runs.clone();
            computer.run(move || runs.run())
        };
        // As many as may run are begun and given up; the others are given up before they have begun, and never run.
        for _ in 0..4 * allowed {
            assert!(timeout(Duration::from_millis(10), run()).await.is_err(), "nobody is answered yet");
        }
        runs.let_go.store(true, Ordering::SeqCst);
        run().await.unwrap();
        let all = computer.0.acquire_many(allowed as u32).await.unwrap();
        assert_eq!(runs.ended.load(Ordering::SeqCst), allowed + 1);
        assert!(runs.most.load(Ordering::SeqCst) <= allowed);
        drop(all);
    }

    #[tokio::test]
    async fn what_is_old_and_nobody_uses_is_let_go_when_there_is_something_new() {
        let all = Slots::default();
        let old = |&made: &u8| made < 5;
        let kept = |all: &Slots<char, u8>| {
            let mut keys: Vec<char> = all.lock().unwrap().keys().copied().collect();
            keys.sort_unstable();
            keys
        };
        for (key, made) in [('a', 1), ('b', 9), ('c', 1)] {
            shared(slot(&all, key, |_| false), |_| false, async move { Ok(made) }).await.unwrap();
        }
        let used = slot(&all, 'c', old);
        assert_eq!(kept(&all), ['a', 'b', 'c'], "nothing is new");
        slot(&all, 'd', old);
        assert_eq!(kept(&all), ['b', 'c', 'd'], "young, used and new");
        drop(used);
        slot(&all, 'e', old);
        assert_eq!(kept(&all), ['b', 'e'], "and what has never been filled");
    }

    #[tokio::test]
    async fn what_will_not_do_is_made_again_and_what_failed_is_tried_again() {
        let slot = Slot::default();
        let bad = async { Err(Problem::new("internal", "on purpose")) };
        assert!(shared(slot.clone(), |_: &u8| true, bad).await.is_err());
        let panics = async { panic!("on purpose") };
        assert!(shared(slot.clone(), |_: &u8| true, panics).await.is_err());
        assert_eq!(shared(slot.clone(), |_| true, async { Ok(1_u8) }).await.unwrap(), 1);
        assert_eq!(shared(slot.clone(), |_| true, async { Ok(2) }).await.unwrap(), 1);
        assert_eq!(shared(slot, |&found| found > 1, async { Ok(3) }).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn what_takes_long_is_computed_beside_whoever_asks() {
        let (slot, wait) = (Slot::default(), Duration::from_millis(5));
        let (end, ended) = tokio::sync::oneshot::channel();
        let slow = async move { Ok(ended.await.unwrap_or(0_u8)) };
        // Nobody waits longer than that, neither for the first time nor again, and only one computation is begun.
        assert_eq!(at_hand(slot.clone(), |_| true, wait, slow).await.unwrap(), None);
        assert_eq!(at_hand(slot.clone(), |_| true, wait, async { Ok(9) }).await.unwrap(), None);
        // Not even that long, once it is under way for longer.
        assert!(slot.under_way().unwrap() >= wait);
        end.send(1).unwrap();
        let patient = Duration::from_mins(1);
        assert_eq!(at_hand(slot.clone(), |_| true, patient, async { Ok(9) }).await.unwrap(), Some(1));
        assert_eq!(slot.under_way(), None);
        // The last one has to do where there is no other yet, and what is quick is waited for.
        let never = std::future::pending();
        let asked = at_hand(slot.clone(), |&found| found > 1, Duration::ZERO, never);
        assert_eq!(timeout(patient, asked).await.unwrap().unwrap(), Some(1));
        assert_eq!(at_hand(Slot::default(), |_| true, patient, async { Ok(2) }).await.unwrap(), Some(2));
    }
}
