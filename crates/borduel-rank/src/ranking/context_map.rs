//! Who is strong where: every item's score in every context.
//!
//! The log-odds of i over j in context c are taken as s(i) − s(j) + u(i,c) − u(j,c), with the fitted s and u(i,c)
//! of mean 0 and variance τ². With the scores g and the information H of a context's votes at u = 0, the likelihood
//! of τ² is about Π |I + τ²H|^{−½} exp(½ gᵀ(H + I/τ²)⁻¹g): τ² is where that is largest, and û
//! where the likelihood of the votes times the density of u is. Where votes are few, û is near 0 and the score near
//! that over all contexts, so that chance makes nobody strong anywhere.

use super::fitted::Fitted;
use crate::ballots::{Ballots, PairVotes};
use nalgebra::{Cholesky, DMatrix, DVector};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most items and the most contexts of a map: nobody looks at more, and every cell costs as much as there are
/// items.
const MOST_ITEMS: usize = 200;
const MOST_CONTEXTS: usize = 200;

/// Every item's score in every context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContextMap {
    /// τ, by how much an item's strength differs from context to context, in log-odds.
    pub tau: f64,
    /// The items, as indices of the ballots.
    pub items: Vec<usize>,
    /// The contexts; of very many those with the most votes.
    pub contexts: Vec<ContextScores>,
}

/// The scores in one context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContextScores {
    /// The name of the context.
    pub name: String,
    /// The used votes in it.
    pub votes: f64,
    /// B(i|c) of the map's items, drawn towards B(i) where votes are few.
    pub borda: Vec<f64>,
}

impl ContextScores {
    /// The place of the item that is best here.
    pub fn leader(&self) -> Option<usize> {
        (0..self.borda.len()).max_by(|&a, &b| self.borda[a].total_cmp(&self.borda[b]).then(b.cmp(&a)))
    }
}

/// The votes of a context: pairs of places, Σw, Σwr.
type PairPoints = BTreeMap<(usize, usize), (f64, f64)>;

impl ContextMap {
    /// The map of these votes; `items` are those that were fitted. `None` where they are too many, or there are not two
    /// contexts.
    pub(super) fn new(ballots: &Ballots, items: &[usize], fitted: &Fitted) -> Option<Self> {
        if items.len() > MOST_ITEMS {
            return None;
        }
        let mut place = vec![None; ballots.items().len()];
        items.iter().enumerate().for_each(|(at, &item)| place[item] = Some(at));
        let ends = |cell: &PairVotes| place[cell.left as usize].zip(place[cell.right as usize]);
        let mut votes: BTreeMap<u32, (f64, PairPoints)> = BTreeMap::new();
        for cell in ballots.cells().iter().filter(|cell| cell.w > 0.0) {
            let (Some(context), Some((left, right))) = (cell.context, ends(cell)) else { continue };
            let (n, pairs) = votes.entry(context).or_default();
            let (w, wr) = pairs.entry((left.min(right), left.max(right))).or_default();
            *n += cell.n;
            *w += cell.w;
            *wr += if left < right { cell.wr } else { cell.w - cell.wr };
        }
        let mut chosen: Vec<(u32, (f64, PairPoints))> = votes.into_iter().collect();
        if chosen.len() < 2 {
            return None;
        }
        chosen.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
        chosen.truncate(MOST_CONTEXTS);
        chosen.sort_by_key(|(context, _)| *context);
        let all: Vec<OfContext<'_>> = chosen.iter().map(|(_, (_, votes))| OfContext::new(votes, items.len())).collect();
        let tau = most_likely(&all.iter().flat_map(|own| own.spectrum(fitted)).collect::<Vec<_>>());
        let names = ballots.context_names();
        let contexts = chosen.iter().zip(&all).map(|((context, (n, _)), own)| ContextScores {
            name: names[*context as usize].clone(),
            votes: *n,
            borda: scores(fitted, &own.effects(fitted, tau), items.len()),
        });
        Some(Self { tau, items: items.to_vec(), contexts: contexts.collect() })
    }
}

/// A context's votes, and the items that they are about.
struct OfContext<'a> {
    votes: &'a PairPoints,
    items: Vec<usize>,
    /// Of every item its place among those.
    place: Vec<usize>,
    all: usize,
}

impl<'a> OfContext<'a> {
    fn new(votes: &'a PairPoints, all: usize) -> Self {
        let mut place = vec![usize::MAX; all];
        votes.keys().for_each(|&(i, j)| (place[i], place[j]) = (0, 0));
        let items: Vec<usize> = (0..all).filter(|&item| place[item] == 0).collect();
        items.iter().enumerate().for_each(|(at, &item)| place[item] = at);
        Self { votes, items, place, all }
    }

    /// The scores g and the information H at these effects.
    fn derivatives(&self, fitted: &Fitted, u: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let n = self.items.len();
        let (mut g, mut h) = (DVector::zeros(n), DMatrix::zeros(n, n));
        let points = fitted.points();
        for (&(i, j), &(w, wr)) in self.votes {
            let (a, b) = (self.place[i], self.place[j]);
            let z = fitted.score(i, j) + u[a] - u[b];
            let (residual, slope) = (wr - w * points.mean(z), w * points.slope(z));
            g[a] += residual;
            g[b] -= residual;
            for (x, y, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                h[(x, y)] += sign * slope;
            }
        }
        (g, h)
    }

    /// H's eigenvalues at 0, and g's squares along its eigenvectors.
    fn spectrum(&self, fitted: &Fitted) -> Vec<(f64, f64)> {
        let (g, h) = self.derivatives(fitted, &DVector::zeros(self.items.len()));
        let eigen = h.symmetric_eigen();
        let along = eigen.eigenvectors.transpose() * g;
        eigen.eigenvalues.iter().zip(along.iter()).map(|(lambda, z)| (lambda.max(0.0), z * z)).collect()
    }

    /// û of all items: Newton's steps to where the likelihood times the density of u is largest.
    fn effects(&self, fitted: &Fitted, tau: f64) -> Vec<f64> {
        const STEPS: usize = 30;
        let mut u = DVector::zeros(self.items.len());
        let precision = if tau > 0.0 { 1.0 / (tau * tau) } else { 0.0 };
        for _ in 0..if tau > 0.0 { STEPS } else { 0 } {
            let (mut g, mut h) = self.derivatives(fitted, &u);
            g -= precision * &u;
            (0..h.nrows()).for_each(|at| h[(at, at)] += precision);
            let Some(factor) = Cholesky::new(h) else { break };
            let step = factor.solve(&g);
            // A step of more than 1 leaves where the quadratic form holds.
            let length = step.amax().max(1.0);
            u += &step / length;
            if step.amax() < 1e-9 {
                break;
            }
        }
        let mut effects = vec![0.0; self.all];
        self.items.iter().zip(u.iter()).for_each(|(&item, u)| effects[item] = *u);
        effects
    }
}

/// τ where Σ ½[z²τ²/(1 + τ²λ) − ln(1 + τ²λ)] is largest, between 0 and 3, by thirds of the best stretch
/// of a grid.
fn most_likely(spectrum: &[(f64, f64)]) -> f64 {
    const GRID: usize = 60;
    const MOST: f64 = 3.0;
    let likelihood = |tau: f64| {
        let v = tau * tau;
        spectrum.iter().map(|(lambda, z2)| z2 * v / (1.0 + v * lambda) - (v * lambda).ln_1p()).sum::<f64>()
    };
    let at = |step: usize| MOST * step as f64 / GRID as f64;
    let best = (0..=GRID).max_by(|&a, &b| likelihood(at(a)).total_cmp(&likelihood(at(b))).then(b.cmp(&a))).unwrap_or(0);
    let (mut low, mut high) = (at(best.saturating_sub(1)), at((best + 1).min(GRID)));
    for _ in 0..40 {
        let third = (high - low) / 3.0;
        if likelihood(low + third) < likelihood(high - third) { low += third } else { high -= third }
    }
    // Rounding leaves a little where there is nothing.
    let middle = 0.5 * (low + high);
    if middle < 1e-6 { 0.0 } else { middle }
}

/// B(i|c) = 1/(K−1) Σ_j p(i,j|c).
fn scores(fitted: &Fitted, u: &[f64], items: usize) -> Vec<f64> {
    let points = fitted.points();
    let chance = |i: usize, j: usize| points.mean(fitted.score(i, j) + u[i] - u[j]);
    let others = |i: usize| (0..items).filter(move |&j| j != i);
    (0..items).map(|i| others(i).map(|j| chance(i, j)).sum::<f64>() / (items - 1) as f64).collect()
}
