//! Which pairs to ask next: those that take the most doubt off the claims that are most in doubt.
//!
//! Scores and pairs' log-odds η are jointly normal, so that what s more votes on a pair p would do can be computed
//! beforehand: Var(claim) falls by cov²/(v + 1/(s h)), with v = q² ψᵀMψ + τ²q the variance of η_p and
//! cov = q ψᵀM(g_i − g_j) ± c h τ² q (if p is one of i's or j's pairs; both signs agree, twice, if p = (i,j)).
//! Where a claim frees the effects of its items, M is the claim's own (see [`freed`](super::freed)).
//! A question is worth Σ w · fall over the claims, w = (1/E) (y/Var)²: what moves Σ 1/E the most. After each choice
//! all of this is updated as if the votes were there, so that a plan of many questions is one plan, not many times the
//! same pair.

use super::claim::Claim;
use super::evidence::log_e;
use super::freed::{Coordinates, Freed};
use super::model::Fit;
use super::pair_effects::{own, shrinkage};
use super::scores::Scores;
use super::space::Space;
use super::wide::{Along, Images};
use crate::duel::{Arm, Duel};
use nalgebra::{DMatrix, Vector2};
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

/// `total` questions in order, none more than `most` times, of pairs i < j that can be asked; those that are still
/// open count as answered.
pub(crate) fn plan(
    space: &Space<'_>,
    fit: &Fit,
    scores: &Scores,
    (claims, margin): (&[Claim], f64),
    open: &[Duel],
    (total, most): (usize, usize),
    can_be_asked: &dyn Fn(Arm, Arm) -> bool,
) -> Vec<Duel> {
    let k = space.k;
    let wanted = at_stake(k, claims);
    let candidate = |&(i, j): &(Arm, Arm)| (wanted[i] || wanted[j]) && can_be_asked(i, j);
    let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).filter(candidate);
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
    /// The effects that every claim frees, and UᵀMψ as `cov` is kept; empty where none are.
    freed: Vec<Coordinates>,
    loads: Vec<Vector2<f64>>,
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
        let effects = |claim: &Claim| [space.d + claim.ahead, space.d + claim.behind];
        let of_claims = |all: &Freed| claims.iter().map(|c| all.coordinates(c.ahead, c.behind)).collect();
        let freed: Vec<Coordinates> = scores.freed.as_ref().map_or_else(Vec::new, of_claims);
        let directions: Vec<_> = claims
            .iter()
            .enumerate()
            .map(|(at, claim)| {
                let gradient = scores.gradients.column(claim.ahead) - scores.gradients.column(claim.behind);
                let mut direction = &fit.covariance * gradient;
                if let Some(freed) = freed.get(at) {
                    let own = effects(claim).map(|c| direction[c]);
                    let weight = freed.weight() * Vector2::from(own);
                    for (c, w) in effects(claim).into_iter().zip(weight.iter()) {
                        direction.axpy(*w, &fit.covariance.column(c), 1.0);
                    }
                }
                direction
            })
            .collect();
        let (c, tau2) = (1.0 / (space.k - 1) as f64, fit.start.tau2);
        let along: Vec<Along<'_>> =
            directions.iter().map(|direction| Along::new(&space, direction.as_slice())).collect();
        let images = Images::new(&space, &fit.covariance);
        let (mut candidates, mut cov, mut loads) = (Vec::new(), Vec::new(), Vec::new());
        for (i, j) in pairs {
            let (n, h) = (scores.votes[(i, j)], scores.slopes[(i, j)]);
            let backing = scores.backing[(i, j)];
            let (q, own) = (shrinkage(n, h, tau2, backing), own(n, h, tau2, backing));
            cov.extend(claims.iter().zip(&along).map(|(claim, along)| {
                let sign =
                    |item: Arm| f64::from(u8::from(item == claim.ahead)) - f64::from(u8::from(item == claim.behind));
                q * (along.of(i, j) + c * h * own * (sign(i) - sign(j)))
            }));
            let quad = if freed.is_empty() {
                images.quad(i, j)
            } else {
                let (quad, entries) = images.quad_and(i, j, claims.iter().map(effects));
                loads.extend(entries.into_iter().map(Vector2::from));
                quad
            };
            candidates.push(Candidate { i, j, n, h, backing, planned: 0, quad, q, own: own * q });
        }
        let (covariance, claims, dispersion) = (fit.covariance.clone(), claims.to_vec(), fit.dispersion);
        Self { space, tau2, margin, dispersion, covariance, claims, candidates, cov, freed, loads }
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
        let noise = p.variance() + self.dispersion / (size * p.h);
        let fall =
            |(claim, (cov, w)): (usize, (&f64, &f64))| w * cov * cov * (noise / (noise + self.freed(at, at, claim)));
        self.of(at).iter().zip(weights).enumerate().map(fall).sum::<f64>() / noise
    }

    /// Cov(η, claim) of a candidate.
    fn of(&self, at: usize) -> &[f64] {
        &self.cov[at * self.claims.len()..][..self.claims.len()]
    }

    /// What a claim adds to Cov(η, η') of two candidates by freeing effects.
    fn freed(&self, a: usize, b: usize, claim: usize) -> f64 {
        let Some(freed) = self.freed.get(claim) else { return 0.0 };
        let load = |at: usize| self.loads[at * self.claims.len() + claim] * self.candidates[at].q;
        load(a).dot(&(freed.weight() * load(b)))
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
        let along = Along::new(&self.space, product.as_slice());
        let cov = self.of(at).to_vec();
        let p = &self.candidates[at];
        let (q, v, quad, h) = (p.q, p.variance(), p.quad, p.h);
        let noise: Vec<f64> = (0..cov.len()).map(|claim| v + self.freed(at, at, claim) + 1.0 / (size * h)).collect();
        for (claim, (c, noise)) in self.claims.iter_mut().zip(cov.iter().zip(&noise)) {
            claim.variance = (claim.variance - c * c / noise).max(1e-12);
            claim.log_e = log_e(claim.lead, claim.variance, self.margin);
        }
        let more = (p.n + size) * h * shrinkage(p.n + size, h, tau2, p.backing) - p.n * h * q;
        let shrink = more / (1.0 + more * quad);
        let mut shares = Vec::with_capacity(self.candidates.len());
        let learned: Vec<f64> = cov.iter().zip(&noise).map(|(c, noise)| c / noise).collect();
        for other in 0..self.candidates.len() {
            let candidate = &self.candidates[other];
            let shared = along.of(candidate.i, candidate.j);
            let joint = if other == at { v } else { candidate.q * q * shared };
            for (claim, c) in learned.iter().enumerate() {
                let joint = joint + self.freed(at, other, claim);
                self.cov[other * learned.len() + claim] -= joint * c;
            }
            shares.push(shared);
        }
        let load: Vec<Vector2<f64>> = self.loads.iter().skip(at * learned.len()).take(learned.len()).copied().collect();
        for (candidate, shared) in self.candidates.iter_mut().zip(&shares) {
            candidate.quad -= shrink * shared * shared;
        }
        if !self.freed.is_empty() {
            for (loads, shared) in self.loads.chunks_exact_mut(learned.len()).zip(&shares) {
                loads.iter_mut().zip(&load).for_each(|(other, load)| *other -= shrink * shared * load);
            }
        }
        self.freed.iter_mut().zip(&load).for_each(|(freed, load)| *freed = freed.after(shrink, load));
        let p = &mut self.candidates[at];
        p.n += size;
        p.q = shrinkage(p.n, h, tau2, p.backing);
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
