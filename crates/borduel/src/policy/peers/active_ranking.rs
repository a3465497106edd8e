//! Active Ranking for the best item (Heckel, Shah, Ramchandran, Wainwright, Annals of Statistics 2019): Borda scores by
//! sampling, and items eliminated once their interval lies below the leader's. Assumes nothing, and stops by itself.
//!
//! Sweep over the active items i in order; j uniform among *all* others; the answer counts for i alone. After each
//! sweep every i with τ̂(best) − ρ(n(best)) > τ̂(i) + ρ(n(i)) leaves, where τ̂ is the share of wins, ρ(n) =
//! √(β(n)/(2n)) and β(n) = log(K/δ) + ¾ log log(K/δ) + 3/2 log(1 + log(n/2)), from n = 2 on. The last one is committed
//! to. δ = 1/T unless set. For the single best item two radii suffice, where the paper's general rule for any number of
//! sets has four. Two winners never part: that is T rounds of exploration.
//!
//! Sets are made of answers, with a radius for every item, so that a sweep need not be complete. *Here* the bar is the
//! largest τ̂ − ρ of all, where the paper takes that of the largest τ̂: the same while all have as many answers, and
//! when some are late the item that is surest to be good. Nobody comes back, so that the last one is committed to at
//! once, whatever is still open. (duelpy 1.0.0 has ½ for 3/2 in β, tao-j/aht a quarter of the width, and the authors'
//! plots use looser rules than their theorem.)

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::shared::counts::ArmCounts;
use crate::policy::shared::fixed_until::{FixedUntil, fixed_until};
use crate::policy::{Policy, Resolved, shared::settings};
use crate::problem::Problem;
use crate::stream::Stream;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The probability of eliminating the best item; 1/T unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
}

impl Config {
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let delta = match (self.delta, problem.horizon()) {
            (Some(delta), _) => settings::share("delta", delta)?,
            (None, Some(horizon)) => 1.0 / horizon as f64,
            (None, None) => {
                return Err(Error::setting("horizon", "none", "delta is 1/T unless set: give a horizon, or delta"));
            }
        };
        let k = problem.items();
        let log = (k as f64 / delta).ln();
        Ok(State {
            stream,
            round: 0,
            delta,
            confidence: log + 0.75 * log.ln().max(0.0),
            counts: ArmCounts::new(k),
            active: (0..k).collect(),
            next: 0,
            fixed: FixedUntil::default(),
        })
    }
}

/// The state: counts, and who is still in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    delta: f64,
    /// log(K/δ) + ¾ log log(K/δ).
    confidence: f64,
    counts: ArmCounts,
    active: Vec<Arm>,
    /// The place of the next first item among the active.
    next: usize,
    #[serde(alias = "pause")]
    fixed: FixedUntil,
}

impl State {
    /// ρ(n).
    fn radius(&self, n: f64) -> f64 {
        let beta = self.confidence + 1.5 * (n / 2.0).ln().ln_1p();
        (beta / (2.0 * n)).sqrt()
    }

    /// After a sweep: takes out whoever is clearly behind.
    fn eliminate(&mut self) {
        let interval = |i: Arm| {
            let n = self.counts.get(i).n;
            if n < 2.0 { (0.0, 1.0) } else { (self.counts.mean(i), self.radius(n)) }
        };
        let lead = |(mean, radius): (f64, f64)| mean - radius;
        // Whoever is surest to be good; its own upper end lies above that, so that somebody always stays.
        let bar = self.active.iter().map(|i| lead(interval(*i))).fold(f64::NEG_INFINITY, f64::max);
        let stays = |i: &Arm| {
            let (mean, radius) = interval(*i);
            mean + radius >= bar
        };
        let staying = self.active.iter().filter(|i| stays(i)).count();
        if staying < self.active.len() {
            let kept: Vec<Arm> = self.active.iter().copied().filter(stays).collect();
            self.active = kept;
        }
        if let [only] = self.active[..] {
            self.fixed = FixedUntil::for_good(only);
        }
    }
}

impl Policy for State {
    #[inline]
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if self.next == self.active.len() {
            self.next = 0;
            self.eliminate();
        }
        if let Some(question) = self.fixed.question(self.round) {
            return question;
        }
        let i = self.active[self.next];
        self.next += 1;
        let others = problem.items() - 1;
        let j = self.stream.below(others);
        Proposal::new(self.round, Duel(i, j + usize::from(j >= i)), 1.0 / others as f64)
    }

    #[inline]
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        if proposal.duel.0 == proposal.duel.1 || self.fixed.left(self.round).is_some() {
            return;
        }
        self.counts.add(proposal.duel.0, outcome.reward());
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fixed_until!();

    /// τ̂ with the item itself among its opponents: B̂ = (τ̂(K−1) + ½)/K.
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        let k = out.len() as f64;
        for (arm, score) in out.iter_mut().enumerate() {
            *score = (self.counts.mean(arm) * (k - 1.0) + 0.5) / k;
        }
    }

    fn settings(&self) -> Vec<Resolved> {
        vec![Resolved::new("delta", self.delta)]
    }

    fn estimate(&self, _: &Problem) -> Arm {
        let mean = |i: &Arm| self.counts.mean(*i);
        // At least one item is active.
        self.active.iter().copied().max_by(|a, b| mean(a).total_cmp(&mean(b)).then(b.cmp(a))).unwrap_or(0)
    }
}
