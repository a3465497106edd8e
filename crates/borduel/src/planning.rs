//! Which pairs to ask, how often, in which order and on which side; and what precision that will buy.
//!
//! At parameters θ, a vote on the pair (i,j) adds μ′ φφᵀ to the information M, and the scores B̂ then have the covariance
//! G M⁻¹ Gᵀ (see [`ranking`](crate::ranking)). So the precision of a set of questions can be computed before one of them is
//! asked. Questions are chosen one by one, each lowering Σ ω c ᵀM⁻¹c the most per unit of cost, with c the gradients of the scores (or
//! of their differences) that matter: every prefix of the list is a good design too, and one may stop at any time.
//!
//! Without votes θ = 0: all items even, the case in which votes are most in doubt.

mod greedy;
mod sides;

use crate::ballots::Ballots;
use crate::duel::Duel;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::link::Link;
use crate::ranking::Model;
use crate::ranking::best::best;
use crate::ranking::distribution::t_quantile;
use crate::ranking::estimate::{self, Estimate, score_gradients};
use crate::ranking::sums::Sums;
use nalgebra::{Cholesky, DMatrix};
use std::collections::HashSet;

/// What the questions are to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Which item is best: the differences between the leader and those who may still be best, small gaps first. Without votes
    /// nobody leads, and it is the same as [`Goal::All`].
    #[default]
    Winner,
    /// Every item's score.
    All,
}

/// How to plan.
#[derive(Clone, Debug)]
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
    /// The seed of the simultaneous set that tells who may still be best.
    pub seed: u64,
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
        }
    }
}

/// The precision after so many questions. Widths are half-widths of intervals; `None` while some score is still undetermined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Questions asked.
    pub asked: usize,
    /// Their cost.
    pub spent: f64,
    /// The mean half-width over items.
    pub mean: Option<f64>,
    /// The widest half-width.
    pub worst: Option<f64>,
    /// The widest half-width of the differences that the goal is about.
    pub difference: Option<f64>,
}

/// A plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The questions in their order, (left, right).
    pub asks: Vec<Duel>,
    /// Precision against budget, from what is there already to the end.
    pub curve: Vec<Precision>,
    /// The half-width of every item's interval at the end.
    pub half_widths: Option<Vec<f64>>,
    /// The present scores, where there are votes.
    pub scores: Option<Vec<f64>>,
    /// The items that may still be best, the leader first; all without votes.
    pub contenders: Vec<usize>,
    /// The variance of scores over that of independent coin flips, as estimated from the votes there are (ties make it less,
    /// voters' habits more); 1 without votes.
    pub inflation: f64,
}

/// What is known before the first question.
pub(crate) struct Prior {
    pub(crate) features: Features,
    pub(crate) theta: Vec<f64>,
    /// M.
    pub(crate) information: DMatrix<f64>,
    /// The gradients of the scores, a row an item.
    pub(crate) gradients: DMatrix<f64>,
    estimate: Option<Estimate>,
}

/// Plans questions about these items.
///
/// # Errors
/// Votes about other items, constraints that leave nothing to ask, or a budget that buys nothing.
pub fn plan(items: usize, model: &Model, votes: Option<&Ballots>, options: &PlanOptions) -> Result<Plan> {
    if !(options.budget > 0.0 && options.budget <= 1e7) {
        return Err(Error::setting("budget", options.budget, "must be a number of questions from 1 to 10,000,000"));
    }
    if !(options.level > 0.5 && options.level < 1.0) {
        return Err(Error::setting("level", options.level, "must lie between 0.5 and 1, such as 0.95"));
    }
    let prior = Prior::new(items, model, votes)?;
    let goal = Target::new(&prior, options);
    let inflation = prior.inflation();
    let z = t_quantile(0.5 + 0.5 * options.level, f64::INFINITY) * inflation.sqrt();
    let chosen = greedy::choose(&prior, &goal.directions, options)?;
    let mut information = prior.information.clone();
    let measure =
        |information: &DMatrix<f64>, asked: usize, spent: f64| goal.precision(&prior, information, z, asked, spent);
    let mut curve = vec![measure(&information, 0, 0.0).0];
    let mut spent = 0.0;
    let mut half_widths = None;
    let marks: Vec<usize> = (1..=POINTS).map(|point| point * chosen.len() / POINTS).collect();
    for (at, step) in chosen.iter().enumerate() {
        let slot = prior.features.slot(Duel(step.i, step.j)).index;
        information += prior.features.information([(slot, step.times as f64 * step.slope)]);
        spent += step.cost * step.times as f64;
        if marks.contains(&(at + 1)) {
            let asked = chosen[..=at].iter().map(|step| step.times).sum();
            let (precision, widths) = measure(&information, asked, spent);
            curve.push(precision);
            half_widths = widths;
        }
    }
    let asks = sides::order(items, &chosen);
    let scores = prior.estimate.as_ref().map(|estimate| estimate.borda.clone());
    Ok(Plan { asks, curve, half_widths, scores, contenders: goal.contenders, inflation })
}

/// How many points the curve of precision has, the start not counted.
const POINTS: usize = 20;

impl Prior {
    fn new(items: usize, model: &Model, votes: Option<&Ballots>) -> Result<Self> {
        let features = match model {
            Model::Features(features) => features.clone(),
            Model::OneHot | Model::Counts => Features::one_hot(items)?,
        };
        if features.items() != items {
            return Err(Error::Data(format!("the features are those of {} items, not of {items}", features.items())));
        }
        let estimate = match votes {
            Some(ballots) if ballots.items().len() != items => {
                return Err(Error::Data(format!(
                    "the votes are about {} items, the list has {items}",
                    ballots.items().len()
                )));
            }
            Some(ballots) if ballots.used() > 0.0 => {
                let sums = Sums::new(ballots, false);
                Some((estimate::estimate(&sums, features.clone(), true)?, sums))
            }
            _ => None,
        };
        let theta = estimate
            .as_ref()
            .and_then(|(estimate, _)| estimate.fitted.as_ref()?.theta())
            .map_or_else(|| vec![0.0; features.dim()], <[f64]>::to_vec);
        let projection = features.project(&theta);
        let weights = estimate.iter().flat_map(|(_, sums)| &sums.pairs).map(|pair| {
            let duel = Duel(pair.i, pair.j);
            // Votes of unequal weight say as much as (Σw)²/Σw² equal ones.
            let n = pair.w * pair.w / pair.w2;
            (features.slot(duel).index, n * Link::Logistic.mu_prime(features.score(&projection, duel)))
        });
        let information = features.information(weights);
        let gradients = score_gradients(&features, &theta);
        Ok(Self { features, theta, information, gradients, estimate: estimate.map(|(estimate, _)| estimate) })
    }

    /// The mean over items of the estimated variance over that of independent votes from the model.
    fn inflation(&self) -> f64 {
        let Some(estimate) = self.estimate.as_ref().filter(|e| e.unknown.iter().all(|&u| u < 1e-12)) else {
            return 1.0;
        };
        let Some(factor) = Cholesky::new(self.information.clone()) else { return 1.0 };
        let model = &self.gradients * factor.solve(&self.gradients.transpose());
        let ratios: Vec<f64> = (0..self.features.items())
            .filter(|&i| model[(i, i)] > 0.0)
            .map(|i| estimate.error(i).powi(2) / model[(i, i)])
            .collect();
        if ratios.is_empty() { 1.0 } else { ratios.iter().sum::<f64>() / ratios.len() as f64 }
    }
}

/// What the questions are for: gradients c, scaled by √ω, and the pairs of items whose differences count.
struct Target {
    directions: DMatrix<f64>,
    differences: Vec<(usize, usize)>,
    contenders: Vec<usize>,
}

impl Target {
    fn new(prior: &Prior, options: &PlanOptions) -> Self {
        let items: Vec<usize> = (0..prior.features.items()).filter(|i| !options.excluded_items.contains(i)).collect();
        let scored = prior.estimate.as_ref().filter(|e| e.unknown.iter().all(|&u| u < 1e-12));
        let everything = |contenders: Vec<usize>, items: &[usize]| {
            let differences = items.windows(2).map(|pair| (pair[0], pair[1])).collect();
            Self { directions: prior.gradients.select_rows(items), differences, contenders }
        };
        let Some(estimate) = scored else { return everything(items.clone(), &items) };
        let mut order = items.clone();
        order.sort_by(|&a, &b| estimate.borda[b].total_cmp(&estimate.borda[a]).then(a.cmp(&b)));
        let leader = order[0];
        let contenders = best(estimate, &order, options.level, options.seed).contenders;
        if options.goal == Goal::All {
            return everything(contenders, &items);
        }
        // Where the winner is clear, what can still be told better is its lead over everybody.
        let rivals = if contenders.len() > 1 { contenders[1..].to_vec() } else { order[1..].to_vec() };
        let mut directions = DMatrix::zeros(rivals.len(), prior.features.dim());
        for (row, &rival) in rivals.iter().enumerate() {
            let gap = (estimate.borda[leader] - estimate.borda[rival]).max(options.margin);
            directions.set_row(row, &((prior.gradients.row(leader) - prior.gradients.row(rival)) / gap));
        }
        let differences = rivals.iter().map(|&rival| (leader, rival)).collect();
        Self { directions, differences, contenders }
    }

    /// The precision that this information gives, and every item's half-width.
    fn precision(
        &self,
        prior: &Prior,
        information: &DMatrix<f64>,
        z: f64,
        asked: usize,
        spent: f64,
    ) -> (Precision, Option<Vec<f64>>) {
        let unknown = Precision { asked, spent, mean: None, worst: None, difference: None };
        let scale = information.diagonal().amax();
        let factor = Cholesky::new(information.clone())
            .filter(|factor| factor.l_dirty().diagonal().iter().all(|x| x * x > 1e-9 * scale));
        let Some(factor) = factor else { return (unknown, None) };
        let root = factor.l().solve_lower_triangular(&prior.gradients.transpose());
        let Some(root) = root else { return (unknown, None) };
        let widths: Vec<f64> = root.column_iter().map(|column| z * column.norm()).collect();
        let difference = |&(i, j): &(usize, usize)| z * (root.column(i) - root.column(j)).norm();
        let precision = Precision {
            mean: Some(widths.iter().sum::<f64>() / widths.len() as f64),
            worst: widths.iter().copied().reduce(f64::max),
            difference: self.differences.iter().map(difference).reduce(f64::max),
            ..unknown
        };
        (precision, Some(widths))
    }
}

#[cfg(test)]
mod tests;
