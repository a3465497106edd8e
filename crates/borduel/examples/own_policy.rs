//! A policy of one's own, beside those of the library: Thompson sampling on Borda scores.
//!
//! In every round draw s_i ~ Beta(1 + wins of i, 1 + losses of i) for every item; ask about the item with the largest s
//! against a random opponent. It is written outside the library, and gets everything that the library's policies get:
//! runs, experiments on the same random numbers, late and lost answers, saving and resuming.
//!
//! Run it with `cargo run --release --example own_policy`.

use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::policy::Resolved;
use borduel::regret::{Checkpoints, Curve};
use borduel::{
    Arena, Duel, Experiment, Feedback, Outcome, Policy, PolicyConfig, Problem, Proposal, Run, Saved, Stream, Timing,
    stream,
};
use rand_distr::{Beta, Distribution};
use serde::{Deserialize, Serialize};

/// All that it knows, and its random stream.
#[derive(Clone, Serialize, Deserialize)]
struct Thompson {
    stream: Stream,
    round: u64,
    /// Wins and losses of every item when it was asked about.
    counts: Vec<(f64, f64)>,
}

impl Thompson {
    fn new(problem: &Problem, stream: Stream) -> Self {
        Self { stream, round: 0, counts: vec![(0.0, 0.0); problem.items()] }
    }
}

impl Policy for Thompson {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let (mut best, mut most) = (0, -1.0);
        for (item, (wins, losses)) in self.counts.iter().enumerate() {
            // Both parameters are at least 1, for which every Beta exists.
            let drawn = Beta::new(1.0 + wins, 1.0 + losses).map_or(0.5, |beta| beta.sample(&mut self.stream));
            if drawn > most {
                (best, most) = (item, drawn);
            }
        }
        let opponent = self.stream.below(problem.items());
        // How likely this choice was is not known in closed form.
        Proposal::new(self.round, Duel(best, opponent), None)
    }

    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        let (wins, losses) = &mut self.counts[proposal.duel.0];
        *wins += outcome.reward();
        *losses += 1.0 - outcome.reward();
    }

    fn cancel(&mut self, _: &Problem, _: &Proposal) {}

    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn scores(&self, _: &Problem, out: &mut [f64]) {
        for (score, (wins, losses)) in out.iter_mut().zip(&self.counts) {
            *score = (wins + 1.0) / (wins + losses + 2.0);
        }
    }

    fn settings(&self) -> Vec<Resolved> {
        Vec::new()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // In an experiment, beside ours, with answers that are late and sometimes lost.
    let policies = vec![PolicyConfig::named("ucb-borda")?, PolicyConfig::named("betc-glm-match")?];
    let mut experiment = Experiment::new("mine", vec![EnvironmentConfig::Hard { d: 3, gap: None }], policies);
    (experiment.runs, experiment.horizons) = (5, vec![20_000]);
    experiment.feedback = Feedback::new(Timing::Delayed { least: 0, most: 100 }).losing(0.05);
    let mut plan = experiment.plan(&NoSources)?;
    plan.add_policy("thompson", "Thompson", |problem, stream| Ok(Thompson::new(problem, stream)))?;
    for result in plan.run_all()?.policies {
        let summary = result.final_regret;
        println!("{:15} regret {:6.0} ± {:3.0}", result.label, summary.mean, summary.se);
    }

    // Saved in the middle of a run, and resumed to the same bytes.
    let world = borduel::environment::hard::hard(3, None, Some(2_000), &mut stream(1, &[]))?;
    let arena = Arena::borda(world)?;
    let curve = Curve::new(Checkpoints::linear(2_000, 4));
    let start = Thompson::new(arena.problem(), stream(2, &[]));
    let mut whole = Run::new(start.clone(), curve.clone(), 1, 0, Feedback::IMMEDIATE)?;
    whole.until(2_000, &arena);
    let mut first = Run::new(start, curve, 1, 0, Feedback::IMMEDIATE)?;
    first.until(700, &arena);
    let text = serde_json::to_string(&Saved::new(arena.problem(), &first))?;
    let mut second = serde_json::from_str::<Saved<Run<Thompson, Curve>>>(&text)?.open(arena.problem())?;
    second.until(2_000, &arena);
    assert_eq!(whole.record, second.record);
    println!("saved after 700 rounds and resumed: the same curve {:.1?}", second.record.values());
    Ok(())
}
