//! What to ask next from votes alone: for whoever keeps no policy, such as a live study that plans beside its log.

use super::clusters;
use super::judgement::fitted;
use super::plan::plan;
use super::scores::Scores;
use super::standing::Standing;
use super::{Options, Votes};
use crate::ballots::Ballots;
use crate::duel::Duel;
use crate::error::Result;
use crate::features::Features;

/// The next `total` questions, those first that take the most doubt off the verdict; `open` ones, whose answers are still to come,
/// count as answered. No pair is asked more than `most_per_pair` times: voters who see a pair once need many pairs.
///
/// # Errors
/// Options that make no sense, or features of other items than the votes are about.
pub fn next_questions(
    features: &Features,
    ballots: &Ballots,
    options: &Options,
    open: &[Duel],
    total: usize,
    most_per_pair: usize,
) -> Result<Vec<Duel>> {
    let votes = Votes::of(ballots);
    let (space, fit) = fitted(features, &votes, options)?;
    let mut scores = Scores::new(&space, &fit);
    clusters::widen(&space, &fit, &mut scores, ballots);
    let standing = Standing::new(&scores, options.goal, options.margin);
    Ok(plan(&space, &fit, &scores, &standing.claims, options.margin, open, (total, most_per_pair.max(1))))
}
