//! RMED1, RMED2 and RMED2FH, Relative Minimum Empirical Divergence (Komiyama, Honda, Kashima, Nakagawa, COLT 2015):
//! items are compared until their likelihood of being the winner is as small as the lower bound asks. Assumes a
//! Condorcet winner.
//!
//! I(i) = Σ_{j≠i: μ̂(i,j) ≤ ½} n(i,j) d(μ̂(i,j), ½); i* = argmin I; O(i) = {j ≠ i : μ̂(i,j) ≤ ½}; J(i,t): I(i) − I(i*)
//! ≤ log t + f(K) with f(K) = f·K^1.01. At the start every pair is asked L times, in order: L = 1, or ⌈α log log T⌉ for
//! `rmed2fh`. Then in passes: L_C = L_R = all, L_N = ∅; the next l of L_C meets m, and afterwards leaves L_R, and all j
//! ∉ L_R with J(j,t) enter L_N, which is the next pass (never empty: J holds for i*).
//!
//! `rmed1`: m = i* if i* ∈ O(l) or O(l) = ∅, else argmin_{j≠l} μ̂(l,j); i* with an empty O meets itself. `rmed2`,
//! `rmed2fh`: b(l) = argmin over j with μ̂(l,j) < ½ of max(μ̂(i*,l) + μ̂(i*,j) − 1, 0.01)/d(μ̂(l,j), ½), i* if there is
//! none (`rmed2fh` fixes all b after the start); m = b(l) if it is in O(l) and n(l,i*) ≥ n(l,b(l))/log log t (T for
//! `rmed2fh`), else as `rmed1`. `rmed2` also asks, before a pass, pairs with n < α log log t until there is none.
//! The 0.01 is from the authors' library; the paper is silent on negative numerators.
//!
//! I is made of answers, and passes go on without them; α log log t is held against questions. A proposal's propensity
//! is 1 but where ties are broken by chance (for `rmed2fh` given the b that were fixed). (duelpy 1.0.0 takes only the
//! first opponent of O(i), and one item's O for all.)
//!
//! *Rests* while i*, with an empty O, is alone in the pass and J of no other holds: up to round ⌈exp(min I(j) − I(i*) −
//! f(K))⌉ − 1.

mod opponent;

use crate::Result;
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::shared::pairs::{Asked, Pairs};
use crate::policy::{Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use opponent::Workspace;
use serde::{Deserialize, Serialize};

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Variant {
    /// The opponent is i* where possible.
    #[default]
    Rmed1,
    /// The opponent of the least regret per information; asymptotically optimal.
    Rmed2,
    /// The same for a known horizon, with opponents fixed after the start.
    Rmed2fh,
}

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Which of the three.
    pub variant: Variant,
    /// α of `rmed2` and `rmed2fh`.
    pub alpha: f64,
    /// The factor f of f(K) = f·K^1.01.
    pub f: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { variant: Variant::Rmed1, alpha: 3.0, f: 0.3 }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let alpha = settings::positive("alpha", self.alpha)?;
        let f = settings::not_negative("f", self.f)?;
        let k = problem.items();
        let (starts, log_log) = match self.variant {
            Variant::Rmed1 | Variant::Rmed2 => (1, None),
            Variant::Rmed2fh => {
                let log_log = log_log(settings::horizon(problem)?);
                // `as` saturates: a horizon of a few rounds has no double logarithm.
                (((alpha * log_log).ceil() as u64).max(1), Some(log_log))
            }
        };
        let pairs = Pairs::new("rmed", problem)?;
        Ok(State {
            stream,
            round: 0,
            config: self.clone(),
            slack: f * (k as f64).powf(1.01),
            starts,
            log_log,
            start: Some((Duel(0, 1), 1)),
            asked: Asked::new(&pairs),
            pairs,
            divergences: Divergences::new(k),
            pass: Pass::new(k),
            opponents: Vec::new(),
            least: 0.0,
            fixed: FixedUntil::default(),
            workspace: Workspace::new(k),
        })
    }
}

/// log log t, −∞ in the first round.
fn log_log(round: u64) -> f64 {
    (round as f64).ln().ln()
}

/// The state: counts, divergences, and where the pass stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    config: Config,
    /// f(K).
    slack: f64,
    /// L.
    starts: u64,
    /// log log T.
    log_log: Option<f64>,
    /// The next pair of the start, and the how-manieth time it is asked.
    start: Option<(Duel, u64)>,
    pairs: Pairs,
    asked: Asked,
    divergences: Divergences,
    pass: Pass,
    /// b of `rmed2fh`, once fixed.
    opponents: Vec<Arm>,
    /// Every pair was asked at least so often.
    least: f64,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
    #[serde(skip)]
    workspace: Workspace,
}

/// I of every item, with the terms it is the sum of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Divergences {
    /// n(i,j) d(μ̂(i,j), ½) where μ̂(i,j) ≤ ½, else 0; row by row.
    terms: Vec<f64>,
    sums: Vec<f64>,
    /// |O(i)|.
    opponents: Vec<usize>,
}

/// d(p, ½).
pub(in crate::policy) fn from_half(p: f64) -> f64 {
    let part = |x: f64| if x > 0.0 { x * (2.0 * x).ln() } else { 0.0 };
    part(p) + part(1.0 - p)
}

impl Divergences {
    fn new(k: usize) -> Self {
        Self { terms: vec![0.0; k * k], sums: vec![0.0; k], opponents: vec![k - 1; k] }
    }

    /// Takes note of an answer that was counted. A row is summed as a whole, so that no rounding piles up.
    fn update(&mut self, pairs: &Pairs, Duel(i, j): Duel) {
        let k = pairs.items();
        for (i, j) in [(i, j), (j, i)] {
            let mean = pairs.mean(i, j);
            self.terms[i * k + j] = if mean <= 0.5 { pairs.n(i, j) * from_half(mean) } else { 0.0 };
            self.sums[i] = self.terms[i * k..(i + 1) * k].iter().sum();
            self.opponents[i] = (0..k).filter(|j| *j != i && pairs.mean(i, *j) <= 0.5).count();
        }
    }

    fn least(&self) -> f64 {
        self.sums.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// L_C, L_R and L_N.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pass {
    current: Vec<Arm>,
    /// How many of the current pass were asked.
    done: usize,
    remaining: Vec<bool>,
    next: Vec<bool>,
    /// Whether the last one asked has still to be crossed off.
    open: bool,
}

impl Pass {
    fn new(k: usize) -> Self {
        Self { current: (0..k).collect(), done: 0, remaining: vec![true; k], next: vec![false; k], open: false }
    }

    /// After the question of the last l: who comes into the next pass, and that one if this was the last.
    fn close(&mut self, may_win: impl Fn(Arm) -> bool) {
        self.open = false;
        self.remaining[self.current[self.done - 1]] = false;
        for j in 0..self.next.len() {
            self.next[j] |= !self.remaining[j] && may_win(j);
        }
        if self.done == self.current.len() {
            self.done = 0;
            self.current.clear();
            self.current.extend((0..self.next.len()).filter(|j| self.next[*j]));
            self.remaining.copy_from_slice(&self.next);
            self.next.fill(false);
        }
    }
}

impl State {
    /// Crosses off what was asked in this round, if that has not been done.
    fn close(&mut self, round: u64) {
        if self.pass.open {
            let bar = self.divergences.least() + (round as f64).ln() + self.slack;
            let sums = &self.divergences.sums;
            self.pass.close(|j| sums[j] <= bar);
        }
    }

    /// The next pair of the start.
    fn starting(&mut self) -> Option<Duel> {
        let (duel, time) = self.start?;
        let Duel(i, j) = duel;
        let k = self.pairs.items();
        self.start = if time < self.starts {
            Some((duel, time + 1))
        } else if j + 1 < k {
            Some((Duel(i, j + 1), 1))
        } else if i + 2 < k {
            Some((Duel(i + 1, i + 2), 1))
        } else {
            None
        };
        Some(duel)
    }

    /// A pair that `rmed2` has asked too seldom, before a pass.
    fn seldom(&mut self) -> Option<Duel> {
        let needed = self.config.alpha * log_log(self.round);
        if self.config.variant != Variant::Rmed2 || self.pass.done > 0 || self.least >= needed {
            return None;
        }
        let k = self.pairs.items();
        let mut least = f64::INFINITY;
        for i in 0..k {
            for j in i + 1..k {
                let n = self.asked.n(i, j);
                if n < needed {
                    return Some(Duel(i, j));
                }
                least = least.min(n);
            }
        }
        self.least = least;
        None
    }

    /// The next duel of the pass.
    fn passing(&mut self) -> Duel {
        if self.config.variant == Variant::Rmed2fh && self.opponents.is_empty() {
            self.fix_opponents();
        }
        let l = self.pass.current[self.pass.done];
        self.pass.done += 1;
        self.pass.open = true;
        Duel(l, self.opponent(l))
    }

    /// Settles on a rest from the next round on, if there is one.
    fn look(&mut self) {
        self.fixed = FixedUntil::default();
        let &[only] = &self.pass.current[..] else {
            return;
        };
        if self.start.is_some() || self.pass.open || self.divergences.opponents[only] > 0 {
            return;
        }
        let others = self.divergences.sums.iter().enumerate().filter(|(j, _)| *j != only);
        let least = others.map(|(_, sum)| *sum).fold(f64::INFINITY, f64::min);
        let mut end = (least - self.slack).exp().ceil() as u64;
        if self.config.variant == Variant::Rmed2 {
            // From then on pairs are too seldom.
            end = end.min((self.least / self.config.alpha).exp().exp().floor() as u64);
        }
        if end > self.round + 1 {
            self.fixed = FixedUntil::until(only, end - 1);
        }
    }
}

impl Policy for State {
    fn ask(&mut self, _: &Problem) -> Proposal {
        self.round += 1;
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        // Where the last answer has not come yet, the pass goes on with what is known.
        self.close(self.round - 1);
        let before = self.stream.clone();
        let duel = self.starting().or_else(|| self.seldom()).unwrap_or_else(|| self.passing());
        // Only ties are broken by chance.
        let chance = if self.stream == before { 1.0 } else { self.chance(duel) };
        self.asked.add(duel);
        if duel.0 == duel.1 {
            self.close(self.round);
            self.look();
        }
        Proposal::new(self.round, duel, chance)
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        if proposal.duel.0 == proposal.duel.1 {
            return;
        }
        self.pairs.add(proposal.duel, outcome.reward());
        self.divergences.update(&self.pairs, proposal.duel);
        if proposal.round == self.round {
            self.close(self.round);
        }
        self.look();
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        if proposal.duel.0 != proposal.duel.1 {
            self.asked.take_back(proposal.duel);
            self.least = 0.0;
            self.look();
        }
    }

    fixed_until!();

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        self.pairs.write_scores(out);
    }

    fn settings(&self) -> Vec<Resolved> {
        let variant = match self.config.variant {
            Variant::Rmed1 => "rmed1",
            Variant::Rmed2 => "rmed2",
            Variant::Rmed2fh => "rmed2fh",
        };
        let mut list = vec![Resolved::new("variant", variant), Resolved::new("f", self.config.f)];
        if self.config.variant != Variant::Rmed1 {
            list.push(Resolved::new("alpha", self.config.alpha));
        }
        list
    }

    /// i*; of several the one with the largest B̂.
    fn estimate(&self, _: &Problem) -> Arm {
        let rank = |i: Arm| (-self.divergences.sums[i], self.pairs.borda(i));
        (1..self.pairs.items()).fold(0, |best, i| if rank(i) > rank(best) { i } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn divergences_are_what_a_fresh_sum_gives() {
        let problem = Problem::without_features(6).unwrap();
        let (mut pairs, mut divergences) = (Pairs::new("rmed", &problem).unwrap(), Divergences::new(6));
        let mut s = stream(3, &[]);
        for step in 0..5000 {
            let duel = Duel(s.below(6), s.below(6));
            if duel.0 == duel.1 {
                continue;
            }
            // Lower items win more often, and one answer in ten is a tie.
            let won = s.uniform() < if duel.0 < duel.1 { 0.56 } else { 0.44 };
            pairs.add(duel, if s.below(10) == 0 { 0.5 } else { f64::from(u8::from(won)) });
            divergences.update(&pairs, duel);
            for i in 0..6 {
                let losing = (0..6).filter(|j| *j != i && pairs.mean(i, *j) <= 0.5);
                // n d(w/n, ½) = w log(2w/n) + l log(2l/n).
                let part = |wins: f64, n: f64| if wins > 0.0 { wins * (2.0 * wins / n).ln() } else { 0.0 };
                let one = |j: Arm| part(pairs.wins(i, j), pairs.n(i, j)) + part(pairs.wins(j, i), pairs.n(i, j));
                let fresh: f64 = losing.clone().map(one).sum();
                assert!((divergences.sums[i] - fresh).abs() < 1e-9, "{step}: {} {fresh}", divergences.sums[i]);
                assert_eq!(divergences.opponents[i], losing.count(), "{step}");
            }
        }
    }
}
