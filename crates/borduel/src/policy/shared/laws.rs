//! Questions that are drawn from a design: in each context from a law of its own.

use crate::Result;
use crate::design::{Design, for_scores, g_optimal_in_contexts};
use crate::duel::Duel;
use crate::features::Features;
use crate::policy::shared::alias::Alias;
use crate::policy::shared::settings;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The vectors that a design asks about and how often, one context after the other. Without contexts there is one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct Laws {
    support: Vec<usize>,
    weights: Vec<f64>,
    /// Where the vectors of every context end, unless there is a single one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ends: Vec<usize>,
    /// A loaded state lacks it.
    #[serde(skip)]
    tables: Option<Arc<Tables>>,
}

/// What draws: a table for every context, and the pairs of every vector.
#[derive(Debug)]
struct Tables {
    contexts: Vec<Alias>,
    pairs: Vec<Vec<Duel>>,
}

/// A question: its duel, the vector that it is about, and how likely it was among all from the law.
pub(in crate::policy) struct Drawn {
    pub(in crate::policy) duel: Duel,
    /// Its place in the support; beyond it where no pair says anything.
    pub(in crate::policy) vector: u64,
    pub(in crate::policy) chance: f64,
}

/// The features of a problem, or those of all its contexts where it knows several; and how often each comes up.
pub(in crate::policy) fn members(problem: &Problem) -> (&[Features], &[f64]) {
    match settings::several(problem) {
        Some(family) => (family.features(), family.weights()),
        None => (std::slice::from_ref(problem.features()), &[1.0]),
    }
}

/// Which of the [`members`] the features of the round are.
#[inline]
pub(in crate::policy) fn member(problem: &Problem) -> usize {
    settings::several(problem).and(problem.context()).map_or(0, |context| context as usize)
}

impl Laws {
    /// Those of the G-optimal design, and its g.
    pub(in crate::policy) fn g_optimal(problem: &Problem, tolerance: f64) -> Result<(Self, f64)> {
        settings::features(problem)?;
        let (features, shares) = members(problem);
        let design = g_optimal_in_contexts(features, shares, tolerance)?;
        Ok((Self::of(&design.contexts), design.g))
    }

    /// Those of the design for scores.
    pub(in crate::policy) fn for_scores(problem: &Problem, tolerance: f64) -> Result<Self> {
        settings::features(problem)?;
        let (features, shares) = members(problem);
        Ok(Self::of(&for_scores(features, shares, tolerance)?.contexts))
    }

    fn of(designs: &[Design]) -> Self {
        let ends = designs.iter().scan(0, |end, design| {
            *end += design.support.len();
            Some(*end)
        });
        Self {
            ends: if designs.len() > 1 { ends.collect() } else { Vec::new() },
            support: designs.iter().flat_map(|design| design.support.iter().copied()).collect(),
            weights: designs.iter().flat_map(|design| design.weights.iter().copied()).collect(),
            tables: None,
        }
    }

    /// How many vectors there are, over all contexts.
    pub(in crate::policy) fn len(&self) -> usize {
        self.support.len()
    }

    /// Where the vectors of one of the [`members`] stand.
    fn range(&self, member: usize) -> Range<usize> {
        let start = member.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends.get(member).copied().unwrap_or(self.support.len())
    }

    /// The slots of one of the [`members`], and their weights, which sum to 1.
    pub(in crate::policy) fn of_member(&self, member: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.range(member);
        self.support[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// A question from the law of the round's context; where no pair says anything, any pair.
    pub(in crate::policy) fn draw(&mut self, problem: &Problem, stream: &mut Stream) -> Drawn {
        let member = member(problem);
        let range = self.range(member);
        if range.is_empty() {
            let k = problem.items();
            let (i, j) = (stream.below(k), stream.below(k - 1));
            let chance = 1.0 / (k as f64 * (k as f64 - 1.0));
            return Drawn { duel: Duel(i, j + usize::from(j >= i)), vector: self.len() as u64, chance };
        }
        let Tables { contexts, pairs } = self.tables(problem);
        let vector = range.start + contexts[member].draw(stream);
        let pairs = &pairs[vector];
        let (duel, count) = (pairs[stream.below(pairs.len())], pairs.len());
        Drawn { duel, vector: vector as u64, chance: self.weights[vector] / count as f64 }
    }

    /// How likely a duel is among all from the law of the round's context.
    pub(in crate::policy) fn chance(&mut self, problem: &Problem, duel: Duel) -> f64 {
        let (range, k) = (self.range(member(problem)), problem.items() as f64);
        if range.is_empty() {
            return if duel.0 == duel.1 { 0.0 } else { 1.0 / (k * (k - 1.0)) };
        }
        let slot = problem.features().slot(duel);
        let place = self.support[range.clone()].binary_search(&slot.index).ok().filter(|_| !slot.negative);
        let place = place.map(|place| range.start + place);
        place.map_or(0.0, |p| self.weights[p] / self.tables(problem).pairs[p].len() as f64)
    }

    /// What draws, made of the features where that has not been done.
    fn tables(&mut self, problem: &Problem) -> &Tables {
        let known = self.tables.take().unwrap_or_else(|| {
            let own = |(member, features): (usize, &Features)| {
                let range = self.range(member);
                let mut table = Alias::default();
                if !range.is_empty() {
                    table.rebuild(self.weights[range.clone()].iter().copied());
                }
                (table, features.pairs_of(&self.support[range]))
            };
            let (contexts, pairs): (_, Vec<_>) = members(problem).0.iter().enumerate().map(own).unzip();
            Arc::new(Tables { contexts, pairs: pairs.concat() })
        });
        self.tables.insert(known)
    }
}
