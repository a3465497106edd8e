//! Finished replications, wherever they are kept until all of them are there.

use super::pairing::Finished;
use std::convert::Infallible;

/// Where the finished replications of a plan are kept: in memory, or elsewhere if there are very many.
///
/// Means, spreads and quantiles are those of all replications at one checkpoint, so that is what is asked for: never a
/// whole curve, and never two checkpoints at a time.
pub trait RunStore {
    /// Why they cannot be had.
    type Error;

    /// Cumulative regret at a checkpoint, in a notion of the experiment's (0 is the first), of all replications of a
    /// combination in their order.
    ///
    /// # Errors
    /// A place that cannot be read.
    fn regrets(&self, combination: usize, notion: usize, checkpoint: usize) -> Result<Vec<f64>, Self::Error>;

    /// The items that they would name at the end.
    fn estimates(&self, combination: usize) -> Vec<usize>;

    /// Where a context comes up in every round: the shares of contexts whose best item they would name, in a notion.
    fn found(&self, combination: usize, notion: usize) -> Option<Vec<f64>>;
}

/// All jobs of a plan in their order, in memory.
pub(super) struct Held<'a> {
    pub(super) finished: Vec<&'a Finished>,
    pub(super) combinations: usize,
}

impl Held<'_> {
    fn of(&self, combination: usize) -> impl Iterator<Item = &Finished> {
        self.finished.iter().skip(combination).step_by(self.combinations).copied()
    }
}

impl RunStore for Held<'_> {
    type Error = Infallible;

    fn regrets(&self, combination: usize, notion: usize, checkpoint: usize) -> Result<Vec<f64>, Infallible> {
        let curves = self.of(combination).filter_map(|finished| finished.curve(notion));
        Ok(curves.filter_map(|curve| curve.get(checkpoint).copied()).collect())
    }

    fn estimates(&self, combination: usize) -> Vec<usize> {
        self.of(combination).map(|finished| finished.estimate).collect()
    }

    fn found(&self, combination: usize, notion: usize) -> Option<Vec<f64>> {
        self.of(combination).map(|finished| finished.found.get(notion).copied()).collect()
    }
}
