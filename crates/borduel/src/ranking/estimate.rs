//! Borda scores of a fitted model with their joint uncertainty: the delta method on a sandwich covariance.
//!
//! With p(i,j) = μ(⟨φ(i,j), θ̂⟩), B(i) = 1/(K−1) Σ_{j≠i} p(i,j) has the gradient g(i) = 1/(K−1) Σ μ′ φ(i,j), and the scores'
//! covariance is G V Gᵀ with V = H⁻¹ J H⁻¹, H = Σ w μ′ φφᵀ; J is that of `scatter`.

use super::dense;
use super::distribution::t_cdf;
use super::exact::Exact;
use super::inverse::Inverse;
use super::points::Points;
use super::rows::{Row, Votes};
use super::scatter::{Expected, Residuals};
use super::spread::Spread;
use super::strengths;
use super::sums::{Pair, Sums};
use crate::borda::{Borda, kernel_sums};
use crate::duel::Duel;
use crate::error::Result;
use crate::features::{Features, Projection, add_scaled};
use crate::glm::{Ended, FitOptions, fit, sandwich};
use crate::link::Link;
use crate::tally::Tally;
use nalgebra::{Cholesky, DMatrix, DVector};

/// Scores and what is known about them, however they came about.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// B̂(i); where some opponents cannot be compared, the middle of what is possible.
    pub(crate) borda: Vec<f64>,
    /// The share of opponents that nothing at all is known about: their p(i,j) may be anything in [0, 1].
    pub(crate) unknown: Vec<f64>,
    /// Cov(B̂).
    pub(crate) spread: Spread,
    /// Degrees of freedom of the variances.
    pub(crate) df: f64,
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

/// A fitted model.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    parameters: Parameters,
    /// Whether the likelihood had no maximum, so that d pseudo-votes were added.
    pub(crate) separable: bool,
    /// 1/(1−h) of a vote on each entry of the sums that it was fitted to, h being its leverage.
    pub(crate) stretch: Vec<f64>,
}

#[derive(Clone, Debug)]
pub(super) enum Parameters {
    Features {
        features: Features,
        theta: DVector<f64>,
        projection: Projection,
        /// H.
        hessian: DMatrix<f64>,
        /// V, the covariance of θ̂.
        covariance: DMatrix<f64>,
    },
    Strengths {
        /// s and, behind it, the effects of covariates.
        values: Vec<f64>,
        items: usize,
        /// H⁻¹.
        inverse: Inverse,
        /// The standard errors of the values.
        errors: Vec<f64>,
        /// How points depend on log-odds.
        points: Points,
        /// The standard error of ln ν, where ties are an outcome of their own.
        tie_error: Option<f64>,
    },
}

impl Fitted {
    /// A model with these parameters.
    pub(super) fn new(parameters: Parameters, separable: bool, stretch: Vec<f64>) -> Self {
        Self { parameters, separable, stretch }
    }

    /// d, the number of free parameters.
    pub(crate) fn dim(&self) -> usize {
        match &self.parameters {
            Parameters::Features { features, .. } => features.dim(),
            Parameters::Strengths { values, .. } => values.len() - 1,
        }
    }

    /// The log-odds ⟨φ(i,j), θ̂⟩.
    pub(crate) fn score(&self, i: usize, j: usize) -> f64 {
        match &self.parameters {
            Parameters::Features { features, projection, .. } => features.score(projection, Duel(i, j)),
            Parameters::Strengths { values, .. } => values[i] - values[j],
        }
    }

    /// How points depend on log-odds.
    pub(crate) fn points(&self) -> Points {
        match &self.parameters {
            Parameters::Features { .. } => Points::default(),
            Parameters::Strengths { points, .. } => *points,
        }
    }

    /// ν and the standard error of its logarithm, where ties are an outcome of their own.
    pub(crate) fn ties(&self) -> Option<(f64, f64)> {
        match &self.parameters {
            Parameters::Features { .. } => None,
            Parameters::Strengths { points, tie_error, .. } => tie_error.map(|error| (points.nu, error)),
        }
    }

    /// p(i,j), a tie counted as half.
    pub(crate) fn probability(&self, i: usize, j: usize) -> f64 {
        self.points().mean(self.score(i, j))
    }

    /// The log-odds of every entry of the sums, what is adjusted for included.
    pub(crate) fn scores(&self, sums: &Sums) -> Vec<f64> {
        let effects = match &self.parameters {
            Parameters::Strengths { values, items, .. } => &values[*items..],
            Parameters::Features { .. } => &[],
        };
        let adjusted = |at: usize| {
            let z = &sums.z[at * sums.covariates..(at + 1) * sums.covariates];
            z.iter().zip(effects).map(|(z, effect)| z * effect).sum::<f64>()
        };
        let one = |(at, pair): (usize, &Pair)| self.score(pair.i, pair.j) + adjusted(at);
        sums.pairs.iter().enumerate().map(one).collect()
    }

    /// θ̂, where there are features.
    pub(crate) fn theta(&self) -> Option<&[f64]> {
        match &self.parameters {
            Parameters::Features { theta, .. } => Some(theta.as_slice()),
            Parameters::Strengths { .. } => None,
        }
    }

    /// The centred strengths s(i) = 1/K Σ_j ⟨φ(i,j), θ̂⟩ with their standard errors.
    pub(crate) fn strengths(&self) -> Vec<(f64, f64)> {
        match &self.parameters {
            Parameters::Features { features, theta, covariance, .. } => {
                let one = |mean: &[f64]| {
                    let mean = DVector::from_column_slice(mean);
                    (mean.dot(theta), (covariance * &mean).dot(&mean).max(0.0).sqrt())
                };
                features.means().chunks_exact(features.dim()).map(one).collect()
            }
            Parameters::Strengths { values, items, errors, .. } => {
                values.iter().copied().zip(errors.iter().copied()).take(*items).collect()
            }
        }
    }

    /// The effects of covariates in log-odds with their standard errors.
    pub(crate) fn effects(&self) -> Vec<(f64, f64)> {
        match &self.parameters {
            Parameters::Features { .. } => Vec::new(),
            Parameters::Strengths { values, items, errors, .. } => {
                values.iter().copied().zip(errors.iter().copied()).skip(*items).collect()
            }
        }
    }

    /// The scores that other sums (Σw, Σwr, Σwt) of the same pairs give, and whether a penalty had to help.
    pub(crate) fn refit(&self, sums: &Sums, votes: &[[f64; 3]]) -> Result<(Vec<f64>, bool)> {
        let asked = sums.pairs.iter().zip(votes).filter(|(_, [w, ..])| *w > 0.0);
        match &self.parameters {
            Parameters::Features { features, theta, .. } => {
                let mut tally = Tally::new(features);
                for (pair, [w, wr, _]) in asked {
                    tally.add_weighted(features, Duel(pair.i, pair.j), wr / w, *w);
                }
                let fit = fit(Link::Logistic, features, &tally, Some(theta.as_slice()), &FitOptions::default())?;
                let scores = Borda::from_model(features, Link::Logistic, fit.theta.as_slice()).over_others();
                Ok((scores, fit.ended.is_ridge()))
            }
            Parameters::Strengths { values, items, points, .. } => {
                let row = |(pair, &[w, wr, wt]): (&Pair, &[f64; 3])| Row { i: pair.i, j: pair.j, w, wr, wt };
                let rows: Vec<Row> = asked.map(row).collect();
                let of_asked = |(at, [w, ..]): (usize, &[f64; 3])| {
                    (*w > 0.0).then(|| &sums.z[at * sums.covariates..(at + 1) * sums.covariates])
                };
                let z: Vec<f64> = votes.iter().enumerate().filter_map(of_asked).flatten().copied().collect();
                let votes = Votes { items: *items, rows: &rows, z: &z, covariates: sums.covariates, points: *points };
                let mut joint = votes.fit_with_ties(0.0, Some((values, *points)));
                let penalised = !joint.solution.converged;
                if penalised {
                    joint = votes.fit_with_ties(FitOptions::default().ridge, None);
                }
                Ok((strengths::scores(joint.points, &joint.solution.parameters[..*items]), penalised))
            }
        }
    }

    /// About how many multiplications [`Fitted::absorbed`] takes, beyond those of the pairs.
    pub(crate) fn cost(&self) -> f64 {
        match &self.parameters {
            Parameters::Features { hessian, .. } => hessian.len() as f64,
            Parameters::Strengths { inverse, .. } => inverse.cost(),
        }
    }

    /// φ(pair)ᵀ H⁻¹ Σ weight φ over the same pairs, with so many covariates a pair in `z`; `None` where the model is not determined.
    pub(crate) fn absorbed(
        &self,
        pairs: &[(usize, usize)],
        (z, covariates): (&[f64], usize),
        weights: &[f64],
    ) -> Option<Vec<f64>> {
        match &self.parameters {
            Parameters::Features { features, hessian, .. } => {
                let mut sum = DVector::zeros(features.dim());
                for (&(i, j), weight) in pairs.iter().zip(weights) {
                    add_scaled(sum.as_mut_slice(), *weight, &features.phi(Duel(i, j)));
                }
                let solved = Cholesky::new(hessian.clone())?.solve(&sum);
                let projection = features.project(solved.as_slice());
                Some(pairs.iter().map(|&(i, j)| features.score(&projection, Duel(i, j))).collect())
            }
            Parameters::Strengths { values, items, inverse, .. } => {
                let mut sum = vec![0.0; values.len()];
                let of = |at: usize| &z[at * covariates..(at + 1) * covariates];
                for (at, (&(i, j), weight)) in pairs.iter().zip(weights).enumerate() {
                    sum[i] += weight;
                    sum[j] -= weight;
                    sum[*items..].iter_mut().zip(of(at)).for_each(|(sum, z)| *sum += weight * z);
                }
                let solved = inverse.apply(sum);
                let along = |(at, &(i, j)): (usize, &(usize, usize))| {
                    let extra: f64 = of(at).iter().zip(&solved[*items..]).map(|(z, x)| z * x).sum();
                    solved[i] - solved[j] + extra
                };
                Some(pairs.iter().enumerate().map(along).collect())
            }
        }
    }
}

impl Estimate {
    /// The standard error of B̂(i).
    pub(crate) fn error(&self, i: usize) -> f64 {
        self.spread.error(i)
    }

    /// Everything at c standard errors.
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
    /// How far B(i) may lie below and above B̂(i).
    pub(crate) fn reach(&self, i: usize) -> (f64, f64) {
        let normal = self.c * self.estimate.spread.error(i);
        let (Some(exact), Some(reaches)) = (&self.estimate.exact, &self.reaches) else { return (normal, normal) };
        let (down, up) = exact.of_item(i, reaches);
        // With voters, whichever is wider.
        if self.estimate.clusters.is_some() { (down.max(normal), up.max(normal)) } else { (down, up) }
    }

    /// How far B(i) − B(j) may lie below B̂(i) − B̂(j).
    pub(crate) fn reach_below(&self, i: usize, j: usize) -> f64 {
        let normal = self.c * self.estimate.spread.difference(i, j);
        let (Some(exact), Some(reaches)) = (&self.estimate.exact, &self.reaches) else { return normal };
        let down = exact.of_difference(i, j, reaches);
        if self.estimate.clusters.is_some() { down.max(normal) } else { down }
    }

    /// The lower end of B(i) − B(j). What is unknown about either item widens it by all that is possible.
    pub(crate) fn lower(&self, i: usize, j: usize) -> f64 {
        let e = self.estimate;
        let possible = e.borda[i] - e.borda[j] - 0.5 * (e.unknown[i] + e.unknown[j]);
        possible - self.reach_below(i, j)
    }

    /// Whether i is certainly above j.
    pub(crate) fn above(&self, i: usize, j: usize) -> bool {
        let e = self.estimate;
        i != j && e.borda[i] - 0.5 * e.unknown[i] > e.borda[j] + 0.5 * e.unknown[j] && self.lower(i, j) > 0.0
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
    let mut pseudo = Vec::new();
    if solution.ended == Ended::RidgeSeparable {
        pseudo = pseudo_votes(&features, &tally);
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
        scatter += features.information(squares);
    }
    let covariance = sandwich(&solution.hessian, &scatter);
    let (borda, gradient, unknown) = scores(&features, &solution.theta, blind.as_ref());
    let spread = Spread::dense(&(gradient * dense::root(&covariance)));
    let df = residuals.df(sums, features.dim());
    let parameters =
        Parameters::Features { features, theta: solution.theta, projection, hessian: solution.hessian, covariance };
    let fitted = Fitted::new(parameters, !pseudo.is_empty(), residuals.stretch.clone());
    Ok(Estimate {
        borda,
        unknown,
        spread,
        df,
        clusters: residuals.clusters,
        exact: None,
        floored: residuals.floored,
        draws: None,
        fitted: Some(fitted),
    })
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

/// d pseudo-votes, half won and half lost, spread over the asked vectors by their leverage h = n φᵀ(Σ n φφᵀ)⁻¹φ: Firth's
/// correction at even odds, which makes the maximum exist and keeps unanimous votes from looking certain.
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

/// The same for φ(i,j) = x_i − x_j, without K²: items that agree in the unseen directions are compared with each other, and
/// within such a group g(i) = x_i Σ_j μ′(u_i − u_j) − Σ_j μ′(u_i − u_j) x_j, smooth functions of u_i.
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
