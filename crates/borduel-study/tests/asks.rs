//! What voters say before the first pair: attributes in files, who is screened out, and quotas.

mod common;

use borduel_study::command::{Finished, Join};
use borduel_study::event::{Answer, Kind, Standing};
use borduel_study::settings::{Ask, Choice};
use borduel_study::{Command, Reply, Settings, export};
use common::{Study, Vote};
use std::collections::BTreeMap;

fn choice(text: &str, out: bool, most: u32) -> Choice {
    Choice { text: text.to_owned(), out, most }
}

fn settings() -> Settings {
    let age = Ask {
        key: "age".to_owned(),
        question: "How old?".to_owned(),
        answers: vec![choice("young", false, 2), choice("old", false, 0)],
    };
    let tea = Ask {
        key: "tea".to_owned(),
        question: "Do you drink tea?".to_owned(),
        answers: vec![choice("yes", false, 0), choice("=no", true, 0)],
    };
    Settings { asks: vec![age, tea], questions_per_voter: 2, ahead: 1, ..Settings::default() }
}

fn said(answers: &[(&str, &str)]) -> BTreeMap<String, String> {
    answers.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn join(study: &mut Study, age: &str, tea: &str) -> (u32, Standing) {
    let attributes = said(&[("age", age), ("tea", tea)]);
    match study.run(&Command::Join(Join { attributes, ..Join::new(Kind::Anonymous, [0; 32]) })).unwrap() {
        Reply::Joined { voter } => (voter, study.state.voters[voter as usize].standing),
        other => panic!("{other:?}"),
    }
}

/// Answers so many questions of a voter.
fn vote(study: &mut Study, voter: u32, pairs: usize) {
    for _ in 0..pairs {
        study.now += 1_000;
        let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 1 }).unwrap() else { panic!() };
        study.vote(Vote { more: true, ..Vote::new(voter, sitting.questions[0].q, Answer::First) }).unwrap();
    }
}

#[test]
fn answers_go_into_files_and_the_log() {
    let mut study = Study::open(3, settings(), 1);
    let (young, _) = join(&mut study, "young", "yes");
    let (old, _) = join(&mut study, "old", "yes");
    vote(&mut study, young, 2);
    vote(&mut study, old, 1);
    let (state, mut votes) = (&study.state, export::VoteExport::default());
    let rows: Vec<_> = study.log.iter().flat_map(|entry| votes.of(entry, state).unwrap()).collect();
    let csv = export::csv(&rows, state, true).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].ends_with(",source,age,tea"), "{csv}");
    assert!(
        lines[1].ends_with(",young,yes") && lines[2].ends_with(",young,yes") && lines[3].ends_with(",old,yes"),
        "{csv}"
    );
    let voters = export::voters(state).unwrap();
    assert!(voters.lines().next().unwrap().ends_with(",network,age,tea"), "{voters}");
    assert!(voters.contains("\n0,anonymous,active,yes,2,0,0,,young,yes\n"), "{voters}");
    let replayed = common::replay(&study.log);
    assert_eq!(replayed.encode().unwrap(), state.encode().unwrap());
    assert_eq!(replayed.attribute(&replayed.voters[1], "age"), Some("old"));
    // What is not asked for any more stays in the files.
    study.run(&common::set(&serde_json::json!({ "asks": [] }))).unwrap();
    assert_eq!(export::csv(&rows, &study.state, true).unwrap(), csv);
}

/// What somebody is told who asks for a question and gets none.
fn told(study: &mut Study, voter: u32) -> Option<Finished> {
    match study.run(&Command::Ask { voter, count: 1 }) {
        Ok(Reply::Questions(sitting)) if sitting.questions.is_empty() => sitting.done,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_screening_answer_ends_it_and_what_looks_like_a_formula_is_none() {
    let mut study = Study::open(3, settings(), 1);
    let (voter, standing) = join(&mut study, "old", "=no");
    assert_eq!(standing, Standing::ScreenedOut);
    assert_eq!(told(&mut study, voter), Some(Finished::ScreenedOut));
    assert!(export::voters(&study.state).unwrap().contains(",screened-out,no,0,0,0,,old,'=no\n"));
}

#[test]
fn a_quota_is_full_with_those_who_finish_or_are_at_it() {
    let mut study = Study::open(3, settings(), 1);
    let (first, _) = join(&mut study, "young", "yes");
    vote(&mut study, first, 2);
    let (second, standing) = join(&mut study, "young", "yes");
    assert_eq!(standing, Standing::Active);
    vote(&mut study, second, 1);
    let taken = |study: &Study| study.state.taken(&study.state.settings.asks[0]);
    assert_eq!(taken(&study), [2, 0]);
    let (third, standing) = join(&mut study, "young", "yes");
    assert_eq!(standing, Standing::OverQuota, "two are enough");
    assert_eq!(join(&mut study, "old", "yes").1, Standing::Active, "of these any number");
    assert_eq!(study.state.votes, 3);
    // The second one leaves half-way, and somebody else may take the place.
    study.now += 601_000;
    study.run(&Command::Tick).unwrap();
    assert_eq!(taken(&study), [1, 1]);
    assert_eq!(join(&mut study, "young", "yes").1, Standing::Active);
    // Whoever was sent away stays so, and is told why.
    assert_eq!(told(&mut study, third), Some(Finished::OverQuota));
}

#[test]
fn whoever_was_invited_says_it_before_the_first_pair_once() {
    let mut study = Study::open(3, settings(), 1);
    let voter = study.join(Kind::Invited, &[]);
    let refused = study.run(&Command::Ask { voter, count: 1 }).unwrap_err().to_string();
    assert!(refused.contains("attributes"), "{refused}");
    for (answers, named) in [
        (said(&[("age", "young")]), "attributes.tea is missing"),
        (said(&[("age", "younger"), ("tea", "yes")]), "attributes.age is \"younger\""),
        (said(&[("age", "young"), ("tea", "yes"), ("shoe", "42")]), "does not ask for \"shoe\""),
    ] {
        let refused = study.run(&Command::Describe { voter, answers }).unwrap_err().to_string();
        assert!(refused.contains(named), "{refused}");
    }
    let answers = said(&[("age", "young"), ("tea", "yes")]);
    study.run(&Command::Describe { voter, answers: answers.clone() }).unwrap();
    vote(&mut study, voter, 1);
    assert!(study.run(&Command::Describe { voter, answers }).is_err(), "once");
    // Strangers say it when they join; judges are not asked.
    let stranger = study.run(&Command::Join(Join::new(Kind::Anonymous, [0; 32])));
    assert!(stranger.unwrap_err().to_string().contains("attributes.age is missing"));
    let judge = study.join(Kind::Judge, &[]);
    vote(&mut study, judge, 1);
}

#[test]
fn questions_about_voters_are_checked() {
    let check = |asks: serde_json::Value| {
        let fields = serde_json::json!({ "asks": asks }).as_object().unwrap().clone();
        Settings::default().changed(fields).and_then(|settings| settings.check()).unwrap_err()
    };
    let answers = serde_json::json!([{"text": "a"}, {"text": "b"}]);
    for (asks, named) in [
        (serde_json::json!([{"key": "Age", "question": "?", "answers": answers}]), "\"Age\" is no key"),
        (serde_json::json!([{"key": "voter", "question": "?", "answers": answers}]), "is taken"),
        (serde_json::json!([{"key": "age", "question": "", "answers": answers}]), "1 to 300"),
        (serde_json::json!([{"key": "age", "question": "?", "answers": [{"text": "a"}]}]), "2 to 50"),
        (serde_json::json!([{"key": "age", "question": "?", "answers": [{"text": "a"}, {"text": "a"}]}]), "twice"),
        (serde_json::json!([{"key": "age", "question": "?", "answers": [{"text": "a\nb"}, {"text": "a"}]}]), "a line"),
    ] {
        let why = check(asks);
        assert!(why.contains(named), "{why}");
    }
}
