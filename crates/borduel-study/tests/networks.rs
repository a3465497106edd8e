//! Where voters come from: how many one network may bring, and who came in bursts.

mod common;

use borduel_rank::ranking::{VerdictKind, WithoutBursts};
use borduel_rank::stream::{Stream, stream};
use borduel_study::command::Join;
use borduel_study::event::{Answer, By, Entry, Inclusion, Kind, Standing};
use borduel_study::networks::{Bursts, bursts, number, without, without_bursts};
use borduel_study::standing::{Evidence, look};
use borduel_study::{Command, Refusal, Reply, Settings, export};
use common::{Study, Vote};

fn join(study: &mut Study, kind: Kind, network: Option<u32>) -> Result<u32, Refusal> {
    join_at(study, kind, network, 0)
}

/// The same where so many of a network may join a minute.
fn join_at(study: &mut Study, kind: Kind, network: Option<u32>, per_minute: u32) -> Result<u32, Refusal> {
    match study.run(&Command::Join(Join { network, per_minute, ..Join::new(kind, [0; 32]) }))? {
        Reply::Joined { voter } => Ok(voter),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_network_joins_as_fast_as_it_may() {
    let mut study = Study::open(3, Settings::default(), 1);
    let seconds = |study: &mut Study, seconds: i64| {
        study.now += 1000 * seconds;
        let mut let_in = 0;
        while join_at(study, Kind::Anonymous, Some(7), 6).is_ok() {
            let_in += 1;
            assert!(let_in < 100);
        }
        let_in
    };
    // Six at once, then one every ten seconds, and never more than six in store.
    let told: Vec<u32> = [0, 9, 1, 10, 25, 5, 60, 900].iter().map(|&s| seconds(&mut study, s)).collect();
    assert_eq!(told, [6, 0, 1, 1, 2, 1, 6, 6]);
    assert_eq!(join_at(&mut study, Kind::Anonymous, Some(7), 6), Err(Refusal::NetworkHasty));
    let next = study.state.voters.len() as u32;
    assert_eq!(join_at(&mut study, Kind::Anonymous, Some(8), 6), Ok(next), "others are let in");
    assert_eq!(join_at(&mut study, Kind::Invited, None, 6), Ok(next + 1), "and whoever comes from nowhere");
    assert_eq!(join_at(&mut study, Kind::Anonymous, Some(7), 0), Ok(next + 2), "0 is any number");
    // Another replica, which has read the log or a snapshot of it, says the same.
    let mut replayed = Study { state: common::replay(&study.log), ..study.clone() };
    let saved = borduel_study::State::decode(&study.state.encode().unwrap()).unwrap();
    let mut opened = Study { state: saved, ..study.clone() };
    for study in [&mut replayed, &mut opened] {
        assert_eq!(join_at(study, Kind::Anonymous, Some(7), 6), Err(Refusal::NetworkHasty));
        assert_eq!(seconds(study, 20), 2);
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
        study.vote(Vote::new(voter, sitting.questions[0].q, Answer::First)).unwrap();
    }
    let found = bursts(&study.state);
    let voters: Vec<u32> = (0..10).collect();
    assert_eq!(found, Bursts { known: 15, most: 10, networks: 1, voters: voters.clone(), votes: 10, alone: false });
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

/// Somebody of this network answers everything; an item is preferred by its strength, or by the order of these.
fn votes(study: &mut Study, network: Option<u32>, strengths: &[f64], chance: &mut Stream) -> u32 {
    let kind = if network.is_some() { Kind::Anonymous } else { Kind::Invited };
    let voter = join(study, kind, network).unwrap();
    loop {
        let asked = study.run(&Command::Ask { voter, count: 1 }).unwrap();
        let Reply::Questions(sitting) = asked else { panic!("{asked:?}") };
        let Some(ticket) = sitting.questions.first() else { return voter };
        let of = |item: u16| strengths[usize::from(item)];
        let first = chance.uniform() < of(ticket.first) / (of(ticket.first) + of(ticket.second));
        let answer = if first { Answer::First } else { Answer::Second };
        study.vote(Vote::new(voter, ticket.q, answer)).unwrap();
    }
}

/// Takes a look, and tells what is shown since.
fn judge(study: &mut Study) -> VerdictKind {
    let evidence = Evidence::of(&study.state).unwrap();
    let number = study.state.judged.as_ref().map_or(0, |judged| judged.look + 1);
    let reading = evidence.read(&study.state.settings).unwrap();
    let found = look(&evidence, reading.as_ref(), number, &study.state.settings).unwrap();
    study.run(&Command::Judge(found)).unwrap();
    study.state.judged.as_ref().unwrap().kind
}

/// A study to which so many came one by one and so many in a room, each with their own strengths.
fn room(
    seed: u64,
    (alone, strengths): (u32, &[f64]),
    (together, of_room): (u32, &[f64]),
) -> (VerdictKind, WithoutBursts) {
    let mut study = Study::open(strengths.len(), Settings { ahead: 1, ..Settings::default() }, seed);
    let chance = &mut stream(seed, &[7]);
    for network in 1..=alone {
        votes(&mut study, Some(network), strengths, chance);
    }
    for _ in 0..together {
        votes(&mut study, Some(0), of_room, chance);
    }
    let kind = judge(&mut study);
    (kind, without_bursts(&study.state, &bursts(&study.state)))
}

fn fails(without: WithoutBursts) -> bool {
    matches!(without, WithoutBursts::Other | WithoutBursts::TooFew { differ: true })
}

#[test]
fn honest_rooms_seldom_raise_an_alarm_and_one_person_who_joins_thirty_times_does() {
    let even = [1.0; 4];
    let honest = [1.0, 1.4, 1.4, 2.8];
    // More of them: ROOMS=2000.
    let rooms: u64 = std::env::var("ROOMS").ok().and_then(|rooms| rooms.parse().ok()).unwrap_or(120);
    let found: Vec<_> = (0..rooms).map(|seed| room(seed, (30, &honest), (30, &honest))).collect();
    let count = |is: &dyn Fn(WithoutBursts) -> bool| found.iter().filter(|(_, without)| is(*without)).count() as u64;
    let (alarms, other) = (count(&fails), count(&|without| without == WithoutBursts::Other));
    let fewer = count(&|without| matches!(without, WithoutBursts::TooFew { .. }));
    println!("{rooms} honest rooms: {alarms} alarms, {other} of them another verdict; too few votes left in {fewer}");
    // By chance in 1 %, and little more where something else comes out.
    assert!(40 * alarms <= 40 + rooms, "{alarms}");
    assert!(5 * fewer >= rooms, "there must be something that could be blamed: {fewer}");
    let liar = [1.0, 1.0, 1.0, 1e6];
    let found: Vec<_> = (0..20).map(|seed| room(seed, (60, &even), (30, &liar))).collect();
    let won: Vec<_> = found.iter().filter(|(kind, _)| *kind != VerdictKind::NotEnough).collect();
    assert!(won.len() >= 15, "{found:?}");
    assert!(won.iter().all(|(_, without)| fails(*without)), "{found:?}");
}

#[test]
fn what_is_shown_is_compared_and_not_what_would_be() {
    let mut study = Study::open(4, Settings { ahead: 1, ..Settings::default() }, 1);
    let chance = &mut stream(1, &[7]);
    for network in 1..=60 {
        votes(&mut study, Some(network), &[1.0, 1.0, 1.0, 9.0], chance);
    }
    assert_eq!(judge(&mut study), VerdictKind::ClearWinner);
    // Ten come from one place and say the opposite: what was shown stays, and does not rest on them.
    for _ in 0..10 {
        votes(&mut study, Some(0), &[9.0, 1.0, 1.0, 1e-6], chance);
    }
    assert_eq!(without_bursts(&study.state, &bursts(&study.state)), WithoutBursts::Same);
}

#[test]
fn where_all_come_from_one_place_nothing_can_be_told() {
    let mut study = Study::open(4, Settings { ahead: 1, ..Settings::default() }, 1);
    let chance = &mut stream(1, &[7]);
    let look = |study: &Study| without_bursts(&study.state, &bursts(&study.state));
    votes(&mut study, Some(0), &[1.0; 4], chance);
    assert_eq!(look(&study), WithoutBursts::Same, "one voter is no crowd");
    for _ in 0..20 {
        votes(&mut study, Some(0), &[1.0; 4], chance);
    }
    assert_eq!(look(&study), WithoutBursts::Nobody);
    study.run(&common::set(&serde_json::json!({ "per_network": 30 }))).unwrap();
    assert_eq!(look(&study), WithoutBursts::Same, "they are expected");
    study.run(&common::set(&serde_json::json!({ "per_network": 0 }))).unwrap();
    // Others, whose network is not known, can be compared with.
    votes(&mut study, None, &[1.0; 4], chance);
    assert_ne!(look(&study), WithoutBursts::Nobody);
}

#[test]
fn the_network_of_whoever_is_erased_is_forgotten_with_the_votes() {
    let mut study = Study::open(4, Settings { ahead: 1, ..Settings::default() }, 1);
    let chance = &mut stream(1, &[7]);
    let [gone, kept] = [0, 1].map(|_| votes(&mut study, Some(7), &[1.0; 4], chance));
    for (voter, votes) in [(gone, Inclusion::Aside), (kept, Inclusion::Keep)] {
        study.run(&Command::Voter { voter, standing: Standing::Withdrawn, votes, by: By::Voter }).unwrap();
    }
    let of = |voter: u32| study.state.voters[voter as usize].network;
    assert_eq!((of(gone), of(kept)), (None, Some(7)), "votes that count are still watched");
    let file = export::voters(&study.state).unwrap();
    assert!(file.lines().skip(1).all(|line| line.ends_with(',')), "{file}");
}
