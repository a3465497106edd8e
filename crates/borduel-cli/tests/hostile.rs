//! What people do by mistake or on purpose: outputs that are inputs, damaged journals, names that act, closed pipes.
#![cfg(unix)]

mod common;

use common::{Answer, User, answer};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

const VOTES: &str = "left,right,winner\ntea,coffee,left\ncoffee,mud,left\nmud,tea,right\ntea,coffee,right\n";

/// Runs a line of shell in the user's directory, with `borduel` being the program.
fn shell(user: &User, script: &str) -> Answer {
    let script = format!("borduel() {{ '{}' \"$@\"; }}\n{script}", env!("CARGO_BIN_EXE_borduel"));
    answer(&Command::new("bash").args(["-c", &script]).current_dir(user.path("")).output().unwrap())
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let user = User::new();
    user.write("v.csv", VOTES);
    user.write("items.csv", "id\ntea\ncoffee\nmud\n");
    symlink(user.path("v.csv"), user.path("soft")).unwrap();
    fs::hard_link(user.path("v.csv"), user.path("hard")).unwrap();
    for line in [
        "rank v.csv --lenient --rejected v.csv",
        "rank v.csv --lenient --rejected soft",
        "rank v.csv --lenient --rejected hard",
        "rank v.csv --html v.csv",
        "rank v.csv --html ./soft",
        "rank soft --html hard",
        "rank v.csv --items items.csv --html items.csv",
        "rank v.csv --lenient --rejected new --html ./new",
        "design --items items.csv --votes v.csv --budget 5 --lenient --rejected items.csv",
    ] {
        let refused = user.borduel(line);
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{line}: {}", refused.err);
    }
    let refused = shell(&user, "borduel rank - --html v.csv < v.csv");
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert_eq!(user.read("v.csv"), VOTES.as_bytes());
    user.write(
        "experiment.toml",
        "# mine\nruns = 1\nhorizons = [50]\n[[environments]]\nkind = \"hard\"\nd = 2\n[[policies]]\npolicy = \
         \"uniform\"\n",
    );
    let refused = user.borduel("run experiment.toml --out .");
    assert!(refused.code == 2 && user.read("experiment.toml").starts_with(b"# mine"), "{}", refused.err);
    // What an earlier run wrote there can be run again in its place: nothing changes.
    user.succeeds("run experiment.toml --out o -q");
    user.succeeds("run o/experiment.toml --out o -q");
}

#[test]
fn rejected_rows_stay_only_if_all_went_well() {
    let user = User::new();
    user.write("v.csv", &format!("{VOTES}tea,coffee,perhaps\n"));
    user.succeeds("rank v.csv --lenient -q");
    assert!(String::from_utf8(user.read("v.csv.rejected.csv")).unwrap().contains("perhaps"));
    fs::remove_file(user.path("v.csv.rejected.csv")).unwrap();
    let failed = user.borduel("rank v.csv missing.csv --lenient");
    assert_eq!(failed.code, 3, "{}", failed.err);
    let blamed = user.borduel("rank v.csv --lenient --rejected no/such/place.csv");
    assert!(
        blamed.code == 2 && blamed.err.contains("no/such/place.csv: cannot be written (there is no such folder)"),
        "{}",
        blamed.err
    );
    let full = user.borduel("rank v.csv --lenient --rejected /dev/full");
    assert!(full.code == 1 && full.err.contains("/dev/full: cannot be written"), "{}", full.err);
    assert_eq!(user.list("."), ["v.csv"], "nothing half-written stays");
}

const RUN: &str = "reproduce --d 2 --horizon 300 --runs 3 --policies uniform,etc-borda --jobs 1";

#[test]
fn a_journal_is_believed_only_where_it_checks() {
    let user = User::new();
    user.succeeds(&format!("{RUN} -q --out o"));
    let (whole, results) = (user.read("o/journal.jsonl"), user.read("o/results.json"));
    let text = String::from_utf8(whole.clone()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let spoiled = |from: &str, to: &str| {
        let (start, end) = lines[3].split_once(from).unwrap();
        text.replace(lines[3], &format!("{start}{from}{to}{end}"))
    };
    for (damage, bytes) in [
        ("another estimate", spoiled("\"estimate\":", "99999").into_bytes()),
        ("a longer curve", spoiled("\"regret\":[", "0.0,").into_bytes()),
        ("rubbish", format!("{text}rubbish\n").into_bytes()),
        ("no text", [whole.as_slice(), b"\xff\xfe\xff\n"].concat()),
        ("a line of another experiment", text.replacen("\"check\":\"", "\"check\":\"0", 1).into_bytes()),
    ] {
        for force in ["", " --force"] {
            user.write("o/results.json", "");
            fs::write(user.path("o/journal.jsonl"), &bytes).unwrap();
            let again = user.borduel(&format!("{RUN} --out o{force}"));
            assert!(again.code == 0 && again.err.contains("cannot be believed"), "{damage}: {}", again.err);
            assert_eq!(user.read("o/results.json"), results, "{damage}");
        }
    }
    // The same run twice is no harm, and a line of a run that is not in the plan is none of ours.
    fs::write(user.path("o/journal.jsonl"), format!("{text}{}\n", lines[2])).unwrap();
    user.succeeds(&format!("{RUN} -q --out o"));
    assert_eq!(user.read("o/results.json"), results);
}

#[test]
fn what_is_no_journal_is_not_touched() {
    let user = User::new();
    fs::create_dir(user.path("o")).unwrap();
    user.write("o/journal.jsonl", "Dear diary");
    for force in ["", " --force"] {
        let refused = user.borduel(&format!("{RUN} --out o{force}"));
        assert!(refused.code == 2 && refused.err.contains("not touched"), "{}", refused.err);
    }
    assert_eq!(user.read("o/journal.jsonl"), b"Dear diary");
    let refused = shell(
        &user,
        &format!("mkdir p; mkfifo p/journal.jsonl; timeout 20 borduel {RUN} --out p")
            .replace("timeout 20 borduel", &format!("timeout 20 '{}'", env!("CARGO_BIN_EXE_borduel"))),
    );
    assert!(refused.code == 2 && refused.err.contains("is not a file"), "{} {}", refused.code, refused.err);
}

#[test]
fn eight_pages_at_once_all_succeed_and_links_are_not_followed() {
    let user = User::new();
    user.write("v.csv", VOTES);
    user.write("victim", "precious");
    symlink(user.path("victim"), user.path(".page.html.part")).unwrap();
    let children: Vec<_> =
        (0..8).map(|_| user.command("rank v.csv --html page.html -q").stdout(Stdio::null()).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert!(user.read("page.html").ends_with(b"</html>\n"));
    assert_eq!(user.read("victim"), b"precious");
    assert_eq!(user.list("."), [".page.html.part", "page.html", "v.csv", "victim"]);
}

#[test]
fn outputs_go_through_links_and_into_devices() {
    let user = User::new();
    user.write("v.csv", &format!("{VOTES}a,b,perhaps\n"));
    fs::create_dir(user.path("there")).unwrap();
    for (to, link) in [("there/page.html", "page.html"), ("there/rows.csv", "rows.csv"), ("b", "a"), ("a", "b")] {
        symlink(to, user.path(link)).unwrap();
    }
    let linked = |name: &str| fs::symlink_metadata(user.path(name)).unwrap().is_symlink();
    // By the flag's earlier name.
    user.succeeds("rank v.csv -q --lenient --html page.html --set-aside rows.csv");
    assert!(linked("page.html") && linked("rows.csv"));
    assert!(user.read("there/page.html").ends_with(b"</html>\n") && user.read("there/rows.csv").starts_with(b"file,"));
    let circle = user.borduel("rank v.csv -q --lenient --html a --rejected rows.csv");
    assert!(circle.code == 2 && circle.err.contains("circle") && linked("a"), "{}", circle.err);
    // Standard output may be a pipe or a file, by whatever name it is called.
    symlink("/dev/stdout", user.path("out")).unwrap();
    for line in
        ["borduel rank v.csv -q --lenient --html out | cat", "borduel rank v.csv -q --lenient --html out > f; cat f"]
    {
        let written = shell(&user, line);
        assert!(written.out.contains("</html>") && written.out.contains("Borda %"), "{line}: {}", written.err);
        assert!(linked("out"));
    }
    // Every file of an experiment, its journal too.
    fs::create_dir(user.path("o")).unwrap();
    symlink("../there/journal", user.path("o/journal.jsonl")).unwrap();
    user.succeeds(&format!("{RUN} -q --out o"));
    assert!(linked("o/journal.jsonl") && user.read("there/journal").starts_with(b"{\"borduel_journal\""));
}

#[test]
fn results_of_others_are_not_overwritten() {
    let user = User::new();
    for name in ["report.html", "results.json", "experiment.toml"] {
        fs::create_dir_all(user.path("o")).unwrap();
        user.write(&format!("o/{name}"), "mine");
        let refused = user.borduel(&format!("{RUN} -q --out o"));
        assert!(refused.code == 2 && refused.err.contains(name) && refused.err.contains("--force"), "{}", refused.err);
        assert_eq!(user.list("o"), [name], "nothing is made beside it");
        assert_eq!(user.read(&format!("o/{name}")), b"mine");
        user.succeeds(&format!("{RUN} -q --out o --force"));
        assert_ne!(user.read(&format!("o/{name}")), b"mine");
        // Its own are.
        user.succeeds(&format!("{RUN} -q --out o"));
        fs::remove_dir_all(user.path("o")).unwrap();
    }
}

#[test]
fn closed_and_full_streams_change_no_exit_code() {
    let user = User::new();
    user.write("v.csv", VOTES);
    user.write("bad.csv", "left,right,winner\na,b,perhaps\n");
    for (line, code) in [
        ("borduel rank v.csv --require-winner", 4),
        ("borduel rank bad.csv", 3),
        ("borduel rank", 2),
        ("borduel rank v.csv", 0),
        ("borduel reproduce --d 2 --horizon 100 --runs 1 --out o", 0),
    ] {
        for streams in ["2>/dev/full", "2>&-", ">&-", "2>&- >&-", "> >(true)", "2> >(true)", "> >(true) 2>/dev/full"] {
            let ended = shell(&user, &format!("{line} {streams}"));
            assert_eq!(ended.code, code, "{line} {streams}: {}", ended.err);
        }
    }
    let full = shell(&user, "borduel rank v.csv >/dev/full");
    assert!(full.code == 1 && full.err.contains("standard output cannot be written"), "{}", full.err);
}

/// Names with everything in them that acts: escapes, line ends, bells, directions, markup, formulas.
#[test]
fn names_never_act() {
    let user = User::new();
    let names =
        ["\u{1b}[31mred\u{1b}[0m", "two\nlines", "bell\u{7}", "\u{202e}kcab", "<script>alert(1)</script>", "=1+1"];
    let mut votes = "left,right,winner\n".to_owned();
    for (at, name) in names.iter().enumerate() {
        for other in &names[..at] {
            votes += &format!("\"{name}\",\"{other}\",left\n\"{name}\",\"{other}\",right\n");
        }
    }
    user.write("v\u{1b}[2J.csv", &votes);
    for format in ["table", "md", "csv", "json"] {
        let file = "v\u{1b}[2J.csv";
        let ranked = user.borduel(&format!("rank {file} --html page.html --format {format}"));
        assert_eq!(ranked.code, 0, "{}", ranked.err);
        let acts = |text: &str| text.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}');
        assert!(!acts(&ranked.err), "{:?}", ranked.err);
        assert!(!acts(&ranked.out) || format == "json", "{:?}", ranked.out);
        if format == "csv" {
            assert!(ranked.out.contains("'=1+1") && ranked.err.contains("formulas"), "{} {}", ranked.out, ranked.err);
        } else {
            assert!(!ranked.out.contains("two\nlines"), "{}", ranked.out);
        }
        let page = String::from_utf8(user.read("page.html")).unwrap();
        assert!(!acts(&page) && !page.contains("<script>") && page.contains("&lt;script&gt;"));
    }
    user.write(
        "e.toml",
        "name = \"a\\u001b[31m\\u0007\\nb\"\nruns = 1\nhorizons = [50]\n[[environments]]\nkind = \"hard\"\nd = \
         2\n[[policies]]\npolicy = \"uniform\"\n",
    );
    let run = user.borduel("run e.toml --out o");
    assert!(run.code == 0 && !run.err.contains('\u{1b}') && !run.out.contains('\u{1b}'), "{}", run.err);
    assert!(user.read("o/regret.png").starts_with(b"\x89PNG") && !user.read("o/report.html").contains(&0x1b));
}

#[test]
fn the_command_that_makes_it_again_is_one_that_a_shell_understands() {
    let user = User::new();
    let name = "it's $HOME; rm -rf.toml";
    user.write(
        name,
        "runs = 1\nhorizons = [50]\n[[environments]]\nkind = \"hard\"\nd = 2\n[[policies]]\npolicy = \"uniform\"\n",
    );
    let mut command = user.command("run --out o -q");
    assert!(command.arg(name).output().unwrap().status.success());
    let page = String::from_utf8(user.read("o/report.html")).unwrap();
    let told = page.split("<pre tabindex=\"0\">").nth(1).and_then(|rest| rest.split("</pre>").next()).unwrap();
    let told = told.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    let again = shell(&user, &format!("{told} --out again -q"));
    assert_eq!(again.code, 0, "{told}: {}", again.err);
    assert_eq!(user.read("again/results.json"), user.read("o/results.json"));
}

#[test]
fn percentages_are_percentages_and_flags_are_to_blame_for_themselves() {
    let user = User::new();
    user.write("v.csv", VOTES);
    user.write("items.csv", "id\ntea\ncoffee\nmud\n");
    let good =
        "runs = 1\nhorizons = [50]\n[[environments]]\nkind = \"hard\"\nd = 2\n[[policies]]\npolicy = \"bexp3\"\n";
    user.write("e.toml", good);
    user.write("timing.toml", &format!("feedback = {{ timing = {{ kind = \"immediate\", leest = 3 }} }}\n{good}"));
    for (line, code, part) in [
        ("rank v.csv --level 0.95", 2, "95"),
        ("rank v.csv --level nan", 2, "level"),
        ("rank v.csv --level 100", 2, "level"),
        ("rank v.csv --margin nan", 2, "margin"),
        ("rank v.csv --margin -1", 2, "margin"),
        ("rank v.csv --margin inf", 2, "margin"),
        ("design --items items.csv --budget 5 --level 0.9", 2, "90"),
        ("design --items items.csv --budget nan", 2, "budget"),
        ("run e.toml --set bexp3.gamma=7", 2, "--set bexp3.gamma=7"),
        ("reproduce --gap 9 --horizon 50 --runs 1", 2, "gap"),
        ("reproduce --gap nan --horizon 50 --runs 1", 2, "gap"),
        ("run timing.toml", 3, "leest"),
    ] {
        let refused = user.borduel(line);
        assert_eq!((refused.code, refused.err.lines().count()), (code, 1), "{line}: {}", refused.err);
        assert!(refused.err.contains(part), "{line}: {}", refused.err);
    }
    let exact = user.succeeds("rank v.csv --level 95% --format json -q");
    assert_eq!(exact, user.succeeds("rank v.csv --format json -q"));
}
