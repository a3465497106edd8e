//! Where the votes and tables come from that an experiment names.

use crate::environment::crowd::Wins;
use crate::{Error, Result};

/// Where named votes and matrices come from: this library reads no files.
pub trait Sources {
    /// The votes of this name.
    fn votes(&self, name: &str) -> Result<Wins>;
    /// The table of numbers of this name, row by row.
    fn table(&self, name: &str) -> Result<Vec<Vec<f64>>>;
}

/// Sources that have no tables, so that every name is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSources;

impl Sources for NoSources {
    fn votes(&self, name: &str) -> Result<Wins> {
        Err(Error::Data(format!("votes \"{name}\": nothing is known by this name")))
    }
    fn table(&self, name: &str) -> Result<Vec<Vec<f64>>> {
        Err(Error::Data(format!("table \"{name}\": nothing is known by this name")))
    }
}
