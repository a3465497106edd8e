//! The design for estimates of scores, where it may be another one than that for all pairs.

use super::contextual::{ContextualDesign, g_optimal_in_contexts};
use super::{Design, check, frame};
use crate::features::Features;
use crate::{Result, size, stop};
use nalgebra::{Cholesky, DMatrix, DMatrixViewMut, Dyn};

/// Rounds after which a design is returned as it is. About a hundred are usual at a tolerance of 0.01.
const PATIENCE: usize = 3_000;

/// All pairs' vectors and all differences of means are looked at in every round: at most so many numbers.
const MOST: u64 = 10_000_000;

/// How near to the best the design comes from which the search begins, and of which a little stays to the end.
const FIRST: f64 = 0.01;

/// The design that makes differences of Borda scores easy to estimate, under the linear model: with φ̄(i) = (1/K) Σ_j
/// φ(i,j) it makes Σ_c w_c max_{i,k} ‖φ̄(c; i) − φ̄(c; k)‖²_{V⁻¹} small, to a relative tolerance. Contexts are those of
/// [`g_optimal_in_contexts`], of which there may be one.
///
/// With weights λ_c over the differences y of every context, H = Σ_c w_c Σ_y λ_c(y) ‖y‖²_{V⁻¹} and M = Σ_c w_c Σ_y
/// λ_c(y) yyᵀ, no design has less than H²/Σ_c w_c max_p ‖φ(c; p)‖² in V⁻¹MV⁻¹, by Cauchy and Schwarz: tr(V′⁻¹M)
/// tr(V′V⁻¹MV⁻¹) ≥ (tr V⁻¹M)² for every V′. Both laws are multiplied by what speaks for them until the two sides meet:
/// λ by ‖y‖²_{V⁻¹}, π by the root of ‖φ‖² in V⁻¹MV⁻¹ (Torsney's rule for one M). A share of the G-optimal design that
/// costs no more than a quarter of the tolerance stays, so that all of θ can be estimated.
///
/// # Errors
/// Those of [`g_optimal_in_contexts`], and too many pairs.
pub fn for_scores(family: &[Features], shares: &[f64], tolerance: f64) -> Result<ContextualDesign> {
    check(tolerance)?;
    let d = family.first().map_or(0, Features::dim);
    let pairs: u64 = family.iter().map(|own| own.distinct() as u64 + (own.items() * own.items() / 2) as u64).sum();
    let remedy = "leave the design at that for all pairs, or take fewer items";
    size::at_most(MOST, "numbers in the vectors of all pairs", &[pairs, d as u64], remedy)?;
    let base = g_optimal_in_contexts(family, shares, FIRST.max(tolerance))?;
    let factor = information(family, shares, &base.contexts).cholesky().ok_or_else(frame::too_nearly_dependent)?;
    let parts = family.iter().zip(shares).zip(&base.contexts);
    let mut parts: Vec<Part> = parts.map(|((own, share), design)| Part::new(own, *share, design, &factor)).collect();
    let kept = 0.25 * tolerance;
    let (mut best, mut least, mut round) = (f64::INFINITY, 0.0_f64, 0);
    let mut laws: Vec<Vec<f64>> = parts.iter().map(|part| part.law.clone()).collect();
    while best > (1.0 + tolerance) * least && round < PATIENCE {
        stop::check();
        round += 1;
        let v = sum(&parts, Part::v) * (1.0 - kept) + DMatrix::identity(d, d) * kept;
        let inverse = v.cholesky().ok_or_else(frame::too_nearly_dependent)?.inverse();
        let turned = &inverse * sum(&parts, Part::m) * &inverse;
        let (mut widest, mut mean, mut most) = (0.0, 0.0, 0.0);
        let looks: Vec<[Vec<f64>; 2]> =
            parts.iter().map(|part| [lengths(&inverse, &part.gaps), lengths(&turned, &part.rows)]).collect();
        for (part, [gaps, rows]) in parts.iter().zip(&looks) {
            widest += part.share * largest(gaps);
            mean += part.share * part.rival.iter().zip(gaps).map(|(l, y)| l * y).sum::<f64>();
            most += part.share * largest(rows);
        }
        if widest < best {
            best = widest;
            laws = parts.iter().map(|part| part.law.clone()).collect();
        }
        // Where all items have one mean there is nothing to tell apart, and any design will do.
        if most == 0.0 {
            break;
        }
        least = least.max(mean * mean / most);
        for (part, [gaps, rows]) in parts.iter_mut().zip(&looks) {
            multiply(&mut part.rival, gaps.iter().copied());
            multiply(&mut part.law, rows.iter().map(|y| y.sqrt()));
        }
    }
    let one = |(law, base): (&Vec<f64>, &Design)| mixed(law, base, kept, round);
    let contexts: Vec<Design> = laws.iter().zip(&base.contexts).map(one).collect();
    Ok(measured(family, shares, contexts, least))
}

/// A context: its vectors in coordinates where V of the first design is the identity, and the two laws.
struct Part {
    share: f64,
    rows: DMatrix<f64>,
    /// φ̄(i) − φ̄(k) of all i < k.
    gaps: DMatrix<f64>,
    law: Vec<f64>,
    rival: Vec<f64>,
}

impl Part {
    fn new(features: &Features, share: f64, base: &Design, factor: &Cholesky<f64, Dyn>) -> Self {
        let d = features.dim();
        // Of a context that never comes up nothing is asked.
        let count = if base.support.is_empty() { 0 } else { features.distinct() };
        let turned = |numbers: Vec<f64>| {
            let mut rows = DMatrix::from_vec(d, numbers.len() / d.max(1), numbers);
            factor.l_dirty().solve_lower_triangular_mut(&mut rows);
            rows
        };
        let rows = turned((0..count).flat_map(|slot| features.vector(slot)).collect());
        let gaps = turned(if count == 0 { Vec::new() } else { gaps(features) });
        let even = |n: usize| vec![1.0 / n.max(1) as f64; n];
        Self { share, law: even(rows.ncols()), rival: even(gaps.ncols()), rows, gaps }
    }

    /// w Σ π(p) φφᵀ.
    fn v(&self) -> DMatrix<f64> {
        weighted(&self.rows, &self.law, self.share)
    }

    /// w Σ λ(y) yyᵀ.
    fn m(&self) -> DMatrix<f64> {
        weighted(&self.gaps, &self.rival, self.share)
    }
}

/// This law with so much of the first one; what weighs next to nothing is left out.
fn mixed(law: &[f64], base: &Design, kept: f64, iterations: usize) -> Design {
    let mut weights: Vec<f64> = law.iter().map(|weight| (1.0 - kept) * weight).collect();
    base.support.iter().zip(&base.weights).for_each(|(slot, weight)| weights[*slot] += kept * weight);
    let floor = 1e-6 * largest(&weights);
    let all: f64 = weights.iter().filter(|weight| **weight > floor).sum();
    let points = weights.into_iter().enumerate().filter(|(_, weight)| *weight > floor);
    let (support, weights) = points.map(|(slot, weight)| (slot, weight / all)).unzip();
    Design { support, weights, iterations, exact: true, ..base.clone() }
}

/// φ̄(i) − φ̄(k) of all i < k.
fn gaps(features: &Features) -> Vec<f64> {
    let (means, d) = (features.means(), features.dim());
    let row = |i: usize| &means[i * d..(i + 1) * d];
    let pairs = (0..features.items()).flat_map(|i| (i + 1..features.items()).map(move |k| (i, k)));
    pairs.flat_map(|(i, k)| row(i).iter().zip(row(k)).map(|(x, y)| x - y)).collect()
}

/// V of these designs.
fn information(family: &[Features], shares: &[f64], designs: &[Design]) -> DMatrix<f64> {
    let own = |((features, share), design): ((&Features, &f64), &Design)| {
        features.information(design.support.iter().copied().zip(design.weights.iter().map(|weight| share * weight)))
    };
    let all = family.iter().zip(shares).zip(designs).map(own);
    all.reduce(|sum, own| sum + own).unwrap_or_else(|| DMatrix::zeros(0, 0))
}

/// The same designs with what their own V measures in every context.
fn measured(family: &[Features], shares: &[f64], mut contexts: Vec<Design>, least: f64) -> ContextualDesign {
    let mut g = 0.0;
    // Where this has no root, something is left out that no design may leave out: the certificate then says so.
    let factor = information(family, shares, &contexts).cholesky();
    for ((design, features), share) in contexts.iter_mut().zip(family).zip(shares) {
        let mut rows = gaps(features);
        let columns = rows.len() / features.dim().max(1);
        design.g = factor.as_ref().map_or(f64::INFINITY, |factor| {
            let mut rows = DMatrixViewMut::from_slice(&mut rows, features.dim(), columns);
            factor.l_dirty().solve_lower_triangular_mut(&mut rows);
            rows.column_iter().map(|row| row.norm_squared()).fold(0.0, f64::max)
        });
        g += share * design.g;
    }
    ContextualDesign { contexts, g, least }
}

/// share · Σ w xxᵀ.
fn weighted(rows: &DMatrix<f64>, weights: &[f64], share: f64) -> DMatrix<f64> {
    let mut scaled = rows.clone();
    scaled.column_iter_mut().zip(weights).for_each(|(mut row, weight)| row *= share * weight);
    let sum = scaled * rows.transpose();
    // Symmetric to the last digit.
    0.5 * (&sum + sum.transpose())
}

fn sum(parts: &[Part], of: impl Fn(&Part) -> DMatrix<f64>) -> DMatrix<f64> {
    parts.iter().map(of).reduce(|sum, own| sum + own).unwrap_or_else(|| DMatrix::zeros(0, 0))
}

/// xᵀ matrix x of every column, never negative.
fn lengths(matrix: &DMatrix<f64>, rows: &DMatrix<f64>) -> Vec<f64> {
    let turned = matrix * rows;
    rows.column_iter().zip(turned.column_iter()).map(|(row, turned)| row.dot(&turned).max(0.0)).collect()
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max)
}

/// Multiplies a law by what speaks for each of its entries, unless nothing does for any.
fn multiply(law: &mut [f64], by: impl Iterator<Item = f64> + Clone) {
    let all: f64 = law.iter().zip(by.clone()).map(|(weight, gain)| weight * gain).sum();
    if all > 0.0 {
        law.iter_mut().zip(by).for_each(|(weight, gain)| *weight *= gain / all);
    }
}
