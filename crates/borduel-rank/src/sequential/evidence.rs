//! E-values: evidence that may be looked at after every vote.
//!
//! To be refuted: "j is better than i by more than ε". y = B̂(i) − B̂(j) + ε then has a mean below 0, and with V =
//! 1/Var, S = yV the process exp(aS − a²V/2) is a supermartingale for every a > 0, and so is every mixture of such.
//! Here it has three parts:
//! * 0.4 for a = 2ε, the test of "i is ahead by ε" against "j is ahead by ε", whose log is 2ε (B̂(i) − B̂(j)) V: it
//!   decides between items that are nearly equal, as soon as their difference has wandered far enough to either side;
//! * 0.2 for a = ε, which ends that even if the difference stays at 0;
//! * 0.4 for a = 2ε + |N(0, s²)|, which sees larger gaps sooner. With ε = 0 there is only this one.

use crate::special::normal_cdf;
use std::f64::consts::{LN_2, PI};

/// s: gaps of this size are found the soonest.
const SCALE: f64 = 0.1;

/// log E against "j is better by more than `margin`", given the estimated lead of i over j and its variance.
pub(crate) fn log_e(lead: f64, variance: f64, margin: f64) -> f64 {
    let v = 1.0 / variance;
    let y = lead + margin;
    let single = |a: f64| a * y * v - 0.5 * a * a * v;
    let spread = 1.0 + SCALE * SCALE * v;
    let r = (y - 2.0 * margin) * v * SCALE / spread.sqrt();
    let beyond = single(2.0 * margin) + LN_2 - 0.5 * spread.ln() + 0.5 * r * r + log_normal_cdf(r);
    if margin == 0.0 {
        return beyond;
    }
    let parts = [(0.4, single(2.0 * margin)), (0.2, single(margin)), (0.4, beyond)];
    let most = parts.iter().map(|part| part.1).fold(f64::NEG_INFINITY, f64::max);
    most + parts.iter().map(|(weight, log)| weight * (log - most).exp()).sum::<f64>().ln()
}

/// log Φ(x), also far in the lower tail.
fn log_normal_cdf(x: f64) -> f64 {
    if x > -30.0 {
        return normal_cdf(x).ln();
    }
    -0.5 * x * x - (-x).ln() - 0.5 * (2.0 * PI).ln()
}

/// The half-width, in standard errors, of an interval that holds at all times with this probability: the two-sided
/// normal mixture of scale s, √((1 + 1/(s²V)) (log(1 + s²V) + 2 log(1/α))) with V = 1/variance.
pub(crate) fn anytime_width(variance: f64, scale: f64, alpha: f64) -> f64 {
    let information = scale * scale / variance;
    ((1.0 + 1.0 / information) * (information.ln_1p() - 2.0 * alpha.ln())).sqrt()
}
