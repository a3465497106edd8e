//! How many questions settle who is best, if they are asked where it matters.
//!
//! Chosen questions lower the covariance of the scores from C₀ to C. What will then be estimated is B̂ + Z with Cov(Z)
//! = C₀ − C, and its errors are those of C; the verdict on it is drawn as in the forecast for votes of the present
//! kind.

use super::greedy;
use super::prior::Prior;
use super::target::Target;
use super::{Goal, Pairs, PlanOptions};
use crate::ballots::Ballots;
use crate::error::{Error, Result};
use crate::order::sort_descending;
use crate::ranking::best::best;
use crate::ranking::forecast::{DRAWS, ENDS, Forecast, MOST, settled};
use crate::ranking::spread::Spread;
use crate::ranking::{Model, RankOptions, Ranking};
use crate::stream::{Stream, stream};
use nalgebra::{Cholesky, DMatrix};

/// The most items for which it is computed: plans are made for many budgets.
const MOST_ITEMS: usize = 150;
/// The first budget, by how much the next one is larger, and the last.
const BUDGETS: (f64, f64, f64) = (8.0, 1.4, 2e5);
/// The first step of the path of the draws.
const SETTLE: u64 = 0x5e77;

/// How many chosen questions settle who is best, on top of these votes and their ranking; `None` where that cannot be
/// told: too many items, scores that are not known at all, or nothing left to settle. What voters have in common is
/// allowed for; where something is adjusted for, votes hang together in two ways, or have contexts, nothing is told,
/// since plans know none of that.
///
/// # Errors
/// What [`plan`](super::plan) refuses.
pub fn questions_to_settle(
    ballots: &Ballots,
    model: &Model,
    options: &RankOptions,
    ranking: &Ranking,
) -> Result<Option<Forecast>> {
    let items = ranking.items.len();
    let beyond = options.adjust_position || options.circumstances.is_some() || options.crossed.is_some();
    if beyond || ballots.contexts() > 0 || matches!(model, Model::Counts) || !(2..=MOST_ITEMS).contains(&items) {
        return Ok(None);
    }
    // Of the items that are ranked, and the votes between them.
    let mut ranked: Vec<usize> = ranking.items.iter().map(|score| score.item).collect();
    ranked.sort_unstable();
    let numbers: Vec<u32> = ranked.iter().map(|&item| item as u32).collect();
    let kept = ballots.restrict(&numbers).map_err(|refusal| Error::Data(refusal.to_string()))?;
    let own = match model {
        Model::Features(features) if features.items() > items => Model::Features(features.restricted(&ranked)?),
        other => other.clone(),
    };
    let (level, margin, seed) = (options.level, options.margin, options.seed);
    let mut plan = PlanOptions { goal: Goal::Winner, level, margin, seed, ..PlanOptions::default() };
    let prior = Prior::new(items, &own, Some(&kept), &plan)?;
    let Some(estimate) = prior.scored() else { return Ok(None) };
    let target = Target::new(&prior, &plan);
    let mut order = target.contenders.clone();
    sort_descending(&mut order, &estimate.borda);
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
    // The largest budget that settles it in few draws.
    let mut below = 1.0;
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
        let share = settled(&scores, &moves, &reach, margin);
        if share < ENDS.0 {
            below = plan.budget;
        }
        if share >= ENDS.1 {
            return Ok(Some(Forecast::between(below, plan.budget, kept.used())));
        }
        plan.budget *= BUDGETS.1;
    }
    Ok(Some(Forecast::between(below, f64::INFINITY, kept.used())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballots::{Answer, BothBad, Circumstances, Ties};
    use crate::ranking::{Crossed, rank};
    use std::sync::Arc;

    /// Four items, the first two nearly level, each pair answered four times by 25 voters (or by nobody), who always
    /// answer it alike and of whom the first ones always prefer the better item.
    fn votes(voters: bool) -> Ballots {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        (0..4).for_each(|item| {
            ballots.item(&item.to_string());
        });
        for (i, j, wins) in [(0, 1, 13), (0, 2, 18), (0, 3, 20), (1, 2, 18), (1, 3, 19), (2, 3, 14)] {
            for voter in 0..25 {
                let answer = if voter < wins { Answer::Left } else { Answer::Right };
                let voter = voters.then(|| ballots.voter(&voter.to_string()));
                ballots.add(i, j, voter, answer, 1.0, 4.0).unwrap();
            }
        }
        ballots.finish()
    }

    /// The most questions of the forecast, infinite where it has no end.
    fn questions(ballots: &Ballots, options: &RankOptions) -> Option<f64> {
        let ranking = rank(ballots, &Model::OneHot, options).unwrap();
        assert!(ranking.verdict.forecast.is_some());
        let told = questions_to_settle(ballots, &Model::OneHot, options, &ranking).unwrap();
        told.map(|forecast| forecast.range().map_or(f64::INFINITY, |range| range.1))
    }

    #[test]
    fn voters_count_and_what_plans_do_not_know_is_not_told() {
        let plain = RankOptions::default();
        let (alone, together) = (questions(&votes(false), &plain).unwrap(), questions(&votes(true), &plain).unwrap());
        assert!(
            alone.is_finite() && together > alone,
            "votes of one voter say less than as many of several: {together} {alone}"
        );
        let ballots = votes(true);
        let adjusted = RankOptions { adjust_position: true, ..plain.clone() };
        let crossed = Crossed { name: "prompts".to_owned(), second: votes(true), both: votes(true) };
        let crossed = RankOptions { crossed: Some(Arc::new(crossed)), ..plain.clone() };
        assert_eq!((questions(&ballots, &adjusted), questions(&ballots, &crossed)), (None, None));
        let numbers = Some(Arc::new(Circumstances::new(vec!["length".to_owned()])));
        let ranking = rank(&ballots, &Model::OneHot, &plain).unwrap();
        let numbers = RankOptions { circumstances: numbers, ..plain };
        assert_eq!(questions_to_settle(&ballots, &Model::OneHot, &numbers, &ranking).unwrap(), None);
    }

    #[test]
    fn items_that_are_left_out_are_left_out_of_the_plan() {
        let all = votes(false);
        let mut more = all.clone();
        let rare = more.item("rare");
        more.add(rare, 0, None, Answer::Left, 1.0, 3.0).unwrap();
        more.add(rare, 1, None, Answer::Right, 1.0, 3.0).unwrap();
        let more = more.finish();
        let expected = questions(&all, &RankOptions::default());
        assert!(expected.unwrap().is_finite());
        for options in [
            RankOptions { least_votes: 10.0, ..RankOptions::default() },
            RankOptions { exclude: vec![rare as usize], ..RankOptions::default() },
        ] {
            assert_eq!(questions(&more, &options), expected);
        }
    }
}
