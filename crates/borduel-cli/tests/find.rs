//! `borduel find` as a stranger runs it: with a program that answers, killed and started again, and at a terminal.

mod common;

use common::{User, answer};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Items 0 to 4, of which smaller ones are better.
fn items() -> String {
    (0..5).fold("id,name\n".to_owned(), |text, i| text + &format!("{i},Item {i}\n"))
}

/// A judge in plain shell, with random numbers of its own: it answers `batch` questions at a time, the last one first.
fn judge(batch: usize) -> String {
    let mut script = "s=12345\nwhile read -r first; do\nlines=$first\n".to_owned();
    for _ in 1..batch {
        script += "read -r more && lines=\"$more\n$lines\"\n";
    }
    script
        + r#"printf '%s\n' "$lines" | { while read -r line; do
q=${line#*\"q\":}; q=${q%%,*}
l=${line#*\"left\":\"}; l=${l%%\"*}
r=${line#*\"right\":\"}; r=${r%%\"*}
s=$(( (s * 1103515245 + 12345 + q) % 2147483648 )); u=$(( s / 65536 % 100 ))
if [ "$u" -lt $(( 50 + 12 * (r - l) )) ]; then a=left; else a=right; fi
printf '{"q": %s, "answer": "%s"}\n' "$q" "$a"
done; }
done
"#
}

fn home(batch: usize) -> User {
    let user = User::new();
    user.write("items.csv", &items());
    user.write("judge.sh", &judge(batch));
    user
}

const LINE: [&str; 7] = ["find", "--items", "items.csv", "--votes", "log.csv", "--judge", "sh judge.sh"];

fn run(user: &User, more: &[&str]) -> common::Answer {
    answer(&user.command("").args(LINE).args(more).output().unwrap())
}

fn rows(user: &User) -> Vec<String> {
    let text = std::fs::read_to_string(user.path("log.csv")).unwrap_or_default();
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_judge_answers_in_any_order_and_the_winner_is_found() {
    let user = home(3);
    let found = run(&user, &["--open", "6", "--format", "json"]);
    assert_eq!(found.code, 0, "{}", found.err);
    let object: Value = serde_json::from_str(&found.out).unwrap();
    let keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["items", "verdict", "votes"]);
    assert_eq!(object["verdict"]["kind"], "clear-winner", "{object}");
    assert_eq!(object["verdict"]["winners"], serde_json::json!(["0"]));
    assert!(object["verdict"]["text"].as_str().unwrap().starts_with("Winner: Item 0 "), "{object}");
    assert_eq!(object["votes"].as_u64().unwrap() as usize, rows(&user).len());
    let first = &object["items"][0];
    assert_eq!((first["item"].as_str(), first["name"].as_str()), (Some("0"), Some("Item 0")));
    let number = |path: &str| first.pointer(path).unwrap().as_f64().unwrap();
    assert!(number("/borda/low") < number("/borda/estimate") && number("/borda/estimate") < number("/borda/high"));
    // The log is a file of votes like any other; questions that followed the answers need the other kind of verdict.
    let plain: Value = serde_json::from_str(&user.succeeds("rank log.csv --format json -q")).unwrap();
    let careful = user.succeeds("rank log.csv --items items.csv --sequential --format json -q");
    let careful: Value = serde_json::from_str(&careful).unwrap();
    assert_eq!(careful["verdict"]["kind"], "clear-winner");
    let width = |report: &Value| {
        let borda = &report["items"][0]["borda"];
        borda["high"].as_f64().unwrap() - borda["low"].as_f64().unwrap()
    };
    assert!(width(&careful) > width(&plain), "{} {}", width(&careful), width(&plain));
    // Once decided, the same command asks nothing more and says the same.
    let before = rows(&user).len();
    let again = run(&user, &["--format", "json"]);
    assert_eq!((again.code, rows(&user).len()), (0, before), "{}", again.err);
    assert_eq!(run(&user, &["--format", "json"]).out, again.out);
}

#[test]
fn a_kill_loses_nothing_that_was_answered() {
    let user = home(1);
    let mut child = user.command("").args(LINE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while rows(&user).len() < 15 && start.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = rows(&user);
    assert!(kept.len() >= 15, "{}", kept.len());
    // A row cut short, as a crash of the machine would leave it.
    let mut file = std::fs::OpenOptions::new().append(true).open(user.path("log.csv")).unwrap();
    file.write_all(b"999,0,1,le").unwrap();
    let resumed = run(&user, &["--format", "json"]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    assert!(
        resumed.err.contains("the last row was not whole") && resumed.err.contains("goes on from"),
        "{}",
        resumed.err
    );
    assert_eq!(rows(&user)[..kept.len() - 1], kept[..kept.len() - 1]);
    assert!(rows(&user).iter().all(|row| row.split(',').count() == 4));
}

#[test]
fn a_budget_that_is_too_small_ends_with_code_4() {
    let user = home(1);
    let ended = run(&user, &["--budget", "12"]);
    assert_eq!((ended.code, rows(&user).len()), (4, 12), "{}", ended.err);
    assert!(ended.out.starts_with("Not enough votes: "), "{}", ended.out);
    assert!(ended.err.contains("the budget of 12 answers did not decide it"), "{}", ended.err);
}

#[test]
fn judges_that_do_not_keep_to_the_rules_are_told() {
    let user = home(1);
    for (program, part) in [
        ("head -n 1", "which is not an answer"),
        (r#"while read -r l; do echo '{"q": 1, "answer": "maybe"}'; done"#, "left, right, tie, both-bad or skip"),
        (r#"while read -r l; do echo '{"q": 77, "answer": "tie"}'; done"#, "question 77 is not open"),
        ("true", "the judge ended"),
    ] {
        let refused =
            answer(&user.command("find --items items.csv --votes other.csv --judge").arg(program).output().unwrap());
        assert_eq!(refused.code, 3, "{program}: {}", refused.err);
        assert!(refused.err.contains(part), "{program}: {}", refused.err);
    }
    let usage = answer(&user.command("find --items items.csv --votes items.csv --judge true").output().unwrap());
    assert!(usage.code == 2 && usage.err.contains("votes need a file of their own"), "{}", usage.err);
    let nobody = answer(&user.command("find --items items.csv --votes log.csv").stdin(Stdio::null()).output().unwrap());
    assert!(nobody.code == 2 && nobody.err.contains("--judge"), "{}", nobody.err);
    let top = answer(&user.command("find --items items.csv --votes log.csv --top 5 --judge true").output().unwrap());
    assert!(top.code == 2 && top.err.contains("top = 5"), "{}", top.err);
}

#[test]
fn keys_at_a_terminal() {
    let user = home(1);
    let command = format!("'{}' find --items items.csv --votes log.csv", env!("CARGO_BIN_EXE_borduel"));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).current_dir(user.path(""));
    script.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = script.spawn() else {
        eprintln!("skipped: there is no `script` (util-linux) on this machine to play a terminal");
        return;
    };
    let mut keys = child.stdin.take().unwrap();
    // Left, right, tie, skip, undo of the skip, both bad, stop.
    for key in ["\u{1b}[D", "\u{1b}[C", "t", "s", "u", "b", "q"] {
        std::thread::sleep(Duration::from_millis(400));
        keys.write_all(key.as_bytes()).unwrap();
        keys.flush().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let drawn = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{drawn}");
    let words: Vec<String> = rows(&user).iter().map(|row| row.rsplit(',').next().unwrap().to_owned()).collect();
    assert_eq!(words, ["left", "right", "tie", "both-bad"], "{drawn}");
    for part in ["← left", "Item ", "undone", "Not enough votes"] {
        assert!(drawn.contains(part), "{part:?} is missing in {drawn}");
    }
}
