//! Plays all runs of a plan on several threads: what is finished is written down at once, Ctrl-C is heeded.

use super::journal::{Entry, Journal};
use crate::failure::Failure;
use crate::output::numbers::rate;
use borduel::Policy;
use borduel::experiment::Plan;
use cpu_time::ThreadTime;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

/// Set when somebody wants the program to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C, or a polite kill, stops after the rounds in hand; a second one stops at once.
pub(crate) fn heed_interrupts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Where no handler can be set, the journal still keeps what is finished.
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
}

/// Rounds between two looks at the clock and at Ctrl-C.
const SLICE: u64 = 1 << 15;

/// Plays what the journal does not hold yet; returns all runs in their order, or what is known when stopped.
pub(crate) fn play(
    plan: &Plan,
    journal: Journal,
    known: Vec<Entry>,
    jobs: usize,
    quiet: bool,
) -> Result<Vec<Entry>, Failure> {
    let mut runs: Vec<Option<Entry>> = vec![None; plan.jobs()];
    for entry in known {
        let job = entry.job;
        // A journal of the same fingerprint has no more jobs than the plan.
        if let Some(place) = runs.get_mut(job) {
            *place = Some(entry);
        }
    }
    let missing: Vec<usize> = (0..runs.len()).filter(|job| runs[*job].is_none()).collect();
    let bar = progress(plan, &missing, quiet);
    let next = AtomicUsize::new(0);
    let (halt, desk) = (AtomicBool::new(false), Mutex::new(Desk { journal, runs, failure: None }));
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(missing.len()) {
            scope.spawn(|| {
                while let Some(job) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let stopped = || halt.load(Ordering::Relaxed) || STOP.load(Ordering::Relaxed);
                    let Some(played) = one(plan, *job, &bar, stopped) else { return };
                    let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Err(failure) = desk.take(played) {
                        desk.failure.get_or_insert(failure);
                        halt.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    bar.finish_and_clear();
    let desk = desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = desk.failure {
        return Err(failure);
    }
    let (total, finished): (usize, Vec<Entry>) = (desk.runs.len(), desk.runs.into_iter().flatten().collect());
    if finished.len() < total {
        return Err(Failure::Interrupted(format!("stopped with {} of {total} runs finished", finished.len())));
    }
    Ok(finished)
}

/// Where finished runs are handed in.
struct Desk {
    journal: Journal,
    runs: Vec<Option<Entry>>,
    failure: Option<Failure>,
}

impl Desk {
    fn take(&mut self, played: Result<Entry, Failure>) -> Result<(), Failure> {
        let entry = played?;
        self.journal.add(&entry)?;
        let job = entry.job;
        self.runs[job] = Some(entry);
        Ok(())
    }
}

/// One run; nothing if it was stopped.
fn one(plan: &Plan, job: usize, bar: &ProgressBar, stopped: impl Fn() -> bool) -> Option<Result<Entry, Failure>> {
    let clock = ThreadTime::now();
    let mut run = match plan.start(job) {
        Ok(run) => run,
        Err(error) => return Some(Err(Failure::Internal(error.to_string()))),
    };
    let setup = clock.elapsed();
    let (clock, horizon) = (ThreadTime::now(), plan.horizon(job));
    while run.round() < horizon {
        if stopped() {
            return None;
        }
        let before = run.round();
        // A policy that has committed itself passes the rest in one stride.
        let end = if run.policy.committed().is_some() { horizon } else { horizon.min(before + SLICE) };
        plan.advance(job, &mut run, end);
        bar.inc(end - before);
    }
    let seconds = clock.elapsed().as_secs_f64();
    Some(Ok(Entry { job, seconds, setup: setup.as_secs_f64(), finished: plan.finish(job, &run) }))
}

/// A bar on standard error, if that is a terminal.
fn progress(plan: &Plan, missing: &[usize], quiet: bool) -> ProgressBar {
    let rounds = missing.iter().fold(0_u64, |sum, job| sum.saturating_add(plan.horizon(*job)));
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(rounds), target);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {speed}  {eta} left") {
        // A bar that cannot be written is not worth an error.
        let speed = |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{} rounds", rate(state.per_sec()));
        };
        bar.set_style(style.with_key("speed", speed));
    }
    bar.set_message(plan.experiment().name.clone());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
