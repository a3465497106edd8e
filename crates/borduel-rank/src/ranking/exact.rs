//! Exact bounds of observed shares (Clopper and Pearson), and of scores, which are sums of shares.
//!
//! A share of x in n votes has the bounds at which a tail of the binomial distribution is a given small number. A sum Σ
//! a p of shares then lies above Σ a p̂ − √Σ (a·reach)², each reach being taken towards the side that a's sign asks for
//! ("variance estimates recovery", Zou and Donner 2008); for a single share that is Clopper and Pearson's bound itself,
//! so that its error is at most what it says at every n. Ties and soft answers scatter less than coin flips: n votes
//! with the share φ of a coin's variance count as n/φ, where φ is not taken below 3/n (see `scatter`) and not above 1.

use super::sums::{Pair, Sums};
use crate::special::clopper_pearson_lower;
use std::collections::HashMap;

/// The shares of all pairs.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    /// For every item its pairs: opponent, and index of the pair.
    by_item: Vec<Vec<(usize, usize)>>,
    shares: Vec<Share>,
    /// By how much an item's estimate is above the mean of its shares, where pseudo-votes moved it.
    offset: Vec<f64>,
}

/// A share of i (the pair's first item) as x of n votes.
#[derive(Clone, Copy, Debug)]
struct Share {
    i: usize,
    x: f64,
    n: f64,
}

impl Exact {
    /// From the votes.
    pub(crate) fn new(sums: &Sums) -> Self {
        let mut by_item = vec![Vec::new(); sums.len()];
        for (at, pair) in sums.pairs.iter().enumerate() {
            by_item[pair.i].push((pair.j, at));
            by_item[pair.j].push((pair.i, at));
        }
        let share = |pair: &Pair| {
            let n = effective_coins(pair);
            Share { i: pair.i, x: n * pair.share(), n }
        };
        let offset = vec![0.0; sums.len()];
        Self { by_item, shares: sums.pairs.iter().map(share).collect(), offset }
    }

    /// The same for scores that are not quite the means of their shares.
    pub(crate) fn about(sums: &Sums, borda: &[f64]) -> Self {
        let mut exact = Self::new(sums);
        exact.offset = borda.to_vec();
        let others = (sums.len() - 1) as f64;
        for pair in &sums.pairs {
            exact.offset[pair.i] -= pair.share() / others;
            exact.offset[pair.j] -= (1.0 - pair.share()) / others;
        }
        exact
    }

    /// How far each pair's share (of its first item) may lie below and above what was seen, when each tail is `tail`.
    pub(crate) fn reaches(&self, tail: f64) -> Vec<(f64, f64)> {
        // Few votes a pair make few different shares.
        let mut known: HashMap<[u64; 2], f64> = HashMap::new();
        let mut below = |x: f64, n: f64| {
            x / n - *known.entry([x.to_bits(), n.to_bits()]).or_insert_with(|| clopper_pearson_lower(x, n, tail))
        };
        self.shares.iter().map(|&Share { x, n, .. }| (below(x, n), below(n - x, n))).collect()
    }

    /// How far B(i) may lie below and above its estimate, given all pairs' reaches.
    pub(crate) fn of_item(&self, i: usize, reaches: &[(f64, f64)]) -> (f64, f64) {
        let others = (self.by_item.len() - 1) as f64;
        let (mut down, mut up) = (0.0_f64, 0.0_f64);
        for &(_, at) in &self.by_item[i] {
            let (below, above) = self.seen_from(i, at, reaches);
            down += below * below;
            up += above * above;
        }
        let offset = self.offset[i];
        ((down.sqrt() / others + offset).max(0.0), (up.sqrt() / others - offset).max(0.0))
    }

    /// How far B(i) − B(j) may lie below its estimate.
    pub(crate) fn of_difference(&self, i: usize, j: usize, reaches: &[(f64, f64)]) -> f64 {
        let others = (self.by_item.len() - 1) as f64;
        let mut sum = 0.0_f64;
        for &(opponent, at) in &self.by_item[i] {
            // Their own pair moves both scores, in opposite directions.
            let times = if opponent == j { 2.0 } else { 1.0 };
            sum += (times * self.seen_from(i, at, reaches).0).powi(2);
        }
        for &(_, at) in self.by_item[j].iter().filter(|(opponent, _)| *opponent != i) {
            sum += self.seen_from(j, at, reaches).1.powi(2);
        }
        sum.sqrt() / others + self.offset[i] - self.offset[j]
    }

    fn seen_from(&self, item: usize, pair: usize, reaches: &[(f64, f64)]) -> (f64, f64) {
        let (below, above) = reaches[pair];
        if self.shares[pair].i == item { (below, above) } else { (above, below) }
    }
}

/// How many coin flips say as much about a share as these votes.
fn effective_coins(pair: &Pair) -> f64 {
    let (n, p) = (pair.effective(), pair.share());
    let coin = p * (1.0 - p);
    if coin <= 0.0 {
        return n;
    }
    let dispersion = pair.squared_residuals(p) / (pair.w2 * coin);
    n / dispersion.clamp((3.0 / n).min(1.0), 1.0)
}
