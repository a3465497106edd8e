//! What U is beyond its normal approximation, answer by answer: how a step is decided without going through all
//! answers.
//!
//! U = Q + Σ_t ρ_t. Q is the square form that proposals are drawn from, to which every answer adds its second-order
//! Taylor polynomial; ρ_t is what is left of answer t, of third order in θ − e_t, where e_t was θ̂ when Q took it up. A
//! proposal θ′ in the place of θ is accepted with the probability Π_t min(1, exp(ρ_t(θ) − ρ_t(θ′))): a product of
//! minima in the place of the minimum of a product, which leaves the same law as it is, since each factor is balanced
//! by itself (Michel, Tan, Deng 2019), and differs from 1 in the third order only. With |μ″| ≤ M,
//!
//! |ρ_t(θ)| ≤ (M/6) w_t ‖z_t‖³ R(θ)³, R(θ) = ‖θ − θ₁‖ + max_t ‖e_t − θ₁‖,
//!
//! θ₁ the θ̂ at which all answers were gone through last. So the product is decided by a Poisson process: of its
//! events, (M/6) Σ w‖z‖³ (R³ + R′³) on average, each looks at a single answer, drawn by its bound, and refuses with the
//! chance that thins the bound to the factor (Cornish et al., ICML 2019). That mean falls as 1/√n.

use crate::Link;
use crate::features::dot;
use crate::policy::features::linear::Model;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// The answers, each with the θ̂ at which Q took it up.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Factors {
    /// The model's number of answers when all were gone through, which tells whether that has been done anew.
    fitted: f64,
    /// θ₁, and how far from it others were taken up since.
    anchor: Vec<f64>,
    drift: f64,
    terms: Vec<Term>,
}

/// Answers to one vector.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Term {
    /// The model's cell of the vector.
    cell: usize,
    weight: f64,
    /// ⟨z, e_t⟩.
    score: f64,
    /// Σ w‖z‖³ up to this one.
    until: f64,
}

impl Factors {
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether they are those of a model that goes through all answers now and then only.
    pub(super) fn are_of(&self, model: &Model) -> bool {
        model.fitted() > 0.0 && model.fitted() == self.fitted
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// After an answer was counted so many times in a cell of the model, with θ̂ before it. Returns whether all answers
    /// were gone through, so that Q is another one.
    pub(super) fn follow(&mut self, model: &mut Model, link: Link, cell: usize, weight: f64, before: &[f64]) -> bool {
        if self.are_of(model) {
            self.drift = self.drift.max(distance(before, &self.anchor));
            self.push(model, cell, weight, dot(model.vector(cell), before));
            return false;
        }
        if model.fitted() == 0.0 {
            return false;
        }
        let scores = model.expand(link).to_vec();
        self.terms.clear();
        self.anchor.clear();
        self.anchor.extend_from_slice(model.theta());
        (self.fitted, self.drift) = (model.fitted(), 0.0);
        for (cell, score) in scores.into_iter().enumerate() {
            self.push(model, cell, model.weight(cell), score);
        }
        true
    }

    fn push(&mut self, model: &Model, cell: usize, weight: f64, score: f64) {
        let z = model.vector(cell);
        let until = self.total() + weight * dot(z, z).powf(1.5);
        self.terms.push(Term { cell, weight, score, until });
    }

    /// Σ w‖z‖³.
    fn total(&self) -> f64 {
        self.terms.last().map_or(0.0, |term| term.until)
    }

    /// R(θ), which also holds of what is looked at with the present θ̂.
    pub(super) fn reach(&self, theta: &[f64], mode: &[f64]) -> f64 {
        distance(theta, &self.anchor) + self.drift.max(distance(mode, &self.anchor))
    }

    /// How many single answers are looked at on average, for the reaches of both θ.
    pub(super) fn rate(&self, link: Link, reaches: [f64; 2]) -> f64 {
        third(link, reaches) * self.total()
    }

    /// Σ ρ(θ), and whether each of them is within its bound.
    #[cfg(test)]
    pub(super) fn remainders(&self, model: &Model, link: Link, theta: &[f64]) -> (f64, bool) {
        let reach = self.reach(theta, model.theta());
        let one = |term: &Term| {
            let z = model.vector(term.cell);
            let own = term.remainder(link, dot(z, theta));
            let bound = third(link, [reach, 0.0]) * term.weight * dot(z, z).powf(1.5);
            (own, own.abs() <= bound * (1.0 + 1e-9) + 1e-15)
        };
        let all = self.terms.iter().map(one);
        all.fold((0.0, true), |(sum, within), (own, also)| (sum + own, within && also))
    }

    /// Looks at one answer, drawn by its bound: whether the step from one θ to the other is refused.
    pub(super) fn refuse(
        &self,
        model: &Model,
        link: Link,
        thetas: [&[f64]; 2],
        reaches: [f64; 2],
        stream: &mut Stream,
    ) -> bool {
        let at = stream.uniform() * self.total();
        let place = self.terms.partition_point(|term| term.until <= at).min(self.terms.len() - 1);
        let (term, z) = (self.terms[place], model.vector(self.terms[place].cell));
        let [from, to] = thetas.map(|theta| term.remainder(link, dot(z, theta)));
        let bound = third(link, reaches) * term.weight * dot(z, z).powf(1.5);
        stream.uniform() * bound < to - from
    }
}

impl Term {
    /// ρ at a score.
    fn remainder(&self, link: Link, score: f64) -> f64 {
        let step = score - self.score;
        let square = link.m(self.score) + step * (link.mu(self.score) + 0.5 * step * link.mu_prime(self.score));
        self.weight * (link.m(score) - square)
    }
}

/// (M/6)(R³ + R′³).
fn third(link: Link, reaches: [f64; 2]) -> f64 {
    link.curvature() / 6.0 * reaches.map(|reach| reach.powi(3)).iter().sum::<f64>()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
