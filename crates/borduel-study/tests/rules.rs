//! What voters may do and when, and what they may not.

mod common;

use borduel_study::command::{Change, Chunk, Finished, ImportedVote, Join};
use borduel_study::decide::{UNDO_LAST, UNDO_WITHIN};
use borduel_study::event::{Answer, By, Grade, Inclusion, Kind, Standing, Status};
use borduel_study::settings::Stop;
use borduel_study::{Command, Refusal, Reply, Settings, export};
use common::{Study, Vote, item};

fn ask(study: &mut Study, voter: u32) -> Vec<u32> {
    match study.run(&Command::Ask { voter, count: u32::MAX }).unwrap() {
        Reply::Questions(sitting) => sitting.questions.iter().map(|ticket| ticket.q).collect(),
        other => panic!("{other:?}"),
    }
}

fn answer(study: &mut Study, voter: u32, q: u32) -> Result<Reply, Refusal> {
    let answer = Answer::First;
    study.vote(Vote::new(voter, q, answer))
}

fn join(study: &mut Study, kind: Kind) -> Result<Reply, Refusal> {
    study.run(&Command::Join(Join::new(kind, [0; 32])))
}

/// Questions that lapsed may be answered, but not to vote more often than others.
#[test]
fn nobody_votes_more_often_than_is_wanted_by_letting_questions_lapse() {
    let settings = Settings { questions_per_voter: 4, ahead: 3, ..Settings::default() };
    let mut study = Study::open(10, settings, 1);
    let voter = study.join(Kind::Anonymous, &[]);
    let mut held = ask(&mut study, voter);
    for _ in 0..5 {
        study.now += 601_000;
        held.extend(ask(&mut study, voter));
    }
    assert_eq!(held.len(), 18);
    let taken = held.iter().filter(|&&q| answer(&mut study, voter, q).is_ok()).count();
    assert_eq!((taken, study.state.votes), (4, 4));
    assert_eq!(answer(&mut study, voter, held[9]), Err(Refusal::Enough(4)));
    // What was asked in their place is over, and an answer that is repeated is still the same.
    assert!(study.state.open.is_empty());
    let Ok(Reply::Answered { repeated: true, next, .. }) = answer(&mut study, voter, held[0]) else { panic!() };
    assert_eq!(next.done, Some(Finished::Goal));
    // Whoever takes one back may answer another.
    study.run(&Command::Undo { q: held[3], voter: Some(voter) }).unwrap();
    answer(&mut study, voter, held[9]).unwrap();
    assert_eq!(study.state.votes, 4);
    // Judges have no goal.
    let judge = study.join(Kind::Judge, &[]);
    let asked = ask(&mut study, judge);
    assert!(asked.len() > 4 && asked.iter().all(|&q| answer(&mut study, judge, q).is_ok()));
}

#[test]
fn strangers_join_what_is_open_and_the_organiser_lets_in_until_the_archive() {
    let mut study = Study::open(3, Settings::default(), 1);
    let joined = |study: &mut Study| {
        [Kind::Anonymous, Kind::Named, Kind::Invited, Kind::Judge].map(|kind| join(study, kind).is_ok())
    };
    assert_eq!(joined(&mut study), [true; 4]);
    for (status, organisers) in [(Status::Paused, true), (Status::Closed, true), (Status::Archived, false)] {
        study.run(&Command::Status(status)).unwrap();
        assert_eq!(joined(&mut study), [false, false, organisers, organisers], "{status:?}");
    }
    assert_eq!(joined(&mut Study::default()), [false, false, true, true], "a draft");
}

#[test]
fn a_vote_stays_when_the_study_is_closed_unless_the_organiser_takes_it_out() {
    let mut study = Study::open(3, Settings::default(), 1);
    let leave = |study: &mut Study, voter: u32, votes: Inclusion, by: By| {
        study.run(&Command::Voter { voter, standing: Standing::Withdrawn, votes, by })
    };
    let voters = [(); 4].map(|()| study.join(Kind::Anonymous, &[]));
    for voter in voters {
        let q = ask(&mut study, voter)[0];
        answer(&mut study, voter, q).unwrap();
    }
    leave(&mut study, 0, Inclusion::Aside, By::Voter).unwrap();
    assert_eq!(study.state.votes, 3);
    study.run(&Command::Status(Status::Closed)).unwrap();
    assert!(matches!(leave(&mut study, 1, Inclusion::Aside, By::Voter), Err(Refusal::Status { .. })));
    leave(&mut study, 1, Inclusion::Keep, By::Voter).unwrap();
    assert_eq!((study.state.votes, study.state.voters[1].standing), (3, Standing::Withdrawn));
    leave(&mut study, 2, Inclusion::Aside, By::Organiser).unwrap();
    assert_eq!(study.state.votes, 2);
    // Whose votes did not count anyway can go.
    let blocked = Command::Voter { voter: 3, standing: Standing::Blocked, votes: Inclusion::Aside, by: By::Organiser };
    study.run(&blocked).unwrap();
    leave(&mut study, 3, Inclusion::Aside, By::Voter).unwrap();
}

#[test]
fn an_answer_is_taken_back_within_ten_minutes_and_among_the_last_five() {
    let settings = Settings { ahead: 20, ..Settings::default() };
    let mut study = Study::open(8, settings, 1);
    let voter = study.join(Kind::Anonymous, &[]);
    let asked = ask(&mut study, voter);
    for &q in &asked[..=UNDO_LAST] {
        answer(&mut study, voter, q).unwrap();
        study.now += 1_000;
    }
    let undo = |study: &mut Study, q: u32, voter: Option<u32>| study.run(&Command::Undo { q, voter });
    let late = |reply: Result<Reply, Refusal>| matches!(reply, Err(Refusal::TooLate { .. }));
    assert!(late(undo(&mut study, asked[0], Some(voter))), "the sixth from the end");
    assert!(undo(&mut study, asked[1], Some(voter)).is_ok(), "the fifth");
    assert!(late(undo(&mut study, asked[9], Some(voter))), "it has no answer");
    let other = study.join(Kind::Anonymous, &[]);
    assert_eq!(undo(&mut study, asked[2], Some(other)), Err(Refusal::NoQuestion(asked[2])));
    // To the second: the last one was answered a second ago.
    study.now += UNDO_WITHIN - 1_000;
    assert!(undo(&mut study, asked[5], Some(voter)).is_ok());
    study.now += 1_000;
    assert!(late(undo(&mut study, asked[4], Some(voter))), "after ten minutes");
    study.run(&Command::Status(Status::Closed)).unwrap();
    assert!(matches!(undo(&mut study, asked[4], Some(voter)), Err(Refusal::Status { .. })));
    assert!(undo(&mut study, asked[4], None).is_ok(), "the organiser always");
}

#[test]
fn keys_and_names_that_would_not_come_back_are_refused() {
    let mut study = Study::open(3, Settings::default(), 1);
    for key in [".", "..", "", "a/b", "ä"] {
        let refused = study.run(&Command::Items(vec![item(key, "text")]));
        assert!(matches!(&refused, Err(Refusal::Invalid(why)) if why.contains("key")), "{key:?}: {refused:?}");
    }
    study.run(&Command::Items(vec![item("...", "text"), item(".a", "text")])).unwrap();
    let votes =
        vec![ImportedVote { criterion: 0, voter: None, first: 0, second: 1, context: None, answer: Answer::Tie }];
    let chunk = Chunk { name: "a\0.csv".to_owned(), hash: [7; 32], rows: 1, voters: 0, hint: false, from: 0, votes };
    let refused = study.run(&Command::Import(Box::new(chunk)));
    assert!(matches!(&refused, Err(Refusal::Invalid(why)) if why.contains("U+0000")), "{refused:?}");
}

/// Nobody is promised pairs that do not exist, and whoever likes it goes on.
#[test]
fn a_voter_reaches_its_goal_or_the_last_pair_and_may_ask_for_more() {
    let settings = Settings { questions_per_voter: 4, ahead: 3, ..Settings::default() };
    for (items, reach) in [(2, 1), (3, 3), (10, 4)] {
        let mut study = Study::open(items, settings.clone(), 1);
        assert_eq!(study.state.reach(), reach);
        let voter = study.join(Kind::Anonymous, &[]);
        let goal = |study: &Study| study.state.reach_of(&study.state.voters[voter as usize]);
        assert_eq!(goal(&study), Some(reach), "{items} items");
        while let [q, ..] = ask(&mut study, voter)[..] {
            answer(&mut study, voter, q).unwrap();
            assert_eq!(goal(&study), Some(reach), "{items} items");
        }
        assert_eq!(study.state.voters[voter as usize].answered, reach);
        let more = study.run(&Command::More { voter, count: 10 }).unwrap();
        let Reply::Questions(more) = more else { panic!("{more:?}") };
        match items {
            10 => {
                assert_eq!((more.questions.len(), more.goal), (3, Some(14)));
                // Not twice before those are answered.
                study.run(&Command::More { voter, count: 10 }).unwrap();
                assert_eq!(goal(&study), Some(14));
                answer(&mut study, voter, more.questions[0].q).unwrap();
            }
            _ => assert_eq!((more.done, more.goal), (Some(Finished::SeenAll), Some(reach))),
        }
    }
    let mut study = Study::open(3, settings, 1);
    let voter = study.join(Kind::Anonymous, &[]);
    assert!(matches!(study.run(&Command::More { voter, count: 101 }), Err(Refusal::Invalid(_))));
    study.run(&Command::Status(Status::Closed)).unwrap();
    assert!(matches!(study.run(&Command::More { voter, count: 1 }), Err(Refusal::Status { .. })));
}

#[test]
fn nothing_is_set_in_an_archived_study() {
    let mut study = Study::open(3, Settings::default(), 1);
    let change = || Command::Set(Change { title: Some("Other".to_owned()), ..Change::default() });
    study.run(&Command::Status(Status::Closed)).unwrap();
    study.run(&change()).unwrap();
    study.run(&Command::Status(Status::Archived)).unwrap();
    assert!(matches!(study.run(&change()), Err(Refusal::Status { status: Status::Archived, .. })));
}

/// Much or slightly: one vote either way, with the grade beside it.
#[test]
fn a_grade_goes_into_files_and_changes_no_vote() {
    let grade = |study: &mut Study, q, answer, grade| {
        let voter = 0;
        study.vote(Vote { grade, ..Vote::new(voter, q, answer) })
    };
    let file = |study: &Study| {
        let (state, mut votes) = (&study.state, export::VoteExport::default());
        let rows: Vec<_> = study.log.iter().flat_map(|entry| votes.of(entry, state).unwrap()).collect();
        export::csv(&rows, state, true).unwrap()
    };
    let mut study = Study::open(3, Settings::default(), 1);
    study.join(Kind::Anonymous, &[]);
    assert_eq!(ask(&mut study, 0), [0, 1, 2]);
    let refused = grade(&mut study, 0, Answer::First, Some(Grade::Much)).unwrap_err().to_string();
    assert!(refused.contains("leave grade out"), "{refused}");
    grade(&mut study, 0, Answer::First, None).unwrap();
    assert!(!file(&study).contains("grade"), "a study without grades has the files that it had");
    study.run(&common::set(&serde_json::json!({ "grades": true }))).unwrap();
    let refused = grade(&mut study, 1, Answer::Tie, Some(Grade::Slight)).unwrap_err().to_string();
    assert!(refused.contains("first and second alone"), "{refused}");
    grade(&mut study, 1, Answer::Second, Some(Grade::Much)).unwrap();
    assert!(matches!(
        grade(&mut study, 1, Answer::Second, Some(Grade::Much)),
        Ok(Reply::Answered { repeated: true, .. })
    ));
    let other = grade(&mut study, 1, Answer::Second, Some(Grade::Slight));
    assert_eq!(other, Err(Refusal::Conflict { q: 1 }), "much is not slightly");
    grade(&mut study, 2, Answer::First, Some(Grade::Slight)).unwrap();
    // Who was asked before, and who does not say it, has an empty cell.
    let csv = file(&study);
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0][5..8], ["winner", "grade", "voter"], "{csv}");
    assert_eq!([1, 2, 3].map(|at| lines[at][5..7].to_vec()), [["left", ""], ["right", "much"], ["left", "slight"]]);
    let mut wanted = vec![(0, 0); 3];
    wanted[usize::from(study.state.questions[1].second)] = (1, 1);
    wanted[usize::from(study.state.questions[2].first)].0 += 1;
    assert_eq!((study.state.grades(), study.state.votes), (wanted, 3));
    study.run(&common::set(&serde_json::json!({ "grades": false }))).unwrap();
    assert_eq!(file(&study), csv, "what was said stays");
    assert_eq!(common::replay(&study.log).encode().unwrap(), study.state.encode().unwrap());
}

/// What voters suggest is no item before the organiser says so, and nobody fills the queue alone.
#[test]
fn suggestions_wait_for_the_organiser() {
    let suggest = |study: &mut Study, voter, text: &str| study.run(&Command::Suggest { voter, content: text.into() });
    let why = |refused: Result<Reply, Refusal>| refused.unwrap_err().to_string();
    let mut study = Study::open(3, Settings::default(), 1);
    let voter = study.join(Kind::Anonymous, &[]);
    assert!(why(suggest(&mut study, voter, "mate")).contains("takes no suggestions"));
    study.run(&common::set(&serde_json::json!({ "suggestions": true }))).unwrap();
    assert!(why(suggest(&mut study, voter, "mate")).contains("needs an answer"));
    let q = ask(&mut study, voter)[0];
    answer(&mut study, voter, q).unwrap();
    assert_eq!(suggest(&mut study, voter, "mate"), Ok(Reply::Done));
    assert_eq!(suggest(&mut study, voter, "mate"), Ok(Reply::Unchanged), "twice is once");
    assert_eq!(suggest(&mut study, voter, "text"), Ok(Reply::Unchanged), "this is an item");
    for more in ["a", "b", "c", "d"] {
        suggest(&mut study, voter, more).unwrap();
    }
    assert!(why(suggest(&mut study, voter, "e")).contains("at most 5"));
    assert_eq!((study.state.items.len(), study.state.waiting().count()), (3, 5));
    let weigh = |study: &mut Study, suggestion, key: Option<&str>| {
        study.run(&Command::Weigh { suggestion, item: key.map(|key| item(key, "better words")) })
    };
    assert!(why(weigh(&mut study, 9, None)).contains("no suggestion 9"));
    assert!(why(weigh(&mut study, 0, Some("item-0"))).contains("another key"));
    weigh(&mut study, 0, Some("mate")).unwrap();
    assert!(study.state.item("mate").is_some_and(|number| study.state.items[usize::from(number)].enabled));
    weigh(&mut study, 1, None).unwrap();
    assert!(why(weigh(&mut study, 1, Some("a"))).contains("no suggestion 1"), "once is for good");
    assert_eq!(suggest(&mut study, voter, "a"), Ok(Reply::Unchanged), "nobody insists");
    // Whoever goes takes along what still waits.
    let (standing, votes, by) = (Standing::Withdrawn, Inclusion::Keep, By::Voter);
    study.run(&Command::Voter { voter, standing, votes, by }).unwrap();
    assert_eq!((study.state.waiting().count(), study.state.enabled().count()), (0, 4));
    assert!(suggest(&mut study, voter, "f").is_err());
    assert_eq!(common::replay(&study.log).encode().unwrap(), study.state.encode().unwrap());
}

#[test]
fn what_the_address_says_is_kept_where_there_is_an_id() {
    let check = |id: &str, kept: &[&str]| {
        let keep_parameters = kept.iter().map(|&name| name.to_owned()).collect();
        Settings { id_parameter: id.to_owned(), keep_parameters, ..Settings::default() }.check()
    };
    check("PROLIFIC_PID", &["STUDY_ID", "SESSION_ID"]).unwrap();
    let many: Vec<String> = (0..11).map(|n| format!("p{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (id, kept, wrong) in [
        ("", &["STUDY_ID"][..], "goes with id_parameter"),
        ("id", &["a b"], "no name of a parameter"),
        ("id", &["id"], "is taken"),
        ("id", &["a", "a"], "is taken"),
        ("id", &["embed"], "is taken"),
        ("id", &["answers"], "is taken"),
        ("id", &many, "at most 10"),
    ] {
        let refused = check(id, kept).unwrap_err();
        assert!(refused.contains(wrong) && refused.contains("settings.keep_parameters"), "{refused}");
    }
}

#[test]
fn nothing_is_set_to_close_in_the_past() {
    let mut study = Study::open(3, Settings::default(), 1);
    let voter = join(&mut study, Kind::Anonymous).map(|_| 0).unwrap();
    for q in ask(&mut study, voter) {
        answer(&mut study, voter, q).unwrap();
    }
    let set = |study: &mut Study, stop: Stop| study.run(&common::set(&serde_json::json!({ "stop": stop })));
    for (stop, said) in [(Stop::Date(study.now), "that time is past"), (Stop::Votes(3), "there are as many already")] {
        let refused = set(&mut study, stop).unwrap_err().to_string();
        assert!(refused.contains(said) && refused.contains("settings.stop"), "{refused}");
    }
    assert_eq!(study.state.status, Status::Open);
    let soon = study.now + 1000;
    set(&mut study, Stop::Date(soon)).unwrap();
    // Its time comes; whoever opens it again is told why that would be of no use, and other settings may change.
    study.now += 1000;
    study.run(&Command::Tick).unwrap();
    assert_eq!(study.state.status, Status::Closed);
    let refused = study.run(&Command::Status(Status::Open)).unwrap_err().to_string();
    assert!(refused.contains("that time is past"), "{refused}");
    study.run(&common::set(&serde_json::json!({ "comment": true }))).unwrap();
    set(&mut study, Stop::Votes(4)).unwrap();
    study.run(&Command::Status(Status::Open)).unwrap();
}

#[test]
fn a_pair_takes_as_long_as_the_study_says_at_least() {
    let mut study = Study::open(6, Settings { least_seconds: 2.0, ..Settings::default() }, 1);
    let (voter, judge) = (study.join(Kind::Anonymous, &[]), study.join(Kind::Judge, &[]));
    let first = ask(&mut study, voter);
    let refused = answer(&mut study, voter, first[0]).unwrap_err();
    assert_eq!(refused, Refusal::Hasty { least: 2.0, wait: 2000 });
    assert!(refused.to_string().contains("2 s for a pair at least"), "{refused}");
    study.now += 2000;
    answer(&mut study, voter, first[0]).unwrap();
    // The same again is the same answer, whenever it comes; another one takes its time.
    let hasty = Err(Refusal::Hasty { least: 2.0, wait: 2000 });
    answer(&mut study, voter, first[0]).unwrap();
    assert_eq!(answer(&mut study, voter, first[1]), hasty);
    study.now += 4000;
    answer(&mut study, voter, first[1]).unwrap();
    answer(&mut study, voter, first[2]).unwrap();
    // What has waited in a browser comes at once, and no more than that.
    let more = ask(&mut study, voter);
    study.now += 6000;
    for &q in &more {
        answer(&mut study, voter, q).unwrap();
    }
    let next = ask(&mut study, voter)[0];
    assert_eq!(answer(&mut study, voter, next), hasty);
    // Whoever takes an answer back has looked already.
    study.run(&Command::Undo { q: more[2], voter: Some(voter) }).unwrap();
    answer(&mut study, voter, next).unwrap();
    // Programs read as fast as they do.
    for q in ask(&mut study, judge) {
        answer(&mut study, judge, q).unwrap();
    }
    assert!(Settings { least_seconds: 61.0, ..Settings::default() }.check().unwrap_err().contains("least_seconds"));
}
