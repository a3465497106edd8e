//! CoLSTIM (Bengs, Saha, Hüllermeier, ICML 2022): the best item under perturbed utilities, against who may beat it by
//! the most. Assumes p(i,j) = μ(⟨x_i − x_j, θ⟩), for any link.
//!
//! First τ = d·K uniform random pairs (`warm_up`). Then in round t: B ~ Bernoulli(p_t), p_t = min(1, √(d log(dT)/(t −
//! τ))); B = 1: ε(k) from G for every item, else one ε for all; each clipped to ±C. i = argmax û(k) + ε(k)‖x_k‖, j =
//! argmax ⟨x_k − x_i, θ̂⟩ + c‖x_k − x_i‖ (k = i allowed), norms in V⁻¹, V = λI + Σ zzᵀ. c = C = √(d log T); G is
//! Gumbel's for the logistic link, the normal distribution else; λ = 1.
//!
//! *Where it differs.* ‖x_k‖ changes when all items are shifted together, though no preference does: items are centred
//! at their mean first. λ = 1, where others take 10⁻³ (see `max_inp`). Open questions count in V. c, τ and p_t are
//! those of a later comparison, not held against the paper itself. No propensity is given after the warm-up: the law of
//! the first item has no closed form. (In uclaml/VACDB the roles of B are exchanged and p_t = min(1, d log(dT)/√t);
//! duelpy's policy of this name is, by its own note, another one.)

use crate::Link;
use crate::Result;
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::features::linear::{self, Inverse, Model, Norms};
use crate::policy::shared::ties::Ties;
use crate::policy::{Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// c; √(d log T) unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
    /// C, where perturbations are clipped; √(d log T) unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// The ridge λ.
    pub ridge: f64,
    /// τ, random pairs at the start; d·K unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<u64>,
}

impl Default for Config {
    fn default() -> Self {
        Self { c: None, clip: None, ridge: 1.0, warm_up: None }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        linear::check(problem)?;
        let d = problem.dim();
        let horizon = settings::horizon(problem)? as f64;
        let ridge = linear::ridge(self.ridge)?;
        Ok(State {
            stream,
            round: 0,
            c: linear::width("c", self.c, problem)?,
            clip: linear::width("clip", self.clip, problem)?,
            ridge,
            warm_up: self.warm_up.unwrap_or(d as u64 * problem.items() as u64),
            rate: d as f64 * (d as f64 * horizon).ln().max(0.0),
            model: Model::new(d, ridge),
            asked: Inverse::new(d, ridge),
            workspace: Workspace::default(),
        })
    }
}

/// The state: the fit, and what was asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    c: f64,
    clip: f64,
    ridge: f64,
    warm_up: u64,
    /// d log(dT).
    rate: f64,
    model: Model,
    asked: Inverse,
    #[serde(skip)]
    workspace: Workspace,
}

/// Working space: what stays as it is until something is asked, answered or cancelled that tells something.
#[derive(Debug, Clone, Default)]
struct Workspace {
    /// The items for which everything is ready.
    ready: Option<u64>,
    utilities: Vec<f64>,
    norms: Norms,
    /// ‖x − x̄‖ of every item.
    off_mean: Vec<f64>,
    /// j for every i for which it is known and does not depend on chance.
    seconds: Vec<Option<Arm>>,
    ties: Ties,
    z: Vec<f64>,
}

impl State {
    /// ε, clipped.
    fn perturbation(&mut self, link: Link) -> f64 {
        let drawn = match link {
            // −log(−log u), u in (0, 1).
            Link::Logistic => -(-(1.0 - self.stream.uniform()).ln()).ln(),
            _ => self.stream.normal(),
        };
        drawn.clamp(-self.clip, self.clip)
    }

    /// Makes û and the norms ready.
    fn prepare(&self, problem: &Problem, workspace: &mut Workspace) {
        let items = problem.features().fingerprint();
        if workspace.ready == Some(items) {
            return;
        }
        self.model.write_utilities(problem, &mut workspace.utilities);
        workspace.norms.prepare(problem, &self.asked);
        workspace.off_mean.clear();
        workspace.off_mean.extend((0..problem.items()).map(|item| workspace.norms.off_mean(item)));
        workspace.seconds.clear();
        workspace.seconds.resize(problem.items(), None);
        workspace.ready = Some(items);
    }

    fn choose(&mut self, problem: &Problem) -> Duel {
        let k = problem.items();
        let mut workspace = std::mem::take(&mut self.workspace);
        self.prepare(problem, &mut workspace);
        let later = (self.round - self.warm_up) as f64;
        let several = self.stream.uniform() < (self.rate / later).sqrt();
        let common = if several { 0.0 } else { self.perturbation(problem.link()) };
        workspace.ties.clear();
        for item in 0..k {
            let epsilon = if several { self.perturbation(problem.link()) } else { common };
            workspace.ties.offer(item, workspace.utilities[item] + epsilon * workspace.off_mean[item]);
        }
        let i = workspace.ties.draw(&mut self.stream);
        let j = workspace.seconds[i].unwrap_or_else(|| {
            workspace.ties.clear();
            for j in 0..k {
                let ahead: f64 = workspace.utilities[j] - workspace.utilities[i];
                workspace.ties.offer(j, ahead + self.c * workspace.norms.of(problem, i, j));
            }
            if let [only] = workspace.ties.items() {
                workspace.seconds[i] = Some(*only);
            }
            workspace.ties.draw(&mut self.stream)
        });
        self.workspace = workspace;
        Duel(i, j)
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let k = problem.items() as f64;
        let (duel, chance) = if self.round <= self.warm_up {
            let (i, j) = self.stream.pair_below(problem.items());
            (Duel(i, j), Some(1.0 / (k * k)))
        } else {
            (self.choose(problem), None)
        };
        let question = Proposal::new(self.round, duel, chance);
        if duel.0 == duel.1 {
            return question;
        }
        let z = &mut self.workspace.z;
        linear::difference(problem, duel, z);
        self.asked.add(z, 1.0);
        let note = linear::note(problem, 0, 1.0, z);
        self.workspace.ready = None;
        question.with_note(note)
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let z = &mut self.workspace.z;
        if let Some(weight) = linear::noted(problem, proposal, z) {
            self.model.add(problem, z, outcome.reward(), weight);
            self.workspace.ready = None;
        }
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        let z = &mut self.workspace.z;
        if let Some(weight) = linear::noted(problem, proposal, z) {
            self.asked.add(z, -weight);
            self.workspace.ready = None;
        }
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        self.model.write_scores(problem, out);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![
            Resolved::new("c", self.c),
            Resolved::new("clip", self.clip),
            Resolved::new("ridge", self.ridge),
            Resolved::new("warm_up", self.warm_up),
        ]
    }

    fn estimate(&self, problem: &Problem) -> Arm {
        let mut utilities = Vec::new();
        self.model.write_utilities(problem, &mut utilities);
        crate::borda::winner(&utilities)
    }
}
