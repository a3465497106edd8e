//! Which pairs to ask next: those that take the most doubt off the claims that are most in doubt.
//!
//! Scores and pairs' log-odds η are jointly normal, so that what s more votes on a pair p would do can be computed beforehand:
//! Var(claim) falls by cov²/(v + 1/(s h)), with v = q² ψᵀMψ + τ²q the variance of η_p and
//! cov = q ψᵀM(g_i − g_j) ± c h τ² q (if p is one of i's or j's pairs; both signs agree, twice, if p = (i,j)).
//! A question is worth Σ w · fall over the claims, w = (1/E) (y/Var)²: what moves Σ 1/E the most. After each choice
//! all of this is updated as if the votes were there, so that a plan of many questions is one plan, not many times the same pair.

use super::evidence::log_e;
use super::model::Fit;
use super::pair_effects::{own, rest};
use super::scores::Scores;
use super::space::Space;
use super::standing::Claim;
use crate::duel::{Arm, Duel};
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// So many claims are worked on at a time.
const CLAIMS: usize = 12;
/// Up to so many items every pair is a candidate; beyond, only those of the items that the claims are about.
const ALL_PAIRS: usize = 24;

/// A pair that might be asked.
struct Candidate {
    i: Arm,
    j: Arm,
    n: f64,
    h: f64,
    backing: f64,
    /// How often it is in the plan.
    planned: usize,
    /// ψᵀMψ.
    quad: f64,
    /// q, and τ²q, which change with its own votes alone.
    q: f64,
    own: f64,
}

/// `total` questions in order, none more than `most` times; those that are still open count as answered.
pub(crate) fn plan(
    space: &Space<'_>,
    fit: &Fit,
    scores: &Scores,
    claims: &[Claim],
    margin: f64,
    open: &[Duel],
    (total, most): (usize, usize),
) -> Vec<Duel> {
    let k = space.k;
    let wanted = at_stake(k, claims);
    let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).filter(|&(i, j)| wanted[i] || wanted[j]);
    let mut planner = Planner::new(*space, fit, scores, claims, margin, pairs);
    planner.expect(open);
    let parts = (total / 4).max(8).max(total.div_ceil(most)).min(total);
    let mut asks = Vec::with_capacity(total);
    for part in 0..parts {
        let size = (part + 1) * total / parts - part * total / parts;
        let Some(best) = planner.best(size, most) else { break };
        let (i, j) = (planner.candidates[best].i, planner.candidates[best].j);
        planner.candidates[best].planned += size;
        planner.ask(best, size as f64);
        asks.extend(std::iter::repeat_n(Duel(i, j), size));
    }
    asks
}

/// Which of k items are those whose pairs are candidates: all of few, else those that the claims worked on are about.
pub(super) fn at_stake(k: usize, claims: &[Claim]) -> Vec<bool> {
    let mut wanted = vec![k <= ALL_PAIRS; k];
    for claim in &claims[..claims.len().min(CLAIMS)] {
        (wanted[claim.ahead], wanted[claim.behind]) = (true, true);
    }
    wanted
}

/// What is known while a plan is made.
pub(crate) struct Planner<'a> {
    space: Space<'a>,
    tau2: f64,
    margin: f64,
    dispersion: f64,
    covariance: DMatrix<f64>,
    claims: Vec<Claim>,
    candidates: Vec<Candidate>,
    /// Cov(η, claim) of every candidate for every claim, candidate after candidate.
    cov: Vec<f64>,
}

impl<'a> Planner<'a> {
    /// About the most doubtful of these claims, which are sorted, with these pairs i < j as candidates, in their order.
    pub(crate) fn new(
        space: Space<'a>,
        fit: &Fit,
        scores: &Scores,
        claims: &[Claim],
        margin: f64,
        pairs: impl Iterator<Item = (Arm, Arm)>,
    ) -> Self {
        let claims = &claims[..claims.len().min(CLAIMS)];
        let directions: Vec<_> = claims
            .iter()
            .map(|claim| {
                &fit.covariance * (scores.gradients.column(claim.ahead) - scores.gradients.column(claim.behind))
            })
            .collect();
        let (c, tau2) = (1.0 / (space.k - 1) as f64, fit.start.tau2);
        let (mut candidates, mut cov) = (Vec::new(), Vec::new());
        for (i, j) in pairs {
            let (n, h) = (scores.votes[(i, j)], scores.slopes[(i, j)]);
            let backing = scores.backing[(i, j)];
            let (q, own) = (rest(n, h, tau2, backing), own(n, h, tau2, backing));
            cov.extend(claims.iter().zip(&directions).map(|(claim, direction)| {
                let sign =
                    |item: Arm| f64::from(u8::from(item == claim.ahead)) - f64::from(u8::from(item == claim.behind));
                q * (space.dot(direction.as_slice(), i, j) + c * h * own * (sign(i) - sign(j)))
            }));
            let quad = space.quad(&fit.covariance, i, j);
            candidates.push(Candidate { i, j, n, h, backing, planned: 0, quad, q, own: own * q });
        }
        let (covariance, claims, dispersion) = (fit.covariance.clone(), claims.to_vec(), fit.dispersion);
        Self { space, tau2, margin, dispersion, covariance, claims, candidates, cov }
    }

    /// Takes questions whose answers are still to come as answered.
    pub(crate) fn expect(&mut self, open: &[Duel]) {
        let mut waiting: BTreeMap<(Arm, Arm), f64> = BTreeMap::new();
        for &Duel(i, j) in open {
            *waiting.entry((i.min(j), i.max(j))).or_insert(0.0) += 1.0;
        }
        for ((i, j), questions) in waiting {
            if let Some(at) = self.candidates.iter().position(|p| (p.i, p.j) == (i, j)) {
                self.ask(at, questions);
            }
        }
    }

    /// What every claim's fall in variance is worth now.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let weight = |claim: &Claim| {
            let y = claim.lead + self.margin.max(1e-3);
            (-claim.log_e).exp() * (y / claim.variance).powi(2)
        };
        self.claims.iter().map(weight).collect()
    }

    /// What `size` votes on a candidate are worth.
    pub(crate) fn worth(&self, at: usize, size: f64, weights: &[f64]) -> f64 {
        let p = &self.candidates[at];
        let fall: f64 = self.of(at).iter().zip(weights).map(|(cov, w)| w * cov * cov).sum();
        fall / (p.variance() + self.dispersion / (size * p.h))
    }

    /// Cov(η, claim) of a candidate.
    fn of(&self, at: usize) -> &[f64] {
        &self.cov[at * self.claims.len()..][..self.claims.len()]
    }

    /// The candidate whose `size` votes are worth the most, of those that may be asked as often.
    fn best(&self, size: usize, most: usize) -> Option<usize> {
        let weights = self.weights();
        let mut best = None;
        let allowed = |p: &Candidate| p.planned.saturating_add(size) <= most;
        for (at, _) in self.candidates.iter().enumerate().filter(|(_, p)| allowed(p)) {
            let worth = self.worth(at, size as f64, &weights);
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((at, worth));
            }
        }
        best.map(|(at, _)| at)
    }

    /// What is known after `size` more votes on a candidate.
    pub(crate) fn ask(&mut self, at: usize, size: f64) {
        let size = size / self.dispersion;
        let (i, j, tau2) = (self.candidates[at].i, self.candidates[at].j, self.tau2);
        let product = self.space.times(&self.covariance, i, j);
        let cov = self.of(at).to_vec();
        let p = &self.candidates[at];
        let (q, v, quad, h) = (p.q, p.variance(), p.quad, p.h);
        let noise = v + 1.0 / (size * h);
        for (claim, c) in self.claims.iter_mut().zip(&cov) {
            claim.variance = (claim.variance - c * c / noise).max(1e-12);
            claim.log_e = log_e(claim.lead, claim.variance, self.margin);
        }
        let more = (p.n + size) * h * rest(p.n + size, h, tau2, p.backing) - p.n * h * q;
        let shrink = more / (1.0 + more * quad);
        let learned: Vec<f64> = cov.iter().map(|c| c / noise).collect();
        // Without claims there is nothing to learn about, and no list for a candidate.
        let lists = self.cov.chunks_exact_mut(learned.len().max(1));
        for (other, (candidate, list)) in self.candidates.iter_mut().zip(lists).enumerate() {
            let shared = self.space.dot(product.as_slice(), candidate.i, candidate.j);
            let joint = if other == at { v } else { candidate.q * q * shared };
            list.iter_mut().zip(&learned).for_each(|(x, c)| *x -= joint * c);
            candidate.quad -= shrink * shared * shared;
        }
        let p = &mut self.candidates[at];
        p.n += size;
        p.q = rest(p.n, h, tau2, p.backing);
        p.own = own(p.n, h, tau2, p.backing) * p.q;
        self.covariance.ger(-shrink, &product, &product, 1.0);
    }
}

impl Candidate {
    /// The variance of η.
    fn variance(&self) -> f64 {
        self.q * self.q * self.quad + self.own
    }
}
