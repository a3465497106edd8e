//! The RBF kernel of a problem's items: its Gram matrix, and a root of it in which a function is linear.

use crate::duel::{Arm, Duel};
use crate::policy::features::linear;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// k(x, y) = v exp(−‖x − y‖²/(2ℓ²)).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Rbf {
    pub(super) length: f64,
    pub(super) variance: f64,
}

impl Rbf {
    /// k of all pairs of items, row by row.
    pub(super) fn matrix(&self, problem: &Problem) -> Vec<f64> {
        let k = problem.items();
        // Features are kept scaled; ℓ is in the units in which they were given.
        let unit = problem.features().scale() * self.length;
        let of = |i: Arm, j: Arm| {
            let (x, y) = (linear::vector(problem, i), linear::vector(problem, j));
            let square: f64 = x.iter().zip(y).map(|(a, b)| ((a - b) / unit).powi(2)).sum();
            self.variance * (-0.5 * square).exp()
        };
        (0..k * k).map(|cell| of(cell / k, cell % k)).collect()
    }
}

/// A root of the Gram matrix of items: rows x̃ with ⟨x̃_i, x̃_j⟩ = `scale`²·k(i,j), so that no difference is longer
/// than 1.
#[derive(Debug, Clone)]
pub(super) struct Root {
    /// Of which items.
    fingerprint: u64,
    pub(super) dim: usize,
    pub(super) scale: f64,
    rows: Vec<f64>,
}

/// What is left of the Gram matrix where its root ends, as a share of the kernel's variance.
const NEGLIGIBLE: f64 = 1e-12;

impl Root {
    /// By Cholesky's method with pivots, which ends where nothing is left.
    pub(super) fn new(problem: &Problem, rbf: &Rbf) -> Self {
        let (k, gram) = (problem.items(), rbf.matrix(problem));
        let mut rest: Vec<f64> = (0..k).map(|i| gram[i * k + i]).collect();
        // Columns of the root, one after the other.
        let mut columns: Vec<f64> = Vec::new();
        for _ in 0..k {
            let pivot = crate::borda::winner(&rest);
            if rest[pivot] <= NEGLIGIBLE * rbf.variance {
                break;
            }
            let done = columns.len();
            for i in 0..k {
                let known: f64 = columns[..done].chunks_exact(k).map(|column| column[i] * column[pivot]).sum();
                columns.push((gram[i * k + pivot] - known) / rest[pivot].sqrt());
            }
            rest.iter_mut().zip(&columns[done..]).for_each(|(rest, x)| *rest -= x * x);
        }
        let (dim, scale) = (columns.len() / k, (2.0 * rbf.variance).sqrt().recip());
        let rows = (0..k * dim).map(|cell| scale * columns[cell % dim * k + cell / dim]).collect();
        Self { fingerprint: problem.features().fingerprint(), dim, scale, rows }
    }

    pub(super) fn is_of(&self, problem: &Problem) -> bool {
        self.fingerprint == problem.features().fingerprint()
    }

    /// x̃ of all items.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.rows.chunks_exact(self.dim)
    }

    /// x̃_i − x̃_j.
    pub(super) fn difference(&self, Duel(i, j): Duel, out: &mut Vec<f64>) {
        let row = |item: Arm| &self.rows[item * self.dim..(item + 1) * self.dim];
        out.clear();
        out.extend(row(i).iter().zip(row(j)).map(|(x, y)| x - y));
    }
}

/// e_i − e_j.
pub(super) fn one_hot(items: usize, Duel(i, j): Duel, out: &mut Vec<f64>) {
    out.clear();
    out.resize(items, 0.0);
    (out[i], out[j]) = (1.0, -1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Link;
    use crate::features::{Features, dot};
    use crate::stream::stream;

    #[test]
    fn the_root_is_one_of_the_gram_matrix() {
        let mut s = stream(4, &[]);
        let given: Vec<f64> = (0..40 * 3).map(|_| 2.0 * s.normal()).collect();
        let features = Features::differences_scaled(40, 3, &given).unwrap();
        let problem = Problem::new(features, Link::Logistic, None).unwrap();
        for (length, variance) in [(0.1, 1.0), (1.0, 0.3), (50.0, 4.0)] {
            let rbf = Rbf { length, variance };
            let (gram, root) = (rbf.matrix(&problem), Root::new(&problem, &rbf));
            let rows: Vec<&[f64]> = root.rows().collect();
            for i in 0..40 {
                for j in 0..40 {
                    let distance: f64 = (0..3).map(|c| (given[i * 3 + c] - given[j * 3 + c]).powi(2)).sum();
                    let known = variance * (-distance / (2.0 * length * length)).exp();
                    assert!((gram[i * 40 + j] - known).abs() < 1e-12);
                    assert!((dot(rows[i], rows[j]) - 0.5 / variance * known).abs() < 1e-10, "{length}: {i}, {j}");
                }
            }
            // Functions that change over long distances have few dimensions.
            assert_eq!(root.dim == 40, length < 1.5, "{length}: {}", root.dim);
        }
    }
}
