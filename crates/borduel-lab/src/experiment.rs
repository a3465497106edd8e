//! Experiments: their files, and how they are played so that nothing finished is ever lost.
//!
//! [`prepare`](prepare::prepare) makes a plan and its fingerprint, a [`Journal`](journal::Journal) in a
//! [`Folder`](folder::Folder) keeps what is finished, [`play`](play::play) plays what is missing, and [`perform`]
//! puts everything into the directory that comes of it. Nothing here is global: no
//! signal is handled, nothing is printed, and the caller decides when to stop and how progress is shown.

mod clock;
mod curves;
pub mod file;
pub mod folder;
pub mod journal;
pub mod perform;
pub mod play;
pub mod played;
pub mod prepare;
pub mod runs;
mod sources;
mod spans;

pub use sources::{Files, fingerprint};
