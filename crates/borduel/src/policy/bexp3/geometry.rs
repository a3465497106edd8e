//! What BEXP3 needs of the features: φ̄ per class of items, and Q = Σ q(i) q(j) φφᵀ from the least number of products.
//!
//! Items with the same φ̄ have the same weight for ever, so weights are computed once per class, and a distinct vector's
//! share of Q is Σ_ab n_ab q_a q_b over pairs of classes, n_ab the number of ordered pairs of items between them that carry
//! it up to sign. On the hard instance that is one product for each of 2^d vectors instead of K² of them. For differences
//! Q = 2 Σ q_i x_i x_iᵀ − 2 m mᵀ with m = Σ q_i x_i, and no pair is looked at.

use crate::duel::Duel;
use crate::features::{Features, add_scaled, dot};
use std::collections::BTreeMap;
use std::sync::Arc;

/// See the first paragraph.
#[derive(Debug)]
pub(super) struct Geometry {
    dim: usize,
    /// The class of every item, and a member of every class.
    class: Vec<u32>,
    member: Vec<u32>,
    /// φ̄ of every class, row by row.
    means: Vec<f64>,
    /// For a dictionary: per distinct vector, where its rows end; per row, where its partners end.
    vectors: Vec<u32>,
    rows: Vec<Row>,
    partners: Vec<u32>,
    /// For a short dictionary: for every entry of the lower triangle, that entry of v vᵀ for all distinct vectors v,
    /// filled up to whole lanes of four.
    squares: Vec<f64>,
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
        let (mut class, mut means, mut member) = (Vec::with_capacity(k), Vec::new(), Vec::new());
        for (item, mean) in item_means.chunks_exact(d).enumerate() {
            let key: Vec<u64> = mean.iter().map(|x| (x + 0.0).to_bits()).collect();
            let next = known.len() as u32;
            let index = *known.entry(key).or_insert_with(|| {
                means.extend_from_slice(mean);
                member.push(item as u32);
                next
            });
            class.push(index);
        }
        let mut geometry = Self {
            dim: d,
            class,
            member,
            means,
            vectors: Vec::new(),
            rows: Vec::new(),
            partners: Vec::new(),
            squares: Vec::new(),
        };
        if let Some(vectors) = features.dictionary() {
            geometry.list_pairs(features);
            let padded = features.distinct().next_multiple_of(4);
            if padded * d * (d + 1) / 2 <= MOST_SQUARES {
                for r in 0..d {
                    for c in 0..=r {
                        geometry.squares.extend(vectors.chunks_exact(d).map(|v| v[r] * v[c]));
                        geometry.squares.resize(geometry.squares.len().next_multiple_of(padded), 0.0);
                    }
                }
            }
        }
        geometry
    }

    /// Which classes are paired through which vector, and how often.
    fn list_pairs(&mut self, features: &Features) {
        let k = features.items();
        let mut count: BTreeMap<(usize, u32, u32), u32> = BTreeMap::new();
        for i in 0..k {
            for j in i + 1..k {
                let slot = features.slot(Duel(i, j)).index;
                if slot < features.distinct() {
                    let (a, b) = (self.class[i].min(self.class[j]), self.class[i].max(self.class[j]));
                    *count.entry((slot, a, b)).or_insert(0) += 2;
                }
            }
        }
        // By vector, class and count, so that a row shares all three.
        let mut sorted: Vec<(usize, u32, u32, u32)> = count.into_iter().map(|((v, a, b), n)| (v, a, n, b)).collect();
        sorted.sort_unstable();
        self.vectors = vec![0; features.distinct()];
        let mut last = None;
        for (v, a, n, b) in sorted {
            if last != Some((v, a, n)) {
                self.rows.push(Row { class: a, end: 0, count: f64::from(n) });
                last = Some((v, a, n));
            }
            self.partners.push(b);
            let end = self.partners.len() as u32;
            self.rows.iter_mut().next_back().into_iter().for_each(|row| row.end = end);
            self.vectors[v] = self.rows.len() as u32;
        }
    }

    /// ⟨φ̄(i), Θ⟩ for every item.
    pub(super) fn scores(&self, theta: &[f64], out: &mut [f64]) {
        let per_class: Vec<f64> = self.means.chunks_exact(self.dim).map(|mean| dot(mean, theta)).collect();
        out.iter_mut().zip(&self.class).for_each(|(o, c)| *o = per_class[*c as usize]);
    }

    /// q(i) = (1−γ) q̃(i) + γ/K with q̃(i) ∝ exp(η ⟨φ̄(i), Θ⟩), by way of the classes.
    pub(super) fn distribution(&self, eta: f64, gamma: f64, theta: &[f64], out: &mut Vec<f64>) {
        let k = self.class.len();
        // The classes' values are kept behind the items' until they are spread out.
        out.resize(k + self.member.len(), 0.0);
        let (items, per_class) = out.split_at_mut(k);
        let mut largest = f64::NEG_INFINITY;
        for (value, mean) in per_class.iter_mut().zip(self.means.chunks_exact(self.dim)) {
            *value = eta * dot(mean, theta);
            largest = if *value > largest { *value } else { largest };
        }
        per_class.iter_mut().for_each(|value| *value -= largest);
        exponentials(per_class);
        let mut total = 0.0;
        for (item, class) in items.iter_mut().zip(&self.class) {
            *item = per_class[*class as usize];
            total += *item;
        }
        out.truncate(k);
        let (scale, floor) = ((1.0 - gamma) / total, gamma / k as f64);
        out.iter_mut().for_each(|q| *q = scale * *q + floor);
    }

    /// Q, as the lower triangle of a d × d matrix row by row.
    pub(super) fn second_moment(&self, features: &Features, q: &[f64], out: &mut Vec<f64>) {
        let d = self.dim;
        out.clear();
        out.resize(d * d, 0.0);
        if let Some(items) = features.item_vectors() {
            // The mean of the items is summed behind the matrix's place.
            out.resize(d * d + d, 0.0);
            let (matrix, mean) = out.split_at_mut(d * d);
            for (x, &weight) in items.chunks_exact(d).zip(q) {
                add_outer(matrix, 2.0 * weight, x);
                add_scaled(mean, weight, x);
            }
            add_outer(matrix, -2.0, mean);
        } else if let Some(vectors) = features.dictionary() {
            // So are the vectors' weights and the classes' q.
            let padded = features.distinct().next_multiple_of(4);
            out.resize(d * d + padded + self.member.len(), 0.0);
            let (matrix, rest) = out.split_at_mut(d * d);
            let (weights, per_class) = rest.split_at_mut(padded);
            per_class.iter_mut().zip(&self.member).for_each(|(value, item)| *value = q[*item as usize]);
            self.weigh(per_class, weights);
            if self.squares.is_empty() {
                vectors.chunks_exact(d).zip(weights).for_each(|(v, weight)| add_outer(matrix, *weight, v));
            } else {
                let mut entries = self.squares.chunks_exact(padded);
                for r in 0..d {
                    matrix[r * d..=r * d + r]
                        .iter_mut()
                        .zip(&mut entries)
                        .for_each(|(m, e)| *m = dot_in_lanes(e, weights));
                }
            }
        }
        out.truncate(d * d);
    }

    /// Every distinct vector's weight in Q, Σ n_ab q_a q_b.
    fn weigh(&self, q: &[f64], weights: &mut [f64]) {
        let (mut row, mut start) = (0, 0);
        for (weight, &end) in weights.iter_mut().zip(&self.vectors) {
            *weight = 0.0;
            for r in &self.rows[row..end as usize] {
                let partners: f64 = self.partners[start..r.end as usize].iter().map(|b| q[*b as usize]).sum();
                *weight += r.count * q[r.class as usize] * partners;
                start = r.end as usize;
            }
            row = end as usize;
        }
    }
}

/// ⟨a, b⟩ in four running sums, which the compiler adds two at a time; the lengths are multiples of four.
fn dot_in_lanes(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for (x, y) in a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0) {
        sums = std::array::from_fn(|lane| sums[lane] + x[lane] * y[lane]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Every number x ≤ 0 becomes eˣ, to one or two units in the last place; below −700 it becomes e⁻⁷⁰⁰.
///
/// A loop without branches or calls, which the compiler turns into vector instructions: three times as fast as `f64::exp` one
/// by one. x = k log 2 + r with |r| ≤ ½ log 2, eʳ by its Taylor polynomial of degree 13 (its error is below 10⁻¹⁷), 2ᵏ by its bits.
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

/// M ← M + w v vᵀ on the lower triangle.
#[inline]
fn add_outer(matrix: &mut [f64], w: f64, v: &[f64]) {
    let d = v.len();
    for (r, (row, &x)) in matrix.chunks_exact_mut(d).zip(v).enumerate() {
        add_scaled(&mut row[..=r], w * x, v);
    }
}

/// Solves M x = b in place by Cholesky's factor of the lower triangle. A direction whose pivot is lost in rounding gets 0.
pub(super) fn solve(matrix: &mut [f64], b: &mut [f64]) {
    let d = b.len();
    let scale = (0..d).map(|c| matrix[c * d + c]).fold(0.0, f64::max);
    for i in 0..d {
        for j in 0..=i {
            let (row_i, row_j) = (&matrix[i * d..i * d + j], &matrix[j * d..j * d + j]);
            let rest = matrix[i * d + j] - dot(row_i, row_j);
            matrix[i * d + j] = if i > j {
                rest * matrix[j * d + j]
            } else if rest > 1e-15 * scale {
                // The diagonal holds 1/l, so that only multiplications follow.
                1.0 / rest.sqrt()
            } else {
                0.0
            };
        }
    }
    for i in 0..d {
        b[i] = (b[i] - dot(&matrix[i * d..i * d + i], &b[..i])) * matrix[i * d + i];
    }
    for i in (0..d).rev() {
        let below: f64 = (i + 1..d).map(|r| matrix[r * d + i] * b[r]).sum();
        b[i] = (b[i] - below) * matrix[i * d + i];
    }
}

/// The geometry, computed when first needed and shared by all replications; no part of the saved state.
#[derive(Debug, Clone, Default)]
pub(super) struct Cached(Option<Arc<Geometry>>);

impl Cached {
    pub(super) fn new(features: &Features) -> Self {
        Self(Some(Arc::new(Geometry::new(features))))
    }

    #[inline]
    pub(super) fn ensure(&mut self, features: &Features) {
        if self.0.is_none() {
            *self = Self::new(features);
        }
    }

    /// The geometry; [`ensure`](Self::ensure) has made it.
    #[inline]
    pub(super) fn get(&self) -> Arc<Geometry> {
        self.0.clone().expect("every entry point ensures the geometry first")
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
        let a = [4.0, 9.0, 9.0, 1.0, 3.0, 9.0, 0.5, -1.0, 2.0];
        let x = [1.0, -2.0, 0.5];
        let full = [4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 2.0];
        let mut b: Vec<f64> = full.chunks(3).map(|row| dot(row, &x)).collect();
        solve(&mut a.to_vec(), &mut b);
        assert!(b.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-14));
    }
}
