//! Policies written in Python, played by the engine of Rust beside the built-in ones on the same random numbers.

use crate::problem::Problem;
use borduel::policy::{Policy, Resolved};
use borduel::{Duel, FixedDuel, Outcome, Proposal, Stream};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// How often `committed` is looked at, in answers.
const LOOK: u64 = 256;

/// How a policy is made: a function of the problem and a random generator; and the first exception that came of it.
pub(crate) struct Maker {
    make: Py<PyAny>,
    problem: Py<Problem>,
    trouble: Arc<Mutex<Option<PyErr>>>,
}

/// One policy of a replication.
struct Hand {
    object: Py<PyAny>,
    ask: Py<PyAny>,
    tell: Py<PyAny>,
    cancel: Option<Py<PyAny>>,
    scores: Option<Py<PyAny>>,
    /// Whether it may say that it has committed itself.
    commits: bool,
}

/// A policy in Python.
#[derive(Clone)]
pub(crate) struct Foreign {
    maker: Arc<Maker>,
    hand: Option<Arc<Hand>>,
    /// Questions asked, answers told.
    asked: u64,
    told: u64,
    rest: Option<Duel>,
    /// What every item won, and of how many answers: its score where the policy has no scores of its own.
    won: Vec<(f64, f64)>,
}

impl Maker {
    pub(crate) fn new(
        py: Python<'_>,
        make: Py<PyAny>,
        problem: &borduel::Problem,
        trouble: Arc<Mutex<Option<PyErr>>>,
    ) -> PyResult<Self> {
        Ok(Self { make, problem: Py::new(py, Problem::unnamed(problem.clone()))?, trouble })
    }

    /// Makes a policy whose random numbers come from this word.
    fn hand(&self, word: u64) -> PyResult<Hand> {
        Python::attach(|py| {
            let random = py.import("numpy")?.getattr("random")?;
            let bits = random.call_method1("PCG64", (word,))?;
            let generator = random.call_method1("Generator", (bits,))?;
            let object = self.make.bind(py).call1((&self.problem, generator))?;
            let optional = |name: &str| object.getattr_opt(name).map(|found| found.map(Bound::unbind));
            Ok(Hand {
                ask: object.getattr("ask")?.unbind(),
                tell: object.getattr("tell")?.unbind(),
                cancel: optional("cancel")?,
                scores: optional("scores")?,
                commits: object.hasattr("committed")?,
                object: object.unbind(),
            })
        })
    }
}

impl Foreign {
    /// Before its first question.
    pub(crate) fn new(maker: Arc<Maker>, items: usize) -> Self {
        Self { maker, hand: None, asked: 0, told: 0, rest: None, won: vec![(0.0, 0.0); items] }
    }

    /// Does something with the policy; after an exception it rests, so that the run is soon over.
    fn with<T>(&mut self, work: impl FnOnce(Python<'_>, &Hand) -> PyResult<T>) -> Option<T> {
        let hand = self.hand.clone()?;
        match Python::attach(|py| work(py, &hand)) {
            Ok(done) => Some(done),
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    fn fail(&mut self, error: PyErr) {
        self.maker.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.rest = Some(Duel(0, 0));
        self.hand = None;
    }

    fn look(&mut self, items: usize) {
        let committed = self.with(|py, hand| {
            let pair = hand.object.getattr(py, intern!(py, "committed"))?;
            let pair: Option<(usize, usize)> = pair.extract(py)?;
            pair.map(|(left, right)| checked(left, right, items)).transpose()
        });
        if let Some(Some(duel)) = committed {
            self.rest = Some(duel);
        }
    }
}

fn checked(left: usize, right: usize, items: usize) -> PyResult<Duel> {
    if left < items && right < items {
        return Ok(Duel(left, right));
    }
    let last = items - 1;
    Err(PyValueError::new_err(format!("the policy asked about ({left}, {right}): the problem has items 0 to {last}")))
}

impl Policy for Foreign {
    fn ask(&mut self, problem: &borduel::Problem) -> Proposal {
        self.asked += 1;
        let duel = match self.rest {
            Some(duel) => Some(duel),
            None => self.with(|py, hand| {
                // Where every question has a context, it is shown with its items as they are in it.
                let asked = match problem.context() {
                    None => hand.ask.call0(py),
                    Some(_) => hand.ask.call1(py, (Problem::unnamed(problem.clone()),)),
                };
                let (left, right) = asked?.extract(py)?;
                checked(left, right, problem.items())
            }),
        };
        Proposal::new(self.asked, duel.unwrap_or(Duel(0, 0)), None)
    }

    fn tell(&mut self, problem: &borduel::Problem, proposal: &Proposal, outcome: Outcome) {
        if self.rest.is_some() {
            return;
        }
        let (Duel(left, right), reward) = (proposal.duel, outcome.reward());
        for (item, won) in [(left, reward), (right, 1.0 - reward)] {
            self.won[item].0 += won;
            self.won[item].1 += 1.0;
        }
        self.with(|py, hand| hand.tell.call1(py, (left, right, reward)).map(drop));
        self.told += 1;
        if self.told.is_multiple_of(LOOK) && self.hand.as_ref().is_some_and(|hand| hand.commits) {
            self.look(problem.items());
        }
    }

    fn cancel(&mut self, _: &borduel::Problem, proposal: &Proposal) {
        let Duel(left, right) = proposal.duel;
        self.with(|py, hand| hand.cancel.as_ref().map_or(Ok(()), |cancel| cancel.call1(py, (left, right)).map(drop)));
    }

    fn fixed_until(&self) -> Option<FixedDuel> {
        self.rest.map(FixedDuel::for_good)
    }

    fn skip(&mut self, rounds: u64) {
        self.asked += rounds;
    }

    fn reseed(&mut self, mut stream: Stream) {
        match self.maker.hand(stream.bits()) {
            Ok(hand) => self.hand = Some(Arc::new(hand)),
            Err(error) => self.fail(error),
        }
    }

    fn scores(&self, _: &borduel::Problem, out: &mut [f64]) {
        for (score, (won, asked)) in out.iter_mut().zip(&self.won) {
            *score = if *asked > 0.0 { won / asked } else { 0.0 };
        }
        let Some(hand) = self.hand.as_ref() else { return };
        let Some(scores) = &hand.scores else { return };
        let own = Python::attach(|py| {
            let scores = crate::arrays::float_list(scores.call0(py)?.bind(py), "scores")?;
            if scores.len() == out.len() {
                out.copy_from_slice(&scores);
                return Ok(());
            }
            Err(PyValueError::new_err(format!("{} scores for {} items", scores.len(), out.len())))
        });
        if let Err(error) = own {
            self.maker.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn settings(&self) -> Vec<Resolved> {
        Vec::new()
    }
}
