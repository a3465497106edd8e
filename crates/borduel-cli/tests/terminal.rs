//! What a terminal sees: progress with rate and time left, and nothing of it anywhere else.

mod common;

use borduel_testing::skip;
use common::{User, answer};
use std::process::{Command, Stdio};

/// More than a second of work, for a bar to be drawn many times.
const LONG: &str = "reproduce --horizon 2000000 --runs 10 --policies bexp3 --jobs 1";
/// Enough for a bar.
const LINE: &str = "reproduce --d 3 --horizon 100000 --runs 3 --policies bexp3,dexp3 --jobs 1";

/// Runs a command line under a pseudo-terminal by `script` and returns what was drawn; nothing if there is no `script`.
fn under_a_terminal(user: &User, line: &str) -> Option<String> {
    let command = format!("stty cols 120 2>/dev/null; '{}' {line} >table.txt", env!("CARGO_BIN_EXE_borduel"));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).current_dir(user.path(""));
    let output = script.env("TERM", "xterm").stdin(Stdio::null()).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_terminal_sees_rate_and_time_left_and_a_file_does_not() {
    let user = User::new();
    let Some(drawn) = under_a_terminal(&user, &format!("{LONG} --out a")) else {
        skip("the progress bar on a terminal", "there is no `script` (util-linux) to play one");
        return;
    };
    // Every frame begins with a carriage return.
    let frames: Vec<&str> = drawn.split('\r').filter(|frame| frame.contains(" left")).collect();
    assert!(!frames.is_empty(), "no bar was drawn: {drawn:?}");
    for part in ["hard", " %  ", "/s rounds", " left"] {
        assert!(frames.iter().any(|frame| frame.contains(part)), "{part:?} is missing in {frames:?}");
    }
    let percent = |frame: &&str| frame.rsplit_once(" %  ")?.0.rsplit(' ').next()?.parse::<u32>().ok();
    assert!(frames.iter().filter_map(percent).any(|p| (1..100).contains(&p)), "no bar under way in {frames:?}");
    assert!(String::from_utf8(user.read("table.txt")).unwrap().contains("BEXP3"), "data go to standard output");
    // With -q not even a terminal sees anything.
    assert_eq!(under_a_terminal(&user, &format!("{LINE} -q --out b")).as_deref(), Some(""));
    let plain = answer(&user.command(&format!("{LINE} --out c")).output().unwrap());
    assert_eq!(plain.code, 0, "{}", plain.err);
    assert!(!plain.err.contains(" left") && !plain.err.contains(['\r', '\u{1b}']), "{:?}", plain.err);
    assert_eq!(user.read("b/results.json"), user.read("c/results.json"));
}
