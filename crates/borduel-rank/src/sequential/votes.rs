//! Votes reduced to sums per unordered pair, which is all that the sequential verdict needs.

use crate::ballots::Ballots;
use crate::duel::{Arm, Duel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The sums over the votes of one pair i < j, with w a vote's weight and r ∈ [0, 1] its answer for i.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PairSum {
    /// Σ w.
    pub w: f64,
    /// Σ w².
    pub w2: f64,
    /// Σ w r.
    pub wr: f64,
    /// Σ w r(1−r): 0 without ties and soft answers.
    pub soft: f64,
}

impl PairSum {
    /// The number of equal votes that say as much: (Σw)²/Σw².
    pub(crate) fn votes(&self) -> f64 {
        if self.w2 > 0.0 { self.w * self.w / self.w2 } else { 0.0 }
    }

    /// The share of the first item.
    pub(crate) fn share(&self) -> f64 {
        self.wr / self.w
    }
}

/// The votes on K items so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Votes {
    items: usize,
    count: f64,
    /// By the pair's place i K + j.
    cells: BTreeMap<u64, PairSum>,
}

impl Votes {
    /// No votes yet.
    pub fn new(items: usize) -> Self {
        Self { items, count: 0.0, cells: BTreeMap::new() }
    }

    /// The votes of a box of ballots, whatever their order.
    pub fn of(ballots: &Ballots) -> Self {
        let mut votes = Self::new(ballots.items().len());
        for cell in ballots.cells().iter().filter(|cell| cell.w > 0.0) {
            let (left, right) = (cell.left as Arm, cell.right as Arm);
            // Σ w r² is not kept for unequal weights; Σ w² r² in units of the mean weight stands in for it.
            let squares = cell.w2r2 * cell.w / cell.w2;
            votes.count += cell.n;
            votes.enter(Duel(left, right), cell.w, cell.w2, cell.wr, (cell.wr - squares).max(0.0));
        }
        votes
    }

    /// K.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The number of votes, whatever their weight.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Adds a vote with the answer r ∈ [0, 1] for the first item. A vote on an item against itself is not one.
    pub fn add(&mut self, duel: Duel, r: f64) {
        if duel.0 != duel.1 {
            self.count += 1.0;
            self.enter(duel, 1.0, 1.0, r, r * (1.0 - r));
        }
    }

    fn enter(&mut self, Duel(i, j): Duel, w: f64, w2: f64, wr: f64, soft: f64) {
        let cell = self.cells.entry(place(self.items, i.min(j), i.max(j))).or_default();
        cell.w += w;
        cell.w2 += w2;
        cell.wr += if i < j { wr } else { w - wr };
        cell.soft += soft;
    }

    /// Every pair i < j that was voted on.
    pub fn pairs(&self) -> impl Iterator<Item = (Arm, Arm, &PairSum)> {
        self.cells.iter().map(|(&at, sum)| {
            let i = (at / self.items as u64) as Arm;
            (i, (at % self.items as u64) as Arm, sum)
        })
    }
}

/// Where a pair i < j is kept.
fn place(items: usize, i: Arm, j: Arm) -> u64 {
    (i * items + j) as u64
}
