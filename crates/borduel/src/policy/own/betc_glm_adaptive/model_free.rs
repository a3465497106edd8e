//! Without a model: every item's Borda score from its own answers against uniform opponents, and whom to ask about
//! next.
//!
//! An item with w of n answers won is believed to have the score (w+1)/(n+2) with variance b(1−b)/(n+3), all
//! independent. Beside a model, more answers are imagined, which agree with it.

use super::belief::Belief;
use super::value::Doubt;
use crate::borda;
use crate::duel::Arm;
use crate::policy::shared::counts::ArmCounts;
use crate::stream::Stream;

/// The parts in which a plan is made.
pub(super) const PARTS: usize = 64;
/// No score is believed to be closer to 0 or 1.
const EDGE: f64 = 0.02;

/// The belief of the counts.
pub(super) struct ModelFree {
    pub(super) scores: Vec<f64>,
    /// Whom the policy would commit to: the item with the largest, or beside a model the model's.
    pub(super) leader: Arm,
    /// Answers, imagined ones included.
    pub(super) known: Vec<f64>,
}

/// How to share out questions over items.
pub(super) struct Shares {
    pub(super) items: Vec<Arm>,
    pub(super) weights: Vec<f64>,
    /// Regret per question.
    pub(super) cost: f64,
}

impl Shares {
    /// Of every item this many of the parts; an opponent costs `mean`.
    pub(super) fn of(chosen: &[u32], mean: f64, cost: impl Fn(Arm) -> f64) -> Self {
        let mut shares = Self { items: Vec::new(), weights: Vec::new(), cost: mean };
        for (i, count) in chosen.iter().enumerate().filter(|(_, count)| **count > 0) {
            let weight = f64::from(*count) / PARTS as f64;
            shares.items.push(i);
            shares.weights.push(weight);
            shares.cost += weight * cost(i);
        }
        shares
    }
}

impl ModelFree {
    pub(super) fn new(counts: &ArmCounts, items: usize) -> Self {
        let known: Vec<f64> = (0..items).map(|i| counts.get(i).n + 2.0).collect();
        let scores: Vec<f64> = known.iter().enumerate().map(|(i, n)| (counts.get(i).wins + 1.0) / n).collect();
        let leader = borda::winner(&scores);
        Self { scores, leader, known }
    }

    /// Where a model expects these scores, and items stray from them with the standard deviation `spread`.
    pub(super) fn with_prior(counts: &ArmCounts, belief: &Belief, spread: f64) -> Self {
        let one = |(i, b): (Arm, &f64)| {
            let b = b.clamp(EDGE, 1.0 - EDGE);
            // As many imagined answers as leave that variance.
            let imagined = (b * (1.0 - b) / (spread * spread) - 1.0).max(1.0);
            let count = counts.get(i);
            ((count.wins + imagined * b) / (count.n + imagined), count.n + imagined)
        };
        let (scores, known): (Vec<f64>, Vec<f64>) = belief.scores.iter().enumerate().map(one).unzip();
        Self { scores, leader: belief.leader, known }
    }

    fn gap(&self, i: Arm) -> f64 {
        self.scores[self.leader] - self.scores[i]
    }

    fn variance(&self, i: Arm, known: f64) -> f64 {
        self.scores[i] * (1.0 - self.scores[i]) / (known + 1.0)
    }

    /// What asking about an item costs.
    fn cost(&self, i: Arm) -> f64 {
        self.scores.iter().copied().fold(0.0, f64::max) - self.scores[i]
    }

    /// The mean distance behind the best: what a uniform item costs.
    pub(super) fn mean_gap(&self) -> f64 {
        (0..self.scores.len()).map(|i| self.cost(i)).sum::<f64>() / self.scores.len() as f64
    }

    /// What `questions` further ones, shared out like this, would teach; with none, all that is unknown.
    pub(super) fn doubt(&self, ahead: Option<(&Shares, f64)>) -> Independent {
        let mut variances: Vec<f64> = self.known.iter().enumerate().map(|(i, n)| self.variance(i, *n)).collect();
        if let Some((shares, questions)) = ahead {
            let mut left = variances.clone();
            for (i, w) in shares.items.iter().zip(&shares.weights) {
                left[*i] = self.variance(*i, self.known[*i] + questions * w);
            }
            variances.iter_mut().zip(left).for_each(|(v, l)| *v -= l);
        }
        let of_leader = variances[self.leader];
        let rivals = (0..self.scores.len()).filter(|i| *i != self.leader);
        let (gaps, variances) = rivals.map(|i| (self.gap(i), variances[i])).unzip();
        Independent { gaps, variances, of_leader }
    }

    /// Shares out about `questions`, each part to the item that lowers the doubt most for its price (see
    /// `transductive`).
    pub(super) fn design(&self, questions: f64, floor: f64) -> Shares {
        let k = self.scores.len();
        let part = questions / PARTS as f64;
        let mean = self.mean_gap();
        let mut known = self.known.clone();
        let mut chosen = vec![0_u32; k];
        for _ in 0..PARTS {
            let of_leader = self.variance(self.leader, known[self.leader]);
            let sd = |i: Arm| (self.variance(i, known[i]) + of_leader).sqrt();
            let rivals = || (0..k).filter(|i| *i != self.leader);
            let nearest = rivals().map(|i| (self.gap(i) / sd(i)).abs()).fold(f64::INFINITY, f64::min);
            let weight = |i: Arm| {
                let x = self.gap(i) / sd(i);
                (0.5 * (nearest * nearest - x * x)).exp() / sd(i)
            };
            let drop = |i: Arm| self.variance(i, known[i]) - self.variance(i, known[i] + part);
            let price = |i: Arm| self.cost(i) + mean + floor;
            let all: f64 = rivals().map(weight).sum();
            let first = (self.leader, all * drop(self.leader) / price(self.leader));
            let (best, _) = rivals().fold(first, |best, i| {
                let gain = weight(i) * drop(i) / price(i);
                if gain > best.1 { (i, gain) } else { best }
            });
            chosen[best] += 1;
            known[best] += part;
        }
        Shares::of(&chosen, mean, |i| self.cost(i))
    }
}

/// X_i = −gap_i + e_i − e_leader with independent e.
pub(super) struct Independent {
    gaps: Vec<f64>,
    variances: Vec<f64>,
    of_leader: f64,
}

impl Doubt for Independent {
    fn len(&self) -> usize {
        self.gaps.len()
    }

    fn gap(&self, i: usize) -> f64 {
        self.gaps[i]
    }

    fn variance(&self, i: usize) -> f64 {
        self.variances[i] + self.of_leader
    }

    fn covariances(&self, i: usize, out: &mut [f64]) {
        out.fill(self.of_leader);
        out[i] += self.variances[i];
    }

    fn draw(&self, stream: &mut Stream, out: &mut [f64]) {
        let shared = self.of_leader.sqrt() * stream.normal();
        for (o, v) in out.iter_mut().zip(&self.variances) {
            *o = v.max(0.0).sqrt() * stream.normal() - shared;
        }
    }
}
