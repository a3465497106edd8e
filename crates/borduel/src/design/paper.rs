//! The paper's own design, for the reproduction of its figures only.

use super::candidates::{Candidates, ROWS};
use super::frame::Frame;
use super::longest::longest;
use crate::Result;
use crate::duel::Duel;
use crate::features::{Features, dot};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// The paper's number of Frank–Wolfe iterations.
const ITERATIONS: usize = 20;

/// Vectors this near to the longest, relatively, count as equally long, so that rounding does not choose among them.
const TIE: f64 = 1e-9;

/// Weights over all K² ordered pairs, as the paper's algorithm leaves them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PaperDesign {
    /// The weight π(i,j) of every ordered pair, row by row, pairs with φ = 0 included; they sum to 1.
    pub weights: Vec<f64>,
    /// max ‖φ‖²_{V⁻¹} over all pairs at the end: well above d, since 20 iterations are not enough.
    pub g: f64,
}

/// The paper's Algorithm "G-optimal design by Frank–Wolfe", with the step that its line search asks for.
///
/// From π uniform over all K² ordered pairs, 20 times: the first pair (in lexicographic order) with the largest
/// g = ‖φ‖²_{V⁻¹}, V = Σ π φφᵀ, gets π ← (1 − γ)π + γ·1{this pair} with γ = (g/d − 1)/(g − 1). (The paper prints
/// γ = (g − 1/d)/(g − 1) with g not squared, which exceeds 1 at once and makes weights negative.) Every pair keeps some
/// weight, so that ⌈d π/ε²⌉ asks for each of them at least once: use [`g_optimal`](super::g_optimal) for anything but
/// the reproduction.
pub fn paper(features: &Features) -> Result<PaperDesign> {
    let (k, d) = (features.items(), features.dim());
    let candidates = Candidates::all(features);
    let mut frame = Frame::identity(d);
    frame.whiten(features.second_moment())?;
    let mut weights = vec![1.0 / (k as f64 * k as f64); k * k];
    for _ in 0..ITERATIONS {
        let (g, slot) = first_longest(features, &candidates, &frame);
        // At the optimum there is nowhere to go (for d = 1 the step is then 0/0).
        if g <= d as f64 * (1.0 + 1e-12) {
            break;
        }
        let step = (g / d as f64 - 1.0) / (g - 1.0);
        for w in &mut weights {
            *w *= 1.0 - step;
        }
        let Duel(i, j) = first_pair(features, slot);
        weights[i * k + j] += step;
        // In the frame V was I; now it is (1 − γ)I + γ yyᵀ.
        let y = DVector::from_vec(frame.rows(features, &[slot]));
        frame.whiten(DMatrix::identity(d, d) * (1.0 - step) + step * &y * y.transpose())?;
    }
    let (g, _) = first_longest(features, &candidates, &frame);
    Ok(PaperDesign { weights, g })
}

/// max ‖y‖² and the first slot that attains it. Slots are numbered in the order of their first pairs.
fn first_longest(features: &Features, candidates: &Candidates, frame: &Frame) -> (f64, usize) {
    let found = longest(candidates, frame, features.dim() as f64, ROWS, usize::MAX);
    let enough = found.max * (1.0 - TIE);
    let ties = found.top.iter().take_while(|(g, _)| *g >= enough);
    let first = ties.clone().map(|(_, slot)| *slot).min();
    if ties.count() < ROWS {
        return (found.max, first.unwrap_or(0));
    }
    // More ties than were listed: one of them comes early.
    let long = |slot: &usize| {
        let row = frame.rows(features, &[*slot]);
        dot(&row, &row) >= enough
    };
    (found.max, (0..features.distinct()).find(long).or(first).unwrap_or(0))
}

/// The first ordered pair, in lexicographic order, whose vector is ± that of a slot.
fn first_pair(features: &Features, slot: usize) -> Duel {
    if features.is_differences() {
        let (i, j) = features.pair_of(slot);
        return Duel(i, j);
    }
    let k = features.items();
    let mut pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| Duel(i, j)));
    pairs.find(|duel| features.slot(*duel).index == slot).unwrap_or(Duel(0, 0))
}
