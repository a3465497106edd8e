//! Answers that come late, were given up, or never come: what single policies promise about them.

use super::{HORIZON, arena};
use borduel::environment::{Environment, hard::hard};
use borduel::regret::{Checkpoints, Curve};
use borduel::{AnyPolicy, Feedback, Outcome, Policy, PolicyConfig, Run, Timing, stream};
use rustix::time::{ClockId, clock_gettime};

#[test]
fn answers_that_were_given_up_do_not_close_newer_questions() {
    // Neighbours that are hard to tell apart, so that it explores on.
    let world = hard(6, Some(0.004), Some(1_000_000), &mut stream(1, &[])).unwrap();
    let problem = world.problem();
    let config: PolicyConfig = toml::from_str("policy = \"betc-glm-adaptive\"\npatience = 3").unwrap();
    let mut policy = config.build(problem, stream(5, &[2])).unwrap();
    let open =
        |policy: &AnyPolicy| serde_json::to_value(policy).unwrap()["betc-glm-adaptive"]["open"].as_u64().unwrap();
    let mut s = stream(6, &[]);
    let mut early = policy.ask_many(problem, 200);
    // So many late answers that it rations its questions: it then waits for the others, and gives them up.
    for proposal in early.drain(..100) {
        let won = s.uniform() < world.probability(1, proposal.duel);
        policy.tell(problem, &proposal, Outcome::from_win(won));
    }
    let mut asked = 0;
    while open(&policy) > 50 {
        policy.ask(problem);
        asked += 1;
        assert!(asked < 100_000 && policy.committed().is_none(), "it was to give up and explore again");
    }
    policy.ask_many(problem, 10);
    let before = open(&policy);
    assert!((2..50).contains(&before), "{before}");
    for proposal in early.drain(..20) {
        policy.tell(problem, &proposal, Outcome::Win);
        assert_eq!(open(&policy), before, "an old answer closed a new question");
    }
}

#[test]
fn letters_may_take_as_long_as_they_like() {
    let horizon = 100_000;
    let world = hard(2, None, Some(horizon), &mut stream(1, &[])).unwrap();
    let policy = PolicyConfig::named("uniform").unwrap().build(world.problem(), stream(5, &[2])).unwrap();
    for most in [1_000_000_000, u64::MAX] {
        let start = clock_gettime(ClockId::ThreadCPUTime).tv_sec;
        let feedback = Feedback::new(Timing::Delayed { least: 0, most });
        let curve = Curve::new(Checkpoints::linear(horizon, 5));
        let mut run = Run::new(policy.clone(), curve, 5, 3, feedback).unwrap();
        run.until(horizon, &arena(&world));
        // A list in order of arrival took 51 seconds.
        assert!(clock_gettime(ClockId::ThreadCPUTime).tv_sec - start < 6);
    }
}

#[test]
fn explore_then_commit_never_waits_for_answers_that_never_come() {
    let world = hard(3, None, Some(HORIZON), &mut stream(1, &[])).unwrap();
    let problem = world.problem();
    for name in ["betc-glm", "betc-glm-match", "etc-borda"] {
        // Not one answer: it explores, waits as long as its patience, and commits all the same.
        let mut policy = PolicyConfig::named(name).unwrap().build(problem, stream(5, &[2])).unwrap();
        let exploration = policy.settings().iter().find(|s| s.name == "exploration").unwrap().value.to_string();
        let exploration: u64 = exploration.parse().unwrap();
        for round in 1..=HORIZON {
            assert_eq!(policy.committed().is_some(), round > 2 * exploration + 1, "{name} in round {round}");
            policy.ask(problem);
        }
    }
}

#[test]
fn cancelled_exploration_is_asked_again() {
    let world = hard(3, None, Some(HORIZON), &mut stream(1, &[])).unwrap();
    let problem = world.problem();
    for name in ["betc-glm-match", "etc-borda"] {
        let mut policy = PolicyConfig::named(name).unwrap().build(problem, stream(5, &[2])).unwrap();
        let exploration: u64 =
            policy.settings().iter().find(|s| s.name == "exploration").unwrap().value.to_string().parse().unwrap();
        let (mut answered, mut asked) = (0, 0_u64);
        while policy.committed().is_none() {
            let proposal = policy.ask(problem);
            asked += 1;
            if asked % 4 == 0 {
                policy.cancel(problem, &proposal);
            } else {
                answered += 1;
                policy.tell(problem, &proposal, Outcome::Win);
            }
        }
        assert_eq!(answered, exploration, "{name}");
        // Voters who skip everything do not keep it exploring for ever.
        let mut policy = PolicyConfig::named(name).unwrap().build(problem, stream(5, &[2])).unwrap();
        for _ in 0..2 * exploration {
            let proposal = policy.ask(problem);
            policy.cancel(problem, &proposal);
        }
        assert!(policy.committed().is_some(), "{name}");
    }
}

#[test]
fn open_questions_count_in_the_bonus_and_cancelled_ones_do_not() {
    let world = hard(2, None, Some(HORIZON), &mut stream(1, &[])).unwrap();
    let problem = world.problem();
    let mut policy = PolicyConfig::named("ucb-borda").unwrap().build(problem, stream(5, &[2])).unwrap();
    let k = problem.items();
    // Without a single answer every item is asked equally often: nobody is asked over and over.
    let mut asked = vec![0; k];
    for _ in 0..10 * k {
        asked[policy.ask(problem).duel.0] += 1;
    }
    assert!(asked.iter().all(|n| *n == 10), "{asked:?}");
    let proposal = policy.ask(problem);
    policy.cancel(problem, &proposal);
    assert_eq!(policy.ask(problem).duel.0, proposal.duel.0);
}
