//! Whether a judge pays: what its answers to the same questions cost, and what the votes of people cost that they save.
//!
//! It saves ρ² of people's votes once it has answered every pair on every context, whatever number of votes that is. So
//! it pays from as many votes on as (pairs × contexts × its price)/(ρ² × a person's price), ρ² at the ends of its
//! interval for what is sure and what is possible.

use super::Worth;
use crate::ballots::Ballots;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What an answer costs, in any currency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prices {
    /// The price of a person's answer.
    pub person: f64,
    /// The price of a judge's answer.
    pub judge: f64,
}

/// What asking the judge first costs and saves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Paid {
    /// What an answer costs.
    pub prices: Prices,
    /// The questions that the judge has to answer: every pair on every context.
    pub questions: f64,
    /// What all answers cost together.
    pub cost: f64,
    /// What the people's votes cost that it saves, of those that there are; at the ends of the interval of ρ².
    pub saves: [f64; 2],
    /// From how many votes of people on it pays, at the estimate of ρ²; none where it saves nothing.
    pub pays_from: Option<f64>,
}

impl Prices {
    /// Prices of a person's answer and of the judge's.
    ///
    /// # Errors
    /// A price that is not a number above 0.
    pub fn new(person: f64, judge: f64) -> Result<Self> {
        for price in [person, judge] {
            if !(price > 0.0 && price.is_finite()) {
                return Err(Error::setting("prices", price, "must be above 0, such as 1,0.01"));
            }
        }
        Ok(Self { person, judge })
    }

    /// What asking this judge first costs and saves beside these people's votes; nothing where it cannot be told what
    /// it saves.
    pub fn paid(self, worth: &Worth, people: &Ballots) -> Option<Paid> {
        let share = worth.saving.as_ref()?.share;
        let (items, votes) = (worth.items.len() as f64, worth.votes.0);
        let questions = 0.5 * items * (items - 1.0) * people.contexts() as f64;
        let cost = questions * self.judge;
        let saves = [share.low, share.high].map(|share| share * votes * self.person);
        let pays_from = share.estimate.filter(|share| *share > 0.0).map(|share| cost / (share * self.person));
        Some(Paid { prices: self, questions, cost, saves, pays_from })
    }
}
