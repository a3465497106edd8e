//! Random commands: promises that always hold, and a log that always gives the same state.

mod common;

use borduel_rank::ranking::VerdictKind;
use borduel_study::command::{Chunk, Context, ImportedVote, Join, Look, Placed};
use borduel_study::event::{Answer, By, Entry, FORMAT, Grade, Kind, SOFT_UNIT, Source, Standing, Status, Votes};
use borduel_study::settings::{Ask, Choice, Gold, GoldPair, Method, Model, Repeat, Stop, Then};
use borduel_study::standing::{Evidence, look, look_due};
use borduel_study::state::{Fate, PairPlan, Phase};
use borduel_study::{Command, Reply, Settings, State};
use common::{Study, context, item, replay};
use proptest::prelude::*;

/// A command with numbers that are taken modulo what there is.
fn command() -> impl Strategy<Value = Command> {
    let answer = prop_oneof![
        5 => Just(Answer::First), 5 => Just(Answer::Second), 2 => Just(Answer::Tie), 1 => Just(Answer::BothBad),
        1 => Just(Answer::Skip), 2 => (0.0..1.0).prop_map(Answer::Soft)
    ];
    let standing = prop_oneof![Just(Standing::Active), Just(Standing::Blocked), Just(Standing::Withdrawn)];
    let status = prop_oneof![6 => Just(Status::Open), 1 => Just(Status::Paused), 1 => Just(Status::Closed)];
    let voter = 0..6_u32;
    prop_oneof![
        20 => (voter.clone(), 1..5_u32).prop_map(|(voter, count)| Command::Ask { voter, count }),
        40 => (voter.clone(), 0..60_u32, answer, any::<bool>()).prop_map(|(voter, q, answer, more)| {
            Command::Answer { grade: None, voter, q, answer, ms: Some(q * 37), stacked: more, comment: None, more }
        }),
        4 => (0..60_u32, proptest::option::of(voter.clone())).prop_map(|(q, voter)| Command::Undo { q, voter }),
        2 => (voter, standing, any::<bool>(), any::<bool>()).prop_map(|(voter, standing, keep, own)| {
            let (votes, by) = (if keep { Votes::Keep } else { Votes::Aside }, if own { By::Voter } else { By::Organiser });
            Command::Voter { voter, standing, votes, by }
        }),
        2 => (0..7_u32, any::<bool>()).prop_map(|(i, on)| Command::Enable { key: format!("item-{i}"), on }),
        2 => (0..7_u32, 0..3_u32, any::<bool>()).prop_map(|(i, text, correction)| {
            let mut new = item(&format!("item-{i}"), &format!("text {text}"));
            new.correction = correction;
            Command::Items(vec![new])
        }),
        3 => status.prop_map(Command::Status),
        2 => (proptest::collection::vec((0..6_u16, 0..7_u16, 0..9_u32), 0..8), any::<bool>()).prop_map(|(pairs, design)| {
            let method = Some(if design { Method::Design } else { Method::Fewest });
            Command::Adopt(PairPlan { number: 0, basis: 0, votes: 0, method, audits: 0.25, pairs })
        }),
        6 => (kind(), proptest::sample::subsequence(vec![0_u16, 1, 2, 3], 1..4)).prop_map(|(kind, winners)| {
            Command::Judge(Look { look: 0, basis: (0, 0), votes: 50, level: 0.975, kind, winners, about: None })
        }),
        4 => set(),
        3 => (0..4_u32, 0..3_u32, any::<bool>()).prop_map(|(i, text, correction)| {
            Command::Contexts(vec![Context { correction, ..context(&format!("context-{i}"), &format!("text {text}")) }])
        }),
        2 => (0..4_u32, any::<bool>()).prop_map(|(i, on)| Command::EnableContext { key: format!("context-{i}"), on }),
        4 => (cells(), any::<bool>()).prop_map(|(all, correction)| {
            let placed = |&(i, c, text): &(u32, u32, u32)| Placed {
                item: format!("item-{i}"),
                context: format!("context-{c}"),
                content: format!("text {text}").into_bytes(),
                correction,
            };
            Command::Contents(all.iter().map(placed).collect())
        }),
        1 => (0..3_u16, 0..4_u64, proptest::option::of(0..3_u16)).prop_map(|(i, from, context)| {
            let vote = |voter| ImportedVote { voter, first: i, second: i + 1, context, answer: Answer::Tie };
            let votes = vec![vote(Some(0)), vote(None), vote(Some(1))];
            let name = format!("file-{i}");
            Command::Import(Box::new(Chunk { name, hash: [7; 32], rows: 6, voters: 2, hint: false, from, votes }))
        }),
        2 => Just(Command::Tick),
    ]
}

/// Items, contexts and texts.
fn cells() -> impl Strategy<Value = Vec<(u32, u32, u32)>> {
    proptest::collection::vec((0..7_u32, 0..4_u32, 0..3_u32), 1..9)
}

fn kind() -> impl Strategy<Value = VerdictKind> {
    use VerdictKind::{ClearWinner, GoodEnough, NotEnough, Tie};
    prop_oneof![Just(ClearWinner), Just(GoodEnough), Just(Tie), Just(NotEnough)]
}

/// Settings of which some are evidence and some are not.
fn set() -> impl Strategy<Value = Command> {
    let margin = prop_oneof![3 => Just(0.02), 1 => Just(0.03)];
    let level = prop_oneof![3 => Just(0.95), 1 => Just(0.9)];
    let model = prop_oneof![3 => Just(Model::OneHot), 1 => Just(Model::Counts)];
    let stop = prop_oneof![Just(Stop::Never), Just(Stop::GoodEnough), Just(Stop::Clear)];
    (margin, level, model, stop, 0..3_u32, any::<bool>()).prop_map(|(margin, level, model, stop, thanks, own)| {
        let thanks = "thank you ".repeat(thanks as usize);
        common::set(&serde_json::json!({
            "margin": margin, "level": level, "model": model, "stop": stop, "thanks": thanks, "own_contents": own
        }))
    })
}

/// The command as it could come now: looks and plans are of this moment.
fn prepared(mut command: Command, state: &State) -> Command {
    match &mut command {
        Command::Judge(look) => {
            look.look = state.judged.as_ref().map_or(0, |judged| judged.look + 1);
            look.basis = (state.head, u32::MAX);
        }
        Command::Adopt(plan) => plan.basis = state.head,
        _ => {}
    }
    command
}

/// Whether a command has changed what the verdict rests on, other than by new votes.
fn evidence_changed(command: &Command, before: &State, after: &State) -> bool {
    let counted = |state: &State, q: usize| state.questions.get(q).is_some_and(|question| state.counts(question));
    let known = |q: &usize| before.questions.get(*q).is_some_and(|question| question.phase == Phase::Answered);
    let (gone, come): (Vec<usize>, Vec<usize>) = (0..after.questions.len())
        .filter(known)
        .filter(|&q| counted(before, q) != counted(after, q))
        .partition(|&q| counted(before, q));
    let rests_until = before.judged.as_ref().map_or(0, |judged| judged.rests_until);
    // What was answered after the look is not what it rests on.
    let gone =
        gone.iter().any(|&q| !matches!(command, Command::Undo { .. }) || before.questions[q].second_at <= rests_until);
    let set = |state: &State| (state.settings.model, state.settings.level, state.settings.margin);
    gone || !come.is_empty() || set(before) != set(after) || !before.enabled().eq(after.enabled())
}

/// A verdict ends with what it rests on, and with nothing else.
fn check_verdict(command: &Command, before: &State, after: &State) {
    let (Some(was), Some(is)) = (&before.judged, &after.judged) else { return };
    if evidence_changed(command, before, after) {
        assert!(is.void && is.kind == VerdictKind::NotEnough, "{command:?} leaves {is:?}");
        assert!(is.winners.iter().copied().eq(after.enabled()), "{is:?}");
    } else if let Command::Judge(look) = command {
        let kept = was.outlasts(look.kind);
        let (kind, winners) = if kept { (was.kind, &was.winners) } else { (look.kind, &look.winners) };
        assert_eq!((is.kind, &is.winners, is.void), (kind, winners, false), "{look:?} after {was:?}");
    } else {
        assert_eq!(was, is, "{command:?}");
    }
}

fn gold_pairs() -> Vec<GoldPair> {
    let pair = |i: u32, j: u32| GoldPair { better: format!("item-{i}"), worse: format!("item-{j}"), context: None };
    vec![pair(0, 1), pair(3, 2), pair(4, 5)]
}

fn settings() -> impl Strategy<Value = Settings> {
    let stop = prop_oneof![3 => Just(Stop::Never), 1 => Just(Stop::Votes(25))];
    let gold = prop_oneof![3 => Just(None), 1 => Just(Some(Then::Aside)), 1 => Just(Some(Then::Away))];
    (1..30_u32, 1..4_u32, any::<bool>(), any::<bool>(), stop, gold).prop_map(
        |(questions_per_voter, ahead, swapped, rechecks, stop, then)| Settings {
            questions_per_voter,
            ahead,
            stop,
            both_bad: true,
            repeat: if swapped { Repeat::Swapped } else { Repeat::Never },
            rechecks: if rechecks { 0.25 } else { 0.0 },
            ticket_seconds: 20,
            gold: then.map_or_else(Gold::default, |then| Gold { pairs: gold_pairs(), share: 0.4, may_fail: 1, then }),
            ..Settings::default()
        },
    )
}

/// What must hold of what was just asked: it is asked in a context where there are some, and by what items show of
/// their own where that is demanded.
fn check_asked(before: &State, after: &State) {
    for question in after
        .questions
        .iter()
        .skip(before.questions.len())
        .filter(|q| q.source != Source::Import && !q.source.is_gold())
    {
        match question.context() {
            None => assert_eq!(after.enabled_contexts().count(), 0, "asked without a context"),
            Some(context) => {
                let context = &after.contexts[usize::from(context)];
                let both = [question.first, question.second].iter().all(|&item| context.content_of(item).is_some());
                assert!(context.enabled && (both || !after.settings.own_contents), "asked in a context that cannot be");
            }
        }
    }
}

/// What must hold at any time.
fn check(state: &State) {
    let recount = state.questions.iter().filter(|question| state.counts(question)).count() as u64;
    assert_eq!(state.votes, recount, "counted votes");
    let most = if state.settings.repeat == Repeat::Swapped || state.settings.rechecks > 0.0 { 2 } else { 1 };
    for (number, voter) in (0_u32..).zip(&state.voters) {
        let own = voter.questions.iter().map(|&q| &state.questions[q as usize]);
        assert!(own.clone().all(|question| question.voter == number));
        let phase = |phase: Phase| own.clone().filter(|question| question.phase == phase).count() as u32;
        assert_eq!((voter.open, voter.answered), (phase(Phase::Open), phase(Phase::Answered)));
        assert_eq!(state.open_of(number).len(), voter.open as usize);
        assert!(
            voter.kind != Kind::Anonymous || voter.answered <= state.settings.questions_per_voter,
            "a goal was beaten"
        );
        let imported = matches!(voter.kind, Kind::Imported | Kind::Unknown);
        let ahead = if voter.kind == Kind::Judge { 64 } else { state.settings.ahead };
        // Questions that come again after an undo stand beside these.
        let fresh = own.clone().filter(|q| q.phase == Phase::Open && !q.source.is_again()).count() as u32;
        assert!(fresh <= ahead, "{fresh} open of {ahead}");
        let seen = own.filter(|q| q.phase != Phase::Retracted);
        let mut pairs: Vec<_> = seen.map(|question| (question.pair(), question.context())).collect();
        pairs.sort_unstable();
        assert!(imported || pairs.chunk_by(|a, b| a == b).all(|same| same.len() <= most), "a pair too often");
    }
    for (number, context) in (0_u16..).zip(&state.contexts) {
        let here = || state.questions.iter().filter(|question| question.context() == Some(number));
        assert_eq!(context.shown() as usize, here().count());
        for item in 0..state.items.len() as u16 {
            let shown = here().filter(|question| [question.first, question.second].contains(&item)).count();
            assert_eq!(context.shown_of(item) as usize, shown);
            for other in item + 1..state.items.len() as u16 {
                let asked = state.asked_in((item, other)).find(|asked| asked.0 == number).map_or(0, |asked| asked.1);
                let pair = (item, other);
                assert_eq!(asked as usize, here().filter(|question| question.pair() == pair).count());
            }
        }
    }
    let sides: i32 = state.sides.iter().map(|(_, side)| side).sum();
    let first_lower = state.questions.iter().map(|q| if q.first < q.second { 1 } else { -1 }).sum::<i32>();
    assert_eq!(sides, first_lower);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn promises_hold_and_the_log_gives_the_state(
        settings in settings(),
        commands in proptest::collection::vec((command(), 0..9_000_i64), 1..150),
        cut in 0..200_usize,
    ) {
        let mut study = Study::open(6, settings, 42);
        for voter in 0..6_u32 {
            study.join(if voter == 5 { Kind::Judge } else { Kind::Anonymous }, if voter == 4 { &["item-2"] } else { &[] });
        }
        let mut answered = std::collections::HashMap::new();
        for (command, pause) in commands {
            study.now += pause - 1_000;
            let state = study.state.clone();
            let command = prepared(command, &state);
            let reply = study.run(&command);
            check_verdict(&command, &state, &study.state);
            check_asked(&state, &study.state);
            if let Err(refusal) = &reply {
                // A refusal changes nothing but what was due.
                let (was, is) = (state.questions.len(), study.state.questions.len());
                prop_assert_eq!(was, is, "{}", refusal);
                prop_assert_eq!(state.voters.len(), study.state.voters.len());
            }
            check(&study.state);
            for (q, question) in study.state.questions.iter().enumerate() {
                if matches!(question.phase, Phase::Answered | Phase::Retracted) {
                    let first = *answered.entry(q).or_insert(question.answer());
                    prop_assert_eq!(first, question.answer(), "an answer never changes");
                }
            }
        }
        let live = study.state.encode().unwrap();
        prop_assert_eq!(&replay(&study.log).encode().unwrap(), &live, "replay");
        let cut = cut % study.log.len();
        let mut state = State::decode(&replay(&study.log[..cut]).encode().unwrap()).unwrap();
        study.log[cut..].iter().for_each(|entry| state.append(entry).unwrap());
        prop_assert_eq!(&state.encode().unwrap(), &live, "snapshot and tail");
    }

    #[test]
    fn soft_answers_are_stored_exactly(r in 0.0..=1.0_f64) {
        let once = Answer::Soft(r).normal();
        prop_assert_eq!(once.normal(), once);
        if let Answer::Soft(stored) = once {
            prop_assert!((stored - r).abs() <= SOFT_UNIT / 2.0);
            prop_assert_eq!((stored / SOFT_UNIT).fract(), 0.0);
        }
    }

    #[test]
    fn no_body_makes_reading_panic(body in "\\PC{0,80}", first in 0..5_u64, length in 0..5_u64) {
        let entry = Entry { first, last: first + length, at: 0, format: 1, body };
        let _ = State::default().append(&entry);
    }
}

/// The log of a format as it was stored once, and its hash.
fn golden(format: &str) -> (Vec<Entry>, &'static str) {
    let (lines, hash) = match format {
        "1" => (include_str!("golden/format-1.jsonl"), include_str!("golden/format-1.hash")),
        "2" => (include_str!("golden/format-2.jsonl"), include_str!("golden/format-2.hash")),
        "3" => (include_str!("golden/format-3.jsonl"), include_str!("golden/format-3.hash")),
        "4" => (include_str!("golden/format-4.jsonl"), include_str!("golden/format-4.hash")),
        "5" => (include_str!("golden/format-5.jsonl"), include_str!("golden/format-5.hash")),
        "6" => (include_str!("golden/format-6.jsonl"), include_str!("golden/format-6.hash")),
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
            let (q, ms, stacked, comment, more) = (ticket.q, Some(800), false, None, false);
            study.run(&Command::Answer { grade: None, voter, q, answer, ms, stacked, comment, more }).unwrap();
        }
    }
    study.run(&Command::Undo { q: 1, voter: None }).unwrap();
    study.run(&Command::EnableContext { key: "limerick".to_owned(), on: false }).unwrap();
    study.run(&Command::Contexts(vec![Context { correction: true, ..context("sonnet", "14 lines") }])).unwrap();
    let vote = |context| ImportedVote { voter: None, first: 0, second: 1, context, answer: Answer::Second };
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
            let (q, ms, stacked, comment, more) = (ticket.q, Some(800), false, None, false);
            study.run(&Command::Answer { grade: None, voter, q, answer, ms, stacked, comment, more }).unwrap();
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
    let (voter, q, answer, ms, stacked, comment, more) = (0, 0, Answer::First, Some(800), false, None, false);
    study.run(&Command::Answer { grade: Some(Grade::Much), voter, q, answer, ms, stacked, comment, more }).unwrap();
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
    let vote = |first, second| ImportedVote { voter: None, first, second, context: None, answer: Answer::First };
    let votes = vec![vote(0, 1), vote(1, 2), vote(0, 2)];
    let chunk = Chunk { name: "llm.csv".to_owned(), hash: [5; 32], rows: 3, voters: 0, hint: true, from: 0, votes };
    study.run(&Command::Import(Box::new(chunk))).unwrap();
    for kind in [Kind::Hint, Kind::Anonymous] {
        let voter = study.join(kind, &[]);
        for _ in 0..3 {
            let reply = study.run(&Command::Ask { voter, count: 1 }).unwrap();
            let Reply::Questions(sitting) = reply else { panic!("{reply:?}") };
            let Some(ticket) = sitting.questions.first() else { break };
            let (q, ms, stacked, comment, more) = (ticket.q, None, false, None, false);
            study
                .run(&Command::Answer { grade: None, voter, q, answer: Answer::First, ms, stacked, comment, more })
                .unwrap();
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
        let (q, ms, stacked, comment, more) = (ticket.q, None, false, None, false);
        study.run(&Command::Answer { grade: None, voter, q, answer, ms, stacked, comment, more }).unwrap();
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
    let (q, answer, ms, stacked, comment, more) = (sitting.questions[0].q, Answer::First, None, false, None, false);
    study.run(&Command::Answer { grade: None, voter, q, answer, ms, stacked, comment, more }).unwrap();
    study.run(&Command::Undo { q, voter: None }).unwrap();
    assert_eq!(study.state.judged, before);
}
