//! Commands made at random from the program's own help, and experiment files that went wrong at random: whatever a user
//! writes, the program ends by itself, with a code it documents, within its memory and time, and prints no number that
//! is none.

mod common;

use borduel::stream::{Stream, stream};
use borduel_testing::mutate::{Budget, corpus, keep, mutated, seed};
use common::User;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The most address space, in MiB, and the most CPU seconds that a command on small files may take; and, should it wait
/// for something that never comes, the most time.
const MOST_MEMORY: u64 = 4096;
const MOST_SECONDS: u64 = 60;
const MOST_TIME: Duration = Duration::from_mins(10);

/// An option of a command: its name, and what may stand behind it.
struct Flag {
    name: String,
    value: Option<String>,
    choices: Vec<String>,
}

/// The options that `--help` lists.
fn flags(help: &str) -> Vec<Flag> {
    let mut flags: Vec<Flag> = Vec::new();
    for line in help.lines() {
        let text = line.trim_start();
        let option = text.find("--").filter(|&at| at == 0 || (at == 4 && text.starts_with('-')));
        if let Some(at) = option.filter(|_| line.len() - text.len() < 8) {
            let mut words = text[at..].split_whitespace();
            let name = words.next().unwrap_or_default().trim_end_matches("...").to_owned();
            let value = words
                .next()
                .filter(|word| word.starts_with('<'))
                .map(|word| word.trim_matches(['<', '>', '.']).to_owned());
            flags.push(Flag { name, value, choices: Vec::new() });
        } else if let Some(flag) = flags.last_mut() {
            if let Some(choice) = text.strip_prefix("- ") {
                flag.choices.extend(choice.split([':', ' ']).next().map(str::to_owned));
            } else if let Some(list) = text.split_once("[possible values: ").map(|(_, list)| list.trim_end_matches(']'))
            {
                flag.choices.extend(list.split(", ").map(str::to_owned));
            }
        }
    }
    flags.retain(|flag| !matches!(flag.name.as_str(), "--help" | "--version"));
    assert!(flags.len() > 5, "the help is not understood:\n{help}");
    flags
}

const FILES: &[(&str, &str)] = &[
    (
        "votes.csv",
        "voter,left,right,winner\nv,ash,birch,left\nv,birch,cedar,tie\nw,cedar,ash,right\nw,ash,birch,right\n\
            x,cedar,birch,left\n",
    ),
    (
        "arena.jsonl",
        "{\"model_a\":\"ash\",\"model_b\":\"birch\",\"winner\":\"model_a\"}\n\
            {\"model_a\":\"cedar\",\"model_b\":\"ash\",\"winner\":\"tie (bothbad)\"}\n",
    ),
    ("ties.csv", "left,right,winner\nash,birch,tie\nbirch,cedar,tie\ncedar,ash,tie\n"),
    ("counts.csv", "left,right,left_wins,right_wins,ties\nash,birch,3,1,2\nbirch,cedar,0,4,0\n"),
    ("weights.csv", "winner,loser,weight\nash,birch,1e60\nbirch,ash,1e-60\nash,cedar,1\n"),
    (
        "ranking.soi",
        "# ALTERNATIVE NAME 1: ash\n# ALTERNATIVE NAME 2: birch\n# ALTERNATIVE NAME 3: cedar\n3: 1,2\n1: {2,3},1\n\
            2: 3\n",
    ),
    ("matrix.csv", ",ash,birch,cedar\nash,0,3,2\nbirch,1,0,4\ncedar,0,2,0\n"),
    ("one.csv", "winner,loser\nash,birch\n"),
    ("soft.csv", "left,right,outcome\nash,birch,0.7\n"),
    ("apart.csv", "winner,loser\nash,birch\ncedar,dogwood\n"),
    ("names.csv", "winner,loser\n\"a\u{1b}[31m\",\"=1+1\"\n\"=1+1\",\"b\nc\"\n\u{202e}x,<script>\n"),
    ("header.csv", "left,right,winner\n"),
    ("empty.csv", ""),
    ("items.csv", "id,name,feat_x,feat_y\nash,Ash,1,0\nbirch,Birch,2,1e-300\ncedar,,3,5\n"),
    ("bare.csv", "id\nash\nbirch\ncedar\n"),
    ("same.csv", "id,feat_x\nash,1\nbirch,1\ncedar,1\n"),
    ("pairs.csv", "left,right,feat_d,cost\nash,birch,1,2\nash,cedar,2,1\nbirch,cedar,0.5,3\n"),
    (
        "e.toml",
        "version = 1\nname = \"e\"\nseed = 1\nhorizons = [200]\nruns = 2\n[[environments]]\nkind = \"hard\"\nd = \
         3\n[[policies]]\npolicy = \"uniform\"\n[[policies]]\npolicy = \"bexp3\"\n",
    ),
];

fn pick<'a>(values: &[&'a str], stream: &mut Stream) -> &'a str {
    values[stream.below(values.len())]
}

fn file(stream: &mut Stream) -> String {
    if stream.below(10) == 0 {
        return pick(&["nowhere.csv", ".", "/dev/null", "", "-"], stream).to_owned();
    }
    if stream.below(3) == 0 {
        return pick(&["votes.csv", "counts.csv"], stream).to_owned();
    }
    FILES[stream.below(FILES.len())].0.to_owned()
}

/// Who always says left, who says nothing, and who is not there.
const JUDGES: &[&str] = &["sed -u 's/\"left\".*/\"answer\": \"left\"}/'", "cat", "true", "nowhere"];

/// A value for an option, mostly of the kind that its help asks for.
fn value(flag: &Flag, kind: &str, stream: &mut Stream) -> String {
    if !flag.choices.is_empty() && stream.below(8) > 0 {
        return flag.choices[stream.below(flag.choices.len())].clone();
    }
    let output = matches!(flag.name.as_str(), "--html" | "--rejected" | "--out");
    // What may rightly take for ever is asked for in small, or in a way that must be refused.
    let lasting = matches!(flag.name.as_str(), "--horizon" | "--runs" | "--bootstrap" | "--budget");
    match kind {
        _ if lasting => {
            pick(&["1", "2", "20", "0", "-1", "abc", "9223372036854775807", "18446744073709551616"], stream).to_owned()
        }
        _ if output => pick(&["out", "page.html", "no/such/folder/x", "."], stream).to_owned(),
        "FILE" | "VOTES" => file(stream),
        "COLUMN" => pick(&["left", "right", "winner", "loser", "voter", "1", "2", "none", "nowhere", "weight"], stream)
            .to_owned(),
        "WORD" => pick(&["left", "1", "-1", "tie", "", "ash"], stream).to_owned(),
        "A,B" => pick(&["ash,birch", "ash,ash", "ash", ",", "x,y"], stream).to_owned(),
        "ITEM" => pick(&["ash", "birch", "nobody", ""], stream).to_owned(),
        "CMD" => pick(JUDGES, stream).to_owned(),
        "CHARACTER" => pick(&[",", ";", " ", "é", "ab"], stream).to_owned(),
        _ if stream.below(2) == 0 => pick(&["1", "2", "3", "10", "50", "95", "0.95"], stream).to_owned(),
        _ => pick(
            &[
                "0",
                "99.9",
                "100",
                "-1",
                "nan",
                "inf",
                "1e308",
                "1e-320",
                "abc",
                "",
                "4294967296",
                "9223372036854775807",
                "18446744073709551615",
                "18446744073709551616",
            ],
            stream,
        )
        .to_owned(),
    }
}

/// A command that a user might write.
fn command(helps: &[(&str, Vec<Flag>)], stream: &mut Stream) -> Vec<String> {
    let (name, flags) = &helps[[0, 0, 0, 1, 1, 2, 3, 4][stream.below(8)]];
    let mut words = vec![(*name).to_owned()];
    match *name {
        "rank" => words.extend((0..=stream.below(2)).map(|_| file(stream))),
        "design" => {
            let items = pick(&["items.csv", "bare.csv", "same.csv", "pairs.csv"], stream);
            words.extend(["--items".to_owned(), items.to_owned(), "--budget".to_owned()]);
            words.push(pick(&["0", "1", "7", "60", "1e4", "-3"], stream).to_owned());
        }
        "run" => words.extend(["e.toml", "--horizon", "100", "--out", "out"].map(str::to_owned)),
        "reproduce" => {
            words.push(pick(&["hard", "eventtime", "adversarial", "scaling", "all"], stream).to_owned());
            words.extend(["--horizon", "50", "--runs", "1", "--out", "out"].map(str::to_owned));
        }
        _ => {
            let items = pick(&["items.csv", "bare.csv", "same.csv"], stream);
            words.extend(["--items", items, "--votes", "log.csv", "--budget", "40", "--judge"].map(str::to_owned));
            words.push(pick(JUDGES, stream).to_owned());
        }
    }
    for _ in 0..stream.below(4) {
        let flag = &flags[stream.below(flags.len())];
        words.push(flag.name.clone());
        words.extend(flag.value.as_ref().map(|kind| value(flag, kind, stream)));
    }
    words
}

/// Runs the program within its memory and its time.
fn run(user: &User, words: &[String]) -> Result<Output, String> {
    let mut shell = Command::new("sh");
    let script = format!("ulimit -t {MOST_SECONDS}; ulimit -v {} 2>/dev/null; exec \"$0\" \"$@\"", MOST_MEMORY * 1024);
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_borduel")]).args(words).current_dir(user.path("."));
    let log = |name: &str| std::fs::File::create(user.path(name)).unwrap();
    let mut child = shell
        .stdin(Stdio::null())
        .stdout(log("stdout"))
        .stderr(log("stderr"))
        .env("RUST_BACKTRACE", "1")
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > MOST_TIME => {
                child.kill().unwrap();
                child.wait().unwrap();
                return Err(format!("is not done after {MOST_TIME:?}"));
            }
            None => std::thread::sleep(Duration::from_millis(3)),
        }
    };
    Ok(Output { status, stdout: user.read("stdout"), stderr: user.read("stderr") })
}

/// What is wrong with how the program ended.
fn fault(output: &Output, json: bool) -> Option<String> {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let tail: String = err.lines().take(12).collect::<Vec<_>>().join("\n");
    match output.status.code() {
        None => return Some(format!("was ended by a signal ({}): {tail}", output.status)),
        Some(0 | 2 | 3 | 4) => {}
        Some(code) => return Some(format!("exits with {code}: {tail}")),
    }
    let word = |word: &str| out.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    if word("NaN") || word("inf") {
        return Some(format!("prints a number that is none: {out}"));
    }
    // JSON has no such numbers, so that reading it is the test.
    if json
        && output.status.success()
        && !out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    {
        let whole = serde_json::from_str::<serde_json::Value>(&out);
        return whole.err().map(|error| format!("prints JSON that is none ({error})"));
    }
    None
}

fn user() -> User {
    let user = User::new();
    FILES.iter().for_each(|(name, text)| user.write(name, text));
    user
}

#[test]
fn two_hundred_commands_at_random() {
    let home = user();
    let helps: Vec<(&str, Vec<Flag>)> = ["rank", "design", "run", "reproduce", "find"]
        .into_iter()
        .map(|name| (name, flags(&home.succeeds(&format!("{name} --help")))))
        .collect();
    let mut budget = Budget::new(200);
    let mut faults = Vec::new();
    let mut done = [0; 5];
    while let Some(number) = budget.next_input() {
        let mut choices = stream(seed(), &[number as u64, 1]);
        let words = command(&helps, &mut choices);
        let user = user();
        match run(&user, &words) {
            Ok(output) => {
                let json = words.windows(2).any(|pair| pair == ["--format", "json"]);
                let code = output.status.code().unwrap_or(1).unsigned_abs() as usize;
                done[code.min(4)] += 1;
                faults.extend(fault(&output, json).map(|what| format!("borduel {}\n    {what}", words.join(" "))));
            }
            Err(what) => faults.push(format!("borduel {}\n    {what}", words.join(" "))),
        }
    }
    println!("{} commands: exit codes 0 to 4 and above {done:?}", budget.done());
    assert!(faults.is_empty(), "BORDUEL_FUZZ_SEED={}: {} faults\n{}", seed(), faults.len(), faults.join("\n"));
    assert!(
        done[0] * 10 >= budget.done() && done[2] > 0 && done[3] > 0,
        "the grammar makes hardly any sense: {done:?}"
    );
}

#[test]
fn experiment_files_that_went_wrong() {
    let files: Vec<Vec<u8>> = corpus(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/experiments"))
        .into_iter()
        .map(|(_, bytes)| bytes)
        .collect();
    let mut budget = Budget::new(files.len() + 60);
    while let Some(number) = budget.next_input() {
        let mut choices = stream(seed(), &[number as u64, 2]);
        let bytes = match files.get(number) {
            Some(bytes) => bytes.clone(),
            None => mutated(&files[choices.below(files.len())], &files, &mut |n| choices.below(n)),
        };
        let user = user();
        std::fs::write(user.path("mine.toml"), &bytes).unwrap();
        let words =
            ["run", "mine.toml", "--out", "out", "--quiet", "--horizon", "50", "--runs", "1"].map(str::to_owned);
        let what = run(&user, &words).map_or_else(Some, |output| fault(&output, false));
        if let Some(what) = what {
            let place = keep(&format!("experiment-{number}.toml"), &bytes);
            panic!("experiment {number} (BORDUEL_FUZZ_SEED={}, {place}): {what}", seed());
        }
    }
    println!("{} experiment files", budget.done());
}
