//! Cholesky factors of small matrices, row by row: what a fit solves with, and what a normal proposal is drawn by.

use crate::features::dot;

/// L of a symmetric positive definite matrix whose lower half is given, in its place. (With a ridge it always is one.)
pub(super) fn cholesky(matrix: &mut [f64], d: usize) {
    for row in 0..d {
        for column in 0..=row {
            let (a, b) = (&matrix[row * d..row * d + column], &matrix[column * d..column * d + column]);
            let rest = matrix[row * d + column] - dot(a, b);
            matrix[row * d + column] =
                if row == column { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / matrix[column * d + column] };
        }
    }
}

/// L of LLᵀ + xxᵀ in the place of L; x is used up.
pub(super) fn add_square(factor: &mut [f64], x: &mut [f64]) {
    let d = x.len();
    for column in 0..d {
        let (old, own) = (factor[column * d + column], x[column]);
        let new = old.hypot(own);
        let (stretch, share) = (new / old, own / old);
        factor[column * d + column] = new;
        for row in column + 1..d {
            let entry = &mut factor[row * d + column];
            *entry = (*entry + share * x[row]) / stretch;
            x[row] = stretch * x[row] - share * *entry;
        }
    }
}

/// (LLᵀ)⁻¹b in the place of b.
pub(super) fn solve(factor: &[f64], b: &mut [f64]) {
    solve_lower(factor, b);
    solve_transposed(factor, b);
}

/// L⁻¹b in the place of b, whose length is that of b in the inverse of LLᵀ.
pub(crate) fn solve_lower(factor: &[f64], b: &mut [f64]) {
    let d = b.len();
    for row in 0..d {
        let rest = b[row] - dot(&factor[row * d..row * d + row], &b[..row]);
        b[row] = rest / factor[row * d + row];
    }
}

/// (Lᵀ)⁻¹b in the place of b: of standard normal numbers a draw with covariance (LLᵀ)⁻¹.
pub(crate) fn solve_transposed(factor: &[f64], b: &mut [f64]) {
    let d = b.len();
    for row in (0..d).rev() {
        let later: f64 = (row + 1..d).map(|r| factor[r * d + row] * b[r]).sum();
        b[row] = (b[row] - later) / factor[row * d + row];
    }
}

/// ½‖Lᵀb‖².
pub(crate) fn half_square(factor: &[f64], b: &[f64]) -> f64 {
    let d = b.len();
    let entry = |column: usize| (column..d).map(|row| factor[row * d + column] * b[row]).sum::<f64>();
    0.5 * (0..d).map(|column| entry(column).powi(2)).sum::<f64>()
}
