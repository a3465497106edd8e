//! Every JSON that the program prints is what `docs/schemas` says, and nothing is described that it does not print.

mod common;

use borduel_testing::schema::Schemas;
use common::User;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Votes of forty voters on three trees, in prompts, languages and months; one row is about two that nobody else met.
fn battles() -> String {
    let mut text = "model_a,model_b,winner,judge,language,length_a,length_b,day,prompt,took\n".to_owned();
    let trees = ["ash", "birch", "cedar"];
    for n in 0..1_200_usize {
        let (i, j) = (n % 3, (n + 1 + n / 3 % 2) % 3);
        let strengths = if n % 4 < 2 { [6, 3, 2] } else { [1, 3, 2] };
        let (a, b) = (50 + n * 31 % 60, 50 + n * 17 % 60);
        let left = 100 * strengths[i] / (strengths[i] + strengths[j]) + a / 4;
        let winner = match n * 7_919 % 100 {
            _ if n % 11 == 0 => "tie",
            lot if lot < left.saturating_sub(b / 4) => "model_a",
            _ => "model_b",
        };
        let language = if n % 4 < 2 { "en" } else { "de" };
        text += &format!(
            "{},{},{winner},j{},{language},{a},{b},2024-{:02}-{:02},p{},{}\n",
            trees[i],
            trees[j],
            n % 40,
            1 + n / 100 % 12,
            1 + n % 28,
            n / 7 % 12,
            900 + n * 13 % 500,
        );
    }
    text + "elm,fir,model_a,j1,en,1,2,2024-05-01,p1,900\n"
}

/// Twenty voters who agree and twenty who vote by chance.
fn clickers() -> String {
    let mut text = "voter,left,right,winner\n".to_owned();
    for n in 0..2_400_usize {
        let (voter, i) = (n % 40, n / 40 % 4);
        let j = (i + 1 + n / 160 % 3) % 4;
        let left = if voter < 20 { (i < j) == (n % 13 > 0) } else { n * 7_919 % 101 < 50 };
        text += &format!("v{voter},{i},{j},{}\n", if left { "left" } else { "right" });
    }
    text
}

/// A judge's answers to all pairs of trees on all prompts, who likes one of them on every other prompt.
fn on_every_prompt() -> String {
    let mut text = "model_a,model_b,winner,judge,prompt\n".to_owned();
    for prompt in 0..12 {
        for (a, b) in [("ash", "birch"), ("ash", "cedar"), ("birch", "cedar")] {
            for twice in 0..2 {
                let winner = if (prompt + twice) % 3 == 0 { "model_b" } else { "model_a" };
                text += &format!("{a},{b},{winner},gpt,p{prompt}\n");
            }
        }
    }
    text
}

struct Held {
    user: User,
    schemas: Schemas,
}

impl Held {
    fn new() -> Self {
        Self { user: User::new(), schemas: Schemas::read(&docs().join("schemas")) }
    }

    /// What the command prints is what the schema says.
    fn prints(&self, line: &str, schema: &str) -> Value {
        let answer = self.user.borduel(line);
        assert!([0, 4].contains(&answer.code), "borduel {line}: {}", answer.err);
        self.is(&answer.out, schema, line)
    }

    fn is(&self, text: &str, schema: &str, what: &str) -> Value {
        let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{what}: {error}: {text}"));
        self.schemas.hold(schema, &value).unwrap_or_else(|why| panic!("{what}: {why}"));
        value
    }
}

/// What need not be printed by the commands of these tests: where the part of a schema begins, and who prints it.
const ELSEWHERE: &[(&str, &str)] = &[
    ("find.schema.json#/properties/control", "a search in contexts, of a program that answers: see `find_contexts.rs`"),
    ("find.schema.json#/properties/judge", "a search in contexts, of two programs that answer: see `find_contexts.rs`"),
    ("judge.schema.json#/properties/paid", "questions that both answered on contexts: see `findings.rs`"),
    ("ranking.schema.json#/$defs/finding/oneOf/12", "the server alone knows networks"),
    ("ranking.schema.json#/$defs/without-bursts", "the server alone knows networks"),
    ("ranking.schema.json#/$defs/forecast/oneOf/2", "a million votes and more on level items"),
    ("study-log.schema.json#/$defs/event/oneOf/16", "a voter on a page who wants to go on"),
    ("study-log.schema.json#/$defs/event/oneOf/22/properties/judged/properties/about", "verdicts on contexts"),
    ("study-log.schema.json#/$defs/scope", "verdicts on contexts"),
    ("study-log.schema.json#/$defs/event/oneOf/3/properties/item-added/properties/features", "items with features"),
    ("study-log.schema.json#/$defs/event/oneOf/19/properties/answered/properties/further", "several criteria"),
    ("study-log.schema.json#/$defs/said", "several criteria"),
    ("study-log.schema.json#/$defs/event/oneOf/22/properties/judged/properties/criterion", "several criteria"),
    ("study-vote.schema.json#/properties/context", "studies with contexts"),
    ("study-vote.schema.json#/properties/criterion", "studies with several criteria"),
];

#[test]
fn what_is_printed_is_what_the_schemas_say_and_they_say_no_more() {
    let held = Held::new();
    let user = &held.user;
    user.write("battles.csv", &battles());
    user.write("items.csv", "id,name\nash,Ash tree\nbirch,\ncedar,\nelm,\nfir,\noak,\n");
    let few: String = battles().lines().take(60).fold(String::new(), |text, line| text + line + "\n");
    user.write("few.csv", &few);
    user.write(
        "judge.csv",
        &few.replace(",model_b,j", ",model_a,j")
            .replace(",j", ",g")
            .replace("model_b,winner,gudge", "model_b,winner,judge"),
    );

    // Rankings.
    let plain = user.succeeds("rank battles.csv --format json -q");
    held.is(&plain, "ranking.schema.json", "rank");
    user.write("old.json", &plain);
    for flags in [
        "battles.csv --items items.csv --strength --chances --ties model --adjust length_a-length_b --by language \
         --over day --compare old.json",
        "few.csv --about such",
        "few.csv --hint judge.csv",
        "battles.csv --took took --voters weigh",
        "battles.csv --sequential --about ignore",
        "battles.csv --model counts",
    ] {
        held.prints(&format!("rank {flags} --format json -q"), "ranking.schema.json");
    }

    // Two level items, which no number of votes tells apart, and of which no fit can be tested.
    user.write("level.csv", "winner,loser,count\nash,elm,50000\nelm,ash,50000\n");
    held.prints("rank level.csv --margin 0.001 --format json -q", "ranking.schema.json");
    // A language without an answer, of which no ranking is made.
    user.write("one.csv", &(battles() + "ash,birch,skip,j1,fr,1,2,2024-05-01,p1,900\n"));
    held.prints("rank one.csv --by language --format json -q", "ranking.schema.json");
    // Voters of whom half vote by chance.
    user.write("clickers.csv", &clickers());
    held.prints("rank clickers.csv --format json -q", "ranking.schema.json");
    // A judge that answers every pair on every prompt.
    user.write("all.csv", &on_every_prompt());
    held.prints("rank battles.csv --about these --hint all.csv --format json -q", "ranking.schema.json");

    // Judges, boards and plans.
    held.prints("judge few.csv judge.csv --judge-is ash --format json -q", "judge.schema.json");
    user.write("board.csv", "item\ncedar\nash\nbirch\noak\n");
    held.prints("check battles.csv --published board.csv --over day --format json -q", "check.schema.json");
    held.prints("check level.csv --format json -q", "check.schema.json");
    user.write("scores.csv", "item,score\nash,3\nbirch,2\ncedar,1\n");
    let plan = "design --votes few.csv --hint scores.csv --budget 30 --format json -q";
    held.prints(plan, "design.schema.json");
    user.write("prompts.csv", "id\np0\np1\n");
    held.prints("design --items items.csv --contexts prompts.csv --budget 9 --format json -q", "design.schema.json");

    // A search that has ended: its log has all the answers that it may ask for.
    let log = (1..=40).fold("question,left,right,winner\n".to_owned(), |log, n| {
        let right = if n % 2 == 0 { "birch" } else { "cedar" };
        log + &format!("{n},ash,{right},{}\n", if n % 5 == 0 { "right" } else { "left" })
    });
    user.write("log.csv", &log);
    user.write("three.csv", "id\nash\nbirch\ncedar\n");
    let find = "find --items three.csv --votes log.csv --judge true --budget 40 --hint scores.csv --format json -q";
    held.prints(find, "find.schema.json");

    // Experiments.
    let small = "--horizon 2000 --runs 2 -q --format json";
    held.prints(&format!("reproduce --d 3 {small} --out hard"), "results.schema.json");
    held.is(&String::from_utf8(user.read("hard/results.json")).unwrap(), "results.schema.json", "results.json");
    let several = "reproduce scaling --policies bexp3,etc-borda --horizon 300,600 --runs 2 -q --format json";
    held.prints(several, "results.schema.json");
    user.write(
        "world.toml",
        "horizons = [400]\nruns = 2\nregrets = [\"borda\", \"copeland\"]\npolicies = \
        [\"uniform\", \"bexp3\"]\n[feedback]\nflipped = 9\nlost = 0.1\ntiming = { kind = \"delayed\", least = 1, most \
        = 5 }\n[[environments]]\nkind = \"hard\"\nd = 3\n",
    );
    held.prints("run world.toml -q --format json", "results.schema.json");
    user.write(
        "batches.toml",
        "horizons = [400]\nruns = 2\npolicies = [\"uniform\"]\n[feedback]\ntiming = { kind = \
        \"batched\", size = 7 }\n[[environments]]\nkind = \"hard\"\nd = 3\n",
    );
    held.prints("run batches.toml -q --format json", "results.schema.json");

    #[cfg(feature = "studies")]
    studies(&held);

    let never = held.schemas.never_met();
    let elsewhere = |key: &String| ELSEWHERE.iter().any(|(start, _)| key.starts_with(start));
    let nowhere: Vec<&String> = never.iter().filter(|key| !elsewhere(key)).collect();
    assert!(!cfg!(feature = "studies") || nowhere.is_empty(), "described, and printed by no command: {nowhere:#?}");
}

/// What is done to a ranking, and what its schema says of it.
type Change = (fn(&mut Value), &'static str);

#[test]
fn what_is_no_ranking_is_refused_by_its_schema() {
    let held = Held::new();
    held.user.write("votes.csv", "winner,loser,count\nash,elm,9\nelm,ash,3\n");
    let plain: Value = serde_json::from_str(&held.user.succeeds("rank votes.csv --format json -q")).unwrap();
    held.schemas.hold("ranking.schema.json", &plain).unwrap();
    let refused = |change: fn(&mut Value)| {
        let mut other = plain.clone();
        change(&mut other);
        held.schemas.hold("ranking.schema.json", &other).unwrap_err()
    };
    let changes: [Change; 6] = [
        (|ranking| ranking["version"] = 3.into(), "/version is not 2"),
        (|ranking| ranking["news"] = 1.into(), "/news is not described"),
        (|ranking| drop(ranking.as_object_mut().unwrap().remove("items")), "lacks items"),
        (|ranking| ranking["seed"] = "one".into(), "/seed is no"),
        (|ranking| ranking["verdict"]["kind"] = "winner".into(), "/verdict/kind is none of those listed"),
        (|ranking| ranking["checks"][0]["found"]["check"] = "odd".into(), "/checks/0/found fits none"),
    ];
    for (change, why) in changes {
        let said = refused(change);
        assert!(said.contains(why), "{why}: {said}");
    }
}

/// The page that lists the schemas lists all of them, and versions are those of the schemas.
#[test]
fn every_schema_is_listed_with_its_version() {
    let page = std::fs::read_to_string(docs().join("reference/schemas.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.contains(".schema.json")).collect();
    for (file, schema) in Schemas::read(&docs().join("schemas")).files() {
        let row = rows.iter().find(|row| row.contains(&format!("(../schemas/{file})")));
        let row = row.unwrap_or_else(|| panic!("{file} is not on the page"));
        let title = schema["title"].as_str().unwrap();
        let version = title.rsplit(' ').next().unwrap();
        assert!(title.starts_with("A vote of") || row.contains(&format!("| {version} |")), "{row}: {title}");
        assert!(schema["$schema"].as_str().unwrap().contains("2020-12"), "{file}");
    }
}

/// What a study exports, line by line.
#[cfg(feature = "studies")]
fn studies(held: &Held) {
    let user = &held.user;
    user.succeeds("study create trees --items items.csv --set grades=true");
    user.succeeds("study import trees few.csv");
    user.succeeds("study import trees judge.csv --hint");
    user.succeeds("study open trees");
    for (file, schema) in [("votes.jsonl", "study-vote.schema.json"), ("log.jsonl", "study-log.schema.json")] {
        let text = user.succeeds(&format!("study export trees {file}"));
        assert!(text.lines().count() > 1, "{file}: {text}");
        text.lines().for_each(|line| drop(held.is(line, schema, file)));
    }
    // The logs of every format that there has been.
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../borduel-study/tests/golden");
    let mut logs: Vec<PathBuf> = std::fs::read_dir(golden).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    assert!(logs.len() >= 7, "{logs:?}");
    for path in logs {
        let name = path.display().to_string();
        let named = name.split("format-").nth(1).and_then(|rest| rest[..1].parse().ok());
        let mut hash = borduel_study::event::Hash::default();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let entry: Value = serde_json::from_str(line).unwrap();
            let number = |key: &str| entry[key].as_u64().unwrap();
            let entry = borduel_study::event::Entry {
                first: number("first"),
                last: number("last"),
                at: entry["at"].as_i64().unwrap(),
                format: entry["format"].as_u64().map_or(named, |format| u32::try_from(format).ok()).unwrap(),
                body: entry["body"].as_str().unwrap().to_owned(),
            };
            let exported = borduel_study::export::Line::new(&entry, &mut hash).unwrap();
            held.is(&serde_json::to_string(&exported).unwrap(), "study-log.schema.json", &name);
        }
    }
}
