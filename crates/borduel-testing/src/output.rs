//! The command run in a folder, and what it says.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the command with these arguments.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(crate::program()).args(arguments).current_dir(folder).output().unwrap()
}

/// What it said on standard output.
pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What it said on standard error.
pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What it said on standard output, as JSON.
#[track_caller]
pub fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", err(output));
    serde_json::from_slice(&output.stdout).unwrap()
}
