//! Features of pairs of items: φ(i,j) = −φ(j,i) by construction, each distinct vector stored once.

mod build;
mod extent;
mod saved;
mod span;

use crate::duel::{Arm, Duel};
use nalgebra::{DMatrix, DMatrixView, DVector, Dyn};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The vectors φ(i,j) of all pairs of K items, antisymmetric, of length at most 1, in a basis of their span.
///
/// K² pairs rarely hold K² different vectors, so each distinct vector is kept once, up to its sign, and each pair
/// names its *slot*; zero vectors have a slot of their own, behind all others. For φ(i,j) = x_i − x_j only the K item
/// vectors are kept, every pair i < j is its own slot, and no memory of size K² exists.
///
/// Vectors that do not span the space they were given in (one-hot items, constant columns) are expressed in an
/// orthonormal basis of their span: [`dim`](Self::dim) is the rank, and [`lost`](Self::lost) says how many dimensions
/// had nothing to say. When nothing is lost, the coordinates are the ones given.
///
/// A copy shares the vectors with what it was copied from, and costs nothing. Features can be saved and loaded.
///
/// ```
/// use borduel::{Duel, Features};
/// let features = Features::differences(3, 2, &[0.0, 0.0, 0.5, 0.0, 0.0, 0.5])?;
/// assert_eq!(features.phi(Duel(1, 2)), [0.5, -0.5]);
/// assert_eq!(features.phi(Duel(2, 1)), [-0.5, 0.5]);
/// # Ok::<(), borduel::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "saved::Form", into = "saved::Form")]
pub struct Features {
    items: usize,
    dim: usize,
    given_dim: usize,
    scale: f64,
    /// The orthonormal basis of the span, one column a dimension; `None` where it is the standard basis.
    basis: Option<Arc<DMatrix<f64>>>,
    store: Store,
    fingerprint: u64,
}

/// Where the vectors are.
#[derive(Debug, Clone)]
enum Store {
    /// Distinct vectors (row by row) and, per ordered pair, `slot << 1 | negative`.
    Dictionary { vectors: Arc<[f64]>, codes: Arc<[u32]> },
    /// The item vectors x_i, row by row.
    Differences { items: Arc<[f64]> },
}

/// Where a pair's vector is kept: φ = ±(vector of `index`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The index of the distinct vector; [`Features::distinct`] itself stands for the zero vector.
    pub index: usize,
    /// Whether φ is the negative of the stored vector.
    pub negative: bool,
}

impl Slot {
    /// The reward of the stored vector's direction, when the pair's own reward is `reward`: r or 1 − r.
    #[inline]
    pub fn orient(self, reward: f64) -> f64 {
        // Without a branch, which nobody could predict.
        let flipped = f64::from(u8::from(self.negative));
        flipped + (1.0 - 2.0 * flipped) * reward
    }
}

/// The scores ⟨φ, θ⟩ of all pairs for one θ, kept per distinct vector or, for differences, per item.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection(Vec<f64>);

impl Features {
    /// K, the number of items.
    #[inline]
    pub fn items(&self) -> usize {
        self.items
    }

    /// d, the dimension of the span of all vectors: the d of every formula.
    #[inline]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The dimension in which the vectors were given.
    pub fn given_dim(&self) -> usize {
        self.given_dim
    }

    /// The features of some of these items alone, in the given order.
    pub fn restricted(&self, items: &[Arm]) -> crate::error::Result<Self> {
        let d = self.dim;
        match &self.store {
            Store::Differences { items: rows } => {
                let kept: Vec<f64> = items.iter().flat_map(|&i| self.row(rows, i).iter().copied()).collect();
                Self::differences(items.len(), d, &kept)
            }
            Store::Dictionary { .. } => Self::from_fn(items.len(), d, |i, j, out| {
                out.copy_from_slice(&self.phi(Duel(items[i], items[j])));
            }),
        }
    }

    /// How many of the given dimensions no pair differs in.
    pub fn lost(&self) -> usize {
        self.given_dim - self.dim
    }

    /// The factor by which a scaling constructor multiplied what was given; 1 otherwise.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// A hash of everything above: equal features have equal fingerprints.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether φ(i,j) = x_i − x_j is kept as K item vectors.
    pub fn is_differences(&self) -> bool {
        matches!(self.store, Store::Differences { .. })
    }

    /// The number of distinct non-zero vectors up to sign; for differences, of unordered pairs.
    #[inline]
    pub fn distinct(&self) -> usize {
        match &self.store {
            Store::Dictionary { vectors, .. } => vectors.len() / self.dim,
            Store::Differences { .. } => self.items * (self.items - 1) / 2,
        }
    }

    /// The slot of a pair's vector.
    ///
    /// # Panics
    /// If an item does not exist.
    #[inline]
    pub fn slot(&self, Duel(i, j): Duel) -> Slot {
        match &self.store {
            Store::Dictionary { codes, .. } => {
                assert!(j < self.items);
                let code = codes[i * self.items + j];
                Slot { index: (code >> 1) as usize, negative: code & 1 == 1 }
            }
            Store::Differences { .. } => {
                assert!(i < self.items && j < self.items);
                if i == j {
                    return Slot { index: self.distinct(), negative: false };
                }
                let (low, high) = (i.min(j), i.max(j));
                Slot { index: triangle_start(self.items, low) + (high - low - 1), negative: i > j }
            }
        }
    }

    /// The pair i < j that is slot `index` of difference features.
    pub(crate) fn pair_of(&self, index: usize) -> (Arm, Arm) {
        let k = self.items;
        // The row by the quadratic formula, then set right where rounding put it one off.
        let b = (2 * k - 1) as f64;
        let mut i = ((b - (b * b - 8.0 * index as f64).max(0.0).sqrt()) / 2.0) as usize;
        i = i.min(k - 2);
        while triangle_start(k, i) > index {
            i -= 1;
        }
        while i + 2 < k && triangle_start(k, i + 1) <= index {
            i += 1;
        }
        (i, i + 1 + index - triangle_start(k, i))
    }

    /// Writes the distinct vector of a slot; zeros for the zero slot.
    ///
    /// # Panics
    /// If the slot is beyond [`distinct`](Self::distinct), or `out` does not hold [`dim`](Self::dim) numbers.
    pub fn write_vector(&self, index: usize, out: &mut [f64]) {
        if index == self.distinct() {
            out.fill(0.0);
            return;
        }
        assert!(index < self.distinct(), "slot {index} of features that have {} distinct vectors", self.distinct());
        match &self.store {
            Store::Dictionary { vectors, .. } => {
                out.copy_from_slice(&vectors[index * self.dim..(index + 1) * self.dim]);
            }
            Store::Differences { items } => {
                let (i, j) = self.pair_of(index);
                let (x, y) = (self.row(items, i), self.row(items, j));
                for ((o, a), b) in out.iter_mut().zip(x).zip(y) {
                    *o = a - b;
                }
            }
        }
    }

    /// out ← out + x v, with v the distinct vector of a slot.
    pub(crate) fn add_vector(&self, index: usize, x: f64, out: &mut [f64]) {
        if index == self.distinct() {
            return;
        }
        match &self.store {
            Store::Dictionary { vectors, .. } => add_scaled(out, x, self.row(vectors, index)),
            Store::Differences { items } => {
                let (i, j) = self.pair_of(index);
                add_scaled(out, x, self.row(items, i));
                add_scaled(out, -x, self.row(items, j));
            }
        }
    }

    /// The distinct vector of a slot.
    ///
    /// # Panics
    /// If the slot is beyond [`distinct`](Self::distinct).
    pub fn vector(&self, index: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.dim];
        self.write_vector(index, &mut out);
        out
    }

    /// ⟨v, θ⟩ of one slot's vector, without projecting all others.
    #[inline]
    pub(crate) fn vector_dot(&self, index: usize, theta: &[f64]) -> f64 {
        match &self.store {
            Store::Dictionary { vectors, .. } => dot(self.row(vectors, index), theta),
            Store::Differences { items } => {
                let (i, j) = self.pair_of(index);
                dot(self.row(items, i), theta) - dot(self.row(items, j), theta)
            }
        }
    }

    /// φ(i,j), in the basis of the span.
    ///
    /// # Panics
    /// If an item does not exist.
    pub fn phi(&self, duel: Duel) -> Vec<f64> {
        let slot = self.slot(duel);
        let mut out = self.vector(slot.index);
        if slot.negative {
            out.iter_mut().for_each(|x| *x = -*x);
        }
        out
    }

    /// The distinct vectors as the rows of a dictionary, d numbers each; `None` for differences, which have no list.
    pub(crate) fn dictionary(&self) -> Option<&[f64]> {
        match &self.store {
            Store::Dictionary { vectors, .. } => Some(vectors),
            Store::Differences { .. } => None,
        }
    }

    /// The item vectors x_i row by row; `None` unless the features are differences.
    pub(crate) fn item_vectors(&self) -> Option<&[f64]> {
        match &self.store {
            Store::Dictionary { .. } => None,
            Store::Differences { items } => Some(items),
        }
    }

    /// For each given slot, all ordered pairs with φ = +(its vector), in lexicographic order.
    pub fn pairs_of(&self, slots: &[usize]) -> Vec<Vec<Duel>> {
        match &self.store {
            Store::Dictionary { codes, .. } => {
                let mut place = vec![usize::MAX; self.distinct() + 1];
                let mut pairs = vec![Vec::new(); slots.len()];
                for (k, &slot) in slots.iter().enumerate() {
                    place[slot] = k;
                }
                for (position, &code) in codes.iter().enumerate() {
                    let k = place[(code >> 1) as usize];
                    if code & 1 == 0 && k != usize::MAX {
                        pairs[k].push(Duel(position / self.items, position % self.items));
                    }
                }
                pairs
            }
            Store::Differences { .. } => slots
                .iter()
                .map(|&slot| {
                    let (i, j) = self.pair_of(slot);
                    vec![Duel(i, j)]
                })
                .collect(),
        }
    }

    /// The scores ⟨φ, θ⟩ of all pairs, for a θ of [`dim`](Self::dim) numbers.
    pub fn project(&self, theta: &[f64]) -> Projection {
        let rows = match &self.store {
            Store::Dictionary { vectors, .. } => vectors,
            Store::Differences { items } => items,
        };
        Projection(rows.chunks_exact(self.dim).map(|row| dot(row, theta)).collect())
    }

    /// The score of a pair in a projection.
    ///
    /// # Panics
    /// If an item does not exist, or the projection is one of other features.
    #[inline]
    pub fn score(&self, projection: &Projection, Duel(i, j): Duel) -> f64 {
        match &self.store {
            Store::Dictionary { codes, .. } => {
                assert!(j < self.items);
                let code = codes[i * self.items + j];
                let value = projection.0.get((code >> 1) as usize).copied().unwrap_or(0.0);
                if code & 1 == 1 { -value } else { value }
            }
            Store::Differences { .. } => projection.0[i] - projection.0[j],
        }
    }

    /// The score of a slot's vector in a projection; 0 for the zero slot.
    #[inline]
    pub fn slot_score(&self, projection: &Projection, index: usize) -> f64 {
        match &self.store {
            Store::Dictionary { .. } => projection.0.get(index).copied().unwrap_or(0.0),
            Store::Differences { .. } if index == self.distinct() => 0.0,
            Store::Differences { .. } => {
                let (i, j) = self.pair_of(index);
                projection.0[i] - projection.0[j]
            }
        }
    }

    /// For differences, the item scores ⟨x_i, θ⟩ of a projection.
    pub(crate) fn utilities<'p>(&self, projection: &'p Projection) -> Option<&'p [f64]> {
        self.is_differences().then_some(&projection.0[..])
    }

    /// Σ w v over slots and their weights.
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

    /// A parameter in the coordinates in which the features were given, so that ⟨φ_given, θ_given⟩ is unchanged; of all
    /// such the shortest.
    pub fn to_given(&self, theta: &[f64]) -> Vec<f64> {
        let mut given = match &self.basis {
            None => theta.to_vec(),
            Some(basis) => (&**basis * DVector::from_column_slice(theta)).as_slice().to_vec(),
        };
        given.iter_mut().for_each(|x| *x *= self.scale);
        given
    }

    /// A parameter of the given coordinates in the basis of the span: the inverse of [`to_given`](Self::to_given).
    pub fn from_given(&self, theta: &[f64]) -> Vec<f64> {
        let mut own = match &self.basis {
            None => theta.to_vec(),
            Some(basis) => (basis.transpose() * DVector::from_column_slice(theta)).as_slice().to_vec(),
        };
        own.iter_mut().for_each(|x| *x /= self.scale);
        own
    }

    fn row<'v>(&self, rows: &'v [f64], index: usize) -> &'v [f64] {
        &rows[index * self.dim..(index + 1) * self.dim]
    }
}

/// How many rows are multiplied at once: small enough for the cache, large enough for the kernel.
pub(crate) const BLOCK: usize = 256;

/// The first slot of the pairs (i, i+1), (i, i+2), … among K items.
#[inline]
fn triangle_start(k: usize, i: usize) -> usize {
    i * (2 * k - i - 1) / 2
}

/// ⟨a, b⟩.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// a ← a + w b.
#[inline]
pub(crate) fn add_scaled(a: &mut [f64], w: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x += w * y;
    }
}

/// S ← S + Σ a_k b_kᵀ over the rows of two lists of equally many rows.
pub(crate) fn add_gram(sum: &mut DMatrix<f64>, a: &[f64], b: &[f64]) {
    let d = sum.nrows();
    for (a, b) in a.chunks(BLOCK * d).zip(b.chunks(BLOCK * d)) {
        let n = a.len() / d;
        // Rows of d numbers are the columns of a d × n matrix; the second factor is read with its strides exchanged.
        let left = DMatrixView::from_slice(a, d, n);
        let right = DMatrixView::from_slice_with_strides_generic(b, Dyn(n), Dyn(d), Dyn(d), Dyn(1));
        sum.gemm(1.0, &left, &right, 1.0);
    }
}

#[cfg(test)]
mod tests;
