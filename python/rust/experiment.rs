//! Experiments: a plan of independent jobs, played here, on threads or elsewhere, to the bytes of the command line.

use crate::errors;
use crate::foreign::{Foreign, Maker};
use crate::problem::{Problem, json, parse};
use crate::watch::{Watch, interruptible};
use borduel::experiment::{Finished, Results};
use borduel::{Duel, Experiment};
use borduel_lab::Failure;
use borduel_lab::experiment::file;
use borduel_lab::experiment::folder::Folder;
use borduel_lab::experiment::journal::Journal as Written;
use borduel_lab::experiment::perform;
use borduel_lab::experiment::play::{one, play_those, rounds_left};
use borduel_lab::experiment::prepare::{Prepared, prepare_with};
use borduel_lab::experiment::runs::{Entry, Runs};
use borduel_report::experiment::{Chapter, page};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// An experiment file as JSON.
#[pyfunction]
pub(crate) fn json_of(text: &str) -> PyResult<String> {
    let experiment = file::from_toml(text).map_err(|text| errors::setting_in_words(&text))?;
    serde_json::to_string(&experiment).map_err(|error| errors::data(&error.to_string()))
}

/// An experiment in JSON as a file; what is not set is written out.
#[pyfunction]
pub(crate) fn toml_of(text: &str) -> PyResult<String> {
    toml::to_string(&experiment_of(text)?).map_err(|error| errors::data(&error.to_string()))
}

fn experiment_of(text: &str) -> PyResult<Experiment> {
    file::from_json(parse(text.as_bytes())?).map_err(|text: String| errors::setting_in_words(&text))
}

/// The results of several experiments on the same worlds and answers, as those of one.
#[pyfunction]
pub(crate) fn join(py: Python<'_>, results: Vec<Vec<u8>>) -> PyResult<Bound<'_, PyBytes>> {
    let mut all = results.iter().map(|bytes| parse::<Results>(bytes)).collect::<PyResult<Vec<_>>>()?.into_iter();
    let first = all.next().ok_or_else(|| errors::data("there is nothing to join"))?;
    let joined = first.join(all.collect()).map_err(|error| errors::data(&error.to_string()))?;
    Ok(PyBytes::new(py, &line(&joined)?))
}

/// The figure of some results.
#[pyfunction]
pub(crate) fn figure(results: &[u8]) -> PyResult<String> {
    Ok(borduel_report::experiment::figure(&parse(results)?, usize::MAX).standalone())
}

/// A policy of one's own: name, label, and a function that makes it of a problem and a generator.
type Own = (String, String, Py<PyAny>);

/// An experiment that is ready to run: ``len(plan)`` independent jobs.
///
/// Examples
/// --------
/// >>> import borduel as bd
/// >>> experiment = bd.Experiment({"kind": "hard", "d": 2}, ["uniform", "dexp3"], runs=2, horizons=500)
/// >>> plan = experiment.plan()
/// >>> len(plan)
/// 4
/// >>> results = plan.collect([plan.run(job) for job in range(len(plan))])
/// >>> results == experiment.run(progress=None)
/// True
#[pyclass(module = "borduel._core", frozen, subclass)]
pub(crate) struct Plan {
    prepared: Arc<Prepared>,
    own: Vec<Own>,
    /// The first exception of a policy of one's own.
    trouble: Arc<Mutex<Option<PyErr>>>,
}

impl Plan {
    fn is_own(&self, job: usize) -> bool {
        let plan = &self.prepared.plan;
        plan.config(plan.combination(job)).is_none()
    }

    fn trouble(&self) -> PyResult<()> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    /// One run on this thread, with looks for Ctrl-C in between.
    fn play_here(&self, py: Python<'_>, job: usize, watch: &Watch, rounds: &AtomicU64) -> PyResult<Entry> {
        let plan = &self.prepared.plan;
        let own = self.is_own(job);
        let stopped = || {
            watch.tick(rounds.load(Ordering::Relaxed));
            watch.stop.load(Ordering::Relaxed)
        };
        // A policy in Python is called all the time: giving way in between would only cost.
        let played = if own { one(plan, job, rounds, stopped) } else { py.detach(|| one(plan, job, rounds, stopped)) };
        self.trouble()?;
        match played {
            Some(entry) => entry.map_err(|failure| errors::failure(&failure)),
            None => {
                Err(watch.trouble().unwrap_or_else(|| errors::failure(&Failure::Interrupted("stopped".to_owned()))))
            }
        }
    }

    fn checked(&self, job: usize) -> PyResult<()> {
        let jobs = self.prepared.plan.jobs();
        if job < jobs {
            Ok(())
        } else {
            Err(PyIndexError::new_err(format!("there is no job {job}: the plan has {jobs}")))
        }
    }

    fn chapter<'a>(&'a self, results: &'a Results, command: &'a str) -> Chapter<'a> {
        Chapter { results, worlds: self.prepared.plan.worlds(), command }
    }
}

fn line(results: &Results) -> PyResult<Vec<u8>> {
    let mut bytes = json(results)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[pymethods]
impl Plan {
    /// Makes all instances and policies of an experiment in JSON, with policies of one's own beside them.
    #[new]
    #[pyo3(signature = (experiment, own = Vec::new(), held = BTreeMap::new()))]
    fn new(py: Python<'_>, experiment: &str, own: Vec<Own>, held: BTreeMap<String, Vec<u8>>) -> PyResult<Self> {
        let experiment = experiment_of(experiment)?;
        let trouble = Arc::new(Mutex::new(None));
        let makes: Vec<Own> =
            own.iter().map(|(name, label, make)| (name.clone(), label.clone(), make.clone_ref(py))).collect();
        let found = trouble.clone();
        let prepared = interruptible(py, move || {
            prepare_with(&experiment, held, |plan| {
                for (name, label, make) in &makes {
                    plan.add_policy(name, label, |problem, _| {
                        let maker = Python::attach(|py| Maker::new(py, make.clone_ref(py), problem, found.clone()));
                        let maker = maker.map_err(|error| borduel::Error::Data(error.to_string()))?;
                        Ok(Foreign::new(Arc::new(maker), problem.items()))
                    })?;
                }
                Ok(())
            })
        })?;
        let prepared = Arc::new(prepared.map_err(|error| errors::core(&error))?);
        Ok(Self { prepared, own, trouble })
    }

    fn __len__(&self) -> usize {
        self.prepared.plan.jobs()
    }

    /// Of the version, the experiment, and the files that it reads: what a journal belongs to.
    #[getter]
    fn fingerprint(&self) -> PyResult<String> {
        self.prepared.fingerprint().map_err(|error| errors::core(&error))
    }

    /// The experiment in JSON.
    #[getter]
    fn experiment(&self) -> PyResult<String> {
        serde_json::to_string(self.prepared.plan.experiment()).map_err(|error| errors::data(&error.to_string()))
    }

    /// The number of rounds of a job.
    fn horizon(&self, job: usize) -> PyResult<u64> {
        self.checked(job)?;
        Ok(self.prepared.plan.horizon(job))
    }

    /// Plays one job and returns what is kept of it; pure, so that it can be done anywhere.
    fn run<'py>(&self, py: Python<'py>, job: usize) -> PyResult<Bound<'py, PyBytes>> {
        self.checked(job)?;
        let watch = Watch::new(None, self.prepared.plan.horizon(job));
        let entry = self.play_here(py, job, &watch, &AtomicU64::new(0))?;
        Ok(PyBytes::new(py, &json(&entry.finished)?))
    }

    /// The results of all jobs, in their order, as the bytes of the command's ``results.json``.
    fn _collect<'py>(&self, py: Python<'py>, finished: Vec<Bound<'_, PyBytes>>) -> PyResult<Bound<'py, PyBytes>> {
        let plan = &self.prepared.plan;
        if finished.len() != plan.jobs() {
            let (found, needed) = (finished.len(), plan.jobs());
            return Err(errors::data(&format!("{found} jobs are finished, the plan has {needed}")));
        }
        let mut outcomes = Vec::with_capacity(finished.len());
        for (job, bytes) in finished.iter().enumerate() {
            outcomes.push(accepted(&self.prepared, job, bytes.as_bytes())?);
        }
        let results = py.detach(|| plan.collect(&outcomes));
        Ok(PyBytes::new(py, &line(&results)?))
    }

    /// Plays everything on threads, into a directory if there is one, and returns the bytes of ``results.json``.
    #[pyo3(signature = (out = None, jobs = None, force = false, progress = None))]
    fn _play<'py>(
        &self,
        py: Python<'py>,
        out: Option<PathBuf>,
        jobs: Option<usize>,
        force: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let plan = &self.prepared.plan;
        let (folder, mut runs) = self.opened(out.as_deref(), force)?;
        let watch = Watch::new(progress, rounds_left(plan, &runs));
        let threads = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let rounds = AtomicU64::new(0);
        let played = py.detach(|| {
            let told = |played| {
                rounds.store(played, Ordering::Relaxed);
                watch.tick(played);
            };
            play_those(plan, &mut runs, threads, &watch.stop, &told, |job| !self.is_own(job))
        });
        if let Some(error) = watch.trouble() {
            return Err(error);
        }
        played.map_err(|failure| errors::failure(&failure))?;
        let missing: Vec<usize> = runs.runs().missing().collect();
        for job in missing {
            let entry = self.play_here(py, job, &watch, &rounds)?;
            runs.add(&entry).map_err(|failure| errors::failure(&failure))?;
        }
        self.finish(py, runs.runs(), folder.as_ref())
    }

    /// The page of some results.
    fn page(&self, results: &[u8]) -> PyResult<String> {
        let results: Results = parse(results)?;
        Ok(page(&results.experiment.name, &[self.chapter(&results, "")], &[]))
    }

    /// The journal of a directory, or one that is kept in memory, to which runs that were played elsewhere are added.
    #[pyo3(signature = (out = None, force = false))]
    fn _journal(&self, out: Option<PathBuf>, force: bool) -> PyResult<Journal> {
        let opened = self.opened(out.as_deref(), force)?;
        Ok(Journal { prepared: self.prepared.clone(), opened: Mutex::new(Some(opened)) })
    }

    /// Collects what a journal holds, writes everything that comes of it to its directory, and closes the journal.
    fn _publish<'py>(&self, py: Python<'py>, journal: &Bound<'_, Journal>) -> PyResult<Bound<'py, PyBytes>> {
        let (folder, journal) = journal.get().take()?;
        let (finished, all) = (journal.runs().len(), self.prepared.plan.jobs());
        if finished != all {
            return Err(PyValueError::new_err(format!("{finished} of {all} runs are finished")));
        }
        self.finish(py, journal.runs(), folder.as_ref())
    }

    /// How many instances there are.
    #[getter]
    fn _worlds(&self) -> usize {
        self.prepared.plan.worlds().len()
    }

    /// An instance: its label, problem, winners, and Borda scores in the first round.
    fn _world(&self, py: Python<'_>, world: usize) -> PyResult<(String, Py<Problem>, Vec<usize>, Vec<f64>)> {
        let world = self.prepared.plan.worlds().get(world).ok_or_else(|| PyIndexError::new_err("no such instance"))?;
        let problem = Py::new(py, Problem::unnamed(world.problem().clone()))?;
        Ok((world.label().to_owned(), problem, world.winners().to_vec(), world.environment().scores(1)))
    }

    /// p(i, j) of an instance in a round.
    fn _probability(&self, world: usize, i: usize, j: usize, round: u64) -> PyResult<f64> {
        let world = self.prepared.plan.worlds().get(world).ok_or_else(|| PyIndexError::new_err("no such instance"))?;
        let last = world.problem().items() - 1;
        match [i, j].into_iter().find(|item| *item > last) {
            Some(item) => Err(errors::core(&borduel::Error::NoSuchItem { item, last })),
            None => Ok(world.environment().probability(round.max(1), Duel(i, j))),
        }
    }

    fn __repr__(&self) -> String {
        let plan = &self.prepared.plan;
        format!("Plan({} jobs: {} combinations, {} runs)", plan.jobs(), plan.combinations(), plan.experiment().runs)
    }

    /// The experiment, policies of one's own, and the files that it reads.
    #[allow(clippy::type_complexity, reason = "the shape is Python's")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (String, Vec<Own>, BTreeMap<String, Py<PyBytes>>))> {
        let (own, py) = (slf.get(), slf.py());
        let policies = own.own.iter().map(|(name, label, make)| (name.clone(), label.clone(), make.clone_ref(py)));
        let mut held = BTreeMap::new();
        for path in &own.prepared.inputs {
            let bytes = std::fs::read(path)?;
            held.insert(path.to_string_lossy().into_owned(), PyBytes::new(py, &bytes).unbind());
        }
        Ok((slf.get_type().into_any(), (own.experiment()?, policies.collect(), held)))
    }
}

impl Plan {
    /// A directory, if there is one, and the journal in it.
    fn opened(&self, out: Option<&Path>, force: bool) -> PyResult<Opened> {
        let Some(path) = out else { return Ok((None, Written::in_memory(&self.prepared.plan))) };
        let opened = perform::open(&self.prepared, path, force).map_err(|failure| errors::failure(&failure));
        opened.map(|(folder, journal)| (Some(folder), journal))
    }

    /// What comes of all runs; written to the directory, where there is one.
    fn finish<'py>(&self, py: Python<'py>, runs: &Runs, folder: Option<&Folder>) -> PyResult<Bound<'py, PyBytes>> {
        let results = py.detach(|| {
            let (results, times) = perform::collect(&self.prepared, runs)?;
            if let Some(folder) = folder {
                // What has policies of Python's in it cannot be made again by a command.
                let file = folder.file("experiment.toml");
                let command =
                    if self.own.is_empty() { format!("borduel run {}", file.display()) } else { String::new() };
                perform::publish(self.chapter(&results, &command), &times, folder)?;
            }
            Ok(results)
        });
        let results = results.map_err(|failure: Failure| errors::failure(&failure))?;
        Ok(PyBytes::new(py, &line(&results)?))
    }
}

/// A directory, if there is one, and the journal in it.
type Opened = (Option<Folder>, Written);

/// The journal of an experiment in its directory or in memory, open for runs that were played elsewhere.
#[pyclass(module = "borduel._core", frozen)]
pub(crate) struct Journal {
    prepared: Arc<Prepared>,
    opened: Mutex<Option<Opened>>,
}

impl Journal {
    fn take(&self) -> PyResult<Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(closed)
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("the journal is closed")
}

#[pymethods]
impl Journal {
    /// The jobs that are not finished, as ranges: first, and the one after the last.
    fn missing(&self) -> PyResult<Vec<(usize, usize)>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, journal) = opened.as_ref().ok_or_else(closed)?;
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for job in journal.runs().missing() {
            match ranges.last_mut() {
                Some((_, end)) if *end == job => *end += 1,
                _ => ranges.push((job, job + 1)),
            }
        }
        Ok(ranges)
    }

    /// How many rounds those jobs have.
    fn rounds_left(&self) -> PyResult<u64> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, journal) = opened.as_ref().ok_or_else(closed)?;
        Ok(rounds_left(&self.prepared.plan, journal))
    }

    /// Adds a run: what `Plan.run` returned, and how many seconds it took.
    fn add(&self, job: usize, finished: &[u8], seconds: f64) -> PyResult<()> {
        let finished = accepted(&self.prepared, job, finished)?;
        let entry = Entry { job, seconds, setup: 0.0, finished };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, journal) = opened.as_mut().ok_or_else(closed)?;
        journal.add(&entry).map_err(|failure| errors::failure(&failure))
    }

    /// Closes it; what is finished stays.
    fn close(&self) {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// What `Plan.run` returned for a job, if it can have come of it.
fn accepted(prepared: &Prepared, job: usize, finished: &[u8]) -> PyResult<Finished> {
    let (finished, plan) = (parse::<Finished>(finished)?, &prepared.plan);
    if job < plan.jobs() && plan.accepts(job, &finished) {
        Ok(finished)
    } else {
        Err(errors::data(&format!("what stands in the place of job {job} cannot have come of it")))
    }
}
