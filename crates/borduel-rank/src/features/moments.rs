//! Sums over feature vectors: weighted ones, means by item, information matrices, and the smallest eigenvalue λ₀.

use super::{Features, Store, add_scaled};
use nalgebra::{DMatrix, DMatrixView, DVector, Dyn};

/// How many rows are multiplied at once: small enough for the cache, large enough for the kernel.
pub const BLOCK: usize = 256;

impl Features {
    /// Σ w v over slots and their weights.
    #[doc(hidden)]
    pub fn combine(&self, weights: impl IntoIterator<Item = (usize, f64)>) -> DVector<f64> {
        let mut sum = DVector::zeros(self.dim);
        match &self.store {
            Store::Dictionary { vectors, .. } => {
                for (slot, w) in weights {
                    if let Some(row) = vectors.chunks_exact(self.dim).nth(slot) {
                        add_scaled(sum.as_mut_slice(), w, row);
                    }
                }
            }
            Store::Differences { items } => {
                let mut per_item = vec![0.0; self.items];
                for (slot, w) in weights {
                    if slot < self.distinct() {
                        let (i, j) = self.pair_of(slot);
                        per_item[i] += w;
                        per_item[j] -= w;
                    }
                }
                for (w, row) in per_item.iter().zip(items.chunks_exact(self.dim)) {
                    add_scaled(sum.as_mut_slice(), *w, row);
                }
            }
        }
        sum
    }

    /// Σ w v vᵀ over slots and their non-negative weights.
    ///
    /// A dictionary multiplies blocks of rows scaled by √w; differences use Σ w (x_i−x_j)(x_i−x_j)ᵀ = Xᵀ L X with the
    /// weighted Laplacian L, which costs d, not d², per pair.
    #[doc(hidden)]
    pub fn information(&self, weights: impl IntoIterator<Item = (usize, f64)>) -> DMatrix<f64> {
        let d = self.dim;
        let mut sum = DMatrix::zeros(d, d);
        match &self.store {
            Store::Dictionary { vectors, .. } => {
                let mut block = Vec::with_capacity(BLOCK * d);
                for (slot, w) in weights {
                    if w > 0.0 && slot < self.distinct() {
                        let root = w.sqrt();
                        block.extend(self.row(vectors, slot).iter().map(|x| root * x));
                        if block.len() == BLOCK * d {
                            add_gram(&mut sum, &block, &block);
                            block.clear();
                        }
                    }
                }
                add_gram(&mut sum, &block, &block);
            }
            Store::Differences { items } => {
                let mut laplacian = vec![0.0; items.len()];
                for (slot, w) in weights {
                    if slot < self.distinct() {
                        let (i, j) = self.pair_of(slot);
                        for c in 0..d {
                            let step = w * (items[i * d + c] - items[j * d + c]);
                            laplacian[i * d + c] += step;
                            laplacian[j * d + c] -= step;
                        }
                    }
                }
                add_gram(&mut sum, items, &laplacian);
                sum = 0.5 * (&sum + sum.transpose());
            }
        }
        sum
    }

    /// φ̄(i) = (1/K) Σ_j φ(i,j) for every item, row by row.
    pub fn means(&self) -> Vec<f64> {
        let (k, d) = (self.items, self.dim);
        match &self.store {
            Store::Dictionary { vectors, codes } => {
                let mut means = vec![0.0; k * d];
                for (mean, row) in means.chunks_exact_mut(d).zip(codes.chunks_exact(k)) {
                    for &code in row {
                        if let Some(vector) = vectors.chunks_exact(d).nth((code >> 1) as usize) {
                            add_scaled(mean, if code & 1 == 1 { -1.0 } else { 1.0 }, vector);
                        }
                    }
                    mean.iter_mut().for_each(|x| *x /= k as f64);
                }
                means
            }
            Store::Differences { items } => {
                let mut centre = vec![0.0; d];
                items.chunks_exact(d).for_each(|row| add_scaled(&mut centre, 1.0 / k as f64, row));
                items.iter().zip(centre.iter().cycle()).map(|(x, c)| x - c).collect()
            }
        }
    }

    /// (1/K²) Σ φ φᵀ over all ordered pairs.
    #[doc(hidden)]
    pub fn second_moment(&self) -> DMatrix<f64> {
        let k = self.items as f64;
        match &self.store {
            Store::Dictionary { codes, .. } => {
                let mut count = vec![0.0; self.distinct() + 1];
                for &code in codes.iter() {
                    count[(code >> 1) as usize] += 1.0;
                }
                self.information(count.into_iter().map(|c| c / (k * k)).enumerate())
            }
            // Σ_ij (x_i−x_j)(x_i−x_j)ᵀ = 2K Σ (x_i−x̄)(x_i−x̄)ᵀ.
            Store::Differences { .. } => {
                let means = self.means();
                let mut sum = DMatrix::zeros(self.dim, self.dim);
                add_gram(&mut sum, &means, &means);
                sum * (2.0 / k)
            }
        }
    }

    /// λ₀: the smallest eigenvalue of (1/K²) Σ φ φᵀ on the span.
    pub fn lambda0(&self) -> f64 {
        self.second_moment().symmetric_eigenvalues().min().max(0.0)
    }
}

/// S ← S + Σ a_k b_kᵀ over the rows of two lists of equally many rows.
#[doc(hidden)]
pub fn add_gram(sum: &mut DMatrix<f64>, a: &[f64], b: &[f64]) {
    let d = sum.nrows();
    for (a, b) in a.chunks(BLOCK * d).zip(b.chunks(BLOCK * d)) {
        let n = a.len() / d;
        // Rows of d numbers are the columns of a d × n matrix; the second factor is read with its strides exchanged.
        let left = DMatrixView::from_slice(a, d, n);
        let right = DMatrixView::from_slice_with_strides_generic(b, Dyn(n), Dyn(d), Dyn(d), Dyn(1));
        sum.gemm(1.0, &left, &right, 1.0);
    }
}

/// The same of one list, at and below the diagonal (and a little above): with many columns that is hardly more than
/// half of the work.
#[doc(hidden)]
pub fn add_lower_gram(sum: &mut DMatrix<f64>, rows: &[f64]) {
    /// So many columns at a time.
    const STRIPE: usize = 128;
    let d = sum.nrows();
    for rows in rows.chunks(BLOCK * d) {
        let n = rows.len() / d;
        let left = DMatrixView::from_slice(rows, d, n);
        let right = DMatrixView::from_slice_with_strides_generic(rows, Dyn(n), Dyn(d), Dyn(d), Dyn(1));
        for from in (0..d).step_by(STRIPE) {
            let (height, width) = (d - from, STRIPE.min(d - from));
            let mut part = sum.view_mut((from, from), (height, width));
            part.gemm(1.0, &left.rows(from, height), &right.columns(from, width), 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn the_lower_half_is_that_of_the_whole() {
        let mut s = stream(5, &[]);
        for d in [1, 7, 128, 300] {
            let rows: Vec<f64> = (0..d * (BLOCK + 3)).map(|_| s.normal()).collect();
            let (mut whole, mut half) = (DMatrix::zeros(d, d), DMatrix::zeros(d, d));
            add_gram(&mut whole, &rows, &rows);
            add_lower_gram(&mut half, &rows);
            half.fill_upper_triangle_with_lower_triangle();
            assert!((&whole - &half).amax() < 1e-9 * whole.amax(), "{d} columns");
        }
    }
}
