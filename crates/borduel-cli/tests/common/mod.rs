//! A user at the command line: runs the program in a directory of its own and looks at everything that comes back.

#![allow(dead_code, unreachable_pub, reason = "every story uses what it needs")]

pub mod find;
pub mod page;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A user in an empty directory.
pub struct User {
    home: TempDir,
}

/// What came back.
pub struct Answer {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl User {
    pub fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The program, ready to be started with these arguments.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
        command.env_remove("COLUMNS").current_dir(self.home.path()).args(line.split_whitespace());
        command
    }

    /// Runs the program.
    pub fn borduel(&self, line: &str) -> Answer {
        answer(&self.command(line).output().unwrap())
    }

    /// Runs the program, which must succeed, and returns its standard output.
    pub fn succeeds(&self, line: &str) -> String {
        let answer = self.borduel(line);
        assert_eq!(answer.code, 0, "borduel {line}: {}", answer.err);
        answer.out
    }

    /// Files below a directory, by name.
    pub fn list(&self, name: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path(name))
            .map(|entries| entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect())
            .unwrap_or_default();
        names.sort();
        names
    }
}

pub fn answer(output: &Output) -> Answer {
    Answer {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout.clone()).unwrap(),
        err: String::from_utf8(output.stderr.clone()).unwrap(),
    }
}

/// Compares with the file of this name; `UPDATE_SNAPSHOTS=1` writes it anew.
pub fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name} differs; UPDATE_SNAPSHOTS=1 accepts what is new");
}

/// A table without its last column, which is the speed of this machine.
pub fn without_speed(table: &str) -> String {
    let cut = |line: &str| {
        let Some(start) = line.rfind("  ").filter(|_| line.ends_with("/s") || line.ends_with("speed")) else {
            return line.to_owned();
        };
        line[..start].trim_end().to_owned()
    };
    table.lines().map(|line| cut(line) + "\n").collect()
}
