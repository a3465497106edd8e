//! A ranking for standard output.

use super::Shows;
use crate::failure::Failure;
use borduel_report::Table;
use borduel_report::ranking::{Ranked, json};

impl Shows for Ranked<'_> {
    fn text(&self) -> String {
        Ranked::text(self)
    }

    fn markdown(&self) -> String {
        Ranked::markdown(self)
    }

    fn csv(&self) -> Table {
        self.csv_table()
    }

    fn json(&self) -> Result<String, Failure> {
        json(self).map_err(|error| Failure::Internal(error.to_string()))
    }
}
