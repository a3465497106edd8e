//! Where voters come from: how many one network may bring, and who came in bursts.

mod common;

use borduel_study::command::Join;
use borduel_study::event::{Answer, Entry, Kind};
use borduel_study::networks::{Bursts, bursts, number, without};
use borduel_study::standing::Evidence;
use borduel_study::{Command, Refusal, Reply, Settings, export};
use common::Study;

fn join(study: &mut Study, kind: Kind, network: Option<u32>) -> Result<u32, Refusal> {
    match study.run(&Command::Join(Join { network, ..Join::new(kind, [0; 32]) }))? {
        Reply::Joined { voter } => Ok(voter),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_network_brings_as_many_voters_as_it_may() {
    let mut study = Study::open(3, Settings { per_network: 2, ..Settings::default() }, 1);
    assert_eq!(join(&mut study, Kind::Anonymous, Some(7)), Ok(0));
    assert_eq!(join(&mut study, Kind::Named, Some(7)), Ok(1));
    assert_eq!(join(&mut study, Kind::Anonymous, Some(7)), Err(Refusal::NetworkFull));
    assert_eq!(join(&mut study, Kind::Anonymous, Some(8)), Ok(2), "others are let in");
    // Whoever was invited comes from nowhere.
    for voter in 3..9 {
        assert_eq!(join(&mut study, Kind::Invited, None), Ok(voter));
    }
    study.run(&common::set(&serde_json::json!({ "per_network": 0 }))).unwrap();
    assert_eq!(join(&mut study, Kind::Anonymous, Some(7)), Ok(9), "0 is any number");
    let file = export::voters(&study.state).unwrap();
    let networks: Vec<&str> = file.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(networks, ["network", "1", "1", "2", "", "", "", "", "", "", "1"]);
    assert_eq!(common::replay(&study.log).encode().unwrap(), study.state.encode().unwrap());
}

#[test]
fn what_has_no_network_is_written_as_it_was() {
    let mut study = Study::open(3, Settings::default(), 1);
    join(&mut study, Kind::Anonymous, None).unwrap();
    join(&mut study, Kind::Anonymous, Some(9)).unwrap();
    let last = |study: &Study, back: usize| study.log[study.log.len() - back].clone();
    let (before, now): (Entry, Entry) = (last(&study, 2), last(&study, 1));
    assert_eq!((before.format, &*before.body), (3, r#"[{"joined":{"voter":0,"kind":"anonymous"}}]"#));
    assert_eq!((now.format, &*now.body), (5, r#"[{"joined":{"voter":1,"kind":"anonymous","network":9}}]"#));
}

#[test]
fn bursts_are_found_and_can_be_left_out() {
    let mut study = Study::open(3, Settings::default(), 1);
    for voter in 0..15_u32 {
        // One network brings ten, the others one each.
        let voter = join(&mut study, Kind::Anonymous, Some(voter.saturating_sub(9))).unwrap();
        let asked = study.run(&Command::Ask { voter, count: 1 }).unwrap();
        let Reply::Questions(sitting) = asked else { panic!("{asked:?}") };
        let (q, answer, ms, stacked, comment, more) = (sitting.questions[0].q, Answer::First, None, false, None, false);
        study.run(&Command::Answer { voter, q, answer, ms, stacked, comment, more }).unwrap();
    }
    let found = bursts(&study.state);
    let voters: Vec<u32> = (0..10).collect();
    assert_eq!(found, Bursts { known: 15, most: 10, networks: 1, voters: voters.clone(), votes: 10 });
    let rest = without(&study.state, &found.voters);
    assert_eq!(Evidence::of(&rest).unwrap().ballots.totals().total(), 5.0);
    // Where so many are expected they are no burst.
    study.run(&common::set(&serde_json::json!({ "per_network": 10 }))).unwrap();
    assert_eq!(bursts(&study.state).networks, 0);
}

#[test]
fn a_network_is_a_number_that_needs_the_secret() {
    let (one, two) = (number(&[1; 32], &[10, 0, 0, 0]), number(&[2; 32], &[10, 0, 0, 0]));
    assert_ne!(one, two);
    assert_eq!(one, number(&[1; 32], &[10, 0, 0, 0]));
    assert_ne!(one, number(&[1; 32], &[10, 0, 1, 0]));
}
