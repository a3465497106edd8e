//! Random commands: promises that always hold, and a log that always gives the same state.

mod common;

use borduel_rank::About;
use borduel_rank::ranking::VerdictKind;
use borduel_rank::sequential::Trust;
use borduel_study::command::{Chunk, Context, ImportedVote, Look, Placed};
use borduel_study::event::{Answer, By, Entry, GradedAnswer, Inclusion, Kind, SOFT_UNIT, Source, Standing, Status};
use borduel_study::settings::{Goal, Gold, GoldPair, Method, Model, Repeat, Stop, Then};
use borduel_study::state::{PairPlan, Phase};
use borduel_study::{Command, Settings, State};
use common::{Study, context, item, replay};
use proptest::prelude::*;

/// A command with numbers that are taken modulo what there is.
fn command() -> impl Strategy<Value = Command> {
    let answer = || {
        prop_oneof![
            5 => Just(Answer::First), 5 => Just(Answer::Second), 2 => Just(Answer::Tie), 1 => Just(Answer::BothBad),
            1 => Just(Answer::Skip), 2 => (0.0..1.0).prop_map(Answer::Soft)
        ]
    };
    let others = proptest::collection::vec(answer().prop_map(|answer| GradedAnswer { answer, grade: None }), 2);
    let standing = prop_oneof![Just(Standing::Active), Just(Standing::Blocked), Just(Standing::Withdrawn)];
    let status = prop_oneof![6 => Just(Status::Open), 1 => Just(Status::Paused), 1 => Just(Status::Closed)];
    let voter = 0..6_u32;
    prop_oneof![
        20 => (voter.clone(), 1..5_u32).prop_map(|(voter, count)| Command::Ask { voter, count }),
        40 => (voter.clone(), 0..60_u32, answer(), others, any::<bool>()).prop_map(|(voter, q, answer, others, more)| {
            let (ms, stacked, comment, grade, other_criteria) = (Some(q * 37), more, None, None, others);
            Command::Answer { voter, q, answer, ms, stacked, grade, other_criteria, comment, more }
        }),
        4 => (0..60_u32, proptest::option::of(voter.clone())).prop_map(|(q, voter)| Command::Undo { q, voter }),
        2 => (voter, standing, any::<bool>(), any::<bool>()).prop_map(|(voter, standing, keep, own)| {
            let votes = if keep { Inclusion::Keep } else { Inclusion::Aside };
            let by = if own { By::Voter } else { By::Organiser };
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
            Command::Adopt(PairPlan { number: 0, basis: 0, votes: 0, method, audits: 0.25, pairs, judge_first: Vec::new() })
        }),
        6 => (kind(), 0..3_usize, winners()).prop_map(|(kind, criterion, winners)| {
            Command::Judge(Look { criterion, look: 0, basis: (0, 0), votes: 50, level: 0.975, kind, winners, about: None })
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
        1 => (0..3_u16, 0..4_u64, proptest::option::of(0..3_u16), 0..3_usize).prop_map(|(i, from, context, criterion)| {
            let vote = |voter| ImportedVote { criterion, voter, first: i, second: i + 1, context, answer: Answer::Tie };
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

/// Some items.
fn winners() -> impl Strategy<Value = Vec<u16>> {
    proptest::sample::subsequence(vec![0_u16, 1, 2, 3], 1..4)
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
    let goal = prop_oneof![4 => Just(Goal::Winner), 1 => Just(Goal::Top(2)), 1 => Just(Goal::Order)];
    let about = prop_oneof![3 => Just(None), 1 => Just(Some(About::These)), 1 => Just(Some(About::Such))];
    let trust = prop_oneof![3 => Just(Trust::Checked), 1 => Just(Trust::Typical), 1 => Just(Trust::Model)];
    let said = (0..3_u32, any::<bool>());
    (margin, level, model, stop, goal, about, trust, said).prop_map(
        |(margin, level, model, stop, goal, about, trust, (thanks, own))| {
            let thanks = "thank you ".repeat(thanks as usize);
            common::set(&serde_json::json!({
                "margin": margin, "level": level, "model": model, "stop": stop, "goal": goal, "about": about,
                "trust": trust, "thanks": thanks, "own_contents": own
            }))
        },
    )
}

/// The command as it could come now: looks and plans are of this moment, and every question has its answer.
fn prepared(mut command: Command, state: &State) -> Command {
    match &mut command {
        Command::Judge(look) => {
            look.criterion %= state.criteria();
            look.look = state.judged_by(look.criterion).map_or(0, |judged| judged.look + 1);
            look.basis = (state.head, u32::MAX);
        }
        Command::Answer { other_criteria, .. } => other_criteria.truncate(state.criteria() - 1),
        Command::Import(chunk) => chunk.votes.iter_mut().for_each(|vote| vote.criterion %= state.criteria()),
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
    let one = matches!(command, Command::Undo { .. } | Command::Voter { .. });
    let changed = gone.iter().chain(&come).any(|&q| !one || before.questions[q].second_at <= rests_until);
    let asked = |of: &Settings| (of.model, of.goal, of.about, of.trust, of.level, of.margin);
    let set = |state: &State| asked(&state.settings);
    changed || set(before) != set(after) || !before.enabled().eq(after.enabled())
}

/// A verdict ends with what it rests on, and with nothing else.
fn check_verdict(command: &Command, criterion: usize, before: &State, after: &State) {
    let (before, after) = (&before.by(criterion), &after.by(criterion));
    let (Some(was), Some(is)) = (&before.judged, &after.judged) else { return };
    if evidence_changed(command, before, after) {
        assert!(is.void && is.kind == VerdictKind::NotEnough, "{command:?} leaves {is:?}");
        assert!(is.winners.iter().copied().eq(after.enabled()), "{is:?}");
    } else if let Command::Judge(look) = command
        && look.criterion == criterion
    {
        let kept = was.outlasts(look.kind);
        let (kind, winners) = if kept { (was.kind, &was.winners) } else { (look.kind, &look.winners) };
        assert_eq!((is.kind, &is.winners, is.void), (kind, winners, false), "{look:?} after {was:?}");
    } else {
        assert_eq!(was, is, "{command:?}");
    }
}

/// The command of a study that asks this one of several questions only.
fn alone_by(command: &Command, criterion: usize) -> Command {
    let mut command = command.clone();
    match &mut command {
        Command::Answer { answer, other_criteria, .. } => {
            let all: Vec<Answer> =
                std::iter::once(*answer).chain(other_criteria.drain(..).map(|said| said.answer)).collect();
            *answer = all[criterion];
        }
        Command::Import(chunk) => {
            for vote in &mut chunk.votes {
                vote.answer = if vote.criterion == criterion { vote.answer } else { Answer::Skip };
                vote.criterion = 0;
            }
        }
        _ => {}
    }
    command
}

fn gold_pairs() -> Vec<GoldPair> {
    let pair = |i: u32, j: u32| GoldPair { better: format!("item-{i}"), worse: format!("item-{j}"), context: None };
    vec![pair(0, 1), pair(3, 2), pair(4, 5)]
}

fn settings() -> impl Strategy<Value = Settings> {
    let stop = prop_oneof![3 => Just(Stop::Never), 1 => Just(Stop::Votes(25))];
    let criteria = prop_oneof![2 => Just(0), 1 => Just(2), 1 => Just(3)];
    let gold = prop_oneof![3 => Just(None), 1 => Just(Some(Then::Aside)), 1 => Just(Some(Then::Away))];
    (1..30_u32, 1..4_u32, any::<bool>(), any::<bool>(), stop, gold, criteria).prop_map(
        |(questions_per_voter, ahead, swapped, rechecks, stop, then, criteria)| Settings {
            criteria: common::criteria(criteria),
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
    let (recount, each) = state.recounted();
    assert_eq!(state.votes, recount, "counted votes");
    for criterion in 0..state.criteria() {
        let seen = state.by(criterion);
        let recount = seen.questions.iter().filter(|question| seen.counts(question)).count() as u64;
        assert_eq!((seen.votes, state.votes_by(criterion)), (recount, recount), "counted votes by {criterion}");
        assert!(recount <= state.votes && each.get(criterion).is_none_or(|each| *each == recount));
    }
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
            (0..state.criteria()).for_each(|one| check_verdict(&command, one, &state, &study.state));
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
                    let said = study.state.graded_answers(q as u32);
                    let first = answered.entry(q).or_insert(said.clone());
                    prop_assert_eq!(first, &said, "an answer never changes");
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

    /// What is known by one of several questions is what would be known if it had been the only one.
    #[test]
    fn each_question_is_as_if_it_were_the_only_one(
        settings in settings(),
        commands in proptest::collection::vec((command(), 0..9_000_i64), 1..100),
    ) {
        let settings = Settings { stop: Stop::Never, gold: Gold::default(), ..settings };
        let criteria = common::criteria(3);
        let alone = |at: usize| Settings { question: criteria[at].question.clone(), criteria: Vec::new(), ..settings.clone() };
        let mut several = Study::open(6, Settings { criteria: criteria.clone(), ..settings.clone() }, 42);
        let mut each: Vec<Study> = (0..3).map(|at| Study::open(6, alone(at), 42)).collect();
        for study in std::iter::once(&mut several).chain(&mut each) {
            for voter in 0..6 {
                study.join(if voter == 5 { Kind::Judge } else { Kind::Anonymous }, &[]);
            }
        }
        for (command, pause) in commands {
            let command = match prepared(command, &several.state) {
                // A person's soft answer to one question refuses them all, and looks are another matter.
                Command::Answer { answer: Answer::Soft(_), .. } | Command::Judge(_) => continue,
                // The same answer to one question may be another one to the next: repeated here, refused there.
                Command::Answer { q, .. }
                    if several.state.questions.get(q as usize).is_some_and(|asked| asked.phase == Phase::Answered) =>
                {
                    continue;
                }
                Command::Answer { other_criteria, .. }
                    if other_criteria.iter().any(|other| matches!(other.answer, Answer::Soft(_))) =>
                {
                    continue;
                }
                command => command,
            };
            several.now += pause;
            let reply = several.run(&command);
            for (at, study) in each.iter_mut().enumerate() {
                study.now += pause;
                prop_assert_eq!(&study.run(&alone_by(&command, at)), &reply);
            }
        }
        for (at, study) in each.into_iter().enumerate() {
            let mut seen = several.state.by(at);
            seen.log_hash = study.state.log_hash;
            prop_assert_eq!(seen.encode().unwrap(), study.state.encode().unwrap(), "by {}", at);
        }
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
