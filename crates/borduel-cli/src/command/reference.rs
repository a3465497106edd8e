//! `borduel reference`: every command and flag as a page of the documentation, from what the program itself reads.

use super::help::{Example, examples_of};
use crate::output::print;
use borduel_lab::failure::Failure;
use clap::{Arg, Command};
use std::fmt::Write;

/// What the examples need, made by the tests that run them and not shown.
const BEFORE: &str = r#"<!-- run first:
printf 'id,name\nash,Ash\nelm,Elm\nyew,Yew\n' > items.csv
printf 'winner,loser,count\nash,elm,60\nelm,ash,40\nash,yew,70\nyew,ash,30\nelm,yew,55\nyew,elm,45\n' > votes.csv
printf 'home,away,who_won\nash,elm,home\nelm,yew,away\nyew,ash,away\n' > games.csv
printf 'winner,loser,count\nash,elm,40\nelm,ash,20\nelm,GPT,35\nGPT,elm,25\nash,GPT,45\nGPT,ash,15\n' > people.csv
printf 'Ada\nGrace\n' > people.txt
printf 'winner,loser,count\nash,elm,50\nelm,ash,10\nelm,GPT,5\nGPT,elm,55\nash,GPT,20\nGPT,ash,40\n' > gpt.csv
cat > judge.py <<'END'
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"q": asked["q"], "answer": "left" if asked["left"] < asked["right"] else "right"}), flush=True)
END
mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions
-->

"#;

/// Prints the page.
pub(super) fn main(mut command: Command) -> Result<(), Failure> {
    command.build();
    let mut page = String::from(
        "# Every command and flag\n\nMade from the program by `borduel reference`. `borduel COMMAND -h` has the flags \
         you need first, \
         `borduel COMMAND --help` all of them.\n\n",
    );
    page.push_str(BEFORE);
    if let Some(more) = command.get_after_help() {
        let _ = writeln!(page, "{}\n", text(&more.to_string()));
    }
    for sub in shown(&command) {
        chapter(&mut page, sub, "borduel", 2);
    }
    print(page.trim_end().as_bytes())?;
    print(b"\n")
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
}

/// A subcommand: what it does, examples, its flags by group, and its own subcommands.
fn chapter(page: &mut String, command: &Command, above: &str, depth: usize) {
    let name = format!("{above} {}", command.get_name());
    let _ = writeln!(page, "{} {name}\n", "#".repeat(depth));
    if let Some(about) = command.get_about() {
        let _ = writeln!(page, "{}.\n", text(&about.to_string()));
    }
    for Example { what, line, not_run } in examples_of(name.strip_prefix("borduel ").unwrap_or(&name)) {
        let mark = if not_run.is_empty() { String::new() } else { format!("<!-- not run: {not_run} -->\n") };
        let _ = writeln!(page, "{what}:\n\n{mark}```sh\n{line}\n```\n");
    }
    let usual = |arg: &&Arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version");
    let mut heads: Vec<&str> = Vec::new();
    for arg in command.get_arguments().filter(usual) {
        let head = heading(arg);
        if !heads.contains(&head) {
            heads.push(head);
        }
    }
    for head in heads {
        let _ = writeln!(page, "{} {head}\n\n| flag | what it does |\n|:--|:--|", "#".repeat(depth + 1));
        for arg in command.get_arguments().filter(usual).filter(|arg| heading(arg) == head) {
            let _ = writeln!(page, "| {} | {} |", spelled(arg), meaning(arg));
        }
        page.push('\n');
    }
    for sub in shown(command) {
        chapter(page, sub, &name, depth + 1);
    }
}

fn heading(arg: &Arg) -> &str {
    if arg.is_positional() { "Arguments" } else { arg.get_help_heading().unwrap_or("Options") }
}

/// The flag as it is typed.
fn spelled(arg: &Arg) -> String {
    let value = || arg.get_value_names().map(|names| names.join(" ")).unwrap_or_default();
    let takes = arg.get_action().takes_values();
    match (arg.get_long(), arg.get_short()) {
        (None, _) => format!("`{}`", cell(&value())),
        (Some(long), short) => {
            let short = short.map_or_else(String::new, |short| format!("`-{short}`, "));
            let value = if takes { format!(" {}", value()) } else { String::new() };
            format!("{short}`--{long}{}`", cell(&value))
        }
    }
}

/// What it does, its words and what they mean, its default and its variable.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut said = text(&help);
    if arg.get_action().takes_values() {
        let words = arg.get_possible_values();
        let words = words.iter().filter(|word| !word.is_hide_set()).map(|word| {
            let what = word.get_help().map(|what| format!(": {}", text(&what.to_string()))).unwrap_or_default();
            format!("<br>`{}`{what}", word.get_name())
        });
        said.extend(words);
        let default: Vec<String> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        if !default.is_empty() {
            let _ = write!(said, "<br>Default: `{}`", cell(&default.join(",")));
        }
    }
    if let Some(variable) = arg.get_env() {
        let _ = write!(said, "<br>Variable: `{}`", variable.to_string_lossy());
    }
    said
}

/// Text within a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Prose within a cell: nothing in it is a tag.
fn text(prose: &str) -> String {
    let one_line = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    cell(&one_line).replace('<', "&lt;").replace('{', "&#123;")
}
