//! The G-optimal design where a context comes up by itself before every question.

use super::candidates::Candidates;
use super::exchange::Exchange;
use super::frame::{self, Frame};
use super::longest::longest;
use super::{BUDGET, Design, FINAL_BUDGET, PATIENCE, check, g_optimal};
use crate::features::{Features, dot};
use crate::stop;
use crate::{Error, Result};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;

/// One design a context, π_c, that together make something small in V = Σ_c w_c Σ_p π_c(p) φφᵀ, and how small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContextualDesign {
    /// π_c of every context: its `g` is what is to be small there. In a context that never comes up, or whose items are
    /// all alike, the support is empty.
    pub contexts: Vec<Design>,
    /// The objective Σ_c w_c g_c.
    pub g: f64,
    /// What no design has less than.
    pub least: f64,
}

impl ContextualDesign {
    /// How far `g` is from the best at most, as a factor.
    pub fn certificate(&self) -> f64 {
        // Where every design has 0 each is the best.
        if self.g == 0.0 { 1.0 } else { self.g / self.least }
    }
}

/// The G-optimal design where context c comes up with the share w_c of a family (see [`Features::family`]), to a
/// relative tolerance: Σ_c w_c max_p ‖φ(c; p)‖²_{V⁻¹} ≤ (1 + tolerance)·d.
///
/// It maximises log det V over a product of simplices, one a context. Nothing has less than d (Kiefer and Wolfowitz
/// 1960: Σ_c w_c Σ_p π_c(p) ‖φ‖²_{V⁻¹} = d), so that lengths are small in the mean over contexts, which is what regret
/// asks for, and not in each. Frank and Wolfe's step would move every π_c towards its own longest vector; here weight
/// is moved between two vectors of one context at a time, by the best amount, as [`g_optimal`] does: with one context
/// it is that design.
///
/// ```
/// use borduel::{Features, design::g_optimal_in_contexts};
/// let family = Features::family(2, 2, &[vec![0.0, 0.0, 0.5, 0.0], vec![0.0, 0.0, 0.0, 0.5]])?;
/// let design = g_optimal_in_contexts(&family, &[0.25, 0.75], 0.01)?;
/// // Each of the two directions is seen in one context only.
/// assert!((design.contexts[0].g - 4.0).abs() < 1e-9 && design.certificate() < 1.01);
/// # Ok::<(), borduel::Error>(())
/// ```
///
/// # Errors
/// A tolerance that means nothing, as many shares as contexts, and contexts that come up but leave some direction out.
pub fn g_optimal_in_contexts(family: &[Features], shares: &[f64], tolerance: f64) -> Result<ContextualDesign> {
    check(tolerance)?;
    check_shares(family, shares)?;
    if let [features] = family {
        let design = g_optimal(features, tolerance)?;
        let (g, least) = (design.g, features.dim() as f64);
        return Ok(ContextualDesign { contexts: vec![design], g, least });
    }
    let mut search = Search::start(family, shares)?;
    let d = search.d as f64;
    let goal = d * (1.0 + tolerance);
    loop {
        stop::check();
        let mut budget = BUDGET;
        let mut found = search.longest(budget);
        let last = search.iterations >= PATIENCE;
        if (last || found.max <= goal) && found.bound > goal.max(found.max) {
            budget = FINAL_BUDGET;
            found = search.longest(budget);
        }
        if last || found.max <= goal {
            return Ok(search.finish(&found, d));
        }
        search.improve(&found, d + 0.5 * (goal - d))?;
    }
}

/// What is found in all contexts.
struct Found {
    /// max ‖y‖² of every context, a bound on it, and the longest slots.
    contexts: Vec<super::Found>,
    /// Σ_c w_c of the first two.
    max: f64,
    bound: f64,
}

/// A design on its way.
struct Search<'f> {
    d: usize,
    members: Vec<Member<'f>>,
    /// Where V = I.
    frame: Frame,
    /// The slots in every context, and what they weigh: w_c together.
    slots: Vec<Vec<usize>>,
    weights: Vec<Vec<f64>>,
    iterations: usize,
}

/// A context, with the questions that can be asked in it.
struct Member<'f> {
    features: &'f Features,
    share: f64,
    all: Candidates<'f>,
}

/// Shares are as many as contexts, none below 0, and 1 together.
fn check_shares(family: &[Features], shares: &[f64]) -> Result<()> {
    if family.is_empty() || family.len() != shares.len() {
        let remedy = format!("must be as many as contexts, one or more: {}", family.len());
        return Err(Error::setting("shares", shares.len(), remedy));
    }
    let sum: f64 = shares.iter().sum();
    let odd = shares.iter().copied().find(|share| !(0.0..=1.0).contains(share));
    match odd.or((sum - 1.0).abs().gt(&1e-9).then_some(sum)) {
        Some(odd) => Err(Error::setting("shares", odd, "must be numbers from 0 to 1 whose sum is 1")),
        None => Ok(()),
    }
}

impl<'f> Search<'f> {
    /// Begins with d vectors that span the space, and one of every other context.
    fn start(family: &'f [Features], shares: &[f64]) -> Result<Self> {
        let d = family.first().map_or(0, Features::dim);
        let member = |(features, share): (&'f Features, &f64)| {
            // Of a context that never comes up nothing is asked.
            let share = if features.distinct() == 0 { 0.0 } else { *share };
            Member { features, share, all: Candidates::all(features) }
        };
        let members: Vec<Member<'f>> = family.iter().zip(shares).map(member).collect();
        let open = || (0..members.len()).filter(|c| members[*c].share > 0.0);
        let farthest = |direction: &[f64]| {
            let each = open().map(|c| (c, members[c].all.farthest(direction)));
            let first = (f64::NEG_INFINITY, (0, 0));
            each.fold(first, |best, (c, (reach, slot))| if reach > best.0 { (reach, (c, slot)) } else { best })
        };
        let vector = |&(c, slot): &(usize, usize)| members[c].features.vector(slot);
        let (frame, start) = Frame::start(d, farthest, vector, 0.0).ok_or_else(|| {
            let words =
                "the contexts that come up leave some direction of the others out: leave out contexts of weight 0";
            if open().count() < members.len() { Error::Data(words.to_owned()) } else { frame::too_nearly_dependent() }
        })?;
        let mut slots = vec![Vec::new(); members.len()];
        start.into_iter().for_each(|(c, slot)| slots[c].push(slot));
        for c in open().filter(|c| slots[*c].is_empty()).collect::<Vec<_>>() {
            let found = longest(&members[c].all, &frame, 0.0, 1, BUDGET);
            slots[c].extend(found.top.first().map(|(_, slot)| *slot));
        }
        let even = |(own, member): (&Vec<usize>, &Member)| vec![member.share / own.len().max(1) as f64; own.len()];
        let weights = slots.iter().zip(&members).map(even).collect();
        let mut search = Self { d, members, frame, slots, weights, iterations: 0 };
        search.settle()?;
        Ok(search)
    }

    /// The longest vectors of every context.
    fn longest(&self, budget: usize) -> Found {
        let one = |(c, member): (usize, &Member)| {
            let own = self.frame.rows(member.features, &self.slots[c]);
            let lengths = own.chunks_exact(self.d).zip(&self.weights[c]).map(|(y, w)| w * dot(y, y));
            if member.share == 0.0 {
                return super::Found { max: 0.0, bound: 0.0, top: Vec::new() };
            }
            longest(&member.all, &self.frame, lengths.sum::<f64>() / member.share, 4 * self.d + 8, budget)
        };
        let contexts: Vec<super::Found> = self.members.iter().enumerate().map(one).collect();
        let mean = |of: fn(&super::Found) -> f64| {
            self.members.iter().zip(&contexts).map(|(member, found)| member.share * of(found)).sum::<f64>()
        };
        Found { max: mean(|found| found.max), bound: mean(|found| found.bound), contexts }
    }

    /// Takes in what was found, and moves weight within contexts until Σ_c w_c max ‖y‖² over what is in is at most
    /// `goal`, or for a few sweeps.
    fn improve(&mut self, found: &Found, goal: f64) -> Result<()> {
        self.iterations += 1;
        for ((slots, weights), found) in self.slots.iter_mut().zip(&mut self.weights).zip(&found.contexts) {
            let known: HashSet<usize> = slots.iter().copied().collect();
            slots.extend(found.top.iter().map(|(_, slot)| *slot).filter(|slot| !known.contains(slot)));
            weights.resize(slots.len(), 0.0);
        }
        let rows: Vec<f64> =
            self.members.iter().zip(&self.slots).flat_map(|(m, slots)| self.frame.rows(m.features, slots)).collect();
        let groups = self.groups();
        let mut weights = self.weights.concat();
        Exchange::new(self.d, &rows, &mut weights).run_within(&groups, goal);
        self.weights = groups.into_iter().map(|group| weights[group].to_vec()).collect();
        self.settle()
    }

    /// Where the slots of every context stand among all.
    fn groups(&self) -> Vec<Range<usize>> {
        let ends = self.slots.iter().scan(0, |end, own| {
            *end += own.len();
            Some(*end - own.len()..*end)
        });
        ends.collect()
    }

    /// Drops vectors without weight, makes the weights of every context sum to its share, and turns the frame to them.
    fn settle(&mut self) -> Result<()> {
        let mut v = DMatrix::zeros(self.d, self.d);
        for ((slots, weights), member) in self.slots.iter_mut().zip(&mut self.weights).zip(&self.members) {
            let total: f64 = weights.iter().sum();
            let points = slots.iter().copied().zip(weights.iter().map(|w| w * member.share / total));
            (*slots, *weights) = points.filter(|(_, w)| *w > 0.0).unzip();
            v += self.frame.information(member.features, slots, weights);
        }
        self.frame.whiten(v)
    }

    /// The design: π_c is what vectors weigh within their context.
    fn finish(self, found: &Found, least: f64) -> ContextualDesign {
        let one = |(c, found): (usize, &super::Found)| {
            let share = self.members[c].share;
            let mut points: Vec<(usize, f64)> =
                self.slots[c].iter().copied().zip(self.weights[c].iter().map(|w| w / share)).collect();
            points.sort_unstable_by_key(|point| point.0);
            let (support, weights) = points.into_iter().unzip();
            let exact = found.bound <= found.max;
            Design { support, weights, g: found.bound, exact, iterations: self.iterations, dim: self.d }
        };
        let contexts = found.contexts.iter().enumerate().map(one).collect();
        ContextualDesign { contexts, g: found.bound, least }
    }
}
