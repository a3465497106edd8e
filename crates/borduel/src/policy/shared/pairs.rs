//! Wins counted per pair: the memory of every policy that looks at who beats whom.

use crate::duel::{Arm, Duel};
use crate::problem::Problem;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The most items of a policy that keeps a table of all pairs.
const MOST_ITEMS: usize = 4096;

/// w(i,j), how often i was preferred to j, a tie counting ½ for both. A duel of an item with itself is not counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pairs {
    k: usize,
    wins: Vec<f64>,
}

impl Pairs {
    /// No answers yet; refuses more items than a table of pairs should hold.
    pub(crate) fn new(policy: &'static str, problem: &Problem) -> Result<Self> {
        let k = problem.items();
        if k > MOST_ITEMS {
            let remedy =
                format!("{policy} keeps a table of all pairs: take at most {MOST_ITEMS} items, or merge or dexp3");
            return Err(Error::setting("items", k, remedy));
        }
        Ok(Self { k, wins: vec![0.0; k * k] })
    }

    /// K.
    #[inline]
    pub(crate) fn items(&self) -> usize {
        self.k
    }

    /// w(i,j).
    #[inline]
    pub(crate) fn wins(&self, i: Arm, j: Arm) -> f64 {
        self.wins[i * self.k + j]
    }

    /// n(i,j) = w(i,j) + w(j,i).
    #[inline]
    pub(crate) fn n(&self, i: Arm, j: Arm) -> f64 {
        self.wins(i, j) + self.wins(j, i)
    }

    /// μ̂(i,j) = w(i,j)/n(i,j); ½ without answers.
    #[inline]
    pub(crate) fn mean(&self, i: Arm, j: Arm) -> f64 {
        let n = self.n(i, j);
        if n > 0.0 { self.wins(i, j) / n } else { 0.5 }
    }

    /// Counts an answer to a duel of two items.
    #[inline]
    pub(crate) fn add(&mut self, Duel(i, j): Duel, reward: f64) {
        self.wins[i * self.k + j] += reward;
        self.wins[j * self.k + i] += 1.0 - reward;
    }

    /// B̂(i) = (½ + Σ_{j≠i} μ̂(i,j))/K.
    pub(crate) fn borda(&self, i: Arm) -> f64 {
        let sum: f64 = (0..self.k).filter(|j| *j != i).map(|j| self.mean(i, j)).sum();
        (0.5 + sum) / self.k as f64
    }

    /// B̂ of all items.
    pub(crate) fn write_scores(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, score)| *score = self.borda(i));
    }

    /// The Copeland winner of μ̂: who beats the most items; of several the one with the largest B̂.
    pub(crate) fn champion(&self) -> Arm {
        let beaten = |i: Arm| (0..self.k).filter(|j| self.mean(i, *j) > 0.5).count();
        let rank = |i: Arm| (beaten(i), self.borda(i));
        let mut best = (0, rank(0));
        for i in 1..self.k {
            let own = rank(i);
            if own > best.1 {
                best = (i, own);
            }
        }
        best.0
    }
}

/// How often each pair was asked and not cancelled: what spreads a batch, where a bound decides who is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    k: usize,
    n: Vec<f64>,
}

impl Asked {
    /// Nothing yet, for as many items as are counted there.
    pub(crate) fn new(pairs: &Pairs) -> Self {
        Self { k: pairs.k, n: vec![0.0; pairs.k * pairs.k] }
    }

    #[inline]
    pub(crate) fn n(&self, i: Arm, j: Arm) -> f64 {
        self.n[i * self.k + j]
    }

    /// A question was asked.
    #[inline]
    pub(crate) fn add(&mut self, duel: Duel) {
        self.change(duel, 1.0);
    }

    /// A question was cancelled.
    pub(crate) fn take_back(&mut self, duel: Duel) {
        self.change(duel, -1.0);
    }

    #[inline]
    fn change(&mut self, Duel(i, j): Duel, by: f64) {
        if i != j {
            for cell in [i * self.k + j, j * self.k + i] {
                self.n[cell] = (self.n[cell] + by).max(0.0);
            }
        }
    }
}
