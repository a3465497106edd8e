//! What is known before the first question.

use super::PlanOptions;
use crate::ballots::Ballots;
use crate::borda;
use crate::duel::Duel;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::link::Link;
use crate::ranking::Model;
use crate::ranking::dense;
use crate::ranking::estimate::{self, Estimate};
use crate::ranking::sums::Sums;
use nalgebra::DMatrix;

/// The votes' model, their information, and what it says about scores.
pub(crate) struct Prior {
    pub(crate) features: Features,
    pub(crate) theta: Vec<f64>,
    /// M, questions that are open included.
    pub(crate) information: DMatrix<f64>,
    /// The gradients of the scores, a row an item.
    pub(crate) gradients: DMatrix<f64>,
    pub(crate) estimate: Option<Estimate>,
    /// The mean over items of the estimated variance of a score over that of independent votes from the model.
    pub(crate) inflation: f64,
}

impl Prior {
    pub(crate) fn new(items: usize, model: &Model, votes: Option<&Ballots>, options: &PlanOptions) -> Result<Self> {
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
        let weight = |duel: Duel, n: f64| {
            (features.slot(duel).index, n * Link::Logistic.mu_prime(features.score(&projection, duel)))
        };
        // Votes of unequal weight say as much as (Σw)²/Σw² equal ones.
        let votes = estimate.iter().flat_map(|(_, sums)| &sums.pairs);
        let votes = votes.map(|pair| weight(Duel(pair.i, pair.j), pair.w * pair.w / pair.w2));
        let known = features.information(votes);
        let gradients = borda::gradients(&features, Link::Logistic, &theta);
        let open = features.information(options.open.iter().map(|&duel| weight(duel, 1.0)));
        let estimate = estimate.map(|(estimate, _)| estimate);
        let inflation = estimate.as_ref().map_or(1.0, |estimate| inflation(estimate, &known, &gradients));
        Ok(Self { theta, information: known + open, gradients, estimate, inflation, features })
    }

    /// The scores, if there are votes that tell all of them.
    pub(crate) fn scored(&self) -> Option<&Estimate> {
        self.estimate.as_ref().filter(|estimate| estimate.unknown.iter().all(|&u| u < 1e-12))
    }
}

fn inflation(estimate: &Estimate, information: &DMatrix<f64>, gradients: &DMatrix<f64>) -> f64 {
    if estimate.unknown.iter().any(|&u| u >= 1e-12) {
        return 1.0;
    }
    let Some((_, inverse)) = dense::factor(information) else { return 1.0 };
    let root = inverse * gradients.transpose();
    let ratios: Vec<f64> = root
        .column_iter()
        .map(|column| column.norm_squared())
        .enumerate()
        .filter(|(_, variance)| *variance > 0.0)
        .map(|(i, variance)| estimate.error(i).powi(2) / variance)
        .collect();
    if ratios.is_empty() { 1.0 } else { ratios.iter().sum::<f64>() / ratios.len() as f64 }
}
