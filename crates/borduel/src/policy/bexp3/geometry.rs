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
    /// The class of every item.
    class: Vec<u32>,
    /// φ̄ of every class, row by row.
    means: Vec<f64>,
    /// For a dictionary: per distinct vector, where its terms end.
    ends: Vec<u32>,
    terms: Vec<Term>,
    /// A member of every class.
    member: Vec<u32>,
}

/// `count` ordered pairs between two classes.
#[derive(Debug, Clone, Copy)]
struct Term {
    a: u32,
    b: u32,
    count: f64,
}

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
        let (mut ends, mut terms) = (Vec::new(), Vec::new());
        if !features.is_differences() {
            let mut count: BTreeMap<(usize, u32, u32), f64> = BTreeMap::new();
            for i in 0..k {
                for j in i + 1..k {
                    let slot = features.slot(Duel(i, j)).index;
                    if slot < features.distinct() {
                        let (a, b) = (class[i].min(class[j]), class[i].max(class[j]));
                        *count.entry((slot, a, b)).or_insert(0.0) += 2.0;
                    }
                }
            }
            ends = vec![0; features.distinct()];
            for ((slot, a, b), count) in count {
                terms.push(Term { a, b, count });
                ends[slot] = terms.len() as u32;
            }
        }
        Self { dim: d, class, means, ends, terms, member }
    }

    /// ⟨φ̄(i), Θ⟩ for every item.
    pub(super) fn scores(&self, theta: &[f64], out: &mut [f64]) {
        let per_class: Vec<f64> = self.means.chunks_exact(self.dim).map(|mean| dot(mean, theta)).collect();
        out.iter_mut().zip(&self.class).for_each(|(o, c)| *o = per_class[*c as usize]);
    }

    /// q̃(i) ∝ exp(η ⟨φ̄(i), Θ⟩) for every item, by way of the classes.
    pub(super) fn softmax(&self, eta: f64, theta: &[f64], out: &mut Vec<f64>) {
        let k = self.class.len();
        let classes = self.member.len();
        // The classes' values are kept behind the items' until they are spread out.
        out.resize(k + classes, 0.0);
        let (items, per_class) = out.split_at_mut(k);
        let mut largest = f64::NEG_INFINITY;
        for (value, mean) in per_class.iter_mut().zip(self.means.chunks_exact(self.dim)) {
            *value = eta * dot(mean, theta);
            largest = largest.max(*value);
        }
        per_class.iter_mut().for_each(|value| *value = (*value - largest).exp());
        let mut total = 0.0;
        for (item, class) in items.iter_mut().zip(&self.class) {
            *item = per_class[*class as usize];
            total += *item;
        }
        out.truncate(k);
        out.iter_mut().for_each(|q| *q /= total);
    }

    /// Q, as the lower triangle of a d × d matrix row by row.
    pub(super) fn second_moment(&self, features: &Features, q: &[f64], out: &mut Vec<f64>) {
        let d = self.dim;
        out.clear();
        out.resize(d * d, 0.0);
        if let Some(items) = features.item_vectors() {
            let mut mean = vec![0.0; d];
            for (x, &weight) in items.chunks_exact(d).zip(q) {
                add_outer(out, 2.0 * weight, x);
                add_scaled(&mut mean, weight, x);
            }
            add_outer(out, -2.0, &mean);
        } else if let Some(vectors) = features.dictionary() {
            let mut start = 0;
            for (v, &end) in vectors.chunks_exact(d).zip(&self.ends) {
                let of = |class: u32| q[self.member[class as usize] as usize];
                let weight: f64 = self.terms[start..end as usize].iter().map(|t| t.count * of(t.a) * of(t.b)).sum();
                start = end as usize;
                add_outer(out, weight, v);
            }
        }
    }
}

/// M ← M + w v vᵀ on the lower triangle.
#[inline]
fn add_outer(matrix: &mut [f64], w: f64, v: &[f64]) {
    let d = v.len();
    for (row, &x) in matrix.chunks_exact_mut(d).zip(v) {
        let factor = w * x;
        for (m, y) in row.iter_mut().zip(v) {
            *m += factor * y;
        }
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
