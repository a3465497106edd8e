//! The vectors a design may use, and the search for the longest of them in a frame.

use super::frame::Frame;
use super::pairs;
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

/// What a search found.
pub(super) struct Found {
    /// The largest ‖y‖² seen.
    pub(super) max: f64,
    /// An upper bound on all of them: equal to `max` unless the search ran out of its budget.
    pub(super) bound: f64,
    /// The longest ones, as (‖y‖², slot), longest first.
    pub(super) top: Vec<(f64, usize)>,
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
        let count = if self.features.is_differences() { self.room() } else { ROWS };
        let step = n.div_ceil(count).max(1);
        self.some((0..n).step_by(step).collect())
    }

    /// Of all candidates, those of the support and the longest found; for differences, all pairs of the items that occur
    /// in the support, and of the first so many that occur in the longest.
    pub(super) fn chosen(&self, support: &[usize], longest: &[(f64, usize)]) -> Self {
        let longest = longest.iter().map(|(_, slot)| *slot);
        if !self.features.is_differences() {
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

    pub(super) fn dim(&self) -> usize {
        self.features.dim()
    }

    pub(super) fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// The slot of a row, or of a pair of rows.
    fn name(&self, row: usize) -> usize {
        self.names.as_ref().map_or(row, |names| names[row])
    }

    /// The slot of a pair of rows of difference features.
    pub(super) fn pair_slot(&self, a: usize, b: usize) -> usize {
        self.features.slot(Duel(self.name(a), self.name(b))).index
    }

    /// The candidate with the largest |⟨φ, direction⟩|, and that value.
    pub(super) fn farthest(&self, direction: &[f64]) -> (f64, usize) {
        let reach = self.rows.chunks_exact(self.dim()).map(|row| dot(row, direction)).enumerate();
        if self.features.is_differences() {
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

    /// The `limit` longest candidates in a frame, among those no shorter than ‖y‖² = d (some always is: the mean of
    /// ‖y‖² under the design is d); at most about `budget` pairs of items are looked at.
    pub(super) fn search(&self, frame: &Frame, limit: usize, budget: usize) -> Found {
        let d = self.dim();
        let mut top = Top::new(d as f64 * (1.0 - 1e-9), limit);
        if self.features.is_differences() {
            let rest = pairs::search(self, frame, budget, &mut top);
            let max = top.max;
            return Found { max, bound: max.max(rest), top: top.sorted().0 };
        }
        let mut y = Vec::new();
        for (block, rows) in self.rows.chunks(BLOCK * d).enumerate() {
            frame.apply(rows, &mut y);
            for (k, row) in y.chunks_exact(d).enumerate() {
                let length = dot(row, row);
                if length > top.floor {
                    top.push(length, self.name(block * BLOCK + k));
                }
            }
        }
        Found { max: top.max, bound: top.max, top: top.sorted().0 }
    }
}

/// The largest few of many values; which ones does not depend on the order they come in.
pub(super) struct Top {
    /// Values not above this are of no interest.
    pub(super) floor: f64,
    limit: usize,
    max: f64,
    list: Vec<(f64, usize)>,
    full: bool,
}

impl Top {
    pub(super) fn new(floor: f64, limit: usize) -> Self {
        Self { floor, limit, max: floor, list: Vec::new(), full: false }
    }

    /// An empty list with the same floor and limit.
    pub(super) fn like(&self) -> Self {
        Self::new(self.floor, self.limit)
    }

    pub(super) fn push(&mut self, value: f64, name: usize) {
        self.max = self.max.max(value);
        self.list.push((value, name));
        if self.list.len() >= 2 * self.limit {
            self.cut();
        }
    }

    /// Keeps the largest and raises the floor to the least of them.
    fn cut(&mut self) {
        self.list.select_nth_unstable_by(self.limit - 1, larger_first);
        self.list.truncate(self.limit);
        self.floor = self.list[self.limit - 1].0;
        self.full = true;
    }

    /// The values kept with their names, largest first, and a bound on those above the first floor that were not kept;
    /// 0 if all were.
    pub(super) fn sorted(mut self) -> (Vec<(f64, usize)>, f64) {
        if self.list.len() > self.limit {
            self.cut();
        }
        self.list.sort_unstable_by(larger_first);
        (self.list, if self.full { self.floor } else { 0.0 })
    }
}

fn larger_first(a: &(f64, usize), b: &(f64, usize)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
