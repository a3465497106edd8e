//! Every block of the documentation is run, compared with what it stands for, or listed as not run.
//! `UPDATE_SNAPSHOTS=1` writes what was printed and drawn into the pages; `PAGE=how-to` runs the pages whose names
//! contain that.

mod common;

use borduel_testing::skip;
use common::page::{Block, Kind, agrees, blocks, pictures};
use common::snapshot;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Pages that commands of hours write; what they show is tested in small where these are.
const MEASUREMENTS: &[&str] = &[
    "ADVERSARIAL",
    "BEYOND",
    "COVERAGE",
    "FEWEST",
    "JUDGES",
    "PEERS",
    "PERFORMANCE",
    "RELIABILITY",
    "REPRODUCTION",
    "WORLDS",
];
/// Where pages lead elsewhere. Tests have no network: that a new one is spelt right and there is for whoever lists it.
const ELSEWHERE: &[&str] = &[
    "https://check-jsonschema.readthedocs.io",
    "https://github.com/borduel/borduel",
    "https://github.com/borduel/borduel/issues",
    "https://github.com/dustalov/llmfao",
    "https://json-schema.org",
    "https://rustup.rs",
];
/// Names that belong to nobody (RFC 2606), addresses of one's own machine and network: nobody is led there.
const NOWHERE: &[&str] = &["example.org", "example", "127.0.0.1:8080", "192.168.1.20:8080"];
/// How long one page may take.
const PATIENCE: Duration = Duration::from_mins(4);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn updating() -> bool {
    std::env::var_os("UPDATE_SNAPSHOTS").is_some()
}

/// All pages but measurements, by their paths from the root.
fn pages() -> Vec<String> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                below(&entry, found);
            } else if entry.extension().is_some_and(|extension| extension == "md") {
                found.push(entry);
            }
        }
    }
    let root = root();
    let mut found = vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("ARCHITECTURE.md")];
    below(&root.join("docs"), &mut found);
    let measured =
        |path: &PathBuf| path.file_stem().is_some_and(|stem| MEASUREMENTS.contains(&&*stem.to_string_lossy()));
    found.retain(|path| !measured(path));
    let mut names: Vec<String> =
        found.iter().map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A page's text; what programs write into pages stands there with the ends of lines that every system has.
fn text_of(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

#[test]
fn no_block_is_passed_over() {
    let mut listed = String::new();
    let mut wrong = String::new();
    for page in pages() {
        for block in blocks(&text_of(&page)) {
            match &block.kind {
                Kind::Unknown => {
                    let _ = writeln!(
                        wrong,
                        "{page}:{}: a block of {:?} says nothing of how it is run",
                        block.line, block.language
                    );
                }
                Kind::From(path) if !text_of(path).contains(block.text.as_str()) => {
                    let _ = writeln!(wrong, "{page}:{}: these lines are not in {path}", block.line);
                }
                Kind::NotRun(why) => {
                    let first = block.text.lines().next().unwrap_or_default();
                    let _ = writeln!(listed, "{page}: {first} ({why})");
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "see tests/common/page.rs for how blocks are marked\n{wrong}");
    snapshot("docs-not-run.txt", &listed);
}

#[test]
fn commands_of_all_pages_do_what_the_pages_say() {
    for tool in ["bash", "python3", "curl"] {
        if Command::new(tool).arg("--version").output().is_err() {
            return skip("the commands of the documentation", &format!("there is no {tool}"));
        }
    }
    let wanted = std::env::var("PAGE").unwrap_or_default();
    let queue: Mutex<Vec<String>> =
        Mutex::new(pages().into_iter().filter(|page| page.contains(&wanted)).rev().collect());
    let wrong: Mutex<Vec<String>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(page) = queue.lock().unwrap().pop() else { break };
                    let began = Instant::now();
                    if let Err(why) = run(&page) {
                        wrong.lock().unwrap().push(format!("{page}: {why}"));
                    }
                    println!("{:5.1} s  {page}", began.elapsed().as_secs_f64());
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}\nUPDATE_SNAPSHOTS=1 accepts what is printed now", wrong.join("\n"));
}

/// Runs all commands of a page in a folder of its own, and compares what they print and draw.
fn run(page: &str) -> Result<(), String> {
    let text = text_of(page);
    let blocks = blocks(&text);
    if !blocks.iter().any(|block| matches!(block.kind, Kind::Commands { .. })) {
        return Ok(());
    }
    let home = tempfile::tempdir().unwrap();
    let printed = tempfile::tempdir().unwrap();
    // A port that nobody has at this moment, in the place of the one that pages name.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let script = script(&blocks, printed.path()).replace("127.0.0.1:8080", &address);
    let program = Path::new(env!("CARGO_BIN_EXE_borduel"));
    let path = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut child = Command::new("bash")
        .args(["-c", &script])
        .current_dir(&home)
        .env("PATH", path.unwrap())
        .env("HOME", home.path())
        .env("BORDUEL_LISTEN", &address)
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .spawn()
        .map_err(|error| format!("bash: {error}"))?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return Err(format!("takes longer than {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let output = |block: &Block| {
        let text = std::fs::read(printed.path().join(block.line.to_string())).ok()?;
        Some(String::from_utf8_lossy(&text).replace(&address, "127.0.0.1:8080"))
    };
    if !status.success() {
        let last = blocks.iter().rfind(|block| output(block).is_some()).expect("the first block was begun");
        return Err(format!("line {}: {status}\n{}", last.line, output(last).unwrap_or_default()));
    }
    compare(page, &text, &blocks, &output)?;
    compare_pictures(page, &text, home.path())
}

/// All commands as one script, what each block prints in a file named after its line.
fn script(blocks: &[Block], printed: &Path) -> String {
    let mut script = String::from("set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n");
    for block in blocks {
        match &block.kind {
            Kind::File(name) => {
                let _ = write!(script, "cat >'{name}' <<'END OF FILE'\n{}END OF FILE\n", block.text);
            }
            Kind::Commands { exit } => {
                let _ = writeln!(script, "exec >'{}/{}' 2>&1", printed.display(), block.line);
                if *exit == 0 {
                    script.push_str(&block.text);
                } else {
                    let _ = writeln!(script, "code=0; (\n{}) || code=$?; [ $code = {exit} ]", block.text);
                }
            }
            _ => {}
        }
    }
    script
}

fn compare(page: &str, text: &str, blocks: &[Block], output: &dyn Fn(&Block) -> Option<String>) -> Result<(), String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut changed = false;
    // From the end, so that lines that are replaced move nothing that is still to come.
    for pair in blocks.windows(2).rev() {
        let [commands, expected] = pair else { continue };
        if !(matches!(commands.kind, Kind::Commands { .. }) && expected.kind == Kind::Output) {
            continue;
        }
        let printed = output(commands).unwrap_or_default();
        if agrees(&expected.text, &printed) {
            continue;
        }
        if !updating() {
            return Err(format!("line {}: expected\n{}\nand not\n{printed}", expected.line, expected.text));
        }
        let end = expected.line + expected.text.lines().count();
        lines.splice(expected.line..end, renewed(&expected.text, &printed));
        changed = true;
    }
    if changed {
        std::fs::write(root().join(page), lines.join("\n") + "\n").unwrap();
    }
    Ok(())
}

/// What is printed now, left out where it was left out before: as many lines stay at the beginning and at the end, and
/// between two gaps the lines that begin with the same word.
fn renewed(expected: &str, printed: &str) -> Vec<String> {
    let printed: Vec<String> = printed.lines().map(|line| line.trim_end().to_owned()).collect();
    let old: Vec<&str> = expected.lines().collect();
    let parts: Vec<&[&str]> = old.split(|line| *line == "…").collect();
    let [first, middle @ .., last] = parts.as_slice() else { return printed };
    if first.len() + last.len() >= printed.len() {
        return printed;
    }
    let word = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
    let mut kept = printed[..first.len()].to_vec();
    for part in middle {
        kept.push("…".to_owned());
        let wanted: Vec<String> = part.iter().map(|line| word(line)).collect();
        kept.extend(printed.iter().filter(|line| wanted.contains(&word(line))).cloned());
    }
    kept.push("…".to_owned());
    kept.extend_from_slice(&printed[printed.len() - last.len()..]);
    kept
}

/// Pictures that a page's commands drew are those that it shows.
fn compare_pictures(page: &str, text: &str, home: &Path) -> Result<(), String> {
    for name in pictures(text) {
        let Ok(drawn) = std::fs::read(home.join(&name)) else { continue };
        let stored = root().join(page).with_file_name(&name);
        if std::fs::read(&stored).is_ok_and(|stored| stored == drawn) {
            continue;
        }
        if !updating() {
            return Err(format!("{name} is not the picture that is drawn now"));
        }
        std::fs::write(stored, drawn).unwrap();
    }
    Ok(())
}

/// A link to another site that is mistyped cannot be seen without a network, so a new one is refused until it is
/// listed.
#[test]
fn links_to_other_sites_are_known() {
    let mut found: Vec<String> = Vec::new();
    let more = ["CHANGELOG.md", "SECURITY.md", "python/README.md"].map(str::to_owned);
    let measured = MEASUREMENTS.iter().map(|name| format!("docs/{name}.md"));
    for page in pages().into_iter().chain(measured).chain(more) {
        let text = text_of(&page);
        for (at, _) in text.match_indices("http") {
            let link: String =
                text[at..].chars().take_while(|c| !c.is_whitespace() && !")>\"'`\\".contains(*c)).collect();
            let link = link.trim_end_matches(['.', ',', ';', ':', '*']);
            let Some((_, place)) = link.split_once("://") else { continue };
            let host = place.split(['/', '?', '#']).next().unwrap_or_default();
            if host.is_empty() || NOWHERE.iter().any(|nobody| host == *nobody || host.ends_with(&format!(".{nobody}")))
            {
                continue;
            }
            assert!(ELSEWHERE.contains(&link), "{page}: is {link} right? then list it");
            found.push(link.to_owned());
        }
    }
    for link in ELSEWHERE {
        assert!(found.iter().any(|found| found == link), "no page leads to {link} any more");
    }
}

/// One idea a paragraph: five lines at most, on all pages that people write.
#[test]
fn paragraphs_are_short() {
    let read = [
        "CONTRIBUTING.md",
        "README.md",
        "docs/index.md",
        "docs/questions.md",
        "docs/FORMATS.md",
        "docs/RESEARCHERS.md",
        "docs/VOTES.md",
        "docs/tutorials/",
        "docs/how-to/",
        "docs/explanation/",
        "docs/gallery/",
    ];
    for page in pages().into_iter().filter(|page| read.iter().any(|start| page.starts_with(start))) {
        let (mut lines, mut fenced) = (0, false);
        for (number, line) in text_of(&page).lines().enumerate() {
            // Commands that are run and not shown are no prose either.
            fenced ^= line.trim_start().starts_with("```") || matches!(line, "<!-- run first:" | "-->");
            let prose = !fenced && !line.is_empty() && !line.starts_with(['|', '#', '<', '`']);
            let begins = line.starts_with(['*', '-']) || line.starts_with(|first: char| first.is_ascii_digit());
            lines = if !prose {
                0
            } else if begins {
                1
            } else {
                lines + 1
            };
            assert!(lines <= 5, "{page}:{}: the paragraph is longer than five lines", number + 1);
            assert!(
                fenced || line.starts_with(['|', '!']) || line.chars().count() <= 165,
                "{page}:{}: a long line",
                number + 1
            );
        }
    }
}

/// A lab book opens with what came of it, in three sentences at most, and the command that repeats it.
#[test]
fn measurements_open_with_their_result_and_its_command() {
    for name in MEASUREMENTS {
        let text = text_of(&format!("docs/{name}.md"));
        let opening = text.split("```sh\n").next().unwrap_or_default().trim();
        let parts: Vec<&str> = opening.split("\n\n").collect();
        assert_eq!(parts.len(), 2, "docs/{name}.md: a title, the result, and the command");
        let words: Vec<&str> = parts[1].split_whitespace().collect();
        let ends = words.iter().filter(|word| word.trim_end_matches(['*', ')', '”']).ends_with('.')).count();
        assert!(ends <= 3, "docs/{name}.md: the result takes {ends} sentences");
    }
}

/// What a page of explanation says can be read in five minutes.
#[test]
fn explanations_are_short() {
    for page in pages().into_iter().filter(|page| page.starts_with("docs/explanation/")) {
        let words = text_of(&page).split_whitespace().count();
        assert!(words <= 1_000, "{page}: {words} words");
    }
}

/// One task, one screen: what a how-to page says fits 450 words, and with its commands and what they print 700.
#[test]
fn how_tos_fit_a_screen() {
    for page in pages().into_iter().filter(|page| page.starts_with("docs/how-to/")) {
        let (mut said, mut all, mut fenced, mut hidden) = (0, 0, false, false);
        for line in text_of(&page).lines() {
            hidden |= line.starts_with("<!--");
            if !hidden {
                let words = line.split_whitespace().count();
                let fence = line.trim_start().starts_with("```");
                said += if fenced || fence { 0 } else { words };
                all += words;
                fenced ^= fence;
            }
            hidden &= !line.ends_with("-->");
        }
        assert!(said <= 450 && all <= 700, "{page}: {said} words, {all} with its blocks");
    }
}
