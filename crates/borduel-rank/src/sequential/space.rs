//! Where the model's parameters live: ψ(i,j) = (φ(i,j), e_i − e_j), features before items, either of them possibly
//! absent.

use super::Trust;
use crate::duel::{Arm, Duel};
use crate::features::{Features, add_scaled, dot};
use nalgebra::{DMatrix, DVector, DVectorView};

/// With more features than this, whole matrices are multiplied.
pub(crate) const WIDE: usize = 128;

/// What is left of the prior of features' weights where it is to be weak: five times as large weights are as likely.
const WEAK: f64 = 0.04;

/// The vectors ψ of all pairs.
#[derive(Clone, Copy)]
pub(crate) struct Space<'a> {
    features: Option<&'a Features>,
    /// The number of feature dimensions, which come first.
    pub(crate) d: usize,
    /// The number of items, if each has a parameter of its own.
    effects: usize,
    pub(crate) k: usize,
    /// Whether no claim about an item may rest on its effect beside features being small.
    pub(crate) frees: bool,
}

impl<'a> Space<'a> {
    /// Features that tell all items apart say no more than the items themselves, and are left out. Beside backing,
    /// every item has an effect of its own unless the features are trusted; where nothing is, it has nothing else.
    pub(crate) fn new(features: &'a Features, trust: Trust) -> Self {
        let k = features.items();
        let one_hot = features.is_differences() && features.dim() + 1 == k || trust == Trust::Nothing;
        let effects = if one_hot || trust != Trust::Model { k } else { 0 };
        let d = if one_hot { 0 } else { features.dim() };
        Self { features: (!one_hot).then_some(features), d, effects, k, frees: !one_hot && trust == Trust::Checked }
    }

    /// The number of parameters.
    pub(crate) fn dim(&self) -> usize {
        self.d + self.effects
    }

    /// Whether items have effects beside features.
    pub(crate) fn has_both(&self) -> bool {
        self.d > 0 && self.effects > 0
    }

    /// The prior precision of the effect of an item: ¼ (K−1) pseudo-votes over the complete graph, ½ (I − 11ᵀ/K), where
    /// the mean of all
    /// items, which no vote is about, may as well have a prior too; and 1/σ² beside features.
    pub(crate) fn precision(&self, sigma2: f64) -> f64 {
        if self.features.is_none() { 0.5 } else { 1.0 / sigma2 }
    }

    /// The prior precision of the parameters: d pseudo-votes at ½, spread over all pairs, for the features or, without
    /// them, for the items; and these of items' effects.
    pub(crate) fn prior(&self, effects: &[f64]) -> DMatrix<f64> {
        let mut prior = DMatrix::zeros(self.dim(), self.dim());
        if let Some(features) = self.features {
            // Σ over unordered pairs is K²/2 times the second moment, of which there are K(K−1)/2.
            let k = self.k as f64;
            let spread = 0.25 * self.d as f64 * k / (k - 1.0);
            let moment = features.second_moment() * spread;
            // A millionth of a pseudo-vote keeps directions definite that almost no pair differs in.
            let least = 1e-6 * moment.diagonal().amax();
            prior.view_mut((0, 0), (self.d, self.d)).copy_from(&moment);
            (0..self.d).for_each(|c| prior[(c, c)] += least);
        }
        (self.d..self.dim()).zip(effects).for_each(|(c, precision)| prior[(c, c)] += precision);
        prior
    }

    /// The same with hardly any prior of the features' weights.
    pub(crate) fn weak_prior(&self, effects: &[f64]) -> DMatrix<f64> {
        let mut prior = self.prior(effects);
        prior.view_mut((0, 0), (self.d, self.d)).scale_mut(WEAK);
        prior
    }

    /// out ← out + w ψ(i,j).
    pub(crate) fn add(&self, out: &mut [f64], i: Arm, j: Arm, w: f64) {
        if let Some(features) = self.features {
            if let Some(rows) = features.item_vectors() {
                add_scaled(&mut out[..self.d], w, &rows[i * self.d..(i + 1) * self.d]);
                add_scaled(&mut out[..self.d], -w, &rows[j * self.d..(j + 1) * self.d]);
            } else {
                let slot = features.slot(Duel(i, j));
                if let Some(row) = features.dictionary().and_then(|rows| rows.chunks_exact(self.d).nth(slot.index)) {
                    add_scaled(&mut out[..self.d], if slot.negative { -w } else { w }, row);
                }
            }
        }
        if self.effects > 0 {
            out[self.d + i] += w;
            out[self.d + j] -= w;
        }
    }

    /// ⟨ψ(i,j), y⟩.
    pub(crate) fn dot(&self, y: &[f64], i: Arm, j: Arm) -> f64 {
        let mut sum = if self.effects > 0 { y[self.d + i] - y[self.d + j] } else { 0.0 };
        if let Some(features) = self.features {
            if let Some(rows) = features.item_vectors() {
                let (x, z) = (&rows[i * self.d..(i + 1) * self.d], &rows[j * self.d..(j + 1) * self.d]);
                sum += dot(x, &y[..self.d]) - dot(z, &y[..self.d]);
            } else {
                let slot = features.slot(Duel(i, j));
                let row = features.dictionary().and_then(|rows| rows.chunks_exact(self.d).nth(slot.index));
                let value = row.map_or(0.0, |row| dot(row, &y[..self.d]));
                sum += if slot.negative { -value } else { value };
            }
        }
        sum
    }

    /// Whether ψ(i,j) = z(i) − z(j), which features of pairs are not.
    pub(crate) fn is_differences(&self) -> bool {
        self.features.is_none_or(Features::is_differences)
    }

    /// Whether features are so many that whole matrices are multiplied: see `wide`.
    pub(crate) fn is_wide(&self) -> bool {
        self.d > WIDE && self.is_differences()
    }

    /// ⟨z(i), y⟩, where ψ(i,j) = z(i) − z(j).
    pub(crate) fn potential(&self, y: &[f64], i: Arm) -> f64 {
        let effect = if self.effects > 0 { y[self.d + i] } else { 0.0 };
        let rows = self.features.and_then(Features::item_vectors);
        effect + rows.map_or(0.0, |rows| dot(&rows[i * self.d..(i + 1) * self.d], &y[..self.d]))
    }

    /// ⟨z(i), y⟩ of every item i (row) and every column y, where ψ(i,j) = z(i) − z(j).
    pub(crate) fn potentials(&self, y: &DMatrix<f64>) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(self.k, y.ncols());
        if let Some(rows) = self.features.and_then(Features::item_vectors) {
            out += DMatrix::from_row_slice(self.k, self.d, rows) * y.rows(0, self.d);
        }
        if self.effects > 0 {
            out += y.rows(self.d, self.k);
        }
        out
    }

    /// M ψ(i,j) for a symmetric M.
    pub(crate) fn times(&self, m: &DMatrix<f64>, i: Arm, j: Arm) -> DVector<f64> {
        let mut psi = vec![0.0; self.dim()];
        self.add(&mut psi, i, j, 1.0);
        let mut out = DVector::zeros(self.dim());
        for (c, x) in psi.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            out.axpy(*x, &m.column(c), 1.0);
        }
        out
    }

    /// ψ(i,j)ᵀ M ψ(i,j) for a symmetric M.
    pub(crate) fn quad(&self, m: &DMatrix<f64>, i: Arm, j: Arm) -> f64 {
        if self.d == 0 {
            return m[(i, i)] + m[(j, j)] - 2.0 * m[(i, j)];
        }
        let product = self.times(m, i, j);
        self.dot(product.as_slice(), i, j)
    }

    /// Σ w ψψᵀ over pairs, by way of the weighted Laplacian L where ψ is a difference of item vectors: Zᵀ L Z.
    pub(crate) fn information(&self, weights: &[(Arm, Arm, f64)]) -> DMatrix<f64> {
        let (d, n) = (self.d, self.dim());
        let rows = self.features.map(Features::item_vectors);
        if rows == Some(None) {
            let mut sum = DMatrix::zeros(n, n);
            let mut psi = vec![0.0; n];
            for &(i, j, w) in weights {
                psi.fill(0.0);
                self.add(&mut psi, i, j, 1.0);
                for (c, x) in psi.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    let view = DVectorView::from_slice(&psi, n);
                    sum.column_mut(c).axpy(w * x, &view, 1.0);
                }
            }
            return sum;
        }
        let laplacian = self.laplacian(weights);
        let Some(rows) = rows.flatten() else { return laplacian };
        let x = DMatrix::from_row_slice(self.k, d, rows);
        let lx = &laplacian * &x;
        let mut sum = DMatrix::zeros(n, n);
        let xlx = if self.is_wide() { x.transpose() * &lx } else { x.tr_mul(&lx) };
        sum.view_mut((0, 0), (d, d)).copy_from(&xlx);
        if self.effects > 0 {
            sum.view_mut((d, 0), (self.k, d)).copy_from(&lx);
            sum.view_mut((0, d), (d, self.k)).copy_from(&lx.transpose());
            sum.view_mut((d, d), (self.k, self.k)).copy_from(&laplacian);
        }
        sum
    }

    fn laplacian(&self, weights: &[(Arm, Arm, f64)]) -> DMatrix<f64> {
        let mut l = DMatrix::zeros(self.k, self.k);
        for &(i, j, w) in weights {
            l[(i, i)] += w;
            l[(j, j)] += w;
            l[(i, j)] -= w;
            l[(j, i)] -= w;
        }
        l
    }

    /// Σ_b W(i,b) ψ(i,b) of every item i, a column each, for a symmetric W with zero diagonal.
    pub(crate) fn gradients(&self, w: &DMatrix<f64>) -> DMatrix<f64> {
        let mut g = DMatrix::zeros(self.dim(), self.k);
        if let Some(rows) = self.features.and_then(Features::item_vectors).filter(|_| self.is_wide()) {
            // Zᵀ(diag(W1) − W).
            let degrees = DMatrix::from_diagonal(&w.column_sum());
            let spread = degrees - w;
            g.rows_mut(0, self.d).copy_from(&(DMatrix::from_column_slice(self.d, self.k, rows) * &spread));
            if self.effects > 0 {
                g.rows_mut(self.d, self.k).copy_from(&spread);
            }
            return g;
        }
        for i in 0..self.k {
            let column = w.column(i);
            let out = &mut g.as_mut_slice()[i * self.dim()..(i + 1) * self.dim()];
            for b in (0..self.k).filter(|b| *b != i) {
                self.add(out, i, b, column[b]);
            }
        }
        g
    }
}
