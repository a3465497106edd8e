//! Position bias: the score test for a constant added to the left item's log-odds, U = Σ w (r − μ) over votes as shown.

use super::{Context, Finding};
use crate::ballots::{PairVotes, Share};
use crate::parallel;
use crate::special::two_sided;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The chance of a false alarm.
pub const POSITION_LEVEL: f64 = 0.01;

/// Why position bias was not tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoPosition {
    /// The votes do not tell the sides on which items were shown.
    SidesUnknown,
    /// No pair was shown in both orders.
    OneOrder,
    /// There is no fitted model.
    NoModel,
    /// The model is not determined by the votes.
    Undetermined,
    /// The model explains every difference between the sides.
    Explained,
    /// It was estimated and removed instead.
    Adjusted,
}

pub(super) fn position(context: &Context<'_>) -> Finding {
    let untested = |why| Finding::PositionUntested { why };
    if context.adjusted {
        return untested(NoPosition::Adjusted);
    }
    if !context.ballots.sides_known() {
        return untested(NoPosition::SidesUnknown);
    }
    let mut place = vec![usize::MAX; context.ballots.items().len()];
    context.sums.items.iter().enumerate().for_each(|(at, &item)| place[item] = at);
    let kept = |cell: &PairVotes| {
        cell.w > 0.0 && place[cell.left as usize] != usize::MAX && place[cell.right as usize] != usize::MAX
    };
    let cells = context.ballots.cells();
    let used: Vec<usize> = (0..cells.len()).filter(|&at| kept(&cells[at])).collect();
    let shown: HashSet<(u32, u32)> = used.iter().map(|&at| (cells[at].left, cells[at].right)).collect();
    if !shown.iter().any(|&(left, right)| shown.contains(&(right, left))) {
        return untested(NoPosition::OneOrder);
    }
    let Some(fitted) = context.fitted else { return untested(NoPosition::NoModel) };
    let pairs: Vec<(usize, usize)> =
        used.iter().map(|&at| (place[cells[at].left as usize], place[cells[at].right as usize])).collect();
    let points = fitted.points();
    let scores: Vec<f64> = pairs.iter().map(|&(i, j)| fitted.score(i, j)).collect();
    let slopes: Vec<f64> = used.iter().zip(&scores).map(|(&at, z)| cells[at].w * points.slope(*z)).collect();
    let Some(taken) = fitted.absorbed(&pairs, (&[], 0), &slopes) else { return untested(NoPosition::Undetermined) };
    let information: f64 = slopes.iter().sum();
    let spare = information - slopes.iter().zip(&taken).map(|(s, t)| s * t).sum::<f64>();
    // What a vote's residual contributes, once the fitted parameters have taken their share.
    let mut influence = vec![(0.5, 0.0); cells.len()];
    for ((&at, z), taken) in used.iter().zip(&scores).zip(&taken) {
        influence[at] = (points.mean(*z), 1.0 - taken);
    }
    let score: f64 = used.iter().map(|&at| (cells[at].wr - influence[at].0 * cells[at].w) * influence[at].1).sum();
    let variance: f64 = if context.by_voter() {
        // Shares are sorted by their voters.
        let of_voter = |shares: &[Share]| {
            let part = |share: &Share| {
                let (mu, c) = influence[share.cell as usize];
                (share.wr - mu * share.w) * c
            };
            let sum: f64 = shares.iter().map(part).sum();
            sum * sum / context.ballots.copies()[shares[0].voter as usize]
        };
        let voters: Vec<&[Share]> = context.ballots.shares().chunk_by(|a, b| a.voter == b.voter).collect();
        parallel::map(voters.len(), |at| of_voter(voters[at])).iter().sum()
    } else {
        let square = |&at: &usize| {
            let (cell, (mu, c)) = (&cells[at], influence[at]);
            (cell.w2r2 - 2.0 * mu * cell.w2r + mu * mu * cell.w2).max(0.0) * c * c
        };
        used.iter().map(square).sum()
    };
    if variance.is_nan() || variance <= 0.0 || spare.is_nan() || spare <= 1e-9 * information {
        return untested(NoPosition::Explained);
    }
    let decided = |at: &usize| cells[*at].counts.left + cells[*at].counts.right;
    Finding::Position {
        advantage: points.mean(score / spare) - 0.5,
        decided: used.iter().map(decided).sum(),
        left_won: used.iter().map(|&at| cells[at].counts.left).sum(),
        p: two_sided(score / variance.sqrt()),
    }
}
