//! The size of the verdict where answers are not coins of their own: voters with habits, ties, soft answers, answers
//! that come late; and how the forecast of the votes still needed relates to what it took.

use crate::sequential::{at_large, build, toss};
use borduel::ballots::{Answer, Ballots, BothBad, Ties};
use borduel::environment::{Environment, tournament::Tournament};
use borduel::sequential::{Options, Reading};
use borduel::{Features, Policy, Proposal, stream};
use rayon::prelude::*;

/// Those who answer: by how much they differ in log-odds of every item, how often they call a tie, and of how many
/// coins an answer is the mean.
#[derive(Debug, Clone, Copy)]
struct Panel {
    voters: usize,
    habit: f64,
    ties: f64,
    coins: u32,
}

const MARGIN: f64 = 0.05;
const ITEMS: usize = 3;

/// A study as hard as can be: everybody at large prefers item 0, which is ahead of the other two by just more than the
/// margin. Its questions are planned from the ballots, and it is looked at after every batch of them. `Some(wrong)`
/// once it is decided.
fn study(panel: Panel, known: bool, seed: u64, most: usize) -> Option<bool> {
    // B(0) − B(1) = m − [(1 − m) + ½]/2 for the mean answer m.
    let wanted = 0.5 + 2.0 / 3.0 * (MARGIN + 0.0002);
    let mean = |u: f64| 0.5 * panel.ties + (1.0 - panel.ties) * at_large(u, panel.habit);
    let (mut low, mut high) = (0.0, 3.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if mean(middle) < wanted { low = middle } else { high = middle }
    }
    let strengths = [high, 0.0, 0.0];
    let mut s = stream(seed, &[31]);
    let habits: Vec<f64> = (0..panel.voters * ITEMS).map(|_| panel.habit * s.normal()).collect();
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    (0..ITEMS).for_each(|i| assert_eq!(ballots.item(&i.to_string()) as usize, i));
    (0..panel.voters).for_each(|v| assert_eq!(ballots.voter(&v.to_string()) as usize, v));
    let features = Features::one_hot(ITEMS).unwrap();
    let options = Options::default().with_margin(MARGIN);
    let mut votes = 0;
    while votes < most {
        let now = ballots.clone().finish();
        let reading = Reading::new(&features, &now, &options).unwrap();
        let judgement = reading.judgement();
        if judgement.decided {
            return Some(judgement.items[0].item != 0);
        }
        let more = (votes / 16).max(20);
        for duel in reading.next_questions(&[], more, usize::MAX) {
            let (v, i, j) = (s.below(panel.voters), duel.0, duel.1);
            let u = strengths[i] - strengths[j] + habits[v * ITEMS + i] - habits[v * ITEMS + j];
            let p = 1.0 / (1.0 + (-u).exp());
            let wins = (0..panel.coins).filter(|_| s.uniform() < p).count() as f64;
            let answer = if s.uniform() < panel.ties {
                Answer::Tie
            } else if panel.coins > 1 {
                Answer::Soft(wins / f64::from(panel.coins))
            } else if wins > 0.0 {
                Answer::Left
            } else {
                Answer::Right
            };
            ballots.add(i as u32, j as u32, known.then_some(v as u32), answer, 1.0, 1.0).unwrap();
            votes += 1;
        }
    }
    None
}

/// The share of studies that are decided, and of all studies the share that is decided wrongly.
fn shares(panel: Panel, known: bool, studies: u64, most: usize) -> (f64, f64) {
    let ends: Vec<Option<bool>> = (0..studies).into_par_iter().map(|seed| study(panel, known, seed, most)).collect();
    let share = |wanted: fn(&Option<bool>) -> bool| ends.iter().filter(|end| wanted(end)).count() as f64;
    (share(Option::is_some) / studies as f64, share(|end| *end == Some(true)) / studies as f64)
}

/// 5 % and twice the standard error of that.
fn allowed(studies: u64) -> f64 {
    0.05 + 2.0 * (0.05 * 0.95 / studies as f64).sqrt()
}

#[test]
fn ties_and_soft_answers_sharpen_the_verdict_and_do_not_make_it_wrong() {
    let coins = Panel { voters: 500, habit: 0.0, ties: 0.0, coins: 1 };
    for panel in [coins, Panel { ties: 0.5, ..coins }, Panel { coins: 3, ..coins }] {
        let (decided, wrong) = shares(panel, false, 120, 20_000);
        assert!(decided > 0.9 && wrong <= allowed(120), "{panel:?}: {decided} decided, {wrong} wrong");
    }
}

#[test]
fn thirty_voters_with_habits_seldom_mislead_it_once_they_are_known() {
    let panel = Panel { voters: 30, habit: 0.8, ties: 0.0, coins: 1 };
    let (_, wrong) = shares(panel, true, 100, 2_500);
    assert!(wrong <= allowed(100), "{wrong}");
    let (_, unknown) = shares(panel, false, 100, 2_500);
    assert!(unknown > wrong + 0.05, "nobody knows who voted, and it does not matter? {unknown} {wrong}");
}

#[test]
fn late_answers_do_not_make_it_wrong() {
    let family = Tournament::Slip { behind: MARGIN + 0.0001 };
    let one = |seed: u64| {
        let world = family.draw(2, &mut stream(seed, &[41])).unwrap();
        let mut policy = build(r#", "margin": 0.05"#, &world, seed);
        let (mut s, mut open): (_, Vec<Proposal>) = (stream(seed, &[42]), Vec::new());
        while !policy.decided() && policy.votes().count() < 20_000.0 {
            while open.len() < 16 {
                open.push(policy.ask(world.problem()));
            }
            let proposal = open.swap_remove(s.below(16));
            let outcome = toss(&world, &proposal, &mut s);
            policy.tell(world.problem(), &proposal, outcome);
        }
        let scores = world.borda().scores();
        let named = policy.estimate(world.problem());
        policy.decided() && scores[named] < scores[1 - named]
    };
    let wrong = (0..300_u64).into_par_iter().filter(|&seed| one(seed)).count() as f64 / 300.0;
    assert!(wrong <= allowed(300), "{wrong}");
}

/// Of the studies that go on beyond so many votes: how many have a forecast range then, and in which share what it
/// takes lies within.
fn forecasts(config: &str, items: usize, sd: f64, at: f64, studies: u64) -> (usize, f64) {
    let one = |seed: u64| {
        let world = Tournament::BradleyTerry { sd }.draw(items, &mut stream(seed, &[51])).unwrap();
        let mut policy = build(config, &world, seed);
        let (mut s, mut range) = (stream(seed, &[52]), None);
        // Whoever takes longer than was forecast is known to.
        while !policy.decided() && range.is_none_or(|(_, high)| policy.votes().count() <= at + high) {
            let proposal = policy.ask(world.problem());
            let outcome = toss(&world, &proposal, &mut s);
            policy.tell(world.problem(), &proposal, outcome);
            if policy.votes().count() == at {
                range = Some(policy.judgement(world.problem()).forecast?.range()?);
            }
        }
        range.map(|(low, high)| (low..=high).contains(&(policy.votes().count() - at)))
    };
    let found: Vec<bool> = (0..studies).into_par_iter().filter_map(one).collect();
    (found.len(), found.iter().filter(|inside| **inside).count() as f64 / found.len().max(1) as f64)
}

#[test]
fn the_votes_it_takes_lie_within_the_forecast() {
    for (config, items, at) in [("", 8, 100.0), (NOTHING, 4, 200.0)] {
        let (cases, inside) = forecasts(config, items, 1.0, at, 30);
        println!("{config:?}: {inside} of {cases}");
        assert!(cases > 10, "{cases}");
        assert!(inside >= 0.65, "{inside} of {cases}");
    }
}

/// Every pair by itself: its forecast is another one.
const NOTHING: &str = r#", "trust": "nothing""#;

#[test]
#[ignore = "simulations for the documentation: some minutes"]
fn survey_of_forecasts_at_any_time() {
    for (config, items, sd, at) in [
        ("", 4, 0.5, 100.0),
        ("", 8, 1.0, 100.0),
        ("", 8, 0.5, 100.0),
        ("", 8, 0.5, 400.0),
        ("", 20, 1.0, 200.0),
        ("", 20, 1.0, 600.0),
        (NOTHING, 3, 1.0, 100.0),
        (NOTHING, 4, 1.0, 200.0),
        (NOTHING, 8, 1.0, 800.0),
    ] {
        let (cases, inside) = forecasts(config, items, sd, at, 300);
        println!(
            "{items} items, strengths {sd}, at {at} votes{config}: {cases} forecasts, {:.1} % within",
            100.0 * inside
        );
        assert!(inside >= 0.8 - 3.0 * (0.16 / cases as f64).sqrt());
    }
}
