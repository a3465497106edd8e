//! What organisers and voters may do, and when: items, features, settings, answers taken back.

mod common;

use borduel_study::command::{Change, Item};
use borduel_study::decide::{UNDO_LAST, UNDO_WITHIN};
use borduel_study::event::{Answer, Event, Kind, Status};
use borduel_study::settings::Model;
use borduel_study::standing::Evidence;
use borduel_study::{Command, Refusal, Reply, Settings, State};
use common::{Study, Vote, item, replay, set};
use serde_json::json;

fn with_features(key: &str, features: &[f64]) -> Item {
    Item { features: features.to_vec(), ..item(key, "text") }
}

fn by_features() -> Study {
    let settings = Settings { model: Model::Features, ..Settings::default() };
    let mut study = Study { now: 1_700_000_000_000, ..Study::default() };
    study.note(&[Event::Created { settings, seed: 1 }]);
    let three = ["a", "b", "c"].map(|key| with_features(key, &[f64::from(key.as_bytes()[0]), 1.0]));
    study.run(&Command::Items(three.to_vec())).unwrap();
    study.run(&Command::Status(Status::Open)).unwrap();
    study
}

/// A refusal that names the item which does not go with the others; nothing is changed.
fn refused(study: &mut Study, command: &Command, item: &str) {
    let before = study.state.head;
    match study.run(command) {
        Err(Refusal::Invalid(why)) => assert!(why.contains(&format!("{item:?}")) && why.contains("features"), "{why}"),
        other => panic!("{command:?}: {other:?}"),
    }
    assert_eq!(study.state.head, before, "{command:?}");
}

#[test]
fn a_model_by_features_never_meets_items_without_or_with_others() {
    let mut study = by_features();
    // As many numbers as two items of two features would have.
    let odd = vec![with_features("d", &[1.0]), with_features("e", &[1.0, 2.0, 3.0])];
    refused(&mut study, &Command::Items(odd.clone()), "d");
    refused(&mut study, &Command::Items(vec![item("d", "text")]), "d");
    let correction = Item { correction: true, ..with_features("b", &[]) };
    refused(&mut study, &Command::Items(vec![correction]), "b");
    // All at once it can be done.
    let all = ["a", "b", "c"].map(|key| with_features(key, &[1.0, 2.0, f64::from(key.as_bytes()[0])]));
    study.run(&Command::Items(all.to_vec())).unwrap();
    study.run(&Command::Items(vec![odd[1].clone()])).unwrap();

    // Without the model it may be as it is, and then the model may not come, nor an item that was left out.
    study.run(&set(&json!({"model": "one-hot"}))).unwrap();
    study.run(&Command::Items(vec![odd[0].clone()])).unwrap();
    refused(&mut study, &set(&json!({"model": "features"})), "d");
    study.run(&Command::Enable { key: "d".to_owned(), on: false }).unwrap();
    study.run(&set(&json!({"model": "features"}))).unwrap();
    refused(&mut study, &Command::Enable { key: "d".to_owned(), on: true }, "d");
    // What is left out may be mended, and then asked about.
    study.run(&Command::Items(vec![with_features("d", &[3.0, 2.0, 1.0])])).unwrap();
    study.run(&Command::Enable { key: "d".to_owned(), on: true }).unwrap();
    assert!(Evidence::of(&study.state).is_ok());

    // A log that has it all the same: it cannot be opened, and its results say why instead of being wrong.
    study.run(&Command::Status(Status::Closed)).unwrap();
    let (content, features) = ([0; 32], vec![1.0]);
    study.note(&[Event::ItemAdded { item: 5, key: "f".to_owned(), content, features }]);
    refused(&mut study, &Command::Status(Status::Open), "f");
    assert!(Evidence::of(&study.state).unwrap_err().to_string().contains("\"f\" has 1 features"));
}

#[test]
fn keys_are_found_after_replacing_and_replaying() {
    let mut study = Study::open(3, Settings::default(), 1);
    let voter = study.join(Kind::Judge, &[]);
    study.run(&Command::Ask { voter, count: 3 }).unwrap();
    // Every item was shown: another text is another item.
    study.run(&Command::Items(vec![item("item-1", "other"), item("item-9", "new")])).unwrap();
    let numbers = |state: &State| ["item-0", "item-1", "item-9", "item-8"].map(|key| state.item(key));
    let expected = [Some(0), Some(3), Some(4), None];
    let saved = State::decode(&study.state.encode().unwrap()).unwrap();
    for state in [&study.state, &replay(&study.log), &saved] {
        assert_eq!(numbers(state), expected);
        assert!(state.items[1].replaced && !state.items[1].enabled);
    }
    assert!(study.run(&Command::Items(vec![item("x", "1"), item("x", "2")])).is_err(), "a key that is given twice");
}

#[test]
fn items_are_added_in_the_time_of_their_number() {
    let add = |items: usize| {
        let mut study = Study { now: 1, ..Study::default() };
        study.note(&[Event::Created { settings: Settings::default(), seed: 1 }]);
        let all = (0..items).map(|i| item(&format!("item-{i}"), "text")).collect();
        let clock = common::cpu();
        study.run(&Command::Items(all)).unwrap();
        assert_eq!(study.state.items.len(), items);
        common::cpu().saturating_sub(clock).as_secs_f64()
    };
    // Once each before, for memory that has to be had. Linear: 8 times the items, about 8 times as long; quadratic
    // would be 64.
    let (few, many) = ([0; 3].map(|_| add(1_250)), [0; 3].map(|_| add(10_000)));
    let least = |times: [f64; 3]| times.into_iter().fold(f64::INFINITY, f64::min);
    let ratio = least(many) / least(few);
    assert!(ratio < 24.0, "{ratio}: {many:?} and {few:?}");
}

#[test]
fn settings_change_by_field_and_only_for_whoever_has_seen_them() {
    let mut study = Study::open(3, Settings::default(), 1);
    let tag = study.state.settings.tag();
    let change = |known: Option<&String>, fields: serde_json::Value| {
        let fields = fields.as_object().unwrap().clone();
        Command::Set(Change { fields, known: known.cloned(), title: None })
    };
    // A vote in between is no change of settings.
    study.join(Kind::Judge, &[]);
    study.run(&change(Some(&tag), json!({"ahead": 2}))).unwrap();
    let refused = study.run(&change(Some(&tag), json!({"comment": true})));
    let now = study.state.settings.tag();
    assert_eq!(refused, Err(Refusal::Changed { now: now.clone() }));
    // Two who have seen the same and say only what they want lose nothing of each other.
    study.run(&change(None, json!({"comment": true}))).unwrap();
    assert_eq!((study.state.settings.ahead, study.state.settings.comment), (2, true));
    study.run(&change(None, json!({"comment": false}))).unwrap();
    assert_eq!(study.state.settings.tag(), now, "the same settings have the same tag");
    assert_eq!(study.run(&change(Some(&now), json!({"comment": false}))), Ok(Reply::Unchanged));
    assert!(
        matches!(study.run(&change(None, json!({"colour": 1}))), Err(Refusal::Invalid(why)) if why.contains("colour"))
    );
    assert!(
        matches!(study.run(&change(None, json!({"ahead": 0}))), Err(Refusal::Invalid(why)) if why.contains("ahead"))
    );
}

#[test]
fn voters_take_back_their_last_answers_for_a_while_and_organisers_any() {
    let mut study = Study::open(6, Settings::default(), 1);
    let (one, other) = (study.join(Kind::Anonymous, &[]), study.join(Kind::Anonymous, &[]));
    let mut answered = Vec::new();
    for _ in 0..=UNDO_LAST {
        let Ok(Reply::Questions(sitting)) = study.run(&Command::Ask { voter: one, count: 1 }) else { panic!() };
        let q = sitting.questions[0].q;
        study.now += 1_000;
        let answer = Vote::new(one, q, Answer::First).command();
        study.run(&answer).unwrap();
        answered.push(q);
    }
    let undo = |q: u32, voter: Option<u32>| Command::Undo { q, voter };
    let too_late = |reply| matches!(reply, Err(Refusal::TooLate { .. }));
    let (oldest, next, newest) = (answered[0], answered[1], answered[UNDO_LAST]);
    assert!(too_late(study.run(&undo(oldest, Some(one)))), "one more than may be taken back");
    assert_eq!(study.run(&undo(newest, Some(other))), Err(Refusal::NoQuestion(newest)), "somebody else's");
    // To the millisecond: as long as it may be, and no longer.
    let answered_at = study.state.time_of(&study.state.questions[newest as usize]);
    study.now = answered_at + UNDO_WITHIN;
    assert!(too_late(study.run(&undo(next, Some(one)))), "that one was answered earlier");
    let Ok(Reply::Undone { again: Some(again) }) = study.run(&undo(newest, Some(one))) else { panic!() };
    assert!(again.q > newest);
    assert_eq!(study.run(&undo(newest, Some(one))), Err(Refusal::TakenBack(newest)));
    let last = answered[UNDO_LAST - 1];
    study.now = study.state.time_of(&study.state.questions[last as usize]) + UNDO_WITHIN + 1;
    assert!(too_late(study.run(&undo(last, Some(one)))));
    assert!(study.run(&undo(oldest, None)).is_ok(), "the organiser always may");
    study.run(&Command::Status(Status::Closed)).unwrap();
    assert!(matches!(study.run(&undo(last, Some(one))), Err(Refusal::Status { .. })));
    assert!(study.run(&undo(last, None)).is_ok());
    assert_eq!(study.state.votes, UNDO_LAST as u64 + 1 - 3);
}
