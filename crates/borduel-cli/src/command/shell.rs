//! What shells and manuals want: completions, the manual page, and usage errors in one line.

use super::help::examples_of;
use crate::output::{or_broken_pipe, print};
use borduel_lab::failure::Failure;
use clap::Command;
use clap::error::ErrorKind;
use clap_complete::Shell;
use std::ffi::OsString;
use std::io::{self, Write};

/// Prints a completion script.
pub(crate) fn completions(command: &mut Command, shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "borduel", &mut script);
    print(&script)
}

/// Prints the manual page of the program and all its subcommands.
pub(crate) fn man(mut command: Command) -> Result<(), Failure> {
    let mut page = Vec::new();
    command.build();
    let failed = |error: io::Error| Failure::output(&error);
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(failed)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        // The name line of every subcommand is a section of the one page.
        writeln!(page, ".SH BORDUEL {}", sub.get_name().to_uppercase()).map_err(failed)?;
        let part = clap_mangen::Man::new(sub.clone());
        part.render_synopsis_section(&mut page).map_err(failed)?;
        part.render_description_section(&mut page).map_err(failed)?;
        part.render_options_section(&mut page).map_err(failed)?;
    }
    print(&page)
}

/// Lines of clap's that help nobody here: a misspelt flag is hardly ever meant as a value.
const NOISE: [&str; 3] = ["Usage:", "For more information", "to pass '"];

/// Help and version as they are; anything else as one line that says what is wrong and where to look.
pub(crate) fn answer(error: &clap::Error, command: &str) -> Result<(), Failure> {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return or_broken_pipe(error.print());
    }
    let shown = error.render().to_string();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // No command was given: what clap shows then are those that there are.
        return print(shown.as_bytes());
    }
    let text = in_plain_words(&shown);
    let parts: Vec<&str> = text
        .lines()
        .map(|line| line.trim().trim_start_matches("error: ").trim_start_matches("tip: "))
        .filter(|line| !(line.is_empty() || NOISE.iter().any(|start| line.starts_with(start))))
        .collect();
    let said = match (error.kind(), parts.as_slice()) {
        (ErrorKind::MissingRequiredArgument, [_, missing @ ..]) => {
            let example = examples_of(command.trim_start_matches("borduel ")).first();
            let shown = example.filter(|_| !missing.iter().any(|what| what.contains("as in `")));
            let shown = shown.map_or_else(String::new, |example| format!(", as in `{}`", example.line));
            format!("`{command}` needs {}{shown}", missing.join(" and "))
        }
        // The words that may stand there come last, and are no list in brackets.
        (ErrorKind::InvalidValue, [wrong, known, perhaps @ ..]) if known.starts_with("[possible values: ") => {
            let known = known.trim_start_matches("[possible values: ").trim_end_matches(']');
            let perhaps = perhaps.first().map_or_else(String::new, |line| format!("{line}; "));
            format!("{wrong}: {perhaps}it may be {known}")
        }
        // A file in the place of a command.
        (ErrorKind::InvalidSubcommand, [unknown, ..]) if unknown.contains('.') => {
            let file = unknown.split('\'').nth(1).unwrap_or("FILE");
            format!("{unknown}; to rank the votes in it: `borduel rank {file}`")
        }
        // The last one is the nearest.
        (ErrorKind::InvalidSubcommand, [unknown, perhaps]) => {
            format!(
                "{unknown}; perhaps {}",
                perhaps.rsplit(", ").next().unwrap_or(perhaps).trim_start_matches("perhaps ")
            )
        }
        (ErrorKind::UnknownArgument, [unknown, ..]) => {
            let known = ELSEWHERE.iter().find(|(flag, _)| unknown.contains(&format!("'{flag}'")));
            known.map_or_else(|| parts.join("; "), |(_, here)| format!("{unknown}; here that is {here}"))
        }
        _ => parts.join("; "),
    };
    Err(Failure::Usage(format!("{said}; see `{command} -h`")))
}

/// What other programs call something, and what it is called here.
const ELSEWHERE: [(&str, &str); 5] = [
    ("--json", "--format json"),
    ("--csv", "--format csv"),
    ("--confidence", "--level PERCENT"),
    ("--port", "--listen 127.0.0.1:PORT"),
    ("--exclude-voter", "--where 'COLUMN!=VOTER'"),
];

/// The command and its subcommands that arguments begin with.
pub(crate) fn command_in(command: &Command, arguments: &[OsString]) -> String {
    let (mut at, mut words) = (command, vec![command.get_name()]);
    for word in arguments.iter().skip(1) {
        let Some(sub) = word.to_str().and_then(|word| at.find_subcommand(word)) else { break };
        words.push(sub.get_name());
        at = sub;
    }
    words.join(" ")
}

/// What parsers of the standard library say, as it helps whoever typed the value.
fn in_plain_words(text: &str) -> String {
    const WHOLE: &str = "it must be a whole number, such as 1";
    let known = [
        ("unexpected argument '", "there is no argument '"),
        ("' found", "'"),
        ("unrecognized subcommand '", "there is no command '"),
        ("a similar argument exists: ", "perhaps "),
        ("a similar subcommand exists: ", "perhaps "),
        ("some similar subcommands exist: ", "perhaps "),
        ("a similar value exists: ", "perhaps "),
        (" is not in 1..18446744073709551615", " is too small, it must be at least 1"),
        (" is not in 1..=", " does not lie between 1 and "),
        ("<VOTES>...", "a file of votes, as in `borduel rank votes.csv`"),
        ("invalid digit found in string", WHOLE),
        ("cannot parse integer from empty string", WHOLE),
        ("number too large to fit in target type", "it is too large"),
        ("number too small to fit in target type", "it is too small"),
        ("invalid float literal", "it must be a number, such as 0.5"),
        ("cannot parse float from empty string", "it must be a number, such as 0.5"),
        ("invalid socket address syntax", "it must be an address and a port, such as 127.0.0.1:8080"),
    ];
    known.iter().fold(text.to_owned(), |text, (said, meant)| text.replace(said, meant))
}
