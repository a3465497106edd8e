//! What happens when something is wrong: one line, the right exit code, and no half-written file.
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "the program writes these names itself")]

mod common;

use common::{User, answer};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn bad_input_is_answered_with_one_line_and_its_code() {
    let user = User::new();
    let good =
        "runs = 2\nhorizons = [100]\n[[environments]]\nkind = \"hard\"\nd = 2\n[[policies]]\npolicy = \"uniform\"\n";
    let matrix = |rows: &str| good.replace("kind = \"hard\"\nd = 2", &format!("kind = \"matrix\"\n{rows}"));
    user.write("key.toml", &good.replace("runs", "runz"));
    user.write("policy.toml", &good.replace("uniform", "unifrom"));
    user.write("one.toml", &matrix("rows = [[0.5]]"));
    user.write("nan.toml", &matrix("rows = [[0.5, nan], [0.5, 0.5]]"));
    user.write("nancsv.toml", &matrix("table = \"nan.csv\""));
    user.write("nan.csv", "0.5,NaN\n0.5,0.5\n");
    user.write("zero.toml", &good.replace("[100]", "[0]"));
    user.write("deep.toml", &good.replace("d = 2", "d = 99"));
    user.write("version.toml", &format!("version = 9\n{good}"));
    user.write("syntax.toml", "runs = = 2\n");
    user.write("binary.toml", "");
    std::fs::write(user.path("binary.toml"), [0xff, 0xfe, 0]).unwrap();
    user.write("votes.csv", "left,right,winner\na,b,left\na,b,dunno\n");
    user.write("single.csv", "winner,loser\n");
    user.write("file", "");
    let small = "--horizon 100 --runs 2";
    for (line, code, parts) in [
        ("reproduc", 2, &["reproduc", "reproduce"][..]),
        ("votes.csv", 2, &["there is no command 'votes.csv'; to rank the votes in it: `borduel rank votes.csv`"]),
        ("rank", 2, &["`borduel rank` needs a file of votes, as in `borduel rank votes.csv`"]),
        ("rank votes.csv --lvl 99", 2, &["there is no argument '--lvl'; see `borduel rank -h`"]),
        ("rank nan.csv", 3, &["nan.csv: no two columns of items were found; the columns are"]),
        ("reproduce hardd", 2, &["hardd", "hard, eventtime"]),
        ("reproduce --horizon 0", 2, &["horizon", "at least 1"]),
        ("reproduce --horizon ten", 2, &["ten", "whole number"]),
        ("reproduce --runs 0", 2, &["runs", "at least 1"]),
        ("reproduce --jobs 0", 2, &["jobs"]),
        ("reproduce --hoizon 5", 2, &["--hoizon", "--horizon"]),
        ("reproduce --policies bexp", 2, &["--policies", "did you mean \"bexp3\""]),
        ("reproduce --set bexp3.gama=1", 2, &["gama", "did you mean \"gamma\""]),
        ("reproduce --set bexp3.gamma=7", 2, &["gamma = 7", "(0, 1]"]),
        ("reproduce --gap 9", 2, &["outside [0, 1]"]),
        ("reproduce --gap -1", 2, &["-1"]),
        ("reproduce --d 99", 2, &["99"]),
        ("reproduce --horizon 9223372036854775807", 2, &["rounds in a run", "at most 10000000000000"]),
        ("reproduce --votes votes.csv", 2, &["--votes does nothing for hard", "eventtime"]),
        ("reproduce adversarial --kind sitting", 2, &["--kind", "switching"]),
        ("reproduce eventtime --votes missing.csv", 3, &["missing.csv", "no such file"]),
        ("reproduce eventtime --votes votes.csv", 3, &["votes.csv", "line 3", "dunno"]),
        ("reproduce eventtime --votes single.csv", 3, &["single.csv", "at least 2"]),
        (&format!("reproduce --d 2 {small} --out file"), 2, &["file", "--out"]),
        (&format!("reproduce --d 2 {small} --out /proc/nowhere"), 2, &["/proc/nowhere", "--out"]),
        ("run", 2, &["FILE.toml"]),
        ("run missing.toml", 3, &["missing.toml", "no such file"]),
        ("run key.toml", 3, &["key.toml, line 1", "did you mean \"runs\""]),
        ("run policy.toml", 3, &["policy.toml, line 7", "did you mean \"uniform\""]),
        ("run one.toml", 3, &["one.toml", "at least 2"]),
        ("run nan.toml", 3, &["nan.toml, line 5", "nan is not a finite number"]),
        ("run nancsv.toml", 3, &["nan.csv", "line 1, column 2"]),
        ("run zero.toml", 3, &["zero.toml", "at least 1 round"]),
        ("run deep.toml", 3, &["deep.toml, line 5", "between 1 and 14"]),
        ("run version.toml", 3, &["version.toml", "version 9"]),
        ("run syntax.toml", 3, &["syntax.toml, line 1"]),
        ("run binary.toml", 3, &["binary.toml", "UTF-8"]),
    ] {
        let answer = user.borduel(line);
        assert_eq!(answer.code, code, "borduel {line}: {}", answer.err);
        assert_eq!(answer.err.lines().count(), 1, "borduel {line}: {}", answer.err);
        assert!(answer.err.starts_with("borduel: ") && answer.out.is_empty(), "borduel {line}: {}", answer.err);
        for part in parts {
            assert!(answer.err.contains(part), "borduel {line}: {} lacks {part}", answer.err);
        }
    }
    assert!(!user.path("borduel-out").exists(), "nothing is written before everything is checked");
}

/// What people type who have never seen it: the answer is a line with something that they can paste.
#[test]
fn mistakes_of_newcomers_are_answered_with_what_to_do() {
    let user = User::new();
    user.write("votes.csv", "winner,loser\ntea,coffee\ncoffee,cocoa\ntea,cocoa\ncocoa,tea\n");
    user.write("items.csv", "id,name\ntea,Tea\ncoffee,Coffee\n");
    user.write("paper.pdf", "%PDF-1.4");
    std::fs::write(user.path("photo.csv"), [0xff, 0xd8, 0xff, 0xe0]).unwrap();
    std::fs::write(user.path("sound.wav"), b"RIFF\x24\x08\x00\x00WAVE\n\x01\xe4\xff").unwrap();
    user.write("nothing.dat", "");
    #[cfg(feature = "studies")]
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    #[cfg(feature = "studies")]
    let busy = format!("serve --listen {}", taken.local_addr().unwrap());
    for (line, code, part) in [
        ("rank vote.csv", 3, "vote.csv: no such file; there are items.csv, photo.csv, votes.csv"),
        ("rank nowhere/votes.csv", 3, "no such file: there is no such folder"),
        ("rank https://example.org/votes.csv", 3, "fetch it first: `curl -O https://example.org/votes.csv`"),
        ("rank paper.pdf", 3, "is a PDF: copy its table into a spreadsheet and save that as CSV (UTF-8)"),
        ("rank sound.wav", 3, "the file is a picture, a program or damaged"),
        ("rank nothing.dat", 3, "nothing.dat: the file is empty"),
        ("rank photo.csv", 3, "is a picture: type its table into a spreadsheet"),
        ("rank votes.csv ./votes.csv -q", 2, "./votes.csv is named twice, and its votes would count twice"),
        ("judge votes.csv votes.csv -q", 2, "votes.csv is named twice"),
        ("rank votes.csv --compare votes.csv -q", 3, "`borduel rank OLD_VOTES.csv --format json > old.json`"),
        ("rank votes.csv --format xml", 2, "it may be table, json, csv, md; see `borduel rank -h`"),
        ("rank votes.csv --jobs 0", 2, "0 does not lie between 1 and 1024"),
        ("find --items items.csv --votes log.csv --budget 0", 2, "0 is too small, it must be at least 1"),
        ("judge votes.csv", 2, "needs <JUDGE>, as in `borduel judge people.csv gpt.csv`"),
        ("run", 2, "needs <FILE.toml>, as in `borduel run --example > mine.toml`"),
        ("design --items items.csv", 2, "needs --budget <N>, as in `borduel design --items items.csv --budget 400"),
        (
            "find --items items.csv",
            2,
            "needs --votes <LOG.csv>, as in `borduel find --items items.csv --votes log.csv`",
        ),
        ("completions", 2, "needs <SHELL>, as in `borduel completions bash"),
        ("completions zish", 2, "perhaps 'zsh'; it may be bash, elvish, fish, powershell, zsh"),
        ("find --items items.csv --votes log.csv --judge nosuchprogram", 3, "the judge was not found"),
        #[cfg(feature = "studies")]
        ("health --listen 127.0.0.1:1", 1, "start one with `borduel serve`"),
        #[cfg(feature = "studies")]
        ("study create My_Study --items items.csv", 3, "such as my-study"),
        #[cfg(feature = "studies")]
        ("study create tee --items items.csv --set tie=maybe", 2, "--set tie=maybe: "),
        #[cfg(feature = "studies")]
        (
            "study create tee --items items.csv --set stop=won",
            2,
            "stop may be never, good-enough, verdict, clear, votes",
        ),
        #[cfg(feature = "studies")]
        (&busy, 2, "is in use by another program: take another one, such as --listen 127.0.0.1:"),
        #[cfg(feature = "studies")]
        ("study create tee --items items.csv --set questions=3", 2, "did you mean \"question\"?"),
        #[cfg(feature = "studies")]
        ("study list --database postgres://me@127.0.0.1:1/votes", 1, "does PostgreSQL run there"),
        #[cfg(feature = "studies")]
        ("study list --database nowhere.db", 2, "write sqlite:FILE, such as sqlite:borduel.db"),
        #[cfg(feature = "studies")]
        ("study export tee votes.xls", 2, "perhaps 'votes.csv'; it may be votes.csv, votes.jsonl"),
    ] {
        let answer = user.borduel(line);
        assert_eq!(answer.code, code, "borduel {line}: {}", answer.err);
        let last = answer.err.lines().last().unwrap_or_default();
        assert!(last.starts_with("borduel: ") && last.contains(part), "borduel {line}: {} lacks {part}", answer.err);
    }
}

#[test]
fn without_a_command_those_there_are_are_shown() {
    let shown = User::new().succeeds("");
    for part in ["Usage: borduel <COMMAND>", "\n  rank ", "\n  find ", "\n  design "] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn a_directory_with_another_experiment_is_kept_unless_forced() {
    let user = User::new();
    user.succeeds("reproduce --d 2 --horizon 200 --runs 2 -q --out o");
    let before = user.read("o/results.json");
    let other = user.borduel("reproduce --d 2 --horizon 300 --runs 2 -q --out o");
    assert_eq!(other.code, 2);
    assert!(other.err.contains("another experiment") && other.err.contains("--force"), "{}", other.err);
    assert_eq!(user.read("o/results.json"), before);
    user.succeeds("reproduce --d 2 --horizon 300 --runs 2 -q --out o --force");
    assert_ne!(user.read("o/results.json"), before);
}

/// A full disk, played by a limit on the size of files.
#[test]
fn a_full_disk_leaves_no_half_file_and_the_rest_can_be_made_up() {
    let user = User::new();
    let line = "reproduce --d 3 --horizon 2000 --runs 4 -q --out o --jobs 1";
    let program = env!("CARGO_BIN_EXE_borduel");
    for blocks in [0, 8, 100] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' {line}");
        let full = answer(&Command::new("bash").args(["-c", &script]).current_dir(user.path("")).output().unwrap());
        assert_eq!((full.code, full.err.lines().count()), (1, 1), "{}", full.err);
        assert!(full.err.contains("cannot be written"), "{}", full.err);
        for file in user.list("o") {
            assert!(!file.ends_with(".part"), "{file}");
            if file.ends_with(".json") {
                serde_json::from_slice::<serde_json::Value>(&user.read(&format!("o/{file}"))).unwrap();
            }
        }
    }
    user.succeeds(line);
    user.succeeds(&line.replace("--out o", "--out fresh"));
    assert_eq!(user.read("o/results.json"), user.read("fresh/results.json"));
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let user = User::new();
    // Root may write everywhere; a file in the way stops even root.
    user.write("wall", "");
    let answer = user.borduel("reproduce --d 2 --horizon 100 --runs 1 --out wall/o");
    assert_eq!((answer.code, answer.err.lines().count()), (2, 1), "{}", answer.err);
    assert!(answer.err.contains("wall/o"), "{}", answer.err);
}

/// Stopped by Ctrl-C or killed outright, the same command goes on to the same bytes.
#[test]
fn a_stopped_experiment_goes_on_where_it_was() {
    let user = User::new();
    let line = "reproduce --horizon 300000 --runs 6 --policies bexp3,dexp3,betc-glm --jobs 2";
    user.succeeds(&format!("{line} -q --out whole"));
    for (signal, out) in [("INT", "interrupted"), ("KILL", "killed")] {
        let command = format!("{line} --out {out}");
        let mut child = user.command(&command).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let journal = user.path(&format!("{out}/journal.jsonl"));
        let written = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        while written() < 4 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        // A machine that is faster than this loop has nothing to go on with; the rest holds all the same.
        let id = child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success();
        let stopped = answer(&child.wait_with_output().unwrap());
        if sent && signal == "INT" && stopped.code == 130 {
            assert!(stopped.err.contains("of 18 runs finished") && stopped.err.contains("the same command goes on"));
        }
        assert!(!user.path(&format!("{out}/results.json")).exists() || stopped.code == 0);
        let again = user.borduel(&command);
        assert_eq!(again.code, 0, "{}", again.err);
        assert!(again.err.contains("of 18 runs are already in"), "{}", again.err);
        for file in ["results.json", "curves.csv", "regret.svg", "report.html", "experiment.toml"] {
            assert_eq!(user.read(&format!("{out}/{file}")), user.read(&format!("whole/{file}")), "{signal}: {file}");
        }
    }
}
