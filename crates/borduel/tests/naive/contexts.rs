//! What plans over all contexts, from the formulas: V by loops, every weight anew in every round.

use super::adversaries::weights;
use super::{Phi, argmax, draw};
use borduel::design::ContextualDesign;
use borduel::{Duel, Features, Link, Problem, Stream};
use nalgebra::{DMatrix, DVector};

/// V = Σ_c w_c Σ_p π_c(p) φφᵀ.
pub fn information(family: &[Features], shares: &[f64], design: &ContextualDesign) -> DMatrix<f64> {
    let d = family[0].dim();
    let mut v = DMatrix::zeros(d, d);
    for ((features, share), own) in family.iter().zip(shares).zip(&design.contexts) {
        for (slot, weight) in own.support.iter().zip(&own.weights) {
            let phi = DVector::from_vec(features.vector(*slot));
            v += share * weight * &phi * phi.transpose();
        }
    }
    v
}

/// ‖φ‖²_{V⁻¹} of every vector of a context.
pub fn lengths(features: &Features, v: &DMatrix<f64>) -> Vec<f64> {
    let factor = v.clone().cholesky().unwrap();
    let length = |slot| {
        let phi = DVector::from_vec(features.vector(slot));
        phi.dot(&factor.solve(&phi))
    };
    (0..features.distinct()).map(length).collect()
}

/// ‖φ̄(i) − φ̄(k)‖²_{V⁻¹} of all items of a context.
pub fn gaps(phi: &Phi, v: &DMatrix<f64>) -> Vec<f64> {
    let factor = v.clone().cholesky().unwrap();
    let pairs = (0..phi.k).flat_map(|i| (0..i).map(move |k| (i, k)));
    pairs
        .map(|(i, k)| {
            let apart = phi.mean(i) - phi.mean(k);
            apart.dot(&factor.solve(&apart))
        })
        .collect()
}

/// The multiplicative algorithm, slow and simple: log det V at its end.
pub fn log_det(family: &[Features], shares: &[f64], rounds: usize) -> f64 {
    let even = |features: &Features| vec![1.0 / features.distinct().max(1) as f64; features.distinct()];
    let mut laws: Vec<Vec<f64>> = family.iter().map(even).collect();
    let d = family[0].dim();
    let mut value = f64::NEG_INFINITY;
    for _ in 0..rounds {
        let mut v = DMatrix::zeros(d, d);
        for ((features, share), law) in family.iter().zip(shares).zip(&laws) {
            for (slot, weight) in law.iter().enumerate() {
                let phi = DVector::from_vec(features.vector(slot));
                v += share * weight * &phi * phi.transpose();
            }
        }
        value = v.determinant().ln();
        for (features, law) in family.iter().zip(&mut laws) {
            law.iter_mut().zip(lengths(features, &v)).for_each(|(weight, length)| *weight *= length);
            let all: f64 = law.iter().sum();
            law.iter_mut().for_each(|weight| *weight /= all.max(1e-300));
        }
    }
    value
}

/// FTRL with features in contexts, without blocks: a new β and a draw in every round.
pub struct Ftrl {
    phi: Vec<Phi>,
    /// φ̄ of every item of every context.
    means: Vec<Vec<DVector<f64>>>,
    shares: Vec<f64>,
    inverse: DMatrix<f64>,
    /// The pairs of every context that explore, and how often.
    questions: Vec<(Vec<Duel>, Vec<f64>)>,
    zetas: Vec<f64>,
    reach: f64,
    theta: DVector<f64>,
    beta: f64,
    asked: Option<(DVector<f64>, f64)>,
}

impl Ftrl {
    pub fn new(problems: &[Problem], shares: &[f64], design: &ContextualDesign) -> Self {
        let family: Vec<Features> = problems.iter().map(|problem| problem.features().clone()).collect();
        let v = information(&family, shares, design);
        let phi: Vec<Phi> = problems.iter().map(Phi::of).collect();
        let inverse = v.clone().try_inverse().unwrap();
        let mut questions = Vec::new();
        for (features, own) in family.iter().zip(&design.contexts) {
            let (mut pairs, mut chances) = (Vec::new(), Vec::new());
            for (shared, weight) in features.pairs_of(&own.support).into_iter().zip(&own.weights) {
                chances.extend(shared.iter().map(|_| weight / shared.len() as f64));
                pairs.extend(shared);
            }
            questions.push((pairs, chances));
        }
        let zetas: Vec<f64> = phi.iter().map(|phi| 0.25 * gaps(phi, &v).into_iter().fold(0.0, f64::max)).collect();
        let means: Vec<Vec<DVector<f64>>> =
            phi.iter().map(|phi| (0..phi.k).map(|item| phi.mean(item)).collect()).collect();
        let mut reach = 0.0_f64;
        for (asked, (pairs, _)) in phi.iter().zip(&questions) {
            for step in pairs.iter().map(|duel| &inverse * asked.at(duel.0, duel.1)) {
                for means in &means {
                    let all: Vec<f64> = means.iter().map(|mean| mean.dot(&step)).collect();
                    let spread =
                        all.iter().copied().fold(f64::MIN, f64::max) - all.iter().copied().fold(f64::MAX, f64::min);
                    reach = reach.max(0.5 * spread);
                }
            }
        }
        let (k, mean) = (phi[0].k as f64, zetas.iter().zip(shares).map(|(zeta, share)| zeta * share).sum::<f64>());
        let a = ((std::f64::consts::E - 2.0) * mean * (k - 1.0) / k / 0.5).sqrt();
        let beta = f64::midpoint(a, (a * a + 4.0 * reach).sqrt()).powi(2);
        let theta = DVector::zeros(family[0].dim());
        Self { phi, means, shares: shares.to_vec(), inverse, questions, zetas, reach, theta, beta, asked: None }
    }

    pub fn ask(&mut self, context: usize, s: &mut Stream) -> Duel {
        let (mut z, mut h, mut here) = (0.0, 0.0, Vec::new());
        for (c, means) in self.means.iter().enumerate() {
            let scores: Vec<f64> = means.iter().map(|mean| mean.dot(&self.theta)).collect();
            let (q, own, others) = weights(false, &scores, self.beta);
            z += (std::f64::consts::E - 2.0) * self.shares[c] * self.zetas[c] * others;
            h += self.shares[c] * own;
            if c == context {
                here = q;
            }
        }
        let gamma = ((z / (0.5 * self.beta)).sqrt() + self.reach / self.beta).min(1.0);
        self.beta += 0.1 * (z / (self.beta * gamma) + 0.5 * gamma) / h.max(1e-12);
        if s.uniform() < gamma {
            let (pairs, chances) = &self.questions[context];
            let duel = pairs[draw(chances, s)];
            self.asked = Some((self.phi[context].at(duel.0, duel.1).clone(), gamma));
            return duel;
        }
        let item = draw(&here, s);
        Duel(item, item)
    }

    pub fn tell(&mut self, reward: f64) {
        if let Some((phi, gamma)) = self.asked.take() {
            self.theta += &self.inverse * phi * ((reward - 0.5) / gamma);
        }
    }
}

/// θ̂ of all answers (φ, r) by plain Newton steps from 0.
pub fn fit(link: Link, answers: &[(DVector<f64>, f64)]) -> DVector<f64> {
    let d = answers[0].0.len();
    let mut theta = DVector::zeros(d);
    for _ in 0..50 {
        let (mut gradient, mut hessian) = (DVector::zeros(d), DMatrix::zeros(d, d));
        for (phi, reward) in answers {
            let score = phi.dot(&theta);
            gradient += (link.mu(score) - reward) * phi;
            hessian += link.mu_prime(score) * phi * phi.transpose();
        }
        theta -= hessian.try_inverse().unwrap() * gradient;
    }
    theta
}

/// The best item of a context under θ.
pub fn best(phi: &Phi, link: Link, theta: &DVector<f64>) -> usize {
    argmax(&phi.borda(link, theta))
}
