//! A policy and an environment from outside the workspace, in an experiment beside those of the library.

use borduel::environment::Environment;
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::policy::Resolved;
use borduel::{Duel, Experiment, Notion, Outcome, Policy, PolicyConfig, Problem, Proposal, Stream};
use borduel_report::experiment::{Chapter, page};

/// The winner stays, and meets the next one.
#[derive(Clone)]
struct KingOfTheHill {
    stream: Stream,
    round: u64,
    king: usize,
    wins: Vec<f64>,
}

impl Policy for KingOfTheHill {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        let rival = (self.king + 1 + self.stream.below(problem.items() - 1)) % problem.items();
        Proposal::new(self.round, Duel(self.king, rival), 1.0 / (problem.items() - 1) as f64)
    }
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        self.king = if outcome == Outcome::Loss { proposal.duel.1 } else { proposal.duel.0 };
        self.wins[self.king] += 1.0;
    }
    fn cancel(&mut self, _: &Problem, _: &Proposal) {}
    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        out.copy_from_slice(&self.wins);
    }
    fn settings(&self) -> Vec<Resolved> {
        Vec::new()
    }
}

/// The higher number wins, more often the farther they are apart.
struct Numbers(Problem);

impl Environment for Numbers {
    fn problem(&self) -> &Problem {
        &self.0
    }
    fn probability(&self, _: u64, Duel(i, j): Duel) -> f64 {
        0.5 + 0.05 * (i as f64 - j as f64)
    }
}

fn main() -> borduel::Result<()> {
    let hard = EnvironmentConfig::Hard { d: 2, gap: None };
    let mut experiment = Experiment::new("outside", vec![hard], vec![PolicyConfig::named("uniform")?]);
    (experiment.runs, experiment.horizons, experiment.regrets) = (4, vec![3_000], vec![Notion::Borda, Notion::Copeland]);
    let king = |problem: &Problem, stream| {
        Ok(KingOfTheHill { stream, round: 0, king: 0, wins: vec![0.0; problem.items()] })
    };
    let mut plan = experiment.plan(&NoSources)?;
    let numbers = plan.add_world("numbers", Numbers(Problem::without_features(9)?.with_horizon(3_000)?))?;
    plan.add_policy("king", "King of the hill", king)?;
    plan.add_pairing(&numbers, "king", "King of the hill", king)?;
    let results = plan.run_all()?;
    for result in &results.policies {
        let (borda, copeland) = (result.final_regret, result.others[0].final_regret);
        println!("{:24} {:18} {:6.0} {:6.0}", result.environment, result.label, borda.mean, copeland.mean);
    }
    // The king costs less than uniform pairs, in both worlds and both notions.
    assert_eq!(results.policies.len(), 4);
    for (_, group) in results.groups() {
        assert!(group[1].final_regret.mean < 0.9 * group[0].final_regret.mean);
        assert!(group[1].others[0].final_regret.mean < 0.9 * group[0].others[0].final_regret.mean);
    }
    // And both stand in the report.
    let chapter = Chapter { results: &results, worlds: plan.worlds(), command: "" };
    let page = page("outside", &[chapter], &[]);
    assert!(page.contains("King of the hill") && page.contains("numbers: T = 3,\
        000") && page.contains("Copeland regret"));
    Ok(())
}
