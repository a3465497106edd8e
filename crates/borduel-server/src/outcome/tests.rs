//! Whatever a study shows of its verdict is one verdict: that of its last look, in every form.

use super::*;
use borduel_rank::ranking::rank;
use borduel_report::ranking::page_titled;
use borduel_study::command::{Chunk, ImportedVote, Item};
use borduel_study::event::{Answer, Entry, Event, Status};
use borduel_study::settings::Settings;
use borduel_study::standing::{look, look_due};
use borduel_study::{Command, decide};
use std::collections::BTreeMap;

const NOW: Millis = 1_700_000_000_000;

/// Two items, and how often each of them won.
type Wins = (u16, u16, u32, u32);

/// An open study of these items, with a margin of ten points, so that few votes are enough for a tie.
fn study(titles: &[&str]) -> Study {
    let mut state = Study::default();
    let settings = Settings { margin: 0.1, ..Settings::default() };
    let events = [Event::Created { settings, seed: 1 }];
    state.append(&Entry::new(1, NOW, &events).unwrap()).unwrap();
    let item = |title: &&str| {
        let (key, content) = (title.to_lowercase(), title.as_bytes().to_vec());
        Item { key, content, features: Vec::new(), correction: false }
    };
    run(&mut state, &Command::Items(titles.iter().map(item).collect()));
    run(&mut state, &Command::Status(Status::Open));
    state
}

fn run(state: &mut Study, command: &Command) {
    let first = state.head + 1;
    let (events, _, reply) = decide(state, command, NOW);
    reply.unwrap();
    let entry = Entry::new(first, state.at, &events).unwrap();
    state.seal(&entry);
}

/// So many votes for the first item of a pair and for the second, each by somebody else.
fn cast(state: &mut Study, name: u8, pairs: &[(u16, u16, u32, u32)]) {
    let (mut votes, mut voters) = (Vec::new(), 0);
    for &(first, second, won, lost) in pairs {
        for vote in 0..won + lost {
            let answer = if vote < won { Answer::First } else { Answer::Second };
            votes.push(ImportedVote { criterion: 0, voter: Some(voters), first, second, context: None, answer });
            voters += 1;
        }
    }
    let (rows, hash) = (votes.len() as u64, [name; 32]);
    run(
        state,
        &Command::Import(Box::new(Chunk { name: name.to_string(), hash, rows, voters, hint: false, from: 0, votes })),
    );
}

fn look_now(state: &mut Study) {
    let evidence = Evidence::of(state).unwrap();
    let reading = evidence.read(&state.settings).unwrap();
    let found = look(&evidence, reading.as_ref(), look_due(state).unwrap(), &state.settings).unwrap();
    run(state, &Command::Judge(found));
}

/// How the sentence of each kind begins.
const OPENINGS: [(VerdictKind, &str); 4] = [
    (VerdictKind::ClearWinner, "Clear winner: "),
    (VerdictKind::GoodEnough, "Good enough: "),
    (VerdictKind::Tie, "Tie at the top: "),
    (VerdictKind::NotEnough, "Not enough votes: "),
];

/// Everything that is shown or exported is of this kind, and names the same winners.
fn says_one_thing(state: &Study, titles: &[&str], expected: VerdictKind) {
    let titles: Vec<String> = titles.iter().map(|&title| title.to_owned()).collect();
    let outcome = Outcome::of(state, 0, &titles, NOW).unwrap_or_else(|problem| panic!("{}", problem.detail));
    let results: serde_json::Value = serde_json::from_str(&outcome.json).unwrap();
    let (verdict, ranking) = (&results["verdict"], &results["ranking"]);
    assert_eq!(outcome.verdict.kind, expected, "{verdict}");
    assert_eq!(verdict["method"], "any-time");
    for key in ["kind", "text", "winners"] {
        assert_eq!(verdict[key], ranking["verdict"][key], "{key}");
    }
    let winners: Vec<&str> = verdict["winners"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
    for item in results["any_time"]["items"].as_array().unwrap() {
        let key = item["item"].as_str().unwrap();
        assert_eq!(item["may_be_best"], winners.contains(&key), "{item} {winners:?}");
        let ranked = ranking["items"].as_array().unwrap().iter().find(|ranked| ranked["item"] == key).unwrap();
        assert_eq!((&item["low"], &item["high"]), (&ranked["borda"]["low"], &ranked["borda"]["high"]), "{key}");
        assert!(ranked["p_best"].is_null(), "it would be for one look: {ranked}");
        // Nobody has rank 1 who cannot be best.
        assert_eq!(ranked["rank"]["low"] == 1, winners.contains(&key), "{ranked} {winners:?}");
    }
    let standing = outcome.standing.as_ref().unwrap();
    let page = page_titled(&standing.ranked(), "Teas", "Which is better?", &outcome.verdict.head, &BTreeMap::new());
    for (kind, opening) in OPENINGS {
        assert_eq!(outcome.verdict.text.starts_with(opening), kind == expected, "{}", outcome.verdict.text);
        assert_eq!(page.contains(opening), kind == expected, "{opening} on the page of {}", outcome.verdict.text);
    }
    assert!(page.contains(&outcome.verdict.head), "{}", outcome.verdict.head);
}

/// Of each kind of verdict, one study or two; of one of them the votes, looked at once, would say something else.
#[test]
fn a_study_says_one_thing_everywhere() {
    use VerdictKind::{ClearWinner, GoodEnough, NotEnough, Tie};
    let three = ["Ash", "Elm", "Yew"];
    let cases: [(&[&str], &[Wins], VerdictKind); 7] = [
        (&three, &[(0, 1, 180, 20), (0, 2, 190, 10), (1, 2, 120, 80)], ClearWinner),
        (&three[..2], &[(1, 0, 90, 10)], ClearWinner),
        (&three[..2], &[(0, 1, 230, 170)], GoodEnough),
        (&three, &[(0, 1, 300, 300), (0, 2, 420, 180), (1, 2, 420, 180)], Tie),
        (&three[..2], &[(0, 1, 2_000, 2_000)], Tie),
        (&three, &[(0, 1, 6, 4), (1, 2, 6, 4), (0, 2, 6, 4)], NotEnough),
        (&three[..2], &[(0, 1, 24, 12)], NotEnough),
    ];
    let mut otherwise = 0;
    for (titles, votes, kind) in cases {
        let mut state = study(titles);
        cast(&mut state, 1, votes);
        look_now(&mut state);
        says_one_thing(&state, titles, kind);
        let evidence = Evidence::of(&state).unwrap();
        let options = RankOptions::default().with_margin(0.1);
        let once = rank(&evidence.ballots, &borduel_rank::ranking::Model::OneHot, &options).unwrap();
        otherwise += usize::from(once.verdict.kind != kind);
        // Votes that no look has seen yet change scores, and not what is said.
        cast(&mut state, 2, &[(0, 1, 0, 3)]);
        says_one_thing(&state, titles, kind);
    }
    assert!(otherwise >= 1, "a look that holds only once says the same of all");
}
