//! How many questions settle who is best, if they are asked where it matters.
//!
//! Chosen questions lower the covariance of the scores from C₀ to C. What will then be estimated is B̂ + Z with Cov(Z) = C₀ − C, and its
//! errors are those of C; the verdict on it is drawn as in the forecast for votes of the present kind.

use super::greedy;
use super::prior::Prior;
use super::target::Target;
use super::{Goal, Pairs, PlanOptions};
use crate::ballots::Ballots;
use crate::error::Result;
use crate::ranking::best::best;
use crate::ranking::forecast::{DRAWS, FORECAST_CHANCE, MOST, settled};
use crate::ranking::spread::Spread;
use crate::ranking::{Model, RankOptions};
use crate::stream::{Stream, stream};
use nalgebra::{Cholesky, DMatrix};
use std::collections::HashSet;

/// The most items for which it is computed: plans are made for many budgets.
const MOST_ITEMS: usize = 150;
/// The first budget, by how much the next one is larger, and the last.
const BUDGETS: (f64, f64, f64) = (8.0, 1.4, 1e6);
/// The first step of the path of the draws.
const SETTLE: u64 = 0x5e77;

/// How many chosen questions settle who is best with the chance of [`FORECAST_CHANCE`], on top of these votes; `None` where that
/// cannot be told: too many items, scores that are not known at all, or nothing left to settle.
///
/// # Errors
/// What [`plan`](super::plan) refuses.
pub fn questions_to_settle(ballots: &Ballots, model: &Model, options: &RankOptions) -> Result<Option<f64>> {
    let items = ballots.items().len();
    let mut voted = vec![matches!(model, Model::Features(_)); items];
    for cell in ballots.cells().iter().filter(|cell| cell.w > 0.0) {
        voted[cell.left as usize] = true;
        voted[cell.right as usize] = true;
    }
    let left_out: HashSet<usize> = (0..items).filter(|&i| !voted[i]).chain(options.exclude.iter().copied()).collect();
    if items > MOST_ITEMS || matches!(model, Model::Counts) || items < left_out.len() + 2 {
        return Ok(None);
    }
    let (level, margin, seed) = (options.level, options.margin, options.seed);
    let mut plan =
        PlanOptions { goal: Goal::Winner, excluded_items: left_out, level, margin, seed, ..PlanOptions::default() };
    let prior = Prior::new(items, model, Some(ballots), &plan)?;
    let Some(estimate) = prior.scored() else { return Ok(None) };
    let target = Target::new(&prior, &plan);
    let mut order = target.contenders.clone();
    order.sort_by(|&a, &b| estimate.borda[b].total_cmp(&estimate.borda[a]).then(a.cmp(&b)));
    order.truncate(MOST);
    if order.len() < 2 {
        return Ok(None);
    }
    let critical = best(estimate, &order, level, seed).critical;
    let scores: Vec<f64> = order.iter().map(|&i| estimate.borda[i]).collect();
    let gradients = prior.gradients.select_rows(&order);
    let covariance = |information: &DMatrix<f64>| {
        let factor = Cholesky::new(information.clone())?;
        Some(&gradients * factor.solve(&gradients.transpose()) * prior.inflation)
    };
    let Some(before) = covariance(&prior.information) else { return Ok(None) };
    plan.budget = BUDGETS.0;
    while plan.budget <= BUDGETS.2 {
        let steps = greedy::choose(&prior, &target, &plan)?;
        let mut pairs = Pairs::new(&steps);
        steps.iter().for_each(|step| pairs.add(step));
        let information = &prior.information + prior.features.information(pairs.weights(&prior.features));
        let Some(after) = covariance(&information) else { return Ok(None) };
        let spread = Spread::from_covariance(&before - &after);
        let mut streams: Vec<Stream> = (0..DRAWS).map(|draw| stream(seed, &[SETTLE, draw as u64])).collect();
        let moves = spread.draws(&mut streams);
        let n = order.len();
        let reach = DMatrix::from_fn(n, n, |a, b| {
            critical * (after[(a, a)] + after[(b, b)] - 2.0 * after[(a, b)]).max(0.0).sqrt()
        });
        if settled(&scores, &moves, &reach, margin) >= FORECAST_CHANCE {
            return Ok(Some(plan.budget.ceil()));
        }
        plan.budget *= BUDGETS.1;
    }
    Ok(None)
}
