//! Dueling-EXP3 (Saha, Koren, Mansour 2021): exponential weights over items, for adversarial preferences, without
//! features.
//!
//! i_t, j_t ~ q_t independently; ŝ_t(i) = 1{i = i_t} r_t / (K q_t(i_t) q_t(j_t));
//! q̃_{t+1}(i) ∝ exp(η Σ_s ŝ_s(i)), q_{t+1} = (1−γ) q̃_{t+1} + γ/K; η = (log K / (T√K))^{2/3}, γ = √(ηK), clamped to 1.
//! An answer that comes late is weighted with the q of the time of asking, which is the proposal's propensity.
//!
//! *Drawn without a sum per round.* Weights only grow, one at a time. An alias table of the weights at some earlier
//! time serves with probability (their sum)/(the sum now); otherwise the item is one of the few that have grown since,
//! in proportion to their growth. Together that is q̃ exactly. The table is made anew when the sum has grown by 2 %.

use crate::Result;
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::shared::alias::Alias;
use crate::policy::shared::settings::{self, positive};
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The learning rate η; by the formula unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<f64>,
    /// The share of uniform exploration γ; by the formula unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let k = problem.items() as f64;
        let eta = match self.eta {
            Some(eta) => positive("eta", eta)?,
            None => (k.ln() / (settings::horizon(problem)? as f64 * k.sqrt())).powf(2.0 / 3.0),
        };
        let formula = match self.gamma {
            Some(gamma) => settings::share("gamma", gamma)?,
            None => (eta * k).sqrt(),
        };
        let gamma = formula.min(1.0);
        let mut state = State {
            stream,
            eta,
            gamma,
            floor: gamma / k,
            round: 0,
            scores: vec![0.0; problem.items()],
            weights: vec![0.0; problem.items()],
            total: 0.0,
            shift: 0.0,
            share: 0.0,
            stale: 0.0,
            table: Alias::default(),
            base: vec![0.0; problem.items()],
            base_total: 0.0,
            grown: Vec::with_capacity(problem.items()),
            resolved: vec![Resolved::new("eta", eta), Resolved::clamped("gamma", gamma, formula, 1.0)],
        };
        state.rebuild();
        Ok(state)
    }
}

/// The state: the sums of estimated scores, and the tables to draw from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    eta: f64,
    gamma: f64,
    /// γ/K.
    floor: f64,
    round: u64,
    /// Ŝ(i) = Σ ŝ(i).
    scores: Vec<f64>,
    /// exp(η Ŝ(i) − shift).
    weights: Vec<f64>,
    /// The sum of these.
    total: f64,
    shift: f64,
    /// (1−γ) over the sum, so that q(i) = share · weight(i) + γ/K.
    share: f64,
    /// Below this a uniform number draws from the table: γ + (1−γ) (the table's sum)/(the sum now).
    stale: f64,
    /// The table, the weights it was made of, and their sum.
    table: Alias,
    base: Vec<f64>,
    base_total: f64,
    /// The items that have grown since.
    grown: Vec<u32>,
    resolved: Vec<Resolved>,
}

/// How much the sum may grow before the table is made anew.
const GROWTH: f64 = 1.02;

impl State {
    /// Weights relative to the largest, and a table of them.
    #[cold]
    #[inline(never)]
    fn rebuild(&mut self) {
        self.shift = self.eta * self.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (w, s) in self.weights.iter_mut().zip(&self.scores) {
            *w = (self.eta * s - self.shift).exp();
        }
        self.total = self.weights.iter().sum();
        self.table.rebuild(self.weights.iter().copied());
        self.base.copy_from_slice(&self.weights);
        self.base_total = self.total;
        self.grown.clear();
        self.note_total();
    }

    /// What depends on the sum.
    #[inline]
    fn note_total(&mut self) {
        self.share = (1.0 - self.gamma) / self.total;
        self.stale = self.gamma + self.share * self.base_total;
    }

    /// An item from q.
    #[inline(always)]
    fn draw(&mut self) -> Arm {
        let u = self.stream.uniform();
        if u < self.gamma {
            return self.stream.below(self.scores.len());
        }
        if u < self.stale {
            return self.table.draw(&mut self.stream);
        }
        self.draw_grown((u - self.stale) / self.share)
    }

    /// One of the items that have grown, at `mass` of their joint growth.
    #[cold]
    fn draw_grown(&self, mut mass: f64) -> Arm {
        for &arm in &self.grown {
            let arm = arm as usize;
            mass -= self.weights[arm] - self.base[arm];
            if mass < 0.0 {
                return arm;
            }
        }
        // Rounding of the sums: the last one.
        self.grown.last().map_or(0, |arm| *arm as usize)
    }

    #[inline]
    fn q(&self, arm: Arm) -> f64 {
        self.share * self.weights[arm] + self.floor
    }
}

impl Policy for State {
    #[inline(always)]
    fn ask(&mut self, _: &Problem) -> Proposal {
        self.round += 1;
        let (i, j) = (self.draw(), self.draw());
        Proposal::new(self.round, Duel(i, j), self.q(i) * self.q(j))
    }

    #[inline(always)]
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let reward = outcome.reward();
        // Without a propensity it is not a ticket of this policy.
        let Some(propensity) = proposal.propensity.filter(|_| reward != 0.0) else {
            return;
        };
        let arm = proposal.duel.0;
        self.scores[arm] += reward / (self.scores.len() as f64 * propensity);
        let exponent = self.eta * self.scores[arm] - self.shift;
        if exponent > 0.5 {
            // Far above the largest of the last rebuilding: take a new reference before anything overflows.
            self.rebuild();
            return;
        }
        let weight = exponent.exp();
        if self.weights[arm] == self.base[arm] {
            self.grown.push(arm as u32);
        }
        self.total += weight - self.weights[arm];
        self.weights[arm] = weight;
        if self.total > GROWTH * self.base_total {
            self.rebuild();
        } else {
            self.note_total();
        }
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        let rounds = self.round.max(1) as f64;
        out.iter_mut().zip(&self.scores).for_each(|(o, s)| *o = s / rounds);
    }

    fn settings(&self) -> Vec<Resolved> {
        self.resolved.clone()
    }
}
