//! H⁻¹ of the model of one strength per item: a matrix or, beyond [`MOST_PAIRWISE`] items, a system to be solved.

use super::dense;
use super::points::Points;
use super::rows::{Regression, Row};
use super::sampled;
use super::spread::MOST_PAIRWISE;
use super::system::{Preconditioner, System};
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

/// How well a system is solved.
const CLOSE: f64 = 1e-9;

/// H⁻¹ on differences of strengths and on covariates.
#[derive(Clone, Debug)]
pub(super) enum Inverse {
    /// As it is.
    Dense(DMatrix<f64>),
    /// By what is solved for it.
    Solver(Solver),
}

/// A system to be solved again and again.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    items: usize,
    /// Shared with whoever fitted to them: of very many pairs they are large.
    rows: Arc<[Row]>,
    z: Vec<f64>,
    covariates: usize,
    points: Points,
    weights: Vec<f64>,
    by: Preconditioner,
}

impl Solver {
    /// Of votes with these rows.
    pub(super) fn new(votes: &Regression<'_>, rows: Arc<[Row]>, weights: Vec<f64>) -> Self {
        let by = System { votes: *votes, weights: &weights, ridge: 0.0 }.preconditioner();
        let &Regression { items, z, covariates, points, .. } = votes;
        Self { items, rows, z: z.to_vec(), covariates, points, weights, by }
    }

    /// The system, and its preconditioner.
    pub(super) fn system(&self) -> (System<'_>, &Preconditioner) {
        let &Self { items, covariates, points, .. } = self;
        let votes = Regression { items, rows: &self.rows, z: &self.z, covariates, points };
        (System { votes, weights: &self.weights, ridge: 0.0 }, &self.by)
    }
}

impl Inverse {
    /// Of Σ weight φφᵀ over votes with these rows; `None` where that does not determine all differences.
    pub(super) fn new(votes: &Regression<'_>, rows: &Arc<[Row]>, weights: Vec<f64>) -> Option<Self> {
        if votes.items > MOST_PAIRWISE {
            let told = (0..votes.covariates).all(|covariate| is_told(votes, &weights, covariate));
            return told.then(|| Self::Solver(Solver::new(votes, Arc::clone(rows), weights)));
        }
        dense::inverse(&votes.information(&weights)).map(Self::Dense)
    }

    /// H⁻¹ b.
    pub(super) fn apply(&self, b: Vec<f64>) -> Vec<f64> {
        match self {
            Self::Dense(inverse) => (inverse * DVector::from_vec(b)).as_slice().to_vec(),
            Self::Solver(solver) => {
                let (system, by) = solver.system();
                system.solve(by, b.into_iter().map(|b| [b]).collect(), CLOSE).into_iter().map(|[x]| x).collect()
            }
        }
    }

    /// φᵀH⁻¹φ of every row.
    pub(super) fn forms(&self, votes: &Regression<'_>, seed: u64) -> Vec<f64> {
        match self {
            Self::Dense(inverse) => (0..votes.rows.len()).map(|row| votes.form(row, inverse)).collect(),
            Self::Solver(solver) => {
                let (system, by) = solver.system();
                sampled::forms(&system, by, seed)
            }
        }
    }

    /// About how many multiplications [`Inverse::apply`] takes.
    pub(super) fn cost(&self) -> f64 {
        match self {
            Self::Dense(inverse) => inverse.len() as f64,
            Self::Solver(solver) => 100.0 * solver.rows.len() as f64,
        }
    }
}

/// Whether a covariate can be told from the strengths: what of it they do not explain, Σ w z² − ⟨b, L⁺b⟩ with b = Σ w z
/// φ, is left.
fn is_told(votes: &Regression<'_>, weights: &[f64], covariate: usize) -> bool {
    let alone = Regression { z: &[], covariates: 0, ..*votes };
    let (mut b, mut all) = (vec![0.0; votes.items], 0.0);
    for (row, weight) in weights.iter().enumerate() {
        let z = votes.z(row)[covariate];
        alone.add(row, weight * z, &mut b);
        all += weight * z * z;
    }
    let explained: f64 = alone.solve(weights, 0.0, &b, CLOSE).iter().zip(&b).map(|(x, b)| x * b).sum();
    all - explained > 1e-6 * all
}
