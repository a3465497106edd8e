//! Questions that take the most doubt off who is best: the planner of `find-winner`, within what a plan allows.

use super::field::{Candidate, Field};
use super::greedy::{Gains, Step, choose_by};
use super::target::Target;
use super::{Goal, PlanOptions, Prior};
use crate::ballots::Ballots;
use crate::error::Result;
use crate::sequential::plan::Planner;
use crate::sequential::{Options, Reading, Trust};
use std::borrow::Cow;

/// The most items: every question is reckoned with for every claim about the leader.
pub(super) const MOST_ITEMS: usize = 200;

/// Whether there is a leader to be in doubt about.
pub(super) fn applies(prior: &Prior, options: &PlanOptions) -> bool {
    options.goal == Goal::Winner && prior.scored().is_some() && prior.features.items() <= MOST_ITEMS
}

/// Chooses questions until the budget is spent or nothing is left to ask.
pub(super) fn choose(prior: &Prior, target: &Target, votes: &Ballots, options: &PlanOptions) -> Result<Vec<Step>> {
    let mut field = Field::new(prior, &target.contenders, options)?;
    let (features, trust) =
        options.guide.as_ref().map_or((&prior.features, Trust::Checked), |guide| (&guide.features, guide.trust));
    let asked = Options { level: options.level, margin: options.margin, trust, ..Options::default() };
    let items: Vec<usize> = (0..prior.features.items()).filter(|item| !options.excluded_items.contains(item)).collect();
    let reading = Reading::new(features, votes, &asked)?;
    let claims = reading.claims(&items);
    let wanted = reading.at_stake(&claims);
    let at_stake = |c: &Candidate| wanted[c.i as usize] || wanted[c.j as usize];
    let staked: Vec<Candidate> = field.candidates.iter().filter(|c| at_stake(c)).cloned().collect();
    if options.least_per_item == 0 && room(&staked, options) {
        field.candidates = staked;
    }
    let pairs = field.candidates.iter().map(|c| (c.i as usize, c.j as usize));
    let mut planner = reading.planner(&claims, pairs);
    planner.expect(&options.open);
    choose_by(&mut planner, field, prior, options)
}

/// Whether the whole budget can be spent on these candidates, no pair of them more than twice running.
fn room(candidates: &[Candidate], options: &PlanOptions) -> bool {
    let most = |c: &Candidate| options.most_per_pair.map_or(f64::INFINITY, |most| most.saturating_sub(c.asked) as f64);
    let open = || candidates.iter().filter(|c| !c.barred && most(c) > 0.0 && c.cost <= options.budget);
    open().count() > 1 && open().map(|c| most(c) * c.cost).sum::<f64>() >= options.budget
}

impl Gains for Planner<'_> {
    fn gains(&self, field: &Field, questions: f64) -> Cow<'_, [f64]> {
        let weights = self.weights();
        let costs = field.candidates.iter().map(|candidate| candidate.cost).enumerate();
        costs.map(|(at, cost)| self.worth(at, questions, &weights) / cost).collect()
    }

    fn ask(&mut self, best: usize, times: usize, _: &Field) -> Result<()> {
        Planner::ask(self, best, times as f64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Duel;
    use crate::features::Features;
    use crate::planning::tests::{answer, empty};
    use crate::planning::{Sheet, plan};
    use crate::ranking::Model;
    use crate::stream::stream;
    use std::collections::HashSet;

    #[test]
    fn questions_for_the_winner_are_those_of_find_winner() {
        // Two rivals that were never compared, and whose other votes are many: what is in doubt is how they do against
        // each other.
        let mut ballots = empty(4);
        let asks: Vec<Duel> =
            (0..2_000).map(|n| [Duel(0, 2), Duel(0, 3), Duel(1, 2), Duel(1, 3), Duel(2, 3)][n % 5]).collect();
        answer(&mut ballots, &asks, &[0.5, 0.4, -0.4, -0.5], &mut stream(6, &[]));
        let ballots = ballots.finish();
        let options = PlanOptions { budget: 8.0, ..PlanOptions::default() };
        let sheet = plan(4, &Model::OneHot, Some(&ballots), &options).unwrap();
        let wanted = Options { margin: options.margin, ..Default::default() };
        let features = Features::one_hot(4).unwrap();
        let reading = Reading::new(&features, &ballots, &wanted).unwrap();
        // Six of eight on one pair can be asked so that it comes at most twice running.
        let other = reading.next_questions(&[], 8, 6);
        let sorted = |asks: &[Duel]| {
            let mut pairs: Vec<(usize, usize)> = asks.iter().map(|&Duel(i, j)| (i.min(j), i.max(j))).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(sorted(&sheet.asks), sorted(&other));
        assert!(sorted(&other).iter().filter(|pair| **pair == (0, 1)).count() >= 4, "{other:?}");
        // Within constraints too.
        let limits = PlanOptions { excluded: HashSet::from([(0, 1)]), costs: vec![(0, 2, 2.0)], ..options };
        let limited = plan(4, &Model::OneHot, Some(&ballots), &limits).unwrap();
        assert!(!sorted(&limited.asks).contains(&(0, 1)) && limited.curve.last().unwrap().spent <= 8.0);
    }

    #[test]
    fn of_many_items_the_pairs_at_stake_are_asked_and_nothing_is_lost_by_it() {
        let items = 40;
        let strengths: Vec<f64> = (0..items).map(|i| 1.5 - 3.0 * (i as f64 / items as f64).sqrt()).collect();
        let all: Vec<Duel> =
            (0..3_900).map(|n| Duel(n % items, (n % items + 1 + n / items % (items - 1)) % items)).collect();
        let mut ballots = empty(items);
        answer(&mut ballots, &all, &strengths, &mut stream(9, &[]));
        let ballots = ballots.finish();
        let sheet = |options| plan(items, &Model::OneHot, Some(&ballots), &options).unwrap();
        let options = PlanOptions { budget: 2_000.0, ..PlanOptions::default() };
        let own = sheet(options.clone());
        // Where every item has to be asked about, every pair is a candidate.
        let every = sheet(PlanOptions { least_per_item: 1, ..options.clone() });
        let width = |sheet: &Sheet| sheet.curve.last().unwrap().difference.unwrap();
        assert!(width(&own) < 1.01 * width(&every), "{} {}", width(&own), width(&every));
        // Where those at stake may not be asked often enough, others take what is left of the budget.
        let few = sheet(PlanOptions { most_per_pair: Some(3), ..options });
        assert_eq!(few.asks.len(), 2_000);
        assert!(few.pairs.iter().all(|pair| pair.asks <= 3));
    }
}
