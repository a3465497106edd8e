//! UCB-Borda (Auer et al. 2002 with the Borda reduction, as listed by Wu et al. 2023): the item with the largest upper
//! confidence bound on its Borda score, against a random opponent.
//!
//! i_t = argmax_k B̂(k) + √(α log t / n_k), j_t ~ Uniform{1, …, K}; B̂(k) is the share of rewards of item k shown
//! first, ½ before its first answer. An item not asked yet has the bound +∞; ties go to the lowest index. α = 0.3. The
//! bonus counts questions asked and not cancelled, the mean counts answers, so that open questions are not asked over
//! and over.
//!
//! *Computed without a scan per round.* Between two questions to a leader nobody else's mean or count changes, and
//! their bonus grows with log t only. A scan at t therefore also bounds everybody else up to a later round t′, with log
//! t′ in place of log t; as long as the leader's own index, with the log t of the scan, stays above that bound, it is
//! the argmax, and it is asked without looking at the others. Even that index is not looked at every time: n questions
//! and as many lost answers lower it by no more than n (B̂ + ½√(α log t/n_k))/n_k, so that a lead of s is safe for s
//! over that many. The picks are those of the plain scan. A scan itself is one multiplication per item, since B̂ and
//! 1/√n of everybody but the leader are kept.

use crate::Result;
use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::shared::counts::ArmCounts;
use crate::policy::shared::settings::not_negative;
use crate::policy::{Policy, Resolved};
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
            counts: ArmCounts::new(problem.items()),
            window: Window { leader: 0, asked: 0.0, safe: 0, end: 0, bonus: 0.0, bound: 0.0 },
        })
    }
}

/// The state: counts, and the window of the last scan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    alpha: f64,
    round: u64,
    propensity: f64,
    /// Questions per item that were asked and not cancelled; the leader's as of the last scan.
    asked: Vec<f64>,
    /// B̂ and 1/√asked of every item, for the leader as of the last scan.
    means: Vec<f64>,
    roots: Vec<f64>,
    counts: ArmCounts,
    window: Window,
}

/// Until round `end` nobody but the leader exceeds `bound`; the leader's bonus is at least √(bonus/n). It leads for
/// `safe` more rounds whatever their answers are, if they come at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Window {
    leader: Arm,
    /// The leader's questions: only the leader is ever asked, and this is found sooner than its place in a list.
    asked: f64,
    safe: u64,
    end: u64,
    bonus: f64,
    bound: f64,
}

/// What rounding may do to an index.
const ROUNDING: f64 = 1e-12;

impl State {
    /// Who is asked this round: the leader, if it still leads for sure, or whom a scan finds.
    #[inline(never)]
    fn choose(&mut self) -> Arm {
        let Window { leader, end, bonus, bound, .. } = self.window;
        let (mean, answers, asked) = (self.counts.mean(leader), self.counts.get(leader).n, self.window.asked);
        let bonus = (bonus / asked).sqrt();
        let lead = mean + bonus - bound - ROUNDING;
        if self.round > end || lead.is_nan() || lead <= 0.0 {
            return self.scan();
        }
        // A lost answer lowers the mean by a share of at most 1/answers, a question the bonus by half of 1/asked.
        let safe = lead / (mean / answers + 0.5 * bonus / asked);
        self.window.safe = (safe as u64).min(end - self.round);
        leader
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
        self.asked[self.window.leader] = self.window.asked;
        self.refresh(self.window.leader);
        self.window.end = 0;
        if let Some(fresh) = self.asked.iter().position(|n| *n == 0.0) {
            // It is the leader until the next scan, so that its answer is noted there.
            (self.window.leader, self.window.asked) = (fresh, 0.0);
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
        // As long a window as lets the growth of log t take half of the lead: √(α log t / n) grows by itself / (2 log
        // t).
        let widest = factor * largest(self.roots.iter().copied());
        let share = ((best - second) * log / widest).min(0.05);
        let end = t + (share * t as f64) as u64;
        let later = (self.alpha * (end as f64).ln()).sqrt();
        let index = |(mean, root): (&f64, &f64)| mean + later * root;
        let before = self.means[..leader].iter().zip(&self.roots[..leader]).map(index);
        let behind = self.means[leader + 1..].iter().zip(&self.roots[leader + 1..]).map(index);
        let bound = largest(before).max(largest(behind));
        self.window = Window { leader, asked: self.asked[leader], safe: 0, end, bonus: self.alpha * log, bound };
        leader
    }
}

/// The largest of some numbers from 0 on.
fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    // Not `f64::max`, whose care for NaN costs a vector instruction its place.
    numbers.fold(0.0, |most, x| if x > most { x } else { most })
}

impl Policy for State {
    #[inline(always)]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let i = if self.window.safe > 0 {
            self.window.safe -= 1;
            self.window.leader
        } else {
            self.choose()
        };
        self.window.asked += 1.0;
        let j = self.stream.below(problem.items());
        Proposal::new(self.round, Duel(i, j), self.propensity)
    }

    #[inline(always)]
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let arm = proposal.duel.0;
        self.counts.add(arm, outcome.reward());
        if arm != self.window.leader {
            self.refresh(arm);
            (self.window.safe, self.window.end) = (0, 0);
        } else if proposal.round != self.round {
            self.window.safe = 0;
        }
    }

    fn cancel(&mut self, _: &Problem, proposal: &Proposal) {
        let (arm, leader) = (proposal.duel.0, self.window.leader);
        self.asked[leader] = self.window.asked;
        self.asked[arm] = (self.asked[arm] - 1.0).max(0.0);
        self.window.asked = self.asked[leader];
        self.refresh(arm);
        (self.window.safe, self.window.end) = (0, 0);
    }

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        self.counts.write_means(out);
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![Resolved::new("alpha", self.alpha)]
    }
}
