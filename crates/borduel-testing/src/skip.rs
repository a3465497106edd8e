//! Tests that need what not every machine has say so when they do not run; `./test` gathers it.

use std::io::Write;

/// Says that something is not checked here, and why.
pub fn skip(what: &str, why: &str) {
    eprintln!("not checked: {what}: {why}");
    if let Some(list) = std::env::var_os("BORDUEL_SKIPS") {
        let mut list = std::fs::File::options().append(true).create(true).open(list).unwrap();
        writeln!(list, "{what}: {why}").unwrap();
    }
}
