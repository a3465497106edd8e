//! Judges that do not do as they should, and `borduel find` that is stopped beside them.

mod common;

use common::answer;
use common::find::{home, rows, signal, wait_for};
use std::process::{Command, Stdio};
use std::time::Duration;

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

/// Whether a process is there and is more than a name in a table.
#[cfg(target_os = "linux")]
fn runs(process: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
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
    // On a busy machine the first one may come before the report is written, and only ends the questions.
    let mut ended = None;
    wait_for("it ends", || {
        signal(child.id(), "-TERM");
        std::thread::sleep(Duration::from_millis(500));
        ended = child.try_wait().unwrap();
        ended.is_some()
    });
    assert_eq!(ended.unwrap().code(), Some(130));
}
