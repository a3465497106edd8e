//! The doubling of `anytime` held against naive versions that know nothing of runs within runs.

use crate::naive::{Dexp3, Phi, argmax, gradient_fit};
use borduel::environment::{Environment, fixed::Fixed, hard::hard, matrix::matrix};
use borduel::{AnyPolicy, Duel, Link, Outcome, Policy, PolicyConfig, stream};

const FIRST: u64 = 1000;
const ROUNDS: u64 = 15_000;

fn endless() -> Fixed {
    hard(2, Some(0.1), None, &mut stream(3, &[])).unwrap()
}

fn doubled(base: &str, world: &Fixed) -> AnyPolicy {
    let text = format!("policy = \"anytime\"\nbase = {{ policy = \"{base}\" }}\nfirst = {FIRST}");
    toml::from_str::<PolicyConfig>(&text).unwrap().build(world.problem(), stream(5, &[2])).unwrap()
}

/// The length of the run that a round lies in, and the round within it: 1,000 rounds, then 2,000, 4,000 and so on.
fn run_of(round: u64) -> (u64, u64) {
    let (mut before, mut length) = (0, FIRST);
    while round > before + length {
        before += length;
        length *= 2;
    }
    (length, round - before)
}

/// Plays on, showing every step: round, duel, reward, propensity.
fn play(policy: &mut AnyPolicy, world: &Fixed, mut each: impl FnMut(u64, Duel, f64, f64)) {
    let mut answers = stream(8, &[]);
    for round in 1..=ROUNDS {
        let proposal = policy.ask(world.problem());
        assert_eq!(proposal.round, round);
        let outcome = Outcome::from_win(answers.uniform() < world.probability(round, proposal.duel));
        each(round, proposal.duel, outcome.reward(), proposal.propensity.unwrap());
        policy.tell(world.problem(), &proposal, outcome);
    }
}

#[test]
fn what_cannot_be_taken_over_starts_afresh_for_twice_as_long() {
    let world = endless();
    let k = world.problem().items();
    let mut naive = Dexp3::new(k, FIRST as f64);
    play(&mut doubled("dexp3", &world), &world, |round, Duel(i, j), reward, propensity| {
        let (length, within) = run_of(round);
        if within == 1 {
            naive = Dexp3::new(k, length as f64);
        }
        let q = naive.q();
        assert!((propensity / (q[i] * q[j]) - 1.0).abs() < 1e-9, "round {round}");
        naive.learn(&q, i, j, reward);
    });
}

#[test]
fn etc_borda_explores_what_the_longer_run_asks_more_and_keeps_all_answers() {
    let world = endless();
    let k = world.problem().items();
    let (mut explored, mut count, mut wins) = (0, vec![0.0; k], vec![0.0; k]);
    let mut rests = 0;
    play(&mut doubled("etc-borda", &world), &world, |round, Duel(i, j), reward, _| {
        let t = run_of(round).0 as f64;
        let samples = ((t / k as f64).powf(2.0 / 3.0) * (k as f64 * t).ln().cbrt()).ceil() as usize;
        if explored < (k * samples).min(t as usize) {
            assert_eq!(i, explored % k, "round {round}");
            explored += 1;
            count[i] += 1.0;
            wins[i] += reward;
        } else {
            let best = argmax(&(0..k).map(|a| wins[a] / count[a]).collect::<Vec<_>>());
            assert_eq!((i, j), (best, best), "round {round}");
            rests += 1;
        }
    });
    assert!(rests > 5000, "{rests}");
}

#[test]
fn betc_glm_match_commits_to_the_fit_of_all_answers_of_all_runs() {
    let world = endless();
    let phi = Phi::of(world.problem());
    let (mut answers, mut fitted, mut runs) = (Vec::new(), None, 0);
    play(&mut doubled("betc-glm-match", &world), &world, |round, Duel(i, j), reward, _| {
        let (length, within) = run_of(round);
        if within == 1 {
            fitted = None;
        }
        // What the run of this length explores in all, by the formulas: τ uniform pairs, then the design.
        let horizon = world.problem().with_horizon(length).unwrap();
        let whole = PolicyConfig::named("betc-glm-match").unwrap().build(&horizon, stream(1, &[]));
        let exploration = || -> usize {
            let settings = whole.as_ref().unwrap().settings();
            settings.iter().find(|s| s.name == "exploration").unwrap().value.to_string().parse().unwrap()
        };
        if fitted.is_none() && answers.len() < exploration() {
            answers.push((i, j, reward));
            return;
        }
        let best = *fitted.get_or_insert_with(|| {
            runs += 1;
            argmax(&phi.borda(world.problem().link(), &gradient_fit(world.problem().link(), &phi, &answers)))
        });
        assert_eq!((i, j), (best, best), "round {round}");
    });
    assert_eq!(runs, 4);
}

#[test]
fn an_answer_to_an_earlier_run_changes_nothing() {
    let world = endless();
    let problem = world.problem();
    for base in ["dexp3", "etc-borda", "betc-glm-match"] {
        let mut policy = doubled(base, &world);
        let first = policy.ask(problem);
        for _ in 0..FIRST {
            let proposal = policy.ask(problem);
            policy.tell(problem, &proposal, Outcome::Win);
        }
        let before = serde_json::to_string(&policy).unwrap();
        policy.tell(problem, &first, Outcome::Win);
        policy.cancel(problem, &first);
        assert_eq!(serde_json::to_string(&policy).unwrap(), before, "{base}");
    }
}

#[test]
fn the_best_item_is_the_one_that_the_base_names() {
    // Item 0 beats everybody by little, item 1 all but it by much: the Condorcet winner is not the Borda winner.
    let rows = [vec![0.5, 0.6, 0.6], vec![0.4, 0.5, 0.99], vec![0.4, 0.01, 0.5]];
    let world = matrix(&rows, None, Link::Logistic, None).unwrap();
    for base in ["rucb", "rmed", "ccb"] {
        let mut policy = doubled(base, &world);
        let mut answers = stream(8, &[]);
        for round in 1..=ROUNDS {
            let proposal = policy.ask(world.problem());
            let won = answers.uniform() < world.probability(round, proposal.duel);
            policy.tell(world.problem(), &proposal, Outcome::from_win(won));
        }
        assert_eq!(policy.estimate(world.problem()), 0, "{base}");
    }
}
