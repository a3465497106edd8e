//! BEXP3 (Wu, Jin, Di, Lou, Farnoud, Gu, 2023, Algorithm 2): exponential weights with a linear estimate, for
//! adversarial parameters of the linear model p_t(i,j) = ½ + ⟨φ(i,j), θ_t⟩.
//!
//! i_t, j_t ~ q_t; Q_t = Σ_ij q_t(i) q_t(j) φφᵀ; θ̂_t = Q_t⁻¹ φ(i_t,j_t) r_t; Ŝ_t(i) = Σ_{s≤t} ⟨φ̄(i), θ̂_s⟩ with
//! φ̄(i) = (1/K) Σ_j φ(i,j); q̃_{t+1}(i) ∝ exp(η Ŝ_t(i)), q_{t+1} = (1−γ) q̃_{t+1} + γ/K; η = (log K)^{2/3} d^{−1/3}
//! T^{−2/3}, γ = √(ηd/λ₀), clamped to 1. λ₀ is 1 unless set (no theorem covers that) or `"exact"`.
//!
//! Since Ŝ(i) = ⟨φ̄(i), Θ⟩ with Θ = Σ θ̂, the whole state is one vector. A proposal carries the Θ of its time, and an
//! answer that comes late is weighted with the q and Q of then. Answers lost independently of pair and outcome scale Θ
//! by the share that arrives. Q matters only where r ≠ 0 and φ ≠ 0; in every other round nothing changes.
//!
//! Without a horizon η and γ follow the round: T in their formulas is t, rounded down to three binary digits so that
//! they change rarely. An answer is weighted with the η and γ of the round in which it was asked for. No theorem covers
//! this.
//!
//! *Drawn from a stale table.* Items are drawn from an alias table of an earlier q and accepted with probability
//! q(i)/(c · earlier(i)), c the largest such ratio, which is q exactly; the table is made anew when c exceeds 1.05.
//!
//! `bexp3-centred` has r − ½ in place of r: as unbiased, with half the second moment. Since q(i) q(j) is symmetric and
//! φ antisymmetric, Σ_ij q(i) q(j) φ(i,j) = 0, so that subtracting any constant from r leaves the expectation of Q⁻¹ φ
//! r as it is. Not in the paper; a variant of its own name, never silently swapped in.

use crate::Result;
use crate::duel::{Arm, Duel, INLINE, Note, Outcome, Proposal};
use crate::features::{Slot, add_scaled};
use crate::policy::shared::alias::Alias;
use crate::policy::shared::settings::{self, Lambda0, positive};
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use geometry::{Cached, Geometry, Scratch};
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
        self.centred_at(0.0, problem, stream)
    }

    /// With r − `centre` in place of r.
    fn centred_at(&self, centre: f64, problem: &Problem, stream: Stream) -> Result<State> {
        settings::features(problem)?;
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
            let gamma = self.gamma.map_or_else(|| "follows the round".into(), crate::policy::Setting::from);
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
            ticket: [0.0; INLINE],
            sampler: Sampler::default(),
            work: Work::default(),
            geometry: Cached::new(problem.features()),
            resolved,
        };
        state.reweigh();
        Ok(state)
    }
}

/// What can be set of `bexp3-centred`: as for [`bexp3`](Config).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CentredConfig(pub Config);

impl CentredConfig {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        self.0.centred_at(0.5, problem, stream)
    }
}

/// The state: Θ, and the table to draw from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
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
    /// Θ as every proposal carries it until it changes again; unused for more than [`INLINE`] dimensions.
    ticket: [f64; INLINE],
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

/// q of an item of every class, and a table of an earlier one over all items.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Sampler {
    q: Vec<f64>,
    table: Alias,
    /// 1 over the q that the table was made of.
    inverse: Vec<f64>,
    /// The probability of accepting an item of each class drawn from the table.
    accept: Vec<f64>,
}

/// Buffers, so that a round allocates nothing.
#[derive(Debug, Clone, Default)]
struct Work {
    /// q at the time of asking, where Θ has moved since.
    q: Vec<f64>,
    /// φ, then Q⁻¹φ.
    vector: Vec<f64>,
    scratch: Scratch,
}

/// The largest ratio of q to the table's before the table is made anew.
const STALE: f64 = 1.05;

impl State {
    /// The geometry of these features, which a loaded state lacks.
    #[inline]
    fn ensure(&mut self, problem: &Problem) {
        if !self.geometry.is_of(problem.features()) {
            self.adopt(problem);
        }
    }

    #[cold]
    fn adopt(&mut self, problem: &Problem) {
        if self.geometry.replace(problem.features()) {
            // Θ means something else now, and so does q.
            self.sampler = Sampler::default();
            self.version += 1;
            self.reweigh();
        }
    }

    /// q from Θ, and what drawing from it needs.
    fn reweigh(&mut self) {
        let geometry = self.geometry.get();
        geometry.distribution(self.eta, self.gamma, &self.theta, &mut self.sampler.q);
        self.sampler.refresh(geometry);
        self.ticket.iter_mut().zip(&self.theta).for_each(|(copy, x)| *copy = *x);
    }

    /// Θ ← Θ + Q⁻¹ φ (r − centre), with the q and Q of the proposal's Θ.
    #[inline(never)]
    fn learn(&mut self, problem: &Problem, proposal: &Proposal, slot: Slot, signal: f64) {
        // Without a note of Θ it is not a ticket of this policy.
        let Some(note) = proposal.note().filter(|note| note.numbers().len() == self.theta.len()) else {
            return;
        };
        let (then, version) = (note.numbers(), note.number);
        let geometry = self.geometry.get();
        let work = &mut self.work;
        let q = if version == self.version {
            &self.sampler.q
        } else {
            let (eta, gamma) = self.rates.map_or((self.eta, self.gamma), |rates| rates.at(proposal.round));
            geometry.distribution(eta, gamma, then, &mut work.q);
            &work.q
        };
        work.vector.resize(self.theta.len(), 0.0);
        problem.features().write_vector(slot.index, &mut work.vector);
        geometry.solve(problem.features(), q, &mut work.vector, &mut work.scratch);
        let signal = if slot.negative { -signal } else { signal };
        add_scaled(&mut self.theta, signal, &work.vector);
        self.version += 1;
        self.reweigh();
    }
}

impl Sampler {
    /// After a new q: how likely each draw from the table is accepted, or a new table.
    fn refresh(&mut self, geometry: &Geometry) {
        let known = self.inverse.len() == self.q.len();
        self.accept.clear();
        self.accept.extend(self.q.iter().zip(&self.inverse).map(|(q, inverse)| q * inverse));
        let ratio = geometry::largest(&self.accept);
        if known && ratio <= STALE {
            let scale = 1.0 / ratio;
            self.accept.iter_mut().for_each(|x| *x *= scale);
            return;
        }
        self.table.rebuild(geometry.classes().iter().map(|class| self.q[*class as usize]));
        self.inverse.clear();
        self.inverse.extend(self.q.iter().map(|q| 1.0 / q));
        self.accept.clear();
        self.accept.resize(self.q.len(), 1.0);
    }

    /// An item from q, and its q.
    #[inline(always)]
    fn draw(&self, geometry: &Geometry, stream: &mut Stream) -> (Arm, f64) {
        loop {
            let spot = self.table.locate(stream.bits());
            let class = geometry.class(spot.index);
            // What the choice of the item has left of the random number decides about its acceptance.
            if spot.place < spot.width * self.accept[class] {
                return (spot.index, self.q[class]);
            }
        }
    }
}

impl Policy for State {
    #[inline(always)]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.ensure(problem);
        self.round += 1;
        if let Some(rates) = self.rates
            && three_digits(self.round) != three_digits(self.round - 1)
        {
            (self.eta, self.gamma) = rates.at(self.round);
            // q has changed, so that earlier tickets are of another version.
            self.version += 1;
            self.reweigh();
        }
        let (geometry, stream) = (self.geometry.get(), &mut self.stream);
        let (i, q_i) = self.sampler.draw(geometry, stream);
        let (j, q_j) = self.sampler.draw(geometry, stream);
        let (version, theta) = (self.version, &self.theta);
        let note = if theta.len() <= INLINE {
            Note::inline(version, theta.len(), self.ticket)
        } else {
            Note::new(version, theta)
        };
        Proposal::new(self.round, Duel(i, j), q_i * q_j).with_note(note)
    }

    #[inline(always)]
    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        // φ first: that it is 0 can often be foreseen, what the answer is cannot.
        let slot = problem.features().slot(proposal.duel);
        if slot.index == problem.features().distinct() {
            return;
        }
        let signal = outcome.reward() - self.centre;
        if signal != 0.0 {
            self.ensure(problem);
            self.learn(problem, proposal, slot, signal);
        }
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

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
