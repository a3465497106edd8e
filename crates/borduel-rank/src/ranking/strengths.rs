//! Bradley and Terry's model by its graph: one strength an item, and covariates of a vote where there are any.
//!
//! E r = μ(s_i − s_j + ⟨z, γ⟩), r being i's points (see `points`). In the strengths the Hessian is the Laplacian of the
//! compared pairs with weights w μ′, so a Newton step is solved by conjugate gradients at a cost of the pairs, not of
//! K³. Strengths are centred: Σs = 0.

use super::points::Points;
use super::rows::Regression;
use super::system::{FEW, Preconditioner, System};
use crate::borda::kernel_sums;
use nalgebra::DMatrix;

/// A fit: s and, behind it, γ; and whether it is the maximum of the likelihood.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) parameters: Vec<f64>,
    pub(crate) converged: bool,
}

/// Newton steps at most.
const STEPS: usize = 100;
/// A fitted log-odds beyond this is one that grows without end.
const ENDLESS: f64 = 30.0;
/// The part of its first size to which the residual of a Newton step falls, of few items and of many, where a further
/// step is cheaper than further digits of this one.
const CLOSE: (f64, f64) = (1e-12, 1e-4);
/// As far as log-odds move, a preconditioner of many items serves the next steps too.
const STALE: f64 = 0.5;
/// The largest entry of the gradient per vote at which a fit has converged.
const TOLERANCE: f64 = 1e-12;

impl Regression<'_> {
    /// out ← out + x φ of a row.
    pub(crate) fn add(&self, row: usize, x: f64, out: &mut [f64]) {
        out[self.rows[row].i] += x;
        out[self.rows[row].j] -= x;
        self.z(row).iter().zip(&mut out[self.items..]).for_each(|(z, o)| *o += x * z);
    }

    /// Σ weight φφᵀ, plus c 11ᵀ on the strengths, which every φ is blind to, with c of the size of the rest: it is then
    /// positive definite when all items are connected.
    pub(crate) fn information(&self, weights: &[f64]) -> DMatrix<f64> {
        let n = self.parameters();
        let mut sum = self.scatter(weights);
        let c = (0..self.items).map(|c| sum[(c, c)]).sum::<f64>() / (self.items * self.items) as f64;
        sum.view_mut((0, 0), (self.items, self.items)).add_scalar_mut(c.max(f64::MIN_POSITIVE));
        debug_assert_eq!(sum.nrows(), n);
        sum
    }

    /// Σ weight φφᵀ.
    pub(crate) fn scatter(&self, weights: &[f64]) -> DMatrix<f64> {
        let n = self.parameters();
        let mut sum = DMatrix::zeros(n, n);
        for (row, &weight) in weights.iter().enumerate() {
            let (i, j) = (self.rows[row].i, self.rows[row].j);
            sum[(i, i)] += weight;
            sum[(j, j)] += weight;
            sum[(i, j)] -= weight;
            sum[(j, i)] -= weight;
            for (a, za) in self.z(row).iter().enumerate() {
                let a = self.items + a;
                for (item, sign) in [(i, 1.0), (j, -1.0)] {
                    sum[(item, a)] += sign * weight * za;
                    sum[(a, item)] += sign * weight * za;
                }
                for (b, zb) in self.z(row).iter().enumerate() {
                    sum[(a, self.items + b)] += weight * za * zb;
                }
            }
        }
        sum
    }

    /// φᵀ M φ of a row.
    pub(crate) fn form(&self, row: usize, m: &DMatrix<f64>) -> f64 {
        let (i, j) = (self.rows[row].i, self.rows[row].j);
        let mut sum = m[(i, i)] + m[(j, j)] - 2.0 * m[(i, j)];
        for (a, za) in self.z(row).iter().enumerate() {
            let a = self.items + a;
            sum += 2.0 * za * (m[(i, a)] - m[(j, a)]);
            sum += self.z(row).iter().enumerate().map(|(b, zb)| za * zb * m[(a, self.items + b)]).sum::<f64>();
        }
        sum.max(0.0)
    }

    /// The maximum of the likelihood minus (ρ/2)‖θ‖², by Newton's method with halving.
    pub(crate) fn fit(&self, ridge: f64, start: Option<&[f64]>) -> Solution {
        let n = self.parameters();
        let votes: f64 = self.rows.iter().map(|row| row.w).sum();
        let mut theta = start.map_or_else(|| vec![0.0; n], <[f64]>::to_vec);
        let mut scores = self.scores(&theta);
        let mut value = self.objective(&scores, &theta, ridge);
        let many = self.items > FEW;
        let (mut by, mut drift): (Option<Preconditioner>, f64) = (None, 0.0);
        for _ in 0..STEPS {
            let gradient = self.gradient(&scores, &theta, ridge);
            let weights: Vec<f64> =
                self.rows.iter().zip(&scores).map(|(row, z)| row.w * self.points.slope(*z)).collect();
            let system = System { votes: *self, weights: &weights, ridge };
            let by = if let Some(known) = by.take().filter(|_| many && drift < STALE) {
                by.insert(known)
            } else {
                drift = 0.0;
                by.insert(system.preconditioner())
            };
            let tolerance = if many { CLOSE.1 } else { CLOSE.0 };
            let step = system.solve(by, gradient.iter().map(|g| [*g]).collect(), tolerance);
            let step: Vec<f64> = step.into_iter().map(|[x]| x).collect();
            let moved = self.scores(&step).iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            let size = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs())) / votes;
            if size <= TOLERANCE && moved <= 1e-9 {
                return Solution { parameters: self.centred(theta), converged: true };
            }
            let reach = scores.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            if !moved.is_finite() || (ridge == 0.0 && reach > ENDLESS) {
                break;
            }
            let slope: f64 = -gradient.iter().zip(&step).map(|(g, s)| g * s).sum::<f64>();
            // So near the maximum that the gain of a step drowns in the rounding of the likelihood's sum, Newton's step
            // is the best there is.
            let blind = slope.abs() <= 1e-11 * value.abs();
            let mut length = 1.0;
            drift += moved;
            loop {
                let trial: Vec<f64> = theta.iter().zip(&step).map(|(t, s)| t - length * s).collect();
                let trial_scores = self.scores(&trial);
                let trial_value = self.objective(&trial_scores, &trial, ridge);
                if blind || trial_value <= value + 1e-4 * length * slope || length < 1e-10 {
                    (theta, scores, value) = (trial, trial_scores, trial_value);
                    break;
                }
                length *= 0.5;
            }
        }
        Solution { parameters: self.centred(theta), converged: false }
    }

    /// x with (Σ weight φφᵀ + ρ) x = b.
    pub(crate) fn solve(&self, weights: &[f64], ridge: f64, b: &[f64], tolerance: f64) -> Vec<f64> {
        let system = System { votes: *self, weights, ridge };
        let x = system.solve(&system.preconditioner(), b.iter().map(|b| [*b]).collect(), tolerance);
        x.into_iter().map(|[x]| x).collect()
    }

    fn scores(&self, v: &[f64]) -> Vec<f64> {
        (0..self.rows.len()).map(|row| self.score(row, v)).collect()
    }

    fn objective(&self, scores: &[f64], theta: &[f64], ridge: f64) -> f64 {
        let likelihood: f64 =
            self.rows.iter().zip(scores).map(|(r, z)| r.w * self.points.integral(*z) - r.wr * z).sum();
        likelihood + 0.5 * ridge * theta.iter().map(|t| t * t).sum::<f64>()
    }

    fn gradient(&self, scores: &[f64], theta: &[f64], ridge: f64) -> Vec<f64> {
        let mut gradient: Vec<f64> = theta.iter().map(|t| ridge * t).collect();
        for (at, (row, &z)) in self.rows.iter().zip(scores).enumerate() {
            // Both tails keep their digits.
            let residual = (row.w - row.wr) * self.points.mean(z) - row.wr * self.points.mean(-z);
            self.add(at, residual, &mut gradient);
        }
        gradient
    }

    fn centred(&self, mut theta: Vec<f64>) -> Vec<f64> {
        let mean = theta[..self.items].iter().sum::<f64>() / self.items as f64;
        theta[..self.items].iter_mut().for_each(|s| *s -= mean);
        theta
    }
}

/// B(i) = 1/(K−1) Σ_{j≠i} μ(s_i − s_j), with μ the expected points.
pub(crate) fn scores(points: Points, strengths: &[f64]) -> Vec<f64> {
    let others = (strengths.len() - 1) as f64;
    let sums = kernel_sums(|u| points.mean(u), strengths, &vec![1.0; strengths.len()], 1);
    sums.iter().map(|sum| (sum - 0.5) / others).collect()
}

/// G X for the gradient G of the scores, row i of G X being 1/(K−1) Σ_j μ′(s_i − s_j)(x_i − x_j). The x_i are rows of
/// `width` numbers.
pub(crate) fn gradient_times(points: Points, strengths: &[f64], rows: &[f64], width: usize) -> Vec<f64> {
    gradient_by(points, (strengths, &slopes(points, strengths)), rows, width)
}

/// The same with the [`slopes`] of the strengths at hand.
pub(crate) fn gradient_by(
    points: Points,
    (strengths, slopes): (&[f64], &[f64]),
    rows: &[f64],
    width: usize,
) -> Vec<f64> {
    let others = (strengths.len() - 1) as f64;
    let mut sums = kernel_sums(|u| points.slope(u), strengths, rows, width);
    for ((sum, x), slope) in sums.chunks_exact_mut(width).zip(rows.chunks_exact(width)).zip(slopes) {
        sum.iter_mut().zip(x).for_each(|(sum, x)| *sum = (slope * x - *sum) / others);
    }
    sums
}

/// Σ_j μ′(s_i − s_j), the item itself included.
pub(crate) fn slopes(points: Points, strengths: &[f64]) -> Vec<f64> {
    kernel_sums(|u| points.slope(u), strengths, &vec![1.0; strengths.len()], 1)
}
