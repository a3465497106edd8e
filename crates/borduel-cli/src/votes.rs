//! Votes: the files of them that the command line names, and what is made of those.

/// Whether votes look as if the questions had followed the answers.
pub mod adaptive {
    pub use borduel::audit::looks_adaptive;
}
pub(crate) mod earlier;
pub mod files;
pub mod hint;
pub mod model;
pub(crate) mod percent;
pub(crate) mod prices;
pub(crate) mod reading;
pub(crate) mod rejected_rows;
