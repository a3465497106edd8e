//! MaxPairUCB, the optimistic pair; with weights RCDB (Di, He, Gu, 2024), robust to answers that somebody has turned
//! round. Assumes p(i,j) = μ(⟨x_i − x_j, θ⟩).
//!
//! (i,j) = argmax û(i) + û(j) + β‖x_i − x_j‖ over all pairs, i = j allowed, with û = ⟨x, θ̂⟩ of the ridge fit and ‖·‖
//! in V⁻¹, V = λI + Σ g zzᵀ. An answer counts g = min(1, a/‖z‖) at the time of asking. β = √(d log T), λ = 1, a = ∞
//! unless `robustness` is set: against C turned answers a = (√d + √λ S)/C with S ≥ ‖θ‖. Once (i,i) is chosen nothing
//! changes any more: it is committed to.
//!
//! *Where it differs.* λ = 1, where others take 10⁻³ and stay at a wrong pair for ever in up to half of their runs (see
//! `max_inp`). g is that of the time of asking and stands on the ticket with z, so that late answers count what they
//! were asked for; open questions count in V. A pair of two items with the same vector tells as little as (i,i), and is
//! committed to like it. The weights and a of RCDB are those of one re-implementation, not held against the paper
//! itself. (uclaml/VACDB, from which the name is, has 2√(d log T) for β, λ = 10⁻³ and no weights.)

use crate::Result;
use crate::duel::{Arm, Outcome, Proposal};
use crate::policy::features::linear::{self, Inverse, Model, Norms, Widest};
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::{Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// β; √(d log T) unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// The ridge λ.
    pub ridge: f64,
    /// a: answers to questions with a norm above it count less; all count alike unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robustness: Option<f64>,
}

impl Default for Config {
    fn default() -> Self {
        Self { width: None, ridge: 1.0, robustness: None }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        linear::check(problem)?;
        let width = linear::width("width", self.width, problem)?;
        let (d, ridge) = (problem.dim(), linear::ridge(self.ridge)?);
        let robustness = self.robustness.map(|a| settings::positive("robustness", a)).transpose()?;
        Ok(State {
            stream,
            round: 0,
            width,
            ridge,
            robustness,
            model: Model::new(d, ridge),
            asked: Inverse::new(d, ridge),
            open: 0,
            fixed: FixedUntil::default(),
            workspace: Workspace::default(),
        })
    }
}

/// The state: the fit, and what was asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    width: f64,
    ridge: f64,
    robustness: Option<f64>,
    model: Model,
    asked: Inverse,
    open: u64,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
    #[serde(skip)]
    workspace: Workspace,
}

/// Working space of one question.
#[derive(Debug, Clone, Default)]
struct Workspace {
    utilities: Vec<f64>,
    items: Vec<Arm>,
    norms: Norms,
    z: Vec<f64>,
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        let Workspace { utilities, items, norms, z } = &mut self.workspace;
        self.model.write_utilities(problem, utilities);
        norms.prepare(problem, &self.asked);
        items.clear();
        items.extend(0..problem.items());
        let Widest { duel, chance, .. } =
            norms.widest(problem, items, |i| utilities[i], self.width, true, &mut self.stream);
        if linear::alike(problem, duel) {
            self.fixed = FixedUntil::unless_answered(problem, duel, self.open);
            return Proposal::new(self.round, duel, chance);
        }
        let norm = norms.of(problem, duel.0, duel.1);
        let weight = self.robustness.map_or(1.0, |a| (a / norm).min(1.0));
        self.open += 1;
        linear::difference(problem, duel, z);
        self.asked.add(z, weight);
        Proposal::new(self.round, duel, chance).with_note(linear::note(problem, 0, weight, z))
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let z = &mut self.workspace.z;
        if let Some(weight) = linear::noted(problem, proposal, z) {
            self.open = self.open.saturating_sub(1);
            self.model.add(problem, z, outcome.reward(), weight);
            self.fixed = FixedUntil::default();
        }
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        let z = &mut self.workspace.z;
        if let Some(weight) = linear::noted(problem, proposal, z) {
            self.open = self.open.saturating_sub(1);
            self.asked.add(z, -weight);
            self.fixed = FixedUntil::default();
        }
    }

    fixed_until!();

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        self.model.write_scores(problem, out);
    }

    fn settings(&self) -> Vec<Resolved> {
        let mut list = vec![Resolved::new("width", self.width), Resolved::new("ridge", self.ridge)];
        list.extend(self.robustness.map(|a| Resolved::new("robustness", a)));
        list
    }
}
