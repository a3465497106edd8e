//! Are tiers wrong in at most 5 % of cases, all of them together? Measured by simulation.

mod worlds;

use borduel_rank::ranking::{Model, RankOptions, rank};
use borduel_rank::stream;
use rayon::prelude::*;
use worlds::{World, ballots, truth};

const PLAIN: World = World { items: 10, votes: 1_000, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 };

/// Worlds by name: how votes are made, and the items' strengths as a function of place and a normal number.
type Strength = fn(usize, f64) -> f64;
const WORLDS: [(&str, World, Strength); 6] = [
    ("10 equal items", PLAIN, |_, _| 0.0),
    ("3 equal items", World { items: 3, votes: 300, ..PLAIN }, |_, _| 0.0),
    ("2 equal items far above 8 equal ones", PLAIN, |i, _| if i < 2 { 2.0 } else { 0.0 }),
    ("five pairs of equal items", World { votes: 4_000, ..PLAIN }, |i, _| (i / 2) as f64),
    ("12 items, strengths normal with deviation 0.7", World { items: 12, votes: 3_000, ..PLAIN }, |_, z| 0.7 * z),
    (
        "8 items, 60 voters with habits of 0.5, 30 % ties",
        World { items: 8, votes: 1_200, voters: 60, habit: 0.5, ties: 0.3, ..PLAIN },
        |_, z| 0.5 * z,
    ),
];

/// The share of simulations in which a tier says something false (an item of tier t > 1 is worse than no item of tier
/// t − 1), the same without what the verdict says of a single winner, and the mean number of tiers.
fn measured(world: &World, strength: Strength, simulations: u64) -> (f64, f64, f64) {
    let one = |simulation: u64| {
        let mut s = stream(simulation, &[0x71e5]);
        let strengths: Vec<f64> = (0..world.items).map(|i| strength(i, s.normal())).collect();
        let truth = truth(world, &strengths);
        let ranking = rank(&ballots(world, &strengths, &mut s), &Model::OneHot, &RankOptions::default()).unwrap();
        let tiers = ranking.tiers();
        let placed: Vec<(usize, f64)> =
            tiers.iter().zip(&ranking.items).map(|(tier, score)| (*tier, truth[score.item])).collect();
        let wrong = |&(tier, own): &(usize, f64)| {
            tier > 1 && !placed.iter().any(|&(above, b)| above + 1 == tier && b > own + 1e-9)
        };
        let of_winner = |(tier, _): &(usize, f64)| *tier == 2 && ranking.verdict.winners.len() == 1;
        let any = placed.iter().any(wrong);
        let below = placed.iter().any(|item| wrong(item) && !of_winner(item));
        (f64::from(u8::from(any)), f64::from(u8::from(below)), *tiers.iter().max().unwrap() as f64)
    };
    let found: Vec<(f64, f64, f64)> = (0..simulations).into_par_iter().map(one).collect();
    let mean = |pick: fn(&(f64, f64, f64)) -> f64| found.iter().map(pick).sum::<f64>() / simulations as f64;
    (mean(|f| f.0), mean(|f| f.1), mean(|f| f.2))
}

/// Few simulations, so that it is quick: 5 % of 200 have a standard error of 1.5 points.
#[test]
fn tiers_are_wrong_in_5_percent_of_cases_at_most_all_together() {
    for (name, world, strength) in &WORLDS[..4] {
        let (wrong, _, tiers) = measured(world, *strength, 200);
        assert!(wrong <= 0.09, "{name}: {wrong}");
        if *name == "five pairs of equal items" {
            assert!(tiers > 3.5, "{tiers} tiers of five");
        }
    }
}

#[test]
#[ignore = "minutes: the whole table of docs/COVERAGE.md"]
fn tiers_of_all_worlds() {
    let simulations = std::env::var("SIMULATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    for (name, world, strength) in &WORLDS {
        let (wrong, below, tiers) = measured(world, *strength, simulations);
        println!("| {name}, {} votes | {:.1} | {:.1} | {tiers:.1} |", world.votes, 100.0 * wrong, 100.0 * below);
        assert!(below <= 0.05 + 3.0 * (0.0475 / simulations as f64).sqrt(), "{name}: {below}");
    }
}
