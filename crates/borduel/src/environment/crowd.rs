//! A crowd's votes as an environment, as the paper's EventTime experiment builds it.
//!
//! Votes give p̃(i,j), the share of wins (½ for pairs never compared and on the diagonal). Pairs with equal p̃ share a
//! vector drawn from {−1,+1}^m/√m, pairs with p̃ = ½ have φ = 0, and φ(j,i) = −φ(i,j). Of 100 such assignments those of
//! less than the possible rank are discarded, and of the rest the one whose recovered p̂ = μ(⟨φ, θ̂⟩), fitted with half
//! a win and half a loss added to every distinct vector (unanimous pairs would leave no maximum), is nearest to p̃ on
//! average is kept; of equals the first. Answers come from p̃ (`empirical`) or from p̂ (`recovered`).

use super::fixed::Fixed;
use crate::Link;
use crate::Tally;
use crate::duel::{Arm, Duel};
use crate::features::Features;
use crate::glm::{self, FitOptions};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How often each item won against each other: `wins[i * K + j]` for i over j.
#[derive(Debug, Clone, PartialEq)]
pub struct Wins {
    items: usize,
    wins: Vec<f64>,
}

impl Wins {
    /// A table of so many items, without votes yet.
    pub fn new(items: usize) -> Result<Self> {
        if items < 2 {
            return Err(Error::TooFewItems { found: items });
        }
        crate::size::numbers(&[items, items])?;
        Ok(Self { items, wins: vec![0.0; items * items] })
    }

    /// Counts a vote (½ each way for a tie is up to the caller).
    pub fn add(&mut self, winner: Arm, loser: Arm, votes: f64) -> Result<()> {
        if winner >= self.items || loser >= self.items || winner == loser {
            return Err(Error::Data(format!("a vote for item {winner} over item {loser} among {} items", self.items)));
        }
        if !(votes.is_finite() && votes >= 0.0) {
            return Err(Error::NotFinite {
                what: format!("the number of votes for {winner} over {loser}"),
                value: votes,
            });
        }
        self.wins[winner * self.items + loser] += votes;
        Ok(())
    }

    /// The number of items, K.
    pub fn items(&self) -> usize {
        self.items
    }

    /// How often i won against j.
    pub fn get(&self, i: Arm, j: Arm) -> f64 {
        self.wins[i * self.items + j]
    }

    /// p̃(i,j); ½ without votes.
    pub fn share(&self, i: Arm, j: Arm) -> f64 {
        let votes = self.get(i, j) + self.get(j, i);
        if votes > 0.0 { self.get(i, j) / votes } else { 0.5 }
    }
}

/// A simulated crowd: 100 events in the order of their index, three answers a pair, the more often wrong the closer the
/// events. Not real data, and every output says so.
pub fn simulated_votes(stream: &mut Stream) -> Wins {
    const EVENTS: usize = 100;
    const ANSWERS: usize = 3;
    let mut wins = Wins { items: EVENTS, wins: vec![0.0; EVENTS * EVENTS] };
    for i in 0..EVENTS {
        for j in i + 1..EVENTS {
            // Neighbours are a coin toss, the two ends are nearly certain.
            let p = Link::Logistic.mu((j - i) as f64 / 20.0);
            for _ in 0..ANSWERS {
                let (winner, loser) = if stream.uniform() < p { (i, j) } else { (j, i) };
                wins.wins[winner * EVENTS + loser] += 1.0;
            }
        }
    }
    wins
}

/// Where answers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Responses {
    /// The recovered p̂, which the model can express: the paper's main text.
    #[default]
    Recovered,
    /// The empirical p̃, which it cannot: the paper's appendix.
    Empirical,
}

/// The most assignments that are tried.
const MOST_ASSIGNMENTS: u32 = 1_000_000;

/// What can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CrowdOptions {
    /// Where answers come from.
    pub responses: Responses,
    /// m, the length of the sign vectors.
    pub dim: usize,
    /// How many assignments are tried.
    pub assignments: u32,
}

impl Default for CrowdOptions {
    fn default() -> Self {
        Self { responses: Responses::Recovered, dim: 5, assignments: 100 }
    }
}

/// The environment of a crowd's votes.
pub fn crowd(wins: &Wins, options: &CrowdOptions, horizon: Option<u64>, stream: &mut Stream) -> Result<Fixed> {
    if !(1..=32).contains(&options.dim) {
        return Err(Error::setting("dim", options.dim, "must lie between 1 and 32"));
    }
    if !(1..=MOST_ASSIGNMENTS).contains(&options.assignments) {
        let remedy = format!("must lie between 1 and {MOST_ASSIGNMENTS}");
        return Err(Error::setting("assignments", options.assignments, remedy));
    }
    let k = wins.items();
    let levels = levels(wins);
    if levels.is_empty() {
        return Err(Error::Data("every pair of items is even: the votes prefer nothing".to_owned()));
    }
    let mut best: Option<(f64, Features, Vec<f64>)> = None;
    for _ in 0..options.assignments {
        let signs: Vec<u32> = levels.iter().map(|_| (stream.bits() >> 32) as u32).collect();
        let features = Features::from_fn(k, options.dim, |i, j, phi| assign(wins, &levels, &signs, i, j, phi))?;
        if features.dim() < options.dim.min(levels.len()) {
            continue;
        }
        let theta = recover(wins, &features);
        let projection = features.project(&theta);
        let error: f64 = (0..k)
            .flat_map(|i| (0..k).map(move |j| (i, j)))
            .map(|(i, j)| (Link::Logistic.mu(features.score(&projection, Duel(i, j))) - wins.share(i, j)).abs())
            .sum();
        if best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, features, theta));
        }
    }
    let Some((_, features, theta)) = best else {
        return Err(Error::Data(format!(
            "none of {} random sign assignments had full rank: raise `assignments`",
            options.assignments
        )));
    };
    let problem = Problem::new(features, Link::Logistic, horizon)?;
    match options.responses {
        Responses::Recovered => Fixed::from_model(problem, &theta),
        Responses::Empirical => {
            let matrix = (0..k * k).map(|cell| wins.share(cell / k, cell % k)).collect();
            Fixed::from_matrix(problem, matrix)
        }
    }
}

/// The values of p̃ above ½, in increasing order. Equal means equal as fractions, so 2/3 and 4/6 are one.
fn levels(wins: &Wins) -> Vec<f64> {
    let k = wins.items();
    let mut levels: Vec<f64> = (0..k * k).map(|c| wins.share(c / k, c % k)).filter(|p| *p > 0.5).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    levels
}

/// φ(i,j): the sign vector of its level, negative below ½, zero at ½.
fn assign(wins: &Wins, levels: &[f64], signs: &[u32], i: Arm, j: Arm, phi: &mut [f64]) {
    let (p, opposite) = (wins.share(i, j), wins.share(j, i));
    let unit = 1.0 / (phi.len() as f64).sqrt();
    // Both orders look for the same level, so that rounding cannot part them.
    let (level, direction) = if p > opposite { (p, unit) } else { (opposite, -unit) };
    match levels.binary_search_by(|probe| probe.total_cmp(&level)) {
        Ok(index) if p != opposite => {
            for (c, x) in phi.iter_mut().enumerate() {
                *x = if signs[index] >> c & 1 == 1 { direction } else { -direction };
            }
        }
        _ => phi.fill(0.0),
    }
}

/// θ̂ of all votes, with half a win and half a loss added to every distinct vector.
fn recover(wins: &Wins, features: &Features) -> Vec<f64> {
    let mut tally = Tally::new(features);
    for i in 0..wins.items() {
        for j in 0..wins.items() {
            if i != j {
                tally.add_weighted(features, Duel(i, j), 1.0, wins.get(i, j));
            }
        }
    }
    for slot in 0..features.distinct() {
        tally.add_to_slot(slot, 1.0, 0.5);
        tally.add_to_slot(slot, 0.0, 0.5);
    }
    glm::solve(Link::Logistic, features, &tally, None, &FitOptions::default()).theta
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::stream::stream;

    fn small() -> Wins {
        let mut wins = Wins::new(4).unwrap();
        for (i, j, a, b) in [(0, 1, 2.0, 1.0), (0, 2, 3.0, 0.0), (1, 2, 4.0, 2.0), (1, 3, 1.0, 1.0), (2, 3, 0.0, 5.0)] {
            wins.add(i, j, a).unwrap();
            wins.add(j, i, b).unwrap();
        }
        wins
    }

    #[test]
    fn equal_shares_share_a_vector_and_even_pairs_have_none() {
        let wins = small();
        let world = crowd(&wins, &CrowdOptions::default(), Some(100), &mut stream(1, &[])).unwrap();
        let features = world.problem().features();
        assert_eq!(features.distinct(), 2);
        assert_eq!(features.slot(Duel(0, 1)), features.slot(Duel(1, 2)));
        assert_eq!(features.slot(Duel(0, 2)), features.slot(Duel(3, 2)));
        for duel in [Duel(1, 3), Duel(0, 3), Duel(2, 2)] {
            assert_eq!(features.slot(duel).index, features.distinct());
            assert_eq!(world.probability(1, duel), 0.5);
        }
        // Two levels, two directions: p̂ is what the votes and the added halves say, for every vector on its own.
        assert!((world.probability(1, Duel(0, 1)) - 6.5 / 10.0).abs() < 1e-8);
        assert!((world.probability(1, Duel(2, 0)) - 0.5 / 9.0).abs() < 1e-8);
    }

    #[test]
    fn empirical_responses_are_the_votes() {
        let options = CrowdOptions { responses: Responses::Empirical, ..CrowdOptions::default() };
        let world = crowd(&small(), &options, None, &mut stream(1, &[])).unwrap();
        assert_eq!(world.probability(1, Duel(0, 2)), 1.0);
        assert!((world.probability(1, Duel(1, 0)) - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn the_simulated_crowd_has_three_answers_a_pair() {
        let wins = simulated_votes(&mut stream(3, &[]));
        assert_eq!(wins.items(), 100);
        for i in 0..100 {
            for j in 0..i {
                assert_eq!(wins.get(i, j) + wins.get(j, i), 3.0);
            }
        }
        let world = crowd(&wins, &CrowdOptions::default(), None, &mut stream(3, &[])).unwrap();
        assert_eq!(world.problem().features().distinct(), 2);
    }

    #[test]
    fn votes_that_say_nothing_are_refused() {
        assert!(Wins::new(1).is_err());
        let mut wins = Wins::new(3).unwrap();
        assert!(wins.add(0, 0, 1.0).is_err());
        assert!(wins.add(0, 3, 1.0).is_err());
        assert!(wins.add(0, 1, -1.0).is_err());
        assert!(crowd(&wins, &CrowdOptions::default(), None, &mut stream(1, &[])).is_err());
    }
}
