//! Answers per vector z = x_i − x_j, and their fit with a ridge.

use super::factor::{add_square, cholesky, solve};
use crate::Link;
use crate::borda::Borda;
use crate::features::{add_scaled, dot};
use crate::problem::Problem;
use crate::stream::mix;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Answers per distinct z, and θ̂ = argmin Σ n m(⟨z,θ⟩) − s⟨z,θ⟩ + (λ/2)‖θ‖² over those asked. It knows vectors, not
/// items.
///
/// The fit goes on from the last one by Newton's method, with a Hessian that is kept until there are 1 % more answers
/// or it no longer helps: a step or two, each of which costs the number of distinct vectors asked.
///
/// Where every question has a context, nearly every vector is another one. From the 257th on an answer then makes a
/// single step with its own gradient, at a Hessian to which it is added, and all answers are gone through again when
/// there are 5 % more of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Model {
    ridge: f64,
    theta: Vec<f64>,
    /// The distinct vectors, row by row, each with its first coordinate that is not 0 positive.
    vectors: Vec<f64>,
    cells: Vec<CellSum>,
    /// Where the cell of a vector is, by a hash of its bits; where two vectors share a hash, by the next free number.
    places: BTreeMap<u64, usize>,
    /// The weight of all answers.
    total: f64,
    /// The Cholesky factor of the Hessian, row by row, and the weight of answers when it was made.
    factor: Vec<f64>,
    factored: f64,
    /// The weight of answers when all were gone through, where that is not after every answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    fitted: f64,
    #[serde(skip)]
    work: Work,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// n and Σr of a vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct CellSum {
    n: f64,
    sum: f64,
}

/// Working space, which is no part of what a model is.
#[derive(Debug, Clone, Default)]
struct Work {
    /// ⟨z, θ̂⟩ of all cells.
    scores: Vec<f64>,
    gradient: Vec<f64>,
    z: Vec<f64>,
    /// Whether scores and gradient are those of θ̂ and of all answers, summed up anew for them.
    current: bool,
}

impl PartialEq for Work {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The gradient per answer at which a fit has converged.
const TOLERANCE: f64 = 1e-8;
/// Many more steps than a fit takes.
const STEPS: usize = 100;
/// So many vectors are gone through after every answer, and more of them when there are so many times as many answers.
const FEW: usize = 256;
const MORE: f64 = 1.05;

impl Model {
    pub(crate) fn new(dim: usize, ridge: f64) -> Self {
        Self {
            ridge,
            theta: vec![0.0; dim],
            vectors: Vec::new(),
            cells: Vec::new(),
            places: BTreeMap::new(),
            total: 0.0,
            factor: vec![0.0; dim * dim],
            factored: -1.0,
            fitted: 0.0,
            work: Work::default(),
        }
    }

    /// θ̂.
    pub(crate) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The weight of all answers.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// The weight of answers when all were last gone through; 0 where that is after every answer.
    pub(crate) fn fitted(&self) -> f64 {
        self.fitted
    }

    /// The vector of a cell.
    pub(crate) fn vector(&self, cell: usize) -> &[f64] {
        let d = self.theta.len();
        &self.vectors[cell * d..(cell + 1) * d]
    }

    /// The weight of a cell's answers.
    pub(crate) fn weight(&self, cell: usize) -> f64 {
        self.cells[cell].n
    }

    /// Counts an answer `weight` times and fits anew; in which cell, unless it tells nothing.
    pub(crate) fn add(&mut self, problem: &Problem, z: &[f64], reward: f64, weight: f64) -> Option<usize> {
        let &first = z.iter().find(|x| **x != 0.0)?;
        let (link, mut work) = (problem.link(), std::mem::take(&mut self.work));
        let (many, step) = (problem.context().is_some() && self.cells.len() > FEW, self.total < MORE * self.fitted);
        if !(work.current || many && step) {
            self.write_gradient(link, &mut work);
        }
        work.z.clear();
        // Adding 0 turns −0 into 0, which is another number of bits.
        work.z.extend(z.iter().map(|x| if first > 0.0 { x + 0.0 } else { 0.0 - x }));
        let place = self.place(&work.z);
        let sum = weight * if first > 0.0 { reward } else { 1.0 - reward };
        self.cells[place].n += weight;
        self.cells[place].sum += sum;
        self.total += weight;
        if many && step {
            self.step(link, weight, sum, &mut work);
        } else {
            if place == work.scores.len() {
                work.scores.push(dot(&work.z, &self.theta));
            }
            // Of the gradient at θ̂ only this answer's part is new.
            add_scaled(&mut work.gradient, weight * link.mu(work.scores[place]) - sum, &work.z);
            self.fit(link, &mut work);
            self.fitted = if many { self.total } else { 0.0 };
        }
        self.work = work;
        Some(place)
    }

    /// Where the cell of this vector is; it is made if there is none.
    fn place(&mut self, z: &[f64]) -> usize {
        let d = z.len();
        let mut key = z.iter().fold(0, |key, x| mix(key, x.to_bits()));
        while let Some(&place) = self.places.get(&key) {
            if self.vectors[place * d..(place + 1) * d] == *z {
                return place;
            }
            key = key.wrapping_add(1);
        }
        let place = self.cells.len();
        self.places.insert(key, place);
        self.cells.push(CellSum::default());
        self.vectors.extend_from_slice(z);
        place
    }

    /// Fits from the last θ̂ on, of which the gradient is given.
    fn fit(&mut self, link: Link, work: &mut Work) {
        let enough = TOLERANCE * self.total.max(1.0);
        for step in 0..STEPS {
            if step > 0 {
                self.write_gradient(link, work);
            }
            work.current = step > 0;
            if work.gradient.iter().all(|x| x.abs() <= enough) {
                return;
            }
            // The old Hessian has two steps in which to do it.
            if self.total > 1.01 * self.factored || step >= 2 {
                self.factorise(link, &work.scores);
            }
            solve(&self.factor, &mut work.gradient);
            // No vector is longer than 1: a step of this length changes no score by more than 1, within which the
            // Hessian says something.
            let length = dot(&work.gradient, &work.gradient).sqrt().max(1.0);
            self.theta.iter_mut().zip(&work.gradient).for_each(|(theta, step)| *theta -= step / length);
        }
        work.current = false;
    }

    /// One step of Newton's method for the answer in the workspace alone.
    fn step(&mut self, link: Link, weight: f64, sum: f64, work: &mut Work) {
        let Work { gradient, z, current, .. } = work;
        let score = dot(z, &self.theta);
        let root = (weight * link.mu_prime(score)).sqrt();
        gradient.clear();
        gradient.extend(z.iter().map(|x| root * x));
        add_square(&mut self.factor, gradient);
        let slope = weight * link.mu(score) - sum;
        gradient.clear();
        gradient.extend(z.iter().map(|x| slope * x));
        solve(&self.factor, gradient);
        self.theta.iter_mut().zip(gradient.iter()).for_each(|(theta, step)| *theta -= step);
        *current = false;
    }

    fn rows(&self) -> impl Iterator<Item = (&[f64], &CellSum)> {
        self.vectors.chunks_exact(self.theta.len().max(1)).zip(&self.cells)
    }

    /// ⟨z, θ̂⟩ of all cells, and from them ∇ = Σ (n μ − s) z + λθ.
    fn write_gradient(&self, link: Link, work: &mut Work) {
        let Work { scores, gradient, .. } = work;
        scores.clear();
        gradient.clear();
        gradient.extend(self.theta.iter().map(|x| self.ridge * x));
        for (z, CellSum { n, sum }) in self.rows() {
            let score = dot(z, &self.theta);
            add_scaled(gradient, n * link.mu(score) - sum, z);
            scores.push(score);
        }
    }

    /// Makes the Hessian at θ̂, λI + Σ n μ′ zzᵀ, and its factor; the scores are those of θ̂.
    fn factorise(&mut self, link: Link, scores: &[f64]) {
        let d = self.theta.len();
        let mut factor = std::mem::take(&mut self.factor);
        factor.fill(0.0);
        (0..d).for_each(|c| factor[c * d + c] = self.ridge);
        for ((z, cell), score) in self.rows().zip(scores) {
            let weight = cell.n * link.mu_prime(*score);
            for (row, x) in z.iter().enumerate() {
                let scaled = weight * x;
                let entries = factor[row * d..=row * d + row].iter_mut();
                entries.zip(z).for_each(|(entry, y)| *entry += scaled * y);
            }
        }
        cholesky(&mut factor, d);
        self.factor = factor;
        self.factored = self.total;
    }

    /// Makes the Hessian at θ̂ and returns its factor; that of the answers' own steps, where they are too many to go
    /// through.
    pub(crate) fn hessian(&mut self, link: Link) -> &[f64] {
        if self.fitted > 0.0 {
            return &self.factor;
        }
        self.expand(link);
        &self.factor
    }

    /// Makes the Hessian at θ̂ from all answers, and returns ⟨z, θ̂⟩ of all cells.
    pub(crate) fn expand(&mut self, link: Link) -> &[f64] {
        let mut work = std::mem::take(&mut self.work);
        self.write_gradient(link, &mut work);
        self.factorise(link, &work.scores);
        self.work = work;
        &self.work.scores
    }

    /// Σ n m(⟨z,θ⟩) − s⟨z,θ⟩ + (λ/2)‖θ‖² at any θ.
    pub(crate) fn objective(&self, link: Link, theta: &[f64]) -> f64 {
        let one = |(z, CellSum { n, sum }): (&[f64], &CellSum)| {
            let score = dot(z, theta);
            n * link.m(score) - sum * score
        };
        self.rows().map(one).sum::<f64>() + 0.5 * self.ridge * dot(theta, theta)
    }

    /// û = ⟨x, θ̂⟩ of all items.
    pub(crate) fn write_utilities(&self, problem: &Problem, out: &mut Vec<f64>) {
        super::utilities(problem, &self.theta, out);
    }

    /// Borda scores of the fitted model.
    pub(crate) fn write_scores(&self, problem: &Problem, out: &mut [f64]) {
        out.copy_from_slice(Borda::from_model(problem.features(), problem.link(), &self.theta).scores());
    }
}
