//! Logs of every format are still read, and what is decided today is written as it was.

mod common;

use borduel_rank::ranking::VerdictKind;
use borduel_study::command::{Chunk, Context, ImportedVote, Join, Look, Placed};
use borduel_study::event::{Answer, Entry, FORMAT, Grade, GradedAnswer, Kind, Source, Standing};
use borduel_study::settings::{Ask, Choice, Gold, GoldPair, Method, Stop, Then};
use borduel_study::state::{Fate, PairPlan};
use borduel_study::{Command, Reply, Settings, State};
use common::{Study, Vote, context, item, replay};
use std::collections::BTreeMap;

/// The log of a format as it was stored once, and its hash.
fn golden(format: &str) -> (Vec<Entry>, &'static str) {
    let (lines, hash) = match format {
        "1" => (include_str!("golden/format-1.jsonl"), include_str!("golden/format-1.hash")),
        "2" => (include_str!("golden/format-2.jsonl"), include_str!("golden/format-2.hash")),
        "3" => (include_str!("golden/format-3.jsonl"), include_str!("golden/format-3.hash")),
        "4" => (include_str!("golden/format-4.jsonl"), include_str!("golden/format-4.hash")),
        "5" => (include_str!("golden/format-5.jsonl"), include_str!("golden/format-5.hash")),
        "6" => (include_str!("golden/format-6.jsonl"), include_str!("golden/format-6.hash")),
        "7" => (include_str!("golden/format-7.jsonl"), include_str!("golden/format-7.hash")),
        "8" => (include_str!("golden/format-8.jsonl"), include_str!("golden/format-8.hash")),
        "7-settings" => (include_str!("golden/format-7-settings.jsonl"), include_str!("golden/format-7-settings.hash")),
        _ => (include_str!("golden/format-6-hints.jsonl"), include_str!("golden/format-6-hints.hash")),
    };
    let entry = |line: &str| {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |key: &str| entry[key].as_u64().unwrap();
        let body = entry["body"].as_str().unwrap().to_owned();
        let (first, last, at) = (number("first"), number("last"), entry["at"].as_i64().unwrap());
        // Since format 4 a log has entries of the one before, too.
        let format = entry["format"].as_u64().map_or_else(|| format.parse().unwrap(), |format| format as u32);
        Entry { first, last, at, format, body }
    };
    (lines.lines().map(entry).collect(), hash.trim())
}

#[test]
fn what_every_format_looked_like_is_still_read() {
    let mut states = Vec::new();
    for format in ["1", "2", "3"] {
        let (log, hash) = golden(format);
        let mut state = replay(&log);
        assert_eq!(borduel_study::hex::text(&state.log_hash), hash);
        let bytes = state.encode().unwrap();
        assert_eq!(State::decode(&bytes).unwrap().encode().unwrap(), bytes);
        assert!(state.votes > 10 && state.imports.len() == 1 && state.judged.is_some() && state.plan.number == 1);
        state.log_hash = Default::default();
        states.push(state.encode().unwrap());
    }
    // The same facts, in whatever words, make the same state.
    assert!(states.windows(2).all(|two| two[0] == two[1]));
    // What is decided today is written in the words of the last one, as far as it has no contexts.
    let (log, _) = golden("3");
    let events: Vec<_> = log.iter().flat_map(|entry| entry.events().unwrap()).collect();
    let again: Vec<_> =
        log.iter().map(|entry| Entry::new(entry.first, entry.at, &entry.events().unwrap()).unwrap()).collect();
    assert_eq!(again, log);
    let words = |event| serde_json::to_value(event).unwrap().as_object().unwrap().keys().next().unwrap().clone();
    let mut kinds: Vec<String> = events.iter().map(words).collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds.len(), 15, "every kind of event: {kinds:?}");
}

/// A study of three items in three contexts, of which one goes, with two voters and a file.
fn in_contexts() -> Study {
    let mut study = Study::open(3, Settings::default(), 4);
    let new = ["haiku", "sonnet", "limerick"].map(|key| context(key, key));
    study.run(&Command::Contexts(new.to_vec())).unwrap();
    let placed = |item: &str, context: &str| Placed {
        item: item.to_owned(),
        context: context.to_owned(),
        content: format!("{item}, {context}").into_bytes(),
        correction: false,
    };
    study.run(&Command::Contents(vec![placed("item-0", "haiku"), placed("item-2", "sonnet")])).unwrap();
    for kind in [Kind::Anonymous, Kind::Judge] {
        let voter = study.join(kind, &[]);
        while let borduel_study::Reply::Questions(sitting) = study.run(&Command::Ask { voter, count: 2 }).unwrap() {
            let Some(ticket) = sitting.questions.first() else { break };
            study.now += 2_000;
            let answer = if ticket.first < ticket.second { Answer::First } else { Answer::Tie };
            study.vote(Vote { ms: Some(800), ..Vote::new(voter, ticket.q, answer) }).unwrap();
        }
    }
    study.run(&Command::Undo { q: 1, voter: None }).unwrap();
    study.run(&Command::EnableContext { key: "limerick".to_owned(), on: false }).unwrap();
    study.run(&Command::Contexts(vec![Context { correction: true, ..context("sonnet", "14 lines") }])).unwrap();
    let vote =
        |context| ImportedVote { criterion: 0, voter: None, first: 0, second: 1, context, answer: Answer::Second };
    let (name, votes) = ("file.csv".to_owned(), vec![vote(Some(1)), vote(None)]);
    let chunk = Chunk { name, hash: [7; 32], rows: 2, voters: 0, hint: false, from: 0, votes };
    study.run(&Command::Import(Box::new(chunk))).unwrap();
    study
}

/// The formats of the entries of a stored log.
fn formats(format: &str) -> Vec<u32> {
    golden(format).0.iter().map(|entry| entry.format).collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// Holds the log of a study against the one that was stored for this format, or stores it; the state that it gives.
fn is_what_it_was(study: &Study, format: &str) -> Option<State> {
    let line = |entry: &Entry| {
        let Entry { first, last, at, format, body } = entry;
        serde_json::json!({"first": first, "last": last, "at": at, "format": format, "body": body}).to_string() + "\n"
    };
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        let lines = study.log.iter().map(line).collect::<String>();
        std::fs::write(format!("{folder}/format-{format}.jsonl"), lines).unwrap();
        let hash = borduel_study::hex::text(&study.state.log_hash) + "\n";
        std::fs::write(format!("{folder}/format-{format}.hash"), hash).unwrap();
        return None;
    }
    let (log, hash) = golden(format);
    assert_eq!(log, study.log);
    let state = replay(&log);
    assert_eq!(borduel_study::hex::text(&state.log_hash), hash);
    assert_eq!(state.encode().unwrap(), study.state.encode().unwrap());
    Some(state)
}

#[test]
fn a_log_with_contexts_is_what_it_was() {
    let Some(state) = is_what_it_was(&in_contexts(), "4") else { return };
    // 3 pairs in 3 contexts of two voters, less what was undone and what was asked in the one that went, and a file.
    assert_eq!((state.questions.len(), state.votes), (21, 13));
    assert_eq!(formats("4"), [3, 4]);
}

#[test]
fn formats_and_events_from_the_future_are_refused_in_words() {
    let entry = |format, body: &str| Entry { first: 1, last: 1, at: 0, format, body: body.to_owned() };
    let newer = State::default().append(&entry(FORMAT + 1, "[]")).unwrap_err().to_string();
    assert!(newer.contains(&format!("format {}", FORMAT + 1)) && newer.contains("update"), "{newer}");
    let odd = State::default().append(&entry(1, r#"[{"exploded":{"q":1}}]"#)).unwrap_err().to_string();
    assert!(odd.contains("exploded") && odd.contains("event 1"), "{odd}");
    let gap = Entry { first: 5, last: 5, at: 0, format: 1, body: r#"[{"lapsed":{"q":1}}]"#.to_owned() };
    assert!(State::default().append(&gap).unwrap_err().to_string().contains("missing"));
}

/// A study that sends away whoever fails its gold pair: one voter passes, one takes its failure back, one goes.
fn screening() -> Study {
    let pair = GoldPair { better: "item-0".to_owned(), worse: "item-4".to_owned(), context: None };
    let gold = Gold { pairs: vec![pair], share: 0.5, may_fail: 0, then: Then::Away };
    let settings = Settings { gold, screened_out: "OUT".to_owned(), ahead: 1, ..Settings::default() };
    let mut study = Study::open(5, settings, 9);
    study.run(&Command::Enable { key: "item-4".to_owned(), on: false }).unwrap();
    for fails in [false, true] {
        let join = Join { network: fails.then_some(7), ..Join::new(Kind::Anonymous, [0; 32]) };
        let joined = study.run(&Command::Join(join)).unwrap();
        let borduel_study::Reply::Joined { voter } = joined else { panic!("{joined:?}") };
        while let Ok(borduel_study::Reply::Questions(sitting)) = study.run(&Command::Ask { voter, count: 1 }) {
            let Some(ticket) = sitting.questions.first() else { break };
            study.now += 2_000;
            let question = study.state.questions[ticket.q as usize];
            let right = if question.first < question.second { Answer::First } else { Answer::Second };
            let wrong = if right == Answer::First { Answer::Second } else { Answer::First };
            let answer = if fails && question.source.is_gold() { wrong } else { right };
            let q = ticket.q;
            study.vote(Vote { ms: Some(800), ..Vote::new(voter, q, answer) }).unwrap();
            if question.source == Source::Gold && !fails {
                study.run(&Command::Undo { q, voter: Some(voter) }).unwrap();
            }
        }
    }
    study
}

#[test]
fn a_log_that_sends_voters_away_is_what_it_was() {
    let Some(state) = is_what_it_was(&screening(), "5") else { return };
    let standings: Vec<Standing> = state.voters.iter().map(|voter| voter.standing).collect();
    assert_eq!(standings, [Standing::Active, Standing::ScreenedOut]);
    // Six pairs of the first, and nothing of the second.
    assert_eq!(state.votes, 6);
    assert!(state.questions.iter().any(|question| question.source == Source::GoldAgain));
    assert_eq!(formats("5"), [3, 5]);
}

/// A study whose quota of one voter is full, whose webhook is told of it, and whose voter says how much
/// better one is and suggests two others, of which one is taken.
fn told() -> Study {
    let answer = |text: &str, most| Choice { text: text.to_owned(), out: false, most };
    let answers = vec![answer("young", 1), answer("old", 0)];
    let asks = vec![Ask { key: "age".to_owned(), question: "How old?".to_owned(), answers }];
    let webhook = "https://example.org/".to_owned();
    let mut study =
        Study::open(2, Settings { asks, webhook, grades: true, suggestions: true, ..Settings::default() }, 3);
    let attributes = [("age".to_owned(), "young".to_owned())].into();
    study.run(&Command::Join(Join { attributes, ..Join::new(Kind::Anonymous, [0; 32]) })).unwrap();
    study.run(&Command::Ask { voter: 0, count: 1 }).unwrap();
    let (voter, q, answer) = (0, 0, Answer::First);
    study.vote(Vote { grade: Some(Grade::Much), ms: Some(800), ..Vote::new(voter, q, answer) }).unwrap();
    for text in ["Mate", "Coffee"] {
        study.run(&Command::Suggest { voter, content: text.into() }).unwrap();
    }
    study.run(&Command::Weigh { suggestion: 0, item: Some(item("mate", "Mate")) }).unwrap();
    study.run(&Command::Weigh { suggestion: 1, item: None }).unwrap();
    study
}

/// A study with a file of hints, a judge that gives some, and a person.
fn hinted() -> Study {
    let mut study = Study::open(3, Settings::default(), 8);
    let vote =
        |first, second| ImportedVote { criterion: 0, voter: None, first, second, context: None, answer: Answer::First };
    let votes = vec![vote(0, 1), vote(1, 2), vote(0, 2)];
    let chunk = Chunk { name: "llm.csv".to_owned(), hash: [5; 32], rows: 3, voters: 0, hint: true, from: 0, votes };
    study.run(&Command::Import(Box::new(chunk))).unwrap();
    for kind in [Kind::Hint, Kind::Anonymous] {
        let voter = study.join(kind, &[]);
        for _ in 0..3 {
            let reply = study.run(&Command::Ask { voter, count: 1 }).unwrap();
            let Reply::Questions(sitting) = reply else { panic!("{reply:?}") };
            let Some(ticket) = sitting.questions.first() else { break };
            study.vote(Vote::new(voter, ticket.q, Answer::First)).unwrap();
        }
    }
    study.run(&common::set(&serde_json::json!({ "trust": "typical" }))).unwrap();
    study
}

#[test]
fn a_log_of_which_somebody_is_told_is_what_it_was() {
    let Some(state) = is_what_it_was(&told(), "6") else { return };
    assert!(state.full.contains(&("age".to_owned(), "young".to_owned())));
    assert_eq!((state.graded, state.questions[0].grade()), (true, Some(Grade::Much)));
    let fates: Vec<Fate> = state.suggestions.iter().map(|suggestion| suggestion.fate).collect();
    assert_eq!(fates, [Fate::Item(2), Fate::Rejected]);
    assert_eq!(formats("6"), [3, 5, 6]);
}

#[test]
fn a_log_with_hints_is_what_it_was() {
    let Some(state) = is_what_it_was(&hinted(), "6-hints") else { return };
    assert_eq!((state.votes, state.hints(), state.electorate()), (3, 6, 1));
    assert_eq!(formats("6-hints"), [3, 6]);
}

/// A study that asks two questions about each pair, with a vote that is taken back, a file by the second question, and
/// a look by each.
fn several() -> Study {
    let mut study = Study::open(3, Settings { criteria: common::criteria(2), grades: true, ..Settings::default() }, 6);
    let voter = study.join(Kind::Anonymous, &[]);
    for (answer, second) in
        [(Answer::First, Answer::Second), (Answer::Tie, Answer::Skip), (Answer::Skip, Answer::First)]
    {
        let reply = study.run(&Command::Ask { voter, count: 1 }).unwrap();
        let Reply::Questions(sitting) = reply else { panic!("{reply:?}") };
        let grade = Some(Grade::Much).filter(|_| second == Answer::Second);
        let q = sitting.questions[0].q;
        let other_criteria = vec![GradedAnswer { answer: second, grade }];
        study.vote(Vote { other_criteria, ms: Some(900), ..Vote::new(voter, q, answer) }).unwrap();
    }
    study.run(&Command::Undo { q: 1, voter: Some(voter) }).unwrap();
    let vote = |answer| ImportedVote { criterion: 1, voter: None, first: 0, second: 1, context: None, answer };
    let (name, votes) = ("file.csv".to_owned(), vec![vote(Answer::Second), vote(Answer::Tie)]);
    let chunk = Chunk { name, hash: [7; 32], rows: 2, voters: 0, hint: false, from: 0, votes };
    study.run(&Command::Import(Box::new(chunk))).unwrap();
    for (criterion, winners) in [(0, vec![0, 1]), (1, vec![2])] {
        let (basis, kind) = ((study.state.head, 0), VerdictKind::GoodEnough);
        let look = Look { criterion, look: 0, basis, votes: 20, level: 0.95, kind, winners, about: None };
        study.run(&Command::Judge(look)).unwrap();
    }
    study
}

#[test]
fn a_log_of_several_questions_is_what_it_was() {
    let Some(state) = is_what_it_was(&several(), "7") else { return };
    // Two pairs are left, one of them by each question alone, and the file by the second.
    assert_eq!((state.votes, state.votes_by(0), state.votes_by(1)), (4, 1, 4));
    assert_eq!(state.graded_answers(0)[1], GradedAnswer { answer: Answer::Second, grade: Some(Grade::Much) });
    let winners = |criterion| state.judged_by(criterion).unwrap().winners.clone();
    assert_eq!((winners(0), winners(1), state.judged.is_none()), (vec![0, 1], vec![2], true));
    assert_eq!(formats("7"), [3, 7]);
}

/// A study with the settings that came with format 7, one of which is taken back.
fn with_settings() -> Study {
    let settings = Settings {
        id_parameter: "PROLIFIC_PID".to_owned(),
        keep_parameters: vec!["SESSION_ID".to_owned()],
        least_seconds: 1.5,
        ..Settings::default()
    };
    let mut study = Study::open(3, settings, 7);
    let sent = BTreeMap::from([("SESSION_ID".to_owned(), "s-1".to_owned())]);
    let join = Join { name: Some("p-1".to_owned()), sent, ..Join::new(Kind::Named, [0; 32]) };
    study.run(&Command::Join(join)).unwrap();
    study.run(&common::set(&serde_json::json!({ "least_seconds": 0.0, "proof_of_work": 18 }))).unwrap();
    study
}

#[test]
fn a_log_of_a_crowd_that_computes_is_what_it_was() {
    let Some(state) = is_what_it_was(&with_settings(), "7-settings") else { return };
    let settings = &state.settings;
    assert_eq!((settings.keep_parameters.len(), settings.least_seconds, settings.proof_of_work), (1, 0.0, 18));
    assert_eq!(formats("7-settings"), [3, 7]);
    // What an address says of people stands beside the log, where it can be erased.
    assert!(golden("7-settings").0.iter().all(|entry| !entry.body.contains("s-1") && !entry.body.contains("p-1")));
}

/// A study in contexts whose judge has a price, and answers a pair in both.
fn with_price() -> Study {
    let about = Some(borduel_rank::About::These);
    let mut study = Study::open(3, Settings { about, judge_price: 0.02, ..Settings::default() }, 5);
    study.run(&Command::Contexts(["haiku", "sonnet"].map(|key| context(key, key)).to_vec())).unwrap();
    let (basis, pairs, judge_first) = (study.state.head, vec![(0, 1, 2), (1, 2, 1)], vec![(1, 2), (0, 1)]);
    let method = Some(Method::Fewest);
    let plan = PairPlan { number: 0, basis, votes: 0, method, audits: 0.1, pairs, judge_first };
    study.run(&Command::Adopt(plan)).unwrap();
    let voter = study.join(Kind::Hint, &[]);
    let reply = study.run(&Command::Ask { voter, count: 3 }).unwrap();
    let Reply::Questions(sitting) = reply else { panic!("{reply:?}") };
    for ticket in sitting.questions {
        study.vote(Vote::new(voter, ticket.q, Answer::First)).unwrap();
    }
    study
}

#[test]
fn a_log_of_a_judge_with_a_price_is_what_it_was() {
    let Some(state) = is_what_it_was(&with_price(), "8") else { return };
    assert_eq!((state.votes, state.hints(), state.plan.judge_first.clone()), (0, 3, vec![(1, 2), (0, 1)]));
    assert_eq!(formats("8"), [3, 4, 6, 8]);
}

#[test]
fn what_was_called_a_clear_winner_up_to_format_2_is_good_enough() {
    let judged = r#"[{"judged":{"look":0,"votes":30,"level":0.95,"kind":"clear-winner","winners":[1]}}]"#;
    let kind = |format| {
        let entry = Entry { first: 1, last: 1, at: 0, format, body: judged.to_owned() };
        let mut state = State::default();
        state.append(&entry).unwrap();
        state.judged.unwrap().kind
    };
    assert_eq!([1, 2, 3].map(kind), [VerdictKind::GoodEnough, VerdictKind::GoodEnough, VerdictKind::ClearWinner]);
    // And what closed a study by its verdict was that.
    let old: Settings = serde_json::from_str(r#"{"stop": "verdict"}"#).unwrap();
    assert_eq!(old.stop, Stop::GoodEnough);
}
