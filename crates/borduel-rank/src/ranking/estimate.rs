//! Borda scores of a fitted model with their joint uncertainty: the delta method on a sandwich covariance.
//!
//! With p(i,j) = μ(⟨φ(i,j), θ̂⟩), B(i) = 1/(K−1) Σ_{j≠i} p(i,j) has the gradient g(i) = 1/(K−1) Σ μ′ φ(i,j), and the
//! scores' covariance is G V Gᵀ with V = H⁻¹ J H⁻¹, H = Σ w μ′ φφᵀ; J is that of `scatter`.

use super::dense;
use super::exact::Exact;
use super::fitted::{Fitted, Parameters};
use super::scatter::{Expected, Residuals};
use super::spread::Spread;
use super::sums::{Pair, Sums};
use crate::borda::kernel_sums;
use crate::duel::Duel;
use crate::error::Result;
use crate::features::{Features, Projection, add_scaled};
use crate::glm::{Ended, FitOptions, fit, sandwich};
use crate::link::Link;
use crate::special::{same_tail, t_cdf};
use crate::tally::Tally;
use nalgebra::{Cholesky, DMatrix, DVector};
use std::collections::HashMap;

/// Scores and what is known about them, however they came about.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// B̂(i); where some opponents cannot be compared, the middle of what is possible.
    pub(crate) borda: Vec<f64>,
    /// The share of opponents that nothing at all is known about: their p(i,j) may be anything in [0, 1].
    pub(crate) unknown: Vec<f64>,
    /// Cov(B̂).
    pub(crate) spread: Spread,
    /// Degrees of freedom of the variances; where they have their own, the fewest of a score.
    pub(crate) df: f64,
    /// Those of every score (on the diagonal) and every lead, where they differ.
    pub(crate) own_df: Option<DMatrix<f64>>,
    /// The voters by which the variance is clustered.
    pub(crate) clusters: Option<f64>,
    /// Exact bounds of the shares that the scores are made of, where they are; the wider of both then counts.
    pub(crate) exact: Option<Exact>,
    /// Whether residuals were so small that the model's own variance took their place.
    pub(crate) floored: bool,
    /// How many draws the errors come from, where items are too many to compute them.
    pub(crate) draws: Option<usize>,
    /// The fitted model, where there is one.
    pub(crate) fitted: Option<Fitted>,
}

impl Estimate {
    /// The standard error of B̂(i).
    pub(crate) fn error(&self, i: usize) -> f64 {
        self.spread.error(i)
    }

    /// The fewest degrees of freedom of a score.
    pub(super) fn fewest(own_df: &DMatrix<f64>) -> f64 {
        own_df.diagonal().min()
    }

    /// Everything at c standard errors; where degrees of freedom differ, at as many as have the tail of c by `df`.
    pub(crate) fn at(&self, c: f64) -> Bounds<'_> {
        let reaches = self.exact.as_ref().map(|exact| exact.reaches(t_cdf(-c, self.df)));
        Bounds { estimate: self, c, reaches }
    }

    /// Whether every item can be compared with every other.
    pub(crate) fn complete(&self) -> bool {
        self.unknown.iter().all(|&u| u < 1e-12)
    }
}

/// Bounds of scores and of their differences at c standard errors, exact where the estimate is.
pub(crate) struct Bounds<'a> {
    estimate: &'a Estimate,
    c: f64,
    /// The reaches of the shares, where bounds are exact.
    reaches: Option<Vec<(f64, f64)>>,
}

impl Bounds<'_> {
    /// c by the degrees of freedom of B(i) − B(j), or of B(i).
    fn critical(&self, i: usize, j: usize) -> f64 {
        let Estimate { df, own_df, .. } = self.estimate;
        own_df.as_ref().map_or(self.c, |own| same_tail(self.c, *df, own[(i, j)]))
    }

    /// How far B(i) may lie below and above B̂(i).
    pub(crate) fn reach(&self, i: usize) -> (f64, f64) {
        let normal = self.critical(i, i) * self.estimate.spread.error(i);
        let (Some(exact), Some(reaches)) = (&self.estimate.exact, &self.reaches) else { return (normal, normal) };
        let (down, up) = exact.of_item(i, reaches);
        // With voters, whichever is wider.
        if self.estimate.clusters.is_some() { (down.max(normal), up.max(normal)) } else { (down, up) }
    }

    /// How far B(i) − B(j) may lie below B̂(i) − B̂(j).
    pub(crate) fn reach_below(&self, i: usize, j: usize) -> f64 {
        let normal = self.critical(i, j) * self.estimate.spread.difference(i, j);
        let (Some(exact), Some(reaches)) = (&self.estimate.exact, &self.reaches) else { return normal };
        let down = exact.of_difference(i, j, reaches);
        if self.estimate.clusters.is_some() { down.max(normal) } else { down }
    }

    /// The lower end of B(i) − B(j). What is unknown about either item widens it by all that is possible.
    pub(crate) fn lower(&self, i: usize, j: usize) -> f64 {
        self.possible(i, j) - self.reach_below(i, j)
    }

    /// What is known of B̂(i) − B̂(j) at least.
    fn possible(&self, i: usize, j: usize) -> f64 {
        let e = self.estimate;
        e.borda[i] - e.borda[j] - 0.5 * (e.unknown[i] + e.unknown[j])
    }

    /// Whether i is certainly above j.
    pub(crate) fn above(&self, i: usize, j: usize) -> bool {
        let e = self.estimate;
        let certainly = || match e.exact {
            Some(_) => self.lower(i, j) > 0.0,
            None => e.spread.is_exceeded(i, j, self.critical(i, j), self.possible(i, j)),
        };
        i != j && e.borda[i] - 0.5 * e.unknown[i] > e.borda[j] + 0.5 * e.unknown[j] && certainly()
    }
}

/// Fits the logistic model of these features, whose items are those of the sums.
pub(crate) fn estimate(sums: &Sums, features: Features, clustered: bool) -> Result<Estimate> {
    let mut tally = Tally::new(&features);
    for pair in &sums.pairs {
        tally.add_weighted(&features, Duel(pair.i, pair.j), pair.share(), pair.w);
    }
    let options = FitOptions::default();
    let mut solution = fit(Link::Logistic, &features, &tally, None, &options)?;
    let (mut pseudo, mut of_pairs) = (Vec::new(), Vec::new());
    if solution.ended == Ended::RidgeSeparable || nearly_separable(&features, &tally, &solution) {
        pseudo = pseudo_votes(&features, &tally);
        // Pairs of one vector share its pseudo-votes by their votes.
        let added: HashMap<usize, f64> =
            pseudo.iter().zip(tally.iter()).map(|(p, (slot, cell))| (slot, p.1 / cell.n)).collect();
        let share =
            |pair: &Pair| pair.w * added.get(&features.slot(Duel(pair.i, pair.j)).index).copied().unwrap_or(0.0);
        of_pairs = sums.pairs.iter().map(share).collect();
        for &(slot, h) in &pseudo {
            tally.add_to_slot(slot, 0.5, h);
        }
        solution = fit(Link::Logistic, &features, &tally, None, &options)?;
    }
    let blind = if solution.ended == Ended::RidgeUnseenDirection { unseen(&features, &tally) } else { None };
    let projection = features.project(solution.theta.as_slice());
    let slots: Vec<_> = sums.pairs.iter().map(|p| features.slot(Duel(p.i, p.j))).collect();
    let chance = |p: &Pair| Link::Logistic.mu(features.score(&projection, Duel(p.i, p.j)));
    let mu = sums.pairs.iter().map(chance).collect();
    let indices: Vec<usize> = slots.iter().map(|slot| slot.index).collect();
    let forms = quadratic_forms(&features, &solution.hessian, &indices);
    let residuals = Residuals::new(sums, Expected::coins(mu), &forms, clustered, false);
    let information = |weights: &[f64]| features.information(indices.iter().copied().zip(weights.iter().copied()));
    let add = |pair: usize, x: f64, out: &mut [f64]| {
        let slot = slots[pair];
        features.add_vector(slot.index, if slot.negative { -x } else { x }, out);
    };
    let mut scatter = residuals.scatter(sums, features.dim(), information, add);
    if !pseudo.is_empty() {
        let squares = pseudo.iter().map(|&(slot, h)| {
            let mu = Link::Logistic.mu(features.slot_score(&projection, slot));
            (slot, 0.5 * h * (mu * mu + (1.0 - mu) * (1.0 - mu)))
        });
        scatter.first += features.information(squares);
    }
    let covariance = scatter.map(|scatter| sandwich(&solution.hessian, scatter));
    let theta = DVector::from_vec(solution.theta);
    let (borda, gradient, unknown) = scores(&features, &theta, blind.as_ref());
    let (mut df, mut own_df) = (residuals.df(sums, features.dim()), None);
    let spread = if let Some(by_way) = residuals.df_by_way(sums) {
        let of_scores = covariance.map(|covariance| &gradient * covariance * gradient.transpose());
        own_df = of_scores.df(by_way);
        df = own_df.as_ref().map_or(df, Estimate::fewest);
        Spread::from_covariance(of_scores.covariance())
    } else {
        Spread::dense(&(gradient * dense::root(&covariance.first)))
    };
    let parameters = Parameters::Features { features, theta, projection, hessian: solution.hessian, covariance };
    let fitted = Fitted::new(parameters, of_pairs, residuals.stretch.clone());
    Ok(Estimate {
        borda,
        unknown,
        spread,
        df,
        own_df,
        clusters: residuals.clusters,
        exact: None,
        floored: residuals.floored,
        draws: None,
        fitted: Some(fitted),
    })
}

/// With fewer votes than this against what all others say, a fit is taken as one that has no maximum: soft votes near 0
/// and 1, and light votes beside heavy ones, leave it finite without making anything certain. A tie is half a vote.
pub(super) const LEAST_UPSETS: f64 = 0.5 - 1e-9;
/// Nor is a fit nearly separable where votes scatter more than this share of what even ones would.
const NEARLY_CERTAIN: f64 = 0.1;

/// Whether there is a direction in which votes hardly scatter and fewer than [`LEAST_UPSETS`] of them are upsets. It is
/// the one with the least λ = vᵀHv / vᵀH₀v, H₀ being H at even odds; of n = (Σ w(φᵀv)²)²/Σ w(φᵀv)⁴ votes that tell
/// about it λn/4 are upsets.
fn nearly_separable(features: &Features, tally: &Tally, fit: &crate::glm::Fit) -> bool {
    if features.dim() == 0 {
        return false;
    }
    let even = features.information(tally.iter().map(|(slot, cell)| (slot, 0.25 * cell.n)));
    let Some(factor) = Cholesky::new(even) else { return false };
    let Some(half) = factor.l().solve_lower_triangular(&fit.hessian) else { return false };
    let Some(relative) = factor.l().solve_lower_triangular(&half.transpose()) else { return false };
    let eigen = relative.symmetric_eigen();
    let (least, lambda) = eigen.eigenvalues.argmin();
    if lambda >= NEARLY_CERTAIN {
        return false;
    }
    let Some(v) = factor.l().tr_solve_lower_triangular(&eigen.eigenvectors.column(least)) else { return false };
    let projection = features.project(v.as_slice());
    let (mut second, mut fourth) = (0.0, 0.0);
    for (slot, cell) in tally.iter() {
        let square = features.slot_score(&projection, slot).powi(2);
        second += cell.n * square;
        fourth += cell.n * square * square;
    }
    0.25 * lambda * second * second / fourth < LEAST_UPSETS
}

/// φᵀ M⁻¹ φ of the given slots.
fn quadratic_forms(features: &Features, matrix: &DMatrix<f64>, slots: &[usize]) -> Vec<f64> {
    let Some(factor) = Cholesky::new(matrix.clone()) else { return vec![0.0; slots.len()] };
    let mut v = DVector::zeros(features.dim());
    let form = |&slot: &usize| {
        features.write_vector(slot, v.as_mut_slice());
        v.dot(&factor.solve(&v))
    };
    slots.iter().map(form).collect()
}

/// d pseudo-votes, half won and half lost, spread over the asked vectors by their leverage h = n φᵀ(Σ n φφᵀ)⁻¹φ:
/// Firth's correction at even odds, which makes the maximum exist and keeps unanimous votes from looking certain.
fn pseudo_votes(features: &Features, tally: &Tally) -> Vec<(usize, f64)> {
    let seen = features.information(tally.iter().map(|(slot, cell)| (slot, cell.n)));
    let (slots, votes): (Vec<usize>, Vec<f64>) = tally.iter().map(|(slot, cell)| (slot, cell.n)).unzip();
    let forms = quadratic_forms(features, &seen, &slots);
    slots.into_iter().zip(votes.iter().zip(forms).map(|(n, form)| n * form)).collect()
}

/// An orthonormal basis of the directions that no vote is about.
fn unseen(features: &Features, tally: &Tally) -> Option<DMatrix<f64>> {
    let seen = features.information(tally.iter().map(|(slot, cell)| (slot, cell.n)));
    let eigen = seen.symmetric_eigen();
    let floor = 1e-10 * eigen.eigenvalues.amax().max(f64::MIN_POSITIVE);
    let blind: Vec<usize> = (0..features.dim()).filter(|&c| eigen.eigenvalues[c] <= floor).collect();
    (!blind.is_empty()).then(|| eigen.eigenvectors.select_columns(&blind))
}

/// B(i), the gradients g(i) row by row, and the share of opponents in directions that no vote is about.
fn scores(
    features: &Features,
    theta: &DVector<f64>,
    blind: Option<&DMatrix<f64>>,
) -> (Vec<f64>, DMatrix<f64>, Vec<f64>) {
    let projection = features.project(theta.as_slice());
    match (features.item_vectors(), features.utilities(&projection)) {
        (Some(x), Some(utilities)) => difference_scores(features.dim(), x, utilities, blind),
        _ => listed_scores(features, &projection, blind),
    }
}

/// The same for φ(i,j) = x_i − x_j, without K²: items that agree in the unseen directions are compared with each other,
/// and within such a group g(i) = x_i Σ_j μ′(u_i − u_j) − Σ_j μ′(u_i − u_j) x_j, smooth functions of u_i.
fn difference_scores(
    d: usize,
    x: &[f64],
    utilities: &[f64],
    blind: Option<&DMatrix<f64>>,
) -> (Vec<f64>, DMatrix<f64>, Vec<f64>) {
    let k = utilities.len();
    let others = (k - 1) as f64;
    let mut groups: Vec<Vec<usize>> = vec![(0..k).collect()];
    if let Some(basis) = blind {
        let size = x.iter().fold(f64::MIN_POSITIVE, |most: f64, v| most.max(v.abs()));
        let key = |row: &[f64]| -> Vec<i64> {
            let hidden = basis.transpose() * DVector::from_column_slice(row);
            hidden.iter().map(|v| (v / (1e-6 * size)).round() as i64).collect()
        };
        let mut by_key: std::collections::BTreeMap<Vec<i64>, Vec<usize>> = std::collections::BTreeMap::new();
        x.chunks_exact(d).enumerate().for_each(|(item, row)| by_key.entry(key(row)).or_default().push(item));
        groups = by_key.into_values().collect();
    }
    let (mut borda, mut unknown) = (vec![0.0; k], vec![0.0; k]);
    let mut gradient = DMatrix::zeros(k, d);
    for group in groups {
        let u: Vec<f64> = group.iter().map(|&i| utilities[i]).collect();
        let ones = vec![1.0; u.len()];
        let sums = kernel_sums(|z| Link::Logistic.mu(z), &u, &ones, 1);
        let columns: Vec<f64> =
            group.iter().flat_map(|&i| std::iter::once(1.0).chain(x[i * d..(i + 1) * d].iter().copied())).collect();
        let slopes = kernel_sums(|z| Link::Logistic.mu_prime(z), &u, &columns, d + 1);
        let hidden = (k - group.len()) as f64 / others;
        for (at, &i) in group.iter().enumerate() {
            borda[i] = (sums[at] - 0.5) / others + 0.5 * hidden;
            unknown[i] = hidden;
            let s = &slopes[at * (d + 1)..(at + 1) * (d + 1)];
            for c in 0..d {
                gradient[(i, c)] = (x[i * d + c] * s[0] - s[c + 1]) / others;
            }
        }
    }
    (borda, gradient, unknown)
}

/// The same for features of pairs, which are a list of all pairs anyway.
fn listed_scores(
    features: &Features,
    projection: &Projection,
    blind: Option<&DMatrix<f64>>,
) -> (Vec<f64>, DMatrix<f64>, Vec<f64>) {
    let (k, d) = (features.items(), features.dim());
    let others = (k - 1) as f64;
    let (mut borda, mut unknown) = (vec![0.0; k], vec![0.0; k]);
    let mut gradient = DMatrix::zeros(d, k);
    let mut phi = vec![0.0; d];
    for i in 0..k {
        for j in i + 1..k {
            let slot = features.slot(Duel(i, j));
            features.write_vector(slot.index, &mut phi);
            let hidden = blind.is_some_and(|basis| {
                let v = DVector::from_column_slice(&phi);
                (basis.transpose() * &v).norm() > 1e-6 * v.norm()
            });
            if hidden {
                for item in [i, j] {
                    borda[item] += 0.5 / others;
                    unknown[item] += 1.0 / others;
                }
                continue;
            }
            let z = features.score(projection, Duel(i, j));
            borda[i] += Link::Logistic.mu(z) / others;
            borda[j] += Link::Logistic.mu(-z) / others;
            let slope = Link::Logistic.mu_prime(z) / others * if slot.negative { -1.0 } else { 1.0 };
            add_scaled(gradient.column_mut(i).as_mut_slice(), slope, &phi);
            add_scaled(gradient.column_mut(j).as_mut_slice(), -slope, &phi);
        }
    }
    (borda, gradient.transpose(), unknown)
}
