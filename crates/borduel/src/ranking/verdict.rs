//! The verdict: a clear winner, a tie at the top, or not enough votes, with how many are still needed.

use super::estimate::Estimate;
use super::simultaneous::Differences;
use serde::Serialize;

/// What kind of verdict it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// The leader's score is certainly above every other.
    ClearWinner,
    /// Whoever may be best differs from the others who may by less than the margin.
    Tie,
    /// Neither is certain yet.
    NotEnough,
}

/// The verdict, in one sentence and for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// What kind of verdict it is.
    pub kind: VerdictKind,
    /// One sentence.
    pub text: String,
    /// The winner, the tied items, or (not enough votes) all that may still be best; as indices of the ballots' items.
    #[serde(skip)]
    pub winners: Vec<usize>,
    /// With too few votes: roughly how many more are needed, at the present mix of pairs.
    pub votes_needed: Option<f64>,
}

/// Judges by the simultaneous set. `order` lists the items by score; the verdict's winners are indices of the estimate.
pub(crate) fn judge(
    estimate: &Estimate,
    set: &Differences<'_>,
    order: &[usize],
    margin: f64,
    votes: f64,
) -> (VerdictKind, Vec<usize>, Option<f64>) {
    // Whoever is certainly below somebody, the leader or not, cannot be best: contenders are those whose rank may be 1. That
    // the leader is the only one means that all its differences are positive throughout the simultaneous set.
    let contenders: Vec<usize> =
        order.iter().copied().filter(|&i| !order.iter().any(|&j| j != i && set.above(j, i))).collect();
    if contenders.len() == 1 {
        return (VerdictKind::ClearWinner, contenders, None);
    }
    let within = |i: usize, j: usize| {
        let (low, high) = set.interval(i, j);
        low >= -margin && high <= margin
    };
    let tied = contenders.iter().enumerate().all(|(at, &i)| contenders[..at].iter().all(|&j| within(i, j)));
    if tied {
        return (VerdictKind::Tie, contenders, None);
    }
    let needed = votes_factor(estimate, set, order, &contenders, margin).map(|factor| votes * (factor - 1.0));
    (VerdictKind::NotEnough, contenders, needed)
}

/// By which factor the votes must grow, were the estimates true and every standard error to fall with √votes.
///
/// Either verdict would do: for each m, the first m items tie (c·se ≤ margin − |difference| within them) and the leader is above
/// all others (c·se ≤ difference). m = 1 is a clear winner. The cheapest m counts; `None` when none is possible.
fn votes_factor(
    estimate: &Estimate,
    set: &Differences<'_>,
    order: &[usize],
    contenders: &[usize],
    margin: f64,
) -> Option<f64> {
    if estimate.unknown.iter().any(|&u| u > 1e-12) {
        return None;
    }
    let factor = |i: usize, j: usize, room: f64| {
        if room > 0.0 { (set.critical * set.error(i, j) / room).powi(2) } else { f64::INFINITY }
    };
    let leader = order[0];
    let gap = |i: usize, j: usize| (estimate.borda[i] - estimate.borda[j]).abs();
    let mut best = f64::INFINITY;
    let mut tie: f64 = 0.0;
    for m in 1..=contenders.len() {
        let newest = contenders[m - 1];
        tie = contenders[..m - 1].iter().map(|&i| factor(i, newest, margin - gap(i, newest))).fold(tie, f64::max);
        let apart = contenders[m..].iter().map(|&j| factor(leader, j, gap(leader, j))).fold(0.0, f64::max);
        best = best.min(tie.max(apart));
    }
    (best.is_finite() && best > 1.0).then_some(best)
}
