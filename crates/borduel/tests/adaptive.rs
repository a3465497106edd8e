//! The adaptive policy in small: what `docs/BEYOND.md` reports in full, with margins that a fixed seed keeps.

use borduel::environment::instance::{Instance, Name};
use borduel::environment::{Environment, fixed::Fixed, glm, hard::hard, matrix::matrix};
use borduel::regret::{Checkpoints, Curve};
use borduel::{
    Arena, Duel, Features, Feedback, Link, Outcome, POLICIES, Policy, PolicyConfig, Problem, Run, Timing, stream,
};
use std::collections::BTreeSet;

const HORIZON: u64 = 1_000_000;

/// The final regrets of some replications, and how many of them found the winner and doubted the model.
struct Played {
    regrets: Vec<f64>,
    found: usize,
    refuted: usize,
}

impl Played {
    fn mean(&self) -> f64 {
        self.regrets.iter().sum::<f64>() / self.regrets.len() as f64
    }

    fn median(&self) -> f64 {
        let mut sorted = self.regrets.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

fn play(config: &str, world: &Fixed, runs: u64, end: u64, feedback: Feedback) -> Played {
    let config: PolicyConfig = serde_json::from_str(config).unwrap();
    let prototype = config.build(world.problem(), stream(0, &[])).unwrap();
    let arena = Arena::borda(world).unwrap();
    let mut played = Played { regrets: Vec::new(), found: 0, refuted: 0 };
    for replication in 0..runs {
        let policy = prototype.clone().with_stream(stream(3, &[2, replication, 2]));
        let curve = Curve::new(Checkpoints::from_rounds(vec![end]).unwrap());
        let mut run = Run::new(policy, curve, 3, replication, feedback).unwrap();
        run.until(end, &arena);
        played.regrets.push(run.record.total());
        played.found += usize::from(world.borda().winners().contains(&run.policy.estimate(world.problem())));
        let doubts = run.policy.settings().iter().any(|s| s.value.to_string().contains("does not fit"));
        played.refuted += usize::from(doubts);
    }
    played
}

const ADAPTIVE: &str = r#"{"policy": "betc-glm-adaptive"}"#;

fn hard_case(gap: Option<f64>, horizon: Option<u64>) -> Fixed {
    hard(6, gap, horizon, &mut stream(1, &[1])).unwrap()
}

const TYPICAL: &str = r#"{"policy": "betc-glm-adaptive", "trust": "typical"}"#;

#[test]
fn the_hard_case_costs_a_thirtieth_and_a_fiftieth_where_features_are_trusted() {
    let world = hard_case(None, Some(HORIZON));
    let played = play(ADAPTIVE, &world, 20, HORIZON, Feedback::IMMEDIATE);
    assert!((350.0..600.0).contains(&played.mean()), "{}", played.mean());
    assert_eq!((played.found, played.refuted), (20, 0));
    let played = play(TYPICAL, &world, 20, HORIZON, Feedback::IMMEDIATE);
    assert!((230.0..350.0).contains(&played.mean()), "{}", played.mean());
    assert_eq!((played.found, played.refuted), (20, 0));
}

/// Differences in `dim` directions of items whose utilities have one more, as large as all of these.
fn missing_direction(at: u64, items: usize, dim: usize, strength: f64, horizon: u64) -> Fixed {
    let mut s = stream(33, &[at]);
    let x: Vec<f64> = (0..items * (dim + 1)).map(|_| s.normal()).collect();
    let share = 1.0 / (dim as f64).sqrt();
    let utility = |x: &[f64]| x[..dim].iter().sum::<f64>() * share + x[dim];
    let utilities: Vec<f64> = x.chunks(dim + 1).map(utility).collect();
    let most = utilities.iter().copied().fold(f64::MIN, f64::max);
    let scale = strength / (most - utilities.iter().copied().fold(f64::MAX, f64::min));
    let rows: Vec<Vec<f64>> =
        utilities.iter().map(|a| utilities.iter().map(|b| Link::Logistic.mu(scale * (a - b))).collect()).collect();
    let seen: Vec<f64> = x.chunks(dim + 1).flat_map(|x| x[..dim].iter().copied()).collect();
    let features = Features::differences_scaled(items, dim, &seen).unwrap();
    matrix(&rows, Some(features), Link::Logistic, Some(horizon)).unwrap()
}

#[test]
fn a_direction_that_features_miss_costs_no_more_than_having_no_features() {
    let (horizon, most) = (100_000, 1.5);
    let mut lost = 0;
    for (at, items, dim, strength) in
        [(0, 5, 1, 1.0), (2, 12, 2, 1.3), (4, 20, 2, 3.0), (10, 7, 1, 2.5), (11, 13, 1, 1.0), (13, 8, 1, 0.6)]
    {
        let world = missing_direction(at, items, dim, strength, horizon);
        let without = play(r#"{"policy": "etc-borda"}"#, &world, 20, horizon, Feedback::IMMEDIATE).mean();
        let checked = play(ADAPTIVE, &world, 20, horizon, Feedback::IMMEDIATE).mean();
        // The largest ratio is 1.0, where half of the runs of either end with an item that is nearly as good.
        assert!(checked < most * without, "K = {items}, d = {dim}: {checked} against {without}");
        let typical = play(TYPICAL, &world, 4, horizon, Feedback::IMMEDIATE).mean();
        lost += usize::from(typical > most * without);
    }
    assert!(lost >= 2, "the family is too easy to tell: {lost} of 6 are lost by trusting the features");
}

/// `trust` means the same as in `find-winner`.
#[test]
fn whoever_believes_the_model_altogether_never_refutes_it() {
    let world = missing_direction(4, 20, 2, 3.0, 100_000);
    let refuted = |config: &str| play(config, &world, 4, 100_000, Feedback::IMMEDIATE).refuted;
    assert!(refuted(ADAPTIVE) > 0);
    assert_eq!(refuted(r#"{"policy": "betc-glm-adaptive", "trust": "model"}"#), 0);
}

#[test]
fn pairs_that_no_strengths_explain_do_not_lead_it_to_the_condorcet_winner() {
    let horizon = 100_000;
    let mut instance = Instance::named(Name::CondorcetNotBorda);
    instance.items = Some(8);
    let (world, _) = instance.build(Some(horizon), &mut stream(1, &[1])).unwrap();
    let without = play(r#"{"policy": "etc-borda"}"#, &world, 4, horizon, Feedback::IMMEDIATE).mean();
    let played = play(ADAPTIVE, &world, 20, horizon, Feedback::IMMEDIATE);
    assert!(played.mean() < 0.5 * without, "{} against {without}", played.mean());
    assert_eq!(played.found, 20);
}

#[test]
fn smaller_gaps_cost_what_the_table_says() {
    // Medians of 20 runs: 2,075 and 9,391, with either trust.
    for (gap, most) in [(1.0 / 96.0, 4000.0), (8.7e-4, 13_000.0)] {
        let played = play(ADAPTIVE, &hard_case(Some(gap), Some(HORIZON)), 9, HORIZON, Feedback::IMMEDIATE);
        assert!(played.median() < most, "Δ = {gap}: {}", played.median());
    }
}

#[test]
fn a_model_that_does_not_fit_is_found_out_and_counts_decide() {
    let mut s = stream(20, &[]);
    let k = 20;
    let mut rows = vec![vec![0.5; k]; k];
    for (i, j) in (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))) {
        rows[i][j] = s.uniform();
        rows[j][i] = 1.0 - rows[i][j];
    }
    let features = glm::random_features(k, 3, glm::Shape::Differences, &mut s).unwrap();
    let world = matrix(&rows, Some(features), Link::Logistic, Some(HORIZON)).unwrap();
    let adaptive = play(ADAPTIVE, &world, 15, HORIZON, Feedback::IMMEDIATE);
    let fixed = play(r#"{"policy": "betc-glm-match"}"#, &world, 3, HORIZON, Feedback::IMMEDIATE);
    assert!(adaptive.refuted >= 12, "{}", adaptive.refuted);
    assert!(adaptive.median() < 0.5 * fixed.median(), "{} {}", adaptive.median(), fixed.median());
}

#[test]
fn evidence_is_slower_and_never_wrong_here() {
    let evidence = r#"{"policy": "betc-glm-adaptive", "stop": "evidence"}"#;
    let played = play(evidence, &hard_case(None, Some(HORIZON)), 10, HORIZON, Feedback::IMMEDIATE);
    assert!((400.0..1500.0).contains(&played.mean()), "{}", played.mean());
    assert_eq!(played.found, 10);
}

#[test]
fn exploration_never_exceeds_the_budget() {
    for stop in ["value", "evidence"] {
        let mut s = stream(4, &[]);
        let features = glm::random_features(8, 3, glm::Shape::Pairs, &mut s).unwrap();
        let problem = Problem::new(features, Link::Logistic, Some(3000)).unwrap();
        let config = format!(r#"{{"policy": "betc-glm-adaptive", "stop": "{stop}"}}"#);
        let config: PolicyConfig = serde_json::from_str(&config).unwrap();
        let matching = PolicyConfig::named("betc-glm-match").unwrap().build(&problem, stream(1, &[])).unwrap();
        let setting = |policy: &borduel::AnyPolicy, name: &str| {
            let setting = policy.settings().into_iter().find(|s| s.name == name).unwrap();
            setting.value.to_string().parse::<f64>().unwrap()
        };
        let mut policy = config.build(&problem, stream(1, &[])).unwrap();
        let allowed = setting(&policy, "exploration_regret");
        assert_eq!(allowed, 2.0 * setting(&matching, "exploration"));
        // Coin tosses: nothing to be found, so that exploration goes on as long as it may.
        let mut explored = 0;
        while policy.committed().is_none() && explored < 3000 {
            let proposal = policy.ask(&problem);
            explored += 1;
            policy.tell(&problem, &proposal, Outcome::from_win(s.uniform() < 0.5));
        }
        // The last question may cross the bound, and none costs more than 2.
        let spent = serde_json::to_value(&policy).unwrap()["betc-glm-adaptive"]["spent"].as_f64().unwrap();
        assert!(spent > 0.0 && spent <= allowed + 2.0, "{stop}: {spent} of {allowed}");
    }
}

#[test]
fn answers_that_never_come_or_are_taken_back_do_not_hold_it_up() {
    let world = hard(3, None, Some(4000), &mut stream(1, &[])).unwrap();
    let problem = world.problem();
    for cancel in [false, true] {
        let mut policy =
            serde_json::from_str::<PolicyConfig>(ADAPTIVE).unwrap().build(problem, stream(5, &[2])).unwrap();
        let mut rounds = 0;
        while policy.committed().is_none() {
            rounds += 1;
            assert!(rounds < 4000, "cancel: {cancel}");
            let proposal = policy.ask(problem);
            if cancel {
                policy.cancel(problem, &proposal);
            }
        }
        assert_eq!(policy.ask(problem).duel, policy.committed().unwrap());
    }
}

#[test]
fn batches_cost_little_more() {
    let world = hard_case(None, Some(HORIZON));
    let alone = play(ADAPTIVE, &world, 15, HORIZON, Feedback::IMMEDIATE).mean();
    for size in [10_u64, 100, 1000] {
        let batched = play(ADAPTIVE, &world, 15, HORIZON, Feedback::new(Timing::Batched { size }));
        // One round costs about ½ before anything is known.
        assert!(batched.mean() <= 1.3 * alone + 0.5 * size as f64, "{size}: {} against {alone}", batched.mean());
        assert_eq!(batched.found, 15);
    }
    let late = play(ADAPTIVE, &world, 15, HORIZON, Feedback::new(Timing::Delayed { least: 0, most: 1000 }));
    assert!(late.mean() <= 1.3 * alone + 500.0, "{}", late.mean());
    // The same where a batch is a tenth of all rounds, or every answer that late: nothing is lost but the rounds before
    // the first.
    let short = 50_000;
    let world = hard_case(None, Some(short));
    let alone = play(ADAPTIVE, &world, 10, short, Feedback::IMMEDIATE).mean();
    for timing in [Timing::Batched { size: 5000 }, Timing::Delayed { least: 5000, most: 5000 }] {
        let late = play(ADAPTIVE, &world, 10, short, Feedback::new(timing));
        assert!(late.mean() <= 2.0 * alone + 0.5 * 5000.0, "{timing:?}: {} against {alone}", late.mean());
    }
}

#[test]
fn questions_asked_together_differ_and_know_of_each_other() {
    let world = hard_case(None, Some(HORIZON));
    let problem = world.problem();
    for config in POLICIES.iter().map(|name| PolicyConfig::named(name).unwrap()).filter(|c| !c.needs_item_features()) {
        let name = config.name();
        let mut together = config.build(problem, stream(1, &[])).unwrap();
        let mut alone = together.clone();
        let proposals = together.ask_many(problem, 100);
        let one_by_one: Vec<_> = (0..100).map(|_| alone.ask(problem)).collect();
        assert_eq!(proposals, one_by_one, "{name}");
        let rounds: Vec<u64> = proposals.iter().map(|p| p.round).collect();
        assert_eq!(rounds, (1..=100).collect::<Vec<_>>(), "{name}");
        let different: BTreeSet<Duel> = proposals.iter().map(|p| p.duel).collect();
        // The winner stays until an answer says otherwise.
        if !name.starts_with("winner-stays") {
            assert!(different.len() > 20, "{name}: {}", different.len());
        }
    }
    // Once it has seen that answers are late, the adaptive policy does not fill a large batch with questions that the
    // first answers would make needless.
    let mut policy = PolicyConfig::named("betc-glm-adaptive").unwrap().build(problem, stream(1, &[])).unwrap();
    let mut s = stream(9, &[]);
    let mut informative = Vec::new();
    for _ in 0..3 {
        let proposals = policy.ask_many(problem, 1000);
        informative.push(proposals.iter().filter(|p| p.duel.0 != p.duel.1).count());
        for proposal in proposals {
            let won = s.uniform() < world.probability(1, proposal.duel);
            policy.tell(problem, &proposal, Outcome::from_win(won));
        }
    }
    assert!(informative[0] > 950 && informative[1] < 600 && informative[2] < 600, "{informative:?}");
}

#[test]
fn without_a_horizon_it_costs_at_most_twice_as_much() {
    let endless = hard_case(None, None);
    for end in [10_000, 100_000] {
        let knowing = play(ADAPTIVE, &hard_case(None, Some(end)), 40, end, Feedback::IMMEDIATE).mean();
        let anytime = play(ADAPTIVE, &endless, 40, end, Feedback::IMMEDIATE).mean();
        assert!(anytime < 2.0 * knowing, "{end}: {anytime} against {knowing}");
    }
}

#[test]
fn doubling_costs_less_than_the_theory_allows() {
    // Taken over: 2; started afresh: 3. BEXP3's own schedule is held to the same.
    for (base, end, most) in [
        ("betc-glm-match", 10_000, 2.0),
        ("betc-glm-match", 100_000, 2.0),
        ("betc-glm", 100_000, 2.0),
        ("etc-borda", 100_000, 2.0),
        ("bexp3", 10_000, 3.0),
        ("dexp3", 10_000, 3.0),
    ] {
        let own = format!(r#"{{"policy": "{base}"}}"#);
        let wrapped = format!(r#"{{"policy": "anytime", "base": {own}, "method": "doubling"}}"#);
        let endless = hard_case(None, None);
        let knowing = play(&own, &hard_case(None, Some(end)), 5, end, Feedback::IMMEDIATE).mean();
        let anytime = play(&wrapped, &endless, 5, end, Feedback::IMMEDIATE).mean();
        assert!(anytime < most * knowing, "{base} at {end}: {anytime} against {knowing}");
        if base == "bexp3" {
            let wrapped = format!(r#"{{"policy": "anytime", "base": {own}}}"#);
            let native = play(&own, &endless, 5, end, Feedback::IMMEDIATE).mean();
            let within = play(&wrapped, &hard_case(None, Some(77)), 5, end, Feedback::IMMEDIATE).mean();
            assert!((native / within - 1.0).abs() < 0.2, "{native} {within}: only the random numbers differ");
            assert!(native < most * knowing, "{base} at {end}: {native} against {knowing}");
        }
    }
}

#[test]
fn a_longer_run_asks_only_what_the_shorter_ones_did_not() {
    for (base, end, last) in [("betc-glm-match", 7000, 4000), ("betc-glm", 15_000, 8000), ("etc-borda", 15_000, 8000)] {
        // Runs of 1,000, 2,000, 4,000 … rounds; all explorations together are that of the last one.
        let own = PolicyConfig::named(base).unwrap();
        let longest = own.build(hard_case(None, Some(last)).problem(), stream(1, &[])).unwrap();
        let setting = longest.settings().into_iter().find(|s| s.name == "exploration").unwrap();
        let exploration: u64 = setting.value.to_string().parse().unwrap();
        let world = hard_case(None, None);
        let config = format!(r#"{{"policy": "anytime", "base": {{"policy": "{base}"}}}}"#);
        let config: PolicyConfig = serde_json::from_str(&config).unwrap();
        let mut policy = config.build(world.problem(), stream(1, &[])).unwrap();
        let mut s = stream(2, &[]);
        let mut explored = 0;
        for round in 1..=end {
            let proposal = policy.ask(world.problem());
            assert_eq!(proposal.round, round);
            explored += u64::from(proposal.duel.0 != proposal.duel.1);
            let won = s.uniform() < world.probability(round, proposal.duel);
            policy.tell(world.problem(), &proposal, Outcome::from_win(won));
        }
        // One uniform pair in 128 is an item against itself.
        let missing = exploration.saturating_sub(explored) as f64;
        assert!(
            explored <= exploration && missing < 0.012 * exploration as f64 + 5.0,
            "{base}: {explored} of {exploration}"
        );
    }
}

#[test]
fn two_items_and_equal_items_are_no_trouble() {
    let features = Features::differences(2, 1, &[0.0, 0.5]).unwrap();
    let problem = Problem::new(features, Link::Probit, Some(500)).unwrap();
    let mut policy = serde_json::from_str::<PolicyConfig>(ADAPTIVE).unwrap().build(&problem, stream(1, &[])).unwrap();
    for _ in 0..500 {
        let proposal = policy.ask(&problem);
        let Duel(i, j) = proposal.duel;
        policy.tell(&problem, &proposal, Outcome::from_win(i > j));
    }
    assert_eq!(policy.estimate(&problem), 1);
}
