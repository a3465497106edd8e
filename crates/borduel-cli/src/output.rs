//! What people and programs get to see: results on standard output in the format they asked for, messages beside them.

pub mod design;
mod ranking;
pub(crate) mod results;

use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_report::{Table, plain};
use clap::ValueEnum;
use std::io::{self, ErrorKind, Write};

/// How the results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// One JSON object
    Json,
    /// One row a result, every digit; cells like formulas (=, +, -, @) get an apostrophe in front
    Csv,
    /// Markdown
    Md,
}

/// What can be shown in every format.
pub trait Shows {
    /// For a terminal.
    fn text(&self) -> String;
    /// For a document.
    fn markdown(&self) -> String;
    /// For a spreadsheet, with every digit.
    fn csv(&self) -> Table;
    /// Whether its CSV is a form that borduel reads back, in which nothing may be changed.
    fn is_form(&self) -> bool {
        false
    }
    /// For a program.
    ///
    /// # Errors
    /// A number that JSON cannot hold.
    fn json(&self) -> Result<String, Failure>;
}

/// Prints something on standard output in this format.
pub(crate) fn show(what: &dyn Shows, format: Format, quiet: bool) -> Result<(), Failure> {
    let text = match format {
        Format::Table => escape_control(&what.text()),
        Format::Md => escape_control(&what.markdown()),
        Format::Json => what.json()?,
        Format::Csv => {
            let mut table = what.csv();
            let formulas = table.formulas();
            let remedy = if what.is_form() {
                "have them imported as text"
            } else {
                table.tame();
                "they got an apostrophe in front"
            };
            if formulas > 0 && !quiet {
                write_line(&format!(
                    "note: {formulas} cells begin like formulas of a spreadsheet (=, +, -, @); {remedy}"
                ));
            }
            table.csv()
        }
    };
    print(text.as_bytes())
}

/// Lines in which nothing can act on a terminal.
fn escape_control(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// Prints bytes on standard output. That whoever read it has gone is no fault: what was done is done.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    or_broken_pipe(out.write_all(bytes).and_then(|()| out.flush()))
}

/// What became of writing on standard output.
pub(crate) fn or_broken_pipe(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(()),
    }
}
