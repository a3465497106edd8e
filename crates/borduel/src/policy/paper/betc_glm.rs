//! BETC-GLM (Wu, Jin, Di, Lou, Farnoud, Gu, 2023, Algorithm 1): explore by an optimal design, fit once, commit.
//!
//! 1. For τ rounds ask i, j ~ Uniform{1, …, K}.
//! 2. With π the G-optimal design over φ, ask every v of its support N(v) = ⌈d π(v)/ε²⌉ times; the samples of v cycle
//!    through all ordered pairs with φ = +v in lexicographic order. Zero vectors teach nothing and are never asked
//!    here.
//! 3. θ̂ solves Σ (μ(⟨φ,θ⟩) − r) φ = 0 over all τ + N answers; î = argmax (1/K) Σ_j μ(⟨φ(i,j), θ̂⟩); ask (î, î) for
//!    ever.
//!
//! `betc-glm` has the parameters of the "fewer arms" theorem: τ = (d log(3K²/δ))^{1/3} T^{2/3} (the proof's logarithm;
//! the theorem prints K/δ), ε = d^{1/3} T^{−1/3} log(3K²/δ)^{−1/6}, δ = 1/T. Exploration is clamped to T.
//!
//! `betc-glm-match` has those of the matching theorem: τ = C₄ λ₀⁻² (d + log(1/δ)) and ε = d^{1/6} T^{−1/3}, δ = 1/T.
//! The paper deems λ₀ a constant and names no C₄; both are 1 here unless set. No theorem covers that (λ₀ ≤ 1/d always);
//! `lambda0 = "exact"` computes the eigenvalue, and then τ may well exceed T, to which exploration is clamped.
//!
//! The paper runs 20 Frank–Wolfe steps from the uniform design, which leaves weight on all K² pairs and g far from d.
//! Here the design is solved to a stated tolerance; `design = "paper"` does what the paper does (with the right step
//! length), one ceiling per ordered pair, φ = 0 included, for the reproduction. Likewise it ends its likelihood after
//! 100 steps of gradient descent; here Newton's method solves it, and `fit = "paper"` takes the 100 steps.
//!
//! *In contexts of every round*, finitely many and known, the design is that over all of them
//! ([`g_optimal_in_contexts`](crate::design::g_optimal_in_contexts)). Nobody knows how often each will come up, so that
//! in context c a vector is drawn from π_c, N = ⌈d/ε²⌉ times in all; one θ̂ is fitted to all answers, and every context
//! has the î of its own features. That is ours, the paper has no contexts, and no theorem of it covers them.

use crate::Result;
use crate::Tally;
use crate::borda::Borda;
use crate::design;
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::features::Features;
use crate::glm::{self, FitOptions};
use crate::policy::shared::commitment::{Commitment, Next};
use crate::policy::shared::laws::{member, members};
use crate::policy::shared::settings::{self, Lambda0, positive, rounds};
use crate::policy::{Driver, FixedDuel, Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use in_contexts::{InContexts, One, Several};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

mod in_contexts;

/// How the design is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DesignMode {
    /// The design is solved to within `tolerance`.
    #[default]
    Converged,
    /// 20 Frank–Wolfe steps from the uniform design over all ordered pairs.
    Paper,
}

/// How the likelihood's equation is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FitMode {
    /// By Newton's method, to a tolerance.
    #[default]
    Converged,
    /// By 100 steps of gradient descent from 0.
    Paper,
}

/// The steps of [`FitMode::Paper`].
const PAPER_STEPS: u32 = 100;

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Rounds of uniform exploration; by the theorem unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tau: Option<u64>,
    /// The precision ε of the designed exploration; by the theorem unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// Failure probability δ; 1/T unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// How the design is found.
    pub design: DesignMode,
    /// How close to optimal the design is, as max ‖φ‖²_{V⁻¹}/d − 1; 0.01 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// How the likelihood's equation is solved.
    pub fit: FitMode,
    /// Questions after the exploration during which late answers are still waited for; as many as explored unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let horizon = settings::horizon(problem)?;
        let delta = settings::delta(self.delta, horizon)?;
        let (d, k, t) = (problem.dim() as f64, problem.items() as f64, horizon as f64);
        let log = (3.0 * k * k / delta).ln();
        let schedule = Schedule {
            horizon,
            delta,
            tau: self.tau.map_or_else(|| (d * log).cbrt() * t.powf(2.0 / 3.0), |tau| tau as f64),
            epsilon: self.epsilon.unwrap_or_else(|| (d / t).cbrt() * log.powf(-1.0 / 6.0)),
            design: self.design,
            tolerance: self.tolerance.unwrap_or(0.01),
            fit: self.fit,
            patience: self.patience,
            resolved: Vec::new(),
        };
        schedule.build(problem, stream)
    }
}

/// What can be set of `betc-glm-match`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct MatchConfig {
    /// Rounds of uniform exploration; by the theorem unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tau: Option<u64>,
    /// The precision ε of the designed exploration; by the theorem unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// Failure probability δ; 1/T unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// λ₀: a number or `"exact"`; 1 unless set.
    pub lambda0: Lambda0,
    /// The constant C₄; 1 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c4: Option<f64>,
    /// How the design is found.
    pub design: DesignMode,
    /// How close to optimal the design is; 0.01 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// How the likelihood's equation is solved.
    pub fit: FitMode,
    /// Questions after the exploration during which late answers are still waited for; as many as explored unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

impl MatchConfig {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let horizon = settings::horizon(problem)?;
        let delta = settings::delta(self.delta, horizon)?;
        let lambda0 = self.lambda0.resolve(problem.features())?;
        let c4 = positive("c4", self.c4.unwrap_or(1.0))?;
        let (d, t) = (problem.dim() as f64, horizon as f64);
        let formula = c4 * (d + (1.0 / delta).ln()) / (lambda0 * lambda0);
        let schedule = Schedule {
            horizon,
            delta,
            tau: self.tau.map_or(formula, |tau| tau as f64),
            epsilon: self.epsilon.unwrap_or_else(|| d.powf(1.0 / 6.0) / t.cbrt()),
            design: self.design,
            tolerance: self.tolerance.unwrap_or(0.01),
            fit: self.fit,
            patience: self.patience,
            resolved: vec![Resolved::new("lambda0", lambda0), Resolved::new("c4", c4)],
        };
        schedule.build(problem, stream)
    }
}

/// τ, ε and the rest, whichever theorem they come from.
struct Schedule {
    horizon: u64,
    delta: f64,
    tau: f64,
    epsilon: f64,
    design: DesignMode,
    tolerance: f64,
    fit: FitMode,
    patience: Option<u64>,
    /// Settings that only one of the theorems has.
    resolved: Vec<Resolved>,
}

impl Schedule {
    fn build(self, problem: &Problem, stream: Stream) -> Result<State> {
        settings::features(problem)?;
        let epsilon = positive("epsilon", self.epsilon)?;
        let tau = rounds(self.tau, self.horizon);
        let per_weight = problem.dim() as f64 / (epsilon * epsilon);
        let (plan, contexts, g) = if settings::several(problem).is_some() {
            let designed = rounds(per_weight, self.horizon - tau);
            let (contexts, g) = InContexts::new(problem, self.design, self.tolerance, designed)?;
            (Vec::new(), Some(Box::new(contexts)), g)
        } else {
            let (plan, g) = self.plan(problem, per_weight)?;
            (plan, None, g)
        };
        let planned: f64 = plan.iter().map(|entry| entry.samples as f64).sum();
        let designed = if contexts.is_some() { per_weight.ceil() } else { planned };
        let wanted = self.tau.ceil() + designed;
        let budget = rounds(wanted, self.horizon);
        let mut resolved = vec![
            Resolved::new("delta", self.delta),
            Resolved::clamped("tau", tau, self.tau, self.horizon as f64),
            Resolved::new("epsilon", epsilon),
            Resolved::new("design", if self.design == DesignMode::Paper { "paper" } else { "converged" }),
            Resolved::new("design_g", g),
            Resolved::new("fit", if self.fit == FitMode::Paper { "paper" } else { "converged" }),
            Resolved::new("designed", designed),
            Resolved::clamped("exploration", budget, wanted, self.horizon as f64),
        ];
        resolved.extend(self.resolved);
        let k = problem.items() as f64;
        Ok(State::from(Explorer {
            stream,
            commitment: Commitment::new(budget, self.patience),
            tau,
            carried: 0,
            propensity: 1.0 / (k * k),
            plan,
            place: Place::default(),
            tally: Tally::new(problem.features()),
            contexts,
            fit: self.fit,
            theta: None,
            resolved,
        }))
    }

    /// What to ask in the designed exploration, and g of the design.
    fn plan(&self, problem: &Problem, per_weight: f64) -> Result<(Vec<Planned>, f64)> {
        let features = problem.features();
        let samples = |weight: f64| (per_weight * weight).ceil() as u64;
        match self.design {
            DesignMode::Converged => {
                let design = design::g_optimal(features, self.tolerance)?;
                let pairs = features.pairs_of(&design.support);
                let planned = |(pairs, weight): (_, &f64)| Planned { pairs, samples: samples(*weight), carried: 0 };
                Ok((pairs.into_iter().zip(&design.weights).map(planned).collect(), design.g))
            }
            DesignMode::Paper => {
                let design = design::paper(features)?;
                let k = problem.items();
                let planned = |(pair, weight): (usize, &f64)| Planned {
                    pairs: vec![Duel(pair / k, pair % k)],
                    samples: samples(*weight),
                    carried: 0,
                };
                Ok((design.weights.iter().enumerate().map(planned).collect(), design.g))
            }
        }
    }
}

/// Pairs that share a vector, and how many questions they get together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Planned {
    pairs: Vec<Duel>,
    samples: u64,
    /// Questions of earlier explorations, whose answers were taken over.
    carried: u64,
}

/// Where the designed exploration is: which entry, how many of its samples, which of its pairs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Place {
    entry: usize,
    sample: u64,
    pair: usize,
}

/// The plan, the answers, and the estimate.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(serialize = "C: Several + Serialize"))]
struct Explorer<C> {
    stream: Stream,
    commitment: Commitment,
    tau: u64,
    /// Uniform questions of earlier explorations, whose answers were taken over.
    carried: u64,
    propensity: f64,
    plan: Vec<Planned>,
    place: Place,
    tally: Tally,
    /// In several contexts it does without plan and tally.
    #[serde(default, skip_serializing_if = "Several::is_absent")]
    contexts: C,
    fit: FitMode,
    /// The last θ̂.
    theta: Option<Vec<f64>>,
    resolved: Vec<Resolved>,
}

/// The state: the plan, the answers, and the estimate.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Explorer<Option<Box<InContexts>>>")]
pub struct State(Kind);

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Kind {
    One(Explorer<One>),
    Several(Explorer<Box<InContexts>>),
}

impl From<Explorer<Option<Box<InContexts>>>> for State {
    fn from(mut explorer: Explorer<Option<Box<InContexts>>>) -> Self {
        Self(match explorer.contexts.take() {
            None => Kind::One(explorer.with(One)),
            Some(contexts) => Kind::Several(explorer.with(contexts)),
        })
    }
}

impl<C> Explorer<C> {
    /// The same with other contexts.
    fn with<D>(self, contexts: D) -> Explorer<D> {
        let Self { stream, commitment, tau, carried, propensity, plan, place, tally, fit, theta, resolved, .. } = self;
        Explorer { stream, commitment, tau, carried, propensity, plan, place, tally, contexts, fit, theta, resolved }
    }
}

impl<C: Several> Explorer<C> {
    /// The next pair of the plan.
    #[inline]
    fn planned(&mut self) -> Duel {
        let place = &mut self.place;
        while place.sample == self.plan[place.entry].samples {
            *place = Place { entry: place.entry + 1, sample: 0, pair: 0 };
        }
        let pairs = &self.plan[place.entry].pairs;
        let duel = pairs[place.pair];
        place.sample += 1;
        place.pair = if place.pair + 1 == pairs.len() { 0 } else { place.pair + 1 };
        duel
    }

    /// A question of the exploration where there are several contexts, its context and its chance: in each its own law
    /// draws, and what was cancelled in one is made up for in whichever comes next.
    ///
    /// Its parts and not the ticket: what a call may write must lie in memory in every other round too.
    #[cold]
    fn explore_in_context(&mut self, problem: &Problem) -> (u32, Duel, f64) {
        let designed = self.commitment.explored() > self.tau;
        let (duel, propensity) = if let Some(contexts) = self.contexts.get_mut().filter(|_| designed) {
            let drawn = contexts.laws.draw(problem, &mut self.stream);
            (drawn.duel, drawn.chance)
        } else {
            let (i, j) = self.stream.pair_below(problem.items());
            (Duel(i, j), self.propensity)
        };
        (member(problem) as u32, duel, propensity)
    }

    /// θ̂ from all answers so far.
    fn fitted(&self, problem: &Problem) -> Vec<f64> {
        let tallies = self.contexts.get().map_or(std::slice::from_ref(&self.tally), |contexts| &contexts.tallies);
        let parts: Vec<(&Features, &Tally)> = members(problem).0.iter().zip(tallies).collect();
        match self.fit {
            FitMode::Converged => {
                glm::solve_all(problem.link(), &parts, self.theta.as_deref(), &FitOptions::default()).theta
            }
            FitMode::Paper => glm::descend(problem.link(), &parts, PAPER_STEPS),
        }
    }

    /// Fits, and names the favourite of every context; that of the first one here.
    #[cold]
    fn refit(&mut self, problem: &Problem) -> Arm {
        let theta = self.fitted(problem);
        let best = |features: &Features| Borda::from_model(features, problem.link(), &theta).winner();
        let all: Vec<Arm> = members(problem).0.iter().map(best).collect();
        self.theta = Some(theta);
        let first = all[0];
        if let Some(contexts) = self.contexts.get_mut() {
            contexts.favourites = all;
        }
        first
    }
}

impl<C: Several> Policy for Explorer<C> {
    #[inline(always)]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        match self.commitment.next() {
            Next::Explore { .. } | Next::Again(_) if !self.contexts.is_absent() => {
                let (context, duel, propensity) = self.explore_in_context(problem);
                self.commitment.exploration_in(context, duel, propensity)
            }
            Next::Explore { number } => {
                let (duel, propensity) = if number <= self.tau {
                    let (i, j) = self.stream.pair_below(problem.items());
                    (Duel(i, j), self.propensity)
                } else {
                    (self.planned(), 1.0)
                };
                self.commitment.exploration(duel, propensity)
            }
            Next::Again(duel) => self.commitment.exploration(duel, 1.0),
            Next::Favourite { refit } => {
                let best = if refit { Some(self.refit(problem)) } else { None };
                let mut proposal = self.commitment.favourite(best);
                if let Some(contexts) = self.contexts.get() {
                    let favourite = contexts.favourites[member(problem)];
                    proposal.duel = Duel(favourite, favourite);
                }
                proposal
            }
        }
    }

    #[inline(always)]
    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let wanted = if let Some(contexts) = self.contexts.get_mut() {
            let context = self.commitment.wants_in(proposal);
            context.inspect(|context| contexts.learn(problem, *context as usize, proposal.duel, outcome)).is_some()
        } else {
            let wanted = self.commitment.wants(proposal);
            if wanted {
                self.tally.add(problem.features(), proposal.duel, outcome.reward());
            }
            wanted
        };
        if wanted && self.commitment.answered() {
            let best = self.refit(problem);
            self.commitment.settle(Some(best));
        }
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        if self.commitment.cancelled(proposal) {
            let best = self.refit(problem);
            self.commitment.settle(Some(best));
        }
    }

    #[inline]
    fn fixed_until(&self) -> Option<FixedDuel> {
        // Every context has a favourite of its own.
        if self.contexts.is_absent() { self.commitment.fixed_until() } else { None }
    }

    fn skip(&mut self, rounds: u64) {
        self.commitment.skip(rounds);
    }

    /// Takes over what an earlier, shorter exploration was answered, and leaves out the questions that it asked.
    fn inherit(&mut self, _: &Problem, old: &Self) {
        // Both are about the same features, so that nothing is refused.
        self.tally.merge(&old.tally).unwrap_or_default();
        self.theta.clone_from(&old.theta);
        self.carried = old.carried + old.commitment.explored().min(old.tau);
        let mut asked = self.carried.min(self.tau);
        self.tau -= asked;
        // The design does not depend on the horizon, so that both plans list the same entries.
        for (index, (entry, before)) in self.plan.iter_mut().zip(&old.plan).enumerate() {
            entry.carried = before.carried
                + match index.cmp(&old.place.entry) {
                    Ordering::Less => before.samples,
                    Ordering::Equal => old.place.sample,
                    Ordering::Greater => 0,
                };
            let known = entry.carried.min(entry.samples);
            entry.samples -= known;
            asked += known;
        }
        if let (Some(own), Some(before)) = (self.contexts.get_mut(), old.contexts.get()) {
            for (tally, before) in own.tallies.iter_mut().zip(&before.tallies) {
                tally.merge(before).unwrap_or_default();
            }
            own.carried = before.carried + old.commitment.explored().saturating_sub(old.tau);
            asked += own.carried.min(own.designed);
        }
        self.commitment.leave_out(asked);
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        let theta = self.fitted(problem);
        out.copy_from_slice(Borda::from_model(problem.features(), problem.link(), &theta).scores());
    }

    fn settings(&self) -> Vec<Resolved> {
        self.resolved.clone()
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        match &mut self.0 {
            Kind::One(explorer) => explorer.ask(problem),
            Kind::Several(explorer) => explorer.ask(problem),
        }
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        match &mut self.0 {
            Kind::One(explorer) => explorer.tell(problem, proposal, outcome),
            Kind::Several(explorer) => explorer.tell(problem, proposal, outcome),
        }
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        match &mut self.0 {
            Kind::One(explorer) => explorer.cancel(problem, proposal),
            Kind::Several(explorer) => explorer.cancel(problem, proposal),
        }
    }

    fn fixed_until(&self) -> Option<FixedDuel> {
        match &self.0 {
            Kind::One(explorer) => explorer.fixed_until(),
            Kind::Several(explorer) => explorer.fixed_until(),
        }
    }

    fn skip(&mut self, rounds: u64) {
        match &mut self.0 {
            Kind::One(explorer) => explorer.skip(rounds),
            Kind::Several(explorer) => explorer.skip(rounds),
        }
    }

    fn inherit(&mut self, problem: &Problem, old: &Self) {
        match (&mut self.0, &old.0) {
            (Kind::One(explorer), Kind::One(old)) => explorer.inherit(problem, old),
            (Kind::Several(explorer), Kind::Several(old)) => explorer.inherit(problem, old),
            // The answers to another problem.
            _ => {}
        }
    }

    fn reseed(&mut self, stream: Stream) {
        match &mut self.0 {
            Kind::One(explorer) => explorer.reseed(stream),
            Kind::Several(explorer) => explorer.reseed(stream),
        }
    }

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        match &self.0 {
            Kind::One(explorer) => explorer.scores(problem, out),
            Kind::Several(explorer) => explorer.scores(problem, out),
        }
    }

    fn settings(&self) -> Vec<Resolved> {
        match &self.0 {
            Kind::One(explorer) => explorer.settings(),
            Kind::Several(explorer) => explorer.settings(),
        }
    }

    fn drive<D: Driver>(&mut self, driver: D) -> D::Output {
        match &mut self.0 {
            Kind::One(explorer) => driver.drive(explorer),
            Kind::Several(explorer) => driver.drive(explorer),
        }
    }
}
