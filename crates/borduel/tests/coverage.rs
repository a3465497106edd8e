//! Do the 95 % intervals contain the truth in 95 % of cases? Measured by simulation, for every model, with and without voters.

mod worlds;

use borduel::ranking::{Model, RankOptions, rank};
use borduel::{Features, stream};
use rayon::prelude::*;
use worlds::{DIM, Kind, World, ballots, strengths, truth};

/// The mean over items of the share of simulations whose interval contains the truth, and the share of simulations in which
/// the rank intervals of all items do.
fn coverage(world: &World, kind: Kind, simulations: u64) -> (f64, f64) {
    let k = world.items;
    let mut s = stream(99, &[]);
    let x: Vec<f64> = (0..k * DIM).map(|_| s.normal()).collect();
    let features = Features::differences_scaled(k, DIM, &x).unwrap();
    let model = match kind {
        Kind::Features => Model::Features(features),
        Kind::OneHot => Model::OneHot,
        Kind::Counts => Model::Counts,
    };
    let one = |simulation: u64| {
        // A new truth every 20 simulations.
        let strengths = strengths(world, &x, kind, &mut stream(simulation / 20, &[7]));
        let truth = truth(world, &strengths);
        let votes = ballots(world, &strengths, &mut stream(simulation, &[8]));
        let ranking = rank(&votes, &model, &RankOptions::default()).unwrap();
        let (mut inside, mut ranks) = (0.0, 1.0);
        for score in &ranking.items {
            let b = truth[score.item];
            inside += f64::from(u8::from((score.borda.low..=score.borda.high).contains(&b)));
            let rank = 1 + truth.iter().filter(|&&other| other > b).count();
            if !(score.rank.0..=score.rank.1).contains(&rank) {
                ranks = 0.0;
            }
        }
        (inside / ranking.items.len() as f64, ranks)
    };
    let results: Vec<(f64, f64)> = (0..simulations).into_par_iter().map(one).collect();
    let mean = |pick: fn(&(f64, f64)) -> f64| results.iter().map(pick).sum::<f64>() / results.len() as f64;
    (mean(|r| r.0), mean(|r| r.1))
}

/// Worlds within the stated regime: at least 30 voters (or independent votes), 20 votes an item, no separation.
const REGIME: [World; 6] = [
    World { items: 5, votes: 200, voters: 0, spread: 0.5, habit: 0.0, ties: 0.0 },
    World { items: 5, votes: 200, voters: 30, spread: 0.5, habit: 0.5, ties: 0.0 },
    World { items: 8, votes: 400, voters: 0, spread: 0.7, habit: 0.0, ties: 0.3 },
    World { items: 8, votes: 400, voters: 60, spread: 0.7, habit: 1.0, ties: 0.3 },
    World { items: 5, votes: 50, voters: 0, spread: 0.5, habit: 0.0, ties: 0.0 },
    World { items: 5, votes: 50, voters: 30, spread: 0.5, habit: 0.5, ties: 0.0 },
];

/// Worlds outside it: few voters, near separation, unanimous pairs.
const BEYOND: [World; 5] = [
    World { items: 5, votes: 200, voters: 5, spread: 0.5, habit: 0.5, ties: 0.0 },
    World { items: 5, votes: 200, voters: 10, spread: 0.5, habit: 1.0, ties: 0.0 },
    World { items: 5, votes: 25, voters: 0, spread: 0.5, habit: 0.0, ties: 0.0 },
    World { items: 5, votes: 100, voters: 0, spread: 2.5, habit: 0.0, ties: 0.0 },
    World { items: 10, votes: 100, voters: 30, spread: 2.0, habit: 0.5, ties: 0.0 },
];

const KINDS: [Kind; 3] = [Kind::Features, Kind::OneHot, Kind::Counts];

/// Few simulations, so that it is quick; their own error is ±1.5 points. `survey` makes many.
#[test]
fn intervals_contain_the_truth_as_often_as_they_say() {
    for world in &REGIME[1..3] {
        for kind in KINDS {
            let (inside, ranks) = coverage(world, kind, 150);
            assert!((0.91..0.985).contains(&inside), "{world:?} {kind:?}: {inside}");
            assert!(ranks > 0.92, "{world:?} {kind:?}: {ranks}");
        }
    }
}

#[test]
#[ignore = "2,000 simulations of every world, for the documentation: some minutes"]
fn survey() {
    let simulations = std::env::var("SIMULATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    for (regime, worlds) in [("within", REGIME.as_slice()), ("beyond", BEYOND.as_slice())] {
        for world in worlds {
            for kind in KINDS {
                let (inside, ranks) = coverage(world, kind, simulations);
                println!("{regime} {world:?} {kind:?}: {:.1} %, all ranks {:.1} %", 100.0 * inside, 100.0 * ranks);
                if regime == "within" {
                    assert!((0.93..0.97).contains(&inside), "{world:?} {kind:?}: {inside}");
                }
            }
        }
    }
}
