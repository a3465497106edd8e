//! How far voters' tastes go, and whether somebody who hardly agrees with the others may be one of them.
//!
//! With tastes t(v,i) for items, normal of variance ω², voter v prefers i over j with the log-odds u + t(v,i) − t(v,j).
//! The share q of all voters who do is then that of u/√(1 + c ω²), c = 2 (16√3/15π)². By how much a voter's votes on
//! two pairs with an item in common are above q and q′ has the covariance ±m q(1−q) q′(1−q′), m = ω²/(1 + c ω²) about:
//! m, and so ω², is what the votes show of all voters but those in question.
//!
//! S of a voter in question (see `voters`) is held against that of voters whose tastes are drawn and who answer the
//! same pairs: given the tastes it is about normal.

use super::Against;
use crate::special::normal_cdf;
use crate::stream::{Stream, stream};

/// c.
const FLATTER: f64 = 0.6916;
/// m is not taken above this: ω = 2.6.
const MOST: f64 = 1.2;
/// How many tastes are drawn for a voter in question, and from where: every voter meets the same.
const DRAWS: u64 = 2_000;
const TASTES: u64 = 0x7a57;

/// The tastes of a crowd.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tastes {
    /// ω².
    pub(super) variance: f64,
}

/// Σ m q(1−q) q′(1−q′) as far as it is seen, and without m: of what many voters say of pairs of items.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Together {
    seen: f64,
    slopes: f64,
}

impl Together {
    /// Takes in what one voter says.
    pub(super) fn add(&mut self, own: &[Against], copies: f64) {
        // Item by item: its end of a pair, and by how much the answers are above q.
        let ends = |pair: &Against| {
            let (above, slope) = (pair.won - pair.votes * pair.share, pair.votes * pair.variance());
            [(pair.items.0, above, slope), (pair.items.1, -above, slope)]
        };
        let mut ends: Vec<(usize, f64, f64)> = own.iter().flat_map(ends).collect();
        ends.sort_unstable_by_key(|end| end.0);
        for of_item in ends.chunk_by(|a, b| a.0 == b.0) {
            let apart = |of: fn(&(usize, f64, f64)) -> f64| {
                let (sum, squares) = of_item.iter().map(of).fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
                sum * sum - squares
            };
            self.seen += copies * apart(|end| end.1);
            self.slopes += copies * apart(|end| end.2);
        }
    }

    /// The tastes that explain it.
    pub(super) fn tastes(&self) -> Tastes {
        let m = if self.slopes > 0.0 { (self.seen / self.slopes).clamp(0.0, MOST) } else { 0.0 };
        Tastes { variance: m / (1.0 - FLATTER * m) }
    }
}

impl Tastes {
    /// The chance that S of somebody with such tastes is no more than this, for these pairs.
    pub(super) fn tail(self, own: &[Against], sum: f64) -> f64 {
        let mut items: Vec<usize> = own.iter().flat_map(|pair| [pair.items.0, pair.items.1]).collect();
        items.sort_unstable();
        items.dedup();
        let place = |item: usize| items.partition_point(|&other| other < item);
        let places: Vec<(usize, usize)> = own.iter().map(|pair| (place(pair.items.0), place(pair.items.1))).collect();
        let (deviation, steeper) = (self.variance.sqrt(), (1.0 + FLATTER * self.variance).sqrt());
        let one = |draw: u64| {
            let mut s: Stream = stream(TASTES, &[draw]);
            let tastes: Vec<f64> = items.iter().map(|_| deviation * s.normal()).collect();
            let (mut mean, mut variance) = (0.0, 0.0);
            for (pair, &(i, j)) in own.iter().zip(&places) {
                let (log_odds, votes) = (pair.log_odds(), pair.votes);
                let p = 1.0 / (1.0 + (tastes[j] - tastes[i] - steeper * log_odds).exp());
                mean += log_odds * votes * (p - pair.share);
                let of_others = pair.variance() * votes * votes / (pair.others + 1.0);
                variance += log_odds * log_odds * (p * (1.0 - p) * votes + of_others);
            }
            if variance > 0.0 { normal_cdf((sum - mean) / variance.sqrt()) } else { 1.0 }
        };
        (0..DRAWS).map(one).sum::<f64>() / DRAWS as f64
    }
}
