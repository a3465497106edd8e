//! Whether the model may be wrong about items that it has hardly seen: what it under- or overrates is looked for, as long as that pays.
//!
//! Beside the model stand worlds in which every item's score strays from the model's, independently and normally with a standard
//! deviation s of [`SPREADS`], each with the probability [`PRIOR`] at first. n audits of an item, whose share of wins is off by r, favour s
//! over the model by √(1/(1 + x)) · exp(½ (n r²/v) x/(1 + x)), x = n s²/v, v = B(1−B); the product over items makes the probability P of s.
//! Under s, an item's score is known as if v/s² − 1 answers had agreed with the model (`census`), and the rule that decides about
//! exploring decides about checking, with the gain times P: much is checked where much is at stake, where items have been seen to
//! stray, and where audits are cheap; and it ends as soon as it has seen enough.

use super::State;
use super::belief::Belief;
use super::census::Census;
use super::outlook::{AHEAD, Outlook};
use crate::policy::counts::ArmCounts;

/// Standard deviations of what a model misses in a score.
const SPREADS: [f64; 3] = [0.05, 0.1, 0.2];

/// The probability of each at first.
const PRIOR: f64 = 1e-4;

/// The probability of every spread, given the audits.
fn chances(scores: &[f64], counts: &ArmCounts) -> [f64; SPREADS.len()] {
    let log = |s: f64| {
        let one = |(i, b): (usize, &f64)| {
            let count = counts.get(i);
            let v = (b * (1.0 - b)).max(0.02);
            let x = count.n * s * s / v;
            let off = count.wins - count.n * b;
            let squares = if count.n > 0.0 { off * off / (count.n * v) } else { 0.0 };
            0.5 * (squares * x / (1.0 + x) - x.ln_1p())
        };
        scores.iter().enumerate().map(one).sum::<f64>()
    };
    let odds = SPREADS.map(|s| PRIOR * log(s).min(600.0).exp());
    let all = 1.0 + odds.iter().sum::<f64>();
    odds.map(|odds| odds / all)
}

/// Whether items more likely stray than not. If scores were known and counts normal, that would happen to at most a share Σ[`PRIOR`] of
/// studies whose model is right, however often one looks (Ville); with estimated scores it is an approximation.
pub(super) fn strays(scores: &[f64], counts: &ArmCounts) -> bool {
    chances(scores, counts).iter().sum::<f64>() > 0.5
}

impl State {
    /// Plans audits where the model may be wrong; false if none pays.
    pub(super) fn check(&mut self, belief: &Belief) -> bool {
        let chances = chances(&belief.scores, &self.counts);
        for (spread, chance) in SPREADS.into_iter().zip(chances).rev() {
            let census = Census::beside(&self.counts, &belief.scores, spread);
            let outlook = Outlook::new(self, &census.doubt(None));
            let shares = census.aim((self.answered as f64).max(AHEAD), 2.0 * outlook.gain);
            if self.pays(|questions| census.doubt(Some((&shares, questions))), &outlook, shares.cost / chance) {
                self.price = shares.cost;
                self.questions.adopt_items(shares, 0.0);
                return true;
            }
        }
        false
    }
}
