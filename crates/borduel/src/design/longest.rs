//! The longest vectors in a frame.

use super::candidates::{BLOCK, Candidates};
use super::frame::Frame;
use super::pairs;
use super::top::Top;
use crate::features::dot;

/// What a search found.
pub(super) struct Found {
    /// The largest ‖y‖² seen.
    pub(super) max: f64,
    /// An upper bound on all of them: equal to `max` unless the search ran out of its budget.
    pub(super) bound: f64,
    /// The longest ones, as (‖y‖², slot), longest first.
    pub(super) top: Vec<(f64, usize)>,
}

/// The `limit` longest candidates in a frame, among those no shorter than ‖y‖² = `mean`, its mean under their design:
/// some always is; at most about `budget` pairs of items are looked at.
pub(super) fn longest(candidates: &Candidates, frame: &Frame, mean: f64, limit: usize, budget: usize) -> Found {
    let d = candidates.dim();
    let mut top = Top::new(mean * (1.0 - 1e-9), limit);
    if candidates.are_pairs() {
        let rest = pairs::search(candidates, frame, budget, &mut top);
        let max = top.max;
        return Found { max, bound: max.max(rest), top: top.sorted().0 };
    }
    let mut y = Vec::new();
    for (block, rows) in candidates.rows().chunks(BLOCK * d).enumerate() {
        frame.apply(rows, &mut y);
        for (k, row) in y.chunks_exact(d).enumerate() {
            let length = dot(row, row);
            if length > top.floor {
                top.push(length, candidates.name(block * BLOCK + k));
            }
        }
    }
    Found { max: top.max, bound: top.max, top: top.sorted().0 }
}
