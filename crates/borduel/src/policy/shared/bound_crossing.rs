//! Upper confidence bounds without square roots: the round from which on a bound reaches ½.
//!
//! u(i,j) = μ̂(i,j) + √(α log t / n(i,j)) grows with t between two answers. For μ̂ < ½ it is at least ½ exactly from
//! round r(i,j) = ⌈exp(n(½ − μ̂)²/α)⌉ on, and for μ̂ ≥ ½, or without answers (where u = 2), always. So one exponential
//! per answer and a comparison of whole numbers per look take the place of a logarithm and a root per pair and round.
//! Whether the bound reaches or exceeds ½ is the same question, since exp of a rational number other than 0 is never a
//! whole number.

use crate::duel::{Arm, Duel};
use crate::policy::shared::pairs::Pairs;
use serde::{Deserialize, Serialize};

/// r(i,j) for n answers (or questions) with this share of wins; 0: always.
pub(crate) fn crossing(n: f64, mean: f64, alpha: f64) -> u64 {
    if mean >= 0.5 || n == 0.0 {
        return 0;
    }
    let behind = 0.5 - mean;
    // `as` saturates: a round that nobody will see.
    (n * behind * behind / alpha).exp().ceil() as u64
}

/// u(i,j) in a round with this √(α log t); 2 without answers.
#[inline]
pub(crate) fn bound(n: f64, mean: f64, factor: f64) -> f64 {
    if n > 0.0 { mean + factor / n.sqrt() } else { 2.0 }
}

/// √(α log t).
#[inline]
pub(crate) fn factor(alpha: f64, round: u64) -> f64 {
    (alpha * (round as f64).ln()).sqrt()
}

/// r of all pairs, and of every item the largest of its row: the round from which on it may again beat everybody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Crossings {
    k: usize,
    alpha: f64,
    rounds: Vec<u64>,
    largest: Vec<u64>,
}

impl Crossings {
    pub(crate) fn new(items: usize, alpha: f64) -> Self {
        Self { k: items, alpha, rounds: vec![0; items * items], largest: vec![0; items] }
    }

    pub(crate) fn alpha(&self) -> f64 {
        self.alpha
    }

    /// r(i,j): u(i,j) ≥ ½ from this round on.
    #[inline]
    pub(crate) fn round(&self, i: Arm, j: Arm) -> u64 {
        self.rounds[i * self.k + j]
    }

    /// R(i) = max_j r(i,j).
    #[inline]
    pub(crate) fn largest(&self, i: Arm) -> u64 {
        self.largest[i]
    }

    /// Takes note of an answer that was counted.
    pub(crate) fn update(&mut self, pairs: &Pairs, Duel(i, j): Duel) {
        let n = pairs.n(i, j);
        for (i, j) in [(i, j), (j, i)] {
            let new = crossing(n, pairs.mean(i, j), self.alpha);
            let old = std::mem::replace(&mut self.rounds[i * self.k + j], new);
            if new >= self.largest[i] {
                self.largest[i] = new;
            } else if old == self.largest[i] {
                let row = &self.rounds[i * self.k..(i + 1) * self.k];
                self.largest[i] = row.iter().copied().max().unwrap_or(0);
            }
        }
    }

    /// The next round after `round` in which some bound reaches ½.
    pub(crate) fn next(&self, round: u64) -> u64 {
        self.rounds.iter().copied().filter(|crossing| *crossing > round).min().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn a_bound_reaches_one_half_in_its_round_and_not_before() {
        let mut s = stream(1, &[]);
        let mut seen = 0;
        for _ in 0..3000 {
            let n = 1.0 + s.below(60) as f64;
            let wins = (s.uniform() * 2.0 * n).floor() / 2.0;
            let (mean, alpha) = (wins / n, 0.51 + s.uniform());
            let reaches = |t: u64| bound(n, mean, factor(alpha, t)) >= 0.5;
            match crossing(n, mean, alpha) {
                0 => assert!(mean >= 0.5 && reaches(2)),
                // Of much later rounds the bound's last digits no longer tell one from the next.
                round if round < 1 << 30 => {
                    seen += 1;
                    assert!(reaches(round) && !reaches(round - 1), "{round}: {wins} of {n}");
                }
                _ => {}
            }
        }
        assert!(seen > 500, "{seen}");
    }

    #[test]
    fn the_largest_of_a_row_is_kept() {
        let problem = crate::Problem::without_features(5).unwrap();
        let (mut pairs, mut crossings) = (Pairs::new("dts", &problem).unwrap(), Crossings::new(5, 0.51));
        let mut s = stream(2, &[]);
        for step in 0..2000 {
            let (i, j) = (s.below(5), s.below(5));
            if i != j {
                pairs.add(Duel(i, j), if s.uniform() < 0.4 { 1.0 } else { 0.0 });
                crossings.update(&pairs, Duel(i, j));
            }
            for i in 0..5 {
                let fresh = |j| crossing(pairs.n(i, j), pairs.mean(i, j), 0.51);
                let row: Vec<u64> = (0..5).map(|j| if i == j { 0 } else { fresh(j) }).collect();
                assert_eq!(Some(crossings.largest(i)), row.iter().copied().max(), "{step}");
                assert!((0..5).all(|j| crossings.round(i, j) == row[j]));
            }
        }
    }
}
