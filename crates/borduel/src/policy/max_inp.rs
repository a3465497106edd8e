//! MaxInP (Saha, NeurIPS 2021): of all items that may be the best, the two whose comparison is the most informative. Assumes p(i,j) = μ(⟨x_i − x_j, θ⟩).
//!
//! û = ⟨x, θ̂⟩ of the ridge fit, ‖·‖ in V⁻¹, V = λI + Σ zzᵀ. 𝒞 = {i : û(i) − û(j) + η‖x_i − x_j‖ > 0 for all j ≠ i}; the pair of 𝒞 with the largest ‖x_i − x_j‖. A single item
//! meets itself, for good. η = √(d log T), λ = 1; first `warm_up` random pairs, none unless set (papers: d·K).
//!
//! λ = 1, where others take 10⁻³: with so little, a few unanimous answers make θ̂ huge and the widths small, and the policy stays at a wrong pair in a fifth
//! of all runs; the papers avoid that by their warm-up. 𝒞 is made of answers, the pair chosen with open questions in V.

use super::linear::{self, Inverse, Model, Norms};
use super::pause::Pause;
use super::{Policy, Resolved, Rest, settings};
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::error::Result;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// η; √(d log T) unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// λ.
    pub ridge: f64,
    /// Random pairs at the start.
    pub warm_up: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { width: None, ridge: 1.0, warm_up: 0 }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        linear::check(problem)?;
        let width = linear::width("width", self.width, problem)?;
        let (d, ridge) = (problem.dim(), settings::positive("ridge", self.ridge)?);
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
            pause: Pause::default(),
            desk: Desk::default(),
        })
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
    pause: Pause,
    #[serde(skip)]
    desk: Desk,
}

/// Working space of one question.
#[derive(Debug, Clone, Default)]
struct Desk {
    utilities: Vec<f64>,
    order: Vec<Arm>,
    candidates: Vec<Arm>,
    norms: Norms,
}

impl State {
    /// 𝒞, onto the desk.
    fn candidates(&mut self, problem: &Problem) {
        let Desk { utilities, order, candidates, norms } = &mut self.desk;
        self.model.write_utilities(problem, utilities);
        norms.prepare(problem, &self.answered);
        order.clear();
        order.extend(0..problem.items());
        order.sort_by(|a, b| utilities[*b].total_cmp(&utilities[*a]).then(a.cmp(b)));
        candidates.clear();
        for (place, &i) in order.iter().enumerate() {
            // Only a better item can exclude one.
            let better = order[..place].iter().take_while(|j| utilities[**j] > utilities[i]);
            let may_win = |j: &Arm| utilities[i] - utilities[*j] + self.width * norms.of(problem, i, *j) > 0.0;
            if better.clone().all(may_win) {
                candidates.push(i);
            }
        }
    }

    fn choose(&mut self, problem: &Problem) -> Duel {
        self.candidates(problem);
        let Desk { candidates, norms, .. } = &mut self.desk;
        if let [only] = candidates[..] {
            return Duel(only, only);
        }
        if self.open > 0 {
            norms.prepare(problem, &self.asked);
        }
        norms.widest(problem, candidates, |_| 0.0, 1.0, false, &mut self.stream).0
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.pause.question(self.round) {
            return question;
        }
        let before = self.stream.clone();
        let duel = if self.round <= self.warm_up {
            let (i, j) = self.stream.pair_below(problem.items());
            Duel(i, j)
        } else {
            self.choose(problem)
        };
        // Only ties are broken by chance.
        let chance = (self.stream == before).then_some(1.0);
        if duel.0 == duel.1 {
            if self.round > self.warm_up {
                self.pause = Pause::unless_answered(duel, self.open);
            }
        } else {
            self.open += 1;
            self.asked.add(problem, duel, 1.0);
        }
        Proposal::new(self.round, duel, chance)
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        if proposal.duel.0 != proposal.duel.1 {
            self.open = self.open.saturating_sub(1);
            self.answered.add(problem, proposal.duel, 1.0);
            self.model.add(problem, proposal.duel, outcome.reward(), 1.0);
            self.pause = Pause::default();
        }
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        if proposal.duel.0 != proposal.duel.1 {
            self.open = self.open.saturating_sub(1);
            self.asked.add(problem, proposal.duel, -1.0);
            self.pause = Pause::default();
        }
    }

    #[inline]
    fn resting(&self) -> Option<Rest> {
        self.pause.left(self.round)
    }

    fn rest(&mut self, rounds: u64) {
        self.round += rounds;
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

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
