//! Many features: the same numbers by products of whole matrices.
//!
//! Where ψ(i,j) = z(i) − z(j), what all pairs need follows from what all items need: ⟨ψ(i,j), y⟩ = u_i − u_j with u =
//! Zy, and ψᵀMψ from ZMZᵀ, products of matrices instead of one of vectors for every pair. Up to 128 features each
//! pair is computed by itself, as quickly, and to the last bit as ever. The first look at 500 items with 384 features
//! takes 1.9 seconds instead of 9.7, the next 0.9 instead of 5.6 (CPU time, as tests are built).

use super::space::Space;
use crate::duel::Arm;
use crate::ranking::dense;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// ⟨ψ(i,j), y⟩ of one y and of many pairs.
pub(crate) enum Along<'a> {
    ByPair(Space<'a>, &'a [f64]),
    /// Zy.
    ByItem(Vec<f64>),
}

impl<'a> Along<'a> {
    pub(crate) fn new(space: &Space<'a>, y: &'a [f64]) -> Self {
        if !space.is_wide() {
            return Self::ByPair(*space, y);
        }
        Self::ByItem((0..space.k).map(|item| space.potential(y, item)).collect())
    }

    /// ⟨ψ(i,j), y⟩.
    pub(crate) fn of(&self, i: Arm, j: Arm) -> f64 {
        match self {
            Self::ByPair(space, y) => space.dot(y, i, j),
            Self::ByItem(u) => u[i] - u[j],
        }
    }
}

/// Mψ(i,j) and ψᵀMψ of one symmetric M and of many pairs.
pub(crate) enum Images<'a> {
    ByPair(Space<'a>, &'a DMatrix<f64>),
    ByItem {
        /// MZᵀ, a column an item.
        products: DMatrix<f64>,
        /// ZMZᵀ.
        squares: DMatrix<f64>,
    },
}

impl<'a> Images<'a> {
    pub(crate) fn new(space: &Space<'a>, m: &'a DMatrix<f64>) -> Self {
        if !space.is_wide() {
            return Self::ByPair(*space, m);
        }
        let products = space.potentials(m).transpose();
        let squares = space.potentials(&products);
        Self::ByItem { products, squares }
    }

    /// ψᵀMψ.
    pub(crate) fn quad(&self, i: Arm, j: Arm) -> f64 {
        match self {
            Self::ByPair(space, m) => space.quad(m, i, j),
            Self::ByItem { squares, .. } => squares[(i, i)] + squares[(j, j)] - 2.0 * squares[(i, j)],
        }
    }

    /// ψᵀMψ, and these entries of Mψ.
    pub(crate) fn quad_and(&self, i: Arm, j: Arm, entries: impl Iterator<Item = [usize; 2]>) -> (f64, Vec<[f64; 2]>) {
        match self {
            Self::ByPair(space, m) => {
                let product = space.times(m, i, j);
                let entries = entries.map(|own| own.map(|c| product[c])).collect();
                (space.dot(product.as_slice(), i, j), entries)
            }
            Self::ByItem { products, .. } => {
                let entry = |c: usize| products[(c, i)] - products[(c, j)];
                (self.quad(i, j), entries.map(|own| own.map(entry)).collect())
            }
        }
    }
}

/// The factor of an information matrix.
pub(crate) enum Factor {
    Plain(Cholesky<f64, Dyn>),
    /// By halves: the matrix, and L.
    Halves(DMatrix<f64>, DMatrix<f64>),
}

impl Factor {
    /// `None` unless it is positive definite.
    pub(crate) fn new(space: &Space<'_>, information: DMatrix<f64>) -> Option<Self> {
        if !space.is_wide() {
            return Cholesky::new(information).map(Self::Plain);
        }
        let l = dense::cholesky(&information)?;
        Some(Self::Halves(information, l))
    }

    /// The solution x of Ax = b.
    pub(crate) fn solve(&self, b: &DVector<f64>) -> DVector<f64> {
        match self {
            Self::Plain(factor) => factor.solve(b),
            Self::Halves(_, l) => {
                let mut x = b.clone();
                // The diagonal of a factor is positive: neither can fail.
                let _ = l.solve_lower_triangular_mut(&mut x) && l.tr_solve_lower_triangular_mut(&mut x);
                x
            }
        }
    }

    /// A⁻¹.
    pub(crate) fn inverse(&self) -> Option<DMatrix<f64>> {
        match self {
            Self::Plain(factor) => Some(factor.inverse()),
            Self::Halves(a, _) => dense::inverse(a),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Features;
    use crate::sequential::Trust;
    use crate::sequential::space::WIDE;
    use crate::stream::stream;

    /// Whole matrices give what pairs give one by one.
    #[test]
    fn items_give_what_pairs_give() {
        let (k, d, mut s) = (140, WIDE + 2, stream(3, &[]));
        let rows: Vec<f64> = (0..k * d).map(|_| s.normal()).collect();
        let features = Features::differences_scaled(k, d, &rows).unwrap();
        for trust in [Trust::Checked, Trust::Model] {
            let space = Space::new(&features, trust);
            assert!(space.is_wide());
            let n = space.dim();
            let y: Vec<f64> = (0..n).map(|_| s.normal()).collect();
            let weights: Vec<(Arm, Arm, f64)> =
                (0..k).map(|i| (i, (i + 1 + s.below(k - 1)) % k, s.uniform())).collect();
            let information = space.information(&weights) + DMatrix::identity(n, n);
            let mut sum = DMatrix::identity(n, n);
            for &(i, j, w) in &weights {
                let mut psi = DVector::zeros(n);
                space.add(psi.as_mut_slice(), i, j, 1.0);
                sum.ger(w, &psi, &psi, 1.0);
            }
            assert!((&information - sum).amax() < 1e-9);
            let factor = Factor::new(&space, information.clone()).unwrap();
            let m = factor.inverse().unwrap();
            assert!((&m * &information - DMatrix::identity(n, n)).amax() < 1e-9);
            let b = DVector::from_column_slice(&y);
            assert!((&information * factor.solve(&b) - &b).amax() < 1e-9);
            let (along, images) = (Along::new(&space, &y), Images::new(&space, &m));
            for (i, j) in [(0, 1), (5, 139), (77, 3)] {
                assert!((along.of(i, j) - space.dot(&y, i, j)).abs() < 1e-10);
                assert!((images.quad(i, j) - space.quad(&m, i, j)).abs() < 1e-12);
                let (quad, entries) = images.quad_and(i, j, [[0, n - 1]].into_iter());
                let product = space.times(&m, i, j);
                assert!((quad - space.quad(&m, i, j)).abs() < 1e-12);
                assert!((entries[0][0] - product[0]).abs() + (entries[0][1] - product[n - 1]).abs() < 1e-12);
            }
            let w = DMatrix::from_fn(k, k, |i, j| if i == j { 0.0 } else { ((i * j) as f64).sin() });
            let g = space.gradients(&w);
            let mut column = vec![0.0; n];
            (0..k).filter(|b| *b != 9).for_each(|b| space.add(&mut column, 9, b, w[(9, b)]));
            assert!((g.column(9) - DVector::from_vec(column)).amax() < 1e-10);
        }
    }
}
