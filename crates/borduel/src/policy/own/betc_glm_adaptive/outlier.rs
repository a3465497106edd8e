//! The world in which one item, nobody knows which, strays from the model, and whom to ask about then.

use super::belief::Belief;
use super::model_free::{ModelFree, PARTS, Shares};
use super::value::Doubt;
use crate::borda;
use crate::duel::Arm;
use crate::policy::shared::counts::ArmCounts;
use crate::stream::Stream;

/// What the audits of every item say for its straying by s, the logarithm of a ratio of likelihoods.
pub(super) fn favours(scores: &[f64], counts: &ArmCounts, s: f64) -> Vec<f64> {
    let one = |(i, b): (usize, &f64)| {
        let count = counts.get(i);
        let v = (b * (1.0 - b)).max(0.02);
        let x = count.n * s * s / v;
        let off = count.wins - count.n * b;
        let squares = if count.n > 0.0 { off * off / (count.n * v) } else { 0.0 };
        0.5 * (squares * x / (1.0 + x) - x.ln_1p())
    };
    scores.iter().enumerate().map(one).collect()
}

/// What is believed of every item, if it is the one.
pub(super) struct Outlier {
    /// The probability that it is.
    chances: Vec<f64>,
    /// Its score then, and the answers that it rests on, imagined ones included.
    scores: Vec<f64>,
    known: Vec<f64>,
    /// By how much the leader then leads it; of the leader, by how much it leads the runner-up.
    gaps: Vec<f64>,
    /// What a question about it costs.
    costs: Vec<f64>,
    mean: f64,
}

impl Outlier {
    pub(super) fn new(counts: &ArmCounts, belief: &Belief, spread: f64) -> Self {
        let logs = favours(&belief.scores, counts, spread);
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let chances: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let all: f64 = chances.iter().sum();
        let chances = chances.into_iter().map(|c| c / all).collect();
        let ModelFree { scores, known, leader } = ModelFree::with_prior(counts, belief, spread);
        let best = belief.scores[leader];
        let others = belief.scores.iter().enumerate().filter(|(i, _)| *i != leader).map(|(_, b)| *b);
        let second = others.fold(f64::NEG_INFINITY, f64::max);
        let gap = |(i, m): (Arm, &f64)| if i == leader { m - second } else { best - m };
        let gaps = scores.iter().enumerate().map(gap).collect();
        let costs = belief.scores.iter().map(|b| best - b).collect();
        Self { chances, scores, known, gaps, costs, mean: belief.mean_gap() }
    }

    /// Of its score, after so many answers.
    fn variance(&self, i: Arm, known: f64) -> f64 {
        self.scores[i] * (1.0 - self.scores[i]) / (known + 1.0)
    }

    /// What `questions` further ones, shared out like this, would teach; with none, all that is unknown.
    pub(super) fn doubt(&self, ahead: Option<(&Shares, f64)>) -> Exclusive<'_> {
        let now = |i: Arm| self.variance(i, self.known[i]);
        let variances = match ahead {
            None => (0..self.known.len()).map(now).collect(),
            Some((shares, questions)) => {
                let mut variances = vec![0.0; self.known.len()];
                for (&i, weight) in shares.items.iter().zip(&shares.weights) {
                    variances[i] = now(i) - self.variance(i, self.known[i] + questions * weight);
                }
                variances
            }
        };
        Exclusive { gaps: &self.gaps, chances: &self.chances, variances }
    }

    /// Shares out about `questions`, each part to the item that lowers the doubt most for its price (see
    /// `transductive`).
    pub(super) fn design(&self, questions: f64, floor: f64) -> Shares {
        let k = self.scores.len();
        let part = questions / PARTS as f64;
        let mut known = self.known.clone();
        let mut chosen = vec![0_u32; k];
        for _ in 0..PARTS {
            // In logarithms, so that nothing underflows.
            let gain = |i: Arm| {
                let variance = self.variance(i, known[i]);
                let drop = variance - self.variance(i, known[i] + part);
                let price = self.costs[i] + self.mean + floor;
                (self.chances[i] * drop / variance.sqrt() / price).ln() - 0.5 * self.gaps[i] * self.gaps[i] / variance
            };
            let best = borda::winner(&(0..k).map(gain).collect::<Vec<_>>());
            chosen[best] += 1;
            known[best] += part;
        }
        Shares::of(&chosen, self.mean, |i| self.costs[i])
    }
}

/// Of the X_i only one is not nothing, i with this chance.
pub(super) struct Exclusive<'a> {
    gaps: &'a [f64],
    chances: &'a [f64],
    variances: Vec<f64>,
}

impl Doubt for Exclusive<'_> {
    fn len(&self) -> usize {
        self.gaps.len()
    }

    fn gap(&self, i: usize) -> f64 {
        self.gaps[i]
    }

    fn variance(&self, i: usize) -> f64 {
        self.variances[i]
    }

    fn alone(&self, i: usize) -> Option<f64> {
        Some(self.chances[i])
    }

    fn covariances(&self, _: usize, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn draw(&self, _: &mut Stream, out: &mut [f64]) {
        out.fill(0.0);
    }
}
