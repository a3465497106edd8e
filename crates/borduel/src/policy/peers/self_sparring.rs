//! IndSelfSparring (Sui, Zhuang, Burdick, Yue, UAI 2017): two independent Thompson draws over items, the best of each
//! against each other. Assumes roughly a linear order.
//!
//! Twice independently: θ(k) ~ Beta(S(k)+1, F(k)+1) for all k, take the argmax. The winner's S and the loser's F grow
//! by η, a tie is half of both. An item that meets itself has S *and* F grow by η: without that, a lucky item that
//! meets only itself is never corrected (`self_duels = false`; a few runs then lose ten times as much).
//!
//! Late answers and batches need no care, since every question is drawn anew.
//!
//! *Cheap and exact:* most items are far below the one that was the best of the last draw. That one is drawn first. Of
//! every other item a coin comes up with a chance above that of exceeding its mean by three standard deviations
//! (Chernoff's bound of it); if it does not, and the best draw so far lies above that ceiling, its own draw cannot
//! matter. Else it is drawn given the coin, for which alone the exact chance is computed. A round of six items takes
//! two Beta draws and ten coins instead of twelve Beta draws.

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::{Policy, Resolved, shared::beta_tail, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// η, what an answer counts; at most 1,000.
    pub eta: f64,
    /// Whether an item's duel with itself counts.
    pub self_duels: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { eta: 1.0, self_duels: true }
    }
}

/// The greatest η. The chance of an exceptional draw is a sum of about as many terms as the root of an item's answers,
/// each counted η times: with 10¹⁸ one draw would take minutes, and no draw would ever differ from the mean.
pub const MOST: f64 = 1000.0;

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let eta = settings::positive("eta", self.eta)?;
        if eta > MOST {
            return Err(Error::setting("eta", eta, format!("must be at most {MOST}; 1 counts every answer once")));
        }
        let fresh = Posterior { wins: 1.0, losses: 1.0, bound: None };
        let items = vec![fresh; problem.items()];
        Ok(State { stream, round: 0, eta, self_duels: self.self_duels, items, best: 0 })
    }
}

/// The state: S + 1 and F + 1 of every item.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    eta: f64,
    self_duels: bool,
    items: Vec<Posterior>,
    /// Who was the best of the last draw.
    best: Arm,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Posterior {
    wins: f64,
    losses: f64,
    /// Unknown since the counts changed, or were read.
    #[serde(skip)]
    bound: Option<Bound>,
}

/// A point that a draw rarely exceeds, a bound of the chance that it does, and that chance itself once it was needed.
#[derive(Debug, Clone, Copy)]
struct Bound {
    ceiling: f64,
    at_most: f64,
    tail: Option<f64>,
}

impl Posterior {
    fn add(&mut self, wins: f64, losses: f64) {
        self.wins += wins;
        self.losses += losses;
        self.bound = None;
    }

    /// Mean and three standard deviations; P(X > c) ≤ exp(−n d(mean, c)) for X ~ Beta(a, b), n = a + b: X is G/(G + G′)
    /// of two Gamma variables, and this is Chernoff's bound of (1 − c)G − cG′ > 0.
    fn bound_of(a: f64, b: f64) -> Bound {
        let mean = a / (a + b);
        let ceiling = mean + 3.0 * (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
        if ceiling >= 1.0 {
            return Bound { ceiling: 1.0, at_most: 0.0, tail: Some(0.0) };
        }
        let divergence = a * (mean / ceiling).ln() + b * ((1.0 - mean) / (1.0 - ceiling)).ln();
        Bound { ceiling, at_most: (-divergence).exp(), tail: None }
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        beta_tail::beta(self.wins, self.losses, stream)
    }

    /// A draw, unless it can be known not to exceed `most` without it.
    fn beyond(&mut self, most: f64, stream: &mut Stream) -> Option<f64> {
        let (a, b) = (self.wins, self.losses);
        let bound = self.bound.get_or_insert_with(|| Self::bound_of(a, b));
        let (ceiling, coin) = (bound.ceiling, stream.uniform());
        if coin < bound.at_most {
            let tail = *bound.tail.get_or_insert_with(|| beta_tail::upper(a, b, ceiling));
            if coin < tail {
                return Some(beta_tail::above(a, b, ceiling, tail, stream));
            }
        }
        if ceiling <= most {
            return None;
        }
        loop {
            let theta = self.draw(stream);
            if theta <= ceiling {
                return Some(theta);
            }
        }
    }
}

impl State {
    fn draw(&mut self) -> Arm {
        let Self { stream, items, best, .. } = self;
        let before = *best;
        let mut most = items[before].draw(stream);
        for (arm, item) in items.iter_mut().enumerate().filter(|(arm, _)| *arm != before) {
            if let Some(theta) = item.beyond(most, stream).filter(|theta| *theta > most) {
                (most, *best) = (theta, arm);
            }
        }
        *best
    }
}

impl Policy for State {
    fn ask(&mut self, _: &Problem) -> Proposal {
        self.round += 1;
        let duel = Duel(self.draw(), self.draw());
        Proposal::new(self.round, duel, None)
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let Duel(i, j) = proposal.duel;
        if i == j {
            if self.self_duels {
                self.items[i].add(self.eta, self.eta);
            }
            return;
        }
        let won = self.eta * outcome.reward();
        let lost = self.eta - won;
        self.items[i].add(won, lost);
        self.items[j].add(lost, won);
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    /// (S + 1)/(S + F + 2): a scale of its own, no Borda scores.
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        out.iter_mut().zip(&self.items).for_each(|(score, item)| *score = item.wins / (item.wins + item.losses));
    }

    fn settings(&self) -> Vec<Resolved> {
        let counted = if self.self_duels { "yes" } else { "no" };
        vec![Resolved::new("eta", self.eta), Resolved::new("self_duels", counted)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;
    use crate::{Features, Link};

    #[test]
    fn answers_that_count_without_bounds_are_refused_and_the_greatest_is_played() {
        let problem = Problem::new(Features::one_hot(4).unwrap(), Link::Logistic, Some(1000)).unwrap();
        let build = |eta: f64| Config { eta, ..Config::default() }.build(&problem, stream(1, &[]));
        let refused = build(1e18).unwrap_err().to_string();
        assert!(refused.contains("eta") && refused.contains("at most 1000"), "{refused}");
        let mut policy = build(MOST).unwrap();
        for _ in 0..1000 {
            let proposal = policy.ask(&problem);
            policy.tell(&problem, &proposal, Outcome::from_win(proposal.duel.0 < proposal.duel.1));
        }
        assert_eq!(policy.round, 1000);
    }
}
