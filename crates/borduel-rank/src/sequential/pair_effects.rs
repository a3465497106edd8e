//! What a pair may have of its own: τ², the variance of pair effects, estimated; and how far one pair may speak for
//! others.
//!
//! **τ²** is a posterior mean. For a pair with n votes, z = (w − nμ)²/(nh) has mean (1 − ℓ)(1 + (n−1)hτ²), ℓ its
//! leverage; taking the quotient as χ² with one degree of freedom gives a likelihood of τ, and the prior is half-Cauchy
//! with scale 1. With few votes the mean lies above the best guess, by about one standard error, which is what one
//! wants of a doubt.
//!
//! **One pair's word.** The pairs asked most are those between the best, and if one of them is odd (its loser is the
//! better item), a model that pools votes is fooled by exactly the votes it asked for. So a pair tells about others no
//! more than information W, whatever τ² is, and about itself all that it has: its effect has variance max(τ², 1/W −
//! 1/(nh)). W is [`WORD`] (a few votes' worth) or, where that is more, h times its [`Backing`]: [`SHARE`] of the votes
//! of its items' other pairs, each counted up to as many as this pair has. A pair says all that it knows where eight
//! others of both its items say as much.

use super::asked::Asked;
use super::space::Space;
use super::wide::Images;
use crate::duel::Arm;
use nalgebra::DMatrix;

/// The most information about β that a pair gives which no other pair backs.
const WORD: f64 = 0.7;
/// The most information of a pair, as a share of what its items' other pairs give.
const SHARE: f64 = 0.125;
/// A pair is looked at as if it had so many votes more, so that one that was never asked may hope to be heard.
const HOPED: f64 = 4.0;

/// The variance of the effect of a pair with n votes and this backing; none where the model is trusted, which is when
/// τ² = 0.
pub(crate) fn own(n: f64, h: f64, tau2: f64, backing: f64) -> f64 {
    if tau2 > 0.0 { tau2.max(1.0 / WORD.max(backing * h) - 1.0 / (n * h)) } else { 0.0 }
}

/// σ.
pub(crate) fn chance(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

/// h = p(1−p). Far out it would say that a vote can surprise nobody, hence the bound.
pub(crate) fn slope(p: f64) -> f64 {
    (p * (1.0 - p)).max(1e-4)
}

/// The chance p = σ(score + e) of a pair, and its h: e is what its own n votes make of the score, n (share − p) =
/// e/own.
///
/// A few answers that happen to agree would make h small and the verdict rash (of two items, 5.5 % wrong instead of 4.3
/// %), so h is taken at (n p + 1)/(n + 2), one vote more for either side. Where the model is trusted, no pair speaks
/// for itself, and none is needed.
pub(crate) fn settle(score: f64, n: f64, share: f64, tau2: f64, backing: f64) -> (f64, f64) {
    if tau2 == 0.0 {
        return (chance(score), slope(chance(score)));
    }
    let cautious = |p: f64| slope((n * p + 1.0) / (n + 2.0));
    let (mut p, mut effect) = (chance(score), 0.0);
    for _ in 0..SETTLING {
        let h = cautious(p);
        let own = own(n, h, tau2, backing);
        let change = (own * n * (share - p) - effect) / (1.0 + own * n * h);
        // Within a step of 1 the likelihood is nearly quadratic.
        effect += change.clamp(-1.0, 1.0);
        p = chance(score + effect);
        if change.abs() < 1e-6 {
            break;
        }
    }
    (p, cautious(p))
}

/// The most steps until a pair has settled.
const SETTLING: usize = 20;

/// The shrinkage factor q = 1/(1 + nh·own): the share of a pair's log-odds that comes from β rather than from its own
/// votes.
pub(crate) fn shrinkage(n: f64, h: f64, tau2: f64, backing: f64) -> f64 {
    1.0 / (1.0 + n * h * own(n, h, tau2, backing))
}

/// τ² while nothing is known.
pub(crate) const UNKNOWN: f64 = 0.5;

/// The scale of the prior of τ.
const SCALE: f64 = 1.0;
/// The grid of τ: from its first point by equal factors, up to 2.3.
const FIRST: f64 = 0.01;
const FACTOR: f64 = 1.15;
const POINTS: i32 = 40;

/// A square z whose mean is 1 + `slope` τ², taken as χ² with one degree of freedom but for that; it counts as
/// `weight` of one.
pub(super) struct Square {
    pub(super) z: f64,
    pub(super) slope: f64,
    pub(super) weight: f64,
}

/// The posterior mean of τ²; `present` is the one of the fit.
pub(crate) fn estimate(space: &Space<'_>, covariance: &DMatrix<f64>, asked: &[Asked], present: f64) -> f64 {
    let images = Images::new(space, covariance);
    let squares: Vec<Square> = asked
        .iter()
        .filter(|pair| pair.n > 1.0 && pair.n * slope(pair.mu) >= 0.5)
        .filter_map(|pair| {
            let leverage =
                shrinkage(pair.n, pair.h, present, pair.backing) * pair.n * pair.h * images.quad(pair.i, pair.j);
            let h = slope(pair.mu);
            let z = pair.n * (pair.share - pair.mu).powi(2) / h;
            (leverage <= 0.95).then(|| Square { z: z / (1.0 - leverage), slope: (pair.n - 1.0) * h, weight: 1.0 })
        })
        .collect();
    posterior_mean(&squares)
}

/// The posterior mean of τ², given such squares.
pub(super) fn posterior_mean(squares: &[Square]) -> f64 {
    let log_likelihood = |tau2: f64| {
        let one = |square: &Square| {
            let v = 1.0 + square.slope * tau2;
            square.weight * (v.ln() + square.z / v)
        };
        -0.5 * squares.iter().map(one).sum::<f64>()
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

/// How many votes stand behind a pair's word.
pub(crate) struct Backing(
    /// Of every item the votes of its pairs, sorted, each with the sum up to it.
    Vec<Vec<(f64, f64)>>,
);

impl Backing {
    /// Of k items, from the votes of all pairs that were asked.
    pub(crate) fn new(k: usize, pairs: impl Iterator<Item = (Arm, Arm, f64)>) -> Self {
        let mut of: Vec<Vec<(f64, f64)>> = vec![Vec::new(); k];
        for (i, j, n) in pairs {
            of[i].push((n, 0.0));
            of[j].push((n, 0.0));
        }
        for list in &mut of {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut sum = 0.0;
            for (n, up_to) in list {
                sum += *n;
                *up_to = sum;
            }
        }
        Self(of)
    }

    /// Of a pair with n votes: SHARE · min over both items of Σ min(n', n + HOPED), over the item's other pairs and
    /// their votes n'.
    pub(crate) fn of(&self, i: Arm, j: Arm, n: f64) -> f64 {
        let most = n + HOPED;
        let of = |item: Arm| {
            let list = &self.0[item];
            let below = list.partition_point(|entry| entry.0 <= most);
            let sum = if below > 0 { list[below - 1].1 } else { 0.0 };
            // The pair itself is in the list, with n.
            sum + (list.len() - below) as f64 * most - n
        };
        SHARE * of(i).min(of(j))
    }
}
