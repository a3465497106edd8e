//! A world whose items are compared in contexts, and in which the truth is known: problem and judge in one.

use crate::errors;
use crate::given::whole;
use crate::problem::{Problem, place};
use crate::seed::Seed;
use borduel::environment::in_contexts::{Family, InContexts as World};
use borduel::{About, Duel, Stream, stream};
use pyo3::prelude::*;
use std::sync::Mutex;

/// What the world is drawn from, and its answers.
const WORLD: u64 = 0;
const ANSWERS: u64 = 1;

/// Items that are compared in contexts, such as models on prompts, with a known truth: what `play` needs to try a way
/// of asking.
///
/// The chance that ``left`` beats ``right`` in a context c is σ(s(left) − s(right) + u(left, c) − u(right, c)), with u
/// normal of the standard deviation ``spread``. Called as a judge it answers by that chance; whoever makes the same
/// world again hears the same answers.
///
/// Parameters
/// ----------
/// items, contexts
///     How many there are.
/// ahead
///     By how much the first item is ahead of all others, which are equal, in log-odds.
/// spread
///     The standard deviation of what an item has of its own in a context, in log-odds.
/// missing
///     The share of (item, context) for which there is nothing to show.
/// seed
///     Where all random numbers come from; None is any.
///
/// Examples
/// --------
/// >>> import borduel as bd
/// >>> world = bd.InContexts(3, 12, ahead=1.5, spread=0.5)
/// >>> votes = bd.play(bd.Policy("find-winner", world.problem, about="these"), world, budget=2000)
/// >>> votes.verdict.startswith("Clear winner") or votes.verdict.startswith("Good enough")
/// True
/// >>> world.scores("such")[0] > world.scores("such")[1]
/// True
#[pyclass(module = "borduel", frozen)]
pub(crate) struct InContexts {
    inner: World,
    answers: Mutex<Stream>,
}

#[pymethods]
impl InContexts {
    #[new]
    #[pyo3(
        signature = (items, contexts, *, ahead, spread, missing = 0.0, seed = Some(Seed(1))),
        text_signature = "(items, contexts, *, ahead, spread, missing=0.0, seed=1)"
    )]
    fn new(
        py: Python<'_>,
        items: &Bound<'_, PyAny>,
        contexts: &Bound<'_, PyAny>,
        ahead: f64,
        spread: f64,
        missing: f64,
        seed: Option<Seed>,
    ) -> PyResult<Self> {
        let refused = |what: &str, value: f64, remedy: &str| Err(errors::setting(what, &value.to_string(), remedy));
        if !ahead.is_finite() {
            return refused("ahead", ahead, "must be a finite number");
        }
        if !(0.0..f64::INFINITY).contains(&spread) {
            return refused("spread", spread, "must be a number of at least 0");
        }
        if !(0.0..1.0).contains(&missing) {
            return refused("missing", missing, "must be a share of at least 0 and below 1");
        }
        let (items, contexts) = (whole("items", items)? as usize, whole("contexts", contexts)? as usize);
        let seed = Seed::or_any(seed, py)?;
        let family = Family::new(items, contexts).with_ahead(ahead).with_spread(spread).with_missing(missing);
        let inner = family.draw(&mut stream(seed, &[WORLD])).map_err(|error| errors::core(&error))?;
        Ok(Self { inner, answers: Mutex::new(stream(seed, &[ANSWERS])) })
    }

    /// What a policy may know.
    #[getter]
    fn problem(&self) -> Problem {
        Problem::unnamed(self.inner.problem().clone())
    }

    /// The chance that the left item beats the right one in a context, given by name or number.
    fn probability(
        &self,
        left: &Bound<'_, PyAny>,
        right: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        let problem = self.inner.problem();
        let names = problem.contexts().map_or(&[][..], borduel::Contexts::names);
        let context = place(context, "context", |name| names.iter().position(|own| own == name), names.len())?;
        let item = |given| place(given, "item", |_| None, problem.items());
        let duel = Duel(item(left)?, item(right)?);
        Ok(self.inner.probability(context as u32, duel))
    }

    /// Each item's chance to beat a random other one, on ``"these"`` contexts or on others ``"such"`` as these.
    fn scores(&self, about: &str) -> PyResult<Vec<f64>> {
        let known = [About::These, About::Such];
        let asked = known.into_iter().find(|known| known.name() == about);
        let asked = asked.ok_or_else(|| errors::core(&borduel::Error::unknown("about", about, &["these", "such"])))?;
        Ok(self.inner.scores(asked))
    }

    /// Whether the left item is preferred, drawn by its chance.
    fn __call__(
        &self,
        left: &Bound<'_, PyAny>,
        right: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let chance = self.probability(left, right, context)?;
        // A stream is whole even where another thread panicked while it drew.
        let mut answers = self.answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(answers.uniform() < chance)
    }

    fn __repr__(&self) -> String {
        let problem = self.inner.problem();
        let contexts = problem.contexts().map_or(0, borduel::Contexts::len);
        format!("InContexts(items={}, contexts={contexts})", problem.items())
    }
}
