//! Pairs of ranked items: their votes beside what the model says.

use super::fitted::Fitted;
use super::sums::Sums;
use serde::{Deserialize, Serialize};

/// A pair's votes and what the model makes of them, in the order of [`Ranking::items`](super::Ranking::items).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PairShare {
    /// The place of the first item in the ranking.
    pub first: usize,
    /// The place of the second item in the ranking; always later.
    pub second: usize,
    /// The votes on the pair that are used.
    pub votes: f64,
    /// The share of the first item in them.
    pub share: f64,
    /// p(first, second) of the fitted model, where there is one.
    pub fitted: Option<f64>,
}

/// What was said about every pair that was compared.
pub(super) fn shares(sums: &Sums, order: &[usize], fitted: Option<&Fitted>) -> Vec<PairShare> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    let mut shares: Vec<PairShare> = sums
        .pairs
        .iter()
        .map(|pair| {
            let flip = place[pair.i] > place[pair.j];
            let (a, b) = if flip { (pair.j, pair.i) } else { (pair.i, pair.j) };
            let share = if flip { 1.0 - pair.share() } else { pair.share() };
            let fitted = fitted.map(|fitted| fitted.probability(a, b));
            PairShare { first: place[a], second: place[b], votes: pair.n, share, fitted }
        })
        .collect();
    // No pair is there twice, and of very many a stable sort takes half as much room again.
    shares.sort_unstable_by_key(|pair| (pair.first, pair.second));
    shares
}
