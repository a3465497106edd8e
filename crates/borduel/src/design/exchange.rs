//! Moving weight between the vectors of a small set until log det V can hardly grow.

use crate::features::{add_scaled, dot};
use crate::stop;
use nalgebra::{DMatrix, DMatrixView};

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
            // A little above d: the vectors of a design on d vectors all lie at d, up to rounding.
            let mean = self.d as f64 + 0.01 * (lengths[order[0]] - self.d as f64);
            let gaining: Vec<usize> = order.iter().copied().filter(|k| lengths[*k] > mean).collect();
            let losing: Vec<usize> =
                order.iter().rev().copied().filter(|k| lengths[*k] <= mean && self.weights[*k] > 0.0).collect();
            if gaining.is_empty() || losing.is_empty() {
                return;
            }
            // Beyond a few times d exchanges the order is stale and a new sweep cheaper than its last pairs.
            let steps = gaining.len().max(losing.len()).min(8 * self.d);
            for step in 0..steps {
                stop::look();
                self.step(gaining[step % gaining.len()], losing[step % losing.len()]);
            }
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
        let (wa, wb) = (self.weights[a], self.weights[b]);
        if a == b || wa + wb == 0.0 {
            return;
        }
        let (ya, yb) = (&self.rows[a * self.d..][..self.d], &self.rows[b * self.d..][..self.d]);
        times(&self.inverse, ya, &mut self.u);
        times(&self.inverse, yb, &mut self.v);
        let (alpha, beta, rho) = (dot(ya, &self.u), dot(yb, &self.v), dot(ya, &self.v));
        let curvature = 2.0 * (alpha * beta - rho * rho);
        // Parallel vectors have no curvature: all weight goes to the longer one.
        let best =
            if curvature > 1e-14 * alpha * beta { (alpha - beta) / curvature } else { (alpha - beta) * f64::INFINITY };
        let delta = if best.is_nan() { 0.0 } else { best.clamp(-wa, wb) };
        if delta == 0.0 {
            return;
        }
        // What is used up is exactly 0, whatever the rounding.
        self.weights[a] = if delta == -wa { 0.0 } else { wa + delta };
        self.weights[b] = if delta == wb { 0.0 } else { wb - delta };
        // (V + δaaᵀ − δbbᵀ)⁻¹ = V⁻¹ − δ (u v) (1+δα, δρ; δρ, δβ−1)⁻¹ (u v)ᵀ with u = V⁻¹a, v = V⁻¹b.
        let (p, q, s) = (1.0 + delta * alpha, delta * rho, delta * beta - 1.0);
        let scale = delta / (p * s - q * q);
        let (uu, uv, vv) = (-scale * s, scale * q, -scale * p);
        for (c, column) in self.inverse.as_mut_slice().chunks_exact_mut(self.d).enumerate() {
            let (x, y) = (uu * self.u[c] + uv * self.v[c], uv * self.u[c] + vv * self.v[c]);
            for ((m, u), v) in column.iter_mut().zip(&self.u).zip(&self.v) {
                *m += x * u + y * v;
            }
        }
    }
}

/// out = M y for a symmetric M.
fn times(matrix: &DMatrix<f64>, y: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (x, column) in y.iter().zip(matrix.as_slice().chunks_exact(y.len())) {
        add_scaled(out, *x, column);
    }
}
