//! What a pair may have of its own: τ², the variance of pair effects, estimated; and how far one pair may speak for others.
//!
//! **τ²** is a posterior mean. For a pair with n votes, z = (w − nμ)²/(nh) has mean (1 − ℓ)(1 + (n−1)hτ²), ℓ its leverage; taking
//! the quotient as χ² with one degree of freedom gives a likelihood of τ, and the prior is half-Cauchy with scale 1. With few votes the
//! mean lies above the best guess, by about one standard error, which is what one wants of a doubt.
//!
//! **One pair's word.** The pairs asked most are those between the best, and if one of them is odd (its loser is the better item), a
//! model that pools votes is fooled by exactly the votes it asked for. So a pair tells about others no more than information
//! [`WORD`] (a few votes' worth), whatever τ² is, and about itself all that it has: its effect has variance max(τ², 1/WORD − 1/(nh)).

use super::asked::Asked;
use super::space::Space;
use nalgebra::DMatrix;

/// The most information that one pair gives about β.
const WORD: f64 = 0.7;

/// The variance of the effect of a pair with n votes; none where the model is trusted, which is when τ² = 0.
pub(crate) fn own(n: f64, h: f64, tau2: f64) -> f64 {
    if tau2 > 0.0 { tau2.max(1.0 / WORD - 1.0 / (n * h)) } else { 0.0 }
}

/// q = 1/(1 + nh·own): the share of a pair's log-odds that comes from β rather than from its own votes.
pub(crate) fn rest(n: f64, h: f64, tau2: f64) -> f64 {
    1.0 / (1.0 + n * h * own(n, h, tau2))
}

/// τ² while nothing is known.
pub(crate) const UNKNOWN: f64 = 0.5;

/// The scale of the prior of τ.
const SCALE: f64 = 1.0;
/// The grid of τ: from its first point by equal factors, up to 2.3.
const FIRST: f64 = 0.01;
const FACTOR: f64 = 1.15;
const POINTS: i32 = 40;

/// The posterior mean of τ²; `present` is the one of the fit.
pub(crate) fn estimate(space: &Space<'_>, covariance: &DMatrix<f64>, asked: &[Asked], present: f64) -> f64 {
    let terms: Vec<(f64, f64)> = asked
        .iter()
        .filter(|pair| pair.n > 1.0 && pair.n * pair.h >= 0.5)
        .filter_map(|pair| {
            let leverage = rest(pair.n, pair.h, present) * pair.n * pair.h * space.quad(covariance, pair.i, pair.j);
            let z = pair.n * (pair.share - pair.mu).powi(2) / pair.h;
            (leverage <= 0.95).then(|| (z / (1.0 - leverage), (pair.n - 1.0) * pair.h))
        })
        .collect();
    let log_likelihood = |tau2: f64| {
        let one = |&(z, slope): &(f64, f64)| {
            let v = 1.0 + slope * tau2;
            v.ln() + z / v
        };
        -0.5 * terms.iter().map(one).sum::<f64>()
    };
    let grid: Vec<f64> = (0..POINTS).map(|point| FIRST * FACTOR.powi(point)).collect();
    let logs: Vec<f64> = grid.iter().map(|tau| log_likelihood(tau * tau)).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut mass, mut sum) = (0.0, 0.0);
    for (tau, log) in grid.iter().zip(&logs) {
        // The spacing of the grid is in proportion to τ.
        let weight = (log - most).exp() * tau / (1.0 + (tau / SCALE).powi(2));
        mass += weight;
        sum += weight * tau * tau;
    }
    sum / mass
}
