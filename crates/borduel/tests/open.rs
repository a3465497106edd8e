//! What others may build on: policies and environments of one's own, other notions of regret, problems without
//! features.

use borduel::environment::{Environment, fixed::Fixed, matrix::matrix};
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::policy::Resolved;
use borduel::regret::{Checkpoints, Curve};
use borduel::{
    AnyPolicy, Arena, Duel, Experiment, Feedback, FixedDuel, Link, Note, Notion, Outcome, Policy, PolicyConfig,
    Problem, Proposal, Run, Saved, Stream, Timing, stream,
};
use serde::{Deserialize, Serialize};

/// Six rankers of arXiv interleavings (Yue, Joachims 2011): a Condorcet winner, and an order.
const RANKERS: [[f64; 6]; 6] = [
    [0.50, 0.55, 0.55, 0.54, 0.61, 0.61],
    [0.45, 0.50, 0.55, 0.55, 0.58, 0.60],
    [0.45, 0.45, 0.50, 0.54, 0.51, 0.56],
    [0.46, 0.45, 0.46, 0.50, 0.54, 0.50],
    [0.39, 0.42, 0.49, 0.46, 0.50, 0.51],
    [0.39, 0.40, 0.44, 0.50, 0.49, 0.50],
];

fn rankers(horizon: u64) -> Fixed {
    let rows: Vec<Vec<f64>> = RANKERS.iter().map(|row| row.to_vec()).collect();
    matrix(&rows, None, Link::Logistic, Some(horizon)).unwrap()
}

fn experiment(policies: &[&str]) -> Experiment {
    let rows = RANKERS.iter().map(|row| row.to_vec()).collect();
    let rankers = EnvironmentConfig::Matrix { rows: Some(rows), table: None, link: Link::Logistic, features: None };
    let policies = policies.iter().map(|name| PolicyConfig::named(name).unwrap()).collect();
    let mut experiment = Experiment::new("open", vec![rankers], policies);
    (experiment.runs, experiment.horizons, experiment.checkpoints) = (3, vec![2000], 20);
    experiment
}

#[test]
fn all_regrets_of_one_run_are_those_of_runs_of_their_own() {
    let notions = [Notion::Condorcet, Notion::Borda, Notion::CondorcetMax, Notion::CondorcetMin, Notion::Copeland];
    for feedback in [Feedback::IMMEDIATE, Feedback::new(Timing::Delayed { least: 0, most: 30 })] {
        let mut together = experiment(&["uniform", "betc-glm-match", "ucb-borda"]);
        (together.regrets, together.feedback) = (notions.to_vec(), feedback);
        let all = together.run(&NoSources).unwrap();
        for (place, notion) in notions.into_iter().enumerate() {
            let mut alone = together.clone();
            alone.regrets = vec![notion];
            for (one, many) in alone.run(&NoSources).unwrap().policies.iter().zip(&all.policies) {
                assert!(one.others.is_empty());
                let (regret, curve, found) = match place.checked_sub(1) {
                    None => (&many.final_regrets, &many.curve, many.winner_found),
                    Some(other) => {
                        let other = &many.others[other];
                        assert_eq!(other.regret, notion);
                        (&other.final_regrets, &other.curve, other.winner_found)
                    }
                };
                assert_eq!((&one.final_regrets, &one.curve, one.winner_found), (regret, curve, found), "{notion:?}");
            }
        }
        // Uniform pairs cost the mean gap, (0.05 + 0.05 + 0.04 + 0.11 + 0.11)/6 a round.
        let uniform = all.policies[0].final_regret.mean / 2000.0;
        assert!((uniform - 0.06).abs() < 0.002, "{uniform}");
    }
}

#[test]
fn a_regret_that_is_not_there_is_refused_with_a_circle() {
    let rows = vec![vec![0.5, 0.6, 0.4], vec![0.4, 0.5, 0.6], vec![0.6, 0.4, 0.5]];
    let circle = EnvironmentConfig::Matrix { rows: Some(rows), table: None, link: Link::Logistic, features: None };
    let mut experiment = Experiment::new("circle", vec![circle], vec![PolicyConfig::named("uniform").unwrap()]);
    (experiment.runs, experiment.horizons, experiment.regrets) = (1, vec![100], vec![Notion::CondorcetMin]);
    let message = experiment.plan(&NoSources).unwrap_err().to_string();
    assert!(message.contains("item 0 beats 1 beats 2 beats 0: choose borda or copeland"), "{message}");
    experiment.regrets = vec![Notion::Borda, Notion::Borda];
    assert!(experiment.plan(&NoSources).unwrap_err().to_string().contains("once"));
    experiment.regrets = Vec::new();
    assert!(experiment.plan(&NoSources).is_err());
}

/// A policy that only knows what is public: another one within, and a note on every ticket.
#[derive(Clone, Serialize, Deserialize)]
struct Mine(AnyPolicy);

impl Policy for Mine {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        let inner = self.0.ask(problem);
        Proposal::new(inner.round, inner.duel, inner.propensity).with_note(Note::new(inner.round, &[0.5; 20]))
    }
    fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
        let note = proposal.note().unwrap();
        assert_eq!((note.number, note.numbers()), (proposal.round, &[0.5; 20][..]));
        self.0.tell(problem, proposal, outcome);
    }
    fn cancel(&mut self, problem: &Problem, proposal: &Proposal) {
        self.0.cancel(problem, proposal);
    }
    fn reseed(&mut self, stream: Stream) {
        self.0.reseed(stream);
    }
    fn scores(&self, problem: &Problem, out: &mut [f64]) {
        self.0.scores(problem, out);
    }
    fn settings(&self) -> Vec<Resolved> {
        self.0.settings()
    }
}

/// An environment that only says what it must.
struct Rankers(Problem);

impl Environment for Rankers {
    fn problem(&self) -> &Problem {
        &self.0
    }
    fn probability(&self, _: u64, Duel(i, j): Duel) -> f64 {
        RANKERS[i][j]
    }
}

#[test]
fn policies_and_worlds_of_ones_own_meet_the_same_numbers_as_ours() {
    let names = ["ucb-borda", "dexp3", "uniform"];
    for feedback in [Feedback::IMMEDIATE, Feedback::new(Timing::Batched { size: 7 }).losing(0.2)] {
        let mut experiment = experiment(&names);
        (experiment.feedback, experiment.regrets) = (feedback, vec![Notion::Borda, Notion::Copeland]);
        let mut plan = experiment.plan(&NoSources).unwrap();
        assert!(plan.additions().is_empty());
        let build = |name: &'static str| {
            move |problem: &Problem, stream| Ok(Mine(PolicyConfig::named(name)?.build(problem, stream)?))
        };
        let world = plan.add_world("mine", Rankers(rankers(2000).problem().clone())).unwrap();
        for name in names {
            plan.add_policy(&format!("my-{name}"), "Mine", build(name)).unwrap();
            plan.add_pairing(&world, &format!("my-{name}"), "Mine", build(name)).unwrap();
        }
        assert_eq!((plan.combinations(), plan.worlds().len(), plan.additions().len()), (12, 2, 9));
        let results = plan.run_all().unwrap();
        let find = |world: usize, name: &str| {
            results.policies.iter().find(|result| result.world == world && result.policy == name).unwrap()
        };
        for name in names {
            let ours = find(0, name);
            for (world, name) in [(1, name.to_owned()), (0, format!("my-{name}")), (1, format!("my-{name}"))] {
                let theirs = find(world, &name);
                for (a, b) in ours.final_regrets.iter().zip(&theirs.final_regrets) {
                    assert!((a - b).abs() < 1e-9 * a, "{name} in world {world}: {a} and {b}");
                }
                assert_eq!(ours.others[0].final_regrets, theirs.others[0].final_regrets, "{name}");
                assert_eq!(ours.winner_found, theirs.winner_found, "{name}");
            }
        }
        let sizes: Vec<(usize, usize)> = results.groups().map(|(first, group)| (first, group.len())).collect();
        assert_eq!(sizes, [(0, 6), (6, 6)]);
    }
}

/// Asks a random pair, and then rests for as many rounds as it has asked, with the item that won last.
#[derive(Clone, Serialize, Deserialize)]
struct Sleepy {
    stream: Stream,
    round: u64,
    asked: u64,
    left: u64,
    favourite: usize,
    /// Whether it hides that it rests.
    awake: bool,
}

impl Policy for Sleepy {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        self.round += 1;
        if self.left > 0 {
            self.left -= 1;
            return Proposal::new(self.round, Duel(self.favourite, self.favourite), 1.0);
        }
        self.asked += 1;
        self.left = self.asked;
        let (i, j) = self.stream.pair_below(problem.items());
        Proposal::new(self.round, Duel(i, j), None).with_note(Note::new(self.asked, &[]))
    }
    fn tell(&mut self, _: &Problem, proposal: &Proposal, outcome: Outcome) {
        if proposal.note().is_some() {
            self.favourite = if outcome == Outcome::Win { proposal.duel.0 } else { proposal.duel.1 };
        }
    }
    fn cancel(&mut self, _: &Problem, _: &Proposal) {}
    fn fixed_until(&self) -> Option<FixedDuel> {
        let rest = FixedDuel::new(Duel(self.favourite, self.favourite), self.left);
        (self.left > 0 && !self.awake).then_some(rest)
    }
    fn skip(&mut self, rounds: u64) {
        self.round += rounds;
        self.left -= rounds;
    }
    fn reseed(&mut self, stream: Stream) {
        self.stream = stream;
    }
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        out.fill(0.5);
        out[self.favourite] = 1.0;
    }
    fn settings(&self) -> Vec<Resolved> {
        Vec::new()
    }
}

#[test]
fn resting_is_stepping_to_the_byte() {
    let horizon = 3000;
    let arena = Arena::new(rankers(horizon), &[Notion::Borda, Notion::CondorcetMax]).unwrap();
    for feedback in [
        Feedback::IMMEDIATE,
        Feedback::new(Timing::Delayed { least: 0, most: 90 }),
        Feedback::new(Timing::Batched { size: 11 }),
        Feedback::new(Timing::Delayed { least: 3, most: 40 }).losing(0.3),
    ] {
        let start = |awake| {
            let policy = Sleepy { stream: stream(4, &[]), round: 0, asked: 0, left: 0, favourite: 0, awake };
            Run::new(policy, vec![Curve::new(Checkpoints::linear(horizon, 13)); 2], 5, 1, feedback).unwrap()
        };
        let (mut resting, mut awake) = (start(false), start(true));
        awake.until(horizon, &arena);
        // In two parts, saved in between.
        resting.until(1234, &arena);
        let text = serde_json::to_string(&Saved::new(arena.problem(), &resting)).unwrap();
        resting = serde_json::from_str::<Saved<Run<Sleepy, Vec<Curve>>>>(&text).unwrap().open(arena.problem()).unwrap();
        resting.until(horizon, &arena);
        assert_eq!(resting.record, awake.record, "{feedback:?}");
        awake.policy.awake = false;
        let bytes = |policy: &Sleepy| serde_json::to_string(policy).unwrap();
        assert_eq!(bytes(&resting.policy), bytes(&awake.policy), "{feedback:?}");
        assert!(resting.stepped() < 100 && awake.stepped() == horizon, "{}", resting.stepped());
    }
}

#[test]
fn a_hundred_thousand_items_without_features_are_cheap() {
    let items = 100_000;
    let mut problem = Problem::without_features(items).unwrap();
    problem = problem.with_horizon(1_000_000_000).unwrap();
    let mut needless = Vec::new();
    for name in borduel::POLICIES {
        let mut built = None;
        let info = allocation_counter::measure(|| {
            built = Some(PolicyConfig::named(name).unwrap().build(&problem, stream(1, &[])));
            if let Some(Ok(policy)) = &mut built {
                for _ in 0..100 {
                    let proposal = policy.ask(&problem);
                    policy.tell(&problem, &proposal, Outcome::Win);
                }
            }
        });
        match built.unwrap() {
            Ok(_) => needless.push(*name),
            // Those that need features, or cannot do with so many items, say so.
            Err(error) => {
                assert!(["features", "items"].iter().any(|why| error.to_string().contains(why)), "{name}: {error}");
            }
        }
        assert!(info.bytes_max < 100 * items as u64, "{name}: {} bytes", info.bytes_max);
    }
    assert!(["ucb-borda", "dexp3", "etc-borda", "uniform"].iter().all(|name| needless.contains(name)), "{needless:?}");
}

#[test]
fn worlds_that_differ_in_any_pair_have_other_fingerprints() {
    let print = |changed: (usize, usize)| {
        let mut rows = vec![vec![0.5; 150]; 150];
        (rows[changed.0][changed.1], rows[changed.1][changed.0]) = (0.6, 0.4);
        let mut plan = experiment(&[]).plan(&NoSources).unwrap();
        plan.add_world("own", matrix(&rows, None, Link::Logistic, Some(2000)).unwrap()).unwrap();
        plan.worlds()[1].fingerprint()
    };
    assert_eq!(print((3, 77)), print((3, 77)));
    assert_ne!(print((3, 77)), print((3, 78)));
}

#[test]
fn scores_before_people_are_over_the_others_unless_a_policy_has_a_scale_of_its_own() {
    let world = rankers(2000);
    let problem = world.problem();
    let shown = |config: &str| {
        let mut policy = toml::from_str::<PolicyConfig>(config).unwrap().build(problem, stream(5, &[])).unwrap();
        let mut answers = stream(6, &[]);
        for round in 1..=2000 {
            let proposal = policy.ask(problem);
            let won = answers.uniform() < world.probability(round, proposal.duel);
            policy.tell(problem, &proposal, Outcome::from_win(won));
        }
        let mut own = vec![0.0; 6];
        policy.scores(problem, &mut own);
        (own, policy.scores_over_others(problem))
    };
    let (own, over_others) = shown("policy = \"uniform\"");
    for (own, over_others) in own.iter().zip(&over_others) {
        assert!((over_others - (6.0 * own - 0.5) / 5.0).abs() < 1e-12);
    }
    for config in [
        "policy = \"versatile\"",
        "policy = \"winner-stays\"",
        "policy = \"anytime\"\nbase = { policy = \"winner-stays\" }",
    ] {
        let (own, over_others) = shown(config);
        assert_eq!(own, over_others, "{config}");
    }
}
