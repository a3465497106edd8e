//! IndSelfSparring (Sui, Zhuang, Burdick, Yue, UAI 2017): two independent Thompson draws over items, the best of each against each other.
//! Assumes roughly a linear order.
//!
//! Twice independently: θ(k) ~ Beta(S(k)+1, F(k)+1) for all k, take the argmax. The winner's S and the loser's F grow by η, a tie is half
//! of both. An item that meets itself has S *and* F grow by η: without that, a lucky item that meets only itself is never
//! corrected (`self_duels = false`; a few runs then lose ten times as much).
//!
//! Late answers and batches need no care, since every question is drawn anew.

use super::{Policy, Resolved, half, settings};
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::error::Result;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// η, what an answer counts.
    pub eta: f64,
    /// Whether an item's duel with itself counts.
    pub self_duels: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { eta: 1.0, self_duels: true }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let eta = settings::positive("eta", self.eta)?;
        let fresh = Posterior { wins: 1.0, losses: 1.0 };
        let items = vec![fresh; problem.items()];
        Ok(State { stream, round: 0, eta, self_duels: self.self_duels, items })
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
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Posterior {
    wins: f64,
    losses: f64,
}

impl State {
    fn draw(&mut self) -> Arm {
        let mut best = (0, f64::NEG_INFINITY);
        for (arm, item) in self.items.iter().enumerate() {
            let theta = half::beta(item.wins, item.losses, &mut self.stream);
            if theta > best.1 {
                best = (arm, theta);
            }
        }
        best.0
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
                self.items[i].wins += self.eta;
                self.items[i].losses += self.eta;
            }
            return;
        }
        let won = self.eta * outcome.reward();
        let lost = self.eta - won;
        self.items[i].wins += won;
        self.items[i].losses += lost;
        self.items[j].wins += lost;
        self.items[j].losses += won;
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
