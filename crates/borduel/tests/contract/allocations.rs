//! What a round of exploration allocates: for nearly all policies nothing.

use super::fits;
use super::variants::{config, every, policy};
use borduel::environment::{Environment, fixed::Fixed, glm, hard::hard};
use borduel::{Link, Outcome, Policy, stream};

/// Rounds of exploration (two different items asked) among the first `rounds`, and in how many of them something was
/// allocated from the second round on.
fn allocating_rounds(name: &str, world: &Fixed, rounds: u64) -> (u64, u64) {
    let problem = world.problem();
    let mut policy = config(name).build(problem, stream(5, &[2])).unwrap();
    let mut answers = stream(5, &[3]);
    let (mut explored, mut allocated) = (0, 0);
    for round in 1..=rounds {
        let mut exploring = false;
        let info = allocation_counter::measure(|| {
            let proposal = policy.ask(problem);
            exploring = proposal.duel.0 != proposal.duel.1;
            let won = answers.uniform() < world.probability(round, proposal.duel);
            policy.tell(problem, &proposal, Outcome::from_win(won));
        });
        if exploring && round > 1 {
            explored += 1;
            allocated += u64::from(info.count_total > 0);
        }
    }
    (explored, allocated)
}

#[test]
fn exploration_allocates_nothing() {
    // Neighbours that are hard to tell apart, so that even the adaptive policy explores for long; and items with
    // vectors of their own that are just as hard to tell apart.
    let world = hard(6, Some(0.004), Some(1_000_000), &mut stream(1, &[])).unwrap();
    let features = glm::random_features(8, 3, glm::Shape::Differences, &mut stream(2, &[])).unwrap();
    let vectors = glm::glm(features, Link::Logistic, None, Some(0.05), Some(1_000_000), &mut stream(3, &[])).unwrap();
    for name in every() {
        // A look of find-winner takes long with many items.
        let few = !fits(name, world.problem()) || policy(name) == "find-winner";
        let (explored, allocated) = allocating_rounds(name, if few { &vectors } else { &world }, 20_000);
        println!("{name}: {allocated} of {explored} rounds allocated");
        assert!(explored > 1000, "{name} explored {explored} rounds only: nothing is tested");
        assert!(allocated <= most(name), "{name}: {allocated} of {explored} rounds allocated");
    }
}

/// The pairs of the eight items with vectors.
const PAIRS: u64 = 28;

/// The rounds that may allocate.
fn most(name: &str) -> u64 {
    match policy(name) {
        // A look at the answers, whenever there are 10 % more of them: from 32 on, 68 times up to 20,000.
        "betc-glm-adaptive" => 70,
        // The same without an end.
        "anytime" if name.contains("betc-glm-adaptive") => 70,
        // Eight runs, each with a table of its own.
        "anytime" if name.contains("max-inp") => 8 * PAIRS,
        // The beginnings of the runs after rounds 1,000, 3,000, 7,000 and 15,000, and the ends of five explorations.
        "anytime" => 9,
        // A look fits a model, whenever there are 1/32 more answers, and at least 4: 38 times up to 160, and 165 times
        // up to 20,000. And a tree of the pairs asked grows.
        // In a chain the likeliest winners, after every answer up to ten an item.
        "find-winner" => 203 + PAIRS + 80 * u64::from(name.contains("chain")),
        // Tables that grow to their full size in the beginning.
        "bexp3" | "bexp3-centred" => 2,
        // The end of an exploration.
        "etc-borda" => 1,
        // New buckets: 20,000 answers fill at most 1,250 of them, which lie on eleven levels, two on each.
        "track-borda" | "track-linear" => 24,
        // A table of draws, when items tie for the first time.
        "dts" => u64::from(name.contains("plus")),
        // Tables of batches that are asked about for the first time (64 at most), eliminations (127 at most), and seven
        // merges.
        "merge" => 198,
        // Lists of victors that grow to their full size; the vectors asked on the hard case, which has 2^(d+1).
        "ccb" | "greedy-glm" => 128,
        // Eliminations.
        "active-ranking" => 127,
        // A table of the vectors asked, as it grows; vacdb has one for each of its five layers.
        "max-inp" | "colstim" | "max-pair-ucb" | "max-min-lcb" | "fgts" => PAIRS,
        "vacdb" => 5 * PAIRS,
        _ => 0,
    }
}
