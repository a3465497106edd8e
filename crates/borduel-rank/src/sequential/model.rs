//! The model with pair effects: p(i,j) = σ(⟨ψ(i,j), β⟩ + e_ij), e_ij = −e_ji ~ N(0, τ²), τ² estimated from the votes.
//!
//! Where the model holds, τ² falls towards 0 and all votes are pooled; where it does not, a pair that was not asked
//! keeps the doubt τ², a pair that was asked often enough speaks for itself, and the uncertainty of every score widens
//! accordingly.
//!
//! β and all e together maximise the penalised likelihood, under a weak prior of β (see [`Space::prior`]; in τ² is also
//! how far one pair may speak for others, see [`pair_effects`]). Seen from β, the n votes of a pair count as q n, q =
//! 1/(1 + nhτ²), with h = p(1−p) at the pair's own chance p, which may be far from what β says of it; M is the inverse
//! of β's information. For ties and soft answers, all n are divided by the dispersion φ = 1 − Σ r(1−r)/Σ p(1−p), since
//! such answers scatter less than coin flips.

use super::asked::Asked;
use super::contexts::ByContext;
use super::space::Space;
use super::votes::Votes;
use super::wide::Factor;
use super::{outliers, pair_effects};
use crate::duel::Arm;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// What a fit starts from, and what the next one may start from: β, and the variances τ² of pairs' and σ² of items'
/// effects, and of what items have of their own in a context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    pub(crate) beta: Vec<f64>,
    pub(crate) tau2: f64,
    pub(crate) sigma2: f64,
    /// The variance of an item's effect in a context, where votes have contexts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) context2: Option<f64>,
}

impl Start {
    /// Before the first vote.
    pub(crate) fn new(space: &Space<'_>) -> Self {
        Self { beta: vec![0.0; space.dim()], tau2: pair_effects::UNKNOWN, sigma2: 0.25, context2: None }
    }
}

/// A fitted model.
pub(crate) struct Fit {
    /// β, and the τ² and σ² that it was fitted with.
    pub(crate) start: Start,
    /// What the next fit had best start from: the same β, and the τ² and σ² that these votes suggest.
    pub(crate) next: Start,
    /// M, the covariance of β.
    pub(crate) covariance: DMatrix<f64>,
    /// The prior precisions of items' effects.
    pub(crate) precisions: Vec<f64>,
    pub(crate) asked: Vec<Asked>,
    pub(crate) dispersion: f64,
    /// The votes by context, where there are any.
    pub(crate) contexts: Option<ByContext>,
}

impl Fit {
    /// The same votes without a stated scale of strengths: of items without features their variance is estimated by
    /// steps of EM, and may be larger than the prior has it; features' weights have hardly any prior. τ² and σ² stay.
    pub(crate) fn unassuming(&self, space: &Space<'_>) -> Self {
        let (mut start, mut asked) = (self.start.clone(), self.asked.clone());
        let (mut precisions, mut covariance) = (self.precisions.clone(), self.covariance.clone());
        for _ in 0..if space.d == 0 { SCALE_STEPS } else { 1 } {
            if space.d == 0 {
                let squares: f64 = start.beta.iter().map(|b| b * b).sum();
                let spread = (squares + covariance.trace()) / space.k as f64;
                precisions.fill(1.0 / spread.clamp(1.0 / space.precision(start.sigma2), WIDEST));
            }
            covariance = newton(space, &space.weak_prior(&precisions), &mut asked, &mut start);
        }
        let next = start.clone();
        Self { next, start, covariance, precisions, asked, dispersion: self.dispersion, contexts: None }
    }
}

/// How often the variance of strengths is estimated anew, and the largest there is.
const SCALE_STEPS: usize = 4;
const WIDEST: f64 = 50.0;

/// The most Newton steps of one fit, and the change of a score below which it is done.
const STEPS: usize = 25;
const DONE: f64 = 1e-5;

/// Fits β, τ² and σ² in turns, at most `rounds` of them; `pairs` says whether there are pair effects at all.
pub(crate) fn fit(space: &Space<'_>, votes: &Votes, start: &Start, pairs: bool, rounds: usize) -> Fit {
    let mut next = start.clone();
    if !pairs {
        next.tau2 = 0.0;
    }
    let mut dispersion = 1.0;
    let mut round = 1;
    let mut precisions = vec![space.precision(next.sigma2); space.dim() - space.d];
    let contexts = ByContext::new(votes);
    if contexts.is_some() {
        next.context2.get_or_insert(pair_effects::UNKNOWN);
    }
    loop {
        crate::stop::check();
        let mut start = next.clone();
        let weighted = contexts.as_ref().zip(start.context2).map(|(contexts, tau2)| contexts.weighted(votes, tau2));
        let votes = weighted.as_ref().unwrap_or(votes);
        let mut asked = list(space.k, votes, dispersion);
        let covariance = newton(space, &space.prior(&precisions), &mut asked, &mut start);
        next.clone_from(&start);
        if pairs {
            next.tau2 = pair_effects::estimate(space, &covariance, &asked, start.tau2);
        }
        if let Some(contexts) = &contexts {
            next.context2 = Some(contexts.estimate(space, &covariance, &asked, (start.tau2, dispersion)));
        }
        if space.has_both() {
            next.sigma2 = effects_variance(space, &covariance, &start);
        }
        let typical = space.precision(next.sigma2);
        let following = outliers::loosened(space, &covariance, (&start.beta, start.sigma2), &precisions, typical);
        let spread = dispersion_of(votes, &asked);
        let close = |a: f64, b: f64| (a - b).abs() <= 0.03 * b.max(1e-3);
        // Typical precisions are close where σ² is, whose square root is what matters.
        let alike = |(a, b): (&f64, &f64)| !space.frees || (a / b).ln().abs() < 0.2;
        let settled = close(next.tau2, start.tau2)
            && close(next.context2.unwrap_or(0.0), start.context2.unwrap_or(0.0))
            && close(next.sigma2, start.sigma2)
            && (spread - dispersion).abs() < 0.02
            && following.iter().zip(&precisions).all(alike);
        if settled || round >= rounds {
            return Fit { start, next, covariance, precisions, asked, dispersion, contexts };
        }
        precisions = following;
        dispersion = spread;
        round += 1;
    }
}

fn list(k: usize, votes: &Votes, dispersion: f64) -> Vec<Asked> {
    let backing = pair_effects::Backing::new(k, votes.pairs().map(|(i, j, sum)| (i, j, sum.votes() / dispersion)));
    let one = |(i, j, sum): (Arm, Arm, &super::votes::PairSum)| Asked {
        i,
        j,
        n: sum.votes() / dispersion,
        weight: sum.w,
        // A judge's correction may lead beyond.
        share: sum.share().clamp(0.0, 1.0),
        mu: 0.5,
        p: 0.5,
        h: 0.25,
        backing: backing.of(i, j, sum.votes() / dispersion),
    };
    votes.pairs().map(one).collect()
}

/// φ, between 0.1 and 1.
fn dispersion_of(votes: &Votes, asked: &[Asked]) -> f64 {
    let soft: f64 = votes.pairs().map(|(_, _, sum)| sum.soft * sum.w / sum.w2).sum();
    if soft == 0.0 {
        return 1.0;
    }
    let expected: f64 = votes.pairs().zip(asked).map(|((_, _, sum), pair)| sum.votes() * pair.h).sum();
    (1.0 - soft / expected).clamp(0.1, 1.0)
}

/// Maximises the penalised likelihood; returns M.
fn newton(space: &Space<'_>, prior: &DMatrix<f64>, asked: &mut [Asked], start: &mut Start) -> DMatrix<f64> {
    for step in 0.. {
        let beta = DVector::from_column_slice(&start.beta);
        let mut gradient = -(prior * &beta);
        let mut weights = Vec::with_capacity(asked.len());
        for pair in asked.iter_mut() {
            let score = space.dot(&start.beta, pair.i, pair.j);
            pair.mu = pair_effects::chance(score);
            (pair.p, pair.h) = pair_effects::settle(score, pair.n, pair.share, start.tau2, pair.backing);
            let q = pair_effects::shrinkage(pair.n, pair.h, start.tau2, pair.backing);
            space.add(gradient.as_mut_slice(), pair.i, pair.j, pair.n * (pair.share - pair.p));
            weights.push((pair.i, pair.j, q * pair.n * pair.h));
        }
        let information = space.information(&weights) + prior;
        let size = information.nrows();
        // A prior that is definite makes this unreachable but for overflow; then nothing is known.
        let unknown = || DMatrix::identity(size, size) * 1e3;
        let Some(factor) = Factor::new(space, information) else { return unknown() };
        let mut change = factor.solve(&gradient);
        let largest = asked.iter().map(|p| space.dot(change.as_slice(), p.i, p.j).abs()).fold(0.0, f64::max);
        if largest < DONE || step == STEPS {
            return factor.inverse().unwrap_or_else(unknown);
        }
        // A logistic likelihood is nearly quadratic within a step of 2.
        change *= (2.0 / largest).min(1.0);
        start.beta.iter_mut().zip(change.iter()).for_each(|(b, c)| *b += c);
    }
    unreachable!("the loop returns at its last step")
}

/// σ² of the items' effects beside features: one step of EM, σ² ← (Σ v̂² + Σ Var v)/K. Where outliers are let go, none
/// counts for more than
/// the largest effect that is not one.
fn effects_variance(space: &Space<'_>, covariance: &DMatrix<f64>, start: &Start) -> f64 {
    let most = if space.frees { outliers::OUTLIER * start.sigma2 } else { f64::INFINITY };
    let sum: f64 = (space.d..space.dim()).map(|c| (start.beta[c].powi(2) + covariance[(c, c)]).min(most)).sum();
    (sum / space.k as f64).clamp(1e-6, 4.0)
}
