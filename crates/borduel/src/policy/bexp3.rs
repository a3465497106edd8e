//! BEXP3 (Wu, Jin, Di, Lou, Farnoud, Gu, 2023, Algorithm 2): exponential weights with a linear estimate, for adversarial
//! parameters of the linear model p_t(i,j) = ½ + ⟨φ(i,j), θ_t⟩.
//!
//! i_t, j_t ~ q_t; Q_t = Σ_ij q_t(i) q_t(j) φφᵀ; θ̂_t = Q_t⁻¹ φ(i_t,j_t) r_t; Ŝ_t(i) = Σ_{s≤t} ⟨φ̄(i), θ̂_s⟩ with
//! φ̄(i) = (1/K) Σ_j φ(i,j); q̃_{t+1}(i) ∝ exp(η Ŝ_t(i)), q_{t+1} = (1−γ) q̃_{t+1} + γ/K;
//! η = (log K)^{2/3} d^{−1/3} T^{−2/3}, γ = √(ηd/λ₀), clamped to 1. λ₀ is 1 unless set (no theorem covers that) or `"exact"`.
//!
//! Since Ŝ(i) = ⟨φ̄(i), Θ⟩ with Θ = Σ θ̂, the whole state is one vector. A proposal carries the Θ of its time, and an answer
//! that comes late is weighted with the q and Q of then. Answers lost independently of pair and outcome scale Θ by the share
//! that arrives. Q matters only where r ≠ 0 and φ ≠ 0; in every other round nothing changes.
//!
//! Without a horizon η and γ follow the round: T in their formulas is t, rounded down to three binary digits so that they
//! change rarely. An answer is weighted with the η and γ of the round in which it was asked for. No theorem covers this.
//!
//! *Drawn from a stale table.* Items are drawn from an alias table of an earlier q and accepted with probability
//! q(i)/(c · earlier(i)), c the largest such ratio, which is q exactly; the table is made anew when c exceeds 1.3.

use super::alias::Alias;
use super::settings::{self, Lambda0, positive};
use super::{Policy, Resolved};
use crate::duel::{Arm, Duel, Memory, Outcome, Proposal};
use crate::error::Result;
use crate::features::{Slot, add_scaled};
use crate::problem::Problem;
use crate::stream::Stream;
use geometry::{Cached, Geometry};
use serde::{Deserialize, Serialize};

mod geometry;

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The learning rate η; by the theorem unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<f64>,
    /// The share of uniform exploration γ; by the theorem unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// λ₀: a number or `"exact"`; 1 unless set.
    pub lambda0: Lambda0,
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        self.build_centred(problem, stream, 0.0)
    }

    /// With r − `centre` in place of r.
    pub(super) fn build_centred(&self, problem: &Problem, stream: Stream, centre: f64) -> Result<State> {
        let (k, d) = (problem.items() as f64, problem.dim() as f64);
        let at = |t: u64| (k.ln() / t as f64).powf(2.0 / 3.0) / d.cbrt();
        let eta = match self.eta {
            Some(eta) => positive("eta", eta)?,
            None => at(problem.horizon().unwrap_or(1)),
        };
        let anytime = self.eta.is_none() && problem.horizon().is_none();
        let lambda0 = self.lambda0.resolve(problem.features())?;
        let formula = match self.gamma {
            Some(gamma) => settings::share("gamma", gamma)?,
            None => (eta * d / lambda0).sqrt(),
        };
        let gamma = formula.min(1.0);
        let resolved = if anytime {
            let gamma = self.gamma.map_or_else(|| "follows the round".into(), super::Setting::from);
            vec![
                Resolved::new("eta", "follows the round"),
                Resolved::new("gamma", gamma),
                Resolved::new("lambda0", lambda0),
            ]
        } else {
            vec![
                Resolved::new("eta", eta),
                Resolved::clamped("gamma", gamma, formula, 1.0),
                Resolved::new("lambda0", lambda0),
            ]
        };
        let mut state = State {
            stream,
            centre,
            eta,
            gamma,
            rates: anytime.then_some(Rates { first: eta, gamma: self.gamma, ratio: d / lambda0 }),
            round: 0,
            theta: vec![0.0; problem.dim()],
            version: 0,
            ticket: Memory::Nothing,
            sampler: Sampler::default(),
            work: Work::default(),
            geometry: Cached::new(problem.features()),
            resolved,
        };
        state.reweigh();
        Ok(state)
    }
}

/// The state: Θ, and the table to draw from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    pub(crate) stream: Stream,
    /// 0, or ½ for the centred variant.
    centre: f64,
    eta: f64,
    gamma: f64,
    /// How η and γ follow the round, where no horizon is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rates: Option<Rates>,
    round: u64,
    /// Θ.
    theta: Vec<f64>,
    /// How often Θ has changed.
    version: u64,
    /// What every proposal carries until Θ changes again.
    ticket: Memory,
    sampler: Sampler,
    #[serde(skip)]
    work: Work,
    #[serde(skip)]
    geometry: Cached,
    resolved: Vec<Resolved>,
}

/// η and γ of every round: η = first/t^{2/3}, γ as set or √(η · ratio), clamped to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Rates {
    first: f64,
    gamma: Option<f64>,
    ratio: f64,
}

impl Rates {
    fn at(self, round: u64) -> (f64, f64) {
        let eta = self.first / (three_digits(round) as f64).powf(2.0 / 3.0);
        (eta, self.gamma.unwrap_or_else(|| (eta * self.ratio).sqrt().min(1.0)))
    }
}

/// A number from 1 on, rounded down to its first three binary digits.
fn three_digits(t: u64) -> u64 {
    let shift = t.max(1).ilog2().saturating_sub(2);
    (t.max(1) >> shift) << shift
}

/// q of every item, and a table of an earlier one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Sampler {
    q: Vec<f64>,
    table: Alias,
    /// 1 over the q that the table was made of.
    inverse: Vec<f64>,
    /// The probability of accepting each item drawn from the table.
    accept: Vec<f64>,
}

/// Buffers, so that a round allocates nothing.
#[derive(Debug, Clone, Default)]
struct Work {
    /// q at the time of asking, where Θ has moved since.
    q: Vec<f64>,
    /// Q and its factor.
    matrix: Vec<f64>,
    /// φ, then Q⁻¹φ.
    vector: Vec<f64>,
}

/// The largest ratio of q to the table's before the table is made anew.
const STALE: f64 = 1.3;

impl State {
    /// q from Θ, and what drawing from it needs.
    fn reweigh(&mut self) {
        self.geometry.get().distribution(self.eta, self.gamma, &self.theta, &mut self.sampler.q);
        self.sampler.refresh();
        self.ticket = Memory::of(self.version, &self.theta);
    }

    /// Θ ← Θ + Q⁻¹ φ (r − centre), with the q and Q of the proposal's Θ.
    #[inline(never)]
    fn learn(&mut self, problem: &Problem, proposal: &Proposal, slot: Slot, signal: f64) {
        let (then, version): (&[f64], u64) = match &proposal.memory {
            Memory::Inline { version, vector } => (&vector[..self.theta.len()], *version),
            Memory::Heap { version, vector } => (vector, *version),
            // Not a ticket of this policy.
            Memory::Nothing | Memory::Exploration | Memory::Audit { .. } => return,
        };
        let geometry = self.geometry.get();
        let work = &mut self.work;
        let q = if version == self.version {
            &self.sampler.q
        } else {
            let (eta, gamma) = self.rates.map_or((self.eta, self.gamma), |rates| rates.at(proposal.round));
            geometry.distribution(eta, gamma, then, &mut work.q);
            &work.q
        };
        geometry.second_moment(problem.features(), q, &mut work.matrix);
        work.vector.resize(self.theta.len(), 0.0);
        problem.features().write_vector(slot.index, &mut work.vector);
        geometry::solve(&mut work.matrix, &mut work.vector);
        let signal = if slot.negative { -signal } else { signal };
        add_scaled(&mut self.theta, signal, &work.vector);
        self.version += 1;
        self.reweigh();
    }
}

impl Sampler {
    /// After a new q: how likely each draw from the table is accepted, or a new table.
    fn refresh(&mut self) {
        let known = self.inverse.len() == self.q.len();
        let mut ratio = 0.0;
        self.accept.clear();
        self.accept.extend(self.q.iter().zip(&self.inverse).map(|(q, inverse)| q * inverse));
        for x in &self.accept {
            ratio = if *x > ratio { *x } else { ratio };
        }
        if known && ratio <= STALE {
            let scale = 1.0 / ratio;
            self.accept.iter_mut().for_each(|x| *x *= scale);
            return;
        }
        self.table.rebuild(&self.q);
        self.inverse.clear();
        self.inverse.extend(self.q.iter().map(|q| 1.0 / q));
        self.accept.clear();
        self.accept.resize(self.q.len(), 1.0);
    }

    /// An item from q.
    #[inline]
    fn draw(&self, stream: &mut Stream) -> Arm {
        loop {
            let arm = self.table.draw(stream);
            if stream.uniform() < self.accept[arm] {
                return arm;
            }
        }
    }
}

impl Policy for State {
    #[inline]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.geometry.ensure(problem.features());
        self.round += 1;
        if let Some(rates) = self.rates
            && three_digits(self.round) != three_digits(self.round - 1)
        {
            (self.eta, self.gamma) = rates.at(self.round);
            // q has changed, so that earlier tickets are of another version.
            self.version += 1;
            self.reweigh();
        }
        let sampler = &self.sampler;
        let (i, j) = (sampler.draw(&mut self.stream), sampler.draw(&mut self.stream));
        Proposal {
            round: self.round,
            duel: Duel(i, j),
            propensity: sampler.q[i] * sampler.q[j],
            memory: self.ticket.clone(),
        }
    }

    #[inline]
    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let signal = outcome.reward() - self.centre;
        if signal == 0.0 {
            return;
        }
        let slot = problem.features().slot(proposal.duel);
        if slot.index != problem.features().distinct() {
            self.geometry.ensure(problem.features());
            self.learn(problem, proposal, slot, signal);
        }
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        let geometry = Geometry::new(problem.features());
        let rounds = self.round.max(1) as f64;
        geometry.scores(&self.theta, out);
        out.iter_mut().for_each(|s| *s = 0.5 + *s / rounds);
    }

    fn settings(&self) -> Vec<Resolved> {
        self.resolved.clone()
    }
}
