//! Voters with habits: by how much the scores scatter more than independent votes would, and covariances widened by it.
//!
//! A score moves with the answers of pair p by κ_p = q n ⟨ψ, M g⟩ + (1−q) c, per unit of the pair's share. The sum over a voter's votes of κ (r − p̂)
//! is what that voter contributes; the sum of their squares, with G/(G−1) and for few voters (G−1)/(G−3), is the variance by voters, and its
//! ratio to that of independent votes, where it exceeds 1, widens the covariance.

use super::model::Fit;
use super::pair_effects::rest;
use super::scores::Scores;
use super::space::Space;
use crate::ballots::Ballots;
use crate::duel::Arm;
use std::collections::BTreeMap;

/// Widens the covariance of the scores of these ballots where voters vote alike time and again.
pub(crate) fn widen(space: &Space<'_>, fit: &Fit, scores: &mut Scores, ballots: &Ballots) {
    if ballots.shares().is_empty() {
        return;
    }
    let voters: f64 = {
        let mut seen: Vec<u32> = ballots.shares().iter().map(|share| share.voter).collect();
        seen.dedup();
        seen.iter().map(|&voter| ballots.copies()[voter as usize]).sum()
    };
    let correction =
        if voters > 3.0 { voters / (voters - 1.0) * (voters - 1.0) / (voters - 3.0) } else { f64::INFINITY };
    let place: BTreeMap<(Arm, Arm), usize> =
        fit.asked.iter().enumerate().map(|(at, pair)| ((pair.i, pair.j), at)).collect();
    let c = 1.0 / (space.k - 1) as f64;
    let tau2 = fit.start.tau2;
    let factors: Vec<f64> = (0..space.k)
        .map(|item| {
            let direction = &fit.covariance * scores.gradients.column(item);
            // What one answer on each pair, for its first item, does to this item's score.
            let influence: Vec<f64> = fit
                .asked
                .iter()
                .map(|pair| {
                    let q = rest(pair.n, pair.h, tau2);
                    let sign = f64::from(u8::from(pair.i == item)) - f64::from(u8::from(pair.j == item));
                    q * pair.n * space.dot(direction.as_slice(), pair.i, pair.j) + (1.0 - q) * c * sign
                })
                .collect();
            let independent: f64 =
                fit.asked.iter().zip(&influence).map(|(pair, kappa)| kappa * kappa * pair.h / pair.n).sum();
            let mut by_voter: BTreeMap<u32, f64> = BTreeMap::new();
            for share in ballots.shares() {
                let cell = &ballots.cells()[share.cell as usize];
                let (left, right) = (cell.left as Arm, cell.right as Arm);
                let flip = left > right;
                let Some(&at) = place.get(&(left.min(right), left.max(right))) else { continue };
                let pair = &fit.asked[at];
                let own = 1.0 - rest(pair.n, pair.h, tau2);
                let expected = pair.mu + own * (pair.share - pair.mu);
                let wr = if flip { share.w - share.wr } else { share.wr };
                // pair.n counts votes; the share moves by w over the sum of weights.
                *by_voter.entry(share.voter).or_insert(0.0) += influence[at] * (wr - expected * share.w) / pair.weight;
            }
            let clustered: f64 =
                by_voter.iter().map(|(&voter, s)| s * s / ballots.copies()[voter as usize]).sum::<f64>() * correction;
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
