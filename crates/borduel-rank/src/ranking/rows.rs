//! Votes as the rows of a system: one a pair and value of the covariates.

use super::points::Points;
use super::sums::Pair;

/// The votes on one pair (with one value of the covariates): Σw, Σwr seen from i, and Σw of ties where they are an
/// outcome of their own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    pub(crate) i: usize,
    pub(crate) j: usize,
    pub(crate) w: f64,
    pub(crate) wr: f64,
    pub(crate) wt: f64,
}

impl From<&Pair> for Row {
    fn from(pair: &Pair) -> Self {
        Self { i: pair.i, j: pair.j, w: pair.w, wr: pair.wr, wt: pair.wt }
    }
}

/// What is to be fitted: rows over `items` items, and `covariates` numbers z a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Regression<'a> {
    pub(crate) items: usize,
    pub(crate) rows: &'a [Row],
    /// The z of all rows, one after the other.
    pub(crate) z: &'a [f64],
    /// How many numbers a z has.
    pub(crate) covariates: usize,
    /// How points depend on log-odds.
    pub(crate) points: Points,
}

impl Regression<'_> {
    /// The number of parameters, the constraint Σs = 0 not subtracted.
    pub(crate) fn parameters(&self) -> usize {
        self.items + self.covariates
    }

    /// The covariates of a row.
    pub(crate) fn z(&self, row: usize) -> &[f64] {
        &self.z[row * self.covariates..(row + 1) * self.covariates]
    }

    /// ⟨φ, v⟩ of a row: v_i − v_j + ⟨z, v_γ⟩.
    pub(crate) fn score(&self, row: usize, v: &[f64]) -> f64 {
        let extra: f64 = self.z(row).iter().zip(&v[self.items..]).map(|(z, g)| z * g).sum();
        v[self.rows[row].i] - v[self.rows[row].j] + extra
    }
}
