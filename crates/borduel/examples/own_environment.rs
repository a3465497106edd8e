//! An environment of one's own: judges who get tired, so that every preference fades towards a coin toss.
//!
//! Run it with `cargo run --release --example own_environment`.

use borduel::environment::Environment;
use borduel::regret::{Checkpoints, Curve};
use borduel::{Arm, Duel, Features, Feedback, Link, PolicyConfig, Problem, Run, stream};

/// p_t(i,j) = ½ + fading(t) · (v_i − v_j), in steps of a tenth of the horizon.
struct TiredJudges {
    problem: Problem,
    values: Vec<f64>,
    horizon: u64,
}

impl TiredJudges {
    /// The tenth of the horizon that a round lies in, from 0.
    fn tenth(&self, round: u64) -> u64 {
        (round - 1) * 10 / self.horizon
    }

    fn strength(&self, round: u64) -> f64 {
        1.0 - 0.08 * self.tenth(round) as f64
    }
}

impl Environment for TiredJudges {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn probability(&self, round: u64, Duel(i, j): Duel) -> f64 {
        0.5 + self.strength(round) * (self.values[i] - self.values[j])
    }

    fn score(&self, round: u64, arm: Arm) -> f64 {
        let mean = self.values.iter().sum::<f64>() / self.values.len() as f64;
        0.5 + self.strength(round) * (self.values[arm] - mean)
    }

    fn rival(&self) -> Arm {
        2
    }

    fn next_change(&self, round: u64) -> Option<u64> {
        let next = self.tenth(round) + 1;
        (next < 10).then(|| (next * self.horizon).div_ceil(10) + 1)
    }
}

fn main() -> borduel::Result<()> {
    let horizon = 100_000;
    let problem = Problem::new(Features::one_hot(4)?, Link::Linear, Some(horizon))?;
    let world = TiredJudges { problem, values: vec![0.1, 0.3, 0.4, 0.2], horizon };
    for name in ["betc-glm-match", "bexp3", "etc-borda", "uniform"] {
        let policy = PolicyConfig::named(name)?.build(&world.problem, stream(1, &[]))?;
        let curve = Curve::new(Checkpoints::linear(horizon, 10));
        let mut run = Run::new(policy, curve, 1, 0, Feedback::IMMEDIATE)?;
        run.until(horizon, &world);
        println!("{name:15} regret {:8.0}", run.record.total());
    }
    Ok(())
}
