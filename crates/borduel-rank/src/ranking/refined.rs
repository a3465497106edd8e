//! The sums that a model is fitted to, where they are not simply those of pairs and voters.

use super::RankOptions;
use super::contexts::{Clusters, Over};
use super::spread::MOST_PAIRWISE;
use super::sums::{By, Grouping, Sums};
use crate::ballots::Ballots;
use crate::error::{Error, Result};

impl RankOptions {
    /// The sums that the model is fitted to, where votes on a pair are kept apart by what is adjusted for, are summed
    /// in two ways, or count by their contexts.
    pub(super) fn refined(&self, ballots: &Ballots, sums: &Sums, over: Option<&Over>) -> Result<Option<Sums>> {
        let weights = over.and_then(|over| over.weights.as_deref());
        let of = |ballots: &Ballots, by: By| {
            let apart = weights.is_some() && over.is_some_and(|over| over.fitted);
            Sums::grouped(ballots, sums.items.clone(), Grouping { as_shown: self.adjust_position, by, weights, apart })
        };
        let by_context = over.is_some_and(|over| over.clusters == Clusters::Contexts);
        let mut refined = match &self.circumstances {
            Some(c) => Some(Sums::under(ballots, sums.items.clone(), c, self.adjust_position)),
            None if by_context => Some(of(ballots, By::Context)),
            None if over.is_some() || self.adjust_position || self.crossed.is_some() => Some(of(ballots, By::Voter)),
            None => None,
        };
        let two_ways = match (over.map(|over| over.clusters), &self.crossed) {
            (Some(Clusters::Both), _) => Some([of(ballots, By::Context), of(ballots, By::Both)]),
            (None, Some(crossed)) => Some([of(&crossed.second, By::Voter), of(&crossed.both, By::Voter)]),
            _ => None,
        };
        if let (Some(refined), Some(two_ways)) = (&mut refined, two_ways) {
            if sums.len() > MOST_PAIRWISE {
                return Err(Error::Data(format!(
                    "votes that hang together in two ways are computed for at most {MOST_PAIRWISE} items"
                )));
            }
            refined.crossed = Some(Box::new(two_ways));
        }
        Ok(refined)
    }
}
