//! The trait of all environments: the truth that answers, and scores what was asked.

use crate::duel::{Arm, Duel};
use crate::problem::Problem;
use crate::regret::Regret;

pub mod adversarial;
pub mod crowd;
pub mod fixed;
pub mod glm;
pub mod hard;
pub mod matrix;

/// The truth: shared by all replications, never changed, lent a random number per question.
pub trait Environment: Sync {
    /// What a policy may know.
    fn problem(&self) -> &Problem;

    /// p_t(i,j): the probability that the first item of a duel is preferred in round t, from 1.
    fn probability(&self, round: u64, duel: Duel) -> f64;

    /// B_t(i).
    fn score(&self, round: u64, arm: Arm) -> f64;

    /// The item against which regret is measured: argmax Σ_t B_t(i) over the horizon, of several the first.
    fn rival(&self) -> Arm;

    /// All items that are as good as the rival over the horizon.
    fn winners(&self) -> Vec<Arm> {
        vec![self.rival()]
    }

    /// The regret 2B_t(i*) − B_t(i) − B_t(j) of a duel in round t.
    #[inline]
    fn regret(&self, round: u64, Duel(i, j): Duel) -> f64 {
        2.0 * self.score(round, self.rival()) - self.score(round, i) - self.score(round, j)
    }

    /// What a round of a simulation needs: the probability and the regret of a duel, together.
    ///
    /// Override it only to compute the same faster.
    #[inline]
    fn odds(&self, round: u64, duel: Duel) -> (f64, Regret) {
        (self.probability(round, duel), Regret::of(self.regret(round, duel)))
    }

    /// The first round after `round` in which anything differs from `round`.
    fn next_change(&self, round: u64) -> Option<u64> {
        let _ = round;
        None
    }
}
