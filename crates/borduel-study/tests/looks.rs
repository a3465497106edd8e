//! Whoever looks all the time and stops at a verdict is wrong no more often than promised: equal items, the live
//! chooser, and looks whenever they are due. Looks that hold only once would not do.
//!
//! `BORDUEL_STUDIES=2000 cargo test --release -p borduel-study --test looks -- --ignored --nocapture` is the long one.

mod common;

use borduel_rank::ranking::VerdictKind;
use borduel_rank::stream::stream;
use borduel_study::command::{Change, Look};
use borduel_study::event::{Answer, Kind};
use borduel_study::settings::{Goal, Method, Model};
use borduel_study::standing::{Evidence, look, look_due, look_level};
use borduel_study::{Command, Reply, Settings};
use common::{Study, Vote};

/// Whether a study of equal items names a clear winner at some look, with looks as they are taken and (if asked for)
/// with looks that hold only once.
fn wrong(k: usize, votes: u64, seed: u64, model: Model, compare: bool) -> (bool, bool) {
    let planner = Method::Uniform;
    let settings = Settings { questions_per_voter: 1, planner, model, tie: false, ..Settings::default() };
    let mut study = Study::open(k, settings, seed);
    let mut chance = stream(seed, &[3]);
    let (mut paid, mut plain) = (false, false);
    while study.state.votes < votes {
        let voter = study.join(Kind::Anonymous, &[]);
        let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 1 }).unwrap() else { panic!() };
        let answer = if chance.below(2) == 0 { Answer::First } else { Answer::Second };
        let q = sitting.questions[0].q;
        study.vote(Vote::new(voter, q, answer)).unwrap();
        if let Some(number) = look_due(&study.state) {
            let evidence = Evidence::of(&study.state).unwrap();
            let reading = evidence.read(&study.state.settings).unwrap();
            let found = look(&evidence, reading.as_ref(), number, &study.state.settings).unwrap();
            paid |= found.kind == VerdictKind::ClearWinner;
            plain |= compare
                && evidence.rank(&study.state.settings, 0.95).unwrap().0.verdict.kind == VerdictKind::ClearWinner;
            study.run(&Command::Judge(found)).unwrap();
            assert_eq!(study.state.judged.as_ref().unwrap().look, number);
        }
    }
    (paid, plain)
}

/// Plays studies of equal items; fails if more of them end with a clear winner than 5 % and two standard errors.
fn play(k: usize, votes: u64, studies: u64, model: Model, compare: bool) {
    let (mut taken, mut plain) = (0, 0);
    for seed in 0..studies {
        let (a, b) = wrong(k, votes, seed, model, compare);
        taken += u64::from(a);
        plain += u64::from(b);
    }
    let n = studies as f64;
    let bound = 0.05 * n + 2.0 * (0.05 * 0.95 * n).sqrt();
    println!(
        "K = {k}, {votes} votes, {studies} studies, {model:?}: wrong in {taken}; in {plain} with looks that hold only once"
    );
    assert!((taken as f64) <= bound, "K = {k}: {taken} of {studies}");
    if compare && k == 2 {
        assert!(plain as f64 > 2.0 * bound, "looks that hold only once would do: {plain} of {studies}");
    }
}

#[test]
fn whoever_looks_after_every_few_votes_is_not_fooled() {
    play(2, 300, 60, Model::OneHot, false);
    play(4, 300, 40, Model::OneHot, false);
}

#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn looks_are_wrong_no_more_often_than_promised() {
    let wanted = std::env::var("BORDUEL_STUDIES").ok().and_then(|text| text.parse().ok());
    let studies: u64 = wanted.unwrap_or(80);
    // Two items are the hardest case; more of them are for whoever has the time.
    let cases: &[(usize, u64)] = if wanted.is_some() { &[(2, 4000), (5, 2000), (20, 1000)] } else { &[(2, 600)] };
    for &(k, votes) in cases {
        play(k, votes, studies, Model::OneHot, true);
        play(k, votes, studies, Model::Counts, true);
    }
}

#[test]
fn what_all_looks_may_spend_is_the_level() {
    let spent: f64 = (0..100_000).map(|look| 1.0 - look_level(0.95, look)).sum();
    assert!((0.0499..=0.05).contains(&spent), "{spent}");
}

#[test]
fn a_verdict_stays_until_what_it_rests_on_changes() {
    let mut study = Study::open(3, Settings::default(), 1);
    let judge = |study: &mut Study, look: u32, kind: VerdictKind, winners: &[u16]| {
        let (votes, winners) = (20 + 4 * u64::from(look), winners.to_vec());
        let basis = (study.state.head, 0);
        study
            .run(&Command::Judge(Look { criterion: 0, look, basis, votes, level: 0.95, kind, winners, about: None }))
            .unwrap();
        let judged = study.state.judged.clone().unwrap();
        assert_eq!((judged.look, judged.votes), (look, votes));
        (judged.kind, judged.winners, judged.reached)
    };
    let (open, clear) = (VerdictKind::NotEnough, VerdictKind::ClearWinner);
    assert_eq!(judge(&mut study, 0, open, &[0, 1]), (open, vec![0, 1], 20));
    assert_eq!(judge(&mut study, 1, clear, &[1]), (clear, vec![1], 24));
    // The next look has a little more doubt: what was found is found.
    assert_eq!(judge(&mut study, 2, open, &[0, 1]), (clear, vec![1], 24));
    assert_eq!(judge(&mut study, 3, clear, &[1]), (clear, vec![1], 24));
    // Somebody else is found: that is news.
    assert_eq!(judge(&mut study, 4, clear, &[0]), (clear, vec![0], 36));
    // What is clear is more than good enough, and stays.
    let good = VerdictKind::GoodEnough;
    assert_eq!(judge(&mut study, 5, good, &[0, 1]), (clear, vec![0], 36));
    // Words of thanks are no evidence; another margin asks something else.
    let set = |margin: f64| common::set(&serde_json::json!({"margin": margin, "thanks": "Thanks!"}));
    study.run(&set(0.02)).unwrap();
    assert_eq!(study.state.judged.as_ref().map(|judged| judged.kind), Some(clear));
    study.run(&set(0.001)).unwrap();
    assert_eq!(study.state.judged.as_ref().map(|judged| judged.kind), Some(open));
    // Good enough is reached when its choice was first found, whoever else may be just as good by now.
    assert_eq!(judge(&mut study, 6, good, &[0, 1, 2]), (good, vec![0, 1, 2], 44));
    assert_eq!(judge(&mut study, 7, good, &[0, 2]), (good, vec![0, 2], 44));
    assert_eq!(judge(&mut study, 8, clear, &[0]), (clear, vec![0], 52));
}

/// A study finds what it is to find: the best few or the whole order, of items that nobody doubts.
#[test]
fn other_goals_than_the_winner_are_found() {
    for (goal, wanted) in [(Goal::Winner, &[0_u16][..]), (Goal::Top(2), &[0, 1]), (Goal::Order, &[0, 1, 2, 3])] {
        let settings = Settings { questions_per_voter: 1, planner: Method::Uniform, goal, ..Settings::default() };
        settings.check().unwrap();
        let mut study = Study::open(4, settings, 1);
        while study.state.votes < 400 {
            let voter = study.join(Kind::Anonymous, &[]);
            let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 1 }).unwrap() else { panic!() };
            let ticket = sitting.questions[0];
            let answer = if ticket.first < ticket.second { Answer::First } else { Answer::Second };
            study.vote(Vote::new(voter, ticket.q, answer)).unwrap();
        }
        let evidence = Evidence::of(&study.state).unwrap();
        let reading = evidence.read(&study.state.settings).unwrap();
        let found = look(&evidence, reading.as_ref(), 0, &study.state.settings).unwrap();
        assert_eq!(found.kind, VerdictKind::ClearWinner, "{goal:?}");
        let mut winners = found.winners.clone();
        if goal != Goal::Order {
            winners.sort_unstable();
        }
        assert_eq!(winners, wanted, "{goal:?}");
        study.run(&Command::Judge(found)).unwrap();
        // Another goal is another question: the verdict ends.
        let fields = serde_json::json!({"goal": {"top": 3}});
        let Some(fields) = fields.as_object().cloned() else { panic!() };
        study.run(&Command::Set(Change { fields, ..Change::default() })).unwrap();
        assert!(study.state.judged.as_ref().unwrap().void);
    }
    assert!(Settings { goal: Goal::Top(0), ..Settings::default() }.check().is_err());
    assert!(Settings { goal: Goal::Order, model: Model::Counts, ..Settings::default() }.check().is_err());
}
