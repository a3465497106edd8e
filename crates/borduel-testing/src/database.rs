//! Databases for tests: a SQLite file always, and a PostgreSQL database where `with-postgres` has started one.

use crate::skip;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A database that is gone with this value, or with its server.
pub struct Database {
    /// The address of the database.
    pub url: String,
    /// Where it is kept, if it is a file.
    pub folder: Option<tempfile::TempDir>,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A new SQLite file, and a new PostgreSQL database if there is one; what is not there is said.
pub fn databases() -> Vec<Database> {
    let mut all = vec![sqlite()];
    match postgres() {
        Some(database) => all.push(database),
        None => skip("PostgreSQL", "not started by crates/borduel-study/tests/with-postgres"),
    }
    all
}

/// A new SQLite file.
pub fn sqlite() -> Database {
    let folder = tempfile::tempdir().unwrap();
    Database { url: format!("sqlite:{}", folder.path().join("test.db").display()), folder: Some(folder) }
}

/// A new PostgreSQL database, where there is a server.
pub fn postgres() -> Option<Database> {
    let server = std::env::var("BORDUEL_POSTGRES").ok()?;
    let name = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let made = Command::new("psql").args([&server, "-q", "-c", &format!("CREATE DATABASE {name}")]).status().unwrap();
    assert!(made.success());
    let (base, _) = server.rsplit_once('/').unwrap();
    Some(Database { url: format!("{base}/{name}"), folder: None })
}
