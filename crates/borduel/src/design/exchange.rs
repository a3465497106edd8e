//! Moving weight between the vectors of a small set until log det V can hardly grow.

use crate::features::{add_scaled, dot};
use crate::stop;
use nalgebra::{DMatrix, DMatrixView};
use std::ops::Range;

/// With more dimensions than this, exchanges are made in blocks: see [`Exchange::block`].
const WIDE: usize = 128;
/// So many exchanges are a block.
const BLOCK: usize = 32;

/// How often a set is swept before it is worth looking for other vectors.
const SWEEPS: usize = 3;

/// A set of vectors in a frame where V = Σ w yyᵀ = I at first, with V⁻¹ kept through every exchange.
pub(super) struct Exchange<'r> {
    d: usize,
    rows: &'r [f64],
    weights: &'r mut [f64],
    inverse: DMatrix<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
}

impl<'r> Exchange<'r> {
    /// Begins where V = I.
    pub(super) fn new(d: usize, rows: &'r [f64], weights: &'r mut [f64]) -> Self {
        Self { d, rows, weights, inverse: DMatrix::identity(d, d), u: vec![0.0; d], v: vec![0.0; d] }
    }

    /// Sweeps until max ‖y‖²_{V⁻¹} ≤ `goal`, at most a few times.
    ///
    /// A sweep sorts all vectors by ‖y‖²_{V⁻¹} and pairs those above d, largest first, with those below d that have
    /// weight, smallest first; each pair exchanges as much weight as is best for both (Böhning 1986; the order follows
    /// the batches of Harman, Filová and Richtárik 2020).
    pub(super) fn run(&mut self, goal: f64) {
        for _ in 0..SWEEPS {
            let lengths = self.lengths();
            let mut order: Vec<usize> = (0..lengths.len()).collect();
            order.sort_unstable_by(|a, b| lengths[*b].total_cmp(&lengths[*a]).then(a.cmp(b)));
            if lengths[order[0]] <= goal {
                return;
            }
            let pairs = self.pairs(&order, &lengths, self.d as f64);
            if pairs.is_empty() {
                return;
            }
            self.steps(&pairs);
        }
    }

    /// The same where the vectors of every one of several groups exchange weight among themselves alone: until Σ w max
    /// ‖y‖²_{V⁻¹} over groups, w what all of a group weigh together, is at most `goal`.
    pub(super) fn run_within(&mut self, groups: &[Range<usize>], goal: f64) {
        for _ in 0..SWEEPS {
            let lengths = self.lengths();
            let (mut sum, mut pairs) = (0.0, Vec::new());
            for group in groups {
                let mut order: Vec<usize> = group.clone().collect();
                order.sort_unstable_by(|a, b| lengths[*b].total_cmp(&lengths[*a]).then(a.cmp(b)));
                let all: f64 = self.weights[group.clone()].iter().sum();
                let mean = group.clone().map(|k| self.weights[k] * lengths[k]).sum::<f64>() / all;
                sum += all * order.first().map_or(0.0, |k| lengths[*k]);
                pairs.extend(self.pairs(&order, &lengths, mean));
            }
            if sum <= goal || pairs.is_empty() {
                return;
            }
            self.steps(&pairs);
        }
    }

    /// Who gains and who loses in a sweep: those above the mean of ‖y‖²_{V⁻¹}, in the order of their lengths, and those
    /// below it, in the opposite one.
    fn pairs(&self, order: &[usize], lengths: &[f64], mean: f64) -> Vec<(usize, usize)> {
        let Some(longest) = order.first() else { return Vec::new() };
        // A little above the mean: the vectors of a design on d vectors all lie at d, up to rounding.
        let mean = mean + 0.01 * (lengths[*longest] - mean);
        let gaining: Vec<usize> = order.iter().copied().filter(|k| lengths[*k] > mean).collect();
        let losing: Vec<usize> =
            order.iter().rev().copied().filter(|k| lengths[*k] <= mean && self.weights[*k] > 0.0).collect();
        if gaining.is_empty() || losing.is_empty() {
            return Vec::new();
        }
        // Beyond a few times d exchanges the order is stale and a new sweep cheaper than its last pairs.
        let steps = gaining.len().max(losing.len()).min(8 * self.d);
        (0..steps).map(|step| (gaining[step % gaining.len()], losing[step % losing.len()])).collect()
    }

    /// These exchanges, one after the other.
    fn steps(&mut self, pairs: &[(usize, usize)]) {
        if self.d > WIDE {
            for block in pairs.chunks(BLOCK) {
                stop::check();
                self.block(block);
            }
            return;
        }
        for &(a, b) in pairs {
            stop::check();
            self.step(a, b);
        }
    }

    /// ‖y‖²_{V⁻¹} of every row.
    fn lengths(&self) -> Vec<f64> {
        let rows = DMatrixView::from_slice(self.rows, self.d, self.weights.len());
        let turned = &self.inverse * rows;
        self.rows.chunks_exact(self.d).zip(turned.column_iter()).map(|(y, z)| dot(y, z.as_slice())).collect()
    }

    /// Moves from b to a the weight δ that maximises log det(V + δ aaᵀ − δ bbᵀ), within what both have.
    ///
    /// With α = aᵀV⁻¹a, β = bᵀV⁻¹b and ρ = aᵀV⁻¹b the determinant grows by the factor (1 + δα)(1 − δβ) + δ²ρ², which
    /// is largest at δ = (α − β) / 2(αβ − ρ²).
    fn step(&mut self, a: usize, b: usize) {
        if a == b || self.weights[a] + self.weights[b] == 0.0 {
            return;
        }
        let rows = self.rows;
        times(&self.inverse, &rows[a * self.d..][..self.d], &mut self.u);
        times(&self.inverse, &rows[b * self.d..][..self.d], &mut self.v);
        let Some((uu, uv, vv)) = self.exchange(a, b) else { return };
        for (c, column) in self.inverse.as_mut_slice().chunks_exact_mut(self.d).enumerate() {
            let (x, y) = (uu * self.u[c] + uv * self.v[c], uv * self.u[c] + vv * self.v[c]);
            for ((m, u), v) in column.iter_mut().zip(&self.u).zip(&self.v) {
                *m += x * u + y * v;
            }
        }
    }

    /// Several steps, one after the other, for which V⁻¹ is read and written once: u = V⁻¹a and v = V⁻¹b of all of
    /// them come from one product of matrices, each is brought up to date by the steps before it in the block, and
    /// another product adds what all have changed. With hundreds of dimensions that is several times as quick as going
    /// through V⁻¹ in every step.
    fn block(&mut self, pairs: &[(usize, usize)]) {
        let (d, rows) = (self.d, self.rows);
        let row = |k: usize| &rows[k * d..][..d];
        let chosen: Vec<f64> = pairs.iter().flat_map(|&(a, b)| [row(a), row(b)]).flatten().copied().collect();
        let turned = &self.inverse * DMatrixView::from_slice(&chosen, d, 2 * pairs.len());
        // V⁻¹ is by now `inverse` + `scaled` `learned`ᵀ, a column for each of the u and v so far.
        let (mut learned, mut scaled): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let up_to_date = |out: &mut [f64], column: usize, y: &[f64], learned: &[f64], scaled: &[f64]| {
            out.copy_from_slice(turned.column(column).as_slice());
            for (l, s) in learned.chunks_exact(d).zip(scaled.chunks_exact(d)) {
                add_scaled(out, dot(l, y), s);
            }
        };
        for (at, &(a, b)) in pairs.iter().enumerate() {
            if a == b || self.weights[a] + self.weights[b] == 0.0 {
                continue;
            }
            up_to_date(&mut self.u, 2 * at, row(a), &learned, &scaled);
            up_to_date(&mut self.v, 2 * at + 1, row(b), &learned, &scaled);
            let Some((uu, uv, vv)) = self.exchange(a, b) else { continue };
            learned.extend(self.u.iter().chain(&self.v));
            scaled.extend(self.u.iter().zip(&self.v).map(|(u, v)| uu * u + uv * v));
            scaled.extend(self.u.iter().zip(&self.v).map(|(u, v)| uv * u + vv * v));
        }
        let changes = learned.len() / d;
        if changes > 0 {
            let learned = DMatrixView::from_slice(&learned, d, changes).transpose();
            self.inverse.gemm(1.0, &DMatrixView::from_slice(&scaled, d, changes), &learned, 1.0);
        }
    }

    /// Moves the weight, with u = V⁻¹a and v = V⁻¹b; gives what V⁻¹ changes by, uu·uuᵀ + uv·(uvᵀ + vuᵀ) + vv·vvᵀ.
    fn exchange(&mut self, a: usize, b: usize) -> Option<(f64, f64, f64)> {
        let (wa, wb) = (self.weights[a], self.weights[b]);
        let (ya, yb) = (&self.rows[a * self.d..][..self.d], &self.rows[b * self.d..][..self.d]);
        let (alpha, beta, rho) = (dot(ya, &self.u), dot(yb, &self.v), dot(ya, &self.v));
        let curvature = 2.0 * (alpha * beta - rho * rho);
        // Parallel vectors have no curvature: all weight goes to the longer one.
        let best =
            if curvature > 1e-14 * alpha * beta { (alpha - beta) / curvature } else { (alpha - beta) * f64::INFINITY };
        let delta = if best.is_nan() { 0.0 } else { best.clamp(-wa, wb) };
        if delta == 0.0 {
            return None;
        }
        // What is used up is exactly 0, whatever the rounding.
        self.weights[a] = if delta == -wa { 0.0 } else { wa + delta };
        self.weights[b] = if delta == wb { 0.0 } else { wb - delta };
        // (V + δaaᵀ − δbbᵀ)⁻¹ = V⁻¹ − δ (u v) (1+δα, δρ; δρ, δβ−1)⁻¹ (u v)ᵀ with u = V⁻¹a, v = V⁻¹b.
        let (p, q, s) = (1.0 + delta * alpha, delta * rho, delta * beta - 1.0);
        let scale = delta / (p * s - q * q);
        Some((-scale * s, scale * q, -scale * p))
    }
}

/// out = M y for a symmetric M.
fn times(matrix: &DMatrix<f64>, y: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (x, column) in y.iter().zip(matrix.as_slice().chunks_exact(y.len())) {
        add_scaled(out, *x, column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    /// A block does what its steps do one by one.
    #[test]
    fn blocks_do_what_steps_do() {
        let (d, n, mut s) = (20, 60, stream(4, &[]));
        // V = Σ w yyᵀ = I to begin with: √d times the axes, and others without weight.
        let mut rows = vec![0.0; d * n];
        (0..d).for_each(|c| rows[c * d + c] = (d as f64).sqrt());
        rows[d * d..].iter_mut().for_each(|x| *x = 1.5 * s.normal());
        let weights: Vec<f64> = (0..n).map(|k| if k < d { 1.0 / d as f64 } else { 0.0 }).collect();
        let pairs: Vec<(usize, usize)> = (0..BLOCK).map(|_| (d + s.below(n - d), s.below(d))).chain([(3, 3)]).collect();
        let (mut one, mut all) = (weights.clone(), weights.clone());
        let mut by_one = Exchange::new(d, &rows, &mut one);
        pairs.iter().for_each(|&(a, b)| by_one.step(a, b));
        let mut by_block = Exchange::new(d, &rows, &mut all);
        by_block.block(&pairs);
        assert!((&by_one.inverse - &by_block.inverse).amax() < 1e-9);
        assert!(one.iter().zip(&all).all(|(a, b)| (a - b).abs() < 1e-9));
        assert!(one != weights && (one.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
