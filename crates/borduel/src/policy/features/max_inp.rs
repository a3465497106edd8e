//! MaxInP (Saha, NeurIPS 2021): of all items that may be the best, the two whose comparison is the most informative.
//! Assumes p(i,j) = μ(⟨x_i − x_j, θ⟩).
//!
//! û = ⟨x, θ̂⟩ of the ridge fit, ‖·‖ in V⁻¹, V = λI + Σ zzᵀ. 𝒞 = {i : û(i) − û(j) + η‖x_i − x_j‖ > 0 for all j ≠ i};
//! the pair of 𝒞 with the largest ‖x_i − x_j‖. A single item meets itself, for good. η = √(d log T), λ = 1; first
//! `warm_up` random pairs, none unless set (papers: d·K). `width = "theory"`: (1/2κ)√((d/2) log(1 + 2T/d) + log(1/δ)),
//! δ = 1/T, κ the least μ′ for a θ no longer than `norm`, as we read the theorem: for the logistic link and ‖θ‖ = 1
//! three times as wide.
//!
//! *Where it differs.* λ = 1, where others take 10⁻³: with so little, a few unanimous answers make θ̂ huge and the
//! widths small, and the policy stays at a wrong pair in a fifth of all runs; the papers avoid that by a warm-up, which
//! at T = 2,000 decides nearly everything. 𝒞 is made of answers, the pair chosen with open questions in V. Only an item
//! of larger û is held against another, so that 𝒞 is never empty; items of the same vector are the same question, and
//! if 𝒞 has no others, one of them meets itself for good. (uclaml/VACDB has 2√(d log T) for η and λ = 10⁻³; its main
//! program imports names that do not exist, and fits all answers anew in every round.)

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::features::linear::{self, Inverse, Model, Norms};
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::shared::settings::{self, Width};
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// η, or `theory`; √(d log T) unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// ‖θ‖ in the theorem's width, which alone knows it; 1 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub norm: Option<f64>,
    /// The ridge λ.
    pub ridge: f64,
    /// Random pairs at the start.
    pub warm_up: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { width: None, norm: None, ridge: 1.0, warm_up: 0 }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        linear::check(problem)?;
        let width = self.width(problem)?;
        let (d, ridge) = (problem.dim(), linear::ridge(self.ridge)?);
        let inverse = Inverse::new(d, ridge);
        Ok(State {
            stream,
            round: 0,
            width,
            ridge,
            warm_up: self.warm_up,
            model: Model::new(d, ridge),
            asked: inverse.clone(),
            answered: inverse,
            open: 0,
            fixed: FixedUntil::default(),
            workspace: Workspace::default(),
        })
    }
}

impl Config {
    fn width(&self, problem: &Problem) -> Result<f64> {
        let set = match (self.width, self.norm) {
            (Some(Width::Computed(_)), norm) => {
                let norm = settings::not_negative("norm", norm.unwrap_or(1.0))?;
                let (d, t) = (problem.dim() as f64, settings::horizon(problem)? as f64);
                // No vector is longer than 1, and μ′ falls with the distance from 0.
                let least = problem.link().mu_prime(norm);
                return Ok((0.5 * d * (1.0 + 2.0 * t / d).ln() + t.ln()).sqrt() / (2.0 * least));
            }
            (_, Some(norm)) => {
                return Err(Error::setting("norm", norm, "belongs to width = \"theory\": leave it out, or set that"));
            }
            (Some(Width::Value(width)), None) => Some(width),
            (None, None) => None,
        };
        linear::width("width", set, problem)
    }
}

/// The state: the fit, and what was asked and answered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    width: f64,
    ridge: f64,
    warm_up: u64,
    model: Model,
    asked: Inverse,
    answered: Inverse,
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
    order: Vec<Arm>,
    candidates: Vec<Arm>,
    norms: Norms,
    z: Vec<f64>,
}

impl State {
    /// 𝒞, onto the workspace.
    fn candidates(&mut self, problem: &Problem) {
        let Workspace { utilities, order, candidates, norms, .. } = &mut self.workspace;
        self.model.write_utilities(problem, utilities);
        norms.prepare(problem, &self.answered);
        order.clear();
        order.extend(0..problem.items());
        order.sort_unstable_by(|a, b| utilities[*b].total_cmp(&utilities[*a]).then(a.cmp(b)));
        candidates.clear();
        for (place, &i) in order.iter().enumerate() {
            // Only a better item can exclude one.
            let better = order[..place].iter().take_while(|j| utilities[**j] > utilities[i]);
            // û(i) − û(j) + η‖x_i − x_j‖ > 0, in squares, for which no root is needed.
            let may_win = |j: &Arm| {
                let behind = utilities[*j] - utilities[i];
                self.width * self.width * norms.square(problem, i, *j) > behind * behind
            };
            if better.clone().all(may_win) {
                candidates.push(i);
            }
        }
    }

    /// A duel, and the probability with which it was drawn.
    fn choose(&mut self, problem: &Problem) -> (Duel, f64) {
        self.candidates(problem);
        let Workspace { candidates, norms, .. } = &mut self.workspace;
        // The best of them comes first, and is always there.
        let best = candidates[0];
        if candidates.iter().all(|other| linear::alike(problem, Duel(best, *other))) {
            return (Duel(best, best), 1.0);
        }
        if self.open > 0 {
            norms.prepare(problem, &self.asked);
        }
        let widest = norms.widest(problem, candidates, |_| 0.0, 1.0, false, &mut self.stream);
        (widest.duel, widest.chance)
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        let (duel, chance) = if self.round <= self.warm_up {
            let (i, j) = self.stream.pair_below(problem.items());
            (Duel(i, j), (problem.items() as f64).powi(-2))
        } else {
            self.choose(problem)
        };
        let question = Proposal::new(self.round, duel, chance);
        if duel.0 == duel.1 {
            if self.round > self.warm_up {
                self.fixed = FixedUntil::unless_answered(problem, duel, self.open);
            }
            return question;
        }
        self.open += 1;
        let z = &mut self.workspace.z;
        linear::difference(problem, duel, z);
        self.asked.add(z, 1.0);
        question.with_note(linear::note(problem, 0, 1.0, z))
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let z = &mut self.workspace.z;
        if let Some(weight) = linear::noted(problem, proposal, z) {
            self.open = self.open.saturating_sub(1);
            self.answered.add(z, weight);
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
        vec![
            Resolved::new("width", self.width),
            Resolved::new("ridge", self.ridge),
            Resolved::new("warm_up", self.warm_up),
        ]
    }
}
