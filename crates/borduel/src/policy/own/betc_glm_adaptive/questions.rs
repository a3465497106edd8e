//! What a look at votes from elsewhere would ask next: for live studies, which plan beside their log and keep no
//! policy.

use super::misfit::misfits;
use super::perfect_information::{AHEAD, PerfectInformation};
use super::preposterior::Preposterior;
use super::{Config, transductive};
use crate::Link;
use crate::Result;
use crate::Tally;
use crate::ballots::Ballots;
use crate::duel::Duel;
use crate::features::Features;
use crate::problem::Problem;
use crate::stream::Stream;

/// The pairs that remove most doubt about the leader for the regret that they cost, each with its share; as long as the
/// model holds, voters then see mostly good items. Never an item against itself. Nothing where the votes contradict the
/// model: then all pairs are to be asked alike.
///
/// # Errors
/// Features that no design can be made of, or of other items than the votes are about.
pub fn next_questions(features: &Features, ballots: &Ballots, stream: Stream) -> Result<Vec<(Duel, f64)>> {
    let problem = Problem::new(features.clone(), Link::Logistic, None)?;
    let mut state = Config::default().build(&problem, stream)?;
    state.tally = Tally::of(features, ballots)?;
    let belief = state.belief(&problem);
    // Pair by pair: which of the votes were audits is not needed for that.
    if misfits(&problem, &belief, &state.tally, &state.counts) {
        return Ok(Vec::new());
    }
    let known = PerfectInformation::new(&mut state, &Preposterior::now(&belief).doubt(f64::INFINITY));
    let rounds = ballots.used().max(AHEAD);
    let plan = transductive::design(&problem, &belief, &state.design, rounds, 2.0 * known.gain, &mut state.stream);
    Ok(plan.duels.into_iter().zip(plan.weights).filter(|(duel, _)| duel.0 != duel.1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballots::{Answer, BothBad, Ties};
    use crate::stream::stream;

    #[test]
    fn where_votes_contradict_the_model_nothing_is_planned_on_it() {
        let strengths = [1.0_f64, 0.6, 0.2, -0.3, -0.8];
        let follows = |i: usize, j: usize| Link::Logistic.mu(strengths[i] - strengths[j]);
        // Everybody beats the next one round a circle, and is beaten by the one before.
        let circle = |i: usize, j: usize| match (j + 5 - i) % 5 {
            1 | 2 => 0.8,
            _ => 0.2,
        };
        let planned = |p: &dyn Fn(usize, usize) -> f64| {
            let mut draws = stream(3, &[]);
            let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
            (0..5).for_each(|item| {
                ballots.item(&item.to_string());
            });
            for n in 0..2_000 {
                let (i, j) = (n % 5, (n + 1 + n / 5 % 4) % 5);
                let answer = if draws.uniform() < p(i, j) { Answer::Left } else { Answer::Right };
                ballots.add(i as u32, j as u32, None, answer, 1.0, 1.0).unwrap();
            }
            next_questions(&Features::one_hot(5).unwrap(), &ballots.finish(), stream(4, &[])).unwrap()
        };
        assert!(!planned(&follows).is_empty());
        assert_eq!(planned(&circle), []);
    }
}
