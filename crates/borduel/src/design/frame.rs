//! The coordinates y = Wφ in which V = Σ w φφᵀ is the identity, so that ‖φ‖²_{V⁻¹} is a plain squared length.

use super::candidates::BLOCK;
use crate::features::{Features, add_gram, add_scaled, dot};
use crate::{Error, Result};
use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut};

/// W, kept as the product of well-conditioned factors: features whose columns differ by many powers of ten lose
/// nothing, because V itself, which squares their ratio, is never formed in the given coordinates.
#[derive(Debug, Clone)]
pub(super) struct Frame(DMatrix<f64>);

impl Frame {
    /// The coordinates of the features themselves.
    pub(super) fn identity(d: usize) -> Self {
        Self(DMatrix::identity(d, d))
    }

    /// A first frame and the d vectors that make it, each of weight 1/d (Kumar and Yıldırım 2005): along a direction
    /// orthogonal to all vectors so far take the one that is `farthest`; repeat. `None` if they do not span the space,
    /// or hardly.
    pub(super) fn start<T>(
        d: usize,
        farthest: impl Fn(&[f64]) -> (f64, T),
        vector: impl Fn(&T) -> Vec<f64>,
        negligible: f64,
    ) -> Option<(Self, Vec<T>)> {
        let mut slots = Vec::with_capacity(d);
        let mut q = DMatrix::zeros(d, d);
        let mut r = DMatrix::zeros(d, d);
        // How much of each coordinate axis the span so far leaves out, squared.
        let mut left = vec![1.0; d];
        for t in 0..d {
            let axis = (0..d).fold(0, |best, c| if left[c] > left[best] { c } else { best });
            let mut direction = vec![0.0; d];
            direction[axis] = 1.0;
            let outside = orthogonalise(&mut direction, &q, t);
            for x in &mut direction {
                *x /= outside;
            }
            let (reach, slot) = farthest(&direction);
            if reach <= negligible {
                return None;
            }
            let vector = vector(&slot);
            let mut rest = vector.clone();
            let length = orthogonalise(&mut rest, &q, t);
            for (c, x) in rest.iter().enumerate() {
                q[(c, t)] = x / length;
                left[c] -= q[(c, t)] * q[(c, t)];
            }
            for k in 0..=t {
                r[(k, t)] = dot(q.column(k).as_slice(), &vector);
            }
            slots.push(slot);
        }
        // B = QR holds the chosen vectors as columns; in the frame √d B⁻¹ they are √d times the axes, so V = I.
        let mut w = q.transpose();
        let solved = r.solve_upper_triangular_mut(&mut w);
        (solved && w.iter().all(|x| x.is_finite())).then(|| (Self(w * (d as f64).sqrt()), slots))
    }

    /// y = Wφ for a list of rows.
    pub(super) fn apply(&self, rows: &[f64], out: &mut Vec<f64>) {
        let d = self.0.nrows();
        let n = rows.len() / d;
        out.resize(rows.len(), 0.0);
        let rows = DMatrixView::from_slice(rows, d, n);
        DMatrixViewMut::from_slice(out, d, n).gemm(1.0, &self.0, &rows, 0.0);
    }

    /// The rows y of these slots.
    pub(super) fn rows(&self, features: &Features, slots: &[usize]) -> Vec<f64> {
        let d = features.dim();
        let mut given = vec![0.0; slots.len() * d];
        for (row, slot) in given.chunks_exact_mut(d).zip(slots) {
            features.write_vector(*slot, row);
        }
        let mut rows = Vec::new();
        self.apply(&given, &mut rows);
        rows
    }

    /// Turns the frame so that Σ w φφᵀ = I for these slots.
    pub(super) fn renew(&mut self, features: &Features, slots: &[usize], weights: &[f64]) -> Result<()> {
        let v = self.information(features, slots, weights);
        self.whiten(v)
    }

    /// Σ w yyᵀ for these slots.
    pub(super) fn information(&self, features: &Features, slots: &[usize], weights: &[f64]) -> DMatrix<f64> {
        let d = features.dim();
        let mut v = DMatrix::zeros(d, d);
        for (slots, weights) in slots.chunks(BLOCK).zip(weights.chunks(BLOCK)) {
            let mut rows = self.rows(features, slots);
            for (row, w) in rows.chunks_exact_mut(d).zip(weights) {
                for x in row {
                    *x *= w.sqrt();
                }
            }
            add_gram(&mut v, &rows, &rows);
        }
        v
    }

    /// W ← L⁻¹W, where `v` = L Lᵀ is the information matrix in the present frame.
    pub(super) fn whiten(&mut self, v: DMatrix<f64>) -> Result<()> {
        let l = v.cholesky().ok_or_else(too_nearly_dependent)?.unpack();
        if l.solve_lower_triangular_mut(&mut self.0) { Ok(()) } else { Err(too_nearly_dependent()) }
    }
}

/// The error for features whose rank cannot be told in double precision.
pub(super) fn too_nearly_dependent() -> Error {
    let words = "the features are too nearly dependent for a design in double precision: scale their columns to \
                 similar \
                 size, or drop the directions in which the items hardly differ";
    Error::Data(words.to_owned())
}

/// Subtracts from `vector` its part in the first `t` columns of `q`, twice, and returns the length of the rest.
fn orthogonalise(vector: &mut [f64], q: &DMatrix<f64>, t: usize) -> f64 {
    for _ in 0..2 {
        for k in 0..t {
            let column = q.column(k);
            let part = dot(column.as_slice(), vector);
            add_scaled(vector, -part, column.as_slice());
        }
    }
    dot(vector, vector).sqrt()
}
