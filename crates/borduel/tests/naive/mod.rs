//! Deliberately naive versions of everything clever: full matrices, plain loops, no tricks, written from the formulas.
#![allow(unreachable_pub, clippy::struct_field_names, reason = "a part of the tests, with names as in the formulas")]
#![allow(clippy::needless_range_loop, reason = "formulas have indices")]

pub mod adversaries;
pub mod contexts;
pub mod duelists;
pub mod linear;
pub mod merging;
pub mod peers;

use borduel::{Duel, Link, Problem, Stream};
use nalgebra::{DMatrix, DVector};

/// φ(i,j) of all ordered pairs, as vectors.
pub struct Phi {
    pub k: usize,
    pub d: usize,
    pub phi: Vec<DVector<f64>>,
}

impl Phi {
    pub fn of(problem: &Problem) -> Self {
        let (k, d) = (problem.items(), problem.dim());
        let phi = (0..k * k).map(|c| DVector::from_vec(problem.features().phi(Duel(c / k, c % k)))).collect();
        Self { k, d, phi }
    }

    pub fn at(&self, i: usize, j: usize) -> &DVector<f64> {
        &self.phi[i * self.k + j]
    }

    /// φ̄(i).
    pub fn mean(&self, i: usize) -> DVector<f64> {
        (0..self.k).map(|j| self.at(i, j)).sum::<DVector<f64>>() / self.k as f64
    }

    /// Q = Σ q(i) q(j) φφᵀ.
    pub fn q_matrix(&self, q: &[f64]) -> DMatrix<f64> {
        let mut sum = DMatrix::zeros(self.d, self.d);
        for i in 0..self.k {
            for j in 0..self.k {
                sum += q[i] * q[j] * self.at(i, j) * self.at(i, j).transpose();
            }
        }
        sum
    }

    /// B(i) under θ, by the K² sum.
    pub fn borda(&self, link: Link, theta: &DVector<f64>) -> Vec<f64> {
        (0..self.k)
            .map(|i| (0..self.k).map(|j| link.mu(self.at(i, j).dot(theta))).sum::<f64>() / self.k as f64)
            .collect()
    }
}

/// The first index of the largest number.
pub fn argmax(values: &[f64]) -> usize {
    let mut best = 0;
    for i in 1..values.len() {
        if values[i] > values[best] {
            best = i;
        }
    }
    best
}

/// Exponential weights with uniform exploration, from cumulative scores.
pub fn exp3(scores: &[f64], eta: f64, gamma: f64) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| (eta * (s - largest)).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| (1.0 - gamma) * w / total + gamma / scores.len() as f64).collect()
}

/// An index from a distribution, by walking along it.
pub fn draw(q: &[f64], stream: &mut Stream) -> usize {
    let mut u = stream.uniform();
    for (i, p) in q.iter().enumerate() {
        u -= p;
        if u < 0.0 {
            return i;
        }
    }
    q.len() - 1
}

/// BEXP3 as printed (or centred): every round a full Q and its inverse.
pub struct Bexp3 {
    pub phi: Phi,
    pub eta: f64,
    pub gamma: f64,
    pub centre: f64,
    pub scores: Vec<f64>,
}

impl Bexp3 {
    pub fn new(problem: &Problem, horizon: f64, centre: f64) -> Self {
        let phi = Phi::of(problem);
        let (k, d) = (phi.k as f64, phi.d as f64);
        let eta = k.ln().powf(2.0 / 3.0) * d.powf(-1.0 / 3.0) * horizon.powf(-2.0 / 3.0);
        let scores = vec![0.0; phi.k];
        Self { phi, eta, gamma: (eta * d).sqrt().min(1.0), centre, scores }
    }

    pub fn q(&self) -> Vec<f64> {
        exp3(&self.scores, self.eta, self.gamma)
    }

    /// Learns from an answer to a question asked when the distribution was `q`.
    pub fn learn(&mut self, q: &[f64], i: usize, j: usize, reward: f64) {
        let inverse = self.phi.q_matrix(q).try_inverse().expect("Q is regular");
        let theta = inverse * self.phi.at(i, j) * (reward - self.centre);
        for item in 0..self.phi.k {
            self.scores[item] += self.phi.mean(item).dot(&theta);
        }
    }
}

/// Dueling-EXP3 as printed.
pub struct Dexp3 {
    pub eta: f64,
    pub gamma: f64,
    pub scores: Vec<f64>,
}

impl Dexp3 {
    pub fn new(k: usize, horizon: f64) -> Self {
        let eta = ((k as f64).ln() / (horizon * (k as f64).sqrt())).powf(2.0 / 3.0);
        Self { eta, gamma: (eta * k as f64).sqrt().min(1.0), scores: vec![0.0; k] }
    }

    pub fn q(&self) -> Vec<f64> {
        exp3(&self.scores, self.eta, self.gamma)
    }

    pub fn learn(&mut self, q: &[f64], i: usize, j: usize, reward: f64) {
        self.scores[i] += reward / (self.scores.len() as f64 * q[i] * q[j]);
    }
}

/// The estimate by many steps of gradient ascent with a growing step, over every pair's answers.
pub fn gradient_fit(link: Link, phi: &Phi, answers: &[(usize, usize, f64)]) -> DVector<f64> {
    let mut theta = DVector::zeros(phi.d);
    let n = answers.len() as f64;
    let mut tally = vec![(0.0, 0.0); phi.k * phi.k];
    for &(i, j, r) in answers {
        tally[i * phi.k + j].0 += 1.0;
        tally[i * phi.k + j].1 += r;
    }
    for _ in 0..20_000 {
        let mut gradient = DVector::zeros(phi.d);
        for (cell, (count, sum)) in tally.iter().enumerate().filter(|(_, t)| t.0 > 0.0) {
            let v = &phi.phi[cell];
            gradient += v * ((sum - count * link.mu(v.dot(&theta))) / n);
        }
        if gradient.amax() < 1e-12 {
            break;
        }
        theta += 3.0 * gradient;
    }
    theta
}
