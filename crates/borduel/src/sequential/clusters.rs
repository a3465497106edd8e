//! Voters with habits: by how much the scores scatter more than independent votes would, and covariances widened by it.
//!
//! A score moves with the answers of pair p by κ_p = q n ⟨ψ, M g⟩ + (1−q) c, per unit of the pair's share. The sum over a voter's votes of κ (r − p̂)
//! is what that voter contributes; the sum of their squares, with G/(G−1) and for few voters (G−1)/(G−3), is the variance by voters, and its
//! ratio to that of independent votes, where it exceeds 1, widens the covariance.

use super::model::Fit;
use super::pair_effects::rest;
use super::scores::Scores;
use super::space::Space;
use crate::ballots::{Ballots, Share};
use crate::duel::Arm;
use std::collections::BTreeMap;

/// What one voter says about one pair beyond what was expected: where the pair is, and Σ w (r − p̂) over its sum of weights.
struct Surprise {
    at: usize,
    value: f64,
}

/// Widens the covariance of the scores of these ballots where voters vote alike time and again.
pub(crate) fn widen(space: &Space<'_>, fit: &Fit, scores: &mut Scores, ballots: &Ballots) {
    if ballots.shares().is_empty() {
        return;
    }
    let tau2 = fit.start.tau2;
    let voters = surprises(fit, ballots);
    let count: f64 = voters.iter().map(|(copies, _)| copies).sum();
    let correction = if count > 3.0 { count / (count - 1.0) * (count - 1.0) / (count - 3.0) } else { f64::INFINITY };
    let c = 1.0 / (space.k - 1) as f64;
    let rests: Vec<f64> = fit.asked.iter().map(|pair| rest(pair.n, pair.h, tau2, pair.backing)).collect();
    let factors: Vec<f64> = (0..space.k)
        .map(|item| {
            let direction = &fit.covariance * scores.gradients.column(item);
            // What one answer on each pair, for its first item, does to this item's score.
            let influence: Vec<f64> = fit
                .asked
                .iter()
                .zip(&rests)
                .map(|(pair, q)| {
                    let sign = f64::from(u8::from(pair.i == item)) - f64::from(u8::from(pair.j == item));
                    q * pair.n * space.dot(direction.as_slice(), pair.i, pair.j) + (1.0 - q) * c * sign
                })
                .collect();
            let independent: f64 =
                fit.asked.iter().zip(&influence).map(|(pair, kappa)| kappa * kappa * pair.h / pair.n).sum();
            let square = |(copies, said): &(f64, Vec<Surprise>)| {
                let sum: f64 = said.iter().map(|one| influence[one.at] * one.value).sum();
                sum * sum / copies
            };
            let clustered = voters.iter().map(square).sum::<f64>() * correction;
            (clustered / independent).max(1.0).sqrt()
        })
        .collect();
    for i in 0..space.k {
        for j in 0..space.k {
            // An infinite factor (hardly any voters) leaves nothing known; a large number says so without NaN.
            scores.covariance[(i, j)] *= (factors[i] * factors[j]).min(1e6);
        }
    }
}

/// Every voter's surprises and how many voters it stands for. They are the same for all items, of which each weighs them by its own influences:
/// found once, so that a study of many items and votes pays for a product each, not for a search.
fn surprises(fit: &Fit, ballots: &Ballots) -> Vec<(f64, Vec<Surprise>)> {
    let place: BTreeMap<(Arm, Arm), usize> =
        fit.asked.iter().enumerate().map(|(at, pair)| ((pair.i, pair.j), at)).collect();
    // By cell: the pair, whether its items stand the other way round, and the share that is expected of its first item.
    let cells: Vec<Option<(usize, bool, f64)>> = ballots
        .cells()
        .iter()
        .map(|cell| {
            let (left, right) = (cell.left as Arm, cell.right as Arm);
            let at = *place.get(&(left.min(right), left.max(right)))?;
            Some((at, left > right, fit.asked[at].p))
        })
        .collect();
    let of = |share: &Share| {
        let (at, flip, expected) = cells[share.cell as usize]?;
        let wr = if flip { share.w - share.wr } else { share.wr };
        // pair.n counts votes; the share moves by w over the sum of weights.
        Some(Surprise { at, value: (wr - expected * share.w) / fit.asked[at].weight })
    };
    let one = |shares: &[Share]| (ballots.copies()[shares[0].voter as usize], shares.iter().filter_map(of).collect());
    ballots.shares().chunk_by(|a, b| a.voter == b.voter).map(one).collect()
}
