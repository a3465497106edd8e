//! Questions that take the most doubt off who is best: the planner of `find-winner`, within what a plan allows.

use super::field::Field;
use super::greedy::{Gains, Step, choose_by};
use super::target::Target;
use super::{Goal, PlanOptions, Prior};
use crate::ballots::Ballots;
use crate::error::Result;
use crate::sequential::plan::Planner;
use crate::sequential::{Options, Reading};

/// The most items: every question is reckoned with for every claim about the leader.
const MOST_ITEMS: usize = 200;

/// Whether there is a leader to be in doubt about.
pub(super) fn applies(prior: &Prior, options: &PlanOptions) -> bool {
    options.goal == Goal::Winner && prior.scored().is_some() && prior.features.items() <= MOST_ITEMS
}

/// Chooses questions until the budget is spent or nothing is left to ask.
pub(super) fn choose(prior: &Prior, target: &Target, votes: &Ballots, options: &PlanOptions) -> Result<Vec<Step>> {
    let field = Field::new(prior, &target.contenders, options)?;
    let asked = Options { level: options.level, margin: options.margin, ..Options::default() };
    let items: Vec<usize> = (0..prior.features.items()).filter(|item| !options.excluded_items.contains(item)).collect();
    let pairs = field.candidates.iter().map(|c| (c.i as usize, c.j as usize));
    let mut planner = Reading::new(&prior.features, votes, &asked)?.planner(&items, pairs);
    planner.expect(&options.open);
    choose_by(&mut planner, field, prior, options)
}

impl Gains for Planner<'_> {
    fn gains<'a>(&'a self, field: &'a Field, questions: f64) -> impl Fn(usize) -> f64 + 'a {
        let weights = self.weights();
        move |at| self.worth(at, questions, &weights) / field.candidates[at].cost
    }

    fn ask(&mut self, best: usize, times: usize, _: &Field) -> Result<()> {
        Planner::ask(self, best, times as f64);
        Ok(())
    }
}
