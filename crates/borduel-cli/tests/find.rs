//! `borduel find` as a stranger runs it: with a program that answers, killed and started again, and at a terminal.

mod common;

use common::{User, answer};
use serde_json::Value;
use std::collections::HashSet;
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
    let found = run(&user, &["--open", "6", "--until", "clear", "--format", "json"]);
    assert_eq!(found.code, 0, "{}", found.err);
    let object: Value = serde_json::from_str(&found.out).unwrap();
    let keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["items", "verdict", "version", "votes"]);
    assert_eq!(object["verdict"]["kind"], "clear-winner", "{object}");
    assert_eq!(object["verdict"]["winners"], serde_json::json!(["0"]));
    assert!(object["verdict"]["text"].as_str().unwrap().starts_with("Clear winner: Item 0 is better"), "{object}");
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
fn it_stops_where_one_is_good_enough_or_goes_on_until_one_is_clear() {
    let user = home(1);
    // Two that are nearly equal.
    user.write("items.csv", "id,name\n0,Zero\n1,One\n");
    user.write("judge.sh", &judge(1).replace("12 * (r - l)", "4 * (r - l)"));
    let found = run(&user, &["--format", "json"]);
    let object: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!((found.code, object["verdict"]["kind"].as_str()), (0, Some("good-enough")), "{} {object}", found.err);
    let text = object["verdict"]["text"].as_str().unwrap();
    assert!(text.starts_with("Good enough: ") && text.contains("may be just as good"), "{text}");
    assert_eq!(object["verdict"]["winners"].as_array().unwrap().len(), 2);
    assert!(found.err.contains("--until clear"), "{}", found.err);
    let votes = rows(&user).len();
    // The votes are the same, and so is what rank says of them: nothing clear.
    let refused = user.borduel("rank log.csv --items items.csv --sequential --require-winner");
    assert!(refused.code == 4 && refused.out.starts_with("Good enough: "), "{} {}", refused.code, refused.out);
    let further = run(&user, &["--until", "clear", "--budget", &(votes + 100).to_string()]);
    assert_eq!((further.code, rows(&user).len()), (4, votes + 100), "{}", further.err);
    // A hundred more may make it doubtful again; they do not make two that are level clear.
    assert!(further.out.contains("more well-chosen votes would"), "{}", further.out);
    let unknown = run(&user, &["--until", "sure"]);
    assert!(unknown.code == 2 && unknown.err.contains("good-enough, clear"), "{}", unknown.err);
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
    assert_eq!(std::fs::read_to_string(user.path("log.csv.torn")).unwrap(), "999,0,1,le");
}

#[test]
fn a_budget_that_is_too_small_ends_with_code_4() {
    let user = home(1);
    let ended = run(&user, &["--budget", "12"]);
    assert_eq!((ended.code, rows(&user).len()), (4, 12), "{}", ended.err);
    assert!(ended.out.starts_with("Not enough votes: "), "{}", ended.out);
    assert!(ended.err.contains("the budget of 12 answers did not decide it"), "{}", ended.err);
    let less = run(&user, &["--budget", "5"]);
    assert!(less.code == 4 && less.err.contains("12 answers, more than the budget of 5"), "{}", less.err);
}

/// With fewer than ten answers an item to come, the winner of each of the first questions meets the next item.
#[test]
fn a_small_budget_begins_with_a_chain() {
    for (budget, chained) in [("119", true), ("120", false)] {
        let user = home(1);
        user.write("items.csv", &(0..12).fold("id\n".to_owned(), |text, i| text + &format!("{i}\n")));
        run(&user, &["--budget", budget, "--open", "1"]);
        let rows = rows(&user);
        let (mut last, mut seen, mut stays) = (None, HashSet::new(), true);
        for row in &rows[..11] {
            let fields: Vec<&str> = row.split(',').collect();
            let [left, right, winner] = fields[1..4] else { panic!("{row}") };
            stays &= last.is_none_or(|last| [left, right].contains(&last));
            seen.extend([left, right]);
            last = Some(if winner == "left" { left } else { right });
        }
        assert_eq!((stays, chained && seen.len() < 12), (chained, false), "{budget}: {rows:?}");
    }
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

/// Waits until something holds, for as long as the slowest machine may take.
fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
fn signal(process: u32, name: &str) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

/// Whether a process is there and is more than a name in a table.
#[cfg(target_os = "linux")]
fn runs(process: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn only_a_log_is_taken_for_one() {
    let user = home(1);
    for foreign in ["left,right,winner\n0,1,left", "Dear diary,\ntoday I", "question,right,left,winner\n1,0,1,left\n"] {
        user.write("log.csv", foreign);
        let refused = run(&user, &["--budget", "5"]);
        assert!(refused.code == 3 && refused.err.contains("is not a log of borduel find"), "{}", refused.err);
        assert_eq!(std::fs::read_to_string(user.path("log.csv")).unwrap(), foreign);
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_no_logs_and_links_stay() {
    let user = home(1);
    assert!(Command::new("mkfifo").arg(user.path("pipe")).status().unwrap().success());
    std::fs::create_dir(user.path("folder")).unwrap();
    for place in ["pipe", "/dev/full", "/dev/null", "folder"] {
        let line = ["find", "--items", "items.csv", "--votes", place, "--judge", "sh judge.sh"];
        let refused = answer(&user.command("").args(line).output().unwrap());
        assert!(refused.code == 2 && refused.err.contains("is not a file"), "{place}: {}", refused.err);
    }
    std::os::unix::fs::symlink("real.csv", user.path("log.csv")).unwrap();
    run(&user, &["--budget", "5"]);
    assert!(std::fs::symlink_metadata(user.path("log.csv")).unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(user.path("real.csv")).unwrap().lines().count(), 6);
}

#[cfg(unix)]
#[test]
fn two_at_once_on_one_log_are_refused() {
    let user = home(1);
    let first = ["find", "--items", "items.csv", "--votes", "log.csv", "--judge", "sleep 60"];
    let mut child = user.command("").args(first).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("the first has its log", || user.path("log.csv").exists());
    let second = run(&user, &["--budget", "40"]);
    assert!(second.code == 2 && second.err.contains("another borduel is at work here"), "{}", second.err);
    signal(child.id(), "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(run(&user, &["--budget", "4"]).code, 4);
    assert_eq!(rows(&user).len(), 4);
}

#[cfg(unix)]
#[test]
fn judges_that_write_without_end_are_refused_in_a_few_words() {
    let user = home(1);
    for program in [
        "tr '\\0' x < /dev/zero",
        "head -c 50000000 /dev/zero | tr '\\0' x",
        "while :; do echo; done & while :; do echo '?'; done",
    ] {
        let line = ["find", "--items", "items.csv", "--votes", "log.csv", "--judge", program];
        let refused = answer(&user.command("").args(line).output().unwrap());
        assert!(refused.code == 3 && refused.err.contains("the judge wrote"), "{program}: {}", refused.err);
        assert!(refused.err.len() < 1000, "{program}: {} bytes are echoed", refused.err.len());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_a_judge_does_signals_are_heard_and_its_children_end() {
    let user = home(1);
    // It reads nothing; it closes its output and stays; it answers nothing and has children who ignore signals.
    for (at, program) in [
        "echo $$ > pid; sleep 100",
        "echo $$ > pid; exec >&-; sleep 100",
        "sh -c 'trap \"\" TERM INT HUP; echo $$ > pid; while :; do sleep 1; done' & cat > /dev/null",
    ]
    .into_iter()
    .enumerate()
    {
        let _ = std::fs::remove_file(user.path("pid"));
        // Names so long that open questions fill a pipe.
        let long = "x".repeat(2000);
        user.write("long.csv", &(0..40).fold("id\n".to_owned(), |text, i| text + &format!("{i}{long}\n")));
        let log = format!("log{at}.csv");
        let line = ["find", "--items", "long.csv", "--votes", &log, "--open", "200", "--judge", program];
        let mut child = user.command("").args(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pid = || std::fs::read_to_string(user.path("pid")).unwrap_or_default().trim().to_owned();
        wait_for("the judge has begun", || !pid().is_empty());
        std::thread::sleep(Duration::from_millis(200));
        // One that closed its output has ended the session by itself already.
        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
        wait_for(program, || !runs(&child.id().to_string()));
        child.wait().unwrap();
        wait_for("nothing of the judge is left", || !runs(&pid()));
    }
}

#[cfg(unix)]
#[test]
fn an_output_that_nobody_reads_makes_it_deaf_to_no_signal() {
    let user = home(1);
    user.write("many.csv", &(0..400).fold("id\n".to_owned(), |text, i| text + &format!("{i:0>300}\n")));
    let judge = r#"while read -r l; do q=${l#*:}; echo "{\"q\": ${q%%,*}, \"answer\": \"tie\"}"; done"#;
    let line =
        ["find", "--items", "many.csv", "--votes", "log.csv", "--budget", "3", "--format", "json", "--judge", judge];
    let mut child = user.command("").args(line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("all is answered", || rows(&user).len() == 3);
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "120 kB fit into no pipe");
    signal(child.id(), "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn whose_winner_it_is_is_said_and_voters_are_kept() {
    let user = home(1);
    let found = run(&user, &["--format", "json", "-q"]);
    let object: Value = serde_json::from_str(&found.out).unwrap();
    assert!(object["verdict"]["text"].as_str().unwrap().contains("By this judge: "), "{object}");
    assert_eq!(object["verdict"]["voters"], 1);
    let table = run(&user, &["-q"]).out;
    assert!(table.lines().nth(1).unwrap().starts_with("By this judge: "), "{table}");
    // The same judge with a name, and one who asks six people in turn.
    std::fs::remove_file(user.path("log.csv")).unwrap();
    let named = run(&user, &["--voter", "ann", "--budget", "3", "-q"]);
    assert!(named.out.contains("By ann: "), "{}", named.out);
    assert!(rows(&user).iter().all(|row| row.ends_with(",ann")));
    user.write(
        "judge.sh",
        &judge(1)
            .replace("\"answer\": \"%s\"}", "\"answer\": \"%s\", \"voter\": %s}")
            .replace("\"$q\" \"$a\"", "\"$q\" \"$a\" $(( q % 6 ))"),
    );
    let few = run(&user, &["--budget", "4", "-q"]);
    assert!(few.out.contains("Answers of 2 voters cannot speak for others: at least 6 are needed"), "{}", few.out);
    let many = run(&user, &["--budget", "60", "--format", "json", "-q"]);
    let object: Value = serde_json::from_str(&many.out).unwrap();
    assert_eq!(object["verdict"]["voters"], 7, "{object}");
    assert!(rows(&user).iter().skip(3).all(|row| "012345".contains(row.rsplit(',').next().unwrap())));
    let ranked = user.succeeds("rank log.csv --format json -q");
    let ranked: Value = serde_json::from_str(&ranked).unwrap();
    let voters = ranked["checks"].as_array().unwrap().iter().find(|check| check["name"] == "voters").unwrap();
    assert!(voters["text"].as_str().unwrap().contains('7'), "{voters}");
}

#[test]
fn messages_say_what_to_write() {
    let user = home(1);
    for (flags, part) in [
        ("--margin 50", "less than 50 points"),
        ("--margin 0", "more than 0 and less than 100 points"),
        ("--level 50", "more than 50 and less than 100 percent"),
        ("--budget x", "it must be a whole number"),
        ("--seed 1.5", "it must be a whole number"),
    ] {
        let more: Vec<&str> = flags.split(' ').collect();
        let refused = run(&user, &more);
        assert!(refused.code == 2 && refused.err.contains(part), "{flags}: {}", refused.err);
    }
    for (line, part) in [
        ("reproduce --set self-sparring.eta=1e18 --policies self-sparring --horizon 100 --runs 1", "at most 1000"),
        ("reproduce --set uniform.policy=etc-borda --policies uniform --horizon 100 --runs 1", "--policies"),
    ] {
        let refused = answer(&user.command(line).output().unwrap());
        assert!(refused.code == 2 && refused.err.contains(part), "{line}: {}", refused.err);
    }
    let alone = answer(&user.command("").output().unwrap());
    assert!(alone.code == 0 && alone.out.contains("Rank items from a file of votes"), "{}", alone.out);
    user.write("x.xlsx", "PK\u{3}\u{4}anything");
    assert!(answer(&user.command("rank x.xlsx").output().unwrap()).err.contains("save it as CSV"));
}

#[cfg(feature = "studies")]
#[test]
fn messages_about_studies_say_what_to_write() {
    let user = home(1);
    for (line, part) in
        [("serve --listen here", "such as 127.0.0.1:8080"), ("serve --public-url notaurl", "such as https://")]
    {
        let refused = user.borduel(line);
        assert!(refused.code == 2 && refused.err.contains(part), "{line}: {}", refused.err);
    }
    let alone = user.borduel("study");
    assert!(alone.code == 0 && alone.out.contains("back up live studies"), "{}", alone.out);
    user.write("v.csv", "left,right,winner\n0,1,left\n");
    let refused = answer(&user.command("study list --database sqlite:v.csv").output().unwrap());
    assert!(refused.code == 3 && refused.err.contains("is no database of studies"), "{}", refused.err);
    assert_eq!(user.list("."), ["items.csv", "judge.sh", "v.csv"], "nothing is made beside it");
}

#[test]
fn keys_at_a_terminal() {
    let user = home(1);
    let command = format!("'{}' find --items items.csv --votes log.csv --voter ann", env!("CARGO_BIN_EXE_borduel"));
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
    let words: Vec<String> = rows(&user).iter().map(|row| row.split(',').nth(3).unwrap().to_owned()).collect();
    assert_eq!(words, ["left", "right", "tie", "both-bad"], "{drawn}");
    for part in ["← left", "Item ", "undone", "Not enough votes"] {
        assert!(drawn.contains(part), "{part:?} is missing in {drawn}");
    }
    assert!(rows(&user).iter().all(|row| row.ends_with(",ann")), "{drawn}");
}

/// A judge that writes down what it reads, and likes smaller items.
const WRITES_DOWN: &str = r#"while read -r line; do
printf '%s\n' "$line" >> asked.jsonl
q=${line#*\"q\":}; q=${q%%,*}
l=${line#*\"left\":\"}; l=${l%%\"*}
r=${line#*\"right\":\"}; r=${r%%\"*}
if [ "$l" -lt "$r" ]; then a=left; else a=right; fi
printf '{"q": %s, "answer": "%s"}\n' "$q" "$a"
done
"#;

#[test]
fn questions_are_asked_in_contexts_where_both_items_have_something_to_show() {
    let user = User::new();
    user.write("items.csv", &items());
    user.write("judge.sh", WRITES_DOWN);
    user.write("contexts.csv", "id,text\nk8s,How do pods talk?\nsql,\"Joins, please\"\ngit,\n");
    // Item 4 has a text for all contexts and one of its own; item 3 has nothing to show on git.
    let mut contents = "item,context,text\n4,,always\n4,sql,of four\n3,k8s,three\n3,sql,three\n".to_owned();
    for (item, context) in (0..3).flat_map(|item| ["k8s", "sql", "git"].map(|context| (item, context))) {
        contents += &format!("{item},{context},{item} on {context}\n");
    }
    user.write("contents.csv", &contents);
    let with = ["--contexts", "contexts.csv", "--contents", "contents.csv"];
    let first = run(&user, &[&with[..], &["--budget", "40", "--open", "1", "--until", "clear"]].concat());
    let asked = std::fs::read_to_string(user.path("asked.jsonl")).unwrap();
    let asked: Vec<Value> = asked.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut times = std::collections::BTreeMap::new();
    for question in &asked {
        let of = |key: &str| question[key].as_str();
        let (left, right, context) = (of("left").unwrap(), of("right").unwrap(), of("context").unwrap());
        *times.entry((left.min(right).to_owned(), left.max(right).to_owned(), context.to_owned())).or_insert(0) += 1;
        let text = match context {
            "k8s" => Some("How do pods talk?"),
            "sql" => Some("Joins, please"),
            _ => None,
        };
        assert_eq!(of("context_text"), text);
        for (item, key) in [(left, "left_text"), (right, "right_text")] {
            let shown = match (item, context) {
                ("4", "sql") => "of four".to_owned(),
                ("4", _) => "always".to_owned(),
                ("3", "git") => panic!("there is nothing to show: {question}"),
                ("3", _) => "three".to_owned(),
                _ => format!("{item} on {context}"),
            };
            assert_eq!(of(key), Some(shown.as_str()), "{question}");
        }
    }
    // A pair goes through its contexts before it comes back to one.
    for ((left, right, _), most) in &times {
        let contexts = if left == "3" || right == "3" { 2 } else { 3 };
        let of_pair: Vec<i32> =
            times.iter().filter(|(key, _)| (&key.0, &key.1) == (left, right)).map(|x| *x.1).collect();
        let least = if of_pair.len() < contexts { 0 } else { of_pair.iter().copied().min().unwrap() };
        assert!(most - least <= 1, "{left} and {right}: {of_pair:?}");
    }
    assert!(first.out.contains("on these 3 contexts"), "{}", first.out);
    let log = std::fs::read_to_string(user.path("log.csv")).unwrap();
    assert!(log.starts_with("question,left,right,winner,context\n1,"), "{log}");
    // It goes on; and is not touched without its contexts, or with others.
    let next =
        run(&user, &[&with[..], &["--budget", "50", "--voter", "ann", "--about", "such", "--until", "clear"]].concat());
    assert!(next.out.contains("on contexts like these (3 seen)"), "{}", next.out);
    let log = std::fs::read_to_string(user.path("log.csv")).unwrap();
    assert!(log.starts_with("question,left,right,winner,voter,context\n1,") && log.contains(",this judge,"), "{log}");
    let refused = run(&user, &[]);
    assert!(refused.code == 3 && refused.err.contains("name them with --contexts"), "{}", refused.err);
    user.write("contexts.csv", "id\nk8s\ngit\n");
    let refused = run(&user, &["--contexts", "contexts.csv"]);
    assert!(refused.code == 3 && refused.err.contains("is not one of --contexts"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(user.path("log.csv")).unwrap(), log);
    for (contexts, contents, says) in [
        ("name,id\n", "item,context,text\n", "at least one context"),
        ("id\na\na\n", "item,context,text\n", "twice"),
        ("what\na\n", "item,context,text\n", "has no column"),
        ("id\na\n", "item,context,text\n9,a,x\n", "content 1"),
        ("id\na\n", "item,context,text\n1,b,x\n", "is not one of --contexts"),
        ("id\na\n", "item,context,text\n1,a,\n", "neither text nor link nor image"),
        ("id\na\n", "item,context,text\n1,a,x\n1,a,y\n", "the second of"),
        ("id\na\n", "item,context,text\n1,a,x\n", "cannot be compared, even through others"),
    ] {
        user.write("contexts.csv", contexts);
        user.write("contents.csv", contents);
        let refused =
            answer(&user.command("find --items items.csv --votes other.csv --judge cat").args(with).output().unwrap());
        assert!(refused.code != 0 && refused.err.contains(says), "{says}: {}", refused.err);
    }
}

/// A log from before there were contexts goes on, and its answers count as those without one.
#[test]
fn an_old_log_gets_its_contexts() {
    let user = home(1);
    user.write("contexts.csv", "id\none\ntwo\n");
    user.write("log.csv", "question,left,right,winner\n1,0,1,left\n");
    let found = run(&user, &["--contexts", "contexts.csv", "--budget", "3", "--open", "1"]);
    assert_eq!(found.code, 4, "{}", found.err);
    let rows = rows(&user);
    assert_eq!((rows.len(), rows[0].as_str()), (3, "1,0,1,left,"));
    assert!(rows[1..].iter().all(|row| row.ends_with(",one") || row.ends_with(",two")), "{rows:?}");
}

#[test]
fn hints_guide_and_are_never_votes() {
    let user = home(1);
    // One judge gives scores, another one votes, of which every tenth is upside down; a third is mistaken on purpose.
    user.write("scores.csv", "item,score\n0,5\n1,4\n2,3\n3,2\n4,1\nnobody,9\n");
    let mut votes = "left,right,winner\n".to_owned();
    for vote in 0..200 {
        let (i, j) = (vote % 5, (vote + 1 + vote / 5 % 4) % 5);
        votes += &format!("{i},{j},{}\n", if (i < j) == (vote % 10 > 0) { "left" } else { "right" });
    }
    user.write("judge.csv", &votes);
    user.write("aimed.csv", "id,score\n0,0\n1,9\n2,3\n3,2\n4,1\n");
    for (hint, about, from) in [("scores.csv", 5, None), ("judge.csv", 5, Some(200.0)), ("aimed.csv", 5, None)] {
        let _ = std::fs::remove_file(user.path("log.csv"));
        let found = run(&user, &["--open", "4", "--hint", hint, "--format", "json"]);
        assert_eq!(found.code, 0, "{}", found.err);
        let object: Value = serde_json::from_str(&found.out).unwrap();
        assert_eq!(object["verdict"]["winners"][0], "0", "{hint}: {object}");
        assert_eq!(object["votes"].as_u64().unwrap() as usize, rows(&user).len());
        let told = &object["hints"][0];
        assert_eq!((&told["file"], &told["items"], told["votes"].as_f64()), (&hint.into(), &about.into(), from));
    }
    let text = run(&user, &["--hint", "aimed.csv", "--hint", "scores.csv", "-q"]).out;
    assert!(
        text.contains("2 hints guided whom to ask and count as no votes; no claim about two items rests"),
        "{text}"
    );
    assert!(text.contains("one parameter per item"), "{text}");
}

#[test]
fn hints_that_say_nothing_are_refused() {
    let user = home(1);
    user.write("same.csv", "item,score\n0,5\n1,5\n2,5\n");
    user.write("others.csv", "item,score\nx,5\ny,4\n");
    user.write("odd.csv", "item,score\n0,5\n1,much\n");
    let told = [
        ("same.csv", "says the same of all items"),
        ("others.csv", "fewer than two of the items"),
        ("odd.csv", "much"),
    ];
    for (hint, why) in told {
        let refused = run(&user, &["--hint", hint]);
        assert!(refused.code == 3 && refused.err.contains(why), "{hint}: {}", refused.err);
    }
    let refused = run(&user, &["--hint", "log.csv"]);
    assert!(refused.code == 2 && refused.err.contains("hint"), "{}", refused.err);
}

/// A person in plain shell: every question (a pair in a context) has an answer of its own, given but for some noise.
const IN_CONTEXTS: &str = r#"s=99
while read -r line; do
q=${line#*\"q\":}; q=${q%%,*}
l=${line#*\"left\":\"}; l=${l%%\"*}
r=${line#*\"right\":\"}; r=${r%%\"*}
c=${line#*\"context\":\"c}; c=${c%%\"*}
if [ "$l" -lt "$r" ]; then a=$l; b=$r; else a=$r; b=$l; fi
own=$(( (a * 31 + b * 17 + c * 7 + a * b * c) % 10 < 5 + b - a ))
s=$(( (s * 1103515245 + 12345 + q) % 2147483648 )); u=$(( s / 65536 % 100 ))
if [ "$u" -lt 6 ]; then own=$(( 1 - own )); fi
if [ "$l" -gt "$r" ]; then own=$(( 1 - own )); fi
if [ "$own" = 1 ]; then w=left; else w=right; fi
printf '{"q": %s, "answer": "%s"}\n' "$q" "$w"
done
"#;

/// A judge that answered the same questions, in all contexts, saves votes about these contexts and none about such.
#[test]
fn a_judge_that_answered_the_same_questions_saves_votes() {
    let user = home(1);
    user.write("judge.sh", IN_CONTEXTS);
    let (mut contexts, mut votes) = ("id\n".to_owned(), "left,right,winner,prompt\n".to_owned());
    for c in 0..10 {
        contexts += &format!("c{c}\n");
        for (a, b) in (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))) {
            let own = (a * 31 + b * 17 + c * 7 + a * b * c) % 10 < 5 + b - a;
            votes += &format!("{a},{b},{},c{c}\n", if own { "left" } else { "right" });
        }
    }
    user.write("contexts.csv", &contexts);
    user.write("hint.csv", &votes);
    let found = |more: &[&str]| {
        let _ = std::fs::remove_file(user.path("log.csv"));
        let with = ["--contexts", "contexts.csv", "--budget", "300", "--until", "clear", "--margin", "0.1", "-q"];
        run(&user, &[&with[..], more].concat())
    };
    let beside = ["--about", "these", "--hint", "hint.csv"];
    let object: Value = serde_json::from_str(&found(&[&beside[..], &["--format", "json"]].concat()).out).unwrap();
    let control = &object["control"];
    assert!(control["pairs"].as_u64().unwrap() >= 5 && control["saved"].as_f64().unwrap() > 0.2, "{object}");
    let text = found(&beside).out;
    assert!(
        text.contains("Answers of judges to the same questions, on ") && text.contains("counts as no vote"),
        "{text}"
    );
    for without in [&["--about", "such", "--hint", "hint.csv", "--format", "json"][..], &["--format", "json"]] {
        let object: Value = serde_json::from_str(&found(without).out).unwrap();
        assert!(object.get("control").is_none(), "{object}");
    }
}
