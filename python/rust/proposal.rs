//! Questions asked: tickets that come back once.

use crate::arrays::array;
use crate::errors;
use crate::problem::{json, parse};
use borduel::Duel;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::slice::PySliceIndices;
use pyo3::types::{PyBytes, PyList, PySlice, PyTuple};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a question was answered or cancelled.
enum Answered {
    /// Its own flag, in place: a question asked alone allocates nothing beyond itself.
    Alone(AtomicBool),
    /// Its place among those asked with it.
    Among(Arc<[AtomicBool]>, usize),
}

impl Answered {
    #[inline]
    fn flag(&self) -> &AtomicBool {
        match self {
            Self::Alone(flag) => flag,
            Self::Among(flags, at) => &flags[*at],
        }
    }

    fn get(&self) -> bool {
        self.flag().load(Ordering::Relaxed)
    }

    /// Says so; `false` if somebody did before.
    #[inline]
    fn set(&self) -> bool {
        !self.flag().swap(true, Ordering::Relaxed)
    }
}

/// A question: two items, and what its policy needs to learn from the answer. It unpacks: ``left, right = proposal``.
#[pyclass(module = "borduel", frozen)]
pub(crate) struct Proposal {
    pub(crate) inner: borduel::Proposal,
    /// The policy that asked.
    owner: u64,
    answered: Answered,
}

/// An answer is for the policy that asked, and the first one.
fn check(owner: u64, policy: u64, proposal: &borduel::Proposal) -> PyResult<()> {
    if owner == policy {
        return Ok(());
    }
    let borduel::Proposal { round, duel: Duel(left, right), .. } = *proposal;
    Err(errors::ProposalError::new_err(format!(
        "question {round} ({left} or {right}?) was asked by another policy: tell the one that asked"
    )))
}

fn used(round: u64) -> PyErr {
    errors::core(&borduel::Error::UsedTicket { number: round })
}

impl Proposal {
    pub(crate) fn new(inner: borduel::Proposal, owner: u64) -> Self {
        Self { inner, owner, answered: Answered::Alone(AtomicBool::new(false)) }
    }

    /// Takes it in as the policy's own, once.
    #[inline]
    pub(crate) fn hand_in(&self, policy: u64) -> PyResult<&borduel::Proposal> {
        check(self.owner, policy, &self.inner)?;
        if self.answered.set() { Ok(&self.inner) } else { Err(used(self.inner.round)) }
    }
}

#[pymethods]
impl Proposal {
    /// The item on the left, counted from 0.
    #[getter]
    fn left(&self) -> usize {
        self.inner.duel.0
    }

    /// The item on the right.
    #[getter]
    fn right(&self) -> usize {
        self.inner.duel.1
    }

    /// The context in which the two are shown, counted from 0; None where the problem has no contexts.
    #[getter]
    fn context(&self) -> Option<u32> {
        self.inner.context()
    }

    /// The number of the question, from 1.
    #[getter]
    fn round(&self) -> u64 {
        self.inner.round
    }

    /// The probability with which this pair was proposed, in its context if it has one; nan where the policy cannot
    /// tell.
    #[getter]
    fn propensity(&self) -> f64 {
        self.inner.propensity.unwrap_or(f64::NAN)
    }

    /// Whether it was answered or cancelled.
    #[getter]
    fn answered(&self) -> bool {
        self.answered.get()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Duel(left, right) = self.inner.duel;
        Ok(PyTuple::new(py, [left, right])?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        let borduel::Proposal { round, duel: Duel(left, right), .. } = self.inner;
        let context = self.context().map_or_else(String::new, |context| format!(", context={context}"));
        format!("Proposal(round={round}, left={left}, right={right}{context})")
    }

    #[allow(clippy::type_complexity, reason = "the shape is Python's")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, u64, bool))> {
        let own = slf.get();
        let bytes = PyBytes::new(slf.py(), &json(&own.inner)?);
        Ok((slf.get_type().getattr("_load")?, (bytes, own.owner, own.answered.get())))
    }

    /// What `__reduce__` wrote.
    #[staticmethod]
    fn _load(data: &[u8], owner: u64, answered: bool) -> PyResult<Self> {
        Ok(Self { inner: parse(data)?, owner, answered: Answered::Alone(AtomicBool::new(answered)) })
    }
}

/// Questions that were asked together: a sequence of proposals, and arrays of what they ask.
#[pyclass(module = "borduel", frozen, sequence)]
pub(crate) struct Proposals {
    pub(crate) inner: Vec<borduel::Proposal>,
    owner: u64,
    flags: Arc<[AtomicBool]>,
}

impl Proposals {
    pub(crate) fn new(inner: Vec<borduel::Proposal>, owner: u64) -> Self {
        let flags = inner.iter().map(|_| AtomicBool::new(false)).collect();
        Self { inner, owner, flags }
    }

    /// One of them.
    fn at(&self, at: usize) -> Proposal {
        let answered = Answered::Among(self.flags.clone(), at);
        Proposal { inner: self.inner[at].clone(), owner: self.owner, answered }
    }

    /// Takes all of them in, or none.
    pub(crate) fn hand_in(&self, policy: u64) -> PyResult<()> {
        if let Some(first) = self.inner.first() {
            check(self.owner, policy, first)?;
        }
        for (at, flag) in self.flags.iter().enumerate() {
            if flag.swap(true, Ordering::Relaxed) {
                self.flags[..at].iter().for_each(|flag| flag.store(false, Ordering::Relaxed));
                return Err(used(self.inner[at].round));
            }
        }
        Ok(())
    }

    /// All from this one on were not told after all.
    pub(crate) fn hand_back(&self, from: usize) {
        self.flags[from..].iter().for_each(|flag| flag.store(false, Ordering::Relaxed));
    }
}

#[pymethods]
impl Proposals {
    /// The items on the left.
    #[getter]
    fn left<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.inner.iter().map(|proposal| proposal.duel.0 as i32))
    }

    /// The items on the right.
    #[getter]
    fn right<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.inner.iter().map(|proposal| proposal.duel.1 as i32))
    }

    /// Both, n × 2.
    #[getter]
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let both: Vec<i32> = self.inner.iter().flat_map(|p| [p.duel.0 as i32, p.duel.1 as i32]).collect();
        array(py, both.into_iter())?.call_method1("reshape", (self.inner.len(), 2))
    }

    /// The contexts in which they are shown, counted from 0; None where the problem has no contexts.
    #[getter]
    fn context<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let contexts: Option<Vec<u32>> = self.inner.iter().map(borduel::Proposal::context).collect();
        contexts.map(|contexts| array(py, contexts.into_iter().map(u32::cast_signed))).transpose()
    }

    /// The probabilities with which they were proposed; nan where the policy cannot tell.
    #[getter]
    fn propensity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.inner.iter().map(|proposal| proposal.propensity.unwrap_or(f64::NAN)))
    }

    /// The numbers of the questions, from 1.
    #[getter]
    fn round<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.inner.iter().map(|proposal| proposal.round.cast_signed()))
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let all: Vec<Proposal> = (0..slf.get().inner.len()).map(|at| slf.get().at(at)).collect();
        Ok(PyList::new(slf.py(), all)?.try_iter()?.into_any().unbind())
    }

    fn __getitem__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let PySliceIndices { start, step, slicelength, .. } = slice.indices(self.inner.len().cast_signed())?;
            let places = (0..slicelength.cast_signed()).map(|turn| (start + turn * step).cast_unsigned());
            return Ok(PyList::new(py, places.map(|at| self.at(at)).collect::<Vec<_>>())?.into_any().unbind());
        }
        let index: isize = index.extract()?;
        let at = if index < 0 { index + self.inner.len().cast_signed() } else { index };
        let at = usize::try_from(at).ok().filter(|at| *at < self.inner.len());
        let at = at.ok_or_else(|| PyIndexError::new_err(format!("there are {} proposals", self.inner.len())))?;
        Ok(Py::new(py, self.at(at))?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("Proposals({} questions)", self.inner.len())
    }

    #[allow(clippy::type_complexity, reason = "the shape is Python's")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, u64, Vec<bool>))> {
        let own = slf.get();
        let answered = own.flags.iter().map(|flag| flag.load(Ordering::Relaxed)).collect();
        Ok((slf.get_type().getattr("_load")?, (PyBytes::new(slf.py(), &json(&own.inner)?), own.owner, answered)))
    }

    /// What `__reduce__` wrote.
    #[staticmethod]
    fn _load(data: &[u8], owner: u64, answered: Vec<bool>) -> PyResult<Self> {
        let inner: Vec<borduel::Proposal> = parse(data)?;
        if inner.len() != answered.len() {
            return Err(errors::data("this is not what was saved: as many flags as questions are needed"));
        }
        Ok(Self { inner, owner, flags: answered.into_iter().map(AtomicBool::new).collect() })
    }
}
