//! Opening a database: addresses, pools, what is set on every connection, and migrations.

use super::Ledger;
use super::writers::Writers;
use crate::error::{Error, Result, Wanted};
use sqlx::any::AnyPoolOptions;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AnyPool, Executor, SqlSafeStr};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Which database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite: the database is one file.
    Sqlite,
    /// PostgreSQL: the database is a server's.
    Postgres,
}

/// Write-ahead log, and on disk before anybody is told: with less than FULL a power cut takes acknowledged votes along.
/// What is deleted is overwritten, and what is set aside meanwhile never reaches a file.
const SQLITE_WRITER: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; \
                             PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY";
const SQLITE_READER: &str = "PRAGMA busy_timeout = 5000; PRAGMA query_only = ON";
/// Whoever waits for a study's row waits 5 s; whoever holds it and hangs loses it after 10 s.
const POSTGRES_WRITER: &str = "SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '10s'; \
                               SET synchronous_commit = 'on'";
const POSTGRES_READER: &str = "SET default_transaction_read_only = on";

impl Dialect {
    /// How a transaction begins that is going to write.
    pub(super) fn begin(self) -> &'static str {
        match self {
            // A deferred transaction that then writes would fail at once when another one writes; this one waits.
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }
}

impl Ledger {
    /// Opens the database at `sqlite:FILE` or `postgres://…`, and brings its tables up to date.
    ///
    /// # Errors
    /// An address that is none, a database that does not answer, or one that a newer borduel has changed.
    pub async fn open(address: &str) -> Result<Self> {
        sqlx::any::install_default_drivers();
        if address.starts_with("postgres://") || address.starts_with("postgresql://") {
            let shown = without_password(address);
            let write = Writers::new(16, POSTGRES_WRITER, address);
            migrate(&write, "be reached (does PostgreSQL run there, and is the address right?)").await?;
            let read = pool(8, POSTGRES_READER, address).await?;
            return Ok(Self { write, read, dialect: Dialect::Postgres, address: shown, unswept: Arc::default() });
        }
        let file = sqlite_file(address).ok_or_else(|| Error::Address(without_password(address)))?;
        let url = format!("sqlite://{}?mode=rwc", file.display());
        refuse_other_files(&file)?;
        // Two processes that make the tables at once would trip over each other: sqlx locks on PostgreSQL only.
        let lock = lock_file(&file)?;
        make_private(&file, false)?;
        let write = Writers::new(1, SQLITE_WRITER, &url);
        migrate(&write, "be opened").await?;
        drop(lock);
        let read = pool(4, SQLITE_READER, &url).await?;
        let address = format!("sqlite:{}", file.display());
        // Whoever had it open before may have been killed after an erasure.
        let unswept = Arc::new(AtomicBool::new(true));
        Ok(Self { write, read, dialect: Dialect::Sqlite, address, unswept })
    }

    /// Opens a database that is there already: a mistyped name of a file makes no new one.
    ///
    /// # Errors
    /// As [`open`](Self::open), and where there is no such file.
    pub async fn open_existing(address: &str) -> Result<Self> {
        match sqlite_file(address) {
            Some(file) if !file.exists() => Err(Error::NoDatabase(file.display().to_string())),
            _ => Self::open(address).await,
        }
    }

    /// Closes all connections of the pool.
    pub async fn close(&self) {
        self.read.close().await;
        self.write.close().await;
    }
}

async fn pool(connections: u32, setup: &'static str, url: &str) -> Result<AnyPool> {
    let options = AnyPoolOptions::new().max_connections(connections).acquire_timeout(Duration::from_secs(5));
    // A connection to a server may have died while idle, which a ping tells before it is used; one to a file does not
    // die.
    let options = options.test_before_acquire(!url.starts_with("sqlite:"));
    let options =
        options.after_connect(move |connection, _| Box::pin(async move { connection.execute(setup).await.map(drop) }));
    options.connect(url).await.wanted("be opened")
}

async fn migrate(write: &Arc<Writers>, first: &'static str) -> Result<()> {
    let step = |number: i64, name: &'static str, text: &'static str| {
        Migration::new(number, name.into(), MigrationType::Simple, text.into_sql_str(), false)
    };
    let steps = vec![
        step(1, "studies", include_str!("../../migrations/0001_studies.sql")),
        step(2, "probes", include_str!("../../migrations/0002_probes.sql")),
        step(3, "secrets", include_str!("../../migrations/0003_secrets.sql")),
        step(4, "hooks", include_str!("../../migrations/0004_hooks.sql")),
        step(5, "sent", include_str!("../../migrations/0005_sent.sql")),
    ];
    let mut writer = write.take(first).await?;
    let migrated = Migrator::with_migrations(steps).run(&mut *writer).await;
    let what = "bring its tables up to date";
    writer.settle(migrated.map_err(|error| Error::Database { what, source: error.into() })).await
}

/// The file of `sqlite:FILE` or `sqlite://FILE`.
pub(crate) fn sqlite_file(address: &str) -> Option<PathBuf> {
    let path = address.strip_prefix("sqlite://").or_else(|| address.strip_prefix("sqlite:"))?;
    // What would be read as a query or an escape has no business in the name of a database.
    (!path.is_empty() && !path.contains(['?', '%', '#'])).then(|| PathBuf::from(path))
}

/// Makes a file that nobody else reads, for SQLite to fill; what stands beside a database gets its permissions. One
/// that is there stays as it is, unless it must be new.
pub(super) fn make_private(file: &Path, new: bool) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && !new => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(Error::Invalid(format!("{} exists already, and nothing is replaced: name a new file", file.display())))
        }
        Err(source) => Err(Error::File { what: format!("{} cannot be made", file.display()), source }),
    }
}

/// Refuses a file that is no database, before anything is made beside it.
fn refuse_other_files(file: &Path) -> Result<()> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    // A pipe would be waited for.
    if !std::fs::metadata(file).is_ok_and(|known| known.is_file()) {
        return Ok(());
    }
    let mut head = Vec::new();
    // What cannot be read is said when it is opened.
    let read = std::fs::File::open(file).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head));
    if read.is_err() || head.is_empty() || head == MAGIC {
        return Ok(());
    }
    let what = format!("{} is no database of studies, and is not touched", file.display());
    Err(Error::File { what, source: std::io::Error::new(std::io::ErrorKind::InvalidData, "name another file") })
}

/// A file that is locked as long as its handle lives.
fn lock_file(database: &Path) -> Result<std::fs::File> {
    let path = PathBuf::from(format!("{}.lock", database.display()));
    let fail = |source| Error::File { what: format!("{} cannot be locked", path.display()), source };
    let file = std::fs::File::create(&path).map_err(fail)?;
    file.lock().map_err(fail)?;
    Ok(file)
}

/// An address as it may be shown: what stands between `//` and `@` is hidden.
pub(crate) fn without_password(address: &str) -> String {
    match (address.find("://"), address.rfind('@')) {
        (Some(start), Some(end)) if start + 3 <= end => format!("{}…{}", &address[..start + 3], &address[end..]),
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_hidden() {
        assert_eq!(sqlite_file("sqlite:a/b.db"), Some(PathBuf::from("a/b.db")));
        assert_eq!(sqlite_file("sqlite:///tmp/b.db"), Some(PathBuf::from("/tmp/b.db")));
        assert_eq!(sqlite_file("sqlite:"), None);
        assert_eq!(sqlite_file("mysql://x"), None);
        assert_eq!(without_password("postgres://me:secret@host/db"), "postgres://…@host/db");
        assert_eq!(without_password("sqlite:file"), "sqlite:file");
    }
}
