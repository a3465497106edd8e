//! Strengths and the propensity to tie, ν, fitted together, and what ν adds to the scores' uncertainty.
//!
//! For a fixed ν the model of `points` is one in strengths alone; what is left of the likelihood once they are fitted
//! is concave in ln ν.

use super::points::Points;
use super::rows::Regression;
use super::strengths::Solution;
use crate::borda::kernel_sums;
use nalgebra::{DMatrix, DVector};

/// Newton steps for ln ν at most.
const STEPS: usize = 60;
/// The longest of them.
const LONGEST: f64 = 1.0;
/// The step at which ln ν has converged.
const CLOSE: f64 = 1e-9;
/// An |ln ν| beyond this is one that grows without end.
const ENDLESS: f64 = 25.0;

/// A fit of strengths, effects and ν together.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub(crate) solution: Solution,
    pub(crate) points: Points,
}

impl Regression<'_> {
    /// The maximum of the likelihood in strengths, effects and, if there are ties, ln ν: Newton's method for ln ν on
    /// what is left of the likelihood once the others are fitted, which is concave.
    pub(crate) fn fit_with_ties(&self, ridge: f64, start: Option<(&[f64], Points)>) -> Joint {
        let (all, tied) = self.rows.iter().fold((0.0, 0.0), |(w, wt), row| (w + row.w, wt + row.wt));
        if tied <= 0.0 {
            let points = Points::default();
            return Joint {
                solution: Regression { points, ..*self }.fit(ridge, start.map(|(values, _)| values)),
                points,
            };
        }
        let decided = (all - tied).max(1e-9 * all);
        let known = start.map(|(_, points)| points.nu).filter(|nu| *nu > 0.0);
        let mut log = known.unwrap_or(2.0 * tied / decided).ln().clamp(-ENDLESS, ENDLESS);
        let mut values = start.map(|(values, _)| values.to_vec());
        for _ in 0..STEPS {
            let votes = Regression { points: Points { nu: log.exp() }, ..*self };
            let solution = votes.fit(ridge, values.as_deref());
            if !solution.converged {
                return Joint { solution, points: votes.points };
            }
            let profile = votes.profile(&solution.parameters, ridge);
            let step = (profile.gradient / profile.curvature).clamp(-LONGEST, LONGEST);
            if step.abs() <= CLOSE {
                return Joint { solution, points: votes.points };
            }
            values = Some(solution.parameters);
            log += step;
            if !(-ENDLESS..=ENDLESS).contains(&log) {
                break;
            }
        }
        let parameters = values.unwrap_or_else(|| vec![0.0; self.parameters()]);
        let solution = Solution { parameters, converged: false };
        Joint { solution, points: Points { nu: log.clamp(-ENDLESS, ENDLESS).exp() } }
    }

    /// What the likelihood says about ln ν at these fitted values.
    fn profile(&self, values: &[f64], ridge: f64) -> Profile {
        let mut cross = vec![0.0; self.parameters()];
        let (mut gradient, mut own) = (0.0, 0.0);
        let mut weights = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let u = self.score(at, values);
            let tie = self.points.tie(u);
            gradient += row.wt - row.w * tie;
            own += row.w * tie * (1.0 - tie);
            weights.push(row.w * self.points.slope(u));
            self.add(at, row.w * self.points.cross(u), &mut cross);
        }
        let along = self.solve(&weights, ridge, &cross, CLOSE);
        let taken: f64 = along.iter().zip(&cross).map(|(a, c)| a * c).sum();
        Profile { gradient, curvature: (own - taken).max(1e-12 * own), along }
    }
}

/// The likelihood in ln ν alone, the other parameters being fitted to it.
struct Profile {
    /// The derivative of that.
    gradient: f64,
    /// Its second derivative with the sign turned: S = H_ηη − H_ηs H_ss⁻¹ H_sη.
    curvature: f64,
    /// H_ss⁻¹ H_sη.
    along: Vec<f64>,
}

/// H⁻¹ of all parameters, ln ν being the last, from that of the others: [P + aaᵀ/S, −a/S; −aᵀ/S, 1/S] with a = P H_sη.
pub(crate) fn bordered(votes: &Regression<'_>, inverse: &DMatrix<f64>, values: &[f64]) -> DMatrix<f64> {
    let Profile { curvature, along, .. } = votes.profile(values, 0.0);
    let n = inverse.nrows();
    let mut whole = inverse.clone().resize(n + 1, n + 1, 0.0);
    let side: DVector<f64> = DVector::from_iterator(n + 1, along.into_iter().chain([-1.0]));
    whole.ger(1.0 / curvature, &side, &side, 1.0);
    whole
}

/// The derivatives of the scores by ln ν: 1/(K−1) Σ_j Cov(r, t) at s_i − s_j.
pub(crate) fn gradient(points: Points, strengths: &[f64]) -> Vec<f64> {
    let others = (strengths.len() - 1) as f64;
    let sums = kernel_sums(|u| points.cross(u), strengths, &vec![1.0; strengths.len()], 1);
    sums.iter().map(|sum| sum / others).collect()
}
