//! Judges whose answers are hints: kept, exported, never counted; they guide what people are asked.

mod common;

use borduel_rank::sequential::Trust;
use borduel_study::command::{Chunk, ImportedVote};
use borduel_study::event::{Answer, By, Entry, Inclusion, Kind, Standing};
use borduel_study::plan::plan;
use borduel_study::refusal::Refusal;
use borduel_study::standing::Evidence;
use borduel_study::{Command, Reply, Settings, State, export};
use common::{Study, Vote, context, replay};

const ITEMS: u16 = 6;

/// What a judge answers to every pair, both ways round, in each of so many contexts: it prefers the lower number, but
/// for every seventh answer; with `turned`, the higher one.
fn judged(contexts: u16, turned: bool) -> Vec<ImportedVote> {
    let mut votes = Vec::new();
    let pairs = (0..ITEMS).flat_map(|i| (0..ITEMS).filter(move |&j| j != i).map(move |j| (i, j)));
    for (n, ((first, second), at)) in pairs.flat_map(|pair| (0..contexts.max(1)).map(move |at| (pair, at))).enumerate()
    {
        let lower = (first < second) == (n % 7 > 0);
        let answer = if lower == turned { Answer::Second } else { Answer::First };
        votes.push(ImportedVote {
            criterion: 0,
            voter: Some(1),
            first,
            second,
            context: (contexts > 0).then_some(at),
            answer,
        });
    }
    votes
}

fn file(name: &str, hash: u8, hint: bool, votes: Vec<ImportedVote>) -> Command {
    let rows = votes.len() as u64;
    let chunk = Chunk { name: name.to_owned(), hash: [hash; 32], rows, voters: 0, hint, from: 0, votes };
    Command::Import(Box::new(chunk))
}

/// A voter of this kind, who prefers the lower number (the higher one where `turned`), to so many questions.
fn answer(study: &mut Study, kind: Kind, turned: bool, count: usize) -> u32 {
    let voter = study.join(kind, &[]);
    go_on(study, voter, turned, count);
    voter
}

/// The same of one who has joined.
fn go_on(study: &mut Study, voter: u32, turned: bool, count: usize) {
    for _ in 0..count {
        let reply = study.run(&Command::Ask { voter, count: 1 }).unwrap();
        let Reply::Questions(sitting) = reply else { panic!("{reply:?}") };
        let Some(ticket) = sitting.questions.first() else { break };
        study.now += 1_000;
        let answer = if (ticket.first < ticket.second) == turned { Answer::Second } else { Answer::First };
        study.vote(Vote::new(voter, ticket.q, answer)).unwrap();
    }
}

fn exported(study: &Study, mut votes: export::VoteExport) -> String {
    let each = study.log.iter().flat_map(|entry: &Entry| votes.of(entry, &study.state).unwrap());
    let all: Vec<export::Vote> = each.collect();
    export::csv(&all, &study.state, true).unwrap()
}

#[test]
fn hints_are_kept_and_exported_and_never_counted() {
    let mut study = Study::open(usize::from(ITEMS), Settings::default(), 1);
    answer(&mut study, Kind::Anonymous, false, 15);
    let (before, evidence) = (exported(&study, export::VoteExport::default()), Evidence::of(&study.state).unwrap());
    study.run(&file("llm.csv", 1, true, judged(0, true))).unwrap();
    let judge = answer(&mut study, Kind::Hint, true, 15);
    let state = &study.state;
    assert_eq!((state.votes, state.hints(), state.electorate()), (15, 45, 1));
    assert_eq!(replay(&study.log).encode().unwrap(), state.encode().unwrap());
    // Votes are what they were, and so is what is ranked.
    assert_eq!(exported(&study, export::VoteExport::default()), before);
    let after = Evidence::of(state).unwrap();
    assert_eq!(after.ballots.cells(), evidence.ballots.cells());
    let rows = |text: &str| text.lines().count() - 1;
    let hints = exported(&study, export::VoteExport::hints());
    assert_eq!((rows(&before), rows(&hints)), (15, 45));
    assert_eq!(export::voters(state).unwrap().lines().filter(|line| line.contains(",hint,active,no,")).count(), 2);
    // Nobody can have them counted, not even the organiser.
    let count = Command::Voter { voter: judge, standing: Standing::Active, votes: Inclusion::Keep, by: By::Organiser };
    let refused = study.run(&count).unwrap_err();
    assert!(matches!(&refused, Refusal::Invalid(why) if why.contains("never counted")), "{refused:?}");
    // Whoever is blocked gives no hints any more.
    let block =
        Command::Voter { voter: judge, standing: Standing::Blocked, votes: Inclusion::Aside, by: By::Organiser };
    study.run(&block).unwrap();
    assert_eq!((study.state.votes, study.state.hints()), (15, 30));
}

#[test]
fn a_file_is_votes_or_a_hint() {
    let mut study = Study::open(usize::from(ITEMS), Settings::default(), 1);
    study.run(&file("people.csv", 1, false, judged(0, false))).unwrap();
    for name in ["people.csv", "again.csv"] {
        let refused = study.run(&file(name, 1, true, judged(0, false))).unwrap_err();
        assert!(matches!(&refused, Refusal::Invalid(why) if why.contains("taken in as votes")), "{refused:?}");
    }
    study.run(&file("llm.csv", 2, true, judged(0, false))).unwrap();
    assert_eq!(study.run(&file("llm.csv", 2, true, judged(0, false))).unwrap(), Reply::Unchanged);
    let refused = study.run(&file("llm.csv", 2, false, judged(0, false))).unwrap_err();
    assert!(matches!(&refused, Refusal::Invalid(why) if why.contains("taken in as a hint")), "{refused:?}");
}

/// What the next plan asks, with its weights.
fn asked(state: &State) -> Vec<(u16, u16, u32)> {
    let evidence = Evidence::of(state).unwrap();
    plan(&evidence, evidence.read(&state.settings).unwrap().as_ref(), &state.settings).unwrap().pairs
}

#[test]
fn hints_guide_what_is_asked_as_far_as_they_are_trusted() {
    let few = |hint: Option<bool>, trust: Trust| {
        let mut study =
            Study::open(usize::from(ITEMS), Settings { trust, questions_per_voter: 5, ..Settings::default() }, 2);
        if let Some(turned) = hint {
            study.run(&file("llm.csv", 1, true, judged(0, turned))).unwrap();
        }
        // Enough votes to see that the judge is right, or wrong, and too few to know the items.
        for _ in 0..3 {
            answer(&mut study, Kind::Anonymous, false, 5);
        }
        study
    };
    let alone = few(None, Trust::Typical);
    let hinted = few(Some(false), Trust::Typical);
    assert_eq!(alone.state.votes, hinted.state.votes);
    assert_ne!(asked(&hinted.state), asked(&alone.state));
    // A judge that always says the opposite tells as much: what it is worth is what the votes say of it.
    assert_eq!(asked(&few(Some(true), Trust::Typical).state), asked(&hinted.state));
    let judgement = |study: &Study| {
        let state = &study.state;
        Evidence::of(state).unwrap().judge(&state.settings).unwrap().unwrap()
    };
    // Whoever believes the judge knows more from the same few votes; whoever checks it hears of its trust.
    let believed = few(Some(false), Trust::Model);
    let width = |study: &Study| judgement(study).items.iter().map(|item| item.high - item.low).sum::<f64>();
    assert!(width(&believed) < width(&alone), "{} {}", width(&believed), width(&alone));
    assert_eq!(judgement(&believed).options.trust, Trust::Model);
    // What is believed cannot change unnoticed.
    let mut study = hinted;
    let unsettled = study.state.unsettled;
    study.run(&common::set(&serde_json::json!({ "trust": "checked" }))).unwrap();
    assert!(study.state.unsettled > unsettled);
}

/// About these contexts a judge that answered every question narrows the ranking, and favours nobody.
#[test]
fn in_contexts_answers_to_the_same_questions_are_a_control_variate() {
    let settings = Settings { about: Some(borduel_rank::About::These), ..Settings::default() };
    let mut study = Study::open(usize::from(ITEMS), settings, 3);
    let contexts = ["a", "b", "c", "d"];
    study.run(&Command::Contexts(contexts.iter().map(|key| context(key, "?")).collect())).unwrap();
    for voter in 0..12 {
        answer(&mut study, Kind::Anonymous, voter % 3 == 0, 20);
    }
    let ranked = |study: &Study| Evidence::of(&study.state).unwrap().rank(&study.state.settings, 0.95).unwrap();
    let (alone, _, none) = ranked(&study);
    assert!(none.is_none());
    study.run(&file("llm.csv", 1, true, judged(4, false))).unwrap();
    let (hinted, _, control) = ranked(&study);
    let control = control.unwrap();
    assert_eq!((control.pairs, control.share), (15, 1.0));
    assert_eq!(hinted.items.len(), alone.items.len());
    assert!(Evidence::of(&study.state).unwrap().worth_of_judges(0.95).is_some());
    // So do verdicts at any time, and count no vote of it; about such contexts it does nothing.
    let judged = |about| {
        let settings = Settings { about: Some(about), ..study.state.settings.clone() };
        Evidence::of(&study.state).unwrap().judge(&settings).unwrap().unwrap()
    };
    let these = judged(borduel_rank::About::These);
    assert!(these.control.is_some_and(|control| control.pairs > 0), "{:?}", these.control);
    assert_eq!(these.votes, study.state.votes as f64);
    assert!(judged(borduel_rank::About::Such).control.is_none());
}

/// A study about four contexts whose judge has this price, with its first plan.
fn priced(price: f64) -> Study {
    let about = Some(borduel_rank::About::These);
    let mut study = Study::open(usize::from(ITEMS), Settings { about, judge_price: price, ..Settings::default() }, 4);
    study.run(&Command::Contexts(["a", "b", "c", "d"].map(|key| context(key, "?")).to_vec())).unwrap();
    replan(&mut study);
    study
}

fn replan(study: &mut Study) {
    let evidence = Evidence::of(&study.state).unwrap();
    let reading = evidence.can_be_planned_on().then(|| evidence.read(&study.state.settings).unwrap()).flatten();
    let next = plan(&evidence, reading.as_ref(), &study.state.settings).unwrap();
    study.run(&Command::Adopt(next)).unwrap();
}

fn sitting(study: &mut Study, voter: u32, count: u32) -> borduel_study::command::Sitting {
    let reply = study.run(&Command::Ask { voter, count }).unwrap();
    let Reply::Questions(sitting) = reply else { panic!("{reply:?}") };
    sitting
}

/// A judge with a price is asked about whole pairs, in the order of the plan, as long as that pays; its answers are
/// taken into account, and never counted.
#[test]
fn a_judge_with_a_price_answers_whole_pairs_where_that_pays() {
    let mut study = priced(0.05);
    let first = study.state.plan.judge_first.clone();
    // One planned question a pair of the cycle: four contexts at 0.05 cost less.
    assert_eq!(first.len(), usize::from(ITEMS));
    let judges = [study.join(Kind::Hint, &[]), study.join(Kind::Hint, &[])];
    let mut asked = Vec::new();
    for turn in 0.. {
        let questions = sitting(&mut study, judges[turn % 2], 3);
        if questions.questions.is_empty() {
            // More may come with the votes.
            assert_eq!(questions.done, None);
            break;
        }
        for ticket in questions.questions {
            asked.push(((ticket.first, ticket.second), ticket.context.unwrap()));
            let answer = if (ticket.first + ticket.context.unwrap()) % 2 == 0 { Answer::First } else { Answer::Second };
            study.vote(Vote::new(judges[turn % 2], ticket.q, answer)).unwrap();
        }
    }
    let whole: Vec<_> =
        asked.chunks(4).map(|pair| (pair[0].0.0.min(pair[0].0.1), pair[0].0.0.max(pair[0].0.1))).collect();
    assert_eq!(whole, first);
    for pair in asked.chunks(4) {
        assert!(pair.iter().all(|one| one.0 == pair[0].0), "one way round: {pair:?}");
        assert_eq!(pair.iter().map(|one| one.1).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
    assert_eq!((study.state.votes, study.state.hints()), (0, 24));
    // With votes the plan wants other pairs; what is known is asked no more.
    for voter in 0..10 {
        answer(&mut study, Kind::Anonymous, voter % 4 == 0, 12);
    }
    replan(&mut study);
    let next = &study.state.plan.judge_first;
    assert!(next.iter().all(|pair| !first.contains(pair)), "{next:?} {first:?}");
    let judgement = Evidence::of(&study.state).unwrap().judge(&study.state.settings).unwrap().unwrap();
    assert!(judgement.control.is_some_and(|control| control.pairs > 0), "{:?}", judgement.control);
    assert_eq!(judgement.votes, study.state.votes as f64);
    assert_eq!(replay(&study.log).encode().unwrap(), study.state.encode().unwrap());
}

#[test]
fn a_dear_judge_waits_and_a_question_that_lapsed_is_asked_again() {
    let mut dear = priced(900.0);
    let judge = dear.join(Kind::Hint, &[]);
    let none = sitting(&mut dear, judge, 5);
    assert_eq!((none.questions.len(), none.done), (0, None));
    // About such contexts it is asked as people are.
    dear.run(&common::set(&serde_json::json!({ "about": "such" }))).unwrap();
    assert_eq!(sitting(&mut dear, judge, 5).questions.len(), 5);
    let mut study = priced(0.05);
    let judge = study.join(Kind::Hint, &[]);
    let asked = sitting(&mut study, judge, 2).questions;
    study.now += 700_000;
    let again = sitting(&mut study, judge, 2).questions;
    let about = |tickets: &[borduel_study::command::Ticket]| -> Vec<_> {
        tickets.iter().map(|ticket| (ticket.first, ticket.second, ticket.context)).collect()
    };
    assert!(about(&asked) == about(&again) && asked[0].q != again[0].q, "{asked:?} {again:?}");
    for price in [-1.0, 1_001.0, f64::NAN] {
        assert!(Settings { judge_price: price, ..Settings::default() }.check().unwrap_err().contains("judge_price"));
    }
}

/// While people vote, a judge goes on hinting at the worst item, and somebody looks again and again: a wrong item is
/// named in at most 5 % of studies. More than 5 of 40 come in less than 2 % of tests at 5 %; the seeds are fixed.
#[test]
fn hints_that_grow_beside_the_votes_leave_the_verdict_its_size() {
    let strengths = [1.0, 0.5, 0.2, 0.0, -0.5, -1.2];
    let chance = |i: usize, j: usize| 1.0 / (1.0 + f64::exp(strengths[j] - strengths[i]));
    let score = |i: usize| (0..6).filter(|&j| j != i).map(|j| chance(i, j)).sum::<f64>() / 5.0;
    let mut decided = 0;
    let mut wrong = 0;
    for seed in 0..40 {
        let mut study = Study::open(usize::from(ITEMS), Settings::default(), seed);
        let mut chances = borduel_rank::stream(seed, &[0x41]);
        let judge = study.join(Kind::Hint, &[]);
        for _ in 0..60 {
            go_on(&mut study, judge, true, 3);
            let voter = study.join(Kind::Anonymous, &[]);
            for _ in 0..15 {
                let reply = study.run(&Command::Ask { voter, count: 1 }).unwrap();
                let Reply::Questions(sitting) = reply else { panic!("{reply:?}") };
                let Some(ticket) = sitting.questions.first() else { break };
                let first = chances.uniform() < chance(usize::from(ticket.first), usize::from(ticket.second));
                let answer = if first { Answer::First } else { Answer::Second };
                study.vote(Vote::new(voter, ticket.q, answer)).unwrap();
            }
            let evidence = Evidence::of(&study.state).unwrap();
            let reading = evidence.read(&study.state.settings).unwrap();
            let found = reading.as_ref().unwrap().judgement();
            if found.decided {
                decided += 1;
                wrong += u32::from(score(0) - score(found.winners[0]) > study.state.settings.margin);
                break;
            }
            let next = plan(&evidence, reading.as_ref(), &study.state.settings).unwrap();
            study.run(&Command::Adopt(next)).unwrap();
        }
    }
    assert!(wrong <= 5 && decided >= 30, "{wrong} wrong of {decided} decided");
}
