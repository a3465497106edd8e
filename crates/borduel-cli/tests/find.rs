//! `borduel find` as a stranger runs it: with a program that answers, killed and started again, and at a terminal.

mod common;

use common::answer;
use common::find::{LINE, home, judge, rows, run, signal, wait_for};
use serde_json::Value;
use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// What believes nothing takes neither hints nor contexts, nor voters who come again beside others, and says what to
/// do.
#[test]
fn trust_in_nothing_refuses_what_it_cannot_allow_for() {
    let user = home(1);
    user.write("hint.csv", "left,right,answer\n0,1,left\n1,2,left\n2,3,left\n");
    user.write("contexts.csv", "id\nmorning\nevening\n");
    for flags in [["--hint", "hint.csv"], ["--contexts", "contexts.csv"]] {
        let refused = run(&user, &[&["--trust", "nothing"][..], &flags].concat());
        let said = refused.code == 2 && refused.err.contains(&format!("leave out {}", flags[0]));
        assert!(
            said && refused.err.contains("--trust checked") && rows(&user).is_empty(),
            "{flags:?}: {}",
            refused.err
        );
    }
    // One judge may answer as often as it likes.
    let one = run(&user, &["--trust", "nothing", "--voter", "ann", "--budget", "3", "--format", "json", "-q"]);
    let object: Value = serde_json::from_str(&one.out).unwrap();
    assert_eq!((one.code, object["votes"].as_u64()), (4, Some(3)), "{}", one.err);
    // Beside it nobody else: their answers have something in common. Nothing that was answered is lost.
    let second = run(&user, &["--trust", "nothing", "--voter", "ben", "--budget", "6"]);
    assert_eq!(second.code, 2, "{}", second.err);
    assert!(second.err.contains("ann answered several times, beside others; take --trust checked"), "{}", second.err);
    assert_eq!(rows(&user).len(), 3);
    let ranked = user.borduel("rank log.csv --items items.csv --sequential --trust nothing");
    assert!(ranked.code == 0 && ranked.out.starts_with("Not enough votes"), "{} {}", ranked.out, ranked.err);
    let on = run(&user, &["--voter", "ben", "--budget", "6"]);
    assert_eq!((on.code, rows(&user).len()), (4, 6), "{}", on.err);
    let refused = user.borduel("rank log.csv --items items.csv --sequential --trust nothing");
    assert!(refused.code != 0 && refused.err.contains("take checked"), "{} {}", refused.out, refused.err);
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

/// `find`, `rank --sequential` and, where the votes are many, `rank` say the same in the same words of each kind of
/// verdict, to people and to programs.
#[test]
fn each_kind_of_verdict_has_one_word_whoever_says_it() {
    let level = |first: usize, second: usize, won: usize, of: usize| -> Vec<String> {
        (0..of).map(|vote| format!("{first},{second},{}", if vote * won % of < won { first } else { second })).collect()
    };
    let votes = |pairs: &[(usize, usize, usize, usize)]| -> Vec<String> {
        pairs.iter().flat_map(|&(first, second, won, of)| level(first, second, won, of)).collect()
    };
    for (kind, opening, exit, votes) in [
        ("clear-winner", "Clear winner: ", 0, votes(&[(0, 1, 160, 200), (0, 2, 180, 200), (1, 2, 120, 200)])),
        ("good-enough", "Good enough: ", 4, votes(&[(0, 1, 132, 240), (0, 2, 204, 240), (1, 2, 204, 240)])),
        ("tie", "Tie at the top: ", 4, votes(&[(0, 1, 1_010, 2_000), (0, 2, 800, 1_000), (1, 2, 800, 1_000)])),
        ("not-enough", "Not enough votes: ", 4, votes(&[(0, 1, 6, 10), (0, 2, 6, 10), (1, 2, 6, 10)])),
    ] {
        let user = home(1);
        user.write("items.csv", "id,name\n0,Ash\n1,Elm\n2,Yew\n");
        let rows = votes.iter().enumerate().map(|(at, row)| {
            let (pair, winner) = row.rsplit_once(',').unwrap();
            format!("{},{pair},{}\n", at + 1, if pair.starts_with(winner) { "left" } else { "right" })
        });
        user.write("log.csv", &("question,left,right,winner\n".to_owned() + &rows.collect::<String>()));
        let budget = votes.len().to_string();
        let json = |answer: &str| -> Value { serde_json::from_str(answer).unwrap() };
        let options = ["--margin", "10", "--budget", &budget];
        let found = json(&run(&user, &[&options[..], &["--format", "json"]].concat()).out);
        let ranked = "rank log.csv --items items.csv --margin 10 -q";
        let careful = json(&user.succeeds(&format!("{ranked} --sequential --format json")));
        let once = json(&user.succeeds(&format!("{ranked} --format json")));
        for said in [&found, &careful, &once] {
            assert_eq!(said["verdict"]["kind"], kind, "{}", said["verdict"]);
            assert!(said["verdict"]["text"].as_str().unwrap().starts_with(opening), "{}", said["verdict"]);
        }
        assert_eq!(found["verdict"]["winners"], careful["verdict"]["winners"]);
        // `find` says besides whose answers they are.
        let [found, careful] = [&found, &careful].map(|said| said["verdict"]["text"].as_str().unwrap());
        assert!(found.starts_with(careful), "{found}\n{careful}");
        for way in ["", " --sequential"] {
            let answer = user.borduel(&format!("{ranked}{way} --require-winner"));
            assert!(answer.code == exit && answer.out.starts_with(opening), "{} {}", answer.code, answer.out);
        }
        assert!(run(&user, &options).out.starts_with(opening));
    }
}
