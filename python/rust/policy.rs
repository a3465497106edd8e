//! Policies: ask, tell, cancel, save.

use crate::answer::{outcome, reward};
use crate::arrays::{array, float_list};
use crate::errors;
use crate::given::whole;
use crate::problem::{Problem, json, parse};
use crate::proposal::{Proposal, Proposals};
use crate::seed::Seed;
use crate::watch::{TICK, interruptible, on_own_thread};
use borduel::policy::{Policy as _, Resolved, Setting};
use borduel::stream::{POLICY, REPLICATION};
use borduel::{AnyPolicy, Duel, Outcome, PolicyConfig, Saved, Stream, stream};
use borduel_lab::experiment::file;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::ffi::CString;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// With more features than this, some policies compute so long that it is worth a word before.
const MANY_FEATURES: usize = 128;

/// What takes a policy long where features are many.
fn slow_with_many_features(policy: &str) -> Option<&'static str> {
    match policy {
        "find-winner" => Some("every look takes seconds, and grows with their cube"),
        "betc-glm" | "betc-glm-match" | "betc-glm-adaptive" | "ftrl-linear" | "track-linear" | "anytime" => {
            Some("to find its design takes seconds to minutes, and grows with their cube")
        }
        "max-inp" | "max-pair-ucb" | "max-min-lcb" | "vacdb" | "fgts" | "bexp3" | "bexp3-centred" => {
            Some("every question takes long, and grows with their square")
        }
        _ => None,
    }
}

/// Says so, with the remedy.
fn warn_of_many_features(py: Python<'_>, policy: &str, problem: &borduel::Problem) -> PyResult<()> {
    let dim = problem.dim();
    // As many as there are items, but one, is what items without features have.
    if dim <= MANY_FEATURES || dim + 1 >= problem.items() {
        return Ok(());
    }
    let Some(what) = slow_with_many_features(policy) else { return Ok(()) };
    let text = format!(
        "{policy} with {dim} features that differ: {what}; {MANY_FEATURES} are plenty, such as the first principal \
         components: u, s, _ = np.linalg.svd(x - x.mean(0), full_matrices=False); x = (u * s)[:, :50]"
    );
    let text = CString::new(text).map_err(|error| errors::data(&error.to_string()))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

/// The names of all policies.
#[pyfunction]
pub(crate) fn policies() -> Vec<&'static str> {
    borduel::POLICIES.to_vec()
}

/// Whose verdict it is, where one voter answered everything, and that a few speak for nobody else; None for a crowd's.
#[pyfunction]
#[pyo3(signature = (voters, level, first = None))]
pub(crate) fn whose(voters: usize, level: f64, first: Option<&str>) -> Option<String> {
    borduel_report::sequential::whose(first, voters, level)
}

/// Something that decides which pair to ask next, and learns from the answers.
///
/// Parameters
/// ----------
/// name
///     One of `borduel.POLICIES`.
/// problem
///     What it may know.
/// seed
///     An int, as on the command line; a numpy ``SeedSequence`` or ``Generator``, of which one word is taken; or None
///     for a seed of the operating system's, which is then kept in ``seed``.
/// replication
///     With it, the policy is that of run ``replication`` of an experiment with this seed.
/// **settings
///     What can be set for this policy, by name: see docs/reference/policies.md.
///
/// Examples
/// --------
/// >>> import borduel as bd
/// >>> problem = bd.Problem(4, horizon=1000)
/// >>> policy = bd.Policy("etc-borda", problem)
/// >>> for _ in range(1000):
/// ...     question = policy.ask()
/// ...     left, right = question
/// ...     policy.tell(question, left >= right)
/// >>> policy.estimate()
/// 3
#[pyclass(module = "borduel", frozen)]
pub(crate) struct Policy {
    problem: Py<Problem>,
    /// The same, without going through Python.
    inner: borduel::Problem,
    /// Tells its tickets from those of others.
    id: u64,
    seed: Option<u64>,
    name: &'static str,
    /// Whether a call may take so long that others should go on meanwhile.
    heavy: bool,
    state: Arc<Mutex<State>>,
}

#[derive(Clone)]
struct State {
    policy: AnyPolicy,
    round: u64,
    /// Whether the last call took so long that somebody may have pressed Ctrl-C meanwhile.
    slow: bool,
}

impl State {
    /// Whether the next answer may take long: looks of find-winner do, and so does what took long before.
    fn is_slow_to_tell(&self) -> bool {
        self.slow || matches!(&self.policy, AnyPolicy::FindWinner(policy) if policy.looks_next())
    }

    /// Does something, and remembers whether it took long.
    fn timed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let begun = Instant::now();
        let done = work(self);
        self.slow = begun.elapsed() > TICK;
        done
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A policy's name and settings.
pub(crate) fn config(name: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<PolicyConfig> {
    let plain = PolicyConfig::named(name).map_err(|error| errors::core(&error))?;
    let Some(settings) = settings.filter(|settings| !settings.is_empty()) else { return Ok(plain) };
    let text: String = settings.py().import("json")?.call_method1("dumps", (settings,))?.extract()?;
    let mut table: serde_json::Map<String, serde_json::Value> = parse(text.as_bytes())?;
    table.retain(|_, value| !value.is_null());
    let parsed = |given: &serde_json::Map<String, serde_json::Value>| {
        let mut given = given.clone();
        given.insert("policy".to_owned(), name.into());
        file::from_json::<PolicyConfig>(given.into())
    };
    parsed(&table).map_err(|message| {
        // The message does not always name the setting: it is the one that is refused by itself.
        let alone = |(key, value): &(&String, &serde_json::Value)| {
            parsed(&serde_json::Map::from_iter([((*key).clone(), (*value).clone())])).is_err()
        };
        let wrong = table.iter().find(alone).map(|(key, value)| (key.clone(), value.to_string()));
        errors::of_setting(&format!("{name}: {message}"), wrong)
    })
}

fn heavy(policy: &AnyPolicy) -> bool {
    use AnyPolicy as P;
    let quick = matches!(
        policy,
        P::Uniform(_) | P::EtcBorda(_) | P::Dexp3(_) | P::UcbBorda(_) | P::Bexp3(_) | P::Bexp3Centred(_)
    );
    !quick
}

impl Policy {
    fn of(problem: Py<Problem>, policy: AnyPolicy, name: &'static str, id: u64, seed: Option<u64>, round: u64) -> Self {
        let (inner, heavy) = (problem.get().inner.clone(), heavy(&policy));
        let state = Arc::new(Mutex::new(State { policy, round, slow: false }));
        Self { problem, inner, id, seed, name, heavy, state }
    }

    /// Works with the state, on which nobody else works meanwhile; other threads of Python go on if that may take a
    /// while.
    #[inline]
    fn with<T: Send>(&self, py: Python<'_>, long: bool, work: impl FnOnce(&mut State) -> T + Send) -> T {
        if !long && let Ok(mut state) = self.state.try_lock() {
            return work(&mut state);
        }
        py.detach(|| work(&mut locked(&self.state)))
    }

    /// Works with the state on a thread of its own if that may take long (`slow`): other threads of Python go on and
    /// Ctrl-C is heard, though what was begun is done to its end, since the answer was taken.
    fn with_ears<T: Send + 'static>(
        &self,
        py: Python<'_>,
        slow: impl FnOnce(&State) -> bool + Send,
        work: impl FnOnce(&mut State, &borduel::Problem) -> T + Send + 'static,
    ) -> PyResult<T> {
        if !self.heavy {
            return Ok(self.with(py, false, |state| work(state, &self.inner)));
        }
        let mut work = Some(work);
        let done = py.detach(|| {
            let mut state = locked(&self.state);
            let work = if slow(&state) { None } else { work.take() };
            work.map(|work| state.timed(|state| work(state, &self.inner)))
        });
        match (done, work) {
            (Some(done), _) => Ok(done),
            (None, Some(work)) => {
                let (state, problem) = (self.state.clone(), self.inner.clone());
                on_own_thread(py, move || locked(&state).timed(|state| work(state, &problem)))
            }
            // Either it was done or it is still here.
            (None, None) => Err(errors::data("internal error: the work was lost; please report this")),
        }
    }

    /// Does one thing after the other, at most so many, until somebody should look for Ctrl-C; says how many were done.
    fn a_while(&self, py: Python<'_>, most: usize, mut work: impl FnMut(&mut State) + Send) -> usize {
        // A look at the clock costs as much as a question to a quick policy.
        let stride = if self.heavy { 1 } else { 1024 };
        self.with(py, true, |state| {
            let (begun, mut done) = (Instant::now(), 0);
            while done < most && (done == 0 || begun.elapsed() < TICK) {
                let next = most.min(done + stride);
                (done..next).for_each(|_| work(state));
                done = next;
            }
            done
        })
    }

    /// The problem of the context that has come up, where one is given: of the family for which the policy was made.
    fn here(&self, problem: Option<&Bound<'_, Problem>>) -> PyResult<Option<borduel::Problem>> {
        let Some(given) = problem.map(|problem| &problem.get().inner) else { return Ok(None) };
        let (found, here) = (self.inner.fingerprint(), given.fingerprint());
        if found == here {
            return Ok(Some(given.clone()));
        }
        Err(errors::core(&borduel::Error::OtherProblem { what: "the policy", found, here }))
    }

    fn twin(&self, py: Python<'_>, seed: Option<u64>) -> Self {
        let State { mut policy, round, .. } = self.with(py, self.heavy, |state| state.clone());
        if let Some(seed) = seed {
            policy.reseed(stream(seed, &[]));
        }
        Self::of(self.problem.clone_ref(py), policy, self.name, self.id, seed.or(self.seed), round)
    }
}

/// The name under which a policy is listed: the tag that it is saved with.
fn name_of(policy: &AnyPolicy) -> PyResult<&'static str> {
    let saved = serde_json::to_value(policy).map_err(|error| errors::data(&error.to_string()))?;
    let tag = saved.as_object().and_then(|object| object.keys().next());
    let found = borduel::POLICIES.iter().find(|name| tag.is_some_and(|tag| tag == **name));
    found.copied().ok_or_else(|| errors::data("this policy is not on the list"))
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(
        signature = (name, problem, *, seed = Some(Seed(1)), replication = None, **settings),
        text_signature = "(name, problem, *, seed=1, replication=None, **settings)"
    )]
    fn new(
        py: Python<'_>,
        name: &str,
        problem: Py<Problem>,
        seed: Option<Seed>,
        replication: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let config = config(name, settings)?;
        let seed = Seed::or_any(seed, py)?;
        let stream: Stream = match replication {
            None => stream(seed, &[]),
            Some(run) => stream(seed, &[REPLICATION, whole("replication", run)?, POLICY]),
        };
        let (inner, name) = (problem.get().inner.clone(), config.name());
        warn_of_many_features(py, name, &inner)?;
        let built = interruptible(py, move || config.build(&inner, stream))?.map_err(|error| errors::core(&error))?;
        // An identity, not a number that anything is drawn with: two policies never share it, not even in two
        // processes.
        let id = RandomState::new().hash_one(seed);
        Ok(Self::of(problem, built, name, id, Some(seed), 0))
    }

    /// The next question. It never waits for answers; any number may be open.
    ///
    /// Parameters
    /// ----------
    /// problem
    ///     Where every question has a context: the problem of the one that has come up, of the same `Problem.family`.
    #[pyo3(signature = (problem = None))]
    fn ask(&self, py: Python<'_>, problem: Option<&Bound<'_, Problem>>) -> PyResult<Proposal> {
        let here = self.here(problem)?;
        let asked = move |state: &mut State, problem: &borduel::Problem| {
            let proposal = state.policy.ask(here.as_ref().unwrap_or(problem));
            state.round = proposal.round;
            proposal
        };
        Ok(Proposal::new(self.with_ears(py, |state| state.slow, asked)?, self.id))
    }

    /// The answer to a question: at once or late, in any order, once.
    ///
    /// Parameters
    /// ----------
    /// proposal
    ///     What `ask` returned.
    /// outcome
    ///     True, 1 or "left"; False, 0 or "right"; 0.5 or "tie".
    /// voter
    ///     Who answered: "find-winner" allows for the habits of several voters, no other policy knows them.
    #[pyo3(signature = (proposal, outcome, *, voter = None))]
    fn tell(
        &self,
        py: Python<'_>,
        proposal: &Bound<'_, Proposal>,
        outcome: &Bound<'_, PyAny>,
        voter: Option<&str>,
    ) -> PyResult<()> {
        let outcome = self::outcome(outcome)?;
        let proposal = proposal.get().hand_in(self.id)?;
        if !self.heavy {
            self.with(py, false, |state| state.policy.tell(&self.inner, proposal, outcome));
            return Ok(());
        }
        let (proposal, voter) = (proposal.clone(), voter.map(str::to_owned));
        self.with_ears(py, State::is_slow_to_tell, move |state, problem| match (&mut state.policy, voter) {
            (AnyPolicy::FindWinner(policy), Some(voter)) => policy.tell_by(problem, &proposal, outcome, &voter),
            (policy, _) => policy.tell(problem, &proposal, outcome),
        })
    }

    /// The question will never be answered: skipped, expired or lost.
    fn cancel(&self, py: Python<'_>, proposal: &Bound<'_, Proposal>) -> PyResult<()> {
        let proposal = proposal.get().hand_in(self.id)?;
        self.with(py, self.heavy, |state| state.policy.cancel(&self.inner, proposal));
        Ok(())
    }

    /// The next ``n`` questions, to be shown together.
    fn ask_many(&self, py: Python<'_>, n: &Bound<'_, PyAny>) -> PyResult<Proposals> {
        let n = whole("n", n)? as usize;
        if n > 10_000_000 {
            return Err(errors::setting("n", &n.to_string(), "ask for at most 10,000,000 questions at a time"));
        }
        let mut asked: Vec<borduel::Proposal> = Vec::with_capacity(n);
        while asked.len() < n {
            let before = asked.len();
            self.a_while(py, n - before, |state| {
                let proposal = state.policy.ask(&self.inner);
                state.round = proposal.round;
                asked.push(proposal);
            });
            if let Err(stopped) = py.check_signals() {
                // Nobody will ever see these questions.
                self.with(py, true, |state| asked.iter().for_each(|asked| state.policy.cancel(&self.inner, asked)));
                return Err(stopped);
            }
        }
        Ok(Proposals::new(asked, self.id))
    }

    /// The answers to questions that were asked together; nan cancels. All are checked before anything is learned.
    fn tell_many(&self, py: Python<'_>, proposals: &Bound<'_, Proposals>, outcomes: &Bound<'_, PyAny>) -> PyResult<()> {
        let numbers = float_list(outcomes, "outcomes")?;
        let asked = &proposals.get().inner;
        if numbers.len() != asked.len() {
            return Err(errors::data(&format!("{} outcomes for {} questions", numbers.len(), asked.len())));
        }
        let wrong = numbers.iter().position(|number| !number.is_nan() && reward(*number).is_err());
        if let Some(at) = wrong {
            reward(numbers[at])?;
        }
        proposals.get().hand_in(self.id)?;
        let (mut answers, mut told) = (asked.iter().zip(&numbers), 0);
        while told < asked.len() {
            told += self.a_while(py, asked.len() - told, |state| match answers.next() {
                Some((proposal, number)) if number.is_nan() => state.policy.cancel(&self.inner, proposal),
                // 1, ½ or 0, as was checked.
                Some((proposal, 1.0)) => state.policy.tell(&self.inner, proposal, Outcome::Win),
                Some((proposal, 0.5)) => state.policy.tell(&self.inner, proposal, Outcome::Tie),
                Some((proposal, _)) => state.policy.tell(&self.inner, proposal, Outcome::Loss),
                None => {}
            });
            if let Err(stopped) = py.check_signals() {
                proposals.get().hand_back(told);
                return Err(stopped);
            }
        }
        Ok(())
    }

    /// The estimated chance of every item to beat a random other one, as `rank` has it; up to a common shift for
    /// policies that only estimate differences. "versatile" and "winner-stays" keep a scale of their own, in which more
    /// is better. Where every question has a context: in that of this problem.
    #[pyo3(signature = (problem = None))]
    fn scores<'py>(&self, py: Python<'py>, problem: Option<&Bound<'_, Problem>>) -> PyResult<Bound<'py, PyAny>> {
        let here = self.here(problem)?;
        let here = here.as_ref().unwrap_or(&self.inner);
        let scores = self.with(py, self.heavy, |state| state.policy.scores_over_others(here));
        array(py, scores.into_iter())
    }

    /// The item whose estimated score is the largest; where every question has a context, in that of this problem.
    #[pyo3(signature = (problem = None))]
    fn estimate(&self, py: Python<'_>, problem: Option<&Bound<'_, Problem>>) -> PyResult<usize> {
        let here = self.here(problem)?;
        let here = here.as_ref().unwrap_or(&self.inner);
        Ok(self.with(py, self.heavy, |state| state.policy.estimate(here)))
    }

    /// The pair that every later `ask` will propose, once that is settled for good.
    #[getter]
    fn committed(&self, py: Python<'_>) -> Option<(usize, usize)> {
        self.with(py, false, |state| state.policy.committed()).map(|Duel(left, right)| (left, right))
    }

    /// Whether what was to be found is found: for "find-winner" alone, None for all others.
    #[getter]
    fn decided(&self, py: Python<'_>) -> Option<bool> {
        self.with(py, false, |state| match &state.policy {
            AnyPolicy::FindWinner(state) => Some(state.decided()),
            _ => None,
        })
    }

    /// Says, before the first question, how many answers will be paid for; whether that changes what is asked.
    fn _expect(&self, py: Python<'_>, answers: u64) -> bool {
        self.with(py, false, |state| match &mut state.policy {
            AnyPolicy::FindWinner(policy) => policy.expect(&self.inner, answers),
            _ => false,
        })
    }

    /// The verdict in one sentence, which may be looked at any time: for "find-winner" alone, None for all others.
    fn verdict(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let judgement = self.with_ears(
            py,
            |_| true,
            |state, problem| match &state.policy {
                AnyPolicy::FindWinner(state) => Some(state.judgement(problem)),
                _ => None,
            },
        )?;
        let Some(judgement) = judgement else { return Ok(None) };
        let names: Option<Vec<String>> = self.problem.bind(py).getattr("names")?.extract()?;
        let name = |item: usize| names.as_ref().map_or_else(|| format!("item {item}"), |names| names[item].clone());
        Ok(Some(borduel_report::sequential::verdict(&judgement, &name)))
    }

    /// The settings in use: what was set, and what followed from the paper's formulas.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let settings = PyDict::new(py);
        for setting in self.with(py, false, |state| state.policy.settings()) {
            match setting.value {
                Setting::Count(count) => settings.set_item(setting.name, count)?,
                Setting::Number(number) => settings.set_item(setting.name, number)?,
                Setting::Word(word) => settings.set_item(setting.name, word)?,
            }
        }
        Ok(settings)
    }

    /// How many questions have been asked.
    #[getter]
    fn round(&self, py: Python<'_>) -> u64 {
        self.with(py, false, |state| state.round)
    }

    /// What it knows.
    #[getter]
    fn problem(&self, py: Python<'_>) -> Py<Problem> {
        self.problem.clone_ref(py)
    }

    /// The seed, unless the policy was loaded from a file.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The name of the policy.
    #[getter]
    fn name(&self) -> &str {
        self.name
    }

    /// The policy as Rust saves it: JSON, with version, problem and checksum. Open questions are not part of it.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let policy = self.with(py, self.heavy, |state| state.policy.clone());
        Ok(PyBytes::new(py, &json(&Saved::new(&self.inner, &policy))?))
    }

    /// What `save` wrote, here or in Rust, for the same problem.
    #[staticmethod]
    fn load(data: &[u8], problem: Py<Problem>) -> PyResult<Self> {
        let inner = &problem.get().inner;
        let policy = opened(data, inner)?;
        let round = policy.clone().ask(inner).round - 1;
        let (name, id) = (name_of(&policy)?, RandomState::new().hash_one(round));
        Ok(Self::of(problem, policy, name, id, None, round))
    }

    /// A twin that goes on with the same random numbers, or with those of another seed.
    #[pyo3(signature = (*, seed = None))]
    fn copy(&self, py: Python<'_>, seed: Option<Seed>) -> Self {
        self.twin(py, seed.map(|Seed(seed)| seed))
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.twin(py, None)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.twin(py, None)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Policy('{}', items={}, round={})", self.name, self.inner.items(), self.round(py))
    }

    /// What a notebook shows: how far it is, and the settings in use.
    fn _repr_html_(&self, py: Python<'_>) -> String {
        let settings = self.with(py, false, |state| state.policy.settings());
        let row = |setting: &Resolved| {
            let value = match &setting.value {
                Setting::Count(count) => count.to_string(),
                Setting::Number(number) => number.to_string(),
                Setting::Word(word) => word.clone(),
            };
            format!("<tr><td>{}</td><td>{value}</td></tr>", setting.name)
        };
        let rows: String = settings.iter().map(row).collect();
        let (name, items, round) = (self.name, self.inner.items(), self.round(py));
        format!("<p><b>{name}</b>: {items} items, {round} questions asked</p><table>{rows}</table>")
    }

    #[allow(clippy::type_complexity, reason = "the shape is Python's")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, Py<Problem>, u64, Option<u64>, u64))> {
        let (own, py) = (slf.get(), slf.py());
        let parts = (own.save(py)?, own.problem.clone_ref(py), own.id, own.seed, own.round(py));
        Ok((slf.get_type().getattr("_load")?, parts))
    }

    /// What `__reduce__` wrote.
    #[staticmethod]
    fn _load(data: &[u8], problem: Py<Problem>, id: u64, seed: Option<u64>, round: u64) -> PyResult<Self> {
        let policy = opened(data, &problem.get().inner)?;
        let name = name_of(&policy)?;
        Ok(Self::of(problem, policy, name, id, seed, round))
    }
}

fn opened(data: &[u8], problem: &borduel::Problem) -> PyResult<AnyPolicy> {
    let saved: Saved<AnyPolicy> = parse(data)?;
    saved.open(problem).map_err(|error| errors::core(&error))
}
