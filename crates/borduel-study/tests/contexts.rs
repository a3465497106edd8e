//! Contexts: pairs are asked in all of them, evenly, with the chance that is written down, and nobody sees a pair
//! twice in one.

mod common;

use borduel_rank::About;
use borduel_rank::ranking::VerdictKind;
use borduel_rank::stream::stream;
use borduel_study::choose::Options;
use borduel_study::command::{Context, Finished, Look, Placed, Sitting};
use borduel_study::event::{Answer, Event, Kind, Scope, Source, Status};
use borduel_study::settings::{Method, Repeat};
use borduel_study::standing::{Evidence, look, look_due};
use borduel_study::state::PairPlan;
use borduel_study::{Command, Refusal, Reply, Settings};
use common::{Study, Vote, context, set};
use std::collections::{BTreeMap, HashSet};

/// An open study of so many items in so many contexts.
fn study(items: usize, contexts: usize, settings: Settings) -> Study {
    let mut study = Study::open(items, settings, 3);
    let new = (0..contexts).map(|c| context(&format!("context-{c}"), "text")).collect();
    study.run(&Command::Contexts(new)).unwrap();
    study
}

fn placed(item: usize, context: usize, text: &str) -> Placed {
    let (item, context) = (format!("item-{item}"), format!("context-{context}"));
    Placed { item, context, content: text.as_bytes().to_vec(), correction: false }
}

fn ask(study: &mut Study, voter: u32) -> Sitting {
    match study.run(&Command::Ask { voter, count: 1 }).unwrap() {
        Reply::Questions(sitting) => sitting,
        other => panic!("{other:?}"),
    }
}

fn answer(study: &mut Study, voter: u32, q: u32) {
    study.vote(Vote::new(voter, q, Answer::First)).unwrap();
}

/// A pair, and the context it is shown in.
type Shown = ((u16, u16), Option<u16>);

/// Asks this voter all there is: the pairs with their contexts, and the goal that was told.
fn all_of(study: &mut Study, voter: u32) -> (Vec<Shown>, Option<u32>) {
    let mut seen = Vec::new();
    loop {
        let sitting = ask(study, voter);
        let Some(&ticket) = sitting.questions.first() else {
            assert_eq!(sitting.done, Some(Finished::SeenAll));
            return (seen, sitting.goal);
        };
        answer(study, voter, ticket.q);
        seen.push((study.state.questions[ticket.q as usize].pair(), ticket.context));
    }
}

#[test]
fn a_voter_sees_every_pair_once_in_every_context() {
    let settings = Settings { questions_per_voter: 1_000, ..Settings::default() };
    let mut study = study(4, 3, settings);
    let voter = study.join(Kind::Anonymous, &["item-3"]);
    let (seen, goal) = all_of(&mut study, voter);
    assert_eq!((seen.len(), goal), (9, Some(9)), "3 pairs of the items that are not its own, in 3 contexts");
    assert_eq!(seen.iter().collect::<HashSet<_>>().len(), 9);
    // Twice where that is allowed, the other way round.
    study.run(&set(&serde_json::json!({"repeat": Repeat::Swapped}))).unwrap();
    let (again, _) = all_of(&mut study, voter);
    assert_eq!(again.iter().collect::<HashSet<_>>(), seen.iter().collect());
    for pair in &seen {
        let sides: Vec<u16> =
            study.state.questions.iter().filter(|q| (q.pair(), q.context()) == *pair).map(|q| q.first).collect();
        assert!(sides.len() == 2 && sides[0] != sides[1], "{sides:?}");
    }
    // What is new is asked, and what has gone is not.
    study.run(&Command::EnableContext { key: "context-0".to_owned(), on: false }).unwrap();
    study.run(&Command::Contexts(vec![context("context-3", "late")])).unwrap();
    let (late, _) = all_of(&mut study, voter);
    assert!(late.len() == 6 && late.iter().all(|(_, context)| *context == Some(3)), "{late:?}");
    // A study whose contexts are all gone compares items as such.
    for key in ["context-1", "context-2", "context-3"] {
        study.run(&Command::EnableContext { key: key.to_owned(), on: false }).unwrap();
    }
    assert_eq!(study.state.votes, 0, "votes of contexts that are gone do not count");
    assert!(all_of(&mut study, voter).0.iter().all(|(_, context)| context.is_none()));
}

#[test]
fn pairs_are_asked_evenly_in_all_contexts() {
    let mut study = study(4, 5, Settings { questions_per_voter: 7, ..Settings::default() });
    for _ in 0..60 {
        let voter = study.join(Kind::Anonymous, &[]);
        for _ in 0..7 {
            let ticket = ask(&mut study, voter).questions[0];
            answer(&mut study, voter, ticket.q);
        }
    }
    for pair in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        let times: Vec<u32> = study.state.asked_in(pair).map(|(_, times)| times).collect();
        let (least, most) = (times.iter().min().unwrap(), times.iter().max().unwrap());
        assert!(times.len() == 5 && most - least <= 1, "{pair:?}: {times:?}");
    }
}

/// A study in which contents are missing: 0, 1 and 2 have one in context 0, 1 and 2 in context 1, 3 in context 2
/// alone.
fn with_holes() -> Study {
    let mut study = study(4, 3, Settings { own_contents: true, questions_per_voter: 1_000, ..Settings::default() });
    let holes = [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (3, 2)].map(|(item, context)| placed(item, context, "own"));
    study.run(&Command::Contents(holes.to_vec())).unwrap();
    study
}

#[test]
fn where_contents_are_demanded_only_those_who_have_one_meet() {
    let mut study = with_holes();
    let voter = study.join(Kind::Anonymous, &[]);
    let (mut seen, goal) = all_of(&mut study, voter);
    seen.sort_unstable();
    let expected = [((0, 1), 0), ((0, 2), 0), ((1, 2), 0), ((1, 2), 1)].map(|(pair, context)| (pair, Some(context)));
    assert_eq!((seen.as_slice(), goal), (&expected[..], Some(4)));
    // The other one is shown as everywhere where that is not demanded.
    study.run(&set(&serde_json::json!({"own_contents": false}))).unwrap();
    let voter = study.join(Kind::Anonymous, &[]);
    assert_eq!(all_of(&mut study, voter).0.len(), 18);
    // Nothing to ask is said before anybody is asked.
    let mut empty = Study::open(2, Settings { own_contents: true, ..Settings::default() }, 1);
    empty.run(&Command::Status(Status::Paused)).unwrap();
    empty.run(&Command::Contexts(vec![context("a", "a")])).unwrap();
    let refused = empty.run(&Command::Status(Status::Open)).unwrap_err().to_string();
    assert!(refused.contains("no two items have contents in one context"), "{refused}");
}

#[test]
fn propensities_are_those_of_pair_and_context() {
    let mut study = with_holes();
    let pairs = vec![(0, 1, 30), (1, 2, 10), (0, 3, 90), (2, 3, 7)];
    let method = Some(Method::Design);
    let basis = study.state.head;
    study
        .run(&Command::Adopt(PairPlan {
            number: 0,
            basis,
            votes: 0,
            method,
            audits: 0.3,
            pairs,
            judge_first: Vec::new(),
        }))
        .unwrap();
    let voter = study.join(Kind::Anonymous, &[]);
    // By the definition: three pairs can be asked, two of them planned; (1, 2) in either of two contexts alike.
    let audit = 0.3 / 3.0;
    let planned = |weight: f64| 0.7 * weight / 40.0;
    let expected = BTreeMap::from([
        (((0, 1), Some(0)), audit + planned(30.0)),
        (((0, 2), Some(0)), audit),
        (((1, 2), Some(0)), f64::midpoint(audit, planned(10.0))),
        (((1, 2), Some(1)), f64::midpoint(audit, planned(10.0))),
    ]);
    assert!((expected.values().sum::<f64>() - 1.0).abs() < 1e-12);
    let table = study.state.table();
    let options = Options::new(&study.state, &table, voter);
    let (draws, mut chance, mut drawn) = (200_000, stream(5, &[1]), BTreeMap::new());
    for _ in 0..draws {
        let choice = options.draw(&mut chance).unwrap();
        let what = ((choice.first.min(choice.second), choice.first.max(choice.second)), choice.context);
        assert!((choice.p - expected[&what]).abs() < 1e-15, "{what:?} {}", choice.p);
        *drawn.entry(what).or_insert(0.0) += 1.0;
    }
    let chi: f64 =
        expected.iter().map(|(what, p)| (drawn[what] - p * f64::from(draws)).powi(2) / (p * f64::from(draws))).sum();
    assert!(chi < 16.3, "chi-square of 3 degrees of freedom, 0.1 %: {chi}");
    // What is written down is what was drawn.
    let ticket = ask(&mut study, voter).questions[0];
    let asked = study.log.iter().flat_map(|entry| entry.events().unwrap());
    let Some(Event::Asked { p, context, .. }) = asked.last() else { panic!("nothing was asked") };
    assert_eq!(context, ticket.context);
    assert!((p - expected[&(study.state.questions[0].pair(), context)]).abs() < 1e-15);
}

#[test]
fn an_undone_answer_comes_again_in_its_context_unless_that_has_gone() {
    for gone in [false, true] {
        let mut study = study(3, 4, Settings::default());
        let voter = study.join(Kind::Anonymous, &[]);
        let ticket = ask(&mut study, voter).questions[0];
        answer(&mut study, voter, ticket.q);
        let context = ticket.context.unwrap();
        if gone {
            study.run(&Command::EnableContext { key: format!("context-{context}"), on: false }).unwrap();
        }
        let Reply::Undone { again } = study.run(&Command::Undo { q: ticket.q, voter: Some(voter) }).unwrap() else {
            panic!()
        };
        assert_eq!(again.map(|again| again.context), (!gone).then_some(Some(context)));
        if let Some(again) = again {
            let question = study.state.questions[again.q as usize];
            assert_eq!(
                (question.source, question.pair()),
                (Source::Again, study.state.questions[ticket.q as usize].pair())
            );
        }
    }
}

#[test]
fn rechecks_repeat_a_pair_in_its_context() {
    let mut study = study(3, 3, Settings { rechecks: 0.5, questions_per_voter: 60, ..Settings::default() });
    let voter = study.join(Kind::Anonymous, &[]);
    let mut rechecks = 0;
    while let Some(&ticket) = ask(&mut study, voter).questions.first() {
        answer(&mut study, voter, ticket.q);
        let question = study.state.questions[ticket.q as usize];
        if question.source == Source::Recheck {
            let same = study
                .state
                .questions
                .iter()
                .filter(|q| (q.pair(), q.context()) == (question.pair(), question.context()));
            let sides: Vec<u16> = same.map(|q| q.first).collect();
            assert!(sides.len() == 2 && sides[0] != sides[1]);
            rechecks += 1;
        }
    }
    assert!(rechecks > 0);
}

/// A study of two items in so many contexts, in all of which 40 voters prefer the first.
fn decided(contexts: usize) -> Study {
    let mut study = study(2, contexts, Settings { questions_per_voter: 100, ..Settings::default() });
    for _ in 0..40 {
        let voter = study.join(Kind::Anonymous, &[]);
        while let Some(&ticket) = ask(&mut study, voter).questions.first() {
            let better = if ticket.first == 0 { Answer::First } else { Answer::Second };
            study.vote(Vote::new(voter, ticket.q, better)).unwrap();
        }
    }
    study
}

fn look_now(study: &Study) -> Look {
    let evidence = Evidence::of(&study.state).unwrap();
    let reading = evidence.read(&study.state.settings).unwrap();
    look(&evidence, reading.as_ref(), look_due(&study.state).unwrap(), &study.state.settings).unwrap()
}

#[test]
fn a_verdict_is_about_these_contexts_or_such_and_ends_with_its_question() {
    let such = look_now(&decided(9));
    assert_eq!((such.kind, such.about), (VerdictKind::ClearWinner, Some(Scope { about: About::Such, seen: 9 })));
    let mut study = decided(3);
    let these = look_now(&study);
    let scope = |seen| Some(Scope { about: About::These, seen });
    assert_eq!((these.kind, these.about), (VerdictKind::ClearWinner, scope(3)));
    study.run(&Command::Judge(these.clone())).unwrap();
    // A look that cannot decide leaves the verdict on its own question, and on no other.
    for (number, about, kind) in [(1, scope(3), VerdictKind::ClearWinner), (2, scope(4), VerdictKind::NotEnough)] {
        let basis = (study.state.head, u32::MAX);
        let (look, undecided, winners) = (number, VerdictKind::NotEnough, vec![0, 1]);
        let open = Look { look, basis, kind: undecided, winners, about, ..these };
        study.run(&Command::Judge(open)).unwrap();
        let judged = study.state.judged.as_ref().unwrap();
        assert_eq!((judged.kind, judged.about), (kind, about));
    }
    // The log gives the same, and who knows no contexts is told that it cannot read it.
    assert_eq!(common::replay(&study.log).encode().unwrap(), study.state.encode().unwrap());
    assert_eq!(study.log.last().unwrap().format, 4);
}

#[test]
fn the_settings_say_what_verdict_and_ranking_are_about() {
    for (contexts, given, about) in [
        (9, None, About::Such),
        (9, Some("these"), About::These),
        (3, None, About::These),
        (3, Some("such"), About::Such),
    ] {
        let mut study = decided(contexts);
        if let Some(given) = given {
            study.run(&set(&serde_json::json!({"about": given}))).unwrap();
        }
        assert_eq!(look_now(&study).about.map(|scope| scope.about), Some(about), "{contexts} {given:?}");
        let evidence = Evidence::of(&study.state).unwrap();
        let (ranking, ..) = evidence.rank(&study.state.settings, 0.95).unwrap();
        let over = ranking.contexts.unwrap();
        assert_eq!((over.about, over.seen), (about, contexts), "{contexts} {given:?}");
    }
    // Another question ends the verdict on the one before; so does the way back.
    let mut study = decided(9);
    let look = look_now(&study);
    study.run(&Command::Judge(look)).unwrap();
    assert!(!study.state.judged.as_ref().unwrap().void);
    study.run(&set(&serde_json::json!({"about": "these"}))).unwrap();
    assert!(study.state.judged.as_ref().unwrap().void);
    study.run(&set(&serde_json::json!({"about": null}))).unwrap();
    assert_eq!(study.state.settings.about, None);
    let refused = study.run(&set(&serde_json::json!({"about": "such", "model": "counts"}))).unwrap_err().to_string();
    assert!(refused.contains("about such"), "{refused}");
    // One context with votes cannot speak for such: the ranking is about these until there are more, and does not fail.
    let mut one = decided(1);
    one.run(&set(&serde_json::json!({"about": "such"}))).unwrap();
    assert!(Evidence::of(&one.state).unwrap().rank(&one.state.settings, 0.95).is_ok());
}

/// Votes from before there were contexts stay, and count as one context more; whoever cast them is asked in the new
/// ones.
#[test]
fn contexts_that_arrive_late_leave_the_votes_before_them() {
    let mut study = Study::open(3, Settings { questions_per_voter: 100, ..Settings::default() }, 3);
    let voters: Vec<u32> = (0..12).map(|_| study.join(Kind::Anonymous, &[])).collect();
    for &voter in &voters {
        let (seen, _) = all_of(&mut study, voter);
        assert!(seen.len() == 3 && seen.iter().all(|(_, context)| context.is_none()));
    }
    assert!(study.log.iter().all(|entry| entry.format < 4), "without contexts the log is what it was");
    study.run(&Command::Contexts((0..9).map(|c| context(&format!("context-{c}"), "late")).collect())).unwrap();
    for &voter in &voters[..4] {
        let (seen, _) = all_of(&mut study, voter);
        assert!(seen.len() == 27 && seen.iter().all(|(_, context)| context.is_some()), "{seen:?}");
    }
    assert_eq!(study.state.votes, 36 + 4 * 27);
    let evidence = Evidence::of(&study.state).unwrap();
    let (ranking, ..) = evidence.rank(&study.state.settings, 0.95).unwrap();
    let over = ranking.contexts.unwrap();
    assert_eq!((over.about, over.seen, over.without), (About::Such, 9, 36.0));
    assert_eq!(common::replay(&study.log).encode().unwrap(), study.state.encode().unwrap());
}

#[test]
fn plans_leave_out_what_cannot_be_asked() {
    let evidence = Evidence::of(&with_holes().state).unwrap();
    let possible = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)].map(|(i, j)| evidence.can_be_asked(i, j));
    assert_eq!(possible, [true, true, true, false, false, false]);
}

#[test]
fn what_was_asked_about_is_corrected_or_stays() {
    let mut study = study(2, 1, Settings::default());
    study.run(&Command::Contents(vec![placed(0, 0, "an answer")])).unwrap();
    let change = |study: &mut Study, correction: bool| {
        let context = Context { correction, ..context("context-0", "another prompt") };
        let content = Placed { correction, ..placed(0, 0, "another answer") };
        [study.run(&Command::Contexts(vec![context])), study.run(&Command::Contents(vec![content]))]
    };
    // Nobody has seen it: it is what it is.
    assert!(change(&mut study, false).iter().all(Result::is_ok));
    study.run(&Command::Contents(vec![placed(0, 0, "an answer")])).unwrap();
    study.run(&Command::Contexts(vec![context("context-0", "text")])).unwrap();
    let voter = study.join(Kind::Anonymous, &[]);
    let q = ask(&mut study, voter).questions[0].q;
    answer(&mut study, voter, q);
    for refused in change(&mut study, false) {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("context-0") && refused.contains("correction"), "{refused}");
    }
    assert!(change(&mut study, true).iter().all(|done| *done == Ok(Reply::Done)));
    assert!(change(&mut study, true).iter().all(|done| *done == Ok(Reply::Unchanged)));
    assert_eq!(study.state.votes, 1);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let mut study = study(2, 2, Settings::default());
    let refusal = |study: &mut Study, command: Command| study.run(&command).unwrap_err();
    let contents = |all: Vec<Placed>| Command::Contents(all);
    assert_eq!(refusal(&mut study, contents(vec![placed(7, 0, "x")])), Refusal::NoItem("item-7".to_owned()));
    assert_eq!(refusal(&mut study, contents(vec![placed(0, 7, "x")])), Refusal::NoContext("context-7".to_owned()));
    let twice = refusal(&mut study, contents(vec![placed(0, 0, "x"), placed(0, 0, "y")])).to_string();
    assert!(twice.contains("given twice"), "{twice}");
    for key in ["", ".", "a b", &"x".repeat(65)] {
        assert!(
            matches!(refusal(&mut study, Command::Contexts(vec![context(key, "x")])), Refusal::Invalid(_)),
            "{key}"
        );
    }
    let many = (0..10_001).map(|c| context(&format!("c{c}"), "x")).collect();
    assert!(refusal(&mut study, Command::Contexts(many)).to_string().contains("at most 10000 contexts"));
    let key = "nowhere".to_owned();
    assert_eq!(refusal(&mut study, Command::EnableContext { key: key.clone(), on: true }), Refusal::NoContext(key));
}

/// Ten thousand contexts cost a voter little.
#[test]
fn ten_thousand_contexts_are_asked_in_at_once() {
    let mut study = study(6, 10_000, Settings { questions_per_voter: 200, own_contents: true, ..Settings::default() });
    for first in (0..10_000).step_by(1_000) {
        let some = (first..first + 1_000).flat_map(|c| (0..5).map(move |i| placed(i, c, "own")));
        study.run(&Command::Contents(some.collect())).unwrap();
    }
    let before = common::cpu();
    let voter = study.join(Kind::Anonymous, &[]);
    let mut contexts = HashSet::new();
    for _ in 0..200 {
        let ticket = ask(&mut study, voter).questions[0];
        answer(&mut study, voter, ticket.q);
        contexts.insert(ticket.context);
    }
    assert_eq!(contexts.len(), 200, "new ones come first");
    let took = common::cpu().saturating_sub(before);
    assert!(took.as_millis() < 4_000, "{took:?}");
}
