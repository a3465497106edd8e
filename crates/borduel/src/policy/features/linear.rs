//! What the policies with item features share: answers per vector with their ridge fit, ellipsoids, the widest pair of
//! items, and what stands on a ticket.
//!
//! All of them assume p(i,j) = μ(⟨x_i − x_j, θ⟩). Vectors are read from the problem whenever a question is chosen;
//! nothing of them is kept but the differences asked. A ticket carries its own z = x_i − x_j, so that an answer is
//! learned from without looking at items.

mod factor;
mod model;
mod norms;

use crate::duel::{Arm, Duel, INLINE, Note, Proposal};
use crate::features::dot;
use crate::problem::Problem;
use crate::{Error, Result};
pub(in crate::policy) use factor::{half_square, solve_lower, solve_transposed};
pub(in crate::policy) use model::Model;
pub(in crate::policy) use norms::{Inverse, Norms, Widest};

/// Refuses features that do not belong to items.
pub(in crate::policy) fn check(problem: &Problem) -> Result<()> {
    crate::policy::shared::settings::features(problem)?;
    if problem.features().is_differences() {
        return Ok(());
    }
    let remedy = "this policy learns from vectors of items, φ(i,j) = x_i − x_j: give the items features of their own";
    Err(Error::setting("features", "of pairs", remedy))
}

/// The smallest λ: the first answer takes V⁻¹ from 1/λ to about 1, and less would be left of λ than rounding adds.
const LEAST_RIDGE: f64 = 1e-9;

/// λ of V = λI + Σ g zzᵀ, where V⁻¹ is kept from answer to answer.
pub(in crate::policy) fn ridge(value: f64) -> Result<f64> {
    ridge_called("ridge", value)
}

/// The same under another name.
pub(in crate::policy) fn ridge_called(name: &'static str, value: f64) -> Result<f64> {
    let ridge = crate::policy::shared::settings::positive(name, value)?;
    if ridge < LEAST_RIDGE {
        return Err(Error::setting(name, value, "would be lost in rounding beside the answers: take at least 1e-9"));
    }
    Ok(ridge)
}

/// √(d log T), or what was set.
pub(in crate::policy) fn width(name: &'static str, set: Option<f64>, problem: &Problem) -> Result<f64> {
    match set {
        Some(width) => crate::policy::shared::settings::not_negative(name, width),
        None => Ok((problem.dim() as f64 * (crate::policy::shared::settings::horizon(problem)? as f64).ln()).sqrt()),
    }
}

/// x_i. (A policy that was built has checked that there are vectors.)
#[inline]
pub(in crate::policy) fn vector(problem: &Problem, item: Arm) -> &[f64] {
    let d = problem.dim();
    &problem.features().item_vectors().unwrap_or_default()[item * d..(item + 1) * d]
}

/// φ(i,j), which is x_i − x_j where features belong to items.
pub(in crate::policy) fn difference(problem: &Problem, duel: Duel, out: &mut Vec<f64>) {
    out.clear();
    let Duel(i, j) = duel;
    let features = problem.features();
    if !features.is_differences() {
        let slot = features.slot(duel);
        out.resize(problem.dim(), 0.0);
        features.write_vector(slot.index, out);
        if slot.negative {
            out.iter_mut().for_each(|x| *x = -*x);
        }
        return;
    }
    out.extend(vector(problem, i).iter().zip(vector(problem, j)).map(|(x, y)| x - y));
}

/// Whether two items have the same vector, so that a duel of them tells the model as little as one of an item with
/// itself.
pub(in crate::policy) fn alike(problem: &Problem, Duel(i, j): Duel) -> bool {
    i == j || vector(problem, i) == vector(problem, j)
}

/// ⟨x, θ⟩ of all items.
pub(in crate::policy) fn utilities(problem: &Problem, theta: &[f64], out: &mut Vec<f64>) {
    out.clear();
    let vectors = problem.features().item_vectors().unwrap_or_default();
    out.extend(vectors.chunks_exact(theta.len().max(1)).map(|x| dot(x, theta)));
}

/// What stands on a ticket: a number, how much the answer counts, and z where a note has room for it without
/// allocating. Where every question has a context of its own z is always there: when the answer comes, nobody knows the
/// items as they were.
pub(in crate::policy) fn note(problem: &Problem, number: u64, weight: f64, z: &[f64]) -> Note {
    let mut numbers = [weight; INLINE];
    if z.len() >= INLINE && problem.context().is_some() {
        return Note::new(number, &[&[weight], z].concat());
    }
    if z.len() >= INLINE {
        return Note::inline(number, 1, numbers);
    }
    numbers[1..=z.len()].copy_from_slice(z);
    Note::inline(number, 1 + z.len(), numbers)
}

/// The weight on a ticket, and its z onto the given place; none of a question from which nothing is learned.
pub(in crate::policy) fn noted(problem: &Problem, proposal: &Proposal, z: &mut Vec<f64>) -> Option<f64> {
    let (weight, own) = proposal.note()?.numbers().split_first()?;
    if own.len() == problem.dim() {
        z.clear();
        z.extend_from_slice(own);
    } else {
        difference(problem, proposal.duel, z);
    }
    Some(*weight)
}

#[cfg(test)]
mod tests;
