//! Pairs with a known answer: asked as often as is wanted, never counted, and what becomes of whoever fails them.

mod common;

use borduel_study::command::Finished;
use borduel_study::event::{Answer, By, Event, Inclusion, Kind, Source, Standing};
use borduel_study::export;
use borduel_study::settings::{Gold, GoldPair, Then};
use borduel_study::standing::{Evidence, quality};
use borduel_study::state::GoldRecord;
use borduel_study::{Command, Reply, Settings};
use common::{Study, Vote, item};

fn pair(better: &str, worse: &str) -> GoldPair {
    GoldPair { better: better.to_owned(), worse: worse.to_owned(), context: None }
}

/// Five items and a hidden decoy, than which two of them are better.
fn study(then: Then, may_fail: u32, seed: u64) -> Study {
    let pairs = vec![pair("item-0", "decoy"), pair("item-1", "decoy")];
    let gold = Gold { pairs, share: 0.5, may_fail, then };
    let mut study = Study::open(5, Settings { ahead: 2, ..Settings::default() }, seed);
    study.run(&Command::Items(vec![item("decoy", "?")])).unwrap();
    study.run(&Command::Enable { key: "decoy".to_owned(), on: false }).unwrap();
    study.run(&common::set(&serde_json::json!({ "gold": gold }))).unwrap();
    study
}

/// What somebody answers to a gold pair.
#[derive(Clone, Copy, PartialEq)]
enum On {
    Right,
    Wrong,
    Equal,
    Skip,
}

/// A voter who prefers the lower number and answers gold pairs like this, to the end; why it ended.
fn vote(study: &mut Study, on_gold: On) -> (u32, Option<Finished>) {
    let voter = study.join(Kind::Anonymous, &[]);
    let mut asked = match study.run(&Command::Ask { voter, count: 2 }).unwrap() {
        Reply::Questions(sitting) => sitting,
        other => panic!("{other:?}"),
    };
    while let Some(ticket) = asked.questions.first() {
        study.now += 1_000;
        let (low, high) = if ticket.first < ticket.second {
            (Answer::First, Answer::Second)
        } else {
            (Answer::Second, Answer::First)
        };
        let gold = study.state.questions[ticket.q as usize].source.is_gold();
        let answer = match on_gold {
            On::Wrong if gold => high,
            On::Equal if gold => Answer::Tie,
            On::Skip if gold => Answer::Skip,
            _ => low,
        };
        let q = ticket.q;
        match study.vote(Vote { ms: Some(900), more: true, ..Vote::new(voter, q, answer) }).unwrap() {
            Reply::Answered { next, .. } => asked = next,
            other => panic!("{other:?}"),
        }
    }
    (voter, asked.done)
}

#[test]
fn gold_pairs_are_asked_and_never_counted() {
    let mut study = study(Then::Flag, 0, 3);
    let voters = 40;
    for _ in 0..voters {
        vote(&mut study, On::Wrong);
    }
    let state = &study.state;
    let gold = state.questions.iter().filter(|question| question.source == Source::Gold).count();
    // Each voter sees each of the two nearly always: half of the questions are gold until both are seen.
    assert!((70..=80).contains(&gold), "{gold}");
    assert_eq!(state.votes, voters * 10, "ten pairs a voter, gold or not");
    let evidence = Evidence::of(state).unwrap();
    assert_eq!(evidence.ballots.totals().total() as u64, state.votes);
    assert_eq!(evidence.items.len(), 5, "the decoy is not ranked");
    // Nor is anything of it among the exported votes, though all stands in the log.
    let mut votes = export::VoteExport::default();
    let rows: usize = study.log.iter().map(|entry| votes.of(entry, state).unwrap().len()).sum();
    assert_eq!(rows as u64, state.votes);
    // The chances of what may be asked add up to what gold leaves.
    let voter = study.join(Kind::Anonymous, &[]);
    let table = study.state.table();
    let options = borduel_study::choose::Options::new(&study.state, &table, voter);
    let all: f64 = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))).map(|(i, j)| options.chance(i, j)).sum();
    assert!((all - 0.5).abs() < 1e-12, "{all}");
}

#[test]
fn whoever_fails_more_than_may_be_is_flagged_not_counted_or_sent_away() {
    for (then, standing, counted) in [
        (Then::Flag, Standing::Active, true),
        (Then::Aside, Standing::Active, false),
        (Then::Away, Standing::ScreenedOut, false),
    ] {
        let mut study = study(then, 1, 5);
        let (good, _) = vote(&mut study, On::Right);
        let (bad, ended) = vote(&mut study, On::Wrong);
        let (equal, _) = vote(&mut study, On::Equal);
        let (skips, _) = vote(&mut study, On::Skip);
        let state = &study.state;
        let of = |voter: u32| &state.voters[voter as usize];
        let record = |voter: u32| state.gold_record(of(voter), &state.gold_answers());
        assert_eq!(record(good), GoldRecord { answered: 2, failed: 0 });
        assert_eq!(record(bad), GoldRecord { answered: 2, failed: 2 });
        assert_eq!(record(equal), GoldRecord { answered: 2, failed: 2 }, "equal is not the known answer");
        assert_eq!(record(skips), GoldRecord::default(), "who skips has not failed");
        for fine in [good, skips] {
            assert!(of(fine).standing == Standing::Active && !of(fine).excluded, "{then:?}");
        }
        for failed in [bad, equal] {
            assert_eq!((of(failed).standing, !of(failed).excluded), (standing, counted), "{then:?}");
        }
        let end = if then == Then::Away { Finished::ScreenedOut } else { Finished::SeenAll };
        assert_eq!(ended, Some(end));
        assert!(state.open_of(bad).is_empty());
        let found = quality(state).into_iter().find(|quality| quality.voter == bad).unwrap();
        assert_eq!(found.gold, record(bad));
        let file = export::voters(state).unwrap();
        let word = if then == Then::Away { "screened-out" } else { "active" };
        let row = format!("{bad},anonymous,{word},{},{},2,2,\n", if counted { "yes" } else { "no" }, of(bad).answered);
        assert!(file.contains(&row), "{row} in {file}");
        let log = common::replay(&study.log);
        assert_eq!(log.encode().unwrap(), state.encode().unwrap());
    }
}

#[test]
fn a_slip_may_be_taken_back_and_comes_again_as_gold() {
    let mut study = study(Then::Away, 1, 5);
    let voter = study.join(Kind::Anonymous, &[]);
    let mut failed = 0;
    while failed == 0 {
        let Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 1 }).unwrap() else { panic!() };
        let ticket = sitting.questions[0];
        let gold = study.state.questions[ticket.q as usize].source.is_gold();
        let (q, answer) = (ticket.q, Answer::Tie);
        study.vote(Vote::new(voter, q, answer)).unwrap();
        if gold {
            let Reply::Undone { again: Some(again) } = study.run(&Command::Undo { q, voter: Some(voter) }).unwrap()
            else {
                panic!("the pair comes again")
            };
            let question = study.state.questions[again.q as usize];
            assert_eq!(
                (question.source, question.pair()),
                (Source::GoldAgain, study.state.questions[q as usize].pair())
            );
            failed += 1;
        }
    }
    let record = study.state.gold_record(&study.state.voters[voter as usize], &study.state.gold_answers());
    assert_eq!(record, GoldRecord::default(), "what was taken back is no failure");
}

#[test]
fn what_gold_pairs_name_must_be_there() {
    let mut study = study(Then::Flag, 0, 1);
    let mut refused = |gold: serde_json::Value| {
        study.run(&common::set(&serde_json::json!({ "gold": gold }))).unwrap_err().to_string()
    };
    for (gold, named) in [
        (serde_json::json!({"pairs": [{"better": "item-0", "worse": "nothing"}]}), "no item \"nothing\""),
        (serde_json::json!({"pairs": [{"better": "item-0", "worse": "item-1", "context": "x"}]}), "no context \"x\""),
        (serde_json::json!({"pairs": [{"better": "item-0", "worse": "item-0"}]}), "better than itself"),
        (serde_json::json!({"pairs": [pair("item-0", "item-1"), pair("item-1", "item-0")]}), "twice"),
        (serde_json::json!({"share": 0.9}), "0.01 to 0.5"),
        (serde_json::json!({"shares": 0.1}), "unknown field"),
    ] {
        let why = refused(gold);
        assert!(why.contains(named), "{why}");
    }
}

#[test]
fn whoever_was_sent_away_is_told_so_again_and_stays_uncounted() {
    let mut study = study(Then::Away, 0, 5);
    let (bad, ended) = vote(&mut study, On::Wrong);
    assert_eq!(ended, Some(Finished::ScreenedOut));
    let mut asked = study.state.voters[bad as usize].questions.iter().copied();
    let last = asked.rfind(|&q| study.state.questions[q as usize].source.is_gold()).unwrap();
    // A page that did not hear of it sends the answer once more.
    let given = study.state.questions[last as usize].answer();
    let again = |answer| Vote { more: true, ..Vote::new(bad, last, answer) }.command();
    match study.run(&again(given)) {
        Ok(Reply::Answered { repeated: true, next, .. }) => assert_eq!(next.done, Some(Finished::ScreenedOut)),
        other => panic!("{other:?}"),
    }
    assert!(study.run(&again(if given == Answer::First { Answer::Second } else { Answer::First })).is_err());
    match study.run(&Command::Ask { voter: bad, count: 2 }) {
        Ok(Reply::Questions(sitting)) => {
            assert_eq!((sitting.questions.len(), sitting.done), (0, Some(Finished::ScreenedOut)));
        }
        other => panic!("{other:?}"),
    }
    // Who goes and wants the votes kept does not have them counted after all.
    let erase = |by| Command::Voter { voter: bad, standing: Standing::Withdrawn, votes: Inclusion::Keep, by };
    let before = study.state.votes;
    assert_eq!(study.run(&erase(By::Voter)), Ok(Reply::Done));
    assert!(study.state.voters[bad as usize].excluded);
    assert_eq!(study.state.votes, before);
    // The organiser may decide so.
    study.run(&erase(By::Organiser)).unwrap();
    assert!(!study.state.voters[bad as usize].excluded);
}

#[test]
fn a_gold_pair_is_not_betrayed_by_how_many_are_to_come() {
    // One gold pair, of which both items are asked about otherwise, and one with the decoy.
    let mut study = study(Then::Flag, 0, 3);
    let pairs = vec![pair("item-0", "item-1"), pair("item-1", "decoy")];
    let gold = Gold { pairs, share: 0.5, may_fail: 0, then: Then::Flag };
    study.run(&common::set(&serde_json::json!({ "gold": gold, "ahead": 1 }))).unwrap();
    assert_eq!(study.state.reach(), 11, "ten pairs, and the one that is only gold");
    let mut seen = 0;
    for _ in 0..20 {
        let voter = study.join(Kind::Anonymous, &[]);
        let mut met = false;
        loop {
            let asked = study.run(&Command::Ask { voter, count: 1 }).unwrap();
            let Reply::Questions(sitting) = asked else { panic!("{asked:?}") };
            let Some(ticket) = sitting.questions.first() else {
                assert_eq!((sitting.done, sitting.goal), (Some(Finished::SeenAll), Some(sitting.answered)));
                break;
            };
            let question = study.state.questions[ticket.q as usize];
            met |= question.pair().1 == 5;
            // The decoy is expected as long as other pairs are.
            let last = sitting.answered + 1 == if met { 11 } else { 10 };
            let goal = if met || !last { 11 } else { 10 };
            assert_eq!(sitting.goal, Some(goal), "voter {voter} after {} answers", sitting.answered);
            study.vote(Vote::new(voter, ticket.q, Answer::First)).unwrap();
        }
        seen += u32::from(met);
    }
    assert!((10..=20).contains(&seen), "{seen}");
}

#[test]
fn what_changes_nothing_is_not_written() {
    let mut study = study(Then::Aside, 0, 3);
    let (bad, _) = vote(&mut study, On::Wrong);
    let failed = study.state.gold_record(&study.state.voters[bad as usize], &study.state.gold_answers()).failed;
    assert_eq!(failed, 2);
    let events = study.log.iter().flat_map(|entry| entry.events().unwrap());
    assert_eq!(events.filter(|event| matches!(event, Event::VoterState { .. })).count(), 1);
}
