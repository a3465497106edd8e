//! Features of pairs of items: φ(i,j) = −φ(j,i) by construction, each distinct vector stored once.

mod build;
mod extent;
mod moments;
mod saved;
mod span;

use crate::duel::{Arm, Duel};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[doc(hidden)]
pub use moments::{BLOCK, add_gram, add_lower_gram};

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
/// use borduel_rank::{Duel, Features};
/// let features = Features::differences(3, 2, &[0.0, 0.0, 0.5, 0.0, 0.0, 0.5])?;
/// assert_eq!(features.phi(Duel(1, 2)), [0.5, -0.5]);
/// assert_eq!(features.phi(Duel(2, 1)), [-0.5, 0.5]);
/// # Ok::<(), borduel_rank::Error>(())
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
#[non_exhaustive]
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
        // 1 + (−r) or 0 + r, without a branch, which nobody could predict.
        let flipped = f64::from(u8::from(self.negative));
        flipped + f64::from_bits(reward.to_bits() ^ (u64::from(self.negative) << 63))
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

    /// Whether vectors of these features and of those are in the same coordinates, so that one θ belongs to both.
    pub fn shares_basis(&self, other: &Self) -> bool {
        (self.given_dim, self.scale) == (other.given_dim, other.scale) && self.basis == other.basis
    }

    /// Writes other item vectors in the place of these, where features are differences: what is drawn anew again and
    /// again takes no memory. The fingerprint tells them from others.
    #[doc(hidden)]
    pub fn refill(&mut self, fingerprint: u64, write: impl FnOnce(&mut [f64])) {
        if let Store::Differences { items } = &mut self.store {
            write(Arc::make_mut(items));
            self.fingerprint = fingerprint;
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
    #[doc(hidden)]
    pub fn pair_of(&self, index: usize) -> (Arm, Arm) {
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
    #[doc(hidden)]
    pub fn add_vector(&self, index: usize, x: f64, out: &mut [f64]) {
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
    #[doc(hidden)]
    pub fn vector_dot(&self, index: usize, theta: &[f64]) -> f64 {
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
    #[doc(hidden)]
    pub fn dictionary(&self) -> Option<&[f64]> {
        match &self.store {
            Store::Dictionary { vectors, .. } => Some(vectors),
            Store::Differences { .. } => None,
        }
    }

    /// The item vectors x_i row by row; `None` unless the features are differences.
    #[doc(hidden)]
    pub fn item_vectors(&self) -> Option<&[f64]> {
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
    #[doc(hidden)]
    pub fn utilities<'p>(&self, projection: &'p Projection) -> Option<&'p [f64]> {
        self.is_differences().then_some(&projection.0[..])
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

/// The first slot of the pairs (i, i+1), (i, i+2), … among K items.
#[inline]
fn triangle_start(k: usize, i: usize) -> usize {
    i * (2 * k - i - 1) / 2
}

/// The inner product ⟨a, b⟩.
#[inline]
#[doc(hidden)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// a ← a + w b.
#[inline]
#[doc(hidden)]
pub fn add_scaled(a: &mut [f64], w: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x += w * y;
    }
}

#[cfg(test)]
mod tests;
