//! A fitted model: its parameters, what it expects of votes, what other votes would have made of it.

use super::inverse::Inverse;
use super::points::Points;
use super::rows::{Regression, Row};
use super::strengths;
use super::sums::{Pair, Sums};
use super::ways::Ways;
use crate::borda::Borda;
use crate::duel::Duel;
use crate::error::Result;
use crate::features::{Features, Projection, add_scaled};
use crate::glm::{FitOptions, fit};
use crate::link::Link;
use crate::tally::Tally;
use nalgebra::{Cholesky, DMatrix, DVector};

/// A fitted model.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    parameters: Parameters,
    /// Where the likelihood had no maximum: so many pseudo-votes, half won and half lost, were added to each entry of
    /// the sums.
    pub(crate) pseudo: Vec<f64>,
    /// 1/(1−h) of a vote on each entry of the sums that it was fitted to, h being its leverage.
    pub(crate) stretch: Vec<f64>,
}

/// A model that was fitted again, and what votes do to a lead.
pub(crate) struct Influence {
    /// B(i).
    pub(crate) borda: Vec<f64>,
    /// E r of every entry of the sums.
    pub(crate) expected: Vec<f64>,
    /// φᵀH⁻¹(g(first) − g(rival)) of every entry.
    pub(crate) pull: Vec<f64>,
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
        covariance: Ways,
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
    pub(super) fn new(parameters: Parameters, pseudo: Vec<f64>, stretch: Vec<f64>) -> Self {
        Self { parameters, pseudo, stretch }
    }

    /// Whether the likelihood had no maximum.
    pub(crate) fn separable(&self) -> bool {
        !self.pseudo.is_empty()
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
                    let variance = covariance.variance(|covariance| (covariance * &mean).dot(&mean));
                    (mean.dot(theta), variance.max(0.0).sqrt())
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
                let votes =
                    Regression { items: *items, rows: &rows, z: &z, covariates: sums.covariates, points: *points };
                let mut joint = votes.fit_with_ties(0.0, Some((values, *points)));
                let penalised = !joint.solution.converged;
                if penalised {
                    joint = votes.fit_with_ties(FitOptions::default().ridge, None);
                }
                Ok((strengths::scores(joint.points, &joint.solution.parameters[..*items]), penalised))
            }
        }
    }

    /// The model fitted to other sums (Σw, Σwr, Σwt) of the same pairs, and what a residual on each of them does to
    /// the lead B(first) − B(rival); `None` where the likelihood has no maximum.
    pub(crate) fn influence(
        &self,
        sums: &Sums,
        votes: &[[f64; 3]],
        (first, rival): (usize, usize),
    ) -> Option<Influence> {
        let pseudo = |at: usize| self.pseudo.get(at).copied().unwrap_or(0.0);
        match &self.parameters {
            Parameters::Features { features, theta, .. } => {
                let mut tally = Tally::new(features);
                for (at, (pair, [w, wr, _])) in sums.pairs.iter().zip(votes).enumerate() {
                    let (w, wr) = (w + pseudo(at), wr + 0.5 * pseudo(at));
                    if w > 0.0 {
                        tally.add_weighted(features, Duel(pair.i, pair.j), wr / w, w);
                    }
                }
                let fit = fit(Link::Logistic, features, &tally, Some(theta.as_slice()), &FitOptions::default()).ok()?;
                let projection = features.project(fit.theta.as_slice());
                let others = (features.items() - 1) as f64;
                let mut gradient = DVector::zeros(features.dim());
                for (item, sign) in [(first, 1.0), (rival, -1.0)] {
                    for other in (0..features.items()).filter(|&other| other != item) {
                        let slope = Link::Logistic.mu_prime(features.score(&projection, Duel(item, other)));
                        let phi = features.phi(Duel(item, other));
                        add_scaled(gradient.as_mut_slice(), sign * slope / others, &phi);
                    }
                }
                let along = Cholesky::new(fit.hessian)?.solve(&gradient);
                let along = features.project(along.as_slice());
                let of = |by: &Projection| -> Vec<f64> {
                    sums.pairs.iter().map(|pair| features.score(by, Duel(pair.i, pair.j))).collect()
                };
                Some(Influence {
                    borda: Borda::from_model(features, Link::Logistic, fit.theta.as_slice()).over_others(),
                    expected: of(&projection).into_iter().map(|z| Link::Logistic.mu(z)).collect(),
                    pull: of(&along),
                })
            }
            Parameters::Strengths { values, items, points, .. } => {
                let row = |(at, (pair, &[w, wr, wt])): (usize, (&Pair, &[f64; 3]))| Row {
                    i: pair.i,
                    j: pair.j,
                    w: w + pseudo(at),
                    wr: wr + 0.5 * pseudo(at),
                    wt,
                };
                let rows: Vec<Row> = sums.pairs.iter().zip(votes).enumerate().map(row).collect();
                let (items, covariates) = (*items, sums.covariates);
                let given = Regression { items, rows: &rows, z: &sums.z, covariates, points: *points };
                let joint = given.fit_with_ties(0.0, Some((values, *points)));
                if !joint.solution.converged {
                    return None;
                }
                let (theta, points) = (&joint.solution.parameters, joint.points);
                let given = Regression { points, ..given };
                let scores: Vec<f64> = (0..rows.len()).map(|row| given.score(row, theta)).collect();
                let weights: Vec<f64> = rows.iter().zip(&scores).map(|(row, z)| row.w * points.slope(*z)).collect();
                let others = (items - 1) as f64;
                let mut gradient = vec![0.0; given.parameters()];
                for (item, sign) in [(first, 1.0), (rival, -1.0)] {
                    for other in (0..items).filter(|&other| other != item) {
                        let slope = sign * points.slope(theta[item] - theta[other]) / others;
                        gradient[item] += slope;
                        gradient[other] -= slope;
                    }
                }
                let along = given.solve(&weights, 0.0, &gradient, 1e-9);
                Some(Influence {
                    borda: strengths::scores(points, &theta[..items]),
                    expected: scores.iter().map(|z| points.mean(*z)).collect(),
                    pull: (0..rows.len()).map(|row| given.score(row, &along)).collect(),
                })
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

    /// φ(pair)ᵀ H⁻¹ Σ weight φ over the same pairs, with so many covariates a pair in `z`; `None` where the model is
    /// not determined.
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
