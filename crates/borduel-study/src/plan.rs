//! From votes to a plan: which pairs are worth asking, and how often. Runs beside the log, on a thread of its own.

use crate::error::Result;
use crate::settings::{Method, Settings};
use crate::standing::Evidence;
use crate::state::PairPlan;
use borduel::policy::betc_glm_adaptive;
use borduel_rank::planning::{self, Goal, PlanOptions};
use borduel_rank::sequential::Reading;
use borduel_rank::stream::stream;
use borduel_rank::{Duel, Features};
use std::collections::BTreeMap;

/// The first step of the path of a plan's stream; the second is the head that it is made from.
const PLAN: u64 = 2;
/// A share of an adaptive plan is a multiple of 1 in so many.
const SHARES: f64 = 16.0;
/// What the weights of a plan that is one of several add up to, but for what rounding up adds.
const EVEN: u64 = 1 << 20;

/// Plans the next questions, from what [`Evidence::read`] has read. Shares are whole numbers (how often a pair stands
/// in the plan), so that chances are exact.
///
/// # Errors
/// Votes or items of which nothing can be planned; the present plan then stays.
pub fn plan(evidence: &Evidence, reading: Option<&Reading<'_>>, settings: &Settings) -> Result<PairPlan> {
    let pairs = match (settings.planner, reading, &evidence.features) {
        (Method::Uniform, ..) => Vec::new(),
        _ if !evidence.can_be_planned_on() => cycle(evidence),
        (Method::Fewest, Some(reading), _) => fewest(evidence, reading, settings),
        (Method::Adaptive, _, Some(features)) => adaptive(evidence, features)?,
        (Method::Design | Method::Fewest | Method::Adaptive, ..) => design(evidence, settings)?,
    };
    let audits = if pairs.is_empty() { 1.0 } else { settings.audits };
    let (basis, votes, method) = (evidence.head, evidence.votes, settings.planner);
    let judge_first = evidence.pairs_for_judge(settings, &pairs);
    Ok(PairPlan { number: 0, basis, votes, method: Some(method), audits, pairs, judge_first })
}

/// One plan of several, each of which wants other pairs: every one has the same share of the questions. `votes` is how
/// many votes the whole study has.
pub fn together(plans: Vec<PairPlan>, votes: u64) -> Option<PairPlan> {
    let mut shares: BTreeMap<(u16, u16), u32> = BTreeMap::new();
    let several = plans.len() > 1;
    for plan in &plans {
        let total: u64 = plan.pairs.iter().map(|pair| u64::from(pair.2)).sum();
        for &(i, j, weight) in &plan.pairs {
            let share = if several { (u64::from(weight) * EVEN).div_ceil(total) as u32 } else { weight };
            *shares.entry((i, j)).or_default() += share;
        }
    }
    let mut judge_first: Vec<(u16, u16)> = Vec::new();
    for &pair in plans.iter().flat_map(|plan| &plan.judge_first) {
        if !judge_first.contains(&pair) {
            judge_first.push(pair);
        }
    }
    // Where some plan wants pairs, they are asked as often as it says.
    let audits = plans.iter().map(|plan| plan.audits).fold(1.0, f64::min);
    let first = plans.into_iter().next()?;
    let pairs: Vec<_> = shares.into_iter().map(|((i, j), weight)| (i, j, weight)).collect();
    let audits = if pairs.is_empty() { 1.0 } else { audits };
    Some(PairPlan { votes, audits, pairs, judge_first, ..first })
}

/// How many questions are planned, b = max(2K, n/10), and how often a pair may be among them: nobody sees a pair
/// twice in a context, so no more often than there will be voters, ⌈b / questions per voter⌉, in each context.
fn budget(evidence: &Evidence, settings: &Settings) -> (usize, usize) {
    let budget = (2 * evidence.items.len()).max(evidence.votes as usize / 10).min(10_000);
    (budget, budget.div_ceil(settings.questions_per_voter as usize) * evidence.places)
}

/// Every item against the next one: the fewest pairs that connect all.
fn cycle(evidence: &Evidence) -> Vec<(u16, u16, u32)> {
    let k = evidence.items.len();
    weights(evidence, (0..k).map(|i| (Duel(i, (i + 1) % k), 1)))
}

/// The questions that take the most doubt off the verdict.
fn fewest(evidence: &Evidence, reading: &Reading<'_>, settings: &Settings) -> Vec<(u16, u16, u32)> {
    let (total, most) = budget(evidence, settings);
    let asks = reading.next_questions_of(&evidence.open, total, most, &|i, j| evidence.can_be_asked(i, j));
    weights(evidence, asks.into_iter().map(|duel| (duel, 1)))
}

/// What a look of `betc-glm-adaptive` would ask.
fn adaptive(evidence: &Evidence, features: &Features) -> Result<Vec<(u16, u16, u32)>> {
    let chance = stream(evidence.seed, &[PLAN, evidence.head]);
    let asks = betc_glm_adaptive::next_questions(features, &evidence.ballots, chance)?;
    Ok(weights(evidence, asks.into_iter().map(|(duel, share)| (duel, (SHARES * share).round().max(1.0) as u32))))
}

/// The questions that make the scores of those who may be best most precise.
fn design(evidence: &Evidence, settings: &Settings) -> Result<Vec<(u16, u16, u32)>> {
    let (total, most) = budget(evidence, settings);
    let options = PlanOptions::default()
        .with_goal(Goal::Winner)
        .with_budget(total as f64)
        .with_most_per_pair(Some(most))
        .with_level(settings.level)
        .with_margin(settings.margin)
        .with_open(evidence.open.clone());
    let votes = (evidence.ballots.used() > 0.0).then_some(&evidence.ballots);
    let planned = planning::plan(evidence.items.len(), &evidence.model, votes, &options)?;
    Ok(weights(evidence, planned.asks.into_iter().map(|duel| (duel, 1))))
}

/// Pairs of items by number, each once, with all its weight.
fn weights(evidence: &Evidence, asks: impl Iterator<Item = (Duel, u32)>) -> Vec<(u16, u16, u32)> {
    let mut shares: BTreeMap<(u16, u16), u32> = BTreeMap::new();
    for (duel, weight) in asks {
        let (i, j) = (evidence.items[duel.0], evidence.items[duel.1]);
        if i != j {
            *shares.entry((i.min(j), i.max(j))).or_default() += weight;
        }
    }
    shares.into_iter().map(|((i, j), weight)| (i, j, weight)).collect()
}
