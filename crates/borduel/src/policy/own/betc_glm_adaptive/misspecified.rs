//! Whether the model may be wrong about items: what it under- or overrates is looked for, as long as that pays.
//!
//! Beside the model stand worlds in which scores stray from the model's, normally with a standard deviation s of
//! [`SPREADS`]: those of all items, independently (features that miss something), or that of one item, any one
//! (features that hide it). n audits of an item, whose share of wins is off by r, favour s over the model by √(1/(1 +
//! x)) · exp(½ (n r²/v) x/(1 + x)), x = n s²/v, v = B(1−B); the product over items makes the odds that all stray, the
//! mean over items those that one does.
//!
//! At first a world has the odds [`DOUBT`], less where s is below half the spread σ of the model's own scores (times
//! (2s/σ)⁴: features that explain much are believed to miss little), and less where there are more than [`FEW`] items
//! (times (`FEW`/K)⁴: every item has to be asked, and the paper's hard case, of 128, is to cost no more than what that
//! is worth), but never less than [`TYPICAL`], which is all that
//! `trust = "typical"` gives.
//!
//! Under s, an item's score is known as if v/s² − 1 answers had agreed with the model (`model_free`, `outlier`), and
//! the rule that decides about exploring decides about checking, with the gain over the model's leader times the
//! probability of s or more: whoever strays by more has no less to gain. Much is checked where much is at stake, where
//! items have been seen to stray, and where audits are cheap; it ends as soon as it has seen enough. No claim about two
//! items then rests on what the model says of others but where a gap of this size is not worth asking for.

use super::State;
use super::belief::Belief;
use super::model_free::ModelFree;
use super::outlier::{Outlier, favours};
use super::perfect_information::{AHEAD, PerfectInformation};
use crate::policy::shared::counts::ArmCounts;
use crate::sequential::Trust;

/// Standard deviations of what a model misses in a score.
const SPREADS: [f64; 6] = [0.0125, 0.025, 0.05, 0.1, 0.2, 0.4];
/// The odds at first of each, of either kind, against the model.
const DOUBT: f64 = 2.0;
/// The most items for which they are that.
const FEW: f64 = 18.0;
/// The least odds at first.
const TYPICAL: f64 = 1e-4;
/// The model is dropped once it is less likely than this. With odds at first of at most 24 that would happen to at most
/// a share 0.0024 of studies whose model is right, however often one looks (Ville), if scores were known and counts
/// normal; with estimated scores it is an approximation.
const REFUTED: f64 = 1e-4;

/// The probability of a spread of all items, and of one item.
#[derive(Clone, Copy)]
struct Chance {
    all: f64,
    one: f64,
}

/// The standard deviation of scores.
fn spread(scores: &[f64]) -> f64 {
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    (scores.iter().map(|b| (b - mean) * (b - mean)).sum::<f64>() / n).sqrt()
}

/// The odds of a spread before anything is seen.
fn odds_at_first(trust: Trust, scores: &[f64], s: f64) -> f64 {
    let few = (FEW / scores.len() as f64).min(1.0).powi(4);
    let beside = (2.0 * s / spread(scores)).min(1.0).powi(4);
    match trust {
        Trust::Checked => (DOUBT * few * beside).max(TYPICAL),
        Trust::Typical => TYPICAL,
        // The model is believed.
        _ => 0.0,
    }
}

/// The probability of every spread, given the audits.
fn chances(trust: Trust, scores: &[f64], counts: &ArmCounts) -> [Chance; SPREADS.len()] {
    let odds = SPREADS.map(|s| {
        let first = odds_at_first(trust, scores, s);
        let logs = favours(scores, counts, s);
        let ratio = |log: f64| log.min(600.0).exp();
        let one = logs.iter().map(|log| ratio(*log)).sum::<f64>() / logs.len() as f64;
        Chance { all: first * ratio(logs.iter().sum()), one: first * one }
    });
    let whole = 1.0 + odds.iter().map(|odds| odds.all + odds.one).sum::<f64>();
    odds.map(|odds| Chance { all: odds.all / whole, one: odds.one / whole })
}

/// Whether items stray almost surely.
pub(super) fn strays(trust: Trust, scores: &[f64], counts: &ArmCounts) -> bool {
    chances(trust, scores, counts).iter().map(|chance| chance.all + chance.one).sum::<f64>() > 1.0 - REFUTED
}

impl State {
    /// Plans audits where the model may be wrong; false if none pays.
    pub(super) fn check(&mut self, belief: &Belief) -> bool {
        if self.config.trust == Trust::Model {
            return false;
        }
        let ahead = (self.answered as f64).max(AHEAD);
        let (mut all, mut any) = (0.0, 0.0);
        for (s, chance) in SPREADS.into_iter().zip(chances(self.config.trust, &belief.scores, &self.counts)).rev() {
            all += chance.all;
            any += chance.all + chance.one;
            let counted = ModelFree::with_prior(&self.counts, belief, s);
            let known = PerfectInformation::new(self, &counted.doubt(None));
            let mut shares = counted.design(ahead, 2.0 * known.gain);
            let mut pays = self.pays(|questions| counted.doubt(Some((&shares, questions))), &known, shares.cost / all);
            if !pays {
                let outlier = Outlier::new(&self.counts, belief, s);
                let known = PerfectInformation::new(self, &outlier.doubt(None));
                shares = outlier.design(ahead, 2.0 * known.gain);
                pays = self.pays(|questions| outlier.doubt(Some((&shares, questions))), &known, shares.cost / any);
            }
            if pays {
                self.price = shares.cost;
                self.questions.adopt_items(shares, 0.0);
                return true;
            }
        }
        false
    }
}
