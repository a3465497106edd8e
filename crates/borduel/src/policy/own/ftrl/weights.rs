//! q of a block: weights in the order of items, the leader's apart from the sum of all others, which never cancels.

use super::Regularizer;
use crate::duel::{Arm, Duel};
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// Weights relative to each other.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Weights {
    values: Vec<f64>,
    /// Who has the most, and what all others have together.
    leader: Arm,
    others: f64,
    /// β that they were computed with, and the S at which a weight is 1 (`shannon`), or x (`hybrid`).
    beta: f64,
    level: f64,
    /// Items whose S has moved since; all of them if there are as many as items.
    moved: Vec<u32>,
    all: bool,
}

/// The share by which β may lag behind.
const LAG: f64 = 0.02;
/// How far from 1 the leader's weight may be before all are computed anew.
const LEVEL: std::ops::RangeInclusive<f64> = 0.3..=3.0;

impl Weights {
    pub(super) fn new(k: usize) -> Self {
        Self {
            values: vec![1.0; k],
            leader: 0,
            others: k as f64 - 1.0,
            beta: 0.0,
            level: 0.0,
            moved: Vec::with_capacity(k),
            all: true,
        }
    }

    /// S has moved: of these two items, or of all.
    pub(super) fn moved(&mut self, duel: Option<Duel>) {
        match duel {
            Some(Duel(i, j)) if !self.all && self.moved.len() + 2 <= self.values.len() => {
                self.moved.extend([i as u32, j as u32]);
            }
            _ => self.all = true,
        }
    }

    /// Weighs all items anew where needed. Returns o and h.
    pub(super) fn weigh(&mut self, regularizer: Regularizer, scores: &[f64], beta: f64) -> (f64, f64) {
        match regularizer {
            Regularizer::Shannon => self.shannon(scores, beta),
            Regularizer::Hybrid => self.hybrid(scores, beta),
        }
    }

    fn shannon(&mut self, scores: &[f64], beta: f64) -> (f64, f64) {
        if !self.all && beta <= (1.0 + LAG) * self.beta {
            for &arm in &self.moved {
                self.values[arm as usize] = ((scores[arm as usize] - self.level) / self.beta).exp();
            }
            self.leader = crate::borda::winner(&self.values);
        }
        if self.all || beta > (1.0 + LAG) * self.beta || !LEVEL.contains(&self.values[self.leader]) {
            self.leader = crate::borda::winner(scores);
            (self.level, self.beta, self.all) = (scores[self.leader], beta, false);
            for (value, score) in self.values.iter_mut().zip(scores) {
                *value = ((score - self.level) / beta).exp();
            }
        }
        self.moved.clear();
        let (top, first) = (scores[self.leader], self.values[self.leader]);
        // The leader's own is left out of the sum; its distance from itself is 0.
        self.values[self.leader] = 0.0;
        let (mut sums, mut behind) = ([0.0; LANES], [0.0; LANES]);
        let (values, rest) = self.values.as_chunks::<LANES>();
        let (tops, other) = scores.as_chunks::<LANES>();
        for (values, scores) in values.iter().zip(tops) {
            for lane in 0..LANES {
                sums[lane] += values[lane];
                behind[lane] += values[lane] * (top - scores[lane]);
            }
        }
        for (lane, (value, score)) in rest.iter().zip(other).enumerate() {
            sums[lane] += value;
            behind[lane] += value * (top - score);
        }
        self.values[self.leader] = first;
        self.others = sums.iter().sum();
        let total = first + self.others;
        let entropy = (self.others / first).ln_1p() + behind.iter().sum::<f64>() / (self.beta * total);
        (self.others / total, entropy)
    }

    fn hybrid(&mut self, scores: &[f64], beta: f64) -> (f64, f64) {
        self.moved.clear();
        self.leader = crate::borda::winner(scores);
        let top = scores[self.leader];
        let second =
            (0..scores.len()).filter(|i| *i != self.leader).map(|i| scores[i]).fold(f64::NEG_INFINITY, f64::max);
        // The two best alone have Σ q = 1 at the one end, and at the other nobody has more than 1/K.
        let (mut low, mut high) = (0.5 * (top + second), top + beta * (scores.len() as f64 - 1.0).ln());
        let mut x = self.level.clamp(low, high);
        let mut entropy;
        let mut rounds = 0;
        loop {
            let (mut others, mut slope) = (0.0, 0.0);
            entropy = 0.0;
            for (arm, (value, score)) in self.values.iter_mut().zip(scores).enumerate() {
                let (q, h) = bernoulli((score - x) / beta);
                *value = q;
                entropy += h;
                if arm != self.leader {
                    others += q;
                    slope += q * (1.0 - q);
                }
            }
            self.others = others;
            // 1 − q(i°), without a difference; where both sides agree to the last digits Σ q = 1.
            let left = bernoulli((x - top) / beta).0;
            let excess = (others / left).ln();
            rounds += 1;
            if excess.is_nan() || excess.abs() <= 1e-14 || rounds == 100 {
                break;
            }
            if excess > 0.0 {
                low = x;
            } else {
                high = x;
            }
            // Nearly a line in x where one item has most of the weight.
            let newton = x + excess * beta / (slope / others + 1.0 - left);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if next == x {
                break;
            }
            x = next;
        }
        self.level = x;
        let total = self.values[self.leader] + self.others;
        (self.others / total, entropy)
    }

    /// q(i).
    pub(super) fn share(&self, arm: Arm) -> f64 {
        self.values[arm] / (self.values[self.leader] + self.others)
    }

    /// An item from q.
    pub(super) fn draw(&self, stream: &mut Stream) -> Arm {
        let first = self.values[self.leader];
        let mut left = stream.uniform() * (first + self.others) - first;
        if left >= 0.0 {
            for (arm, value) in self.values.iter().enumerate() {
                if arm != self.leader {
                    left -= value;
                    if left < 0.0 {
                        return arm;
                    }
                }
            }
        }
        // The leader; or rounding.
        self.leader
    }
}

/// How many sums run side by side.
const LANES: usize = 4;

/// σ(x), and the entropy of a coin with this chance.
fn bernoulli(x: f64) -> (f64, f64) {
    let tail = (-x.abs()).exp();
    let small = tail / (1.0 + tail);
    (if x < 0.0 { small } else { 1.0 / (1.0 + tail) }, tail.ln_1p() + x.abs() * small)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    /// q by bisection, from the formulas.
    fn plain(regularizer: Regularizer, scores: &[f64], beta: f64) -> Vec<f64> {
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match regularizer {
            Regularizer::Shannon => {
                let weights: Vec<f64> = scores.iter().map(|s| ((s - top) / beta).exp()).collect();
                let total: f64 = weights.iter().sum();
                weights.iter().map(|w| w / total).collect()
            }
            Regularizer::Hybrid => {
                let q = |x: f64| scores.iter().map(|s| 1.0 / (1.0 + ((x - s) / beta).exp())).collect::<Vec<f64>>();
                let (mut low, mut high) = (top - 1e4 * beta, top + 1e4 * beta);
                for _ in 0..200 {
                    let x = 0.5 * (low + high);
                    if q(x).iter().sum::<f64>() > 1.0 { low = x } else { high = x }
                }
                q(0.5 * (low + high))
            }
        }
    }

    #[test]
    fn weights_sum_to_one_and_solve_their_equation() {
        let mut s = stream(1, &[]);
        for regularizer in [Regularizer::Shannon, Regularizer::Hybrid] {
            for k in [2, 3, 7, 50] {
                let (mut weights, mut scores, mut beta) = (Weights::new(k), vec![0.0; k], 3.0);
                for step in 0..2000 {
                    let (others, entropy) = weights.weigh(regularizer, &scores, beta);
                    let q: Vec<f64> = (0..k).map(|arm| weights.share(arm)).collect();
                    assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{regularizer:?} {k} {step}");
                    let used = if regularizer == Regularizer::Shannon { weights.beta } else { beta };
                    assert!(used <= beta && beta <= (1.0 + LAG) * used);
                    let expected = plain(regularizer, &scores, used);
                    let lead = crate::borda::winner(&scores);
                    let rest: f64 = (0..k).filter(|i| *i != lead).map(|i| expected[i]).sum();
                    let part = |x: f64| if x > 0.0 { -x * x.ln() } else { 0.0 };
                    let both = regularizer == Regularizer::Hybrid;
                    let h: f64 = expected.iter().map(|q| part(*q) + if both { part(1.0 - q) } else { 0.0 }).sum();
                    for (a, b) in q.iter().zip(&expected) {
                        assert!((a - b).abs() < 1e-11, "{regularizer:?} {k} {step}: {a} {b}");
                    }
                    assert!((others - rest).abs() < 1e-11 + 1e-6 * rest && (entropy - h).abs() < 1e-9);
                    let (i, j) = (s.below(k), s.below(k - 1));
                    let duel = Duel(i, j + usize::from(j >= i));
                    let size = (1.0 + duel.1 as f64) * (s.uniform() - 0.4);
                    scores[duel.0] += size;
                    scores[duel.1] -= size;
                    weights.moved(Some(duel));
                    beta *= 1.0 + 0.01 * s.uniform();
                }
            }
        }
    }

    #[test]
    fn a_leader_far_ahead_leaves_the_others_what_they_have() {
        // exp(−40) beside 1 is lost in a sum, and is what rules the rates.
        let mut weights = Weights::new(3);
        let (others, entropy) = weights.weigh(Regularizer::Shannon, &[40.0, 0.0, -1.0], 1.0);
        let expected = (-40.0_f64).exp() + (-41.0_f64).exp();
        assert!((others / expected - 1.0).abs() < 1e-12, "{others}");
        let h = 41.0 * (-40.0_f64).exp() + 42.0 * (-41.0_f64).exp();
        assert!((entropy / h - 1.0).abs() < 1e-12, "{entropy} {h}");
        // Of two items: σ(−20) each way.
        let mut weights = Weights::new(2);
        let (others, _) = weights.weigh(Regularizer::Hybrid, &[40.0, 0.0], 1.0);
        assert!((others / bernoulli(-20.0).0 - 1.0).abs() < 1e-12, "{others}");
    }
}
