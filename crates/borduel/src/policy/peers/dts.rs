//! D-TS and D-TS+, Double Thompson Sampling (Wu, Liu, NIPS 2016): two independent draws of who beats whom, one for each
//! item of the duel. Assumes nothing; seeks a Copeland winner, which is the Condorcet winner where there is one.
//!
//! *First item.* ζ(i) = #{j ≠ i : u(i,j) > ½}, 𝒞 = argmax ζ; θ(i,j) ~ Beta(w(i,j)+1, w(j,i)+1) for i < j, θ(j,i) = 1 −
//! θ(i,j); a = argmax over 𝒞 of s(i) = #{j : θ(i,j) > ½}. *Second item.* New draws θ(j,a), θ(a,a) = ½: b = argmax
//! θ(j,a) over those with l(j,a) = 1 − u(a,j) ≤ ½. With `plus`, ties of the first draw go to the least Σ_{j≠i} (max s −
//! (s(i)+s(j))/2)/((K−1) d(θ(i,j), ½)).
//!
//! Late answers and batches need no care, since every question is drawn anew. *Here:* u(i,j) = ½ counts in ζ, as in
//! Wu's own code, which otherwise is the paper's; that matters in the one round in which a bound reaches ½ exactly. No
//! propensity is given: the law of the first item has no closed form. (duelpy 1.0.0 reads the second draw by row where
//! the column is meant, so that its challenger is the item most likely to lose; its D-TS+ minimises over 𝒞, not over
//! ties. stephen-huan's version in JAX has a D-TS+ without 𝒞.)
//!
//! *Cheap rounds of the same law.* Mostly only "θ > ½?" is asked, which is a coin with q = P(Beta > ½), kept per pair:
//! a value of θ is drawn only for those who exceed ½ in the second draw, from that side of ½. An item a alone in 𝒞, or
//! whose row of coins all fall its way (then nobody else can have as many), is chosen; if nobody exceeds ½ against it
//! in the second draw, it meets itself. That has probability at least P = Π(1 − q(j,a)) over the coins of both draws.
//! When P > 0.3 the number of such rounds is drawn at once (geometric, cut where a bound reaches ½, so that the
//! policy *rests*), and the round that ends it is drawn given that some coin falls the other way: which is the first to
//! do so, and the later ones independently.

mod rest;

use crate::Result;
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::peers::rmed::from_half;
use crate::policy::peers::rucb::alpha;
use crate::policy::shared::beta_tail;
use crate::policy::shared::bound_crossing::Crossings;
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::shared::pairs::Pairs;
use crate::policy::shared::ties::Ties;
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The exploration parameter α of the bounds, above ½.
    pub alpha: f64,
    /// Whether ties of the first draw go to the item of least estimated regret (D-TS+).
    pub plus: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { alpha: 0.51, plus: false }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let alpha = alpha(self.alpha)?;
        let (pairs, k) = (Pairs::new("dts", problem)?, problem.items());
        Ok(State {
            stream,
            round: 0,
            plus: self.plus,
            pairs,
            crossings: Crossings::new(k, alpha),
            halves: vec![0.5; k * k],
            logs: Vec::new(),
            zeta: vec![k - 1; k],
            next_crossing: u64::MAX,
            fixed: FixedUntil::default(),
            breaks: false,
            workspace: Workspace::new(k),
        })
    }
}

/// The state: counts, what follows from them, and the rest that was drawn.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    plus: bool,
    pairs: Pairs,
    #[serde(rename = "events")]
    crossings: Crossings,
    /// q(i,j) = P(θ(i,j) > ½), row by row.
    halves: Vec<f64>,
    /// log(1 − q(i,j)), of which every look takes a row; made of q when it is first needed.
    #[serde(skip)]
    logs: Vec<f64>,
    /// ζ as of the last look, and a round before which it does not change but by answers.
    zeta: Vec<usize>,
    #[serde(rename = "next_event")]
    next_crossing: u64,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
    /// Whether the round after the fixed ones is one in which some coin falls against the resting item.
    breaks: bool,
    #[serde(skip)]
    workspace: Workspace,
}

/// Working space of one question.
#[derive(Debug, Clone, Default)]
struct Workspace {
    /// 𝒞.
    candidates: Ties,
    ties: Ties,
    /// s.
    wins: Vec<usize>,
    /// The coins of the first draw: who beats whom, where that was drawn.
    drawn: Vec<Option<bool>>,
    /// θ of the tied rows, for D-TS+.
    theta: Vec<f64>,
    /// Who exceeds ½ in the second draw.
    above: Vec<Arm>,
}

impl Workspace {
    fn new(k: usize) -> Self {
        Self {
            candidates: Ties::new(k),
            ties: Ties::new(k),
            wins: vec![0; k],
            drawn: vec![None; k * k],
            theta: Vec::new(),
            above: Vec::with_capacity(k),
        }
    }
}

impl State {
    #[inline]
    fn above_half(&self, i: Arm, j: Arm) -> f64 {
        self.halves[i * self.pairs.items() + j]
    }

    /// log(1 − q(i,j)).
    #[inline]
    fn log(&self, i: Arm, j: Arm) -> f64 {
        self.logs[i * self.pairs.items() + j]
    }

    /// Makes the logarithms where there are none, as in a policy that was loaded.
    fn make_logs(&mut self) {
        if self.logs.is_empty() {
            self.logs.extend(self.halves.iter().map(|q| (-q).ln_1p()));
        }
    }

    /// ζ(i) in a round.
    fn count(&self, i: Arm, round: u64) -> usize {
        (0..self.pairs.items()).filter(|j| *j != i && self.crossings.round(i, *j) <= round).count()
    }

    /// Brings ζ up to a round, and 𝒞 onto the workspace.
    fn candidates(&mut self, round: u64) {
        if round >= self.next_crossing {
            for i in 0..self.pairs.items() {
                self.zeta[i] = self.count(i, round);
            }
            self.next_crossing = self.crossings.next(round);
        }
        self.workspace.candidates.clear();
        for (i, zeta) in self.zeta.iter().enumerate() {
            self.workspace.candidates.offer(i, *zeta as f64);
        }
    }

    /// Whether an item may be the second one against a: l(j,a) ≤ ½.
    #[inline]
    fn eligible(&self, j: Arm, a: Arm, round: u64) -> bool {
        j != a && self.crossings.round(a, j) <= round
    }

    /// The coin of i against j in the first draw, tossed once.
    fn coin(&mut self, i: Arm, j: Arm) -> bool {
        let k = self.pairs.items();
        if let Some(beats) = self.workspace.drawn[i * k + j] {
            return beats;
        }
        let beats = self.stream.uniform() < self.above_half(i, j);
        self.settle(i, j, beats);
        beats
    }

    fn settle(&mut self, i: Arm, j: Arm, beats: bool) {
        let k = self.pairs.items();
        self.workspace.drawn[i * k + j] = Some(beats);
        self.workspace.drawn[j * k + i] = Some(!beats);
    }

    /// s(i).
    fn beaten(&mut self, i: Arm) -> usize {
        (0..self.pairs.items()).filter(|j| *j != i && self.coin(i, *j)).count()
    }

    /// The first item: of 𝒞, who beats the most in the first draw.
    fn first(&mut self) -> Arm {
        let candidates = std::mem::take(&mut self.workspace.candidates);
        let mut ties = std::mem::take(&mut self.workspace.ties);
        ties.clear();
        if let [only] = candidates.items() {
            ties.offer(*only, 0.0);
        } else {
            for &i in candidates.items() {
                let beaten = self.beaten(i);
                ties.offer(i, beaten as f64);
            }
        }
        if self.plus && ties.items().len() > 1 {
            self.least_regret(&mut ties);
        }
        let a = ties.draw(&mut self.stream);
        (self.workspace.candidates, self.workspace.ties) = (candidates, ties);
        a
    }

    /// Of tied items those whose estimated regret is the least.
    fn least_regret(&mut self, ties: &mut Ties) {
        let k = self.pairs.items();
        let mut tied = std::mem::take(&mut self.workspace.above);
        tied.clear();
        tied.extend_from_slice(ties.items());
        for i in 0..k {
            self.workspace.wins[i] = self.beaten(i);
        }
        self.workspace.theta.resize(k * k, 0.5);
        let most = self.workspace.wins.iter().copied().max().unwrap_or(0) as f64;
        ties.clear();
        for (place, &i) in tied.iter().enumerate() {
            let mut regret = 0.0;
            for j in (0..k).filter(|j| *j != i) {
                if !tied[..place].contains(&j) {
                    let theta = self.theta(i, j);
                    (self.workspace.theta[i * k + j], self.workspace.theta[j * k + i]) = (theta, 1.0 - theta);
                }
                let behind = most - 0.5 * (self.workspace.wins[i] + self.workspace.wins[j]) as f64;
                if behind > 0.0 {
                    regret += behind / ((k - 1) as f64 * from_half(self.workspace.theta[i * k + j]));
                }
            }
            ties.offer(i, -regret);
        }
        self.workspace.above = tied;
    }

    /// θ(i,j), given on which side of ½ it fell in the first draw.
    fn theta(&mut self, i: Arm, j: Arm) -> f64 {
        let (a, b) = (self.pairs.wins(i, j) + 1.0, self.pairs.wins(j, i) + 1.0);
        if self.coin(i, j) {
            beta_tail::above(a, b, 0.5, self.above_half(i, j), &mut self.stream)
        } else {
            1.0 - beta_tail::above(b, a, 0.5, self.above_half(j, i), &mut self.stream)
        }
    }

    /// The second item, where perhaps somebody is known to exceed ½ and all before not to.
    fn second(&mut self, a: Arm, known: Option<Arm>) -> Arm {
        let mut above = std::mem::take(&mut self.workspace.above);
        above.clear();
        for j in known.unwrap_or(0)..self.pairs.items() {
            if Some(j) == known || (self.eligible(j, a, self.round) && self.stream.uniform() < self.above_half(j, a)) {
                above.push(j);
            }
        }
        let b = match above[..] {
            [] => a,
            [only] => only,
            _ => {
                let mut best = (a, 0.5);
                for &j in &above {
                    let (x, y) = (self.pairs.wins(j, a) + 1.0, self.pairs.wins(a, j) + 1.0);
                    let theta = beta_tail::above(x, y, 0.5, self.above_half(j, a), &mut self.stream);
                    if theta > best.1 {
                        best = (j, theta);
                    }
                }
                best.0
            }
        };
        self.workspace.above = above;
        b
    }

    /// The duel of a round that is not rested through.
    fn choose(&mut self) -> Duel {
        self.candidates(self.round);
        let several = self.workspace.candidates.items().len() > 1;
        if several {
            // Anew, also because a loaded policy comes without a workspace.
            let k = self.pairs.items();
            self.workspace.drawn.clear();
            self.workspace.drawn.resize(k * k, None);
            self.workspace.wins.resize(k, 0);
        }
        if std::mem::take(&mut self.breaks) {
            self.make_logs();
            let resting = self.fixed.arm();
            let (first_draw, j) = self.breaking(resting, several);
            if !first_draw {
                return Duel(resting, self.second(resting, Some(j)));
            }
            for other in (0..j).filter(|other| *other != resting) {
                self.settle(resting, other, true);
            }
            self.settle(resting, j, false);
        }
        let a = self.first();
        Duel(a, self.second(a, None))
    }
}

impl Policy for State {
    fn ask(&mut self, _: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return Proposal { propensity: None, ..question };
        }
        let duel = self.choose();
        if duel.0 == duel.1 {
            self.look();
        }
        Proposal::new(self.round, duel, None)
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let Duel(i, j) = proposal.duel;
        if i == j {
            return;
        }
        self.pairs.add(proposal.duel, outcome.reward());
        self.crossings.update(&self.pairs, proposal.duel);
        let (k, next) = (self.pairs.items(), self.round + 1);
        let (ahead, behind) = if self.pairs.mean(i, j) >= 0.5 { (i, j) } else { (j, i) };
        // The smaller of the two, in which no digit is lost.
        let small = beta_tail::exceeds(self.pairs.wins(behind, ahead) + 1.0, self.pairs.wins(ahead, behind) + 1.0);
        self.make_logs();
        for (cell, q) in [(behind * k + ahead, small), (ahead * k + behind, 1.0 - small)] {
            (self.halves[cell], self.logs[cell]) = (q, (-q).ln_1p());
        }
        for (i, j) in [(i, j), (j, i)] {
            self.zeta[i] = self.count(i, next);
            let event = self.crossings.round(i, j);
            if event > next {
                self.next_crossing = self.next_crossing.min(event);
            }
        }
        self.look();
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fixed_until!();

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        self.pairs.write_scores(out);
    }

    fn settings(&self) -> Vec<Resolved> {
        let plus = if self.plus { "yes" } else { "no" };
        vec![Resolved::new("alpha", self.crossings.alpha()), Resolved::new("plus", plus)]
    }

    fn estimate(&self, _: &Problem) -> Arm {
        self.pairs.champion()
    }
}
