//! Follow the regularised leader over items with forced exploration, and rates that adapt: what
//! [`ftrl_borda`](crate::policy::ftrl_borda) and [`ftrl_linear`](crate::policy::ftrl_linear) share.
//!
//! *Weights.* q maximises ⟨q, S⟩ − β R(q), with S the sums of estimates of b. `shannon`: R = Σ q log q, so that q(i) ∝
//! exp(S(i)/β). `hybrid`: R = Σ q log q + (1−q) log(1−q), so that q(i) = σ((S(i) − x)/β) with Σ q = 1. h = −R(q); o =
//! Σ_{i≠i°} q(i), i° the leader, summed over the others.
//!
//! *Rates.* z = c ζ o with c = e − 2; γ = min(1, √(z/(Δ₀β)) + u/β); after every round β += ρ(z/(βγ) + Δ₀γ)/h. β starts
//! where γ = 1. The stability of the leader costs z/(βγ), exploration Δ₀γ, and a larger β h for every unit: the rule
//! keeps the three in balance, and is known before the answer.
//!
//! *A round.* With probability γ it explores (`exploration`); otherwise it exploits, i ~ q against itself (`exploit =
//! "self"`) or against j ~ q (`"pair"`), and nothing is learned.
//!
//! *Blocks.* Nothing changes between explorations, so q, γ and β are held over a block: its length is drawn by the
//! geometric law of γ, and one item i ~ q; the policy rests on (i,i), then explores. β moves by so many steps at once.
//! Where these would raise it by more than 5 % the block ends there without exploring, since the geometric law has no
//! memory. Against an adversary who does not see the draws the expected regret is that of a draw a round. β inside the
//! weights may lag behind by 2 %, so that without features an answer changes two weights only.
//!
//! *In contexts of every round* (finitely many, known, and drawn independently of the past) each has weights q_c of its
//! own, from its S_c; z = c Σ_c w_c ζ_c o_c, h = Σ_c w_c h_c, and u is the largest of all contexts. A block holds one
//! item in every context that comes up within it, drawn when it does; the policy does not rest, since the next context
//! may be another one.
//!
//! An answer that comes late is weighted with the γ on its ticket. Answers lost independently of pair and outcome scale
//! S by the share that arrives.
//!
//! *Whose it is.* The shape of the rate is Tsuchiya and Ito's (NeurIPS 2024: rates for games of the order T^{2/3}); Hu,
//! Zhang and Kong (ICLR 2026) have the same bounds for Borda regret, and `hybrid` is what we take to be their
//! regulariser, their step sizes not being at hand. Ours are the centred step on both items with its exact second
//! moment, rounds that explore *or* exploit, ρ, and the blocks.

use crate::duel::{Arm, Duel, Note, Outcome, Proposal};
use crate::policy::shared::exploration::{Drawn, Exploration, rounds_to};
use crate::policy::shared::laws::member;
use crate::policy::shared::one_or_many;
use crate::policy::shared::settings::positive;
use crate::policy::{FixedDuel, Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use weights::Weights;

mod weights;

/// What keeps the weights from following the leader at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Regularizer {
    /// Negative entropy of q.
    #[default]
    Shannon,
    /// Negative entropy of q and of 1 − q.
    Hybrid,
}

/// What is asked where nothing is to be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Exploit {
    /// An item against itself: cheap to simulate, and nothing to show to people.
    #[default]
    #[serde(rename = "self")]
    Itself,
    /// Two items drawn independently, with the same expected regret.
    Pair,
}

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// ρ, by which β moves; 0.1 unless set. 1 balances the bound's own terms, and costs up to five times as much in
    /// every world tried.
    pub rho: f64,
    /// What keeps the weights from following the leader at once.
    pub regularizer: Regularizer,
    /// Δ₀: how much of a score exploration costs at most; ½ unless set, which is always true.
    pub gap: f64,
    /// What is asked where nothing is to be learned.
    pub exploit: Exploit,
}

impl Default for Config {
    fn default() -> Self {
        Self { rho: 0.1, regularizer: Regularizer::default(), gap: 0.5, exploit: Exploit::default() }
    }
}

/// e − 2: exp(x) ≤ 1 + x + (e−2) x² for x ≤ 1.
const C: f64 = std::f64::consts::E - 2.0;
/// The share by which β may grow in one block.
const GROWTH: f64 = 0.05;
/// The largest ρ: beyond, β would leave what a `f64` holds.
const MOST_RHO: f64 = 1000.0;

impl Config {
    pub(in crate::policy) fn build(
        &self,
        problem: &Problem,
        stream: Stream,
        exploration: Exploration,
    ) -> Result<State> {
        let rho = positive("rho", self.rho)?;
        if rho > MOST_RHO {
            return Err(Error::setting("rho", rho, "must be at most 1000; 0.1 is usual"));
        }
        if !(1e-6..=0.5).contains(&self.gap) {
            return Err(Error::setting(
                "gap",
                self.gap,
                "must lie between 0.000001 and 0.5, the most that a score can differ from ½",
            ));
        }
        let rates = Rates { rho, gap: self.gap, zeta: exploration.zeta, reach: exploration.reach };
        let (k, contexts) = (problem.items(), exploration.contexts().count());
        Ok(State {
            stream,
            round: 0,
            regularizer: self.regularizer,
            exploit: self.exploit,
            beta: rates.first((k as f64 - 1.0) / k as f64),
            rates,
            scores: vec![0.0; k * contexts],
            weights: vec![Weights::new(k); contexts],
            exploration,
            gamma: 1.0,
            item: 0,
            items: if contexts > 1 { vec![None; contexts] } else { Vec::new() },
            until: 0,
            explores: false,
        })
    }
}

/// What γ and the steps of β follow from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Rates {
    rho: f64,
    /// Δ₀.
    gap: f64,
    /// ζ and u.
    zeta: f64,
    reach: f64,
}

impl Rates {
    /// β at which γ = 1 for this o.
    fn first(self, others: f64) -> f64 {
        let a = (C * self.zeta * others / self.gap).sqrt();
        let root = 0.5 * (a + (a * a + 4.0 * self.reach).sqrt());
        root * root
    }

    /// γ, and by how much β grows in a round.
    fn at(self, beta: f64, z: f64, entropy: f64) -> (f64, f64) {
        let gamma = ((z / (self.gap * beta)).sqrt() + self.reach / beta).min(1.0);
        // Where one item has all the weight h vanishes, and o with it.
        let step = self.rho * (z / (beta * gamma) + self.gap * gamma) / entropy.max(1e-12);
        (gamma, step)
    }
}

/// The state: sums of estimates, β, and the present block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    regularizer: Regularizer,
    exploit: Exploit,
    rates: Rates,
    exploration: Exploration,
    /// S, one context after the other.
    scores: Vec<f64>,
    /// β of the next block.
    beta: f64,
    /// q of the present block in every context.
    #[serde(with = "one_or_many")]
    weights: Vec<Weights>,
    /// γ of the present block, the item that it rests on, its last round that exploits, and whether it then explores.
    gamma: f64,
    item: Arm,
    until: u64,
    explores: bool,
    /// What it exploits in every context that has come up in the present block, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<Option<Arm>>,
}

impl State {
    /// Weighs the items of all contexts for a block. Returns z and h.
    fn weigh(&mut self) -> (f64, f64) {
        let Self { weights, scores, exploration, regularizer, beta, .. } = self;
        let own = scores.chunks_exact(scores.len() / weights.len());
        let (mut z, mut h) = (0.0, 0.0);
        for ((weights, scores), (share, zeta)) in weights.iter_mut().zip(own).zip(exploration.contexts()) {
            let (others, entropy) = weights.weigh(*regularizer, scores, *beta);
            z += C * zeta * (share * others);
            h += share * entropy;
        }
        (z, h)
    }

    /// Begins a block with the present round.
    fn begin(&mut self, problem: &Problem) -> Proposal {
        let (z, entropy) = self.weigh();
        let (gamma, step) = self.rates.at(self.beta, z, entropy);
        self.gamma = gamma;
        self.items.fill(None);
        let most = ((GROWTH * self.beta / step) as u64).max(1);
        let rounds = rounds_to(gamma, &mut self.stream);
        self.explores = rounds <= most;
        let rounds = rounds.min(most);
        self.beta += rounds as f64 * step;
        if self.explores && rounds == 1 {
            return self.explore(problem, gamma);
        }
        self.until = self.round.saturating_add(rounds - 1 - u64::from(self.explores));
        if self.exploit == Exploit::Itself {
            self.choose(problem);
        }
        self.exploitation(problem, gamma)
    }

    /// Draws the item that the block exploits in the present context.
    fn choose(&mut self, problem: &Problem) {
        let context = member(problem);
        self.item = self.weights[context].draw(&mut self.stream);
        if let Some(item) = self.items.get_mut(context) {
            *item = Some(self.item);
        }
    }

    /// A question that explores, as does one that might have been asked instead with the probability `gamma`.
    fn explore(&mut self, problem: &Problem, gamma: f64) -> Proposal {
        self.explores = false;
        let Drawn { duel, vector, chance } = self.exploration.draw(problem, &mut self.stream);
        let chance = gamma * chance + (1.0 - gamma) * self.chance(problem, duel);
        Proposal::new(self.round, duel, chance).with_note(Note::new(vector, &[self.gamma]))
    }

    /// A question that exploits, likewise.
    fn exploitation(&mut self, problem: &Problem, gamma: f64) -> Proposal {
        let weights = &self.weights[member(problem)];
        let duel = match self.exploit {
            Exploit::Itself => Duel(self.item, self.item),
            Exploit::Pair => Duel(weights.draw(&mut self.stream), weights.draw(&mut self.stream)),
        };
        let chance = gamma * self.exploration.chance(problem, duel) + (1.0 - gamma) * self.chance(problem, duel);
        Proposal::new(self.round, duel, chance)
    }

    /// How likely a duel is among those that exploit, where a block begins.
    fn chance(&self, problem: &Problem, Duel(i, j): Duel) -> f64 {
        let weights = &self.weights[member(problem)];
        match self.exploit {
            Exploit::Itself if i == j => weights.share(i),
            Exploit::Itself => 0.0,
            Exploit::Pair => weights.share(i) * weights.share(j),
        }
    }
}

impl Policy for State {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if self.round <= self.until {
            return match (self.exploit, self.items.get(member(problem)).copied()) {
                (Exploit::Pair, _) => self.exploitation(problem, 0.0),
                // A context that has not come up in this block before.
                (Exploit::Itself, Some(None)) => {
                    self.choose(problem);
                    self.exploitation(problem, 0.0)
                }
                (Exploit::Itself, known) => {
                    let item = known.flatten().unwrap_or(self.item);
                    Proposal::new(self.round, Duel(item, item), 1.0)
                }
            };
        }
        if self.explores { self.explore(problem, 1.0) } else { self.begin(problem) }
    }

    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        // Only questions that explored carry their γ.
        let Some((note, &[gamma])) = proposal.note().map(|note| (note, note.numbers())) else {
            return;
        };
        let signal = (outcome.reward() - 0.5) / gamma;
        self.exploration.learn(problem, proposal.duel, note.number, signal, &mut self.scores);
        let moved = self.exploration.is_of_pairs().then_some(proposal.duel);
        self.weights.iter_mut().for_each(|weights| weights.moved(moved));
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    #[inline]
    fn fixed_until(&self) -> Option<FixedDuel> {
        let rests = self.until > self.round && self.exploit == Exploit::Itself && self.items.is_empty();
        rests.then(|| FixedDuel { duel: Duel(self.item, self.item), rounds: self.until - self.round })
    }

    fn skip(&mut self, rounds: u64) {
        self.round += rounds;
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    /// ½ + S(i)/t.
    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        let (rounds, own) = (self.round.max(1) as f64, &self.scores[member(problem) * out.len()..]);
        out.iter_mut().zip(own).for_each(|(out, sum)| *out = 0.5 + sum / rounds);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![
            Resolved::new("rho", self.rates.rho),
            Resolved::new("regularizer", if self.regularizer == Regularizer::Hybrid { "hybrid" } else { "shannon" }),
            Resolved::new("gap", self.rates.gap),
            Resolved::new("exploit", if self.exploit == Exploit::Pair { "pair" } else { "self" }),
            Resolved::new("zeta", self.rates.zeta),
            Resolved::new("reach", self.rates.reach),
        ]
    }
}

#[cfg(test)]
mod tests;
