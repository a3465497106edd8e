//! The span of a list of vectors: its rank, and an orthonormal basis where it is not the whole space.

use super::{add_gram, add_scaled, dot};
use nalgebra::DMatrix;

/// A vector whose part outside the span so far is shorter than this share of the longest vector adds no dimension.
const NEGLIGIBLE: f64 = 1e-10;

/// `None` if the rows span the whole of R^d, else an orthonormal basis of their span, one column a dimension
/// (no column at all when every row is zero).
pub(super) fn basis(rows: &[f64], d: usize) -> Option<DMatrix<f64>> {
    let mut gram = DMatrix::zeros(d, d);
    add_gram(&mut gram, rows, rows);
    let eigenvalues = gram.symmetric_eigenvalues();
    // Squared lengths below 1e-10 of the largest are in doubt: rounding of the Gram matrix itself is near 1e-16.
    if eigenvalues.min() > 1e-10 * eigenvalues.max() {
        return None;
    }
    let found = pivoted_gram_schmidt(rows, d);
    (found.ncols() < d).then_some(found)
}

/// Takes the row with the largest rest, makes it a basis vector, subtracts it from all rows, and goes on.
fn pivoted_gram_schmidt(rows: &[f64], d: usize) -> DMatrix<f64> {
    let mut rest = rows.to_vec();
    let mut columns: Vec<f64> = Vec::new();
    let mut longest = 0.0;
    while columns.len() < d * d {
        let pivot = rest
            .chunks_exact(d)
            .map(|row| dot(row, row))
            .enumerate()
            .fold((0, 0.0), |best, (k, norm)| if norm > best.1 { (k, norm) } else { best });
        let norm = pivot.1.sqrt();
        longest = f64::max(longest, norm);
        if norm <= NEGLIGIBLE * longest {
            break;
        }
        let mut direction: Vec<f64> = rest[pivot.0 * d..(pivot.0 + 1) * d].iter().map(|x| x / norm).collect();
        // Once more against the basis so far: rounding must not tilt it.
        for earlier in columns.chunks_exact(d) {
            let part = dot(earlier, &direction);
            add_scaled(&mut direction, -part, earlier);
        }
        let norm = dot(&direction, &direction).sqrt();
        direction.iter_mut().for_each(|x| *x /= norm);
        for row in rest.chunks_exact_mut(d) {
            let part = dot(row, &direction);
            add_scaled(row, -part, &direction);
        }
        columns.extend_from_slice(&direction);
    }
    DMatrix::from_column_slice(d, columns.len() / d, &columns)
}

/// The coordinates of every row in a basis.
pub(super) fn coordinates(rows: &[f64], d: usize, basis: &DMatrix<f64>) -> Vec<f64> {
    rows.chunks_exact(d)
        .flat_map(|row| basis.column_iter().map(|column| dot(row, column.as_slice())).collect::<Vec<_>>())
        .collect()
}
