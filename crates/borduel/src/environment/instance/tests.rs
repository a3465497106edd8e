//! The instances held against what is said of them.

use super::*;
use crate::duel::Duel;
use crate::environment::Environment;
use crate::judge::{Judge, Notion};
use crate::stream::stream;

fn listed(name: Name) -> Fixed {
    let instance = Instance { shuffle: false, ..Instance::named(name) };
    instance.build(None, &mut stream(1, &[])).unwrap().0
}

fn winners(world: &Fixed, notion: Notion) -> Option<Vec<Arm>> {
    Judge::new(notion, world).ok().map(|judge| judge.winners().to_vec())
}

const ALL: [Name; 14] = [
    Name::SixRankers,
    Name::Cyclic,
    Name::Arithmetic,
    Name::Mslr5,
    Name::Savage,
    Name::CondorcetNotBorda,
    Name::CopelandCycle,
    Name::RockPaperScissors,
    Name::BradleyTerry,
    Name::Geometric,
    Name::Utility,
    Name::Mallows,
    Name::Random,
    Name::Cube,
];

#[test]
fn every_instance_has_the_winners_it_is_known_for() {
    use Name::{Arithmetic, CondorcetNotBorda, CopelandCycle, Cyclic, Geometric, Mallows, Mslr5, Savage, SixRankers};
    for name in [SixRankers, Cyclic, Arithmetic, Mslr5, Savage, CondorcetNotBorda, Geometric, Mallows] {
        assert_eq!(winners(&listed(name), Notion::Condorcet), Some(vec![0]), "{name:?}");
    }
    assert_eq!(winners(&listed(CondorcetNotBorda), Notion::Borda), Some(vec![1]));
    let cycle = listed(CopelandCycle);
    assert_eq!(winners(&cycle, Notion::Condorcet), None);
    for notion in [Notion::Copeland, Notion::Borda] {
        assert_eq!(winners(&cycle, notion), Some(vec![0, 1, 2]), "{notion:?}");
    }
    for cycle in [4, 5] {
        let instance = Instance { cycle: Some(cycle), ..Instance::named(CopelandCycle) };
        let (world, place) = instance.build(None, &mut stream(1, &[])).unwrap();
        let mut best = place[..cycle].to_vec();
        best.sort_unstable();
        assert_eq!(winners(&world, Notion::Copeland), Some(best.clone()), "{cycle}");
        assert_eq!(winners(&world, Notion::Borda), Some(best), "{cycle}");
    }
    let alike = listed(Name::RockPaperScissors);
    assert_eq!(winners(&alike, Notion::Copeland), Some(vec![0, 1, 2]));
    let cube = listed(Name::Cube);
    let utilities = cube.utilities().unwrap();
    assert!((utilities[31] - 3.618).abs() < 5e-4, "{}", utilities[31]);
    let second = (0..31).map(|i| cube.probability(1, Duel(31, i))).fold(1.0, f64::min);
    assert!((second - 0.618).abs() < 5e-4, "{second}");
    assert_eq!(cube.problem().dim(), 5);
}

#[test]
fn some_figures_of_the_tables_are_where_they_belong() {
    let rankers = listed(Name::SixRankers);
    let p = |i, j| rankers.probability(1, Duel(i, j));
    assert_eq!((p(0, 5), p(3, 5), p(5, 3), p(4, 5), p(2, 4)), (0.61, 0.5, 0.5, 0.51, 0.51));
    // Mallows: three items have six rankings, whose weights are φ to the number of exchanged pairs.
    let three = Instance { items: Some(3), phi: Some(0.4), shuffle: false, ..Instance::named(Name::Mallows) };
    let three = three.build(None, &mut stream(1, &[])).unwrap().0;
    let phi = 0.4_f64;
    let all = 1.0 + 2.0 * phi + 2.0 * phi * phi + phi.powi(3);
    for (duel, share) in [(Duel(0, 1), 1.0 + phi + phi * phi), (Duel(0, 2), 1.0 + 2.0 * phi)] {
        assert!((three.probability(1, duel) - share / all).abs() < 1e-12, "{duel:?}");
    }
    // Savage's last column: ½ + K/(2K) = 1.
    assert_eq!(listed(Name::Savage).probability(1, Duel(3, 9)), 1.0);
}

#[test]
fn shuffling_moves_items_and_nothing_else() {
    for name in ALL {
        let build = |shuffle, seed| {
            let instance = Instance { shuffle, ..Instance::named(name) };
            instance.build(Some(10), &mut stream(seed, &[])).unwrap()
        };
        let ((plain, order), (shuffled, place)) = (build(false, 3), build(true, 3));
        let k = order.len();
        assert_eq!(order, (0..k).collect::<Vec<_>>());
        for i in 0..k {
            for j in 0..k {
                let moved = Duel(place[i], place[j]);
                assert_eq!(plain.probability(1, Duel(i, j)), shuffled.probability(1, moved), "{name:?}");
                if name == Name::Cube {
                    let length =
                        |world: &Fixed, duel| world.problem().features().phi(duel).iter().map(|x| x * x).sum::<f64>();
                    assert!((length(&plain, Duel(i, j)) - length(&shuffled, moved)).abs() < 1e-12);
                }
            }
        }
        if k > 5 {
            assert!((4..9).any(|seed| build(true, seed).1 != place), "{name:?}: every seed gives one order");
        }
    }
}

#[test]
fn settings_of_other_instances_are_refused() {
    let refused = |text: &str| {
        let instance: Instance = toml::from_str(text).unwrap();
        instance.build(None, &mut stream(1, &[])).unwrap_err().to_string()
    };
    assert_eq!(
        refused("name = \"six-rankers\"\nitems = 7"),
        "items = 7: six-rankers has no such setting: leave it out"
    );
    assert!(refused("name = \"cube\"\nspread = 1").contains("spread"));
    assert!(refused("name = \"rock-paper-scissors\"\nitems = 4").contains("odd"));
    assert!(refused("name = \"mallows\"\nphi = 1").contains("between 0 and 1"));
    assert!(refused("name = \"cube\"\nd = 40").contains("at most"));
    assert!(refused("name = \"savage\"\nitems = 1").contains("at least 2"));
    assert!(toml::from_str::<Instance>("name = \"six-ranker\"").is_err());
    assert!(toml::from_str::<Instance>("name = \"cube\"\nsides = 1").is_err());
}

#[test]
fn labels_say_what_was_set() {
    let instance = Instance { items: Some(20), spread: Some(0.5), ..Instance::named(Name::BradleyTerry) };
    assert_eq!(instance.label(), "bradley-terry (K = 20, spread = 0.5)");
    assert_eq!(Instance::named(Name::Mslr5).label(), "mslr-5");
    let listed = Instance { shuffle: false, ..Instance::named(Name::Cyclic) };
    assert_eq!(listed.label(), "cyclic (shuffle = false)");
}
