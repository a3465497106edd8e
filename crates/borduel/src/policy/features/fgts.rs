//! FGTS.CDB (Li, Zhao, Gu, ICML 2024): both items by posterior sampling, with a bonus for parameters that promise much.
//! Assumes p(i,j) = μ(⟨x_i − x_j, θ⟩).
//!
//! For player k = 1, 2: U_k(θ) = η Σ nll + (λ/2)‖θ‖² − m[n max_a ⟨θ, x_a⟩ − ⟨θ, Σ x of the other player's items⟩];
//! θ⁽¹⁾, θ⁽²⁾ independently from exp(−U_k); i = argmax ⟨θ⁽¹⁾, x⟩, j = argmax ⟨θ⁽²⁾, x⟩. η = 0.25, m = 1/(10 e^S √T)
//! with S = `norm` = 1 (theory), λ = 1. η = 1 with m = 0 is plain double Thompson sampling, with a third of the regret
//! on the cube.
//!
//! *Where it differs.* η and m are those of one later paper's experiments, not held against the paper itself. nll is
//! the loss of the fit, m(⟨z,θ⟩) − r⟨z,θ⟩, which is the negative log-likelihood for the logistic link and a
//! quasi-likelihood for others. Only questions that were answered are in the sums. No propensity is given: the law of a
//! draw's best item has no closed form.
//!
//! In contexts the bonus is Σ_s max_a ⟨θ, x_{s,a}⟩ − ⟨θ, Σ x of the other player's items⟩ over past questions s. Up to
//! 256 contexts are counted one by one; of more, and of contexts that never come again, a random 256 stand for all.
//! They count from when they are asked in, scaled to the number of answers. With m = 0 nothing of them is kept.
//!
//! In contexts nearly every answer has a vector of its own. From the 257th vector on, steps do without a walk through
//! all answers and contexts: each is a factor of the chance to accept, and a few of them, drawn at random, decide (see
//! `factors`). The law that the steps lead to is the same; the chance to accept is smaller by a third-order term. This
//! is ours, as are the sample of contexts and the sampler.
//!
//! With fixed items two vectors are all the history that the bonus needs. The ticket carries both items' vectors where
//! there is room. *Sampler:* proposals from the normal distribution at the mode of the first two terms, with their
//! Hessian there, and `steps` = 5 Metropolis corrections of such independent proposals with the full U: exact as the
//! steps grow, without a step size to tune. (The paper takes Langevin steps.)

mod factors;

use crate::Link;
use crate::duel::{Arm, Duel, INLINE, Note, Outcome, Proposal};
use crate::features::{add_scaled, dot};
use crate::policy::features::linear::{self, Model};
use crate::policy::{Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use factors::Factors;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// η, what an answer counts in the posterior.
    pub eta: f64,
    /// m; 1/(10 e^S √T) unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feel_good: Option<f64>,
    /// S, the length of θ, in the formula of m, which alone knows it; 1 unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub norm: Option<f64>,
    /// The ridge λ of the posterior.
    pub ridge: f64,
    /// Metropolis corrections of a draw.
    pub steps: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { eta: 0.25, feel_good: None, norm: None, ridge: 1.0, steps: 5 }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        linear::check(problem)?;
        let feel_good = match (self.feel_good, self.norm) {
            (Some(m), None) => settings::not_negative("feel_good", m)?,
            (Some(_), Some(norm)) => {
                let remedy = "belongs to the formula of feel_good, which is set: leave one of the two out";
                return Err(Error::setting("norm", norm, remedy));
            }
            (None, norm) => {
                let norm = settings::not_negative("norm", norm.unwrap_or(1.0))?;
                0.1 * (-norm).exp() / (settings::horizon(problem)? as f64).sqrt()
            }
        };
        if self.steps == 0 {
            return Err(Error::setting("steps", 0, "must be at least 1"));
        }
        let (d, ridge) = (problem.dim(), settings::positive("ridge", self.ridge)?);
        Ok(State {
            stream,
            round: 0,
            eta: settings::positive("eta", self.eta)?,
            feel_good,
            steps: self.steps,
            ridge,
            model: Model::new(d, ridge),
            answers: 0.0,
            shown: [vec![0.0; d], vec![0.0; d]],
            seen: Seen::default(),
            factors: Factors::default(),
            workspace: Workspace::default(),
        })
    }
}

/// The state: the fit with answers counted η times, and the sums of both players' vectors.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    eta: f64,
    feel_good: f64,
    steps: u32,
    ridge: f64,
    model: Model,
    /// n.
    answers: f64,
    /// Σ x of the first and of the second items.
    shown: [Vec<f64>; 2],
    /// Past contexts, where every question has one.
    #[serde(default, skip_serializing_if = "Seen::is_empty")]
    seen: Seen,
    /// The answers, where they are too many to go through in every step.
    #[serde(default, skip_serializing_if = "Factors::is_empty")]
    factors: Factors,
    #[serde(skip)]
    workspace: Workspace,
}

/// The most past contexts that are kept.
const KEPT: usize = 256;
/// Where more than this share of the answers would be looked at by themselves, all are gone through.
const MANY: f64 = 0.25;

/// Past contexts: all of them or a random sample.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Seen {
    contexts: Vec<Context>,
    /// How many questions were asked in a context that was not among them.
    new: u64,
    #[serde(default)]
    sums: Sums,
}

/// Over all of them, each as often as it came up: the vectors that were best, how far others are from them, and 1.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Sums {
    best: Vec<f64>,
    spread: f64,
    times: f64,
}

/// The items of a context, and how often it came up.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Context {
    number: u64,
    times: f64,
    vectors: Vec<f64>,
    /// The item that was best at θ̂ when that was looked at, and how far the other vectors are from its own.
    best: Arm,
    spread: f64,
}

impl Context {
    fn items(&self, d: usize) -> impl Iterator<Item = &[f64]> {
        self.vectors.chunks_exact(d)
    }

    /// The vector of the item that was best.
    fn favourite(&self, d: usize) -> &[f64] {
        &self.vectors[self.best * d..(self.best + 1) * d]
    }

    /// Looks at who is best.
    fn look(&mut self, theta: &[f64]) {
        let d = theta.len();
        self.best = crate::borda::winner(&self.items(d).map(|x| dot(x, theta)).collect::<Vec<f64>>());
        let best = self.favourite(d);
        let far = |x: &[f64]| x.iter().zip(best).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        self.spread = self.items(d).map(far).fold(0.0, f64::max).sqrt();
    }

    /// max_a ⟨θ, x_a⟩.
    fn most(&self, theta: &[f64]) -> f64 {
        self.items(theta.len()).map(|x| dot(x, theta)).fold(f64::MIN, f64::max)
    }

    /// By how much another item is better than the one that was best.
    fn overtaken(&self, theta: &[f64]) -> f64 {
        self.most(theta) - dot(self.favourite(theta.len()), theta)
    }
}

impl Seen {
    fn is_empty(&self) -> bool {
        self.contexts.is_empty()
    }

    /// Counts a context; in the place of another one where all places are taken, with the chance that a sample needs.
    fn count(&mut self, number: u64, vectors: &[f64], theta: &[f64], stream: &mut Stream) {
        if let Some(known) = self.contexts.iter_mut().find(|known| known.number == number) {
            known.times += 1.0;
            return self.sums.add(known, theta.len(), 1.0);
        }
        self.new += 1;
        let place = if self.contexts.len() < KEPT { self.contexts.len() } else { stream.below(self.new as usize) };
        if place >= KEPT {
            return;
        }
        let mut fresh = Context { number, times: 1.0, vectors: vectors.to_vec(), best: 0, spread: 0.0 };
        fresh.look(theta);
        self.sums.add(&fresh, theta.len(), 1.0);
        if let Some(old) = self.contexts.get_mut(place) {
            self.sums.add(old, theta.len(), -old.times);
            *old = fresh;
        } else {
            self.contexts.push(fresh);
        }
    }

    /// Looks again at who is best in each.
    fn look(&mut self, theta: &[f64]) {
        self.sums = Sums::default();
        for context in &mut self.contexts {
            context.look(theta);
            self.sums.add(context, theta.len(), context.times);
        }
    }

    /// The mean of max_a ⟨θ, x_a⟩ over them.
    fn promised(&self, theta: &[f64]) -> f64 {
        let total: f64 = self.contexts.iter().map(|context| context.times).sum();
        self.contexts.iter().map(|context| context.times / total * context.most(theta)).sum()
    }

    /// The mean of ⟨θ, x⟩ over those that were best.
    fn linear(&self, theta: &[f64]) -> f64 {
        dot(&self.sums.best, theta) / self.sums.times
    }

    /// The mean of how far the others are from them.
    fn spread(&self) -> f64 {
        self.sums.spread / self.sums.times
    }

    /// One of them, drawn by how far its vectors are apart.
    fn draw(&self, stream: &mut Stream) -> Option<&Context> {
        let mut left = stream.uniform() * self.sums.spread;
        self.contexts.iter().find(|context| {
            left -= context.times * context.spread;
            left < 0.0
        })
    }
}

impl Sums {
    fn add(&mut self, context: &Context, d: usize, times: f64) {
        self.best.resize(d, 0.0);
        add_scaled(&mut self.best, times, context.favourite(d));
        self.spread += times * context.spread;
        self.times += times;
    }
}

/// Working space: the posterior since the last answer that told something, and the proposals of one draw.
#[derive(Debug, Clone, Default)]
struct Workspace {
    posterior: Option<Posterior>,
    factor: Vec<f64>,
    draws: Vec<Draw>,
    utilities: Vec<f64>,
    z: Vec<f64>,
}

/// Who is best at the mode, and within how many standard deviations of it (the square of that) certainly.
#[derive(Debug, Clone, Copy)]
struct Posterior {
    /// The items for which that was computed.
    items: u64,
    best: Arm,
    safe: f64,
}

/// A proposal: whom it likes best, the chance that decides on it, and what is computed only where it matters.
#[derive(Debug, Clone, Default)]
struct Draw {
    /// Standard normal numbers, and θ once the exponent of the proposal is known.
    theta: Vec<f64>,
    exponent: Option<f64>,
    best: Arm,
    coin: f64,
    /// U minus the exponent.
    excess: Option<f64>,
}

impl Draw {
    /// Turns the numbers into θ, the mode and what is drawn around it.
    fn form(&mut self, factor: &[f64], mode: &[f64]) -> f64 {
        let Self { theta, exponent, .. } = self;
        *exponent.get_or_insert_with(|| {
            linear::solve_transposed(factor, theta);
            let square = linear::half_square(factor, theta);
            theta.iter_mut().zip(mode).for_each(|(x, mode)| *x += mode);
            square
        })
    }
}

impl State {
    /// The Hessian's factor at the mode, who is best there, and how far that holds: another item j overtakes b only
    /// beyond (û(b) − û(j))/‖x_b − x_j‖ standard deviations, the norm that of the inverse Hessian.
    fn look(&mut self, problem: &Problem, workspace: &mut Workspace) -> Posterior {
        let Workspace { posterior, factor, utilities, z, .. } = workspace;
        let items = problem.features().fingerprint();
        if posterior.is_some_and(|posterior| posterior.items != items) {
            *posterior = None;
        }
        *posterior.get_or_insert_with(|| {
            factor.clear();
            factor.extend_from_slice(self.model.hessian(problem.link()));
            self.model.write_utilities(problem, utilities);
            let best = crate::borda::winner(utilities);
            let mut safe = f64::INFINITY;
            for item in (0..problem.items()).filter(|item| *item != best) {
                linear::difference(problem, Duel(best, item), z);
                linear::solve_lower(factor, z);
                let (lead, square) = (utilities[best] - utilities[item], dot(z, z));
                // Equal vectors tie wherever θ is.
                safe = safe.min(if square > 0.0 { lead * lead / square } else { 0.0 });
            }
            // Less than the rounding of all that.
            Posterior { items, best, safe: safe * (1.0 - 1e-9) }
        })
    }

    /// The item that a player's draw likes best.
    ///
    /// Which proposals are accepted matters only if they like different items. Mostly all like the same one, since the
    /// numbers that they are made of are not large enough for another; then neither θ nor U is computed.
    fn play(&mut self, problem: &Problem, player: usize, workspace: &mut Workspace) -> Arm {
        let Posterior { best, safe, .. } = self.look(problem, workspace);
        let Workspace { factor, draws, utilities, .. } = workspace;
        draws.resize_with(1 + self.steps as usize, Draw::default);
        for (step, draw) in draws.iter_mut().enumerate() {
            draw.theta.clear();
            draw.theta.extend((0..problem.dim()).map(|_| self.stream.normal()));
            // The first one is where the others start.
            draw.coin = if step == 0 { 1.0 } else { self.stream.uniform() };
            (draw.best, draw.exponent, draw.excess) = (best, None, None);
            if dot(&draw.theta, &draw.theta) >= safe {
                draw.form(factor, self.model.theta());
                linear::utilities(problem, &draw.theta, utilities);
                draw.best = crate::borda::winner(utilities);
            }
        }
        let mut current = 0;
        for proposed in 1..draws.len() {
            if draws[proposed..].iter().all(|draw| draw.best == draws[current].best) {
                break;
            }
            if self.accepts(problem, player, factor, draws, [current, proposed]) {
                current = proposed;
            }
        }
        draws[current].best
    }

    /// Whether a proposal takes the place of another one.
    fn accepts(
        &mut self,
        problem: &Problem,
        player: usize,
        factor: &[f64],
        draws: &mut [Draw],
        places: [usize; 2],
    ) -> bool {
        let coin = draws[places[1]].coin.ln();
        if self.factors.are_of(&self.model) {
            for place in places {
                draws[place].form(factor, self.model.theta());
            }
            let thetas = places.map(|place| &draws[place].theta[..]);
            if let Some(accepted) = self.accepts_by_factors(problem.link(), player, thetas, coin) {
                return accepted;
            }
        }
        let [from, to] = places.map(|place| self.excess(problem, player, factor, &mut draws[place]));
        // P(accept) = exp(−U′ + U) q(θ)/q(θ′).
        coin < from - to
    }

    /// The same by single answers and contexts; `None` where so many would be looked at that all might as well be.
    /// Which of the two it is does not depend on the direction of the step.
    fn accepts_by_factors(&mut self, link: Link, player: usize, thetas: [&[f64]; 2], coin: f64) -> Option<bool> {
        let Self { factors, model, seen, stream, .. } = self;
        let reaches = thetas.map(|theta| factors.reach(theta, model.theta()));
        let answers = factors.rate(link, reaches);
        let bonus = self.feel_good * self.answers;
        let (mut contexts, mut linear) = (0.0, [0.0; 2]);
        if bonus > 0.0 && !seen.is_empty() {
            contexts = bonus * seen.spread() * (reaches[0] + reaches[1]);
            let shown = &self.shown[1 - player];
            linear = thetas.map(|theta| bonus * seen.linear(theta) - self.feel_good * dot(theta, shown));
        }
        let rate = answers + contexts;
        if rate > MANY * factors.len() as f64 {
            return None;
        }
        // The one factor that is linear in θ.
        if coin >= linear[1] - linear[0] {
            return Some(false);
        }
        let mut time = 0.0;
        loop {
            time -= (-stream.uniform()).ln_1p();
            if time >= rate {
                return Some(true);
            }
            let refused = if stream.uniform() * rate < answers {
                factors.refuse(model, link, thetas, reaches, stream)
            } else {
                seen.draw(stream).is_some_and(|context| {
                    let [from, to] = thetas.map(|theta| -bonus * context.overtaken(theta));
                    stream.uniform() * bonus * context.spread * (reaches[0] + reaches[1]) < to - from
                })
            };
            if refused {
                return Some(false);
            }
        }
    }

    /// U minus the exponent of the proposal.
    fn excess(&self, problem: &Problem, player: usize, factor: &[f64], draw: &mut Draw) -> f64 {
        if let Some(excess) = draw.excess {
            return excess;
        }
        let exponent = draw.form(factor, self.model.theta());
        let promised = match problem.context() {
            None => dot(linear::vector(problem, draw.best), &draw.theta),
            Some(_) => self.seen.promised(&draw.theta),
        };
        let bonus = self.answers * promised - dot(&draw.theta, &self.shown[1 - player]);
        let excess = self.model.objective(problem.link(), &draw.theta) - self.feel_good * bonus - exponent;
        draw.excess = Some(excess);
        excess
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let mut workspace = std::mem::take(&mut self.workspace);
        let (i, j) = (self.play(problem, 0, &mut workspace), self.play(problem, 1, &mut workspace));
        self.workspace = workspace;
        let question = Proposal::new(self.round, Duel(i, j), None);
        if let Some(number) = problem.context() {
            if self.feel_good > 0.0 {
                let vectors = problem.features().item_vectors().unwrap_or_default();
                self.seen.count(number, vectors, self.model.theta(), &mut self.stream);
            }
            let both = [i, j].map(|item| linear::vector(problem, item)).concat();
            return question.with_note(Note::new(0, &both));
        }
        if 2 * problem.dim() > INLINE {
            return question;
        }
        let mut both = [0.0; INLINE];
        for (place, item) in both.chunks_exact_mut(problem.dim()).zip([i, j]) {
            place.copy_from_slice(linear::vector(problem, item));
        }
        question.with_note(Note::inline(0, 2 * problem.dim(), both))
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let (d, Duel(i, j)) = (problem.dim(), proposal.duel);
        let noted = proposal.note().map(Note::numbers).filter(|both| both.len() == 2 * d);
        let (x, y) = match noted {
            Some(both) => both.split_at(d),
            None => (linear::vector(problem, i), linear::vector(problem, j)),
        };
        self.answers += 1.0;
        for (sum, vector) in self.shown.iter_mut().zip([x, y]) {
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        }
        let z = &mut self.workspace.z;
        z.clear();
        z.extend(x.iter().zip(y).map(|(x, y)| x - y));
        if z.iter().any(|x| *x != 0.0) {
            self.workspace.posterior = None;
        }
        if problem.context().is_none() {
            self.model.add(problem, z, outcome.reward(), self.eta);
            return;
        }
        let before = self.model.theta().to_vec();
        let cell = self.model.add(problem, z, outcome.reward(), self.eta);
        if let Some(cell) = cell
            && self.factors.follow(&mut self.model, problem.link(), cell, self.eta, &before)
        {
            self.seen.look(self.model.theta());
        }
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        self.model.write_scores(problem, out);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![
            Resolved::new("eta", self.eta),
            Resolved::new("feel_good", self.feel_good),
            Resolved::new("ridge", self.ridge),
            Resolved::new("steps", u64::from(self.steps)),
        ]
    }
}

#[cfg(test)]
mod tests;
