//! What BEXP3 needs of the features: φ̄ per class of items, and Q = Σ q(i) q(j) φφᵀ from the least number of products.
//!
//! Items with the same φ̄ have the same weight for ever, so q is computed and kept once per class, and a distinct
//! vector's share of Q is Σ_ab n_ab q_a q_b over pairs of classes, n_ab the number of ordered pairs of items between
//! them that carry it up to sign. On the hard instance that is one product for each of 2^d vectors instead of K² of
//! them. For differences Q = 2 Σ q_i x_i x_iᵀ − 2 m mᵀ with m = Σ q_i x_i, and no pair is looked at. The rest are sums
//! over numbers in aligned lanes of four, which the compiler turns into vector instructions.

use crate::duel::{Arm, Duel};
use crate::features::{Features, add_scaled, dot};
use std::collections::BTreeMap;
use std::sync::Arc;

/// See the first paragraph.
#[derive(Debug)]
pub(super) struct Geometry {
    dim: usize,
    /// The class of every item, and the number of items of every class.
    class: Vec<u32>,
    size: Vec<f64>,
    /// φ̄ of every class, coordinate by coordinate.
    means: Vec<f64>,
    /// For a dictionary: per distinct vector, and then for φ = 0, where its rows end; per row, where its partners end.
    vectors: Vec<u32>,
    rows: Vec<Row>,
    partners: Vec<u32>,
    /// A vector that is not listed, since its share is what the others leave of Σ_{i≠j} q(i) q(j): the one with the
    /// most pairs of classes, if it has a quarter of them all and more than φ = 0.
    rest: Option<usize>,
    /// For a short dictionary: for every entry of the upper triangle, that entry of v vᵀ for all distinct vectors v.
    squares: Vec<Lane>,
}

/// Four numbers, aligned so that they need not be loaded before they are multiplied; a list that is no multiple of four
/// ends with zeros.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
struct Lane([f64; 4]);

/// What the computations write to, kept so that a round allocates nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// The weight of every distinct vector in Q.
    weights: Vec<f64>,
    /// Q, row by row, of which only the upper triangle counts; a row is filled up to whole lanes.
    matrix: Vec<f64>,
    /// Σ q_i x_i.
    mean: Vec<f64>,
}

/// A class that is paired with each of its partners by `count` ordered pairs of items.
#[derive(Debug, Clone, Copy)]
struct Row {
    class: u32,
    end: u32,
    count: f64,
}

/// Up to this many numbers (8 MB) the v vᵀ are kept.
const MOST_SQUARES: usize = 1 << 20;

impl Geometry {
    pub(super) fn new(features: &Features) -> Self {
        let (k, d) = (features.items(), features.dim());
        let item_means = features.means();
        let mut known: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
        let (mut class, mut rows, mut size) = (Vec::with_capacity(k), Vec::new(), Vec::new());
        for mean in item_means.chunks_exact(d) {
            let key: Vec<u64> = mean.iter().map(|x| (x + 0.0).to_bits()).collect();
            let next = known.len() as u32;
            let index = *known.entry(key).or_insert_with(|| {
                rows.push(mean);
                size.push(0.0);
                next
            });
            size[index as usize] += 1.0;
            class.push(index);
        }
        let mut geometry = Self {
            dim: d,
            class,
            size,
            means: (0..d).flat_map(|c| rows.iter().map(move |row| row[c])).collect(),
            vectors: Vec::new(),
            rest: None,
            rows: Vec::new(),
            partners: Vec::new(),
            squares: Vec::new(),
        };
        if let Some(vectors) = features.dictionary() {
            geometry.list_pairs(features);
            if features.distinct() * d * (d + 1) / 2 <= MOST_SQUARES {
                for r in 0..d {
                    for c in r..d {
                        // φ = 0 has the last place.
                        let entries: Vec<f64> = vectors.chunks_exact(d).map(|v| v[r] * v[c]).chain([0.0]).collect();
                        geometry.squares.extend(entries.chunks(4).map(lane));
                    }
                }
            }
        }
        geometry
    }

    /// Which classes are paired through which vector, and how often; φ = 0 is listed behind the vectors.
    fn list_pairs(&mut self, features: &Features) {
        let (k, distinct) = (features.items(), features.distinct());
        let mut count: BTreeMap<(usize, u32, u32), u32> = BTreeMap::new();
        for i in 0..k {
            for j in i + 1..k {
                let (a, b) = (self.class[i].min(self.class[j]), self.class[i].max(self.class[j]));
                *count.entry((features.slot(Duel(i, j)).index, a, b)).or_insert(0) += 2;
            }
        }
        let mut pairs = vec![0; distinct + 1];
        count.keys().for_each(|(v, _, _)| pairs[*v] += 1);
        let longest = (0..distinct).max_by_key(|v| pairs[*v]);
        self.rest = longest.filter(|v| pairs[*v] > pairs[distinct] && 4 * pairs[*v] > count.len());
        // The longest list or, if that is no gain, the pairs with φ = 0 need not be looked at. By vector, class and
        // count, so that a row shares all three.
        let unlisted = self.rest.unwrap_or(distinct);
        let listed = count.into_iter().filter(|((v, _, _), _)| *v != unlisted);
        let mut sorted: Vec<(usize, u32, u32, u32)> = listed.map(|((v, a, b), n)| (v, a, n, b)).collect();
        sorted.sort_unstable();
        let mut start = 0;
        for v in 0..=distinct {
            let end = start + sorted[start..].partition_point(|entry| entry.0 == v);
            for row in sorted[start..end].chunk_by(|x, y| (x.1, x.2) == (y.1, y.2)) {
                self.partners.extend(row.iter().map(|entry| entry.3));
                self.rows.push(Row { class: row[0].1, end: self.partners.len() as u32, count: f64::from(row[0].2) });
            }
            self.vectors.push(self.rows.len() as u32);
            start = end;
        }
    }

    /// ⟨φ̄(i), Θ⟩ for every item.
    pub(super) fn scores(&self, theta: &[f64], out: &mut [f64]) {
        let mut per_class = Vec::new();
        self.class_scores(1.0, theta, &mut per_class);
        out.iter_mut().zip(&self.class).for_each(|(o, c)| *o = per_class[*c as usize]);
    }

    /// w ⟨φ̄, Θ⟩ for every class.
    fn class_scores(&self, w: f64, theta: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.size.len(), 0.0);
        for (coordinate, x) in self.means.chunks_exact(self.size.len()).zip(theta) {
            add_scaled(out, w * x, coordinate);
        }
    }

    /// The class of an item.
    #[inline]
    pub(super) fn class(&self, item: Arm) -> usize {
        self.class[item] as usize
    }

    /// The class of every item.
    pub(super) fn classes(&self) -> &[u32] {
        &self.class
    }

    /// q(i) = (1−γ) q̃(i) + γ/K with q̃(i) ∝ exp(η ⟨φ̄(i), Θ⟩), for an item of every class.
    pub(super) fn distribution(&self, eta: f64, gamma: f64, theta: &[f64], out: &mut Vec<f64>) {
        self.class_scores(eta, theta, out);
        let largest = largest(out);
        out.iter_mut().for_each(|value| *value -= largest);
        exponentials(out);
        let (scale, floor) = ((1.0 - gamma) / dot_in_lanes(out, &self.size), gamma / self.class.len() as f64);
        out.iter_mut().for_each(|q| *q = scale * *q + floor);
    }

    /// x ← Q⁻¹ x, with Q of the classes' q.
    pub(super) fn solve(&self, features: &Features, q: &[f64], x: &mut [f64], scratch: &mut Scratch) {
        let stride = self.dim.next_multiple_of(4);
        scratch.matrix.clear();
        scratch.matrix.resize(self.dim * stride, 0.0);
        if let Some(items) = features.item_vectors() {
            self.moment_of_differences(items, q, stride, scratch);
        } else if let Some(vectors) = features.dictionary() {
            self.moment_of_vectors(vectors, q, stride, scratch);
        }
        eliminate(&mut scratch.matrix, stride, x);
    }

    /// Q = 2 Σ q_i x_i x_iᵀ − 2 m mᵀ.
    fn moment_of_differences(&self, items: &[f64], q: &[f64], stride: usize, scratch: &mut Scratch) {
        let Scratch { matrix, mean, .. } = scratch;
        mean.clear();
        mean.resize(self.dim, 0.0);
        for (x, class) in items.chunks_exact(self.dim).zip(&self.class) {
            let weight = q[*class as usize];
            add_outer(matrix, stride, 2.0 * weight, x);
            add_scaled(mean, weight, x);
        }
        add_outer(matrix, stride, -2.0, mean);
    }

    /// Q = Σ_v w_v v vᵀ over the distinct vectors.
    fn moment_of_vectors(&self, vectors: &[f64], q: &[f64], stride: usize, scratch: &mut Scratch) {
        let Scratch { matrix, weights, .. } = scratch;
        weights.resize(self.vectors.len().next_multiple_of(4), 0.0);
        self.weigh(q, weights);
        let d = self.dim;
        if self.squares.is_empty() {
            vectors.chunks_exact(d).zip(weights).for_each(|(v, weight)| add_outer(matrix, stride, *weight, v));
            return;
        }
        let lanes = weights.as_chunks::<4>().0;
        let mut entries = self.squares.chunks_exact(lanes.len());
        for r in 0..d {
            let row = &mut matrix[r * stride + r..r * stride + d];
            row.iter_mut().zip(&mut entries).for_each(|(m, e)| *m = dot_of_lanes(e, lanes));
        }
    }

    /// Every distinct vector's weight in Q, Σ n_ab q_a q_b.
    fn weigh(&self, q: &[f64], weights: &mut [f64]) {
        if self.rest.is_none() && self.partners.len() + 1 == self.vectors.len() {
            // One pair of classes for each vector: the usual case, without the loops below.
            for ((weight, row), partner) in weights.iter_mut().zip(&self.rows).zip(&self.partners) {
                *weight = row.count * q[row.class as usize] * q[*partner as usize];
            }
            return;
        }
        let (mut row, mut start) = (0, 0);
        for (weight, &end) in weights.iter_mut().zip(&self.vectors) {
            *weight = 0.0;
            for r in &self.rows[row..end as usize] {
                let (lanes, rest) = self.partners[start..r.end as usize].as_chunks::<4>();
                // Four sums, for one alone would wait for itself.
                let mut sums = [0.0; 4];
                for lane in lanes {
                    sums = std::array::from_fn(|i| sums[i] + q[lane[i] as usize]);
                }
                let rest: f64 = rest.iter().map(|b| q[*b as usize]).sum();
                *weight += r.count * q[r.class as usize] * ((sums[0] + sums[1]) + (sums[2] + sums[3]) + rest);
                start = r.end as usize;
            }
            row = end as usize;
        }
        if let Some(rest) = self.rest {
            let same: f64 = q.iter().zip(&self.size).map(|(q, n)| n * q * q).sum();
            weights[rest] = 1.0 - same - weights.iter().sum::<f64>();
        }
    }
}

/// Up to four numbers.
fn lane(numbers: &[f64]) -> Lane {
    Lane(std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0)))
}

/// ⟨a, b⟩ in four running sums.
fn dot_of_lanes(a: &[Lane], b: &[[f64; 4]]) -> f64 {
    let mut sums = [0.0; 4];
    for (&Lane(x), y) in a.iter().zip(b) {
        sums = std::array::from_fn(|i| sums[i] + x[i] * y[i]);
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// The same for lists of any length.
fn dot_in_lanes(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (x, y) in a.iter().zip(b) {
        sums = std::array::from_fn(|i| sums[i] + x[i] * y[i]);
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + dot(a_rest, b_rest)
}

/// The largest number of a list, four at a time.
pub(super) fn largest(numbers: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let (lanes, rest) = numbers.as_chunks::<4>();
    let mut most = [f64::NEG_INFINITY; 4];
    for lane in lanes {
        most = std::array::from_fn(|i| larger(most[i], lane[i]));
    }
    rest.iter().chain(&most).copied().fold(f64::NEG_INFINITY, larger)
}

/// Every number x ≤ 0 becomes eˣ, to one or two units in the last place; below −700 it becomes e⁻⁷⁰⁰.
///
/// A loop without branches or calls, which the compiler turns into vector instructions: three times as fast as
/// `f64::exp` one by one. x = k log 2 + r with |r| ≤ ½ log 2, eʳ by its Taylor polynomial of degree 13 (its error is
/// below 10⁻¹⁷), 2ᵏ by its bits.
fn exponentials(values: &mut [f64]) {
    const TAYLOR: [f64; 14] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    /// 1.5 · 2⁵²: adding it leaves the nearest integer in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// log 2 in two parts, the first with enough zeros at its end that k times it is exact.
    const LOG2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    for x in values {
        let y = if *x > -700.0 { *x } else { -700.0 };
        let shifted = y * std::f64::consts::LOG2_E + ROUND;
        let k = shifted - ROUND;
        let r = (y - k * LOG2.0) - k * LOG2.1;
        let mut sum = TAYLOR[0];
        for c in &TAYLOR[1..] {
            sum = sum * r + c;
        }
        let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
        *x = sum * power;
    }
}

/// M ← M + w v vᵀ on the upper triangle.
#[inline]
fn add_outer(matrix: &mut [f64], stride: usize, w: f64, v: &[f64]) {
    for (r, (row, &x)) in matrix.chunks_exact_mut(stride).zip(v).enumerate() {
        add_scaled(&mut row[r..v.len()], w * x, &v[r..]);
    }
}

/// Solves M x = b in place by Gauss's elimination of a symmetric matrix, whose upper triangle is given; whole rows of
/// lanes are subtracted, for what is computed below the diagonal is never read. A direction whose pivot is lost in
/// rounding gets 0.
fn eliminate(matrix: &mut [f64], stride: usize, b: &mut [f64]) {
    let d = b.len();
    let scale = (0..d).map(|c| matrix[c * stride + c]).fold(0.0, f64::max);
    for p in 0..d {
        let (above, below) = matrix.split_at_mut((p + 1) * stride);
        let pivot = &mut above[p * stride..];
        // The diagonal keeps 1/pivot.
        pivot[p] = if pivot[p] > 1e-15 * scale { 1.0 / pivot[p] } else { 0.0 };
        for r in p + 1..d {
            let factor = pivot[r] * pivot[p];
            let row = &mut below[(r - p - 1) * stride..(r - p) * stride];
            let lanes = row.as_chunks_mut::<4>().0.iter_mut().zip(pivot.as_chunks::<4>().0);
            lanes.for_each(|(x, y)| *x = std::array::from_fn(|i| x[i] - factor * y[i]));
            b[r] -= factor * b[p];
        }
    }
    for p in (0..d).rev() {
        let row = &matrix[p * stride..p * stride + d];
        b[p] = (b[p] - dot(&row[p + 1..], &b[p + 1..])) * row[p];
    }
}

/// The geometry, computed when first needed and shared by all replications; no part of the saved state.
#[derive(Debug, Clone, Default)]
pub(super) struct Cached(Option<(u64, Arc<Geometry>)>);

impl Cached {
    pub(super) fn new(features: &Features) -> Self {
        Self(Some((features.fingerprint(), Arc::new(Geometry::new(features)))))
    }

    /// Whether it is there, and these features'.
    #[inline]
    pub(super) fn is_of(&self, features: &Features) -> bool {
        self.0.as_ref().is_some_and(|(made_for, _)| *made_for == features.fingerprint())
    }

    /// Makes it anew; true if there was one, of other features.
    pub(super) fn replace(&mut self, features: &Features) -> bool {
        std::mem::replace(self, Self::new(features)).0.is_some()
    }

    /// The geometry, which every entry point ensures first.
    #[inline]
    pub(super) fn get(&self) -> &Geometry {
        &self.0.as_ref().expect("every entry point ensures the geometry first").1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_library() {
        let mut values: Vec<f64> = (0..140_000).map(|i| -f64::from(i) / 200.0 - f64::from(i % 7) * 1e-4).collect();
        values.extend([0.0, -1e-300, -1e-9, -1e9, -701.0]);
        let expected: Vec<f64> = values.iter().map(|x| x.max(-700.0).exp()).collect();
        exponentials(&mut values);
        for (fast, slow) in values.iter().zip(&expected) {
            assert!((fast / slow - 1.0).abs() <= 4.0 * f64::EPSILON, "{fast} {slow}");
        }
    }

    #[test]
    fn solving_is_inverting() {
        let mut upper = [4.0, 1.0, 0.5, 9.0, 9.0, 3.0, -1.0, 9.0, 9.0, 9.0, 2.0, 9.0];
        let x = [1.0, -2.0, 0.5];
        let full = [4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 2.0];
        let mut b: Vec<f64> = full.chunks(3).map(|row| dot(row, &x)).collect();
        eliminate(&mut upper, 4, &mut b);
        assert!(b.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-14));
    }
}
