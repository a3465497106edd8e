//! Where things stand: the order, what would have to be shown, and how much doubt is left about it.

use super::evidence::log_e;
use super::scores::Scores;
use super::{Goal, Options};
use crate::duel::Arm;

/// "`ahead` is not worse than `behind` by more than the margin", and the evidence for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Claim {
    pub(crate) ahead: Arm,
    pub(crate) behind: Arm,
    pub(crate) lead: f64,
    pub(crate) variance: f64,
    pub(crate) log_e: f64,
}

/// All claims that the goal needs, the most doubtful first.
pub(crate) struct Standing {
    pub(crate) order: Vec<Arm>,
    pub(crate) claims: Vec<Claim>,
    /// Σ 1/E over them.
    pub(crate) doubt: f64,
}

impl Standing {
    pub(crate) fn new(scores: &Scores, goal: Goal, margin: f64) -> Self {
        Self::among(scores, goal, margin, (0..scores.borda.len()).collect())
    }

    /// The same among some of the items.
    pub(crate) fn among(scores: &Scores, goal: Goal, margin: f64, mut order: Vec<Arm>) -> Self {
        let k = order.len();
        order.sort_by(|&a, &b| scores.borda[b].total_cmp(&scores.borda[a]).then(a.cmp(&b)));
        let claim = |a: usize, b: usize| {
            let (ahead, behind) = (order[a], order[b]);
            let (lead, variance) = scores.difference(ahead, behind);
            Claim { ahead, behind, lead, variance, log_e: log_e(lead, variance, margin) }
        };
        let mut claims: Vec<Claim> = match goal {
            Goal::Winner => (1..k).map(|b| claim(0, b)).collect(),
            Goal::Top(top) => (0..top).flat_map(|a| (top..k).map(move |b| (a, b))).map(|(a, b)| claim(a, b)).collect(),
            Goal::All => (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).map(|(a, b)| claim(a, b)).collect(),
        };
        claims.sort_by(|a, b| a.log_e.total_cmp(&b.log_e));
        let doubt = claims.iter().map(|claim| (-claim.log_e).exp()).sum();
        Self { order, claims, doubt }
    }

    /// By what factor the votes must grow until the doubt is gone, if all variances fall in proportion and leads stay as they are.
    ///
    /// Between equal items the walk 2ε·lead·V needs (log 1/δ)² steps of its own size instead of log 1/δ, which is as if
    /// the lead were 2ε/log(1/δ): no lead counts as less.
    pub(crate) fn growth(&self, options: &Options) -> f64 {
        let bar = options.bar();
        let least = 2.0 * options.margin.max(0.005) / -bar.ln();
        let doubt = |factor: f64| -> f64 {
            let one = |c: &Claim| (-log_e(c.lead.max(least), c.variance / factor, options.margin)).exp();
            self.claims.iter().map(one).sum()
        };
        let (mut low, mut high) = (1.0, 2.0);
        while doubt(high) > bar && high < 1e6 {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if doubt(middle) > bar { low = middle } else { high = middle }
        }
        high
    }
}
