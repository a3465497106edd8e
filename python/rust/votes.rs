//! Votes, from files or from columns that somebody holds, as sums.

use crate::arrays::{codes, float_list};
use crate::errors;
use crate::problem::{json, parse};
use crate::watch::interruptible;
use borduel::ballots::{BothBad, Ties};
use borduel_votes::columns::{Column, Layout, Sample};
use borduel_votes::{
    Columns, Encoding, ReadOptions, RowError, RowKind, Rows, Scale, TableOptions, Unranked, VoteReader, WideOptions,
    Words,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

/// How votes are read: the options of the command line, all of them there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    left: Option<String>,
    right: Option<String>,
    winner: Option<String>,
    loser: Option<String>,
    voter: Option<String>,
    context: Option<String>,
    weight: Option<String>,
    count: Option<String>,
    left_wins: Option<String>,
    right_wins: Option<String>,
    left_points: Option<String>,
    right_points: Option<String>,
    ties_column: Option<String>,
    answer_scale: Option<String>,
    left_value: Vec<String>,
    right_value: Vec<String>,
    tie_value: Vec<String>,
    both_bad_value: Vec<String>,
    skip_value: Vec<String>,
    ties: String,
    both_bad: String,
    unranked: String,
    rows: Option<String>,
    item_columns: Vec<String>,
    task: Option<String>,
    transpose: bool,
    fold_names: bool,
    delimiter: Option<char>,
    encoding: String,
    no_header: bool,
    lenient: bool,
}

/// One of a list of words.
pub(crate) fn choice<T: Copy>(kind: &'static str, word: &str, known: &[(&str, T)]) -> PyResult<T> {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let found = known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    found.ok_or_else(|| errors::core(&borduel::Error::unknown(kind, word, &names)))
}

impl Reading {
    pub(crate) fn options(self) -> PyResult<ReadOptions> {
        let scales = [
            ("names", Scale::Names),
            ("items", Scale::Items),
            ("sides", Scale::Sides),
            ("unit", Scale::Unit),
            ("zero-one", Scale::ZeroOne),
            ("one-two", Scale::OneTwo),
            ("signed", Scale::Signed),
            ("score", Scale::Score),
            ("margin", Scale::Margin),
        ];
        let kinds = [
            ("pairs", RowKind::Pairs),
            ("matrix", RowKind::Matrix),
            ("ranks", RowKind::Ranks),
            ("ratings", RowKind::Ratings),
            ("places", RowKind::Places),
            ("ballots", RowKind::Ballots),
            ("long-ranks", RowKind::LongRanks),
            ("long-ratings", RowKind::LongRatings),
            ("contests", RowKind::Contests),
            ("best-worst", RowKind::BestWorst),
            ("choices", RowKind::Choices),
        ];
        let scale = self.answer_scale.map(|word| choice("answer_scale", &word, &scales)).transpose()?;
        let rows = self.rows.map(|word| choice("rows", &word, &kinds)).transpose()?;
        let Self { left, right, winner, loser, voter, context, weight, count, .. } = self;
        let Self { left_wins, right_wins, left_points, right_points, ties_column: ties, .. } = self;
        Ok(ReadOptions {
            columns: Columns {
                left,
                right,
                winner,
                loser,
                voter,
                context,
                weight,
                count,
                left_wins,
                right_wins,
                left_points,
                right_points,
                ties,
                scale,
            },
            words: Words {
                left: self.left_value,
                right: self.right_value,
                tie: self.tie_value,
                both_bad: self.both_bad_value,
                skip: self.skip_value,
            },
            table: TableOptions {
                delimiter: self.delimiter,
                no_header: self.no_header,
                lenient: self.lenient,
                encoding: choice(
                    "encoding",
                    &self.encoding,
                    &[("utf8", Encoding::Utf8), ("latin1", Encoding::Latin1)],
                )?,
            },
            ties: choice(
                "ties",
                &self.ties,
                &[("half", Ties::Half), ("drop", Ties::Drop), ("model", Ties::Model), ("error", Ties::Error)],
            )?,
            both_bad: choice("both_bad", &self.both_bad, &[("drop", BothBad::Drop), ("tie", BothBad::Tie)])?,
            unranked: choice("unranked", &self.unranked, &[("unknown", Unranked::Unknown), ("last", Unranked::Last)])?,
            wide: WideOptions { rows, columns: self.item_columns, task: self.task, transpose: self.transpose },
            fold_names: self.fold_names,
            ..ReadOptions::default()
        })
    }
}

/// A list of items: ids, names for people, features.
#[pyclass(module = "borduel._core", frozen)]
pub(crate) struct Items(pub(crate) Arc<borduel_votes::Items>);

#[pymethods]
impl Items {
    /// Columns that somebody holds.
    #[new]
    fn new(
        ids: Vec<String>,
        names: Vec<Option<String>>,
        feature_names: Vec<String>,
        features: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let features = float_list(features, "features")?;
        let mut seen = std::collections::HashSet::new();
        if let Some(twice) = ids.iter().find(|id| !seen.insert(id.as_str())) {
            return Err(errors::data(&format!("items: \"{twice}\" is the id of two items: ids must differ")));
        }
        if let Some(at) = features.iter().position(|x| !x.is_finite()) {
            let (d, value) = (feature_names.len(), features[at]);
            let what = format!("the feature {} of item \"{}\" is {value}", feature_names[at % d], ids[at / d]);
            return Err(errors::data(&format!("items: {what}: every feature must be a finite number")));
        }
        Ok(Self(Arc::new(borduel_votes::Items { ids, names, feature_names, features, unused: Vec::new() })))
    }

    /// Reads a file of votes.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        let read = borduel_votes::read_items(&path.to_string_lossy(), &TableOptions::default());
        read.map(|items| Self(Arc::new(items))).map_err(|error| errors::votes(&error))
    }

    /// The identifiers of the items.
    #[getter]
    fn ids(&self) -> Vec<String> {
        self.0.ids.clone()
    }

    /// Columns that are not used.
    #[getter]
    fn unused(&self) -> Vec<String> {
        self.0.unused.clone()
    }

    #[allow(clippy::type_complexity, reason = "the shape is Python's")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyAny>, (Vec<String>, Vec<Option<String>>, Vec<String>, Vec<f64>)) {
        let borduel_votes::Items { ids, names, feature_names, features, .. } = &*slf.get().0;
        (slf.get_type().into_any(), (ids.clone(), names.clone(), feature_names.clone(), features.clone()))
    }
}

/// Votes as sums per pair and per voter: their size depends on items, pairs and voters, not on the number of votes.
#[pyclass(module = "borduel", frozen)]
pub(crate) struct Ballots {
    pub(crate) inner: Arc<borduel::ballots::Ballots>,
    pub(crate) rows: Rows,
    pub(crate) notes: Vec<String>,
    aside: Vec<RowError>,
    /// How many lines a file would have before the first row, where the votes were held and rows are counted from 0.
    before: Option<u64>,
}

type Read = borduel_votes::Result<(borduel::ballots::Ballots, Rows, Vec<String>)>;

impl Ballots {
    fn of((read, aside): (Read, Vec<RowError>), before: Option<u64>) -> PyResult<Self> {
        let refused = |error| before.map_or_else(|| errors::votes(&error), |before| errors::votes_held(&error, before));
        let (ballots, rows, notes) = read.map_err(refused)?;
        Ok(Self { inner: Arc::new(ballots), rows, notes, aside, before })
    }
}

#[pymethods]
impl Ballots {
    /// The items, in the order in which they were met or listed.
    #[getter]
    fn items(&self) -> Vec<String> {
        self.inner.items().to_vec()
    }

    /// How many votes are used.
    #[getter]
    fn used(&self) -> f64 {
        self.inner.used()
    }

    /// Rows read, set aside, and without an answer.
    #[getter]
    fn rows(&self) -> (u64, u64, u64) {
        (self.rows.read, self.rows.set_aside, self.rows.unanswered)
    }

    /// What was detected.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| errors::pythonic(note)).collect()
    }

    /// The rows that were set aside: file, row, column, value, why.
    #[getter]
    #[allow(clippy::type_complexity, reason = "the shape is Python's")]
    fn set_aside(&self) -> Vec<(String, u64, Option<String>, Option<String>, String)> {
        let row = |row: &RowError| {
            let column = row.column.as_ref().map(|(_, name)| name.clone());
            let place = row.line.saturating_sub(self.before.unwrap_or(0));
            (row.file.clone(), place, column, row.value.clone(), errors::pythonic(&row.what))
        };
        self.aside.iter().map(row).collect()
    }

    /// These votes and those together, in the order given; any split of votes gives the same sums.
    fn merge(&self, other: &Self) -> PyResult<Self> {
        let mut inner = (*self.inner).clone();
        inner.merge(&other.inner).map_err(|refusal| errors::data(&format!("{refusal}")))?;
        inner.settle_questions();
        let rows = Rows {
            read: self.rows.read + other.rows.read,
            set_aside: self.rows.set_aside + other.rows.set_aside,
            unanswered: self.rows.unanswered + other.rows.unanswered,
            ..Rows::default()
        };
        let (notes, aside) = ([&self.notes[..], &other.notes].concat(), [&self.aside[..], &other.aside].concat());
        Ok(Self { inner: Arc::new(inner.finish()), rows, notes, aside, before: self.before })
    }

    fn __repr__(&self) -> String {
        format!("Ballots(items={}, used={})", self.inner.items().len(), self.inner.used())
    }

    #[allow(clippy::type_complexity, reason = "the shape is Python's")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, (u64, u64, u64), Vec<String>))> {
        let own = slf.get();
        let bytes = PyBytes::new(slf.py(), &json(&*own.inner)?);
        Ok((slf.get_type().getattr("_load")?, (bytes, own.rows(), own.notes.clone())))
    }

    /// What `__reduce__` wrote; rows that were set aside are counted, not kept.
    #[staticmethod]
    fn _load(data: &[u8], rows: (u64, u64, u64), notes: Vec<String>) -> PyResult<Self> {
        let rows = Rows { read: rows.0, set_aside: rows.1, unanswered: rows.2, ..Rows::default() };
        Ok(Self { inner: Arc::new(parse(data)?), rows, notes, aside: Vec::new(), before: None })
    }
}

/// A reader that keeps what it sets aside.
fn reader<'a>(
    options: ReadOptions,
    items: Option<&borduel_votes::Items>,
    aside: &'a mut Vec<RowError>,
) -> VoteReader<'a> {
    let reader = VoteReader::new(options).set_aside(|error, _| {
        aside.push(error.clone());
        Ok(())
    });
    match items {
        Some(items) => reader.with_items(items),
        None => reader,
    }
}

/// Reads files of votes, or the bytes of one.
#[pyfunction]
#[pyo3(signature = (paths, reading, items = None, data = None))]
pub(crate) fn read_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    reading: Reading,
    items: Option<&Bound<'_, Items>>,
    data: Option<Vec<u8>>,
) -> PyResult<Ballots> {
    let (options, items) = (reading.options()?, items.map(|items| items.get().0.clone()));
    // A header and the line itself.
    let before = data.is_some().then_some(2);
    let paths: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let read = interruptible(py, move || {
        let mut aside = Vec::new();
        let mut reader = reader(options, items.as_deref(), &mut aside);
        let read = match (data, &paths[..]) {
            (Some(data), [name, ..]) => reader.read_bytes(name, Cursor::new(data)),
            (_, paths) => reader.read_all(paths),
        };
        let read = read.map(|()| reader.finish());
        (read, aside)
    })?;
    Ballots::of(read, before)
}

/// A column of a batch, held here.
enum Held {
    Codes(Vec<i32>, Arc<Vec<String>>),
    Numbers(Vec<f64>),
}

/// Reads votes that somebody holds as columns. `batches`, called with the numbers of the columns that are needed, gives
/// lists of them: `(codes, names)` or numbers each.
#[pyfunction]
#[pyo3(signature = (name, columns, sample, batches, reading, items = None))]
pub(crate) fn read_columns(
    py: Python<'_>,
    name: &str,
    columns: Vec<String>,
    sample: Vec<Vec<String>>,
    batches: &Bound<'_, PyAny>,
    reading: Reading,
    items: Option<&Bound<'_, Items>>,
) -> PyResult<Ballots> {
    let options = reading.options()?;
    let sample = Sample::new(sample);
    let layout = Layout::find(name, &columns, &sample, &options.columns).map_err(|e| errors::votes(&e))?;
    let (used, mut aside) = (layout.used(), Vec::new());
    let items = items.map(|items| items.get().0.clone());
    let mut reader = reader(options, items.as_deref(), &mut aside);
    let mut taker = reader.batches(name, &columns, layout);
    // Names that come again in the next batch are not converted again.
    let mut known: Vec<Option<(Py<PyList>, Arc<Vec<String>>)>> = used.iter().map(|_| None).collect();
    for batch in batches.call1((used.clone(),))?.try_iter()? {
        let batch: Vec<Bound<'_, PyAny>> = batch?.extract()?;
        let held =
            batch.iter().zip(&mut known).map(|(column, known)| held(column, known)).collect::<PyResult<Vec<_>>>()?;
        let mut all = vec![Column::Numbers(&[]); columns.len()];
        for (held, &column) in held.iter().zip(&used) {
            all[column] = match held {
                Held::Codes(codes, names) => Column::Codes { codes, names },
                Held::Numbers(numbers) => Column::Numbers(numbers),
            };
        }
        py.check_signals()?;
        py.detach(|| taker.add(&all)).map_err(|error| errors::votes_held(&error, 1))?;
    }
    taker.finish(&sample);
    let read = reader.finish();
    Ballots::of((Ok(read), aside), Some(1))
}

fn held(column: &Bound<'_, PyAny>, known: &mut Option<(Py<PyList>, Arc<Vec<String>>)>) -> PyResult<Held> {
    let Ok((numbers, names)) = column.extract::<(Bound<'_, PyAny>, Bound<'_, PyList>)>() else {
        return Ok(Held::Numbers(float_list(column, "a column")?));
    };
    let held = match known {
        Some((list, held)) if list.is(&names) => held.clone(),
        _ => {
            let held = Arc::new(names.extract::<Vec<String>>()?);
            *known = Some((names.unbind(), held.clone()));
            held
        }
    };
    Ok(Held::Codes(codes(&numbers)?, held))
}
