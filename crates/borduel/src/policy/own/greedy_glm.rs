//! Greedy-GLM, a baseline of ours for Borda regret in contexts: mostly the best item of the fitted model against
//! itself, now and then a pair that tells much. Assumes p(i,j) = μ(⟨φ(i,j), θ⟩), with features of items or of pairs.
//!
//! θ̂ of the ridge fit, ‖·‖ in V⁻¹, V = λI + Σ zzᵀ. In round t with probability γ = min(1, (d/t)^{1/3}): of 16 random
//! pairs i ≠ j the one with the largest ‖φ(i,j)‖. Else the item with the largest Σ_j μ(⟨φ(i,j), θ̂⟩) against itself,
//! from which nothing is learned. λ = 1. No horizon is needed.
//!
//! Exploring costs a constant a round, so that about d^{1/3}T^{2/3} is lost by it: the order that Borda regret has for
//! features of pairs (theorem of the seed paper). No propensity is given for a pair that was explored: which of 16 is
//! the widest has no short formula.
//!
//! Where several contexts come up by themselves, and all are known, a round that explores draws its pair from the
//! G-optimal design over all of them instead ([`g_optimal_in_contexts`](crate::design::g_optimal_in_contexts)), which
//! asks less in those that tell little.

use crate::Result;
use crate::borda::{self, Borda};
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::features::linear::{self, Inverse, Model};
use crate::policy::shared::laws::Laws;
use crate::policy::{Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// How many random pairs the widest is chosen from.
const TRIED: usize = 16;

/// How close to optimal the design over all contexts is, as Σ_c w_c max ‖φ‖²_{V⁻¹}/d − 1.
const TOLERANCE: f64 = 0.01;

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The ridge λ.
    pub ridge: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { ridge: 1.0 }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        settings::features(problem)?;
        let (d, ridge) = (problem.dim(), settings::positive("ridge", self.ridge)?);
        let (model, asked) = (Model::new(d, ridge), Inverse::new(d, ridge));
        let laws = settings::several(problem).map(|_| Laws::g_optimal(problem, TOLERANCE)).transpose()?;
        let laws = laws.map(|(laws, _)| laws);
        Ok(State { stream, round: 0, ridge, model, asked, laws, workspace: Workspace::default() })
    }
}

/// The state: the fit, and what was asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    ridge: f64,
    model: Model,
    asked: Inverse,
    /// What a round that explores draws from, in contexts that are all known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    laws: Option<Laws>,
    #[serde(skip)]
    workspace: Workspace,
}

/// Working space: the best item since the last answer, for the features of this fingerprint, and two vectors.
#[derive(Debug, Clone, Default)]
struct Workspace {
    best: Option<(u64, Arm)>,
    z: Vec<f64>,
    image: Vec<f64>,
}

impl State {
    /// The item with the largest Borda score in the fitted model: of differences, that of the largest utility.
    fn best(&mut self, problem: &Problem) -> Arm {
        let items = problem.features().fingerprint();
        match self.workspace.best {
            Some((known, best)) if known == items => best,
            _ => {
                let best = self.estimate(problem);
                self.workspace.best = Some((items, best));
                best
            }
        }
    }

    /// Of some random pairs the one that tells the most.
    fn explore(&mut self, problem: &Problem) -> Duel {
        let Self { stream, asked, workspace: Workspace { z, image, .. }, .. } = self;
        let k = problem.items();
        let mut widest = (f64::NEG_INFINITY, Duel(0, 0));
        for _ in 0..TRIED {
            let i = stream.below(k);
            let duel = Duel(i, (i + 1 + stream.below(k - 1)) % k);
            linear::difference(problem, duel, z);
            let square = asked.square(z, image);
            if square > widest.0 {
                widest = (square, duel);
            }
        }
        widest.1
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let gamma = (problem.dim() as f64 / self.round as f64).cbrt().min(1.0);
        if self.stream.uniform() >= gamma {
            let best = self.best(problem);
            return Proposal::new(self.round, Duel(best, best), 1.0 - gamma);
        }
        let (duel, chance) = match &mut self.laws {
            None => (self.explore(problem), None),
            Some(laws) => {
                let drawn = laws.draw(problem, &mut self.stream);
                (drawn.duel, Some(gamma * drawn.chance))
            }
        };
        let z = &mut self.workspace.z;
        linear::difference(problem, duel, z);
        self.asked.add(z, 1.0);
        Proposal::new(self.round, duel, chance).with_note(linear::note(problem, 0, 1.0, z))
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let z = &mut self.workspace.z;
        if let Some(weight) = linear::noted(problem, proposal, z) {
            self.model.add(problem, z, outcome.reward(), weight);
            self.workspace.best = None;
        }
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        let z = &mut self.workspace.z;
        if let Some(weight) = linear::noted(problem, proposal, z) {
            self.asked.add(z, -weight);
        }
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        self.model.write_scores(problem, out);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![Resolved::new("ridge", self.ridge)]
    }

    fn estimate(&self, problem: &Problem) -> Arm {
        if problem.features().is_differences() {
            let mut utilities = Vec::new();
            self.model.write_utilities(problem, &mut utilities);
            return borda::winner(&utilities);
        }
        Borda::from_model(problem.features(), problem.link(), self.model.theta()).winner()
    }
}
