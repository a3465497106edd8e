//! The span of a list of vectors: its rank, and an orthonormal basis where it is not the whole space.

use super::{add_gram, add_scaled, dot};
use crate::error::{Error, Result};
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

/// Refuses a feature whose differences are real, but so small beside another one's that they vanish from the span.
///
/// `rows` are the differences and `given` the numbers they come from; a difference within rounding of these is none.
pub(super) fn lost_to_rounding(
    rows: &[f64],
    given: &[f64],
    basis: Option<&DMatrix<f64>>,
    d: usize,
    name: impl Fn(usize) -> (String, usize),
) -> Result<()> {
    let Some(basis) = basis else { return Ok(()) };
    let largest = |numbers: &[f64], c: usize| {
        let sizes = numbers.iter().enumerate().skip(c).step_by(d).map(|(at, x)| (at, x.abs()));
        sizes.fold((c, 0.0), |most, next| if next.1 > most.1 { next } else { most })
    };
    let extents: Vec<(usize, f64)> = (0..d)
        .map(|c| largest(rows, c))
        .map(|(at, size)| (at, if size > 1e-13 * largest(given, at % d).1 { size } else { 0.0 }))
        .collect();
    let even: Vec<f64> =
        rows.iter().zip(extents.iter().cycle()).map(|(x, e)| if e.1 > 0.0 { x / e.1 } else { 0.0 }).collect();
    let rank = self::basis(&even, d).map_or(d, |basis| basis.ncols());
    if rank <= basis.ncols() {
        return Ok(());
    }
    // Some dimension is lost, so some feature is far smaller than the largest.
    let smallest = extents.iter().filter(|e| e.1 > 0.0).min_by(|a, b| a.1.total_cmp(&b.1)).copied().unwrap_or_default();
    let most = extents.iter().map(|e| e.1).fold(0.0, f64::max);
    let remedy = format!(
        "differs from the others by {:e} at most, which is lost beside another feature's {most:e}: give features in \
         comparable \
         units (Features::standardised does)",
        smallest.1
    );
    let (what, position) = name(smallest.0);
    Err(Error::Unrepresentable { what, position, value: given[smallest.0], remedy })
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
