//! One strength per item (Bradley and Terry), and covariates of a vote: scores and their covariance.
//!
//! Where items are so many that H⁻¹ is a system to be solved, errors come from draws (see `sampled`).

use super::davidson;
use super::dense;
use super::estimate::Estimate;
use super::exact::Exact;
use super::fitted::{Fitted, Parameters};
use super::inverse::Inverse;
use super::points::Points;
use super::rows::{Regression, Row};
use super::sampled;
use super::scatter::{Expected, Residuals};
use super::spread::{MOST_PAIRWISE, Spread};
use super::strengths::{self, Solution};
use super::sums::Sums;
use super::ways::Ways;
use crate::error::{Error, Result};
use crate::order::descending;
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

/// Fits one strength per item, and the effects of covariates where the sums have any; all items must be connected by
/// votes. `seed` is that of what is drawn where items are very many.
pub(crate) fn one_hot(sums: &Sums, clustered: bool, seed: u64) -> Result<Estimate> {
    let k = sums.len();
    let covariates = sums.covariates;
    if sums.ties && k > MOST_PAIRWISE {
        return Err(Error::Data(format!(
            "ties are an outcome of their own for at most {MOST_PAIRWISE} items, and these are {k}: count them as \
             half, or leave items out"
        )));
    }
    let mut rows: Arc<[Row]> = sums.pairs.iter().map(Row::from).collect();
    let unconnected = || {
        let what = if covariates == 0 {
            "some items were never compared with others, even indirectly"
        } else {
            "the votes cannot tell what is to be adjusted for (such as an advantage of position) from the items: it \
             has to vary within pairs, as when they are shown in both orders"
        };
        Error::Data(what.to_owned())
    };
    let mut pseudo = Vec::new();
    // A maximum exists only if wins lead from every item to every other, and without ties it then does.
    let mut joint = None;
    if super::graph::strongly_connected(sums) {
        let sound =
            |s: &Solution| s.converged && fewest_upsets(&rows, &s.parameters[..k]) >= super::estimate::LEAST_UPSETS;
        joint = Some(votes(sums, &rows).fit_with_ties(0.0, None)).filter(|joint| sound(&joint.solution));
    }
    let joint = if let Some(joint) = joint {
        joint
    } else {
        pseudo = leverages(&votes(sums, &rows), &rows, seed).ok_or_else(unconnected)?;
        let added = |(row, h): (&Row, &f64)| Row { w: row.w + h, wr: row.wr + 0.5 * h, ..*row };
        rows = rows.iter().zip(&pseudo).map(added).collect();
        votes(sums, &rows).fit_with_ties(0.0, None)
    };
    let points = joint.points;
    let votes = Regression { points, ..votes(sums, &rows) };
    let values = joint.solution.parameters;
    let scores: Vec<f64> = (0..rows.len()).map(|row| votes.score(row, &values)).collect();
    let slopes: Vec<f64> = rows.iter().zip(&scores).map(|(row, z)| row.w * points.slope(*z)).collect();
    let inverse = Inverse::new(&votes, &rows, slopes).ok_or_else(unconnected)?;
    let forms = inverse.forms(&votes, seed);
    let told = sums.ties && points.nu > 0.0;
    let expected = Expected::at(points, &scores, told);
    let mut pseudo = Pseudo::new(pseudo, &expected);
    let mut residuals = Residuals::new(sums, expected, &forms, clustered, true);
    // Of very many pairs these are large, and what follows is the most that is held at a time.
    drop((scores, forms));
    // Scores are those of items shown without an advantage: the covariates have no part in them.
    let borda = strengths::scores(points, &values[..k]);
    let mut df = residuals.df(sums, k - 1 + covariates + usize::from(told));
    let (mut draws, mut own_df) = (None, None);
    let (spread, mut errors) = match &inverse {
        Inverse::Dense(inverse) => {
            let (of_scores, errors) = scattered(&votes, inverse, (sums, &residuals), (&values, &pseudo));
            own_df = residuals.df_by_way(sums).and_then(|by_way| of_scores.df(by_way));
            (Spread::from_covariance(of_scores.covariance()), errors)
        }
        Inverse::Solver(solver) => {
            let mut independent = residuals.independent();
            independent.iter_mut().zip(&pseudo.squares).for_each(|(own, pseudo)| *own += pseudo);
            pseudo.squares = Vec::new();
            residuals.forget_pairs();
            let noise = sampled::OfVotes { sums, residuals: &residuals, independent };
            let (system, by) = solver.system();
            let count = sampled::draws_for(k);
            let found = sampled::errors(&system, by, &noise, &values[..k], (seed, count));
            df = df.min(count as f64);
            draws = Some(count);
            (found.spread, found.parameters)
        }
    };
    df = own_df.as_ref().map_or(df, Estimate::fewest);
    // Of two items the share is all there is, and its exact bounds are known.
    let exact = (k == 2 && covariates == 0 && sums.pairs.len() == 1).then(|| Exact::about(sums, &borda));
    // Without a tie ν is 0, and its logarithm has no error.
    let tie_error = if told { errors.pop() } else { sums.ties.then_some(f64::INFINITY) };
    let parameters = Parameters::Strengths { values, items: k, inverse, errors, points, tie_error };
    Ok(Estimate {
        borda,
        unknown: vec![0.0; k],
        spread,
        df,
        own_df,
        clusters: residuals.clusters,
        exact,
        floored: residuals.floored,
        draws,
        fitted: Some(Fitted::new(parameters, pseudo.votes, residuals.stretch)),
    })
}

/// What is to be fitted to these rows of the sums, before it is known how ties are given.
fn votes<'a>(sums: &'a Sums, rows: &'a [Row]) -> Regression<'a> {
    Regression { items: sums.len(), rows, z: &sums.z, covariates: sums.covariates, points: Points::default() }
}

/// The fewest votes, over all ways to cut the order of strengths in two, that an upper item lost to a lower one. The
/// fit expects as many as there were, since an item's expected wins are those it had.
fn fewest_upsets(rows: &[Row], strengths: &[f64]) -> f64 {
    let order = descending(strengths);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    // What the cut below each place has more than the one above it.
    let mut steps = vec![0.0; order.len()];
    for row in rows {
        let (upper, lower) = (place[row.i].min(place[row.j]), place[row.i].max(place[row.j]));
        let lost = if place[row.i] == upper { row.w - row.wr } else { row.wr };
        steps[upper] += lost;
        steps[lower] -= lost;
    }
    let (_, cuts) = steps.split_last().unwrap_or((&0.0, &[]));
    let cut = |sum: &mut f64, step: &f64| {
        *sum += step;
        Some(*sum)
    };
    cuts.iter().scan(0.0, cut).fold(f64::INFINITY, f64::min)
}

/// The leverages w φᵀ(Σ w φφᵀ)⁻¹φ: where d pseudo-votes, half won and half lost, do what Firth's correction does at
/// even odds.
fn leverages(votes: &Regression<'_>, rows: &Arc<[Row]>, seed: u64) -> Option<Vec<f64>> {
    let weights: Vec<f64> = votes.rows.iter().map(|row| row.w).collect();
    let forms = Inverse::new(votes, rows, weights.clone())?.forms(votes, seed);
    Some(weights.iter().zip(forms).map(|(w, form)| w * form).collect())
}

/// G V Gᵀ with V = H⁻¹ J H⁻¹, and the standard errors of the parameters. Of the products only H⁻¹ (J H⁻¹) costs K³: J
/// is mostly zeros, and G comes from a smooth function. Where ties are an outcome of their own, ln ν is the last
/// parameter.
fn scattered(
    votes: &Regression<'_>,
    inverse: &DMatrix<f64>,
    (sums, residuals): (&Sums, &Residuals),
    (values, pseudo): (&[f64], &Pseudo),
) -> (Ways, Vec<f64>) {
    let k = votes.items;
    let information = |weights: &[f64]| votes.scatter(weights);
    let mut scatter = residuals.scatter(sums, votes.parameters(), information, |pair, x, out| votes.add(pair, x, out));
    pseudo.add(votes, &mut scatter.first);
    let told = scatter.first.nrows() > votes.parameters();
    let joint = told.then(|| davidson::bordered(votes, inverse, values));
    let inverse = joint.as_ref().unwrap_or(inverse);
    let covariance = scatter.map(|scatter| inverse * dense::product(scatter, inverse));
    let error = |c: usize| covariance.variance(|covariance| covariance[(c, c)]).max(0.0).sqrt();
    let errors = (0..covariance.first.nrows()).map(error).collect();
    let (points, strengths) = (votes.points, &values[..k]);
    let g = told.then(|| DVector::from_vec(davidson::gradient(points, strengths)));
    let of_scores = covariance.map(|covariance| {
        let own = covariance.view((0, 0), (k, k)).into_owned();
        let half = DMatrix::from_row_slice(k, k, &strengths::gradient_times(points, strengths, own.as_slice(), k));
        let whole = strengths::gradient_times(points, strengths, half.as_slice(), k);
        let mut whole = DMatrix::from_vec(k, k, whole);
        if let Some(g) = &g {
            let last = covariance.nrows() - 1;
            let with: Vec<f64> = (0..k).map(|i| covariance[(i, last)]).collect();
            let x = DVector::from_vec(strengths::gradient_times(points, strengths, &with, 1));
            whole += &x * g.transpose() + g * x.transpose() + covariance[(last, last)] * g * g.transpose();
        }
        whole
    });
    (of_scores, errors)
}

/// Pseudo-votes, so many on every row, half won and half lost, and their residuals.
#[derive(Default)]
struct Pseudo {
    votes: Vec<f64>,
    /// Σ (r − μ)².
    squares: Vec<f64>,
    /// Σ (r − μ)(0 − P(tie)) and Σ P(tie)², where ties are an outcome of their own.
    ties: Option<Vec<(f64, f64)>>,
}

impl Pseudo {
    fn new(votes: Vec<f64>, expected: &Expected) -> Self {
        let squares =
            votes.iter().zip(&expected.mean).map(|(h, mu)| 0.5 * h * (mu * mu + (1.0 - mu) * (1.0 - mu))).collect();
        let tied = |tie: &Vec<f64>| {
            let rows = votes.iter().zip(&expected.mean).zip(tie);
            rows.map(|((h, mu), p)| (h * (mu - 0.5) * p, h * p * p)).collect()
        };
        Self { squares, ties: expected.tie.as_ref().map(tied), votes }
    }

    /// Adds their part of J.
    fn add(&self, votes: &Regression<'_>, scatter: &mut DMatrix<f64>) {
        if self.votes.is_empty() {
            return;
        }
        let n = votes.parameters();
        let mut own = scatter.view_mut((0, 0), (n, n));
        own += votes.scatter(&self.squares);
        for (row, (both, square)) in self.ties.iter().flatten().enumerate() {
            let mut side = vec![0.0; n];
            votes.add(row, *both, &mut side);
            for (c, x) in side.into_iter().enumerate().filter(|(_, x)| *x != 0.0) {
                scatter[(c, n)] += x;
                scatter[(n, c)] += x;
            }
            scatter[(n, n)] += square;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballots::{Answer, Ballots, BothBad, Ties};
    use crate::link::Link;
    use crate::ranking::inverse::Solver;
    use crate::stream::stream;

    /// Votes on many items, each of few, by voters with habits or by nobody in particular.
    fn sums(items: usize, votes: usize, voters: usize) -> Sums {
        let mut s = stream(8, &[voters as u64]);
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        let strengths: Vec<f64> = (0..items).map(|_| s.normal()).collect();
        (0..items).for_each(|item| {
            ballots.item(&item.to_string());
        });
        for vote in 0..votes {
            // A ring first, so that all are connected, then at random.
            let i = if vote < items { vote } else { s.below(items) };
            let j = if vote < items { (vote + 1) % items } else { (i + 1 + s.below(items - 1)) % items };
            let voter = (voters > 0).then(|| s.below(voters));
            let habit = voter.map_or(0.0, |voter| if (voter + i) % 2 == 0 { 0.7 } else { -0.7 });
            let won = s.uniform() < Link::Logistic.mu(strengths[i] - strengths[j] + habit);
            let voter = voter.map(|voter| ballots.voter(&voter.to_string()));
            ballots.add(i as u32, j as u32, voter, if won { Answer::Left } else { Answer::Right }, 1.0, 1.0).unwrap();
        }
        Sums::new(&ballots.finish(), true)
    }

    #[test]
    fn draws_tell_what_matrices_do() {
        for voters in [0, 40] {
            let sums = sums(150, 900, voters);
            let k = sums.len();
            let rows: Vec<Row> =
                sums.pairs.iter().map(|p| Row { w: p.w + 0.2, wr: p.wr + 0.1, ..Row::from(p) }).collect();
            let votes = Regression { items: k, rows: &rows, z: &[], covariates: 0, points: Points::default() };
            let values = votes.fit(0.0, None).parameters;
            let mu: Vec<f64> = (0..rows.len()).map(|row| Link::Logistic.mu(votes.score(row, &values))).collect();
            let slopes: Vec<f64> = rows.iter().zip(&mu).map(|(row, mu)| row.w * mu * (1.0 - mu)).collect();
            let exact = dense::inverse(&votes.information(&slopes)).unwrap();
            let solver = Solver::new(&votes, rows.as_slice().into(), slopes);
            let (system, by) = solver.system();
            // The forms, each to within what 128 draws tell, and without a bias.
            let forms: Vec<f64> = (0..rows.len()).map(|row| votes.form(row, &exact)).collect();
            let drawn = sampled::forms(&system, by, 1);
            let ratios: Vec<f64> = drawn.iter().zip(&forms).map(|(a, b)| a / b).collect();
            let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
            // Bounds cut off more noise below than above: some 3 %.
            assert!((mean - 1.0).abs() < 0.05, "{mean}");
            assert!(ratios.iter().all(|r| (0.5..1.6).contains(r)));
            // The errors: 400 draws with what is known of them tell to within a few percent.
            let residuals = Residuals::new(&sums, Expected::coins(mu), &forms, true, true);
            let (whole, strengths) = scattered(&votes, &exact, (&sums, &residuals), (&values, &Pseudo::default()));
            let whole = Spread::from_covariance(whole.covariance());
            let noise = sampled::OfVotes { sums: &sums, residuals: &residuals, independent: residuals.independent() };
            let found = sampled::errors(&system, by, &noise, &values, (1, 400));
            let mut squares = 0.0;
            for (i, strength) in strengths.iter().enumerate() {
                for ratio in [found.spread.error(i) / whole.error(i), found.parameters[i] / strength] {
                    assert!((0.85..1.18).contains(&ratio), "{voters} voters, item {i}: {ratio}");
                    squares += (ratio - 1.0).powi(2) / (2 * k) as f64;
                }
                let j = (i * 7 + 1) % k;
                let ratio = found.spread.difference(i, j) / whole.difference(i, j);
                assert!(i == j || (0.8..1.25).contains(&ratio), "{ratio}");
            }
            assert!(squares.sqrt() < 0.035, "{}", squares.sqrt());
        }
    }
}
