//! What the tests of several crates share: servers and databases of their own, the command run in a folder, files that
//! went wrong at random, and what is said of tests that a machine cannot run.
#![allow(clippy::missing_panics_doc, reason = "what a test is not given is its failure")]

pub mod ask;
pub mod database;
pub mod http;
pub mod mutate;
pub mod output;
pub mod schema;
pub mod server;
mod skip;

pub use skip::skip;

use std::path::PathBuf;

/// The program `borduel` that was built with the test that runs: Cargo puts tests into `deps`, beside the programs.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join(format!("borduel{}", std::env::consts::EXE_SUFFIX))
}
