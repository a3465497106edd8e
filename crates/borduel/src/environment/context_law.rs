//! Contexts that come up by themselves: in every round one is seen before asking, and has item vectors of its own.
//!
//! p_c(i,j) = μ(⟨φ(c; i,j), θ⟩) in context c, with one θ for all of them. They are either finitely many, drawn with
//! weights, such as users of a few groups; or drawn anew in every round. (In [`in_contexts`](super::in_contexts) it is
//! the policy that chooses a context for every question, such as a prompt.)

use super::Environment;
use super::fixed::Fixed;
use super::glm::unit_vector;
use crate::Link;
use crate::context_family::ContextFamily;
use crate::duel::{Arm, Duel};
use crate::features::{Features, dot};
use crate::problem::Problem;
use crate::size;
use crate::stream::{Numbered, Stream, mix, stream};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Which contexts come up, how often, and what is true in each: a world for policies that read the items' vectors
/// before every question.
///
/// As an [`Environment`] without a context, it is the average over them: B(i) = Σ_c w_c B_c(i).
#[derive(Debug, Clone)]
pub struct ContextLaw {
    /// All contexts; where they are drawn anew in every round, a sample of them.
    members: Vec<Fixed>,
    /// Their weights, added up from the first to each.
    bounds: Vec<f64>,
    drawn: Option<Drawn>,
}

/// What is drawn in every round.
#[derive(Debug, Clone)]
struct Drawn {
    vectors: VectorLaw,
    scale: f64,
    /// θ of the scaled vectors.
    theta: Vec<f64>,
}

/// How item vectors are drawn, each number or each item independently of the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum VectorLaw {
    /// Every number uniform between two others.
    Uniform {
        /// The least value of a coordinate.
        low: f64,
        /// The largest value of a coordinate.
        high: f64,
    },
    /// Every number normal around 0.
    Normal {
        /// The standard deviation of a coordinate.
        sd: f64,
    },
    /// Every item uniform among the vectors of length 1.
    Sphere {},
    /// Every item uniform among the corners ±1/√d.
    Cube {},
}

impl Default for VectorLaw {
    fn default() -> Self {
        Self::Sphere {}
    }
}

impl VectorLaw {
    /// Refuses what is no law.
    fn check(self) -> Result<()> {
        match self {
            Self::Uniform { low, high } if !(low < high && low.is_finite() && high.is_finite()) => {
                Err(Error::setting("low", low, format!("must be a number below high = {high}")))
            }
            Self::Normal { sd } if !(sd > 0.0 && sd.is_finite()) => {
                Err(Error::setting("sd", sd, "must be a positive number"))
            }
            _ => Ok(()),
        }
    }

    /// Fills rows of d numbers.
    fn fill(self, dim: usize, stream: &mut Stream, rows: &mut [f64]) {
        match self {
            Self::Uniform { low, high } => rows.iter_mut().for_each(|x| *x = low + (high - low) * stream.uniform()),
            Self::Normal { sd } => rows.iter_mut().for_each(|x| *x = sd * stream.normal()),
            Self::Sphere {} => rows.chunks_exact_mut(dim).for_each(|row| unit_vector(row, stream)),
            Self::Cube {} => {
                let side = 1.0 / (dim as f64).sqrt();
                rows.iter_mut().for_each(|x| *x = if stream.bits() >> 63 == 0 { side } else { -side });
            }
        }
    }

    /// K item vectors of d numbers.
    ///
    /// # Errors
    /// A law that makes no sense, or more numbers than memory holds.
    pub fn draw(self, items: usize, dim: usize, stream: &mut Stream) -> Result<Vec<f64>> {
        self.check()?;
        size::numbers(&[items, dim])?;
        let mut rows = vec![0.0; items * dim];
        self.fill(dim, stream, &mut rows);
        Ok(rows)
    }

    /// What no ‖x_i − x_j‖ exceeds; normal vectors do about once in 10⁵ pairs, by little.
    pub(crate) fn diameter(self, dim: usize) -> f64 {
        let d = (dim as f64).sqrt();
        match self {
            Self::Uniform { low, high } => (high - low) * d,
            Self::Normal { sd } => 2_f64.sqrt() * sd * (d + 4.0),
            Self::Sphere {} | Self::Cube {} => 2.0,
        }
    }
}

/// The most contexts of a sample, and the most probabilities in all of them together.
const SAMPLE: usize = 100;
const SAMPLED: usize = 10_000_000;

impl ContextLaw {
    /// These contexts, of equal weight unless weights are given. All have the same link, horizon, number of items, and
    /// vectors in one basis: see [`Features::family`].
    ///
    /// # Errors
    /// Where that is not so, and where weights are negative, none is positive, or their number is another one.
    pub fn finite(members: Vec<Fixed>, weights: Option<&[f64]>) -> Result<Self> {
        let Some(first) = members.first().map(|member| member.problem().clone()) else {
            return Err(Error::setting("contexts", 0, "must be at least 1"));
        };
        let known = |problem: &Problem| (problem.link(), problem.horizon());
        if let Some(other) = members.iter().position(|member| known(member.problem()) != known(&first)) {
            return Err(Error::setting("contexts", other, "differs from context 0 in its link or horizon"));
        }
        let features = members.iter().map(|member| member.problem().features().clone()).collect();
        let family = ContextFamily::new(features, weights)?;
        let bounds = family.weights().iter().scan(0.0, |sum, share| {
            *sum += share;
            Some(*sum)
        });
        let bounds = bounds.collect();
        let problems = Problem::of_contexts(family, first.link(), first.horizon())?;
        let members = members.into_iter().zip(problems).map(|(member, problem)| member.with_problem(problem)).collect();
        Ok(Self { members, bounds, drawn: None })
    }

    /// Item vectors that are drawn anew in every round; θ in their own coordinates.
    ///
    /// # Errors
    /// A law or a θ that makes no sense, or for which some p(i,j) could lie outside [0, 1].
    pub fn drawn(
        items: usize,
        vectors: VectorLaw,
        link: Link,
        theta: &[f64],
        horizon: Option<u64>,
        sample: &mut Stream,
    ) -> Result<Self> {
        let dim = theta.len();
        if items < 2 {
            return Err(Error::TooFewItems { found: items });
        }
        if dim == 0 {
            return Err(Error::RankZero);
        }
        let scale = 1.0 / vectors.diameter(dim).max(f64::MIN_POSITIVE);
        let own: Vec<f64> = theta.iter().map(|x| x / scale).collect();
        let length = dot(&own, &own).sqrt();
        let steep = link == Link::Linear && (length > 0.5 || matches!(vectors, VectorLaw::Normal { .. }));
        if steep {
            let remedy = "with the linear link and these vectors a probability may lie outside [0, 1]: take a shorter \
                          θ, \
                          vectors that are not normal, or another link";
            let found = format!("of length {length} in units of the longest difference");
            return Err(Error::setting("theta", found, remedy));
        }
        let count = (SAMPLED / items.saturating_mul(items).max(1)).clamp(1, SAMPLE);
        let member = |number: u64| {
            let mut rows = vectors.draw(items, dim, sample)?;
            rows.iter_mut().for_each(|x| *x *= scale);
            let features = Features::in_standard_basis(items, dim, scale, &rows);
            Fixed::from_model(Problem::new(features, link, horizon)?.of_context(number), &own)
        };
        let members: Vec<Fixed> = (0..count as u64).map(member).collect::<Result<_>>()?;
        let bounds = (1..=count).map(|c| c as f64 / count as f64).collect();
        Ok(Self { members, bounds, drawn: Some(Drawn { vectors, scale, theta: own }) })
    }

    /// What is true in every context; where contexts are drawn anew in every round, in a sample of them.
    pub fn members(&self) -> &[Fixed] {
        &self.members
    }

    /// How often each of them comes up, as shares.
    pub fn weights(&self) -> impl Iterator<Item = f64> {
        self.bounds.iter().scan(0.0, |before, bound| Some(bound - std::mem::replace(before, *bound)))
    }

    /// Whether contexts are drawn anew in every round.
    pub fn is_drawn(&self) -> bool {
        self.drawn.is_some()
    }

    /// The context of a round.
    pub(crate) fn at<'a>(&'a self, contexts: Numbered, round: u64, desk: &'a mut Option<Round>) -> Here<'a> {
        let Some(Drawn { vectors, scale, theta }) = &self.drawn else {
            let place = contexts.uniform(round);
            let index = self.bounds.partition_point(|bound| *bound <= place).min(self.members.len() - 1);
            return Here::Member(index, &self.members[index]);
        };
        let here =
            desk.get_or_insert_with(|| Round { problem: self.problem().clone(), utilities: Vec::new(), best: 0 });
        let (dim, bits) = (theta.len(), contexts.bits(round));
        here.problem.refill(round, mix(bits, round), |rows| {
            vectors.fill(dim, &mut stream(bits, &[]), rows);
            rows.iter_mut().for_each(|x| *x *= scale);
            here.utilities.clear();
            here.utilities.extend(rows.chunks_exact(dim).map(|x| dot(x, theta)));
        });
        here.best = crate::borda::winner(&here.utilities);
        Here::Drawn(here)
    }

    /// Σ_c w_c of something.
    fn average(&self, of: impl Fn(&Fixed) -> f64) -> f64 {
        self.members.iter().zip(self.weights()).map(|(member, weight)| weight * of(member)).sum()
    }
}

/// What was drawn for the present round of a run.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    problem: Problem,
    pub(crate) utilities: Vec<f64>,
    /// Whose utility is the largest.
    pub(crate) best: Arm,
}

/// The context of a round.
pub(crate) enum Here<'a> {
    /// One of finitely many, and its place among them.
    Member(usize, &'a Fixed),
    /// One that will not come again.
    Drawn(&'a Round),
}

impl Here<'_> {
    /// What a policy may know in this round.
    pub(crate) fn problem(&self) -> &Problem {
        match self {
            Self::Member(_, world) => world.problem(),
            Self::Drawn(round) => &round.problem,
        }
    }

    /// p(i,j) here.
    pub(crate) fn probability(&self, duel: Duel) -> f64 {
        match self {
            Self::Member(_, world) => world.probability(1, duel),
            Self::Drawn(Round { problem, utilities, .. }) => problem.link().mu(utilities[duel.0] - utilities[duel.1]),
        }
    }
}

impl Environment for ContextLaw {
    /// That of the first context, from which a policy learns what all of them have in common.
    fn problem(&self) -> &Problem {
        self.members[0].problem()
    }

    fn probability(&self, round: u64, duel: Duel) -> f64 {
        self.average(|member| member.probability(round, duel))
    }

    fn next_change(&self, round: u64) -> Option<u64> {
        round.checked_add(1)
    }

    fn scores(&self, _: u64) -> Vec<f64> {
        (0..self.problem().items()).map(|item| self.average(|member| member.borda().scores()[item])).collect()
    }

    fn contexts(&self) -> Option<&ContextLaw> {
        Some(self)
    }
}
