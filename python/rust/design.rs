//! Which pairs to ask next: what the command `design` plans.

use crate::errors;
use crate::votes::{Ballots, Items};
use crate::watch::interruptible;
use borduel::Duel;
use borduel::planning::{Goal, PlanOptions, Sheet, most_for_people, plan};
use borduel::sequential::Trust;
use borduel_cli::output::Shows;
use borduel_cli::output::design::Questions;
use borduel_cli::votes::hint::{Hint, guide, stands_apart};
use borduel_cli::votes::model::item_model;
use borduel_lab::failure::Failure;
use pyo3::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// How to plan: the options of the command line, all of them there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wishes {
    budget: f64,
    goal: String,
    exclude_pairs: Vec<(String, String)>,
    exclude_items: Vec<String>,
    most_per_pair: Option<usize>,
    least_per_item: usize,
    costs: Vec<(String, String, f64)>,
    level: f64,
    margin: f64,
    seed: u64,
    trust: String,
}

/// What a judge thinks of the items.
#[derive(FromPyObject)]
pub(crate) enum Opinion<'py> {
    /// The votes themselves.
    Votes(Bound<'py, Ballots>),
    /// A score an item.
    Scores(Vec<(String, f64)>),
}

/// Questions to ask, and what they will buy.
#[pyclass(module = "borduel._core", frozen)]
pub(crate) struct Design {
    plan: Sheet,
    items: Arc<borduel_votes::Items>,
    options: PlanOptions,
    hints: Vec<Hint>,
}

impl Design {
    fn questions(&self) -> Questions<'_> {
        Questions { plan: &self.plan, list: &self.items, options: &self.options, contexts: None, hints: &self.hints }
    }
}

#[pymethods]
impl Design {
    /// The object of `design --format json`.
    fn json(&self) -> PyResult<String> {
        self.questions().json().map_err(|failure| errors::failure(&failure))
    }

    /// The sheet to be filled in.
    fn csv(&self) -> String {
        self.questions().csv().csv()
    }

    /// What it will buy, in words.
    fn text(&self) -> String {
        self.questions().summary()
    }

    /// The questions in their order, by the items' ids.
    fn asks(&self) -> Vec<(String, String)> {
        let id = |item: usize| self.items.ids[item].clone();
        self.plan.asks.iter().map(|Duel(left, right)| (id(*left), id(*right))).collect()
    }
}

/// Plans questions about these items.
#[pyfunction]
#[pyo3(signature = (items, wishes, votes = None, hints = Vec::new()))]
pub(crate) fn design(
    py: Python<'_>,
    items: &Bound<'_, Items>,
    wishes: Wishes,
    votes: Option<&Bound<'_, Ballots>>,
    hints: Vec<(String, Opinion<'_>)>,
) -> PyResult<Design> {
    // Of questions that are equally good the first is asked: the order in which items are given must not decide which
    // that is.
    let given = &items.get().0;
    let list = Arc::new(given.sorted());
    let model = item_model(&list).map_err(|failure| errors::failure(&failure))?;
    let trust = trust(&wishes.trust)?;
    let mut options = options(wishes, &list)?;
    let mut order: Vec<u32> = (0..given.ids.len() as u32).collect();
    order.sort_by_key(|&item| &given.ids[item as usize]);
    let votes = votes.map(|votes| votes.get().inner.restrict(&order)).transpose();
    let votes = votes.map_err(|refusal| errors::data(&refusal.to_string()))?;
    let hints = opinions(hints, &list, votes.as_ref()).map_err(|failure| errors::failure(&failure))?;
    options.guide = guide(&list, &hints, trust).map_err(|failure| errors::failure(&failure))?;
    let (items, given) = (list.ids.len(), options.clone());
    let made = interruptible(py, move || plan(items, &model, votes.as_ref(), &given))?;
    Ok(Design { plan: made.map_err(|error| errors::core(&error))?, items: list, options, hints })
}

/// What is believed, by its name.
pub(crate) fn trust(name: &str) -> PyResult<Trust> {
    let all = [Trust::Checked, Trust::Typical, Trust::Model, Trust::Nothing];
    let unknown = || errors::core(&borduel::Error::unknown("trust", name, &all.map(Trust::name)));
    all.into_iter().find(|trust| trust.name() == name).ok_or_else(unknown)
}

/// What judges think of the items of this list, none of whom may be among these voters.
fn opinions(
    given: Vec<(String, Opinion<'_>)>,
    list: &borduel_votes::Items,
    votes: Option<&borduel::ballots::Ballots>,
) -> Result<Vec<Hint>, Failure> {
    let one = |(name, opinion): (String, Opinion<'_>)| match opinion {
        Opinion::Scores(scores) => Hint::of_scores(&name, scores, list),
        Opinion::Votes(judge) => {
            let judge = &judge.get().inner;
            if let Some(votes) = votes {
                stands_apart(votes, judge).map_err(|error| Failure::from_command(&error))?;
            }
            Hint::of_votes(&name, &judge.without_contexts(), list)
        }
    };
    given.into_iter().map(one).collect()
}

fn options(wishes: Wishes, list: &borduel_votes::Items) -> PyResult<PlanOptions> {
    let index = list.index();
    let find = |what: &str, name: &str| {
        index.find(name.trim()).map_err(|why| errors::setting(what, name, &format!("it {why}")))
    };
    let mut excluded = HashSet::new();
    for (a, b) in &wishes.exclude_pairs {
        excluded.insert((find("exclude_pairs", a)?, find("exclude_pairs", b)?));
    }
    let mut costs = Vec::new();
    for (a, b, cost) in &wishes.costs {
        costs.push((find("costs", a)?, find("costs", b)?, *cost));
    }
    let excluded_items: HashSet<usize> =
        wishes.exclude_items.iter().map(|item| find("exclude_items", item)).collect::<PyResult<_>>()?;
    let open = list.ids.len() - excluded_items.len();
    let most_per_pair = match wishes.most_per_pair {
        None if costs.is_empty() => Some(most_for_people(wishes.budget, open)),
        given => given,
    };
    let goal = match wishes.goal.as_str() {
        "winner" => Goal::Winner,
        "all" => Goal::All,
        other => return Err(errors::core(&borduel::Error::unknown("goal", other, &["winner", "all"]))),
    };
    let Wishes { budget, least_per_item, level, margin, seed, .. } = wishes;
    Ok(PlanOptions::default()
        .with_goal(goal)
        .with_budget(budget)
        .with_excluded(excluded)
        .with_excluded_items(excluded_items)
        .with_most_per_pair(most_per_pair)
        .with_least_per_item(least_per_item)
        .with_costs(costs)
        .with_level(level)
        .with_margin(margin)
        .with_seed(seed))
}
