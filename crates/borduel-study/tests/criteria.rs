//! Several questions about each pair: every one has its verdict, and what is asked is for those that are still open.

mod common;

use borduel_rank::ranking::VerdictKind;
use borduel_rank::stream::{Stream, stream};
use borduel_study::command::{Change, Sitting};
use borduel_study::content::Content;
use borduel_study::evaluation::evaluate;
use borduel_study::event::{Answer, Entry, Event, Grade, GradedAnswer, Kind, Status};
use borduel_study::export::{self, VoteExport};
use borduel_study::import::File;
use borduel_study::plan::plan;
use borduel_study::settings::{Gold, GoldPair, Stop, Then};
use borduel_study::standing::{self, Evidence, looks_due};
use borduel_study::{Command, Refusal, Reply, Settings};
use common::{Study, Vote, criteria, set};
use serde_json::json;
use std::collections::BTreeMap;

/// The next questions of a voter.
fn asked(study: &mut Study, voter: u32) -> Sitting {
    match study.run(&Command::Ask { voter, count: 1 }).unwrap() {
        Reply::Questions(sitting) => sitting,
        other => panic!("{other:?}"),
    }
}

fn said(answer: Answer) -> GradedAnswer {
    GradedAnswer { answer, grade: None }
}

/// Answers a question by every criterion.
fn answer(study: &mut Study, voter: u32, q: u32, all: &[GradedAnswer]) -> Result<Reply, Refusal> {
    let (GradedAnswer { answer, grade }, other_criteria) = (all[0], all[1..].to_vec());
    study.vote(Vote { ms: Some(700), grade, other_criteria, ..Vote::new(voter, q, answer) })
}

/// Strengths, in log-odds, of six items: by the first question the first is far better, by the second the last is
/// better by less.
const STRENGTHS: [[f64; 6]; 2] = [[2.5, 0.4, 0.3, 0.2, 0.1, 0.0], [0.0, 0.1, 0.2, 0.3, 0.4, 1.4]];

fn chosen(chance: &mut Stream, strengths: &[f64; 6], (first, second): (u16, u16)) -> GradedAnswer {
    let gap = strengths[usize::from(first)] - strengths[usize::from(second)];
    said(if chance.uniform() < 1.0 / (1.0 + (-gap).exp()) { Answer::First } else { Answer::Second })
}

#[test]
fn pairs_are_asked_for_the_questions_that_are_open_and_the_study_closes_when_all_have_a_verdict() {
    let settings = Settings { criteria: criteria(2), stop: Stop::GoodEnough, ..Settings::default() };
    let mut study = Study::open(6, settings, 11);
    let (mut chance, mut settled) = (stream(11, &[7]), Vec::new());
    while study.state.status == Status::Open && study.state.votes < 6_000 {
        let voter = study.join(Kind::Anonymous, &[]);
        while let Some(ticket) = asked(&mut study, voter).questions.first().copied() {
            study.now += 1_000;
            let all = STRENGTHS.map(|strengths| chosen(&mut chance, &strengths, (ticket.first, ticket.second)));
            answer(&mut study, voter, ticket.q, &all).unwrap();
            let (plans, looks) = (study.state.plan_due(), looks_due(&study.state));
            let before = study.state.clone();
            let evaluation = evaluate(&before, plans, &looks);
            assert!(evaluation.complete);
            for command in &evaluation.commands {
                study.run(command).unwrap();
            }
            let open: Vec<usize> = (0..2).filter(|&one| !before.is_settled(one)).collect();
            if plans && open.len() == 1 {
                // Only for what is open: the same pairs as a study with this one question would ask.
                let seen = before.by(open[0]);
                let evidence = Evidence::of(&seen).unwrap();
                let reading = evidence.read(&seen.settings).unwrap();
                let alone = plan(&evidence, reading.as_ref(), &seen.settings).unwrap();
                assert_eq!(study.state.plan.pairs, alone.pairs);
                settled.push(study.state.votes);
            }
            if study.state.status != Status::Open {
                break;
            }
        }
    }
    assert_eq!(study.state.status, Status::Closed, "after {} votes", study.state.votes);
    assert!(!settled.is_empty(), "one of them was settled first");
    let winner = |criterion| {
        let judged = study.state.judged_by(criterion).unwrap();
        (judged.kind != VerdictKind::NotEnough, judged.winners[0])
    };
    assert_eq!([winner(0), winner(1)], [(true, 0), (true, 5)]);
    let reached = |criterion| study.state.judged_by(criterion).unwrap().reached;
    assert!(reached(0) < reached(1) && study.state.votes < 6_000, "{} {}", reached(0), reached(1));
}

#[test]
fn two_questions_that_are_open_share_what_is_asked() {
    let mut study = Study::open(6, Settings { criteria: criteria(2), ..Settings::default() }, 3);
    let mut chance = stream(3, &[7]);
    for _ in 0..5 {
        let voter = study.join(Kind::Anonymous, &[]);
        while let Some(ticket) = asked(&mut study, voter).questions.first().copied() {
            let all = STRENGTHS.map(|strengths| chosen(&mut chance, &strengths, (ticket.first, ticket.second)));
            answer(&mut study, voter, ticket.q, &all).unwrap();
        }
    }
    let evaluation = evaluate(&study.state, true, &[]);
    let [Command::Adopt(together)] = &evaluation.commands[..] else { panic!("{:?}", evaluation.commands) };
    let weight = |plan: &borduel_study::state::PairPlan, of: &dyn Fn((u16, u16)) -> bool| -> f64 {
        let all: f64 = plan.pairs.iter().map(|pair| f64::from(pair.2)).sum();
        plan.pairs.iter().filter(|pair| of((pair.0, pair.1))).map(|pair| f64::from(pair.2)).sum::<f64>() / all
    };
    let alone = [0, 1].map(|criterion| {
        let seen = study.state.by(criterion);
        let evidence = Evidence::of(&seen).unwrap();
        plan(&evidence, evidence.read(&seen.settings).unwrap().as_ref(), &seen.settings).unwrap()
    });
    assert_ne!(alone[0].pairs, alone[1].pairs);
    for pair in (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j))) {
        let here = |other: (u16, u16)| other == pair;
        let half = f64::midpoint(weight(&alone[0], &here), weight(&alone[1], &here));
        assert!((weight(together, &here) - half).abs() < 1e-4, "{pair:?}");
    }
}

#[test]
fn every_question_wants_its_answer_and_all_are_taken_back_together() {
    let mut study = Study::open(3, Settings { criteria: criteria(2), grades: true, ..Settings::default() }, 1);
    let voter = study.join(Kind::Anonymous, &[]);
    let q = asked(&mut study, voter).questions[0].q;
    let both = [
        GradedAnswer { answer: Answer::First, grade: Some(Grade::Much) },
        GradedAnswer { answer: Answer::Second, grade: Some(Grade::Slight) },
    ];
    for wrong in [&both[..1], &[both[0], both[1], both[0]]] {
        let refused = answer(&mut study, voter, q, wrong).unwrap_err().to_string();
        assert!(refused.contains("send `answers` with funny, true"), "{refused}");
    }
    let graded_tie = [both[0], GradedAnswer { answer: Answer::Tie, grade: Some(Grade::Much) }];
    assert!(answer(&mut study, voter, q, &graded_tie).unwrap_err().to_string().contains("grade goes with"));
    let soft = [both[0], said(Answer::Soft(0.3))];
    assert!(answer(&mut study, voter, q, &soft).unwrap_err().to_string().contains("not offered"));
    assert!(matches!(answer(&mut study, voter, q, &both), Ok(Reply::Answered { repeated: false, .. })));
    assert!(matches!(answer(&mut study, voter, q, &both), Ok(Reply::Answered { repeated: true, .. })));
    // Another answer to the second question alone is another answer.
    assert_eq!(answer(&mut study, voter, q, &[both[0], said(Answer::Second)]), Err(Refusal::Conflict { q }));
    let votes = |study: &Study| (study.state.votes, study.state.votes_by(0), study.state.votes_by(1));
    assert_eq!((votes(&study), study.state.voters[0].answered), ((1, 1, 1), 1), "a pair is one answer");
    let grades = |criterion: usize| study.state.by(criterion).grades();
    let better = |criterion: usize| grades(criterion).iter().position(|grade| grade.0 == 1).unwrap();
    assert_ne!(better(0), better(1));
    assert_eq!((grades(0)[better(0)], grades(1)[better(1)]), ((1, 1), (1, 0)));
    study.run(&Command::Undo { q, voter: Some(voter) }).unwrap();
    assert_eq!((votes(&study), study.state.voters[0].answered), ((0, 0, 0), 0));
    // Whoever skips one question has answered the other.
    let again = asked(&mut study, voter).questions[0].q;
    answer(&mut study, voter, again, &[said(Answer::Skip), said(Answer::Tie)]).unwrap();
    assert_eq!(votes(&study), (1, 0, 1));
}

#[test]
fn questions_stay_once_a_pair_was_asked_about_and_their_words_may_change() {
    let mut study = Study::open(3, Settings::default(), 1);
    let of = |keys: &[&str], words: &str| {
        let one = |key: &&str| json!({"key": key, "question": format!("{words} {key}?")});
        set(&json!({ "criteria": keys.iter().map(one).collect::<Vec<_>>() }))
    };
    for (keys, why) in [(&["funny"][..], "has one question"), (&["a", "a"], "twice"), (&["A", "b"], "no key")] {
        let refused = study.run(&of(keys, "Which is")).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    study.run(&of(&["funny", "true", "new"], "Which is")).unwrap();
    study.run(&of(&["funny", "true"], "Which is")).unwrap();
    let voter = study.join(Kind::Anonymous, &[]);
    let q = asked(&mut study, voter).questions[0].q;
    for keys in [&["true", "funny"][..], &["funny", "true", "new"], &[]] {
        let refused = study.run(&of(keys, "Which is")).unwrap_err().to_string();
        assert!(refused.contains("settings.criteria: pairs were asked about"), "{refused}");
    }
    study.run(&of(&["funny", "true"], "Which one is more")).unwrap();
    answer(&mut study, voter, q, &[said(Answer::First), said(Answer::Tie)]).unwrap();
    assert_eq!(study.state.by(1).settings.question, "Which one is more true?");
    // A study of one question stays one.
    let mut single = Study::open(3, Settings::default(), 1);
    let voter = single.join(Kind::Anonymous, &[]);
    asked(&mut single, voter);
    assert!(single.run(&of(&["funny", "true"], "Which is")).is_err());
    let title = Change { title: Some("Tea".to_owned()), ..Change::default() };
    single.run(&Command::Set(title)).unwrap();
    assert!(single.log.iter().all(|entry| entry.format == 3), "and keeps its format");
}

#[test]
fn the_known_answer_of_a_gold_pair_is_that_to_the_first_question() {
    let pair = GoldPair { better: "item-0".to_owned(), worse: "item-5".to_owned(), context: None };
    let gold = Gold { pairs: vec![pair], share: 0.5, may_fail: 0, then: Then::Away };
    let mut study = Study::open(6, Settings { criteria: criteria(2), gold, ..Settings::default() }, 5);
    study.run(&Command::Enable { key: "item-5".to_owned(), on: false }).unwrap();
    let mut stays = |fails: [bool; 2]| {
        let voter = study.join(Kind::Anonymous, &[]);
        while let Some(ticket) = asked(&mut study, voter).questions.first().copied() {
            let right = if ticket.first < ticket.second {
                [Answer::First, Answer::Second]
            } else {
                [Answer::Second, Answer::First]
            };
            answer(&mut study, voter, ticket.q, &fails.map(|fails| said(right[usize::from(fails)]))).unwrap();
        }
        let (seen, known) = (study.state.by(1), study.state.gold_answers());
        assert_eq!(
            seen.gold_record(&seen.voters[voter as usize], &known),
            study.state.gold_record(&study.state.voters[voter as usize], &known)
        );
        study.state.may_vote(voter)
    };
    assert_eq!([stays([false, true]), stays([true, false])], [true, false]);
}

/// The log of a study of two questions, by two voters, and the study.
fn voted() -> Study {
    let mut study = Study::open(4, Settings { criteria: criteria(2), ..Settings::default() }, 2);
    for turn in 0..2_usize {
        let voter = study.join(Kind::Anonymous, &[]);
        let mut at = turn;
        while let Some(ticket) = asked(&mut study, voter).questions.first().copied() {
            let answers = [Answer::First, Answer::Second, Answer::Tie, Answer::Skip];
            answer(&mut study, voter, ticket.q, &[said(answers[at % 4]), said(answers[(at + 1) % 3])]).unwrap();
            at += 1;
        }
    }
    study
}

/// Its votes as CSV, by one question or by all.
fn csv(study: &Study, criterion: Option<usize>) -> String {
    let mut votes = VoteExport::default().by(criterion);
    let all: Vec<_> = study.log.iter().flat_map(|entry: &Entry| votes.of(entry, &study.state).unwrap()).collect();
    export::csv(&all, &study.state, true).unwrap()
}

/// Points of the first item, in halves, and votes, by pair.
fn sums(study: &Study, criterion: usize) -> BTreeMap<(u16, u16), (i64, i64)> {
    let (seen, mut sums) = (study.state.by(criterion), BTreeMap::new());
    for question in seen.questions.iter().filter(|question| seen.counts(question)) {
        let halves = match question.answer() {
            Answer::First => 2,
            Answer::Tie => 1,
            _ => 0,
        };
        let sum: &mut (i64, i64) = sums.entry(question.pair()).or_default();
        sum.0 += if question.first < question.second { halves } else { 2 - halves };
        sum.1 += 1;
    }
    sums
}

#[test]
fn votes_are_exported_by_question_and_come_in_again() {
    let study = voted();
    let all = csv(&study, None);
    let mut rows = all.lines();
    assert!(rows.next().unwrap().starts_with("question,asked_at,answered_at,left,right,criterion,winner,voter"));
    let (one, two) = (csv(&study, Some(0)), csv(&study, Some(1)));
    assert_eq!((rows.count(), one.lines().count(), two.lines().count()), (24, 13, 13));
    assert!(one.contains(",funny,") && !one.contains(",true,") && two.contains(",true,"));
    // From the file with all of them each question takes its rows, from a file of its own all.
    let items: Vec<_> = (0..4)
        .map(|i| (i, format!("item-{i}"), Content { title: format!("item-{i}"), ..Content::default() }))
        .collect();
    let names = criteria(2);
    let read = |text: &str, key: Option<&str>| {
        File::read_by("votes.csv", text.as_bytes().to_vec(), (&items, &[]), &names, key)
    };
    let mut copy = Study::open(4, Settings { criteria: names.clone(), ..Settings::default() }, 9);
    for name in &names {
        for chunk in read(&all, Some(&name.key)).unwrap().chunks() {
            copy.run(&Command::Import(Box::new(chunk))).unwrap();
        }
    }
    assert_eq!([sums(&copy, 0), sums(&copy, 1)], [sums(&study, 0), sums(&study, 1)]);
    assert_eq!((copy.state.votes_by(0), copy.state.votes_by(1)), (study.state.votes_by(0), study.state.votes_by(1)));
    // Nobody said anything about the other question in a row of a file.
    assert!(!csv(&copy, None).contains(",skip,"), "{}", csv(&copy, None));
    // However the file is written, the reader finds the column; a file without it is about the question that is named.
    let rows = |text: &str| read(text, Some("true")).unwrap().len();
    assert_eq!([rows(&all), rows(&all.replace(',', "|")), rows(&two)], [rows(&two); 3]);
    assert_eq!(rows("left,right,winner\nitem-0,item-1,left\nitem-2,item-3,right\n"), 2);
    for (key, why) in [(None, "say which"), (Some("old"), "one of funny, true")] {
        let refused = read(&all, key).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    let single = File::read_by("votes.csv", all.into_bytes(), (&items, &[]), &[], Some("funny")).unwrap_err();
    assert!(single.to_string().contains("leave criterion out"), "{single}");
}

#[test]
fn what_looks_found_is_read_without_copying_any_answer() {
    let mut study = voted();
    for criterion in 0..2 {
        let state = &study.state;
        let (judged, whole) = (state.judged_as(criterion), state.by(criterion));
        let told = |state: &borduel_study::State| {
            let question = state.settings.question.clone();
            (state.votes, state.judged.clone(), state.criteria(), question, standing::next_look(state))
        };
        assert_eq!(told(&judged), told(&whole));
    }
    // A dashboard for each of many questions asks for what all of them found: that must not cost a copy of all votes
    // each.
    let voter = study.join(Kind::Judge, &[]);
    let events: Vec<Event> = (0..100_000)
        .flat_map(|n| {
            let q = study.state.questions.len() as u32 + n;
            let (plan, source) = (0, borduel_study::event::Source::Plan);
            let asked = Event::Asked { q, voter, first: 0, second: 1, p: 1.0, plan, source, context: None };
            let (answer, other_criteria) = (Answer::First, vec![said(Answer::Second)]);
            [asked, Event::Answered { q, answer, ms: None, stacked: false, grade: None, other_criteria }]
        })
        .collect();
    study.note(&events);
    let spent = |work: &dyn Fn() -> u64| {
        let started = common::cpu();
        assert!((0..20).map(|_| work()).sum::<u64>() > 0);
        common::cpu().saturating_sub(started)
    };
    let (quick, slow) = (spent(&|| study.state.judged_as(1).votes), spent(&|| study.state.by(1).votes));
    assert!(10 * quick < slow, "{quick:?} for what was found, {slow:?} for all answers");
}
