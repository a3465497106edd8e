//! A ranking, and what stands beside it, for standard output.

use super::Shows;
use borduel_lab::failure::Failure;
use borduel_report::Table;
use borduel_report::ranking::Beside;

impl Shows for Beside<'_> {
    fn text(&self) -> String {
        Beside::text(self)
    }

    fn markdown(&self) -> String {
        Beside::markdown(self)
    }

    fn csv(&self) -> Table {
        self.csv_table()
    }

    fn json(&self) -> Result<String, Failure> {
        Beside::json(self).map_err(|error| Failure::Internal(error.to_string()))
    }
}
