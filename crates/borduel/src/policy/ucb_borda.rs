//! UCB-Borda (Auer et al. 2002 with the Borda reduction, as listed by Wu et al. 2023): the item with the largest upper
//! confidence bound on its Borda score, against a random opponent.
//!
//! i_t = argmax_k B̂(k) + √(α log t / n_k), j_t ~ Uniform{1, …, K}; B̂(k) is the share of rewards of item k shown first, ½ before
//! its first answer. An item not asked yet has the bound +∞; ties go to the lowest index. α = 0.3. The bonus counts questions
//! asked and not cancelled, the mean counts answers, so that open questions are not asked over and over.
//!
//! *Computed without a scan per round.* Between two questions to a leader nobody else's mean or count changes, and their
//! bonus grows with log t only. A scan at t therefore also bounds everybody else up to a later round t′, with log t′ in place
//! of log t; as long as the leader's own index, with the log t of the scan, stays above that bound, it is the argmax, and
//! it is asked without looking at the others. The picks are those of the plain scan. A scan itself is one multiplication
//! per item, since B̂ and 1/√n of everybody but the leader are kept.

use super::counts::Counts;
use super::settings::not_negative;
use super::{Policy, Resolved};
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::error::Result;
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The exploration parameter α.
    pub alpha: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { alpha: 0.3 }
    }
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        Ok(State {
            stream,
            alpha: not_negative("alpha", self.alpha)?,
            round: 0,
            propensity: 1.0 / problem.items() as f64,
            asked: vec![0.0; problem.items()],
            means: vec![0.5; problem.items()],
            roots: vec![0.0; problem.items()],
            counts: Counts::new(problem.items()),
            window: Window { leader: 0, end: 0, bonus: 0.0, bound: 0.0 },
        })
    }
}

/// The state: counts, and the window of the last scan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    pub(crate) stream: Stream,
    alpha: f64,
    round: u64,
    propensity: f64,
    /// Questions per item that were asked and not cancelled.
    asked: Vec<f64>,
    /// B̂ and 1/√asked of every item, for the leader as of the last scan.
    means: Vec<f64>,
    roots: Vec<f64>,
    counts: Counts,
    window: Window,
}

/// Until round `end` nobody but the leader exceeds `bound`; the leader's bonus is at least √(bonus/n).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Window {
    leader: Arm,
    end: u64,
    bonus: f64,
    bound: f64,
}

/// What rounding may do to an index.
const ROUNDING: f64 = 1e-12;

impl State {
    #[inline]
    fn leader_holds(&self) -> bool {
        let leader = self.window.leader;
        let index = self.counts.mean(leader) + (self.window.bonus / self.asked[leader]).sqrt();
        self.round <= self.window.end && index > self.window.bound + ROUNDING
    }

    /// Notes what has changed about an item.
    fn refresh(&mut self, arm: Arm) {
        self.means[arm] = self.counts.mean(arm);
        self.roots[arm] = if self.asked[arm] > 0.0 { 1.0 / self.asked[arm].sqrt() } else { 0.0 };
    }

    /// The plain argmax, and a new window.
    #[cold]
    #[inline(never)]
    fn scan(&mut self) -> Arm {
        let t = self.round;
        self.refresh(self.window.leader);
        self.window.end = 0;
        if let Some(fresh) = self.asked.iter().position(|n| *n == 0.0) {
            // It is the leader until the next scan, so that its answer is noted there.
            self.window.leader = fresh;
            return fresh;
        }
        let log = (t as f64).ln();
        let factor = (self.alpha * log).sqrt();
        let (mut leader, mut best, mut second) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (arm, (mean, root)) in self.means.iter().zip(&self.roots).enumerate() {
            let index = mean + factor * root;
            if index > best {
                (leader, best, second) = (arm, index, best);
            } else if index > second {
                second = index;
            }
        }
        // As long a window as lets the growth of log t take half of the lead: √(α log t / n) grows by itself / (2 log t).
        let widest = factor * self.roots.iter().copied().fold(0.0, f64::max);
        let share = ((best - second) * log / widest).min(0.05);
        let end = t + (share * t as f64) as u64;
        let later = (self.alpha * (end as f64).ln()).sqrt();
        let index = |(mean, root): (&f64, &f64)| mean + later * root;
        let others = self.means.iter().zip(&self.roots).enumerate().filter(|(arm, _)| *arm != leader);
        // No index is below 0, and JSON has no infinity.
        let bound = others.map(|(_, entry)| index(entry)).fold(0.0, f64::max);
        self.window = Window { leader, end, bonus: self.alpha * log, bound };
        leader
    }
}

impl Policy for State {
    #[inline]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let i = if self.leader_holds() { self.window.leader } else { self.scan() };
        self.asked[i] += 1.0;
        let j = self.stream.below(problem.items());
        Proposal::plain(self.round, Duel(i, j), self.propensity)
    }

    #[inline]
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let arm = proposal.duel.0;
        self.counts.add(arm, outcome.reward());
        if arm != self.window.leader {
            self.refresh(arm);
            self.window.end = 0;
        }
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        let asked = &mut self.asked[proposal.duel.0];
        *asked = (*asked - 1.0).max(0.0);
        self.refresh(proposal.duel.0);
        self.window.end = 0;
    }

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        self.counts.write_means(out);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![Resolved::new("alpha", self.alpha)]
    }
}
