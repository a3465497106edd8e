//! A page of the documentation as tests read it: its blocks, and what is to be done with each.
//!
//! * A block with `title="NAME"` is a file: it is written when its turn comes.
//! * `sh` and `bash` are run by one shell a page. A block `text` right after one is what it prints; a line `…` stands
//!   for any number of lines.
//! * `python` without a title is run by `python/tests/test_docs.py`, which reads pages in the same way.
//! * Everything else says in a comment before it what it is: `<!-- from PATH -->` (the lines stand in that file, which
//!   has tests of its own) or `<!-- not run: WHY -->`. `<!-- exit N -->` before commands says that the last of them
//!   fails with that code.
//! * `<!-- run first: COMMANDS -->` is run and not shown.
#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

/// What stands between two fences.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The line of the first fence, from 1 on.
    pub line: usize,
    pub language: String,
    pub text: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    File(String),
    Commands { exit: i32 },
    Output,
    Python,
    From(String),
    NotRun(String),
    Unknown,
}

/// All blocks of a page, in their order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut lines = page.lines().enumerate();
    let mut mark: Option<&str> = None;
    let mut hidden: Option<(usize, String)> = None;
    while let Some((number, line)) = lines.next() {
        let trimmed = line.trim();
        if let Some((start, code)) = &mut hidden {
            if trimmed == "-->" {
                let kind = Kind::Commands { exit: 0 };
                found.push(Block { line: *start, language: "sh".to_owned(), text: code.clone(), kind });
                hidden = None;
            } else {
                code.push_str(line);
                code.push('\n');
            }
            continue;
        }
        if trimmed == "<!-- run first:" {
            hidden = Some((number + 1, String::new()));
            continue;
        }
        if let Some(info) = trimmed.strip_prefix("```") {
            let indent = line.len() - line.trim_start().len();
            let mut text = String::new();
            for (_, line) in lines.by_ref() {
                if line.trim() == "```" {
                    break;
                }
                text.push_str(line.get(indent..).unwrap_or_else(|| line.trim_start()));
                text.push('\n');
            }
            let language = info.split_whitespace().next().unwrap_or_default().to_owned();
            let title = info.split("title=\"").nth(1).and_then(|rest| rest.split('"').next());
            let after_commands = matches!(found.last(), Some(Block { kind: Kind::Commands { .. } | Kind::Python, .. }));
            let marked =
                |prefix: &str| mark.and_then(|mark| mark.strip_prefix(prefix)).map(|rest| rest.trim().to_owned());
            let kind = if let Some(why) = marked("not run:") {
                Kind::NotRun(why)
            } else if let Some(path) = marked("from ") {
                Kind::From(path)
            } else if let Some(name) = title {
                Kind::File(name.to_owned())
            } else {
                match language.as_str() {
                    "sh" | "bash" => {
                        let exit = marked("exit ").map_or(0, |code| code.parse().expect("a code after `exit`"));
                        Kind::Commands { exit }
                    }
                    "text" if after_commands => Kind::Output,
                    "python" | "pycon" => Kind::Python,
                    _ => Kind::Unknown,
                }
            };
            found.push(Block { line: number + 1, language, text, kind });
            mark = None;
        } else if let Some(comment) = trimmed.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) {
            mark = Some(comment.trim());
        } else if !trimmed.is_empty() {
            mark = None;
        }
    }
    found
}

/// The pictures that a page shows.
pub fn pictures(page: &str) -> Vec<String> {
    let shown = page.split("![").skip(1).filter_map(|rest| rest.split("](").nth(1)?.split(')').next());
    shown.map(str::to_owned).collect()
}

/// Whether lines are those that were expected, where `…` stands for any number of them.
pub fn agrees(expected: &str, printed: &str) -> bool {
    fn from(expected: &[&str], printed: &[&str]) -> bool {
        match expected.split_first() {
            None => printed.is_empty(),
            Some((&"…", rest)) => (0..=printed.len()).any(|skipped| from(rest, &printed[skipped..])),
            Some((line, rest)) => {
                printed.split_first().is_some_and(|(first, others)| line == first && from(rest, others))
            }
        }
    }
    let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let (expected, printed) = (lines(expected), lines(printed));
    from(
        &expected.iter().map(String::as_str).collect::<Vec<_>>(),
        &printed.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}
