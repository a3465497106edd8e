//! Databases for tests: a SQLite file always, and a PostgreSQL database where `with-postgres` has started one.
#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

#[path = "../../../borduel-cli/tests/common/skip.rs"]
mod skip;

pub use skip::skip;
use sqlx::{AnyConnection, Connection, Executor};
use std::sync::atomic::{AtomicU32, Ordering};

/// A database that is gone with this value.
pub struct Database {
    pub url: String,
    _folder: Option<tempfile::TempDir>,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A new SQLite file, and a new PostgreSQL database if there is one; what is not there is said.
pub async fn databases() -> Vec<Database> {
    let mut all = vec![sqlite()];
    match postgres().await {
        Some(database) => all.push(database),
        None => skip("PostgreSQL", "not started by crates/borduel-study/tests/with-postgres"),
    }
    all
}

pub fn sqlite() -> Database {
    let folder = tempfile::tempdir().unwrap();
    Database { url: format!("sqlite:{}", folder.path().join("test.db").display()), _folder: Some(folder) }
}

pub async fn postgres() -> Option<Database> {
    let server = std::env::var("BORDUEL_POSTGRES").ok()?;
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(&server).await.unwrap();
    let name = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    connection.execute(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
    connection.close().await.unwrap();
    let (base, _) = server.rsplit_once('/').unwrap();
    Some(Database { url: format!("{base}/{name}"), _folder: None })
}
