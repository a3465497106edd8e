//! Voters with habits: by how much the scores scatter more than independent votes would, and covariances widened by it.
//!
//! A score moves with the answers of pair p by κ_p = q n ⟨ψ, M g⟩ + (1−q) c, per unit of the pair's share. The sum over
//! a voter's votes of κ (r − p̂) is what that voter contributes; the sum of their squares, with G/(G−1) and for few
//! voters (G−1)/(G−3), is the variance by voters, and its ratio to that of independent votes, where it exceeds 1,
//! widens the covariance. A vote of which nobody says who cast it scatters as an independent one.

use super::model::Fit;
use super::pair_effects::shrinkage;
use super::scores::Scores;
use super::space::Space;
use super::wide::Along;
use crate::ballots::{Ballots, PairVotes, Share};
use crate::duel::Arm;
use std::collections::BTreeMap;

/// For so many items at a time the influence of every pair is kept, while the voters are gone through once.
const TOGETHER: usize = 16;

/// Widens the covariance of the scores of these ballots where voters vote alike time and again.
pub(crate) fn widen(space: &Space<'_>, fit: &Fit, scores: &mut Scores, ballots: &Ballots) {
    if ballots.shares().is_empty() {
        return;
    }
    let tau2 = fit.start.tau2;
    let count: f64 = voters(ballots).map(|(copies, _)| copies).sum();
    // A single voter's winner is found by that voter's answers; that it is nobody else's is said (`few_voters`).
    if count == 1.0 {
        return;
    }
    let correction = if count > 3.0 { count / (count - 1.0) * (count - 1.0) / (count - 3.0) } else { f64::INFINITY };
    let c = 1.0 / (space.k - 1) as f64;
    let shrinkages: Vec<f64> = fit.asked.iter().map(|pair| shrinkage(pair.n, pair.h, tau2, pair.backing)).collect();
    let cells = expected(fit, ballots);
    let alone = alone(fit, ballots, &cells);
    let mut factors = Vec::with_capacity(space.k);
    for from in (0..space.k).step_by(TOGETHER) {
        let items: Vec<Arm> = (from..space.k.min(from + TOGETHER)).collect();
        // What one answer on each pair, for its first item, does to each item's score: by pair, then by item.
        let mut influence = vec![0.0; fit.asked.len() * items.len()];
        for (at, &item) in items.iter().enumerate() {
            let direction = &fit.covariance * scores.gradients.column(item);
            let along = Along::new(space, direction.as_slice());
            for (place, (pair, q)) in fit.asked.iter().zip(&shrinkages).enumerate() {
                let sign = f64::from(u8::from(pair.i == item)) - f64::from(u8::from(pair.j == item));
                let kappa = q * pair.n * along.of(pair.i, pair.j) + (1.0 - q) * c * sign;
                influence[place * items.len() + at] = kappa;
            }
        }
        let (mut independent, mut nobodys) = (vec![0.0; items.len()], vec![0.0; items.len()]);
        for ((pair, own), alone) in fit.asked.iter().zip(influence.chunks_exact(items.len())).zip(&alone) {
            independent.iter_mut().zip(own).for_each(|(sum, kappa)| *sum += kappa * kappa * pair.h / pair.n);
            nobodys.iter_mut().zip(own).for_each(|(sum, kappa)| *sum += alone * kappa * kappa * pair.h / pair.n);
        }
        let (mut clustered, mut said) = (vec![0.0; items.len()], vec![0.0; items.len()]);
        for (copies, shares) in voters(ballots) {
            said.fill(0.0);
            for (place, surprise) in shares.iter().filter_map(|share| Some(cells[share.cell as usize]?.surprise(share)))
            {
                let own = &influence[place * items.len()..][..items.len()];
                said.iter_mut().zip(own).for_each(|(sum, kappa)| *sum += kappa * surprise);
            }
            clustered.iter_mut().zip(&said).for_each(|(sum, said)| *sum += said * said / copies);
        }
        // An infinite factor (hardly any voters) leaves nothing known; a large number says so, and NaN (0/0) is 1.
        let factor = |((clustered, nobodys), independent): ((f64, f64), f64)| {
            let ratio = (clustered * correction + nobodys) / independent;
            if ratio > 1.0 { ratio.min(1e6).sqrt() } else { 1.0 }
        };
        factors.extend(clustered.into_iter().zip(nobodys).zip(independent).map(factor));
    }
    scores.widen(factors);
}

/// The shares of every voter, and how many voters it stands for.
fn voters(ballots: &Ballots) -> impl Iterator<Item = (f64, &[Share])> {
    let by_voter = ballots.shares().chunk_by(|a, b| a.voter == b.voter);
    by_voter.map(|shares| (ballots.copies()[shares[0].voter as usize], shares))
}

/// Of every pair of the fit the share of its votes that have no voter.
fn alone(fit: &Fit, ballots: &Ballots, cells: &[Option<Expected>]) -> Vec<f64> {
    let (mut all, mut known) = (vec![0.0; fit.asked.len()], vec![0.0; fit.asked.len()]);
    for (cell, expected) in ballots.cells().iter().zip(cells) {
        expected.iter().for_each(|expected| all[expected.place] += expected.counts * cell.w);
    }
    for share in ballots.shares() {
        cells[share.cell as usize].iter().for_each(|expected| known[expected.place] += expected.counts * share.w);
    }
    // What rounding leaves is nobody's vote.
    known
        .iter()
        .zip(&all)
        .map(|(known, all)| 1.0 - known / all)
        .map(|share| if share > 1e-9 { share } else { 0.0 })
        .collect()
}

/// What is expected of the votes of a cell.
#[derive(Clone, Copy)]
struct Expected {
    /// Where its pair is.
    place: usize,
    /// Whether its items stand the other way round.
    flip: bool,
    /// The share of the pair's first item, and the pair's sum of weights.
    share: f64,
    weight: f64,
    /// How often a vote of the cell counts.
    counts: f64,
}

impl Expected {
    /// What one voter says beyond it, Σ w (r − p̂) over the pair's sum of weights, and where the pair is.
    fn surprise(&self, share: &Share) -> (usize, f64) {
        let wr = if self.flip { share.w - share.wr } else { share.wr };
        // The pair's share moves by w over the sum of weights.
        (self.place, self.counts * (wr - self.share * share.w) / self.weight)
    }
}

/// What is expected of every cell whose pair is in the fit.
fn expected(fit: &Fit, ballots: &Ballots) -> Vec<Option<Expected>> {
    let place: BTreeMap<(Arm, Arm), usize> =
        fit.asked.iter().enumerate().map(|(at, pair)| ((pair.i, pair.j), at)).collect();
    let counts = |cell: &PairVotes, place: usize| {
        let contexts = fit.contexts.as_ref().zip(fit.start.context2);
        contexts.map_or(1.0, |(contexts, tau2)| contexts.weight(cell.context, place, tau2))
    };
    let of = |cell: &PairVotes| {
        let (left, right) = (cell.left as Arm, cell.right as Arm);
        let place = *place.get(&(left.min(right), left.max(right)))?;
        let pair = &fit.asked[place];
        let counts = counts(cell, place);
        // A judge's correction is in the pair's chance, not in the answers.
        let share = pair.p - fit.contexts.as_ref().map_or(0.0, |contexts| contexts.shift(cell.context, place));
        Some(Expected { place, flip: left > right, share, weight: pair.weight, counts })
    };
    ballots.cells().iter().map(of).collect()
}
