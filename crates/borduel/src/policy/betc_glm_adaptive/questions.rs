//! What a look at votes from elsewhere would ask next: for live studies, which plan beside their log and keep no policy.

use super::outlook::{AHEAD, Outlook};
use super::prospect::Prospect;
use super::{Config, aim};
use crate::ballots::Ballots;
use crate::duel::Duel;
use crate::error::Result;
use crate::features::Features;
use crate::link::Link;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::tally::Tally;

/// The pairs that remove most doubt about the leader for the regret that they cost, each with its share; as long as the model holds,
/// voters then see mostly good items. Never an item against itself.
///
/// # Errors
/// Features that no design can be made of, or of other items than the votes are about.
pub fn next_questions(features: &Features, ballots: &Ballots, stream: Stream) -> Result<Vec<(Duel, f64)>> {
    let problem = Problem::new(features.clone(), Link::Logistic, None)?;
    let mut state = Config::default().build(&problem, stream)?;
    state.tally = Tally::of(features, ballots)?;
    let belief = state.belief(&problem);
    let outlook = Outlook::new(&mut state, &Prospect::now(&belief).doubt(f64::INFINITY));
    let rounds = ballots.used().max(AHEAD);
    let plan = aim::aim(&problem, &belief, &state.design, rounds, 2.0 * outlook.gain, &mut state.stream);
    Ok(plan.duels.into_iter().zip(plan.weights).filter(|(duel, _)| duel.0 != duel.1).collect())
}
