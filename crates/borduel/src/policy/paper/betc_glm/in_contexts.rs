//! The exploration in contexts of every round: a design over all of them, and the answers of each.

use super::DesignMode;
use crate::Tally;
use crate::duel::{Arm, Duel, Outcome};
use crate::policy::shared::laws::{Laws, members};
use crate::problem::Problem;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What it takes to explore in several contexts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct InContexts {
    pub(super) laws: Laws,
    /// The answers of every context, and its favourite.
    pub(super) tallies: Vec<Tally>,
    pub(super) favourites: Vec<Arm>,
    /// How many designed questions there are to be, and how many there were in earlier explorations, whose answers were
    /// taken over.
    pub(super) designed: u64,
    pub(super) carried: u64,
}

impl InContexts {
    /// Before the first question, for so many of the design; and its g.
    pub(super) fn new(problem: &Problem, design: DesignMode, tolerance: f64, designed: u64) -> Result<(Self, f64)> {
        if design == DesignMode::Paper {
            let remedy = "is that of one set of items, but here every question has a context: take \"converged\"";
            return Err(Error::setting("design", "paper", remedy));
        }
        let (laws, g) = Laws::g_optimal(problem, tolerance)?;
        let tallies: Vec<Tally> = members(problem).0.iter().map(Tally::new).collect();
        Ok((Self { laws, favourites: vec![0; tallies.len()], tallies, designed, carried: 0 }, g))
    }

    #[cold]
    pub(super) fn learn(&mut self, problem: &Problem, context: usize, duel: Duel, outcome: Outcome) {
        self.tallies[context].add(&members(problem).0[context], duel, outcome.reward());
    }
}

/// Whether there are several contexts. It is a type, so that nobody who has one set of items asks for it in every
/// round.
pub(super) trait Several {
    /// They, where there are some.
    fn get(&self) -> Option<&InContexts>;
    /// The same, to be changed.
    fn get_mut(&mut self) -> Option<&mut InContexts>;

    /// Whether there are none, and so nothing to save.
    fn is_absent(&self) -> bool {
        self.get().is_none()
    }
}

/// One set of items.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct One;

impl Several for One {
    #[inline(always)]
    fn get(&self) -> Option<&InContexts> {
        None
    }

    #[inline(always)]
    fn get_mut(&mut self) -> Option<&mut InContexts> {
        None
    }
}

impl Several for Box<InContexts> {
    fn get(&self) -> Option<&InContexts> {
        Some(self)
    }

    fn get_mut(&mut self) -> Option<&mut InContexts> {
        Some(self)
    }
}
