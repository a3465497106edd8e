//! VACDB (Di, Jin, Wu, Zhao, Farnoud, Gu, ICLR 2024): layers of ever smaller uncertainty, with answers weighted within
//! each. Assumes p(i,j) = μ(⟨x_i − x_j, θ⟩).
//!
//! Layers ℓ = 1, …, L, L = ⌈log₂(1/α)⌉, each with Σ_ℓ = 2^{−2ℓ}I + Σ g zzᵀ and a fit θ̂_ℓ of its own answers. Ask: A =
//! all items, ℓ = 1, and with norms in Σ_ℓ⁻¹ over the pairs of A: (a) all ≤ α, or ℓ = L and all ≤ 2^{−L}: argmax û(i) +
//! û(j) + β‖x_i − x_j‖ over A, from which nothing is learned: committed. (b) All ≤ 2^{−ℓ}: A keeps i with û(i) ≥ max û
//! − 2^{−ℓ}β, ℓ grows by 1. (c) Else a uniform random pair of A with norm > 2^{−ℓ}; its answer goes to layer ℓ with
//! weight g = (2^{−ℓ}/norm)², ridge 2^{−2ℓ}κ. α = 2⁻⁵ (theory: T^{−3/2}), κ = 0.01, β = ¼√(d log T): the authors'
//! experiments; the theorem's β is too wide for any T below 10⁶.
//!
//! *Not aware of variances.* What makes the theorem so is a β of each layer that grows with the squared residuals V̂
//! of its answers, (16·2^{−ℓ}/κ_μ) √((8V̂ + 18 log(4(t+1)²L/δ)) log(4t²L/δ)) + (6·2^{−ℓ}/κ_μ) log(4t²L/δ) + 2^{1−ℓ},
//! and V̂ is the mere number of those answers unless 2^ℓ ≥ 64 (L_μ/κ_μ) √log(4(t+1)²L/δ). The authors' code computes
//! it, with its terms divided by 500 and by 100, and then puts a constant in its place; with five layers V̂ would be
//! the number of answers in all of them. So this is the policy of their experiments, without what its name promises.
//!
//! *Where it differs.* The theorem's β and α are not offered, the one being too wide and the other (beyond T = 10⁴) too
//! small for double precision. What the finished layers have left of the items is kept until one of them changes. The
//! ticket carries ℓ, g and z; Σ_ℓ is made of answers, and a batch is spread by chance. (The authors' code also learns
//! from (a).)

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::features::linear::{self, Inverse, Model, Norms};
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::{Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// α, the norm below which nothing is asked for information; below 1.
    pub alpha: f64,
    /// κ of the ridge.
    pub kappa: f64,
    /// β; ¼√(d log T) unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

impl Default for Config {
    fn default() -> Self {
        Self { alpha: 1.0 / 32.0, kappa: 0.01, width: None }
    }
}

/// The smallest α: the last layer's ridge is about its square, beside answers whose vectors are up to 1 long.
const LEAST_ALPHA: f64 = 1e-6;

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        linear::check(problem)?;
        if !(self.alpha < 1.0 && self.alpha > 0.0) {
            return Err(Error::setting("alpha", self.alpha, "must be a number between 0 and 1, such as 0.03125"));
        }
        if self.alpha < LEAST_ALPHA {
            let remedy = "the last layer's ridge, about alpha², would be lost in rounding (so would the theorem's, \
                          T^(-3/2), beyond T = 10000): take at least 0.000001";
            return Err(Error::setting("alpha", self.alpha, remedy));
        }
        let kappa = settings::positive("kappa", self.kappa)?;
        let width = match self.width {
            None => 0.25 * linear::width("width", None, problem)?,
            set => linear::width("width", set, problem)?,
        };
        let layers = (1.0 / self.alpha).log2().ceil().max(1.0) as i32;
        let layer = |l: i32| {
            let square = 4_f64.powi(-l);
            Layer {
                size: 2_f64.powi(-l),
                inverse: Inverse::new(problem.dim(), square),
                model: Model::new(problem.dim(), square * kappa),
            }
        };
        Ok(State {
            stream,
            round: 0,
            alpha: self.alpha,
            kappa,
            width,
            layers: (1..=layers).map(layer).collect(),
            open: 0,
            fixed: FixedUntil::default(),
            workspace: Workspace::default(),
        })
    }
}

/// The state: its layers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    alpha: f64,
    kappa: f64,
    width: f64,
    layers: Vec<Layer>,
    open: u64,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
    #[serde(skip)]
    workspace: Workspace,
}

/// One layer: 2^{−ℓ}, Σ_ℓ⁻¹ and the fit of its answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Layer {
    size: f64,
    inverse: Inverse,
    model: Model,
}

/// Working space: how far the finished layers lead, and what one question needs.
#[derive(Debug, Clone, Default)]
struct Workspace {
    /// The layer that the items left by all before it have come to, for these items; nothing where one of those has
    /// changed.
    reached: Option<(u64, usize)>,
    members: Vec<Arm>,
    utilities: Vec<f64>,
    wide: Vec<Duel>,
    norms: Norms,
    z: Vec<f64>,
}

/// What to ask.
enum Question {
    /// The best pair, from which nothing is learned; chosen by chance if there are several.
    Settled(Duel, f64),
    /// Something for a layer, with its weight.
    Learn { duel: Duel, layer: usize, weight: f64, chance: f64 },
}

impl State {
    fn choose(&mut self, problem: &Problem) -> Question {
        let Self { stream, layers, workspace, alpha, width, .. } = self;
        let Workspace { reached, members, utilities, wide, norms, .. } = workspace;
        let items = problem.features().fingerprint();
        let known = reached.filter(|reached| reached.0 == items);
        if known.is_none() {
            members.clear();
            members.extend(0..problem.items());
        }
        let (start, last) = (known.map_or(0, |reached| reached.1), layers.len() - 1);
        for (number, layer) in layers.iter().enumerate().skip(start) {
            *reached = Some((items, number));
            norms.prepare(problem, &layer.inverse);
            let (mut largest, bar) = (0.0_f64, layer.size * layer.size);
            wide.clear();
            for (place, &i) in members.iter().enumerate() {
                for &j in &members[place + 1..] {
                    let square = norms.square(problem, i, j);
                    largest = largest.max(square);
                    if square > bar {
                        wide.push(Duel(i, j));
                    }
                }
            }
            if largest <= *alpha * *alpha || (number == last && wide.is_empty()) {
                layer.model.write_utilities(problem, utilities);
                let widest = norms.widest(problem, members, |i| utilities[i], *width, true, stream);
                return Question::Settled(widest.duel, widest.chance);
            }
            if !wide.is_empty() {
                let duel = wide[stream.below(wide.len())];
                let share = layer.size / norms.of(problem, duel.0, duel.1);
                return Question::Learn { duel, layer: number, weight: share * share, chance: 1.0 / wide.len() as f64 };
            }
            layer.model.write_utilities(problem, utilities);
            let best = members.iter().map(|i| utilities[*i]).fold(f64::NEG_INFINITY, f64::max);
            members.retain(|i| utilities[*i] >= best - layer.size * *width);
        }
        // Not reached: the last layer settles or learns.
        Question::Settled(Duel(members[0], members[0]), 1.0)
    }

    /// The last layer that has learned anything.
    fn model(&self) -> &Model {
        let learned = self.layers.iter().rev().find(|layer| layer.model.total() > 0.0);
        &learned.unwrap_or(&self.layers[0]).model
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        match self.choose(problem) {
            Question::Settled(duel, chance) => {
                self.fixed = FixedUntil::unless_answered(problem, duel, self.open);
                Proposal::new(self.round, duel, chance)
            }
            Question::Learn { duel, layer, weight, chance } => {
                self.open += 1;
                let z = &mut self.workspace.z;
                linear::difference(problem, duel, z);
                Proposal::new(self.round, duel, chance).with_note(linear::note(problem, layer as u64, weight, z))
            }
        }
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let z = &mut self.workspace.z;
        let (Some(note), Some(weight)) = (proposal.note(), linear::noted(problem, proposal, z)) else {
            return;
        };
        self.open = self.open.saturating_sub(1);
        self.fixed = FixedUntil::default();
        let number = note.number as usize;
        if let Some(layer) = self.layers.get_mut(number) {
            layer.inverse.add(z, weight);
            layer.model.add(problem, z, outcome.reward(), weight);
        }
        self.workspace.reached = self.workspace.reached.filter(|reached| number >= reached.1);
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        if proposal.note().is_some() {
            self.open = self.open.saturating_sub(1);
            self.fixed = FixedUntil::default();
        }
    }

    fixed_until!();

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        self.model().write_scores(problem, out);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![
            Resolved::new("alpha", self.alpha),
            Resolved::new("kappa", self.kappa),
            Resolved::new("width", self.width),
            Resolved::new("layers", self.layers.len() as u64),
        ]
    }
    /// The best of the items that the finished layers have left, in the last of those layers (in the first, while none
    /// is). A layer's fit knows its own items only, so that the largest of all scores would say little.
    fn estimate(&self, problem: &Problem) -> Arm {
        let (mut norms, mut utilities, mut stream) = (Norms::default(), Vec::new(), self.stream.clone());
        let mut members: Vec<Arm> = (0..problem.items()).collect();
        let mut best = 0;
        for (number, layer) in self.layers.iter().enumerate() {
            norms.prepare(problem, &layer.inverse);
            let largest = norms.widest(problem, &members, |_| 0.0, 1.0, true, &mut stream).value;
            let finished = largest <= layer.size;
            if !finished && number > 0 {
                break;
            }
            layer.model.write_utilities(problem, &mut utilities);
            let utility = |i: &Arm| utilities[*i];
            best =
                members.iter().copied().max_by(|a, b| utility(a).total_cmp(&utility(b)).then(b.cmp(a))).unwrap_or(best);
            if !finished || largest <= self.alpha {
                break;
            }
            let bar = utilities[best] - layer.size * self.width;
            members.retain(|i| utilities[*i] >= bar);
        }
        best
    }
}
