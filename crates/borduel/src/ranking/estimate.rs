//! Borda scores of a fitted model with their joint uncertainty: the delta method on a sandwich covariance.
//!
//! With p(i,j) = μ(⟨φ(i,j), θ̂⟩), B(i) = 1/(K−1) Σ_{j≠i} p(i,j) has the gradient g(i) = 1/(K−1) Σ μ′ φ(i,j), and the scores'
//! covariance is G V Gᵀ with V = H⁻¹ J H⁻¹, H = Σ w μ′ φφᵀ. A vote pulls the fit towards itself by its leverage
//! h = w μ′ φᵀH⁻¹φ, so its residual is e = (r−μ)/(1−h), as in the jackknife (HC3). Without voters J = Σ w² e² φφᵀ; with G voters
//! J = G/(G−1) Σ_v s_v s_vᵀ with s_v = Σ w e φ over the votes of voter v.

use super::sums::Sums;
use crate::duel::Duel;
use crate::error::Result;
use crate::features::{BLOCK, Features, add_gram, add_scaled};
use crate::glm::{Ended, Fit, FitOptions, fit, sandwich};
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
    /// F with Cov(B̂) = F Fᵀ, row by row.
    pub(crate) factor: DMatrix<f64>,
    /// Degrees of freedom of the variances.
    pub(crate) df: f64,
    /// The voters by which the variance is clustered.
    pub(crate) clusters: Option<f64>,
    /// The fitted model, where there is one.
    pub(crate) fitted: Option<Fitted>,
}

/// A fitted model.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    pub(crate) features: Features,
    pub(crate) theta: DVector<f64>,
    /// V, the covariance of θ̂.
    pub(crate) covariance: DMatrix<f64>,
    /// H⁻¹ for the checks.
    pub(crate) hessian: DMatrix<f64>,
    /// Whether the likelihood had no maximum, so that d pseudo-votes were added.
    pub(crate) separable: bool,
}

impl Fitted {
    /// p(i,j) of every pair.
    pub(crate) fn probability(&self, i: usize, j: usize) -> f64 {
        let projection = self.features.project(self.theta.as_slice());
        Link::Logistic.mu(self.features.score(&projection, Duel(i, j)))
    }
}

impl Estimate {
    /// The standard error of B̂(i).
    pub(crate) fn error(&self, i: usize) -> f64 {
        self.factor.row(i).norm()
    }

    /// The standard error of B̂(i) − B̂(j).
    pub(crate) fn difference_error(&self, i: usize, j: usize) -> f64 {
        (self.factor.row(i) - self.factor.row(j)).norm()
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
    let clusters = (clustered && sums.voter_count() > 1.0).then(|| sums.voter_count());
    let (scatter, df) = scatter(sums, &features, &solution, clusters, &pseudo);
    let covariance = sandwich(&solution.hessian, &scatter);
    let (borda, gradient, unknown) = scores(&features, &solution.theta, blind.as_ref());
    let factor = gradient * root(&covariance);
    let fitted = Fitted {
        features,
        theta: solution.theta,
        covariance,
        hessian: solution.hessian,
        separable: !pseudo.is_empty(),
    };
    Ok(Estimate { borda, unknown, factor, df, clusters, fitted: Some(fitted) })
}

/// φᵀ M⁻¹ φ of the given slots. For differences of items one K × K product serves all pairs.
fn quadratic_forms(features: &Features, matrix: &DMatrix<f64>, slots: &[usize]) -> Vec<f64> {
    let Some(factor) = Cholesky::new(matrix.clone()) else { return vec![0.0; slots.len()] };
    let d = features.dim();
    let Some(items) = features.item_vectors() else {
        let form = |&slot: &usize| {
            let v = DVector::from_vec(features.vector(slot));
            v.dot(&factor.solve(&v))
        };
        return slots.iter().map(form).collect();
    };
    let x = DMatrix::from_column_slice(d, items.len() / d, items);
    let all = x.transpose() * factor.solve(&x);
    let form = |&slot: &usize| {
        let (i, j) = features.pair_of(slot);
        (all[(i, i)] + all[(j, j)] - all[(i, j)] - all[(j, i)]).max(0.0)
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

/// J, and its degrees of freedom.
fn scatter(
    sums: &Sums,
    features: &Features,
    fit: &Fit,
    clusters: Option<f64>,
    pseudo: &[(usize, f64)],
) -> (DMatrix<f64>, f64) {
    let dim = features.dim();
    let projection = features.project(fit.theta.as_slice());
    let slots: Vec<_> = sums.pairs.iter().map(|p| features.slot(Duel(p.i, p.j))).collect();
    let scores: Vec<f64> = sums.pairs.iter().map(|p| features.score(&projection, Duel(p.i, p.j))).collect();
    let mu: Vec<f64> = scores.iter().map(|&z| Link::Logistic.mu(z)).collect();
    let forms = quadratic_forms(features, &fit.hessian, &slots.iter().map(|slot| slot.index).collect::<Vec<_>>());
    // 1/(1−h) of a vote of average weight; a vote that decides alone (h near 1) says nothing about its own spread.
    let stretch: Vec<f64> = sums
        .pairs
        .iter()
        .zip(scores.iter().zip(&forms))
        .map(|(p, (&z, form))| 1.0 / (1.0 - (p.w2 / p.w * Link::Logistic.mu_prime(z) * form).min(0.9)))
        .collect();
    let (mut scatter, df) = match clusters {
        None => {
            let weight = |at: usize| (slots[at].index, sums.pairs[at].squared_residuals(mu[at]) * stretch[at].powi(2));
            let spare = (sums.votes() - dim as f64).max(1.0);
            (features.information((0..slots.len()).map(weight)), spare)
        }
        Some(g) => {
            // Some voters at a time: the scores of all of them would be the largest thing in memory.
            let mut scores = vec![0.0; sums.voters.len().min(BLOCK) * dim];
            let mut phi = vec![0.0; dim];
            let mut scatter = DMatrix::zeros(dim, dim);
            for voters in sums.voters.chunks(BLOCK) {
                let scores = &mut scores[..voters.len() * dim];
                scores.fill(0.0);
                for (voter, score) in voters.iter().zip(scores.chunks_exact_mut(dim)) {
                    for part in &sums.parts[voter.parts.clone()] {
                        let slot = slots[part.pair];
                        let residual = (part.wr - mu[part.pair] * part.w) * stretch[part.pair] / voter.copies.sqrt();
                        features.write_vector(slot.index, &mut phi);
                        add_scaled(score, if slot.negative { -residual } else { residual }, &phi);
                    }
                }
                add_gram(&mut scatter, scores, scores);
            }
            (scatter * (g / (g - 1.0)), g - 1.0)
        }
    };
    if !pseudo.is_empty() {
        let residuals = pseudo.iter().map(|&(slot, h)| {
            let mu = Link::Logistic.mu(features.slot_score(&projection, slot));
            (slot, 0.5 * h * (mu * mu + (1.0 - mu) * (1.0 - mu)))
        });
        scatter += features.information(residuals);
    }
    (scatter, df)
}

/// The gradients g(i) of the scores at some θ, a row an item.
pub(crate) fn score_gradients(features: &Features, theta: &[f64]) -> DMatrix<f64> {
    scores(features, &DVector::from_column_slice(theta), None).1
}

/// B(i), the gradients g(i) row by row, and the share of opponents in directions that no vote is about.
fn scores(
    features: &Features,
    theta: &DVector<f64>,
    blind: Option<&DMatrix<f64>>,
) -> (Vec<f64>, DMatrix<f64>, Vec<f64>) {
    let (k, d) = (features.items(), features.dim());
    let others = (k - 1) as f64;
    let projection = features.project(theta.as_slice());
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
            let z = features.score(&projection, Duel(i, j));
            borda[i] += Link::Logistic.mu(z) / others;
            borda[j] += Link::Logistic.mu(-z) / others;
            let slope = Link::Logistic.mu_prime(z) / others * if slot.negative { -1.0 } else { 1.0 };
            add_scaled(gradient.column_mut(i).as_mut_slice(), slope, &phi);
            add_scaled(gradient.column_mut(j).as_mut_slice(), -slope, &phi);
        }
    }
    (borda, gradient.transpose(), unknown)
}

/// R with R Rᵀ = V, for a V that may be singular.
pub(crate) fn root(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    let symmetric = 0.5 * (covariance + covariance.transpose());
    if let Some(factor) = Cholesky::new(symmetric.clone()) {
        return factor.l();
    }
    let eigen = symmetric.symmetric_eigen();
    let roots = eigen.eigenvalues.map(|x| x.max(0.0).sqrt());
    eigen.eigenvectors * DMatrix::from_diagonal(&roots)
}
