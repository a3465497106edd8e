//! `borduel run`: an experiment file of the user's own.

use super::common::{Common, apply, flags, place, quoted, set_by};
use super::perform::{perform, prepared, says};
use crate::output::results::PlayedResults;
use crate::output::{print, show};
use borduel_lab::experiment::file::{EXAMPLE, load, located};
use borduel_lab::failure::Failure;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The experiment file (TOML)
    #[arg(required_unless_present = "example", value_name = "FILE.toml")]
    file: Option<PathBuf>,
    /// Print a commented experiment file to start from, and do nothing else
    #[arg(long, conflicts_with = "file")]
    example: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the file, or prints the example.
pub(crate) fn main(arguments: &Run) -> Result<(), Failure> {
    let (common, Some(file)) = (&arguments.common, &arguments.file) else {
        return print(EXAMPLE.as_bytes());
    };
    let (mut experiment, source) = load(file)?;
    apply(&mut experiment, common)?;
    let mut prepared = prepared(&experiment, common).map_err(|error| match set_by(common, &error) {
        Some(flag) => Failure::Usage(format!("{flag}: {error}")),
        None => located(file, &source, &error),
    })?;
    prepared.inputs.push(file.clone());
    let fingerprint = prepared.fingerprint().map_err(|error| Failure::from_command(&error))?;
    let path = place(common, &experiment.name, &fingerprint);
    let command = format!("borduel run {}{}", quoted(&file.display().to_string()), flags(common));
    let played = perform(prepared, &path, common, &command)?;
    let shown = PlayedResults { name: &experiment.name, played: vec![&played], exponents: &[] };
    show(&shown, common.format, common.quiet)?;
    says(common, &shown, &path);
    Ok(())
}
