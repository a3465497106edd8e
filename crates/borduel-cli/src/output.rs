//! What people and programs get to see: text on standard output, pictures and pages.

pub(crate) mod chart;
pub(crate) mod numbers;
pub(crate) mod ranking;
pub(crate) mod ranking_page;
mod ranking_pictures;
pub(crate) mod report;
pub(crate) mod results;

use crate::failure::Failure;
use clap::ValueEnum;
use std::io::{self, Write};

/// How the results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// One JSON object
    Json,
    /// One row for every environment, horizon and policy
    Csv,
    /// Markdown
    Md,
}

/// Prints bytes on standard output.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}
