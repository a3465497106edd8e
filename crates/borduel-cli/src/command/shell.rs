//! What shells and manuals want: completions, the manual page, and usage errors in one line.

use crate::failure::Failure;
use crate::output::{heard, print};
use clap::Command;
use clap::error::ErrorKind;
use clap_complete::Shell;
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

/// Help and version as they are; anything else as one line that says what is wrong and where to look.
pub(crate) fn answer(error: &clap::Error) -> Result<(), Failure> {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return heard(error.print());
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Err(Failure::Usage("no command given: try `borduel reproduce` or `borduel --help`".to_owned()));
    }
    let text = error.render().to_string();
    let parts: Vec<&str> = text
        .lines()
        .map(|line| line.trim().trim_start_matches("error: ").trim_start_matches("tip: "))
        .filter(|line| !(line.is_empty() || line.starts_with("Usage:") || line.starts_with("For more information")))
        .collect();
    Err(Failure::Usage(format!("{}; see `borduel --help`", parts.join("; "))))
}
