//! What a judge is worth beside people: what the command `judge` makes of two files of votes.

use crate::errors;
use crate::votes::Ballots;
use crate::watch::{stopped, watched};
use borduel::judging::{Paid, Prices, Worth, worth};
use borduel::stop::heeding;
use borduel_cli::votes::model::with_jobs;
use borduel_report::judging::{Document, Judged, standalone};
use pyo3::prelude::*;

/// What a judge is worth, and how it is shown.
#[pyclass(module = "borduel._core", frozen)]
pub(crate) struct JudgeWorth {
    worth: Worth,
    /// Where people's votes come from, and the judge's.
    sources: (String, String),
    /// What it costs and saves, where prices are given.
    paid: Option<Paid>,
}

impl JudgeWorth {
    fn shown(&self) -> Judged<'_> {
        Judged { worth: &self.worth, sources: (&self.sources.0, &self.sources.1), paid: self.paid }
    }
}

#[pymethods]
impl JudgeWorth {
    /// The object of `judge --format json`.
    fn json(&self) -> PyResult<String> {
        Document::of(&self.shown()).json().map_err(|error| errors::data(&error.to_string()))
    }

    /// What `judge` prints.
    fn text(&self) -> String {
        self.shown().text()
    }

    /// The picture alone.
    fn svg(&self) -> String {
        standalone(&self.shown())
    }

    /// The table as HTML.
    fn table(&self) -> String {
        self.shown().table().html().into_string()
    }

    /// The whole page.
    fn page(&self) -> String {
        self.shown().page()
    }
}

/// What a judge is worth beside people.
#[pyfunction]
#[pyo3(signature = (people, judge, level, judge_is, sources, jobs = None, prices = None))]
pub(crate) fn judge(
    people: &Bound<'_, Ballots>,
    judge: &Bound<'_, Ballots>,
    level: f64,
    judge_is: Option<String>,
    sources: (String, String),
    jobs: Option<u64>,
    prices: Option<(f64, f64)>,
) -> PyResult<JudgeWorth> {
    let prices = prices.map(|(person, judge)| Prices::new(person, judge)).transpose();
    let prices = prices.map_err(|error| errors::core(&error))?;
    let py = people.py();
    let (people, judge) = (people.get().inner.clone(), judge.get().inner.clone());
    let made = watched(py, move |stop| {
        let work = || {
            let worth = worth(&people, &judge, level, judge_is.as_deref())?;
            let paid = prices.and_then(|prices| prices.paid(&worth, &people));
            borduel::Result::Ok((worth, paid))
        };
        with_jobs(jobs, || heeding(stop, work))
    })?;
    let (worth, paid) = made
        .map_err(|failure| errors::failure(&failure))?
        .ok_or_else(stopped)?
        .map_err(|error| errors::core(&error))?;
    Ok(JudgeWorth { worth, sources, paid })
}
