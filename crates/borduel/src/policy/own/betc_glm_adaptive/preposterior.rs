//! What a number of further questions would teach about the gaps: a preposterior analysis, for the expected value of
//! sample information (EVSI; Raiffa and Schlaifer 1961).
//!
//! With the covariance Σ = LLᵀ of θ̂ and A the information of one question, Lᵀ A L = Q diag(λ) Qᵀ. In the coordinates
//! z = (LQ)⁻¹(θ − θ̂) the present doubt is standard normal, and m questions leave a variance of 1/(1 + mλ) of each: the
//! estimate will move by a normal z of variances mλ/(1 + mλ). One eigenvalue problem serves every m.

use super::belief::Belief;
use super::value::Factors;
use nalgebra::DMatrix;

pub(super) struct Preposterior<'a> {
    gaps: &'a [f64],
    /// ∇(B(i) − B(leader)) in the coordinates z, row by row.
    rows: Vec<f64>,
    /// λ.
    rates: Vec<f64>,
}

impl<'a> Preposterior<'a> {
    /// What is in doubt now, without a plan.
    pub(super) fn now(belief: &'a Belief) -> Self {
        Self::along(belief, &root(&belief.covariance), vec![0.0; belief.theta.len()])
    }

    /// With questions of this information.
    pub(super) fn new(belief: &'a Belief, information: &DMatrix<f64>) -> Self {
        let root = root(&belief.covariance);
        let eigen = (root.transpose() * information * &root).symmetric_eigen();
        Self::along(belief, &(root * eigen.eigenvectors), eigen.eigenvalues.as_slice().to_vec())
    }

    fn along(belief: &'a Belief, axes: &DMatrix<f64>, rates: Vec<f64>) -> Self {
        let (d, n) = (rates.len(), belief.gaps.len());
        let mut rows = DMatrix::zeros(d, n);
        rows.gemm_tr(1.0, axes, &DMatrix::from_column_slice(d, n, &belief.rows), 0.0);
        Self { gaps: &belief.gaps, rows: rows.as_slice().to_vec(), rates }
    }

    /// What this many questions would reveal; infinitely many reveal all.
    pub(super) fn doubt(&self, questions: f64) -> Factors<'_> {
        let share = |rate: &f64| {
            let x = questions * rate.max(0.0);
            if questions.is_infinite() { 1.0 } else { x / (1.0 + x) }
        };
        Factors { gaps: self.gaps, rows: &self.rows, variances: self.rates.iter().map(share).collect() }
    }
}

/// L with LLᵀ = Σ. A Σ that rounding left indefinite is replaced by its diagonal.
fn root(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    let diagonal = || DMatrix::from_diagonal(&covariance.diagonal().map(|x| x.max(0.0).sqrt()));
    covariance.clone().cholesky().map_or_else(diagonal, nalgebra::Cholesky::unpack)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::own::betc_glm_adaptive::value::Doubt;
    use crate::stream::stream;

    #[test]
    fn what_is_revealed_and_what_is_left_make_the_whole() {
        let mut s = stream(3, &[]);
        let d = 4;
        let random = DMatrix::from_fn(d, d, |_, _| s.normal());
        let covariance = &random * random.transpose() + DMatrix::identity(d, d) * 0.1;
        let half = DMatrix::from_fn(d, 2, |_, _| s.normal());
        let information = &half * half.transpose();
        let rows: Vec<f64> = (0..3 * d).map(|_| s.normal()).collect();
        let belief = Belief {
            theta: vec![0.0; d],
            covariance: covariance.clone(),
            scores: vec![0.5; 4],
            leader: 0,
            gaps: vec![0.0; 3],
            rows: rows.clone(),
        };
        let m = 3.0;
        let left = (covariance.clone().try_inverse().unwrap() + m * &information).try_inverse().unwrap();
        let preposterior = Preposterior::new(&belief, &information);
        let (some, all) = (preposterior.doubt(m), preposterior.doubt(f64::INFINITY));
        for i in 0..3 {
            let b = nalgebra::DVector::from_column_slice(&rows[i * d..(i + 1) * d]);
            let quadratic = |c: &DMatrix<f64>| b.dot(&(c * &b));
            assert!((all.variance(i) - quadratic(&covariance)).abs() < 1e-10);
            assert!((some.variance(i) - quadratic(&(&covariance - &left))).abs() < 1e-10);
        }
    }
}
