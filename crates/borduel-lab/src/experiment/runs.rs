//! Finished runs, by number: what is said of each, and their curves.

use super::curves::Curves;
use super::sources::fingerprint;
use crate::failure::Failure;
use borduel::experiment::{Finished, Plan, RunStore};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// A finished run, as it stands in the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The number of the job in its plan.
    pub job: usize,
    /// CPU seconds spent in its rounds.
    pub seconds: f64,
    /// CPU seconds spent before its first round.
    pub setup: f64,
    /// What came of it.
    pub finished: Finished,
}

/// The finished runs of a plan. What is kept in memory does not grow with their curves.
#[derive(Debug)]
pub struct Runs {
    /// The summaries, by number of the job.
    summaries: Vec<Option<RunSummary>>,
    count: usize,
    combinations: usize,
    curves: Curves,
    /// What runs with contexts have found, by job.
    found: BTreeMap<usize, Vec<f64>>,
}

/// What is said of a run beside its curves.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunSummary {
    pub(super) seconds: f64,
    pub(super) setup: f64,
    pub(super) stepped: u64,
    estimate: usize,
    /// Of everything that came of it.
    print: u64,
}

/// What became of a run that was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// It was missing.
    New,
    /// It was there, and said the same.
    Known,
    /// It was there, and said something else.
    Disputed,
}

impl Runs {
    /// None of the runs of a plan; curves for which there is no room in memory go to a file in this directory.
    pub(super) fn of(plan: &Plan, place: Option<&Path>) -> Self {
        let combinations = plan.combinations();
        let (summaries, curves) = (vec![None; plan.jobs()], Curves::new(combinations, place));
        Self { summaries, count: 0, combinations, curves, found: BTreeMap::new() }
    }

    /// How many are finished.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no run is finished yet.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether this one is.
    pub fn contains(&self, job: usize) -> bool {
        self.summaries.get(job).is_some_and(Option::is_some)
    }

    /// Those that are not, in their order.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        self.summaries.iter().enumerate().filter(|(_, said)| said.is_none()).map(|(job, _)| job)
    }

    /// What is said of all runs of a combination.
    pub(super) fn summaries_of(&self, combination: usize) -> impl Iterator<Item = &RunSummary> {
        self.summaries.iter().skip(combination).step_by(self.combinations).flatten()
    }

    /// Takes a run of the plan's shape.
    pub(super) fn take(&mut self, entry: &Entry) -> io::Result<Taken> {
        let Entry { job, seconds, setup, ref finished } = *entry;
        let print = print(finished);
        if let Some(known) = self.summaries[job] {
            return Ok(if known.print == print { Taken::Known } else { Taken::Disputed });
        }
        // There are at most `MOST_RUNS` of them.
        self.curves.add(job % self.combinations, (job / self.combinations) as u32, finished)?;
        let (estimate, stepped) = (finished.estimate, finished.stepped);
        self.summaries[job] = Some(RunSummary { seconds, setup, stepped, estimate, print });
        self.count += 1;
        if !finished.found.is_empty() {
            self.found.insert(job, finished.found.clone());
        }
        Ok(Taken::New)
    }

    /// Forgets a run, so that it is played again.
    pub(super) fn forget(&mut self, job: usize) {
        self.count -= usize::from(self.summaries[job].take().is_some());
    }
}

/// A fingerprint of what came of a run.
fn print(finished: &Finished) -> u64 {
    let curves = [&finished.regret].into_iter().chain(&finished.others).flatten().map(|regret| regret.to_bits());
    let found = finished.found.iter().map(|share| share.to_bits());
    let numbers = curves.chain([finished.estimate as u64, finished.stepped]).chain(found);
    fingerprint(&numbers.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
}

impl RunStore for Runs {
    type Error = Failure;

    fn regrets(&self, combination: usize, notion: usize, checkpoint: usize) -> Result<Vec<f64>, Failure> {
        let runs = self.summaries.len() / self.combinations;
        let found = self.curves.column(combination, notion, checkpoint, runs);
        found.map_err(|error| Failure::Internal(format!("finished runs that were put away cannot be read ({error})")))
    }

    fn estimates(&self, combination: usize) -> Vec<usize> {
        self.summaries_of(combination).map(|said| said.estimate).collect()
    }

    fn found(&self, combination: usize, notion: usize) -> Option<Vec<f64>> {
        let jobs = (combination..self.summaries.len()).step_by(self.combinations).filter(|job| self.contains(*job));
        jobs.map(|job| self.found.get(&job).and_then(|found| found.get(notion)).copied()).collect()
    }
}
