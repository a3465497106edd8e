//! Which pairs to ask, how often, in which order and on which side; and what precision that will buy.
//!
//! At parameters θ, a vote on the pair (i,j) adds μ′ φφᵀ to the information M, and the scores B̂ then have the
//! covariance G M⁻¹ Gᵀ (see [`ranking`](crate::ranking)). So the precision of a set of questions can be computed before
//! one of them is asked. Questions are chosen one by one, each lowering Σ ω cᵀM⁻¹c the most per unit of cost, with c
//! the gradients of the scores (or of their differences) that matter: every prefix of the list is a good design too,
//! and one may stop at any time.
//!
//! Without votes θ = 0: all items even, the case in which votes are most in doubt.

mod doubt;
mod field;
mod greedy;
mod many;
mod prior;
mod rows;
mod settle;
mod sides;
mod target;
mod turns;

pub use settle::questions_to_settle;

use crate::ballots::{Ballots, Ties};
use crate::duel::Duel;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::ranking::Model;
use crate::sequential::Trust;
use crate::special::t_quantile;
use crate::stop;
use crate::version::Version;
use greedy::Step;
use prior::Prior;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use target::Target;

/// What the questions are to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Which item is best: the questions that take the most doubt off that, as [`sequential`](crate::sequential) plans
    /// them for
    /// `find-winner` and live studies; of more than 200 items, the differences between the leader and those who may
    /// still be best, small gaps first. Without votes nobody leads, and it is the same as [`Goal::All`].
    #[default]
    Winner,
    /// The scores of all items alike.
    All,
}

/// How a plan is made: goal, budget, costs and limits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanOptions {
    /// What is to be found out.
    pub goal: Goal,
    /// What may be spent: the number of questions, when each costs 1.
    pub budget: f64,
    /// Pairs that must not be asked, in either order.
    pub excluded: HashSet<(usize, usize)>,
    /// Items that must not be asked about.
    pub excluded_items: HashSet<usize>,
    /// The most questions on one pair.
    pub most_per_pair: Option<usize>,
    /// The least questions on one item (the excluded ones apart).
    pub least_per_item: usize,
    /// What a question on a pair i < j costs, where it is not 1.
    pub costs: Vec<(usize, usize, f64)>,
    /// The confidence level of the predicted intervals.
    pub level: f64,
    /// Gaps below this are not worth telling apart.
    pub margin: f64,
    /// The seed of the simultaneous set that tells who may still be best, and of the field of very many items.
    pub seed: u64,
    /// Questions that are open: asked, and their answers still to come. They count as asked.
    pub open: Vec<Duel>,
    /// The most choices of a pair; where the budget buys more questions, each choice stands for several. 2,000, or four
    /// an item where that is more, unless set.
    pub steps: Option<usize>,
    /// What judges think, which guides to the winner.
    pub guide: Option<Guide>,
}

crate::setters!(PlanOptions {
    with_goal: goal: Goal,
    with_budget: budget: f64,
    with_excluded: excluded: HashSet<(usize, usize)>,
    with_excluded_items: excluded_items: HashSet<usize>,
    with_most_per_pair: most_per_pair: Option<usize>,
    with_least_per_item: least_per_item: usize,
    with_costs: costs: Vec<(usize, usize, f64)>,
    with_level: level: f64,
    with_margin: margin: f64,
    with_seed: seed: u64,
    with_open: open: Vec<Duel>,
    with_steps: steps: Option<usize>,
    with_guide: guide: Option<Guide>,
});

/// What judges think of the items: it says what to ask first. No width rests on it, and it counts as no vote.
///
/// Where votes tell all scores, it is one more thing to know of the items, believed as far as `trust` says, as in
/// [`sequential`](crate::sequential). Before, nothing shows how far it is right: the item that it puts first is taken
/// for the leader, whose leads on all others are to be told alike; only under [`Trust::Model`] are small gaps asked
/// about more often, as it has them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Guide {
    /// The items' features, what the judges think among them.
    pub features: Features,
    /// One strength an item, in log-odds.
    pub strengths: Vec<f64>,
    /// How far it is believed.
    pub trust: Trust,
}

impl Guide {
    /// One strength an item, in log-odds, and how far it is believed.
    pub fn new(features: Features, strengths: Vec<f64>, trust: Trust) -> Self {
        Self { features, strengths, trust }
    }
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            goal: Goal::Winner,
            budget: 100.0,
            excluded: HashSet::new(),
            excluded_items: HashSet::new(),
            most_per_pair: None,
            least_per_item: 0,
            costs: Vec::new(),
            level: 0.95,
            margin: 0.02,
            seed: 1,
            open: Vec::new(),
            steps: None,
            guide: None,
        }
    }
}

/// The most questions on one pair where people are asked, unless they say otherwise. A plan for a model may ask one
/// pair only; people tire of it, and nobody could see whether the model fits.
pub fn most_for_people(budget: f64, items: usize) -> usize {
    let pairs = (items * items.saturating_sub(1) / 2).max(1);
    (budget / 4.0).max(2.0 * budget / pairs as f64).max(50.0).ceil() as usize
}

/// The precision after so many questions. Widths are half-widths of intervals; `None` while some score is still
/// undetermined.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Precision {
    /// The number of questions that were asked.
    pub asked: usize,
    /// What these questions cost.
    pub spent: f64,
    /// The mean half-width over items.
    pub mean: Option<f64>,
    /// The widest half-width over items.
    pub worst: Option<f64>,
    /// The widest half-width of the differences that the goal is about.
    pub difference: Option<f64>,
}

/// A pair of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlannedPair {
    /// The item with the smaller number.
    pub first: usize,
    /// The second item of the pair.
    pub second: usize,
    /// How often it is asked.
    pub asks: usize,
    /// Its share of all questions.
    pub share: f64,
}

/// A sheet of questions. It can be saved and loaded; a saved one of another version of its format is refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    version: Version<1>,
    /// The questions in their order, (left, right).
    pub asks: Vec<Duel>,
    /// The pairs that are asked, sorted.
    pub pairs: Vec<PlannedPair>,
    /// Precision against budget, from what is there already to the end.
    pub curve: Vec<Precision>,
    /// The half-width of every item's interval at the end.
    pub half_widths: Option<Vec<f64>>,
    /// The present scores, where there are votes.
    pub scores: Option<Vec<f64>>,
    /// The items that may still be best, the leader first; all without votes.
    pub contenders: Vec<usize>,
    /// The variance of scores over that of independent coin flips, as estimated from the votes there are (ties make it
    /// less, voters' habits more); 1 without votes.
    pub inflation: f64,
}

/// Plans questions about these items.
///
/// # Errors
/// Votes about other items, constraints that leave nothing to ask, or a budget that buys nothing.
#[doc(alias("active_learning", "optimal_design", "adaptive_sampling"))]
pub fn plan(items: usize, model: &Model, votes: Option<&Ballots>, options: &PlanOptions) -> Result<Sheet> {
    check(items, options)?;
    if votes.is_some_and(|votes| votes.ties() == Ties::Model) {
        return Err(Error::Data(
            "plans know ties as half a win each, not as an outcome of their own: read these votes with ties as half"
                .to_owned(),
        ));
    }
    if items > many::MANY && !matches!(model, Model::Features(_)) {
        return many::plan(items, votes, options);
    }
    let prior = Prior::new(items, model, votes, options)?;
    let target = Target::new(&prior, options);
    let steps = match (votes, doubt::applies(&prior, options)) {
        (Some(ballots), true) => doubt::choose(&prior, &target, ballots, options)?,
        _ => greedy::choose(&prior, &target, options)?,
    };
    let asks = sides::order(items, &steps);
    let mut pairs = Pairs::new(&steps);
    let z = t_quantile(0.5 + 0.5 * options.level, f64::INFINITY) * prior.inflation.sqrt();
    let (start, mut half_widths) = target.precision(&prior, &prior.information, z, 0, 0.0);
    let mut curve = vec![start];
    let points = if prior.features.dim() > MANY_PARAMETERS { POINTS.1 } else { POINTS.0 };
    for asked in (1..=points).map(|point| point * asks.len() / points).filter(|&asked| asked > 0) {
        stop::check();
        let before = curve[curve.len() - 1].asked;
        if asked > before {
            pairs.ask(&asks[before..asked]);
            let information = &prior.information + prior.features.information(pairs.weights(&prior.features));
            let (precision, widths) = target.precision(&prior, &information, z, asked, pairs.spent());
            curve.push(precision);
            half_widths = widths;
        }
    }
    Ok(Sheet {
        version: Version,
        pairs: pairs.planned(),
        asks,
        curve,
        half_widths,
        scores: prior.estimate.as_ref().map(|estimate| estimate.borda.clone()),
        contenders: target.contenders,
        inflation: prior.inflation,
    })
}

/// How many points the curve of precision has, the start not counted: fewer where there are many parameters, as each
/// costs the cube of their number.
const POINTS: (usize, usize) = (20, 8);
const MANY_PARAMETERS: usize = 100;

/// The most questions that are listed.
const MOST_QUESTIONS: f64 = 1e7;

/// Everything about the options that can be told without a model.
fn check(items: usize, options: &PlanOptions) -> Result<()> {
    if items < 2 {
        return Err(Error::TooFewItems { found: items });
    }
    if !(options.budget > 0.0 && options.budget <= MOST_QUESTIONS) {
        return Err(Error::setting("budget", options.budget, "must be a number of questions from 1 to 10,000,000"));
    }
    if !(options.level > 0.5 && options.level < 1.0) {
        return Err(Error::setting("level", options.level, "must lie between 0.5 and 1, such as 0.95"));
    }
    if !(options.margin > 0.0 && options.margin < 1.0) {
        return Err(Error::setting("margin", options.margin, "must lie between 0 and 1, such as 0.02 for two points"));
    }
    let pairs = options.excluded.iter().copied();
    let pairs = pairs.chain(options.costs.iter().map(|&(i, j, _)| (i, j)));
    let pairs = pairs.chain(options.open.iter().map(|&Duel(i, j)| (i, j)));
    let named = pairs.flat_map(|(i, j)| [i, j]).chain(options.excluded_items.iter().copied());
    if let Some(item) = named.max().filter(|&item| item >= items) {
        return Err(Error::setting("item", item, format!("is not one of the {items} items, which count from 0")));
    }
    if let Some((i, j, cost)) = options.costs.iter().find(|(_, _, cost)| !(*cost > 0.0 && cost.is_finite())) {
        return Err(Error::setting("cost", cost, format!("of the pair ({i}, {j}) must be a number above 0")));
    }
    let cheapest = options.costs.iter().filter(|(i, j, _)| !options.excluded.contains(&(*i, *j)));
    let cheapest = cheapest.map(|cost| cost.2).fold(1.0, f64::min);
    let allowed = options.most_per_pair.map_or(f64::INFINITY, |most| most as f64 * (items * items) as f64 / 2.0);
    if (options.budget / cheapest).min(allowed) > MOST_QUESTIONS {
        return Err(Error::setting(
            "cost",
            cheapest,
            format!(
                "lets the budget of {} buy more than 10,000,000 questions: raise the costs, lower the budget, or limit \
                 the questions on a pair",
                options.budget
            ),
        ));
    }
    if let Some(guide) = &options.guide {
        check_guide(items, guide, options.goal)?;
    }
    if items - options.excluded_items.len() < 2 {
        return Err(Error::Data(format!(
            "{} of {items} items are excluded: there is nothing to ask unless at least two remain",
            options.excluded_items.len()
        )));
    }
    Ok(())
}

fn check_guide(items: usize, guide: &Guide, goal: Goal) -> Result<()> {
    if guide.trust == Trust::Nothing {
        return Err(Error::setting("trust", "nothing", "believes no hint: leave the hints out, or take checked"));
    }
    if goal == Goal::All {
        return Err(Error::setting(
            "hint",
            "given",
            "guides to the winner: it goes with the goal winner, not with all",
        ));
    }
    if items > doubt::MOST_ITEMS {
        let remedy = format!("guides plans of at most {} items, and here are {items}", doubt::MOST_ITEMS);
        return Err(Error::setting("hint", "given", remedy));
    }
    if guide.features.items() != items || guide.strengths.len() != items {
        return Err(Error::Data(format!("the hint is not about the {items} items of the plan")));
    }
    Ok(())
}

/// How often each pair has been asked while the list is gone through.
struct Pairs {
    /// The choices of each pair together, with `times` counting what was asked.
    list: Vec<Step>,
    place: HashMap<(usize, usize), usize>,
}

impl Pairs {
    fn new(steps: &[Step]) -> Self {
        let mut pairs = Self { list: Vec::new(), place: HashMap::new() };
        for step in steps {
            pairs.place.entry((step.i, step.j)).or_insert_with(|| {
                pairs.list.push(Step { times: 0, ..*step });
                pairs.list.len() - 1
            });
        }
        pairs
    }

    fn add(&mut self, step: &Step) {
        self.list[self.place[&(step.i, step.j)]].times += step.times;
    }

    fn ask(&mut self, asks: &[Duel]) {
        for &Duel(i, j) in asks {
            self.list[self.place[&(i.min(j), i.max(j))]].times += 1;
        }
    }

    /// The slots and what their questions add to the information.
    fn weights<'a>(&'a self, features: &'a Features) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.list.iter().map(|step| (features.slot(Duel(step.i, step.j)).index, step.times as f64 * step.slope))
    }

    fn spent(&self) -> f64 {
        self.list.iter().map(|step| step.cost * step.times as f64).sum()
    }

    fn planned(&self) -> Vec<PlannedPair> {
        let total: usize = self.list.iter().map(|step| step.times).sum();
        let pair = |step: &Step| PlannedPair {
            first: step.i,
            second: step.j,
            asks: step.times,
            share: step.times as f64 / total as f64,
        };
        let mut pairs: Vec<PlannedPair> = self.list.iter().map(pair).collect();
        pairs.sort_by_key(|pair| (pair.first, pair.second));
        pairs
    }
}

#[cfg(test)]
mod tests;
