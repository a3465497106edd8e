//! Optimal experimental design: how often to ask for each vector so that every pair is estimated well, with a proof.

mod candidates;
mod contextual;
mod exchange;
mod frame;
mod longest;
mod pairs;
mod paper;
mod reduce;
mod scores;
mod top;

use crate::features::Features;
use crate::stop;
use crate::{Error, Result};
use candidates::{Candidates, ROWS};
pub use contextual::{ContextualDesign, g_optimal_in_contexts};
use exchange::Exchange;
use frame::Frame;
use longest::{Found, longest};
pub use paper::{PaperDesign, paper};
pub use scores::for_scores;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The smallest tolerance that double precision can be asked for.
const FINEST: f64 = 1e-10;

/// A search over pairs of items looks at no more than so many on the way, which covers all pairs of 16,000 items …
const BUDGET: usize = 1 << 27;

/// … and at no more than so many for the certificate, which covers all pairs of 46,000 items.
const FINAL_BUDGET: usize = 1 << 30;

/// Rounds of exchanges after which a design is returned as it is. A few dozen are usual, hundreds at a tolerance of
/// 1e-9.
const PATIENCE: usize = 10_000;

/// Rounds of searching and solving that are worth while when a search cannot look at every pair that might matter.
const ROUNDS: usize = 8;

/// Weights π over distinct vectors that make max ‖φ‖²_{V⁻¹} small, V = Σ π φφᵀ, and how small they make it.
///
/// No design does better than d (Kiefer and Wolfowitz 1960), so [`certificate`](Self::certificate) says how far this
/// one is from the best at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// The slots of the vectors to ask for, in increasing order: at most d(d+1)/2, none of them zero.
    pub support: Vec<usize>,
    /// The weight of each, positive; they sum to 1.
    pub weights: Vec<f64>,
    /// max ‖φ‖²_{V⁻¹} over all pairs, measured on these weights; an upper bound on it unless [`exact`](Self::exact).
    pub g: f64,
    /// Whether `g` is the maximum itself. It is, except for features x_i − x_j of so many items in so adverse a
    /// position that not every pair that might matter could be looked at.
    pub exact: bool,
    /// Rounds of exchanges that were made.
    pub iterations: usize,
    /// d.
    dim: usize,
}

impl Design {
    /// g/d: at most 1 + tolerance where the tolerance was reached, and never less than 1 but for rounding.
    pub fn certificate(&self) -> f64 {
        self.g / self.dim as f64
    }
}

/// The G-optimal design of all pairs, to a relative tolerance: max ‖φ‖²_{V⁻¹} ≤ (1 + tolerance)·d.
///
/// The same weights maximise log det V, and that is how they are found: a small pool of vectors is solved by moving
/// weight between pairs of them, each time by the best amount; then all vectors are searched for the longest
/// ‖φ‖_{V⁻¹}, which join the pool; and so on until none is too long. Where more than d(d+1)/2 vectors have weight, it
/// is moved along null vectors of {φφᵀ}, which leaves V as it is, until so many are left. The certificate is measured
/// on the final weights.
///
/// For x_i − x_j with very many items the maximum over all pairs is found without looking at all of them. When even
/// that is too much, as for a million items on a sphere, the design is good for every pair that was looked at, and the
/// certificate, which then may exceed 1 + tolerance, holds for all: see [`Design::exact`].
///
/// ```
/// use borduel::{Features, design::g_optimal};
/// let features = Features::differences(4, 2, &[0.0, 0.0, 0.5, 0.0, 0.0, 0.5, 0.3, 0.3])?;
/// let design = g_optimal(&features, 0.01)?;
/// assert!(design.certificate() <= 1.01);
/// assert!(design.support.len() <= 3);
/// # Ok::<(), borduel::Error>(())
/// ```
pub fn g_optimal(features: &Features, tolerance: f64) -> Result<Design> {
    check(tolerance)?;
    let d = features.dim() as f64;
    let limit = d * (1.0 + tolerance);
    let all = Candidates::all(features);
    let mut pool = all.thinned();
    let mut search = Search::start(features, &all, &pool)?;
    let mut round = 0;
    loop {
        round += 1;
        // What is solved on a part leaves room for what the rest will add.
        let share = if pool.len() == all.len() { 0.9 } else { 0.5 };
        search.solve(&pool, d * (1.0 + share * tolerance))?;
        search.reduce()?;
        let mut found = longest(&all, &search.frame, d, ROWS, BUDGET);
        let last = search.iterations >= PATIENCE || (round >= ROUNDS && found.bound > found.max);
        if (last || found.max <= limit) && found.bound > limit.max(found.max) {
            found = longest(&all, &search.frame, d, ROWS, FINAL_BUDGET);
        }
        if last || found.max <= limit {
            return Ok(search.finish(&found));
        }
        pool = all.chosen(&search.slots, &found.top);
    }
}

/// Refuses a tolerance that means nothing.
fn check(tolerance: f64) -> Result<()> {
    if (FINEST..=1.0).contains(&tolerance) {
        return Ok(());
    }
    Err(Error::setting("tolerance", tolerance, "give a number from 1e-10 to 1; 0.01 is usual"))
}

/// A design on its way.
struct Search<'f> {
    features: &'f Features,
    /// Where V = I.
    frame: Frame,
    slots: Vec<usize>,
    weights: Vec<f64>,
    iterations: usize,
}

impl<'f> Search<'f> {
    /// Begins with d vectors that span the space; or with all, if there are no more than a support may hold.
    fn start(features: &'f Features, all: &Candidates, pool: &Candidates) -> Result<Self> {
        // The pool is enough unless it hardly spans the space.
        let from = |candidates: &Candidates, negligible| {
            Frame::start(
                features.dim(),
                |direction| candidates.farthest(direction),
                |slot| features.vector(*slot),
                negligible,
            )
        };
        let (mut frame, mut slots) =
            from(pool, 1e-6).or_else(|| from(all, 0.0)).ok_or_else(frame::too_nearly_dependent)?;
        if features.distinct() <= most(features) {
            slots = (0..features.distinct()).collect();
        }
        let weights = vec![1.0 / slots.len() as f64; slots.len()];
        frame.renew(features, &slots, &weights)?;
        Ok(Self { features, frame, slots, weights, iterations: 0 })
    }

    /// Moves weight until max ‖φ‖²_{V⁻¹} over the pool is at most `goal`.
    fn solve(&mut self, pool: &Candidates, goal: f64) -> Result<()> {
        let d = self.features.dim();
        let mean = d as f64;
        while self.iterations < PATIENCE {
            stop::check();
            let found = longest(pool, &self.frame, mean, 4 * d + 8, usize::MAX);
            if found.max <= goal {
                break;
            }
            self.iterations += 1;
            let known: HashSet<usize> = self.slots.iter().copied().collect();
            self.slots.extend(found.top.iter().map(|(_, slot)| *slot).filter(|slot| !known.contains(slot)));
            self.weights.resize(self.slots.len(), 0.0);
            let rows = self.frame.rows(self.features, &self.slots);
            // A set that is soon to change need not be solved to the end.
            let enough = mean + f64::max((found.max - mean) / 16.0, (goal - mean) / 2.0);
            Exchange::new(d, &rows, &mut self.weights).run(enough);
            self.settle()?;
        }
        Ok(())
    }

    /// Reduces the support to at most d(d+1)/2 vectors.
    fn reduce(&mut self) -> Result<()> {
        if self.slots.len() > most(self.features) {
            let rows = self.frame.rows(self.features, &self.slots);
            reduce::reduce(self.features.dim(), &rows, &mut self.weights);
            self.settle()?;
        }
        Ok(())
    }

    /// Drops vectors without weight, makes the weights sum to 1, and turns the frame to them.
    fn settle(&mut self) -> Result<()> {
        let total: f64 = self.weights.iter().sum();
        let points = self.slots.iter().copied().zip(self.weights.iter().map(|w| w / total));
        (self.slots, self.weights) = points.filter(|(_, w)| *w > 0.0).unzip();
        self.frame.renew(self.features, &self.slots, &self.weights)
    }

    fn finish(self, found: &Found) -> Design {
        let mut points: Vec<(usize, f64)> = self.slots.into_iter().zip(self.weights).collect();
        points.sort_unstable_by_key(|point| point.0);
        let (support, weights) = points.into_iter().unzip();
        Design {
            support,
            weights,
            g: found.bound,
            exact: found.bound <= found.max,
            iterations: self.iterations,
            dim: self.features.dim(),
        }
    }
}

/// The most vectors that a support may need: the dimension d(d+1)/2 of the symmetric matrices.
fn most(features: &Features) -> usize {
    features.dim() * (features.dim() + 1) / 2
}

#[cfg(test)]
mod tests;
