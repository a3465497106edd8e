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
pub mod tournament;

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

    /// Probabilities and regrets of all pairs in a table, where they are kept so and never change: the engine then looks
    /// nothing else up.
    fn table(&self) -> Option<Table<'_>> {
        None
    }

    /// The first round after `round` in which anything differs from `round`.
    fn next_change(&self, round: u64) -> Option<u64> {
        let _ = round;
        None
    }
}

/// Everything that a round with some pair needs, for all pairs: row by row, K × K.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    cells: &'a [Cell],
    items: usize,
}

/// p(i,j), and the regret of asking it: side by side, so that a round looks at one place.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// The probability that the first item is preferred.
    pub probability: f64,
    /// The regret of asking.
    pub regret: Regret,
}

impl<'a> Table<'a> {
    /// The cells of a square table.
    pub fn new(cells: &'a [Cell], items: usize) -> Option<Self> {
        (cells.len() == items * items).then_some(Self { cells, items })
    }

    /// The cell of a duel.
    #[inline]
    pub fn cell(&self, Duel(i, j): Duel) -> Cell {
        self.cells[i * self.items + j]
    }
}
