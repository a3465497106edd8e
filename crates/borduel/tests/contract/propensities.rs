//! The probability on a ticket is that with which its question is asked.

use super::home;
use super::variants::{config, every, policy};
use borduel::environment::Environment;
use borduel::{AnyPolicy, Duel, Outcome, Policy, Problem, stream};
use std::collections::BTreeMap;

/// How often the next question of a policy is drawn anew.
const DRAWS: u32 = 3000;

/// Whether the law of its questions has a closed form, so that every ticket says how likely its duel was.
fn has_known_law(name: &str) -> bool {
    let unknown = ["dts", "merge", "self-sparring", "colstim", "fgts", "greedy-glm"];
    !unknown.contains(&policy(name)) || name.contains("choice = 'ucb'")
}

/// How often a duel came, and all that its tickets said about its probability.
#[derive(Default)]
struct Drawn {
    count: f64,
    chances: Vec<Option<f64>>,
}

/// The next question of a policy, drawn anew many times.
fn next(policy: &AnyPolicy, problem: &Problem) -> BTreeMap<Duel, Drawn> {
    let mut duels: BTreeMap<Duel, Drawn> = BTreeMap::new();
    for draw in 0..DRAWS {
        let proposal = policy.clone().with_stream(stream(u64::from(draw), &[9])).ask(problem);
        let drawn = duels.entry(proposal.duel).or_default();
        drawn.count += 1.0;
        if !drawn.chances.contains(&proposal.propensity) {
            drawn.chances.push(proposal.propensity);
        }
    }
    duels
}

/// Holds the counts against what the tickets say: each of those that are likely, and all others together.
fn hold(name: &str, round: u64, duels: &BTreeMap<Duel, Drawn>) {
    let (mut rare, mut rest) = (0.0, 1.0);
    let n = f64::from(DRAWS);
    let near =
        |count: f64, chance: f64| (count - n * chance).abs() <= 5.0 * (n * chance * (1.0 - chance)).sqrt() + 1e-6;
    for (duel, Drawn { count, chances }) in duels {
        let &[Some(chance)] = &chances[..] else {
            panic!("{name}, round {round}: of {duel:?} tickets say {chances:?}");
        };
        if chance * n < 10.0 {
            rare += count;
            continue;
        }
        rest -= chance;
        assert!(
            near(*count, chance),
            "{name}, round {round}: {duel:?} came {count} times of {n}, its ticket says {chance}"
        );
    }
    assert!(near(rare, rest.max(0.0)), "{name}, round {round}: others came {rare} times of {n}, tickets leave {rest}");
}

#[test]
fn a_propensity_is_the_chance_of_its_question() {
    for name in every() {
        let world = home(name, 2000);
        let problem = world.problem();
        let mut policy = config(name).build(problem, stream(5, &[2])).unwrap();
        let mut answers = stream(5, &[3]);
        let mut by_chance = 0;
        for round in 1..=2000 {
            let proposal = policy.ask(problem);
            // Every third answer is late for ever.
            if round % 3 > 0 {
                let won = answers.uniform() < world.probability(round, proposal.duel);
                policy.tell(problem, &proposal, Outcome::from_win(won));
            }
            if has_known_law(name) && [1, 40, 124, 130, 200, 777, 1999].contains(&round) {
                let duels = next(&policy, problem);
                hold(name, round, &duels);
                by_chance += u32::from(duels.len() > 1);
            }
        }
        println!("{name}: {by_chance} by chance");
    }
}
