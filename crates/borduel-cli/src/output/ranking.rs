//! A ranking, and what stands beside it, for standard output.

use super::Shows;
use borduel_lab::failure::Failure;
use borduel_report::Table;
use borduel_report::ranking::Breakdown;

impl Shows for Breakdown<'_> {
    fn text(&self) -> String {
        Breakdown::text(self)
    }

    fn markdown(&self) -> String {
        Breakdown::markdown(self)
    }

    fn csv(&self) -> Table {
        self.csv_table()
    }

    fn json(&self) -> Result<String, Failure> {
        Breakdown::json(self).map_err(|error| Failure::Internal(error.to_string()))
    }
}
