//! The vectors a design may use.

use crate::duel::{Arm, Duel};
use crate::features::{Features, dot};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Rows handled at a time: their block of products stays in the cache.
pub(super) const BLOCK: usize = 256;

/// How many rows of a dictionary, and how many items, are enough for a good guess.
pub(super) const ROWS: usize = 4096;
const ITEMS: usize = 512;

/// A subset of the distinct vectors of some features: some rows of a dictionary, or all pairs of some items.
pub(super) struct Candidates<'f> {
    features: &'f Features,
    /// Dictionary rows or item vectors.
    rows: Cow<'f, [f64]>,
    /// The index of each row among all; `None` if all are here.
    names: Option<Vec<usize>>,
}

impl<'f> Candidates<'f> {
    /// All of them.
    pub(super) fn all(features: &'f Features) -> Self {
        let rows = features.dictionary().or(features.item_vectors()).unwrap_or_default();
        Self { features, rows: Cow::Borrowed(rows), names: None }
    }

    /// Those of the given row indices.
    fn some(&self, mut names: Vec<usize>) -> Self {
        names.sort_unstable();
        names.dedup();
        let d = self.features.dim();
        let rows = names.iter().flat_map(|&k| &self.rows[k * d..(k + 1) * d]).copied().collect();
        Self { features: self.features, rows: Cow::Owned(rows), names: Some(names) }
    }

    /// Of all candidates, so many evenly spread.
    pub(super) fn thinned(&self) -> Self {
        let n = self.len();
        let count = if self.are_pairs() { self.room() } else { ROWS };
        let step = n.div_ceil(count).max(1);
        self.some((0..n).step_by(step).collect())
    }

    /// Of all candidates, those of the support and the longest found; for differences, all pairs of the items that
    /// occur in the support, and of the first so many that occur in the longest.
    pub(super) fn chosen(&self, support: &[usize], longest: &[(f64, usize)]) -> Self {
        let longest = longest.iter().map(|(_, slot)| *slot);
        if !self.are_pairs() {
            return self.some(support.iter().copied().chain(longest).collect());
        }
        let mut names: BTreeSet<Arm> = BTreeSet::new();
        for slot in support {
            names.extend(<[Arm; 2]>::from(self.features.pair_of(*slot)));
        }
        let room = names.len() + self.room();
        for slot in longest {
            if names.len() >= room {
                break;
            }
            names.extend(<[Arm; 2]>::from(self.features.pair_of(slot)));
        }
        self.some(names.into_iter().collect())
    }

    /// How many items may join a pool at a time.
    fn room(&self) -> usize {
        ITEMS.max(self.len() / ITEMS)
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.features.dim()
    }

    /// Whether they are differences of item vectors, so that the rows are items and every pair of them is a candidate.
    pub(super) fn are_pairs(&self) -> bool {
        self.features.is_differences()
    }

    pub(super) fn dim(&self) -> usize {
        self.features.dim()
    }

    pub(super) fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// The slot of a row, or of a pair of rows.
    pub(super) fn name(&self, row: usize) -> usize {
        self.names.as_ref().map_or(row, |names| names[row])
    }

    /// The slot of a pair of rows of difference features.
    pub(super) fn pair_slot(&self, a: usize, b: usize) -> usize {
        self.features.slot(Duel(self.name(a), self.name(b))).index
    }

    /// The candidate with the largest |⟨φ, direction⟩|, and that value.
    pub(super) fn farthest(&self, direction: &[f64]) -> (f64, usize) {
        let reach = self.rows.chunks_exact(self.dim()).map(|row| dot(row, direction)).enumerate();
        if self.are_pairs() {
            let first = (f64::INFINITY, 0, f64::NEG_INFINITY, 0);
            let (low, a, high, b) = reach.fold(first, |(low, a, high, b), (k, x)| {
                let (low, a) = if x < low { (x, k) } else { (low, a) };
                let (high, b) = if x > high { (x, k) } else { (high, b) };
                (low, a, high, b)
            });
            (high - low, self.pair_slot(a, b))
        } else {
            let (reach, row) = reach.fold((-1.0, 0), |best, (k, x)| if x.abs() > best.0 { (x.abs(), k) } else { best });
            (reach, self.name(row))
        }
    }
}
