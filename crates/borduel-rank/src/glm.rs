//! Maximum (quasi-)likelihood from a tally: Newton's method with a safeguard, and the covariance of what it finds.
//!
//! The estimate θ̂ solves the paper's equation Σ n (μ(⟨v,θ⟩) − r̄) v = 0 over distinct vectors v, the stationary point
//! of the convex function f(θ) = Σ n m(⟨v,θ⟩) − s ⟨v,θ⟩ with s = Σr. Each step solves H δ = −∇f with H = Σ n μ′ v vᵀ
//! and is halved until f falls enough; the linear link needs one step. The cost grows with the number of distinct
//! vectors.
//!
//! When f has no minimum (separable answers, or a direction that was never asked), the answer says so and minimises
//! f(θ) + (ρ/2)‖θ‖² instead, ρ = 10⁻³.

use crate::error::{Error, Result};
use crate::features::Features;
use crate::link::Link;
use crate::tally::{Cell, Tally};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How far and how long to go.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct FitOptions {
    /// The largest entry of ∇f per answer at which the fit has converged.
    pub tolerance: f64,
    /// ρ of the penalty that takes over when there is no maximum.
    pub ridge: f64,
    /// The most Newton steps.
    pub iterations: u32,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { tolerance: 1e-10, ridge: 1e-3, iterations: 100 }
    }
}

impl FitOptions {
    /// With another gradient tolerance.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The same with another ridge ρ.
    #[must_use]
    pub fn ridge(mut self, ridge: f64) -> Self {
        self.ridge = ridge;
        self
    }

    fn check(&self) -> Result<()> {
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(Error::setting("tolerance", self.tolerance, "must be a positive number, such as 1e-10"));
        }
        if !(self.ridge > 0.0 && self.ridge.is_finite()) {
            return Err(Error::setting("ridge", self.ridge, "must be a positive number, such as 1e-3"));
        }
        if self.iterations == 0 {
            return Err(Error::setting("iterations", 0, "must be at least 1"));
        }
        Ok(())
    }
}

/// How a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ended {
    /// The score equation is solved to the tolerance.
    Converged,
    /// Some direction was never asked: the penalised equation is solved instead.
    RidgeUnseenDirection,
    /// The answers are separable, so that the likelihood has no maximum: the penalised equation is solved instead.
    RidgeSeparable,
    /// The steps ran out before the tolerance was reached.
    OutOfSteps,
}

impl Ended {
    /// Whether the penalty had to help.
    pub fn is_ridge(self) -> bool {
        matches!(self, Self::RidgeUnseenDirection | Self::RidgeSeparable)
    }
}

/// An estimate and what is known about its precision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Fit {
    /// θ̂, in the basis of the features' span.
    pub theta: Vec<f64>,
    /// H = Σ n μ′ v vᵀ at θ̂, with ρ on its diagonal after a ridge fallback.
    #[doc(hidden)]
    pub hessian: DMatrix<f64>,
    /// J of the model: Σ n μ(1−μ) v vᵀ.
    #[doc(hidden)]
    pub model_scatter: DMatrix<f64>,
    /// J of the answers: Σ (r−μ)² v vᵀ. The right one with ties, soft outcomes or weights.
    #[doc(hidden)]
    pub empirical_scatter: DMatrix<f64>,
    /// The number of Newton steps taken.
    pub iterations: u32,
    /// How the iteration ended.
    pub ended: Ended,
    /// The largest entry of the gradient per answer at θ̂.
    pub gradient: f64,
}

impl Fit {
    /// Cov(θ̂) = H⁻¹ J H⁻¹ with the J of the model: d × d numbers.
    pub fn covariance(&self) -> Vec<f64> {
        sandwich(&self.hessian, &self.model_scatter).as_slice().to_vec()
    }

    /// Cov(θ̂) = H⁻¹ J H⁻¹ with the J of the answers: d × d numbers. The right one with ties, soft outcomes or weights.
    pub fn empirical_covariance(&self) -> Vec<f64> {
        sandwich(&self.hessian, &self.empirical_scatter).as_slice().to_vec()
    }
}

/// H⁻¹ J H⁻¹ for a positive definite H (as every H of a [`Fit`] is).
#[doc(hidden)]
pub fn sandwich(hessian: &DMatrix<f64>, scatter: &DMatrix<f64>) -> DMatrix<f64> {
    let d = hessian.nrows();
    match Cholesky::new(hessian.clone()) {
        Some(factor) => factor.solve(&factor.solve(scatter).transpose()),
        // H is positive definite up to rounding; where rounding took that away, nothing is known.
        None => DMatrix::from_diagonal_element(d, d, f64::INFINITY),
    }
}

/// The estimate θ̂ from a tally, starting at `start` or at 0.
#[doc(alias("maximum_likelihood", "logistic_regression"))]
pub fn fit(link: Link, features: &Features, tally: &Tally, start: Option<&[f64]>, options: &FitOptions) -> Result<Fit> {
    options.check()?;
    if tally.slots() != features.distinct() + 1 {
        return Err(Error::Shape {
            what: "the tally",
            shape: "distinct vectors + 1".to_owned(),
            expected: features.distinct() + 1,
            found: tally.slots(),
        });
    }
    Ok(solve(link, features, tally, start, options))
}

/// [`fit`] for a tally of these features and options that were checked.
#[doc(hidden)]
pub fn solve(link: Link, features: &Features, tally: &Tally, start: Option<&[f64]>, options: &FitOptions) -> Fit {
    solve_all(link, &[(features, tally)], start, options)
}

/// The same from the tallies of several features in one basis, at least one, to all of which one θ belongs: see
/// [`Features::family`].
#[doc(hidden)]
pub fn solve_all(link: Link, parts: &[(&Features, &Tally)], start: Option<&[f64]>, options: &FitOptions) -> Fit {
    let data = Data::new(link, parts);
    let d = data.dim();
    let zero = || DVector::zeros(d);
    let start =
        start.filter(|s| s.len() == d && s.iter().all(|x| x.is_finite())).map_or_else(zero, DVector::from_column_slice);
    if !data.sees_every_direction() {
        return data.penalised(options, Ended::RidgeUnseenDirection);
    }
    let attempt = data.newton(start, options);
    match attempt.end {
        End::Solved => data.describe(&attempt, Ended::Converged),
        End::RunsAway => data.penalised(options, Ended::RidgeSeparable),
        End::OutOfSteps => data.describe(&attempt, Ended::OutOfSteps),
    }
}

/// θ after so many steps of gradient descent from 0, each of length 1/L with L = sup μ′ · λ_max(Σ n v vᵀ), which never
/// overshoots: what the paper does, to compare with. How far it comes depends on how much more was asked along one
/// direction than along another; it never says so.
#[doc(hidden)]
pub fn descend(link: Link, parts: &[(&Features, &Tally)], steps: u32) -> Vec<f64> {
    let data = Data::new(link, parts);
    let curvature = link.lipschitz() * data.seen().symmetric_eigenvalues().max();
    let mut theta = DVector::zeros(data.dim());
    if curvature > 0.0 {
        for _ in 0..steps {
            theta -= data.gradient(&data.scores(&theta), &theta) / curvature;
        }
    }
    theta.as_slice().to_vec()
}

/// One problem: the cells that have answers, and the penalty.
#[derive(Clone)]
struct Data<'a> {
    link: Link,
    parts: Vec<Part<'a>>,
    /// The cells of all parts, one part after the other.
    cells: Vec<(usize, Cell)>,
    ridge: f64,
}

/// Features, and where their cells end among all.
#[derive(Clone, Copy)]
struct Part<'a> {
    features: &'a Features,
    end: usize,
}

/// Where a Newton iteration stopped, and why.
struct Attempt {
    theta: DVector<f64>,
    iterations: u32,
    gradient: f64,
    end: End,
}

enum End {
    Solved,
    RunsAway,
    OutOfSteps,
}

/// Once the gradient is within tolerance, Newton's method settles in a few steps; one that has not after this many is
/// following answers that no finite θ can explain.
const PATIENCE: u32 = 25;

impl<'a> Data<'a> {
    fn new(link: Link, parts: &[(&'a Features, &Tally)]) -> Self {
        let mut cells = Vec::new();
        let part = |&(features, tally): &(&'a Features, &Tally)| {
            cells.extend(tally.iter());
            Part { features, end: cells.len() }
        };
        let parts = parts.iter().map(part).collect();
        Self { link, parts, cells, ridge: 0.0 }
    }

    /// d; 0 without features.
    fn dim(&self) -> usize {
        self.parts.first().map_or(0, |part| part.features.dim())
    }

    /// The features of every part, and the range of their cells.
    fn parts(&self) -> impl Iterator<Item = (&'a Features, Range<usize>)> + '_ {
        let mut start = 0;
        self.parts.iter().map(move |&Part { features, end }| (features, std::mem::replace(&mut start, end)..end))
    }

    /// Σ n v vᵀ.
    fn seen(&self) -> DMatrix<f64> {
        self.information(|place| self.cells[place].1.n)
    }

    /// Σ w v vᵀ, by the weight of every cell.
    fn information(&self, weight: impl Fn(usize) -> f64) -> DMatrix<f64> {
        let of = |(features, range): (&Features, Range<usize>)| {
            features.information(range.map(|place| (self.cells[place].0, weight(place))))
        };
        self.parts().map(of).reduce(|sum, own| sum + own).unwrap_or_else(|| DMatrix::zeros(0, 0))
    }

    /// Whether the asked vectors span the space: the smallest pivot of Σ n v vᵀ is not lost in rounding.
    fn sees_every_direction(&self) -> bool {
        let seen = self.seen();
        let scale = (0..seen.nrows()).map(|c| seen[(c, c)]).fold(0.0, f64::max);
        let floor = 1e-13 * scale * seen.nrows() as f64;
        scale > 0.0
            && Cholesky::new(seen).is_some_and(|factor| factor.l_dirty().diagonal().iter().all(|x| x * x > floor))
    }

    /// Minimises f + (ρ/2)‖θ‖², which always has a minimum.
    fn penalised(&self, options: &FitOptions, ended: Ended) -> Fit {
        let data = Data { ridge: options.ridge, ..self.clone() };
        let attempt = data.newton(DVector::zeros(self.dim()), options);
        let ended = if matches!(attempt.end, End::OutOfSteps) { Ended::OutOfSteps } else { ended };
        data.describe(&attempt, ended)
    }

    /// The score ⟨v,θ⟩ of every cell.
    fn scores(&self, theta: &DVector<f64>) -> Vec<f64> {
        let mut scores = Vec::with_capacity(self.cells.len());
        for (features, range) in self.parts() {
            let projection = features.project(theta.as_slice());
            scores.extend(self.cells[range].iter().map(|(slot, _)| features.slot_score(&projection, *slot)));
        }
        scores
    }

    /// f(θ) from the scores.
    fn objective(&self, scores: &[f64], theta: &DVector<f64>) -> f64 {
        let likelihood: f64 = self.cells.iter().zip(scores).map(|((_, c), z)| c.n * self.link.m(*z) - c.sum * z).sum();
        likelihood + 0.5 * self.ridge * theta.norm_squared()
    }

    /// ∇f(θ). The residual n μ − s is summed as (n − s) μ(z) − s μ(−z), which keeps its digits in both tails.
    fn gradient(&self, scores: &[f64], theta: &DVector<f64>) -> DVector<f64> {
        let residual = |c: &Cell, z: f64| (c.n - c.sum) * self.link.mu(z) - c.sum * self.link.mu(-z);
        let of = |(features, range): (&Features, Range<usize>)| {
            let cells = self.cells[range.clone()].iter().zip(&scores[range]);
            features.combine(cells.map(|((slot, c), z)| (*slot, residual(c, *z))))
        };
        let sum = self.parts().map(of).reduce(|sum, own| sum + own);
        sum.unwrap_or_else(|| DVector::zeros(0)) + self.ridge * theta
    }

    /// Σ weight(cell, score) v vᵀ, with ρ on the diagonal when `penalty`.
    fn matrix(&self, scores: &[f64], penalty: bool, weight: impl Fn(&Cell, f64) -> f64) -> DMatrix<f64> {
        let mut sum = self.information(|place| weight(&self.cells[place].1, scores[place]));
        if penalty {
            (0..sum.nrows()).for_each(|c| sum[(c, c)] += self.ridge);
        }
        sum
    }

    fn hessian(&self, scores: &[f64]) -> DMatrix<f64> {
        self.matrix(scores, true, |c, z| c.n * self.link.mu_prime(z))
    }

    /// Newton's method with halving. It has converged when the gradient is within tolerance *and* the next step would
    /// hardly change any score: on separable answers the gradient vanishes too, but every step still moves the scores
    /// by about 1, for ever.
    fn newton(&self, mut theta: DVector<f64>, options: &FitOptions) -> Attempt {
        let answers: f64 = self.cells.iter().map(|(_, c)| c.n).sum::<f64>().max(1.0);
        let mut scores = self.scores(&theta);
        let mut value = self.objective(&scores, &theta);
        let mut gradient = self.gradient(&scores, &theta);
        let mut within = 0;
        for iterations in 0..=options.iterations {
            let size = gradient.amax() / answers;
            let ended = |theta, end| Attempt { theta, iterations, gradient: size, end };
            let Some(factor): Option<Cholesky<f64, Dyn>> = Cholesky::new(self.hessian(&scores)) else {
                return ended(theta, End::RunsAway);
            };
            let step = -factor.solve(&gradient);
            if !step.iter().all(|x| x.is_finite()) {
                return ended(theta, End::RunsAway);
            }
            let moved = self.scores(&step).iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            let reach = scores.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            if size <= options.tolerance && moved <= 1e-6 * (1.0 + reach) {
                return ended(theta, End::Solved);
            }
            within += u32::from(size <= options.tolerance);
            if within > PATIENCE {
                return ended(theta, End::RunsAway);
            }
            if iterations == options.iterations {
                return ended(theta, End::OutOfSteps);
            }
            let slope = gradient.dot(&step);
            let mut length = 1.0;
            loop {
                let trial = &theta + length * &step;
                let trial_scores = self.scores(&trial);
                let trial_value = self.objective(&trial_scores, &trial);
                // The last term forgives what rounding does to f near its minimum.
                if trial_value <= value + 1e-4 * length * slope + 1e-14 * value.abs() || length < 1e-10 {
                    (theta, scores, value) = (trial, trial_scores, trial_value);
                    break;
                }
                length *= 0.5;
            }
            gradient = self.gradient(&scores, &theta);
        }
        unreachable!("the loop returns in its last turn")
    }

    /// Everything else that is known at θ̂.
    fn describe(&self, attempt: &Attempt, ended: Ended) -> Fit {
        let scores = self.scores(&attempt.theta);
        Fit {
            hessian: self.hessian(&scores),
            model_scatter: self.matrix(&scores, false, |c, z| {
                let mu = self.link.mu(z).clamp(0.0, 1.0);
                c.n * mu * (1.0 - mu)
            }),
            empirical_scatter: self.matrix(&scores, false, |c, z| {
                let mu = self.link.mu(z);
                (c.squares - 2.0 * mu * c.sum + c.n * mu * mu).max(0.0)
            }),
            theta: attempt.theta.as_slice().to_vec(),
            iterations: attempt.iterations,
            ended,
            gradient: attempt.gradient,
        }
    }
}

#[cfg(test)]
mod tests;
