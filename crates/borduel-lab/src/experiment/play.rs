//! Plays all runs of a plan on several threads: what is finished is written down at once, and a flag stops it.

use super::clock::Clock;
use super::journal::Journal;
use super::runs::Entry;
use crate::failure::Failure;
use borduel::experiment::Plan;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Rounds between two looks at the flag.
const SLICE: u64 = 1 << 15;

/// How often progress is told.
const TICK: Duration = Duration::from_millis(100);

/// Rounds that are still to be played, in all runs that the journal does not hold.
pub fn rounds_left(plan: &Plan, journal: &Journal) -> u64 {
    journal.runs().missing().fold(0, |sum, job| sum.saturating_add(plan.horizon(job)))
}

/// Plays what the journal does not hold yet, after which it holds all runs.
///
/// Runs are played on threads of their own; the calling thread waits and, ten times a second, tells `progress` how many
/// rounds have been played since the start. When `stop` is set, by `progress` or by anybody else, no further rounds are
/// begun; what is finished stays in the journal, and the same call goes on from there. No signal is handled here and
/// nothing is printed.
///
/// # Errors
/// [`Failure::Interrupted`] if it was stopped before all runs were finished; a journal that cannot be written.
pub fn play(
    plan: &Plan,
    journal: &mut Journal,
    threads: usize,
    stop: &AtomicBool,
    progress: &dyn Fn(u64),
) -> Result<(), Failure> {
    play_those(plan, journal, threads, stop, progress, |_| true)?;
    let (finished, total) = (journal.runs().len(), plan.jobs());
    if finished < total {
        return Err(Failure::Interrupted(format!("stopped with {finished} of {total} runs finished")));
    }
    Ok(())
}

/// The same for those runs that are `wanted`: others may be played elsewhere, by [`one`].
///
/// # Errors
/// A journal that cannot be written. That it was stopped is none: the journal tells.
pub fn play_those(
    plan: &Plan,
    journal: &mut Journal,
    threads: usize,
    stop: &AtomicBool,
    progress: &dyn Fn(u64),
    wanted: impl Fn(usize) -> bool,
) -> Result<(), Failure> {
    let missing: Vec<usize> = journal.runs().missing().filter(|job| wanted(*job)).collect();
    let workers = threads.max(1).min(missing.len());
    let (next, halt, rounds) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicU64::new(0));
    let collector =
        Collector { books: Mutex::new(Books { journal, failure: None, working: workers }), news: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                // Signs off whatever happens in here, so that nobody waits for a thread that has gone.
                let collector = SignOff(&collector);
                while let Some(job) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let stopped = || halt.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed);
                    let Some(played) = one(plan, *job, &rounds, stopped) else { return };
                    if !collector.0.take(played) {
                        halt.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
        collector.wait(|| progress(rounds.load(Ordering::Relaxed)));
    });
    let Books { failure, .. } = collector.books.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(()), Err)
}

/// Where finished runs are handed in.
struct Collector<'a> {
    books: Mutex<Books<'a>>,
    /// Somebody has signed off.
    news: Condvar,
}

struct Books<'a> {
    journal: &'a mut Journal,
    failure: Option<Failure>,
    /// Threads at work.
    working: usize,
}

impl<'a> Collector<'a> {
    fn books(&self) -> MutexGuard<'_, Books<'a>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a run down; `false` if that, or the run, failed.
    fn take(&self, played: Result<Entry, Failure>) -> bool {
        let mut books = self.books();
        match played.and_then(|entry| books.journal.add(&entry)) {
            Ok(()) => true,
            Err(failure) => {
                books.failure.get_or_insert(failure);
                false
            }
        }
    }

    /// Waits until all threads have signed off, and does something every so often and at the end.
    fn wait(&self, tick: impl Fn()) {
        let mut books = self.books();
        while books.working > 0 {
            books = self.news.wait_timeout(books, TICK).unwrap_or_else(PoisonError::into_inner).0;
            // Not while holding the books: whoever hands in need not wait for whoever watches.
            drop(books);
            tick();
            books = self.books();
        }
    }
}

struct SignOff<'d, 'a>(&'d Collector<'a>);

impl Drop for SignOff<'_, '_> {
    fn drop(&mut self) {
        self.0.books().working -= 1;
        self.0.news.notify_all();
    }
}

/// One run, on the calling thread; nothing if it was stopped. `rounds` goes up by those that were played.
pub fn one(plan: &Plan, job: usize, rounds: &AtomicU64, stopped: impl Fn() -> bool) -> Option<Result<Entry, Failure>> {
    let clock = Clock::of_thread();
    let mut run = match plan.start(job) {
        Ok(run) => run,
        Err(error) => return Some(Err(Failure::Internal(error.to_string()))),
    };
    let setup = clock.seconds();
    let (clock, horizon) = (Clock::of_thread(), plan.horizon(job));
    while run.round() < horizon {
        if stopped() {
            return None;
        }
        let before = run.round();
        // A policy that has committed itself passes the rest in one stride.
        let end = if run.is_committed() { horizon } else { horizon.min(before + SLICE) };
        run.until(end);
        rounds.fetch_add(end - before, Ordering::Relaxed);
    }
    Some(Ok(Entry { job, seconds: clock.seconds(), setup, finished: run.finish() }))
}
