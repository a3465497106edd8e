//! What a policy may know: features and problems.

use crate::arrays::{array, floats};
use crate::errors;
use crate::given::{Names, number, whole};
use crate::votes::Ballots;
use borduel::judging::JudgeAnswers;
use borduel::{Duel, Link};
use borduel_cli::find::contexts::{Material, Texts};
use borduel_votes::ItemIndex;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::collections::HashSet;
use std::sync::Arc;

/// Features of pairs of items: φ(i, j) = −φ(j, i).
///
/// Examples
/// --------
/// >>> import borduel as bd
/// >>> features = bd.Features.differences([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]])
/// >>> features.items, features.dim
/// (3, 2)
/// >>> features.phi(1, 2)
/// array([ 0.5, -0.5])
#[pyclass(module = "borduel", frozen)]
pub(crate) struct Features(pub(crate) borduel::Features);

/// Rows of numbers as features: two dimensions are items, three are pairs.
fn from_array(any: &Bound<'_, PyAny>, scale: bool) -> PyResult<borduel::Features> {
    let (numbers, shape) = floats(any)?;
    match shape[..] {
        [k, d] if scale => borduel::Features::differences_scaled(k, d, &numbers),
        [k, d] => borduel::Features::differences(k, d, &numbers),
        [k, other, d] if k == other => from_pairs(k, d, &numbers, scale),
        _ => return Err(errors::data(&format!(
            "the features have the shape {shape:?}: give K × d numbers for φ(i,j) = x_i − x_j, or K × K × d for pairs"
        ))),
    }
    .map_err(|error| errors::core(&error))
}

fn from_pairs(k: usize, d: usize, numbers: &[f64], scale: bool) -> borduel::Result<borduel::Features> {
    if scale {
        borduel::Features::from_array_scaled(k, d, numbers)
    } else {
        borduel::Features::from_array(k, d, numbers)
    }
}

#[pymethods]
impl Features {
    /// φ(i, j) = x_i − x_j of items with d features each.
    #[staticmethod]
    #[pyo3(signature = (x, *, scale = true))]
    fn differences(x: &Bound<'_, PyAny>, scale: bool) -> PyResult<Self> {
        let dimensions = floats(x)?.1.len();
        if dimensions != 2 {
            return Err(errors::data(&format!("the items' features have {dimensions} dimensions, K × d are needed")));
        }
        from_array(x, scale).map(Self)
    }

    /// φ(i, j) as given, antisymmetric or refused.
    #[staticmethod]
    #[pyo3(signature = (phi, *, scale = true))]
    fn pairs(phi: &Bound<'_, PyAny>, scale: bool) -> PyResult<Self> {
        let shape = floats(phi)?.1;
        if shape.len() != 3 || shape[0] != shape[1] {
            return Err(errors::data(&format!("the pairs' features have the shape {shape:?}, K × K × d is needed")));
        }
        from_array(phi, scale).map(Self)
    }

    /// One parameter per item.
    #[staticmethod]
    fn one_hot(items: &Bound<'_, PyAny>) -> PyResult<Self> {
        borduel::Features::one_hot(whole("items", items)? as usize).map(Self).map_err(|error| errors::core(&error))
    }

    /// K, the number of items.
    #[getter]
    fn items(&self) -> usize {
        self.0.items()
    }

    /// d, the rank of the features.
    #[getter]
    fn dim(&self) -> usize {
        self.0.dim()
    }

    /// The dimension in which they were given.
    #[getter]
    fn given_dim(&self) -> usize {
        self.0.given_dim()
    }

    /// How many of the given dimensions no pair differs in.
    #[getter]
    fn lost(&self) -> usize {
        self.0.lost()
    }

    /// The factor by which what was given was multiplied.
    #[getter]
    fn scale(&self) -> f64 {
        self.0.scale()
    }

    /// A hash of everything above.
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.0.fingerprint())
    }

    /// φ(i, j), in the basis of the span.
    fn phi<'py>(&self, py: Python<'py>, i: usize, j: usize) -> PyResult<Bound<'py, PyAny>> {
        let last = self.0.items() - 1;
        if let Some(item) = [i, j].into_iter().find(|item| *item > last) {
            return Err(errors::core(&borduel::Error::NoSuchItem { item, last }));
        }
        array(py, self.0.phi(Duel(i, j)).into_iter())
    }

    fn __repr__(&self) -> String {
        format!("Features(items={}, dim={})", self.0.items(), self.0.dim())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = json(&slf.get().0)?;
        Ok((slf.get_type().getattr("_load")?, (PyBytes::new(slf.py(), &bytes),)))
    }

    /// What `__reduce__` wrote.
    #[staticmethod]
    fn _load(data: &[u8]) -> PyResult<Self> {
        parse(data).map(Self)
    }
}

/// What a policy may know: features, a link, and the number of questions to come if that is known.
///
/// Parameters
/// ----------
/// features
///     `Features`; or K × d numbers (a frame's index gives the names), K × K × d numbers, or the number of items, of
///     which nothing else is known.
/// link
///     How scores become chances: ``"logistic"``, ``"linear"`` or ``"probit"``.
/// horizon
///     How many questions there will be, for policies that plan ahead.
/// names
///     What to call the items.
/// contexts
///     What items are compared on, such as prompts: names; texts by name; or a table or its path with ``id`` and
///     ``text``. Each question is then asked in one of them. Only "find-winner" knows what to do with contexts; its
///     setting ``about`` says whether the verdict is about ``"these"`` contexts or about ``"such"``.
/// contents
///     What is shown of an item in a context: texts by (item, context); or a table or its path with ``item``,
///     ``context`` and ``text``. Two items are then compared only where both have something to show. A content without
///     a context is for all.
/// hint
///     What a judge, such as a language model, answered to the same questions: votes with contexts, as `rank` takes
///     them. Where it answered a pair in all contexts, and the verdict is about these (``about="these"``), people's
///     votes are saved. It counts as no vote.
///
/// Examples
/// --------
/// >>> import borduel as bd
/// >>> bd.Problem(5, horizon=1000)
/// Problem(items=5, dim=4, link='logistic', horizon=1000)
/// >>> problem = bd.Problem(2, names=["terse", "kind"], contexts={"k8s": "What is a pod?", "tax": "Who pays VAT?"})
/// >>> question = bd.Policy("find-winner", problem).ask()
/// >>> problem.contexts[question.context] in ("k8s", "tax")
/// True
/// >>> problem.text("tax")
/// 'Who pays VAT?'
#[pyclass(module = "borduel", frozen)]
pub(crate) struct Problem {
    pub(crate) inner: borduel::Problem,
    names: Option<Vec<String>>,
    /// What is shown with and of the items, where there are contexts.
    material: Option<Arc<Material>>,
}

impl Problem {
    pub(crate) fn unnamed(inner: borduel::Problem) -> Self {
        Self { inner, names: None, material: None }
    }

    /// The number of a context, which is given by name or by number.
    fn context_of(&self, given: &Bound<'_, PyAny>) -> PyResult<u32> {
        let Some(contexts) = self.inner.contexts() else {
            return Err(errors::setting("context", &given.repr()?.to_string(), "this problem has no contexts"));
        };
        let names = contexts.names();
        place(given, "context", |name| names.iter().position(|own| own == name), names.len()).map(|at| at as u32)
    }
}

/// The place of what is given by name or by number among so many.
pub(crate) fn place(
    given: &Bound<'_, PyAny>,
    kind: &'static str,
    find: impl Fn(&str) -> Option<usize>,
    among: usize,
) -> PyResult<usize> {
    let found = match given.extract::<String>() {
        Ok(name) => find(&name),
        Err(_) => number(given).map(|at| at as usize).filter(|at| *at < among),
    };
    let remedy = format!("there is no such {kind}: give its name, or a number below {among}");
    found
        .ok_or_else(|| errors::setting(kind, &given.repr().map_or_else(|_| "?".to_owned(), |r| r.to_string()), &remedy))
}

/// What contexts and contents say, as Python's tables have it.
fn material(
    contexts: &Bound<'_, PyAny>,
    contents: Option<&Bound<'_, PyAny>>,
    names: Option<&[String]>,
    items: usize,
) -> PyResult<Material> {
    let tables = contexts.py().import("borduel._contexts")?;
    let given = |what: &str, table: &Bound<'_, PyAny>| -> PyResult<Texts> {
        let (name, bytes): (String, Vec<u8>) = tables.call_method1(what, (table,))?.extract()?;
        Ok(Texts::Bytes(name, bytes))
    };
    let contents = contents.map(|table| given("contents", table)).transpose()?;
    let numbers: Vec<String> = (0..items).map(|item| item.to_string()).collect();
    let index = ItemIndex::of_ids(names.unwrap_or(&numbers));
    Material::read(&given("contexts", contexts)?, contents.as_ref(), &index).map_err(|failed| errors::failure(&failed))
}

/// The problem with what a judge answered to the same questions.
fn beside(problem: &borduel::Problem, names: Option<&[String]>, hint: &Bound<'_, PyAny>) -> PyResult<borduel::Problem> {
    let refused = |remedy: &str| Err(errors::setting("hint", "…", remedy));
    let Some(contexts) = problem.contexts() else {
        return refused("are answers of a judge in contexts: name those too, with contexts=…");
    };
    let read = hint.py().import("borduel._contexts")?.call_method1("hint", (hint,))?;
    let judge = read.cast::<Ballots>()?.get().inner.clone();
    let numbers: Vec<String> = (0..problem.items()).map(|item| item.to_string()).collect();
    let index = ItemIndex::of_ids(names.unwrap_or(&numbers));
    let everywhere = |item: &usize| contexts.offered(*item) == contexts.len();
    let item = |name: &str| index.find(name).ok().filter(everywhere).map(|item| item as u32);
    match JudgeAnswers::of([judge.as_ref()], &item, contexts.names()) {
        Some(judge) => problem.with_judge(judge).map_err(|error| errors::core(&error)),
        None => refused("answers no pair of these items in all of these contexts, or says the same everywhere"),
    }
}

fn link_of(name: &str) -> PyResult<Link> {
    serde_json::from_value(name.into())
        .map_err(|_| errors::core(&borduel::Error::unknown("link", name, &["logistic", "linear", "probit"])))
}

/// The index of a data frame, where it names anything.
fn index_names(any: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if !any.hasattr("columns")? || !any.hasattr("index")? {
        return Ok(None);
    }
    let index = any.getattr("index")?;
    if index.get_type().name()? == "RangeIndex" {
        return Ok(None);
    }
    index.try_iter()?.map(|name| Ok(name?.str()?.to_string())).collect::<PyResult<_>>().map(Some)
}

#[pymethods]
impl Problem {
    #[new]
    #[pyo3(
        signature = (
            features, *, link = "logistic", horizon = None, names = None, contexts = None, contents = None, hint = None
        )
    )]
    fn new(
        features: &Bound<'_, PyAny>,
        link: &str,
        horizon: Option<&Bound<'_, PyAny>>,
        names: Option<Names>,
        contexts: Option<&Bound<'_, PyAny>>,
        contents: Option<&Bound<'_, PyAny>>,
        hint: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let horizon = horizon.map(|given| whole("horizon", given)).transpose()?;
        let mut names = names.map(|Names(names)| names);
        let inner = if let Ok(features) = features.cast::<Features>() {
            features.get().0.clone()
        } else if let Some(items) = number(features) {
            borduel::Features::one_hot(items as usize).map_err(|error| errors::core(&error))?
        } else {
            if names.is_none() {
                names = index_names(features)?;
            }
            from_array(features, true)?
        };
        if let Some(found) = names.as_ref().map(Vec::len).filter(|found| *found != inner.items()) {
            return Err(errors::data(&format!("there are {} items and {found} names", inner.items())));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().flatten().find(|name| !seen.insert(name.as_str())) {
            let remedy = "is the name of two items: answers and logs could not tell them apart; give each its own";
            return Err(errors::setting("names", twice, remedy));
        }
        let inner = borduel::Problem::new(inner, link_of(link)?, horizon).map_err(|error| errors::core(&error))?;
        let Some(contexts) = contexts else {
            if contents.is_some() {
                let remedy = "are what is shown in contexts: name those too, with contexts=…";
                return Err(errors::setting("contents", "…", remedy));
            }
            let inner = hint.map_or_else(|| Ok(inner.clone()), |hint| beside(&inner, names.as_deref(), hint))?;
            return Ok(Self { inner, names, material: None });
        };
        let material = material(contexts, contents, names.as_deref(), inner.items())?;
        let inner = inner.in_contexts(material.contexts().clone());
        let inner = hint.map_or_else(|| Ok(inner.clone()), |hint| beside(&inner, names.as_deref(), hint))?;
        Ok(Self { inner, names, material: Some(Arc::new(material)) })
    }

    /// The problems of several contexts, for policies that are asked in the context that has come up by itself.
    ///
    /// Parameters
    /// ----------
    /// x
    ///     C × K × d numbers: the d features of K items in each of C contexts.
    /// link
    ///     How scores become chances: ``"logistic"``, ``"linear"`` or ``"probit"``.
    /// horizon
    ///     How many questions there will be, for policies that plan ahead.
    /// weights
    ///     How often each context comes up, in any unit; all alike unless given. Policies that explore by a design over
    ///     all contexts (``betc-glm``, ``betc-glm-match``, ``ftrl-linear``, ``greedy-glm``) go by it.
    ///
    /// Examples
    /// --------
    /// >>> import borduel as bd
    /// >>> first, second = bd.Problem.family([[[0, 0], [1, 0]], [[0, 0], [0, 1]]], horizon=100)
    /// >>> policy = bd.Policy("max-pair-ucb", first)
    /// >>> question = policy.ask(second)
    /// >>> policy.tell(question, question.left == 0)
    /// >>> policy.estimate(second)
    /// 0
    #[staticmethod]
    #[pyo3(signature = (x, *, link = "logistic", horizon = None, weights = None))]
    fn family(
        x: &Bound<'_, PyAny>,
        link: &str,
        horizon: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Self>> {
        let (numbers, shape) = floats(x)?;
        let [_, items, dim] = shape[..] else {
            return Err(errors::data(&format!("the contexts have the shape {shape:?}, C × K × d is needed")));
        };
        let (link, horizon) = (link_of(link)?, horizon.map(|given| whole("horizon", given)).transpose()?);
        let contexts: Vec<Vec<f64>> = numbers.chunks(items.max(1) * dim.max(1)).map(<[f64]>::to_vec).collect();
        let weights = weights.map(floats).transpose()?.map(|(weights, _)| weights);
        let problems = borduel::Features::family(items, dim, &contexts)
            .and_then(|features| borduel::ContextFamily::new(features, weights.as_deref()))
            .and_then(|family| borduel::Problem::of_contexts(family, link, horizon))
            .map_err(|error| errors::core(&error))?;
        Ok(problems.into_iter().map(Self::unnamed).collect())
    }

    /// The number of the context, of a problem of a family of them.
    #[getter]
    fn context(&self) -> Option<u64> {
        self.inner.context()
    }

    /// K, the number of items.
    #[getter]
    fn items(&self) -> usize {
        self.inner.items()
    }

    /// d, the rank of the features.
    #[getter]
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    /// The link's name.
    #[getter]
    fn link(&self) -> String {
        format!("{:?}", self.inner.link()).to_lowercase()
    }

    /// How many questions there will be, if known.
    #[getter]
    fn horizon(&self) -> Option<u64> {
        self.inner.horizon()
    }

    /// What the items are called, where they have names.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.names.as_ref().map(|names| PyTuple::new(py, names)).transpose()
    }

    /// What the contexts are called, where there are any.
    #[getter]
    fn contexts<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.inner.contexts().map(|contexts| PyTuple::new(py, contexts.names())).transpose()
    }

    /// What a context, given by name or number, says; None where it says nothing.
    fn text(&self, context: &Bound<'_, PyAny>) -> PyResult<Option<&str>> {
        let context = self.context_of(context)?;
        Ok(self.material.as_deref().and_then(|material| material.text(context)))
    }

    /// What is shown of an item in a context, each given by name or number; None where no contents are given.
    fn content(&self, item: &Bound<'_, PyAny>, context: &Bound<'_, PyAny>) -> PyResult<Option<&str>> {
        let context = self.context_of(context)?;
        let named = |name: &str| self.names.iter().flatten().position(|own| own == name);
        let item = place(item, "item", named, self.inner.items())?;
        Ok(self.material.as_deref().and_then(|material| material.content(item, context)))
    }

    /// The features of all pairs.
    #[getter]
    fn features(&self) -> Features {
        Features(self.inner.features().clone())
    }

    /// A hash of features, link, horizon, contexts and hint.
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.inner.fingerprint())
    }

    fn __repr__(&self) -> String {
        let horizon = self.inner.horizon().map_or_else(|| "None".to_owned(), |horizon| horizon.to_string());
        let (items, dim) = (self.inner.items(), self.inner.dim());
        let contexts = self.inner.contexts().map(|contexts| format!(", contexts={}", contexts.len()));
        let context = self.inner.context().map(|number| format!(", context={number}"));
        let (link, contexts) = (self.link(), contexts.or(context).unwrap_or_default());
        format!("Problem(items={items}, dim={dim}, link='{link}', horizon={horizon}{contexts})")
    }

    #[allow(clippy::type_complexity, reason = "the shape is Python's")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, Option<Vec<String>>, Option<Bound<'py, PyBytes>>))> {
        let (own, py) = (slf.get(), slf.py());
        let material = own.material.as_deref().map(json).transpose()?;
        let material = material.map(|bytes| PyBytes::new(py, &bytes));
        let parts = (PyBytes::new(py, &json(&own.inner)?), own.names.clone(), material);
        Ok((slf.get_type().getattr("_load")?, parts))
    }

    /// What `__reduce__` wrote.
    #[staticmethod]
    #[pyo3(signature = (data, names, material = None))]
    fn _load(data: &[u8], names: Option<Vec<String>>, material: Option<&[u8]>) -> PyResult<Self> {
        let material = material.map(parse::<Material>).transpose()?.map(Arc::new);
        Ok(Self { inner: parse(data)?, names, material })
    }
}

/// A value as JSON.
pub(crate) fn json<T: serde::Serialize>(value: &T) -> PyResult<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| errors::data(&error.to_string()))
}

/// A value from JSON.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(data: &[u8]) -> PyResult<T> {
    serde_json::from_slice(data).map_err(|error| errors::data(&format!("this is not what was saved: {error}")))
}
