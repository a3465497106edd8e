//! `borduel run`: an experiment file of the user's own.

use crate::arguments::Run;
use crate::execute::{perform, place, prepare};
use crate::experiment_file::{EXAMPLE, apply, load, located};
use crate::failure::Failure;
use crate::format::{Shown, text};
use crate::reproduce::{flags, says};
use crate::shell::print;

/// Runs the file, or prints the example.
pub(crate) fn main(arguments: &Run) -> Result<(), Failure> {
    let (common, Some(file)) = (&arguments.common, &arguments.file) else {
        return print(EXAMPLE.as_bytes());
    };
    let (mut experiment, source) = load(file)?;
    apply(&mut experiment, common)?;
    let prepared = prepare(&experiment, common).map_err(|error| located(file, &source, &error))?;
    let path = place(common, &experiment.name, &prepared.fingerprint);
    let command = format!("borduel run {}{}", file.display(), flags(common));
    let played = perform(prepared, &path, common, &command)?;
    let shown = Shown { name: &experiment.name, played: vec![&played], exponents: &[] };
    print(text(&shown, common.format)?.as_bytes())?;
    says(common, &shown, &path);
    Ok(())
}
