//! Items whose strengths differ between contexts, such as models that are compared on prompts.
//!
//! p(i,j | c) = σ(s(i) − s(j) + u(i,c) − u(j,c)) with u ~ N(0, τ²). Who is best on these contexts, and who is
//! best on such, are two questions with answers of their own.

use crate::contexts::Contexts;
use crate::duel::{Arm, Duel};
use crate::features::Features;
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{About, Link, Result};

/// A family of such worlds: one item is ahead of all others, which are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Family {
    /// The number of items, K.
    pub items: usize,
    /// The number of contexts, G.
    pub contexts: usize,
    /// By how much the first item is ahead, in log-odds.
    pub ahead: f64,
    /// τ, the standard deviation of what an item has of its own in a context, in log-odds.
    pub spread: f64,
    /// The share of (item, context) for which there is nothing to show.
    pub missing: f64,
}

impl Family {
    /// So many items that are all alike in so many contexts.
    pub fn new(items: usize, contexts: usize) -> Self {
        Self { items, contexts, ahead: 0.0, spread: 0.0, missing: 0.0 }
    }
}

borduel_rank::setters!(Family {
    with_items: items: usize,
    with_contexts: contexts: usize,
    with_ahead: ahead: f64,
    with_spread: spread: f64,
    with_missing: missing: f64,
});

/// A world of such a family, with its strengths drawn.
#[derive(Debug, Clone)]
pub struct InContexts {
    problem: Problem,
    strengths: Vec<f64>,
    /// u(i,c), context after context.
    effects: Vec<f64>,
    spread: f64,
}

impl Family {
    /// One world of the family.
    ///
    /// # Errors
    /// Too few items or contexts, or so much that is missing that an item can be shown beside no other.
    pub fn draw(self, stream: &mut Stream) -> Result<InContexts> {
        let Self { items, contexts, ahead, spread, missing } = self;
        let effects = (0..contexts * items).map(|_| spread * stream.normal()).collect();
        let mut all = Contexts::new((0..contexts).map(|context| format!("context {context}")).collect())?;
        if missing > 0.0 {
            let places = (0..items).flat_map(|item| (0..contexts as u32).map(move |context| (item, context)));
            let there: Vec<(Arm, u32)> = places.filter(|_| stream.uniform() >= missing).collect();
            all = all.with_contents(items, there)?;
        }
        let problem = Problem::new(Features::one_hot(items)?, Link::Logistic, None)?.in_contexts(all);
        let strengths = (0..items).map(|item| if item == 0 { ahead } else { 0.0 }).collect();
        Ok(InContexts { problem, strengths, effects, spread })
    }
}

impl InContexts {
    /// What a policy may know.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The probability p(i,j | c) that i beats j in context c.
    pub fn probability(&self, context: u32, Duel(i, j): Duel) -> f64 {
        let of = |item: Arm| self.strengths[item] + self.effects[context as usize * self.strengths.len() + item];
        Link::Logistic.mu(of(i) - of(j))
    }

    /// The score of every item against a random other one: the mean over these contexts (of a pair, over those that
    /// both have in common), or over all contexts of which these are a sample.
    pub fn scores(&self, about: About) -> Vec<f64> {
        let k = self.strengths.len();
        let of = |i: Arm, j: Arm| match about {
            About::Such => at_large(self.strengths[i] - self.strengths[j], 2_f64.sqrt() * self.spread),
            About::These => {
                let common: Vec<u32> = self.problem.contexts().map_or_else(Vec::new, |all| all.common(i, j).collect());
                common.iter().map(|&c| self.probability(c, Duel(i, j))).sum::<f64>() / common.len().max(1) as f64
            }
        };
        let score = |i: Arm| (0..k).filter(|&j| j != i).map(|j| of(i, j)).sum::<f64>() / (k - 1) as f64;
        (0..k).map(score).collect()
    }
}

/// E σ(x + s Z), Z standard normal, by the trapezoidal rule.
fn at_large(x: f64, s: f64) -> f64 {
    const STEP: f64 = 0.05;
    let at = |step: i32| f64::from(step) * STEP;
    let density = |z: f64| (-0.5 * z * z).exp();
    let (mass, sum) = (-160..=160)
        .map(at)
        .fold((0.0, 0.0), |(mass, sum), z| (mass + density(z), sum + density(z) * Link::Logistic.mu(x + s * z)));
    sum / mass
}
