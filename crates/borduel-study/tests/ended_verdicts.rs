//! A verdict ends with the votes that it rests on, and with no others.

mod common;

use borduel_rank::ranking::VerdictKind;
use borduel_study::command::Look;
use borduel_study::event::{Answer, By, Inclusion, Kind, Standing};
use borduel_study::settings::Repeat;
use borduel_study::standing::{Evidence, look, look_due};
use borduel_study::{Command, Settings, State};
use common::{Study, Vote};

/// A study of two items with so many votes for the first, all by one voter, a second apart.
fn one_sided(votes: u32) -> Study {
    let mut study = Study::open(2, Settings { repeat: Repeat::Swapped, ..Settings::default() }, 1);
    for _ in 0..votes {
        let voter = study.join(Kind::Anonymous, &[]);
        study.now += 1_000;
        let asked = study.run(&Command::Ask { voter, count: 1 }).unwrap();
        let borduel_study::Reply::Questions(sitting) = asked else { panic!("{asked:?}") };
        let ticket = sitting.questions[0];
        let answer = if ticket.first == 0 { Answer::First } else { Answer::Second };
        study.vote(Vote::new(voter, ticket.q, answer)).unwrap();
    }
    study
}

fn look_now(study: &State) -> Option<Look> {
    let evidence = Evidence::of(study).unwrap();
    let reading = evidence.read(&study.settings).unwrap();
    let number = look_due(study)?;
    Some(look(&evidence, reading.as_ref(), number, &study.settings).unwrap())
}

#[test]
fn a_stuffed_ballot_that_is_taken_back_takes_its_verdict_along() {
    let mut study = one_sided(32);
    let found = look_now(&study.state).unwrap();
    assert_eq!((found.kind, found.winners.as_slice()), (VerdictKind::ClearWinner, [0].as_slice()));
    study.run(&Command::Judge(found)).unwrap();
    let kind = |study: &Study| study.state.judged.as_ref().unwrap().kind;
    assert_eq!(kind(&study), VerdictKind::ClearWinner);
    // A look that was begun before the votes were taken back is no look at what there is.
    study.now += 5_000;
    let late = {
        let mut more = one_sided(37);
        more.state.judged.clone_from(&study.state.judged);
        look_now(&more.state).unwrap()
    };
    for q in 0..32 {
        study.run(&Command::Undo { q, voter: None }).unwrap();
        assert_eq!(kind(&study), VerdictKind::NotEnough, "after {} of 32", q + 1);
        // With enough left, the votes that are left speak; until then nothing does.
        assert_eq!(look_due(&study.state).is_some(), q < 12, "{q}");
    }
    assert_eq!(study.state.votes, 0);
    let basis = (study.state.head - 20, late.basis.1);
    assert_eq!(study.run(&Command::Judge(Look { basis, ..late })).unwrap(), borduel_study::Reply::Unchanged);
    assert_eq!(kind(&study), VerdictKind::NotEnough);
}

#[test]
fn an_answer_that_came_after_the_verdict_may_be_taken_back() {
    let mut study = one_sided(32);
    let found = look_now(&study.state).unwrap();
    study.run(&Command::Judge(found)).unwrap();
    let before = study.state.judged.clone();
    let voter = study.join(Kind::Anonymous, &[]);
    study.now += 3_000;
    let asked = study.run(&Command::Ask { voter, count: 1 }).unwrap();
    let borduel_study::Reply::Questions(sitting) = asked else { panic!("{asked:?}") };
    let (q, answer) = (sitting.questions[0].q, Answer::First);
    study.vote(Vote::new(voter, q, answer)).unwrap();
    study.run(&Command::Undo { q, voter: None }).unwrap();
    assert_eq!(study.state.judged, before);
}

#[test]
fn a_voter_who_is_sent_away_takes_a_verdict_along_only_if_it_rests_on_that_voter() {
    let mut study = one_sided(32);
    let found = look_now(&study.state).unwrap();
    study.run(&Command::Judge(found)).unwrap();
    let before = study.state.judged.clone();
    let late = study.join(Kind::Anonymous, &[]);
    study.now += 3_000;
    let asked = study.run(&Command::Ask { voter: late, count: 1 }).unwrap();
    let borduel_study::Reply::Questions(sitting) = asked else { panic!("{asked:?}") };
    let (voter, q, answer) = (late, sitting.questions[0].q, Answer::First);
    study.vote(Vote::new(voter, q, answer)).unwrap();
    let mut away = |voter| {
        let (standing, votes, by) = (Standing::ScreenedOut, Inclusion::Aside, By::Organiser);
        study.run(&Command::Voter { voter, standing, votes, by }).unwrap();
        (study.state.votes, study.state.judged.clone())
    };
    assert_eq!(away(late), (32, before));
    assert!(away(0).1.unwrap().void, "the verdict rests on this one");
}
