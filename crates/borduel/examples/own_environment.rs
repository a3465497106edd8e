//! An environment of one's own: judges who get tired, so that every preference fades towards a coin toss.
//!
//! Run it with `cargo run --release --example own_environment`.

use borduel::environment::Environment;
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{Duel, Experiment, Features, Link, PolicyConfig, Problem};

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

    fn next_change(&self, round: u64) -> Option<u64> {
        let next = self.tenth(round) + 1;
        (next < 10).then(|| (next * self.horizon).div_ceil(10) + 1)
    }
}

fn main() -> borduel::Result<()> {
    let horizon = 100_000;
    let problem = Problem::new(Features::one_hot(4)?, Link::Linear, Some(horizon))?;
    let tired = TiredJudges { problem, values: vec![0.1, 0.3, 0.4, 0.2], horizon };
    let policies = ["betc-glm-match", "bexp3", "etc-borda", "uniform"].map(PolicyConfig::named);
    let policies = policies.into_iter().collect::<borduel::Result<_>>()?;
    // Beside an instance that the library knows.
    let mut experiment = Experiment::new("tired", vec![EnvironmentConfig::Hard { d: 3, gap: None }], policies);
    (experiment.runs, experiment.horizons) = (5, vec![horizon]);
    let mut plan = experiment.plan(&NoSources)?;
    plan.add_world("tired judges", tired)?;
    for result in plan.run_all()?.policies {
        let summary = result.final_regret;
        println!("{:28} {:15} regret {:8.0} ± {:.0}", result.environment, result.policy, summary.mean, summary.se);
    }
    Ok(())
}
