//! Versatile-DB (Saha, Gaillard, ICML 2022): two players of Tsallis-INF (Zimmert, Seldin, 2021, α = ½) spar. Assumes
//! nothing: √(KT) against an adversary, and with a Condorcet winner Σ log T/Δ.
//!
//! Weights of round t: w(k) = 4/(η(L(k) − x))² with x < min L such that Σ w = 1, L the player's estimated losses.
//! Estimator `rv`: η = 4/√t; `iw`: η = 2/√t. i ~ w⁽¹⁾ and j ~ w⁽²⁾ independently. With the reward o of i, the losses
//! are 1 − o for the first player and o for the second, and ℓ̂(k) = B(k) + 1{k drawn}(ℓ − B(k))/w(k) with B(k) =
//! ½·1{w(k) ≥ η²} for `rv` (added to every item), 0 for `iw`. `players = "shared"` is the paper's remark: one L for
//! both, L += (ℓ̂⁽¹⁾ + ℓ̂⁽²⁾)/2; better in the mean, but now and then a run costs ten times as much. A duel of an item
//! with itself is learned from like any other.
//!
//! A late answer is divided by the weights on its ticket; B may be today's, since any B that has not seen the answer
//! leaves the estimate unbiased. (stephen-huan's version in JAX gives B to the drawn item only, by which `rv` is
//! biased. The paper lists two players, and so does this by default.) x is found from the last one by Newton's method
//! for (Σ w)^{−½} = 1, which is a line in x where one item has all the weight, and nearly one where it has most of it:
//! two evaluations are the rule. A bracket guards the steps.

use crate::Result;
use crate::duel::{Arm, Duel, Note, Outcome, Proposal};
use crate::policy::{Policy, Resolved};
use crate::problem::Problem;
use crate::stream::Stream;
use serde::{Deserialize, Serialize};

/// How losses are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Estimator {
    /// The estimator of reduced variance.
    #[default]
    Rv,
    /// The plain importance-weighted estimator.
    Iw,
}

/// Who chooses the two items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Players {
    /// One player for each of the two items.
    #[default]
    Two,
    /// One player for both.
    Shared,
}

/// What can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Who chooses the two items.
    pub players: Players,
    /// How losses are estimated.
    pub estimator: Estimator,
}

impl Config {
    #[expect(clippy::unnecessary_wraps, reason = "every policy is built the same way")]
    pub(crate) fn build(&self, problem: &Problem, stream: Stream) -> Result<State> {
        let player = Player::new(problem.items());
        let players = if self.players == Players::Two { vec![player.clone(), player] } else { vec![player] };
        Ok(State { stream, round: 0, estimator: self.estimator, players })
    }
}

/// The state: one player or two.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    stream: Stream,
    round: u64,
    estimator: Estimator,
    players: Vec<Player>,
}

/// A player of Tsallis-INF.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Player {
    /// L.
    losses: Vec<f64>,
    /// w of the last question.
    weights: Vec<f64>,
    /// x of the last question.
    normaliser: f64,
}

/// The share by which Σ w may miss 1 for one linear step to be exact in double precision, whose error is the square of
/// it.
const LINEAR: f64 = 1e-7;

impl Player {
    fn new(k: usize) -> Self {
        Self { losses: vec![0.0; k], weights: vec![1.0 / k as f64; k], normaliser: f64::NEG_INFINITY }
    }

    /// w for this η.
    fn weigh(&mut self, eta: f64) {
        let least = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        let k = self.losses.len() as f64;
        // All weights alike at the one end, the best item alone at the other.
        let (mut low, mut high) = (least - 2.0 * k.sqrt() / eta, least - 2.0 / eta);
        let mut x = self.normaliser.clamp(low, high);
        for _ in 0..100 {
            let (mut sum, mut cubes) = (0.0, 0.0);
            for (weight, loss) in self.weights.iter_mut().zip(&self.losses) {
                let root = 2.0 / (eta * (loss - x));
                let square = root * root;
                *weight = square;
                sum += square;
                cubes += square * root;
            }
            let excess = sum - 1.0;
            // dΣw/dx = η Σ w^{3/2}.
            let slope = eta * cubes;
            if excess.abs() <= LINEAR {
                // The rest is linear to the last digit: of every weight its own share of the excess.
                let step = -excess / slope;
                self.weights.iter_mut().for_each(|weight| *weight += step * eta * *weight * weight.sqrt());
                x += step;
                break;
            }
            if excess > 0.0 {
                high = x;
            } else {
                low = x;
            }
            let newton = x + 2.0 * sum * (1.0 - sum.sqrt()) / slope;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if next == x {
                break;
            }
            x = next;
        }
        self.normaliser = x;
    }

    fn draw(&self, stream: &mut Stream) -> Arm {
        let mut left = stream.uniform();
        for (arm, weight) in self.weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return arm;
            }
        }
        // Rounding: the likeliest.
        crate::borda::winner(&self.weights)
    }

    /// Adds `share` of the estimated losses of a round in which `drawn` had this weight and loss.
    fn learn(&mut self, baseline: Option<f64>, drawn: Arm, weight: f64, loss: f64, share: f64) {
        let mut own = 0.0;
        if let Some(least) = baseline {
            own = if self.weights[drawn] >= least { 0.5 } else { 0.0 };
            for (total, weight) in self.losses.iter_mut().zip(&self.weights) {
                *total += if *weight >= least { 0.5 * share } else { 0.0 };
            }
        }
        self.losses[drawn] += share * (loss - own) / weight;
    }
}

impl State {
    /// η of the last question.
    fn eta(&self) -> f64 {
        let scale = if self.estimator == Estimator::Rv { 4.0 } else { 2.0 };
        scale / (self.round.max(1) as f64).sqrt()
    }
}

impl Policy for State {
    fn ask(&mut self, _: &Problem) -> Proposal {
        self.round += 1;
        let eta = self.eta();
        self.players.iter_mut().for_each(|player| player.weigh(eta));
        let (first, second) = (&self.players[0], &self.players[self.players.len() - 1]);
        let (i, j) = (first.draw(&mut self.stream), second.draw(&mut self.stream));
        let weights = [first.weights[i], second.weights[j]];
        Proposal::new(self.round, Duel(i, j), weights[0] * weights[1]).with_note(Note::new(0, &weights))
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let &[first, second] = proposal.note().map_or(&[][..], Note::numbers) else {
            // Not a ticket of this policy.
            return;
        };
        let eta = self.eta();
        let baseline = (self.estimator == Estimator::Rv).then_some(eta * eta);
        let (Duel(i, j), reward) = (proposal.duel, outcome.reward());
        if let [one, two] = &mut self.players[..] {
            one.learn(baseline, i, first, 1.0 - reward, 1.0);
            two.learn(baseline, j, second, reward, 1.0);
        } else {
            self.players[0].learn(baseline, i, first, 1.0 - reward, 0.5);
            self.players[0].learn(baseline, j, second, reward, 0.5);
        }
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    /// −L/t, of two players the mean: a scale of its own, no Borda scores.
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        let scale = -1.0 / (self.round.max(1) as f64 * self.players.len() as f64);
        for (arm, score) in out.iter_mut().enumerate() {
            *score = scale * self.players.iter().map(|player| player.losses[arm]).sum::<f64>();
        }
    }

    /// The mean estimated loss, negated: no chance, of whoever.
    fn scores_over_others(&self, problem: &Problem) -> Vec<f64> {
        let mut scores = vec![0.0; problem.items()];
        self.scores(problem, &mut scores);
        scores
    }

    fn settings(&self) -> Vec<Resolved> {
        let players = if self.players.len() == 2 { "two" } else { "shared" };
        let estimator = if self.estimator == Estimator::Rv { "rv" } else { "iw" };
        vec![Resolved::new("players", players), Resolved::new("estimator", estimator)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn weights_sum_to_one_and_solve_their_equation() {
        let mut s = stream(1, &[]);
        for k in [2, 6, 50] {
            let mut player = Player::new(k);
            for round in 1..=3000_u32 {
                let eta = 4.0 / f64::from(round).sqrt();
                player.weigh(eta);
                let sum: f64 = player.weights.iter().sum();
                assert!((sum - 1.0).abs() <= 1e-12, "{k} items, round {round}: {sum}");
                for (weight, loss) in player.weights.iter().zip(&player.losses) {
                    let root = eta * (loss - player.normaliser);
                    assert!((weight * root * root / 4.0 - 1.0).abs() < 1e-12, "{k} items, round {round}");
                }
                let drawn = player.draw(&mut s);
                let loss = f64::from(u8::from(s.uniform() < 0.5 + 0.4 * drawn as f64 / k as f64));
                player.learn(Some(eta * eta), drawn, player.weights[drawn], loss, 1.0);
            }
        }
    }
}
