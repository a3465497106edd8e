//! MaxMinLCB (Pásztor, Kassraie, Krause, NeurIPS 2024): a leader and its toughest follower, by lower confidence bounds.
//! Assumes p(i,j) = μ(f(i) − f(j)), f smooth in the items' vectors: linear in them, or a function of their RBF kernel.
//!
//! f̂ = argmin Σ m(h) − rh + (λ/2)‖f‖², h = f(i) − f(j), ‖·‖ that of the kernel's space; s(i,j)² the variance of h
//! given what was asked, for a normal f with this kernel and noise of variance κλ′, λ′ = `noise` = 0.25, κ = 1/μ′(2B),
//! B = `norm` = 1. P̂ = μ(f̂(i) − f̂(j)), LCB = P̂ − βs, UCB = P̂ + βs. 𝒞 = {i : UCB(i,j) ≥ ½ for all j}; i = argmax
//! over 𝒞 of min_j LCB(i,j), j the minimiser in 𝒞 without i; what lies within 10⁻⁴ of the best is drawn from. A single
//! item of 𝒞, or several of the same vector, meets itself, for good. Without `candidates` 𝒞 is everybody and an item
//! may meet itself, at ½. β = 1 as in their experiments; `width = "theory"`: 4LB + 2L/√(κλ′)·√(2 log 1/δ + log det(I +
//! K/(κλ′))), L the largest μ′, δ = 0.1.
//!
//! *Where it differs* from the authors' code (lasgroup/MaxMinLCB), which was read for this: s is the root where the
//! code has the variance; f̂ is penalised by the norm of the kernel's space (the code penalises the coefficients of its
//! answers); UCB = ½ is enough, so that 𝒞 is never empty; open questions count in s; λ = 1 for all, where their worlds
//! have 0.1 to 5. Of their kernels linear and RBF are here. The linear one is that of features scaled to differences of
//! at most 1, as for the other policies; `length` is in the units in which vectors were given.
//!
//! *Cost.* K² bounds a round. The RBF kernel keeps the covariance of all f(i), so that s costs nothing and a question
//! K²; f̂ is fitted in a root of the Gram matrix, found once (at most 512 items). Linear: K² products of vectors a
//! round.

use crate::duel::{Arm, Duel, INLINE, Note, Outcome, Proposal};
use crate::features::dot;
use crate::policy::features::linear::{self, Inverse, Model, Norms};
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::shared::settings::{self, Width};
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

mod gram;

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// `linear`, or `rbf` for a smooth function of the items' vectors, of at most 512 items.
    pub kernel: Kernel,
    /// The distance over which the RBF kernel's functions change, in the units of the vectors; 1 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// The variance of the RBF kernel's functions; 1 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance: Option<f64>,
    /// The width β of the bounds, or `theory`.
    pub width: Width,
    /// λ of the fit.
    pub ridge: f64,
    /// The λ′ in the deviation s.
    pub noise: f64,
    /// B, a bound of the norm of f.
    pub norm: f64,
    /// Whether items that are surely worse than another are left out.
    pub candidates: bool,
}

/// How items' vectors make a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kernel {
    /// The linear kernel ⟨x, y⟩.
    #[default]
    Linear,
    /// v exp(−‖x − y‖²/(2ℓ²)).
    Rbf,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            kernel: Kernel::Linear,
            length: None,
            variance: None,
            width: Width::Value(1.0),
            ridge: 1.0,
            noise: 0.25,
            norm: 1.0,
            candidates: true,
        }
    }
}

/// The most items of the RBF kernel: K² numbers are kept and changed with every question.
const MOST: usize = 512;
/// δ of the theorem's width.
const DELTA: f64 = 0.1;
/// Bounds closer than this tie.
const TIE: f64 = 1e-4;

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        linear::check(problem)?;
        let rbf = self.rbf(problem)?;
        let ridge = linear::ridge(self.ridge)?;
        let norm = settings::not_negative("norm", self.norm)?;
        let kappa = 1.0 / problem.link().mu_prime(2.0 * norm);
        // Far out μ′ vanishes, and with it what an answer says.
        let noise = settings::positive("norm", kappa)
            .map_err(|_| Error::setting("norm", norm, "makes answers say nothing: take a smaller one, such as 1"))?
            * linear::ridge_called("noise", self.noise)?;
        let lipschitz = problem.link().lipschitz();
        let width = match self.width {
            Width::Value(width) => Beta::Number(settings::not_negative("width", width)?),
            Width::Computed(_) => Beta::Theory { bias: 4.0 * lipschitz * norm, slope: 2.0 * lipschitz / noise.sqrt() },
        };
        let (asked, workspace, model) = match &rbf {
            None => {
                let d = problem.dim();
                (Inverse::new(d, noise), Workspace::default(), Model::new(d, ridge))
            }
            Some(rbf) => {
                let gram = rbf.matrix(problem);
                let root = gram::Root::new(problem, rbf);
                let model = Model::new(root.dim, ridge * root.scale * root.scale);
                let covariance = gram.iter().map(|x| x / noise).collect();
                (
                    Inverse::from_matrix(problem.items(), covariance),
                    Workspace { root: Some(root), ..Workspace::default() },
                    model,
                )
            }
        };
        let (log_det, open, fixed) = (0.0, 0, FixedUntil::default());
        let candidates = self.candidates;
        let ridges = [ridge, self.noise, norm];
        Ok(State {
            stream,
            round: 0,
            rbf,
            width,
            ridges,
            noise,
            candidates,
            model,
            asked,
            log_det,
            open,
            fixed,
            workspace,
        })
    }

    fn rbf(&self, problem: &Problem) -> Result<Option<gram::Rbf>> {
        if self.kernel == Kernel::Rbf {
            let k = problem.items();
            if k > MOST {
                let remedy =
                    format!("has at most {MOST} items, since it changes K² numbers a question: take \"linear\"");
                return Err(Error::setting("kernel", format!("\"rbf\" with {k} items"), remedy));
            }
            let length = settings::positive("length", self.length.unwrap_or(1.0))?;
            let variance = settings::positive("variance", self.variance.unwrap_or(1.0))?;
            return Ok(Some(gram::Rbf { length, variance }));
        }
        match [("length", self.length), ("variance", self.variance)].into_iter().find_map(|(n, x)| Some((n, x?))) {
            Some((name, x)) => Err(Error::setting(name, x, "belongs to kernel = \"rbf\": leave it out, or set that")),
            None => Ok(None),
        }
    }
}

/// β.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Beta {
    Number(f64),
    /// bias + slope·√(2 log 1/δ + log det).
    Theory {
        bias: f64,
        slope: f64,
    },
}

/// The state: the fit, and what was asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    rbf: Option<gram::Rbf>,
    width: Beta,
    /// λ, λ′ and B, as they were set.
    ridges: [f64; 3],
    /// κλ′.
    noise: f64,
    candidates: bool,
    model: Model,
    /// V⁻¹ of the vectors' coordinates, or the covariance of all f over κλ′.
    asked: Inverse,
    /// log det(I + K/(κλ′)).
    log_det: f64,
    open: u64,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
    #[serde(skip)]
    workspace: Workspace,
}

/// Working space of one question.
#[derive(Debug, Clone, Default)]
struct Workspace {
    /// The root of the Gram matrix, with the RBF kernel.
    root: Option<gram::Root>,
    f: Vec<f64>,
    norms: Norms,
    members: Vec<Arm>,
    /// min_j LCB(i,j) of the members.
    least: Vec<f64>,
    z: Vec<f64>,
    image: Vec<f64>,
}

/// The bounds of all pairs, as they are in one round.
struct Bounds<'a> {
    problem: &'a Problem,
    f: &'a [f64],
    norms: Option<&'a Norms>,
    asked: &'a Inverse,
    /// β√(κλ′).
    width: f64,
}

impl Bounds<'_> {
    /// P̂(i,j) and βs(i,j).
    #[inline]
    fn of(&self, i: Arm, j: Arm) -> (f64, f64) {
        let square = match self.norms {
            Some(norms) => norms.square(self.problem, i, j),
            None => self.asked.square_between(i, j),
        };
        (self.problem.link().mu(self.f[i] - self.f[j]), self.width * square.sqrt())
    }

    /// UCB(i,j) ≥ ½ for all j, `leader` the first of them to be tried. Only an item with a larger f̂ can be surely
    /// better.
    fn may_be_best(&self, i: Arm, leader: Arm) -> bool {
        let not_beaten = |j: Arm| {
            let (chance, width) = self.of(i, j);
            self.f[j] <= self.f[i] || chance + width >= 0.5
        };
        not_beaten(leader) && (0..self.f.len()).all(not_beaten)
    }

    /// LCB(i,j); an item against itself has ½.
    #[inline]
    fn lower(&self, i: Arm, j: Arm) -> f64 {
        if i == j {
            return 0.5;
        }
        let (chance, width) = self.of(i, j);
        chance - width
    }
}

impl State {
    fn beta(&self) -> f64 {
        match self.width {
            Beta::Number(beta) => beta,
            Beta::Theory { bias, slope } => bias + slope * (self.log_det - 2.0 * DELTA.ln()).max(0.0).sqrt(),
        }
    }

    /// f̂ of all items.
    fn write_f(&self, problem: &Problem, root: Option<&gram::Root>, f: &mut Vec<f64>) {
        let Some(rbf) = &self.rbf else { return self.model.write_utilities(problem, f) };
        let made;
        let root = if let Some(root) = root.filter(|root| root.is_of(problem)) {
            root
        } else {
            made = gram::Root::new(problem, rbf);
            &made
        };
        f.clear();
        f.extend(root.rows().map(|x| dot(x, self.model.theta())));
    }

    /// The root of the Gram matrix is made anew where a state was opened again.
    fn refresh(&mut self, problem: &Problem) {
        if let Some(rbf) = &self.rbf
            && self.workspace.root.as_ref().is_none_or(|root| !root.is_of(problem))
        {
            self.workspace.root = Some(gram::Root::new(problem, rbf));
        }
    }

    /// A pair, and the chance of it.
    fn choose(&mut self, problem: &Problem) -> (Duel, f64) {
        let mut workspace = std::mem::take(&mut self.workspace);
        self.write_f(problem, workspace.root.as_ref(), &mut workspace.f);
        let Workspace { f, norms, members, least, .. } = &mut workspace;
        if self.rbf.is_none() {
            norms.prepare(problem, &self.asked);
        }
        let norms = self.rbf.is_none().then_some(&*norms);
        let width = self.beta() * self.noise.sqrt();
        let bounds = Bounds { problem, f, norms, asked: &self.asked, width };
        let leader = crate::borda::winner(f);
        members.clear();
        members.extend((0..f.len()).filter(|&i| !self.candidates || bounds.may_be_best(i, leader)));
        // Items of the same vector are one item.
        if let Some(&first) = members.first().filter(|&&i| members.iter().all(|&j| linear::alike(problem, Duel(i, j))))
        {
            self.workspace = workspace;
            return (Duel(first, first), 1.0);
        }
        let itself = !self.candidates;
        let rivals = |i: Arm| members.iter().copied().filter(move |&j| itself || j != i);
        least.clear();
        least.extend(members.iter().map(|&i| rivals(i).map(|j| bounds.lower(i, j)).fold(f64::INFINITY, f64::min)));
        let most = least.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let leaders = || members.iter().zip(least.iter()).filter(|(_, least)| **least >= most - TIE);
        let count = leaders().count();
        let (i, bar) = leaders().nth(pick(count, &mut self.stream)).map_or((leader, most), |(i, bar)| (*i, *bar));
        let followers = || rivals(i).filter(|&j| bounds.lower(i, j) <= bar + TIE);
        let tied = followers().count();
        let j = followers().nth(pick(tied, &mut self.stream)).unwrap_or(i);
        self.workspace = workspace;
        (Duel(i, j), 1.0 / (count * tied) as f64)
    }

    /// Counts a question as asked, or no longer.
    fn count(&mut self, weight: f64) {
        let Workspace { z, image, .. } = &mut self.workspace;
        if weight > 0.0 {
            self.log_det += self.asked.square(z, image).ln_1p();
        }
        self.asked.add(z, weight);
        if weight < 0.0 {
            self.log_det -= self.asked.square(z, image).ln_1p();
        }
    }

    /// z of a ticket as `asked` has it: with the RBF kernel one of the items, without it one of their vectors. None of
    /// a question from which nothing is learned.
    fn read(&mut self, problem: &Problem, proposal: &Proposal) -> bool {
        if self.rbf.is_none() {
            return linear::noted(problem, proposal, &mut self.workspace.z).is_some();
        }
        gram::one_hot(problem.items(), proposal.duel, &mut self.workspace.z);
        proposal.note().is_some()
    }
}

/// One of n; a random number is drawn only where there are several.
fn pick(n: usize, stream: &mut Stream) -> usize {
    if n > 1 { stream.below(n) } else { 0 }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        self.refresh(problem);
        let (duel, chance) = self.choose(problem);
        let question = Proposal::new(self.round, duel, chance);
        if linear::alike(problem, duel) {
            if chance == 1.0 {
                self.fixed = FixedUntil::unless_answered(problem, duel, self.open);
            }
            return question;
        }
        self.open += 1;
        let note = if self.rbf.is_some() {
            gram::one_hot(problem.items(), duel, &mut self.workspace.z);
            Note::inline(0, 1, [1.0; INLINE])
        } else {
            linear::difference(problem, duel, &mut self.workspace.z);
            linear::note(problem, 0, 1.0, &self.workspace.z)
        };
        self.count(1.0);
        question.with_note(note)
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        if !self.read(problem, proposal) {
            return;
        }
        self.refresh(problem);
        let Workspace { root, z, .. } = &mut self.workspace;
        if let Some(root) = root {
            root.difference(proposal.duel, z);
        }
        self.open = self.open.saturating_sub(1);
        self.model.add(problem, z, outcome.reward(), 1.0);
        self.fixed = FixedUntil::default();
    }

    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        if self.read(problem, proposal) {
            self.open = self.open.saturating_sub(1);
            self.count(-1.0);
            self.fixed = FixedUntil::default();
        }
    }

    fixed_until!();

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        if self.rbf.is_none() {
            return self.model.write_scores(problem, out);
        }
        let mut f = Vec::new();
        self.write_f(problem, self.workspace.root.as_ref(), &mut f);
        let link = problem.link();
        let mean = |u: f64| f.iter().map(|v| link.mu(u - v)).sum::<f64>() / f.len() as f64;
        out.iter_mut().zip(&f).for_each(|(score, u)| *score = mean(*u));
    }

    fn settings(&self) -> Vec<Resolved> {
        let kernel = if self.rbf.is_some() { "rbf" } else { "linear" };
        let mut list = vec![Resolved::new("kernel", kernel)];
        if let Some(rbf) = &self.rbf {
            list.extend([Resolved::new("length", rbf.length), Resolved::new("variance", rbf.variance)]);
        }
        list.push(match self.width {
            Beta::Number(beta) => Resolved::new("width", beta),
            Beta::Theory { .. } => Resolved::new("width", "theory"),
        });
        let [ridge, noise, norm] = self.ridges;
        list.extend([Resolved::new("ridge", ridge), Resolved::new("noise", noise), Resolved::new("norm", norm)]);
        list.push(Resolved::new("candidates", if self.candidates { "true" } else { "false" }));
        list
    }
}
