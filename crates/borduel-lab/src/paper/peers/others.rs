//! Other people's programs on the six rankers, timed in the same run: duelpy from PyPI, and the C++ of RMED's authors.

use crate::failure::Failure;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// How long both play.
pub(super) const DUELPY_ROUNDS: u64 = 10_000;
pub(super) const AUTHORS_ROUNDS: u64 = 100_000;

/// What one of their policies did.
pub(super) struct Timed {
    /// Its name there.
    pub(super) name: String,
    /// The policy of the same name here, by its label.
    pub(super) label: String,
    pub(super) rounds_per_second: f64,
    /// Mean `condorcet` regret, and its standard error.
    pub(super) regret: (f64, f64),
}

/// What was timed of both; nothing where a program was not named.
pub struct Others {
    pub(super) duelpy: Option<Vec<Timed>>,
    pub(super) authors: Option<Vec<Timed>>,
}

impl Others {
    /// Times duelpy with this Python, and the authors' library in this folder.
    pub fn timed(python: Option<&Path>, library: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self { duelpy: python.map(duelpy).transpose()?, authors: library.map(authors).transpose()? })
    }
}

fn duelpy(python: &Path) -> Result<Vec<Timed>, Failure> {
    let need = format!("--duelpy {}: needs a Python with duelpy 1.0.0 and numpy below 1.24", python.display());
    let mut program = Command::new(python);
    program.args(["-c", include_str!("duelpy.py"), &DUELPY_ROUNDS.to_string()]);
    rows(&output_of(&mut program, &need)?, &need)
}

fn authors(library: &Path) -> Result<Vec<Timed>, Failure> {
    let need = format!(
        "--duelingbanditlib {}: needs a C++ compiler called c++, and the library's folder with policy/policy_rmed.hpp",
        library.display()
    );
    let place = tempfile::tempdir().map_err(|error| Failure::Usage(format!("{need}: {error}")))?;
    let (source, program) = (place.path().join("authors.cpp"), place.path().join("authors"));
    std::fs::write(&source, include_str!("authors.cpp")).map_err(|error| Failure::Usage(format!("{need}: {error}")))?;
    let flags = ["-O2", "-w", "-std=c++11", "-I"].map(OsStr::new);
    let mut compiler = Command::new("c++");
    compiler.args(flags).arg(library).arg("-o").arg(&program).arg(&source);
    output_of(&mut compiler, &need)?;
    rows(&output_of(Command::new(program).arg(AUTHORS_ROUNDS.to_string()), &need)?, &need)
}

/// What a program writes to standard output, or what it needs and how it failed.
fn output_of(program: &mut Command, need: &str) -> Result<String, Failure> {
    let output = program.output().map_err(|error| Failure::Usage(format!("{need}: {error}")))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        // Compilers name the cause first, Python last.
        let line = errors.lines().find(|line| line.contains("error")).or_else(|| errors.lines().last());
        return Err(Failure::Usage(format!("{need}: {}", line.unwrap_or("it failed").trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn rows(text: &str, need: &str) -> Result<Vec<Timed>, Failure> {
    text.lines().map(|line| row(line).ok_or_else(|| Failure::Usage(format!("{need}: it said {line:?}")))).collect()
}

/// A line of either program: name; label; rounds per CPU second; mean regret; its standard error.
fn row(line: &str) -> Option<Timed> {
    let mut parts = line.split(';');
    let mut next = || parts.next();
    let (name, label) = (next()?.to_owned(), next()?.to_owned());
    let rounds_per_second = next()?.parse().ok()?;
    Some(Timed { name, label, rounds_per_second, regret: (next()?.parse().ok()?, next()?.parse().ok()?) })
}
