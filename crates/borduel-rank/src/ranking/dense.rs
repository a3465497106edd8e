//! Cholesky factors and inverses of large symmetric matrices, by halves, so that nearly all work is matrix
//! multiplication.
//!
//! With A = [A₁₁ ·; A₂₁ A₂₂] and A₁₁ = L₁₁L₁₁ᵀ: L₂₁ = A₂₁L₁₁⁻ᵀ, L₂₂ is the factor of A₂₂ − L₂₁L₂₁ᵀ, and
//! L⁻¹ = [L₁₁⁻¹ 0; −L₂₂⁻¹L₂₁L₁₁⁻¹ L₂₂⁻¹]. A column-by-column factor of 1,600 rows takes ten times as long.

use nalgebra::{Cholesky, DMatrix};

/// Up to this many rows the plain factor is as fast.
const SMALL: usize = 96;
/// A matrix with more than one in so many entries filled is multiplied as a whole.
const DENSE: usize = 12;

/// L with L Lᵀ = A; `None` unless A is positive definite.
pub(crate) fn cholesky(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = a.nrows();
    if n <= SMALL {
        return Some(Cholesky::new(a.clone())?.l());
    }
    let half = n / 2;
    let rest = n - half;
    let (l11, inverse11) = factor(&a.view((0, 0), (half, half)).into_owned())?;
    let (l21, s) = eliminated(a, &inverse11);
    let l22 = cholesky(&s)?;
    let mut whole = DMatrix::zeros(n, n);
    whole.view_mut((0, 0), (half, half)).copy_from(&l11);
    whole.view_mut((half, 0), (rest, half)).copy_from(&l21);
    whole.view_mut((half, half), (rest, rest)).copy_from(&l22);
    Some(whole)
}

/// L₂₁ and A₂₂ − L₂₁L₂₁ᵀ.
fn eliminated(a: &DMatrix<f64>, inverse11: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let (n, half) = (a.nrows(), inverse11.nrows());
    let rest = n - half;
    // The left factor must not have strided rows: see ARCHITECTURE.md.
    let l21 = a.view((half, 0), (rest, half)).into_owned() * inverse11.transpose();
    let mut s = a.view((half, half), (rest, rest)).into_owned();
    s.gemm(-1.0, &l21, &l21.transpose(), 1.0);
    (l21, s)
}

/// L with L Lᵀ = A, and L⁻¹; `None` unless A is positive definite.
pub(crate) fn factor(a: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    let n = a.nrows();
    if n <= SMALL {
        let l = Cholesky::new(a.clone())?.l();
        let inverse = l.solve_lower_triangular(&DMatrix::identity(n, n))?;
        return Some((l, inverse));
    }
    let half = n / 2;
    let rest = n - half;
    let (l11, inverse11) = factor(&a.view((0, 0), (half, half)).into_owned())?;
    let (l21, s) = eliminated(a, &inverse11);
    let (l22, inverse22) = factor(&s)?;
    let inverse21 = -(&inverse22 * (&l21 * &inverse11));
    let joined = |upper: &DMatrix<f64>, lower: &DMatrix<f64>, corner: &DMatrix<f64>| {
        let mut whole = DMatrix::zeros(n, n);
        whole.view_mut((0, 0), (half, half)).copy_from(upper);
        whole.view_mut((half, 0), (rest, half)).copy_from(lower);
        whole.view_mut((half, half), (rest, rest)).copy_from(corner);
        whole
    };
    Some((joined(&l11, &l21, &l22), joined(&inverse11, &inverse21, &inverse22)))
}

/// A⁻¹; `None` unless A is positive definite.
pub(crate) fn inverse(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let (_, inverse) = factor(a)?;
    Some(square(&inverse))
}

/// XᵀX of a lower triangular X, whose zeros are not multiplied.
fn square(x: &DMatrix<f64>) -> DMatrix<f64> {
    let n = x.nrows();
    if n <= SMALL {
        return x.transpose() * x;
    }
    let half = n / 2;
    let rest = n - half;
    let mut whole = DMatrix::zeros(n, n);
    let x21t = x.view((half, 0), (rest, half)).transpose();
    let x22 = x.view((half, half), (rest, rest)).into_owned();
    let mut corner = square(&x.view((0, 0), (half, half)).into_owned());
    corner.gemm(1.0, &x21t, &x.view((half, 0), (rest, half)), 1.0);
    let side = x21t * &x22;
    whole.view_mut((0, 0), (half, half)).copy_from(&corner);
    whole.view_mut((half, 0), (rest, half)).copy_from(&side.transpose());
    whole.view_mut((0, half), (half, rest)).copy_from(&side);
    whole.view_mut((half, half), (rest, rest)).copy_from(&square(&x22));
    whole
}

/// A B, where most of A may be zeros: then they are not multiplied.
pub(crate) fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let columns: Vec<Vec<(usize, f64)>> =
        a.column_iter().map(|column| column.iter().copied().enumerate().filter(|(_, x)| *x != 0.0).collect()).collect();
    let filled: usize = columns.iter().map(Vec::len).sum();
    if filled * DENSE >= a.len() {
        return a * b;
    }
    let mut out = DMatrix::zeros(a.nrows(), b.ncols());
    for (mut out, b) in out.column_iter_mut().zip(b.column_iter()) {
        for (column, &x) in columns.iter().zip(b.iter()).filter(|(_, x)| **x != 0.0) {
            column.iter().for_each(|&(row, value)| out[row] += x * value);
        }
    }
    out
}

/// R with R Rᵀ = A up to rounding, for an A that may be singular: then a part in 10¹² of its mean diagonal is added.
pub(crate) fn root(a: &DMatrix<f64>) -> DMatrix<f64> {
    root_or_nearest(a).0
}

/// The same for an A that may have negative eigenvalues, which are taken for 0, and whether it has.
pub(crate) fn root_or_nearest(a: &DMatrix<f64>) -> (DMatrix<f64>, bool) {
    let n = a.nrows();
    let mut symmetric = 0.5 * (a + a.transpose());
    let mean = symmetric.diagonal().sum() / n.max(1) as f64;
    let mut added = 0.0;
    for power in -12..=-6 {
        if let Some(l) = cholesky(&symmetric) {
            return (l, false);
        }
        let wanted = mean.abs().max(f64::MIN_POSITIVE) * 10_f64.powi(power);
        (0..n).for_each(|c| symmetric[(c, c)] += wanted - added);
        added = wanted;
    }
    let eigen = symmetric.symmetric_eigen();
    let roots = eigen.eigenvalues.map(|x| x.max(0.0).sqrt());
    (eigen.eigenvectors * DMatrix::from_diagonal(&roots), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn halves_give_what_the_whole_gives() {
        let mut s = stream(5, &[]);
        for n in [3, 97, 300] {
            let b = DMatrix::from_fn(n, n, |_, _| s.normal());
            let a = &b * b.transpose() + DMatrix::identity(n, n);
            let (l, inverse_l) = factor(&a).unwrap();
            assert!((&l * l.transpose() - &a).amax() < 1e-9 * a.amax());
            assert!((&l * inverse_l - DMatrix::identity(n, n)).amax() < 1e-9);
            assert!((cholesky(&a).unwrap() - &l).amax() < 1e-12 * l.amax());
            assert!((inverse(&a).unwrap() * &a - DMatrix::identity(n, n)).amax() < 1e-8);
            let mut sparse = DMatrix::zeros(n, n);
            (0..n).for_each(|c| sparse[(c, (7 * c) % n)] = s.normal());
            assert!((product(&sparse, &a) - &sparse * &a).amax() < 1e-12 * a.amax());
            // Of rank 2: there is no factor, and still a root.
            let thin = b.columns(0, 2).into_owned();
            let flat = &thin * thin.transpose();
            let r = root(&flat);
            assert!((&r * r.transpose() - &flat).amax() < 1e-6 * flat.amax());
        }
        assert!(factor(&DMatrix::from_diagonal_element(200, 200, -1.0)).is_none());
    }
}
