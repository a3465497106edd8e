//! Pairs are drawn with exactly the chance that is written down, sides are balanced, own items never asked.

mod common;

use borduel_rank::stream::stream;
use borduel_study::choose::Options;
use borduel_study::event::{Answer, Kind, Source};
use borduel_study::settings::{Method, Repeat};
use borduel_study::state::PairPlan;
use borduel_study::table::Table;
use borduel_study::{Command, Reply, Settings};
use common::{Study, Vote};
use std::collections::HashMap;

/// A study of 7 items with an uneven plan, and a voter who owns one item and has seen some pairs.
fn prepared(repeat: Repeat) -> (Study, u32) {
    let settings = Settings { ahead: 5, repeat, ..Settings::default() };
    let mut study = Study::open(7, settings, 11);
    let pairs = vec![(0, 1, 70), (0, 2, 10), (1, 2, 5), (2, 3, 40), (4, 5, 1), (5, 6, 300)];
    let plan = PairPlan {
        number: 0,
        basis: study.state.head,
        votes: 0,
        method: Some(Method::Design),
        audits: 0.2,
        pairs,
        judge_first: Vec::new(),
    };
    study.run(&Command::Adopt(plan)).unwrap();
    let voter = study.join(Kind::Invited, &["item-6"]);
    let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 3 }).unwrap() else { panic!() };
    assert_eq!(sitting.questions.len(), 3);
    study.run(&Command::Enable { key: "item-4".to_owned(), on: false }).unwrap();
    (study, voter)
}

/// The chances by the definition, from the raw lists.
fn by_definition(study: &Study, voter: u32, most: usize) -> HashMap<(u16, u16), f64> {
    let state = &study.state;
    let mut allowed = Vec::new();
    for i in 0..7_u16 {
        for j in i + 1..7 {
            let fine = |x: u16| x != 6 && state.items[usize::from(x)].enabled;
            let asked = state.questions.iter().filter(|q| q.voter == voter && q.pair() == (i, j)).count();
            if fine(i) && fine(j) && asked < most {
                allowed.push((i, j));
            }
        }
    }
    let weight = |pair: &(u16, u16)| {
        state.plan.pairs.iter().filter(|row| (row.0, row.1) == *pair).map(|row| f64::from(row.2)).sum::<f64>()
    };
    let mass: f64 = allowed.iter().map(weight).sum();
    let chance = |pair: &(u16, u16)| 0.2 / allowed.len() as f64 + 0.8 * weight(pair) / mass;
    allowed.iter().map(|pair| (*pair, chance(pair))).collect()
}

#[test]
fn propensities_are_those_of_the_definition_and_of_the_draws() {
    for (repeat, most) in [(Repeat::Never, 1), (Repeat::Swapped, 2)] {
        let (mut study, voter) = prepared(repeat);
        let expected = by_definition(&study, voter, most);
        let table = study.state.table();
        let options = Options::new(&study.state, &table, voter);
        assert_eq!(options.available() as usize, expected.len());
        let mut total = 0.0;
        for i in 0..7 {
            for j in i + 1..7 {
                let p = options.chance(i, j);
                assert!((p - expected.get(&(i, j)).copied().unwrap_or(0.0)).abs() < 1e-15, "({i},{j}) {p}");
                total += p;
            }
        }
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        let mut seen: HashMap<(u16, u16), f64> = HashMap::new();
        let (draws, mut chance) = (300_000, stream(5, &[most as u64]));
        for _ in 0..draws {
            let choice = options.draw(&mut chance).unwrap();
            let pair = (choice.first.min(choice.second), choice.first.max(choice.second));
            assert_eq!(choice.p, options.chance(pair.0, pair.1));
            *seen.entry(pair).or_default() += 1.0;
        }
        let chi: f64 = expected
            .iter()
            .map(|(pair, p)| (seen.get(pair).unwrap_or(&0.0) - p * f64::from(draws)).powi(2) / (p * f64::from(draws)))
            .sum();
        assert_eq!(seen.len(), expected.len(), "only what is allowed is drawn");
        // The 99.99 % quantile of χ² with n degrees, by Wilson and Hilferty.
        let n = expected.len() as f64 - 1.0;
        let bound = n * (1.0 - 2.0 / (9.0 * n) + 3.72 * (2.0 / (9.0 * n)).sqrt()).powi(3);
        assert!(chi < bound, "{repeat:?}: χ² = {chi} of {n}");
    }
}

#[test]
fn when_almost_everything_was_seen_the_draw_is_still_exact() {
    // A plan of one heavy pair that the voter has seen: drawing by rejection must give up and count out.
    let mut study = Study::open(4, Settings { ahead: 20, ..Settings::default() }, 3);
    let voter = study.join(Kind::Anonymous, &[]);
    let heavy = vec![(0, 1, u32::MAX), (2, 3, 1)];
    let (basis, method) = (study.state.head, Method::Design);
    study
        .run(&Command::Adopt(PairPlan {
            number: 0,
            basis,
            votes: 0,
            method: Some(method),
            audits: 0.01,
            pairs: heavy,
            judge_first: Vec::new(),
        }))
        .unwrap();
    let Reply::Questions(one) = study.run(&Command::Ask { voter, count: 1 }).unwrap() else { panic!() };
    assert_eq!((one.questions[0].first.min(one.questions[0].second), study.state.questions[0].pair()), (0, (0, 1)));
    let table = study.state.table();
    let options = Options::new(&study.state, &table, voter);
    assert!((options.chance(2, 3) - (0.01 / 5.0 + 0.99)).abs() < 1e-12);
    let mut chance = stream(1, &[]);
    let planned = (0..2000).filter(|_| options.draw(&mut chance).unwrap().source == Source::Plan).count();
    assert!((1960..2000).contains(&planned), "{planned}");
}

#[test]
fn nobody_sees_a_pair_twice_and_all_are_seen_in_the_end() {
    let mut study = Study::open(6, Settings { questions_per_voter: 100, ..Settings::default() }, 9);
    for _ in 0..20 {
        let voter = study.join(Kind::Anonymous, &[]);
        let mut asked = std::collections::HashSet::new();
        loop {
            let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 1 }).unwrap() else { panic!() };
            let Some(ticket) = sitting.questions.first() else { break };
            assert!(asked.insert((ticket.first.min(ticket.second), ticket.first.max(ticket.second))));
            study.vote(Vote::new(voter, ticket.q, Answer::First)).unwrap();
        }
        assert_eq!(asked.len(), 15);
    }
    // Every pair was asked 20 times: ten times each way round.
    for (pair, balance) in study.state.sides.iter() {
        assert!(balance.abs() <= 1, "{pair:?}: {balance}");
    }
    let items = &study.state.items;
    assert!(items.iter().all(|item| item.first.abs_diff(item.second) <= 5));
}

#[test]
fn with_repeat_swapped_a_judge_sees_every_pair_both_ways() {
    let mut study = Study::open(5, Settings { repeat: Repeat::Swapped, ..Settings::default() }, 2);
    let voter = study.join(Kind::Judge, &["item-4"]);
    let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 64 }).unwrap() else { panic!() };
    let ordered: std::collections::HashSet<_> = sitting.questions.iter().map(|t| (t.first, t.second)).collect();
    assert_eq!((sitting.questions.len(), ordered.len()), (12, 12));
    assert!(ordered.iter().all(|&(i, j)| i != 4 && j != 4), "its own item is never asked");
}

#[test]
fn an_empty_table_asks_nothing() {
    let mut study = Study::open(2, Settings::default(), 1);
    let voter = study.join(Kind::Anonymous, &["item-0"]);
    let table = Table::new(vec![0, 1], &[]);
    assert!(Options::new(&study.state, &table, voter).draw(&mut stream(1, &[])).is_none());
    let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 3 }).unwrap() else { panic!() };
    assert_eq!(sitting.done, Some(borduel_study::command::Finished::SeenAll));
}
