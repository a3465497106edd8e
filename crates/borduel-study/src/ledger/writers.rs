//! Connections that write: each is taken for a turn and given back by whoever has finished.
//!
//! Whoever has not finished leaves it closed, so that no transaction is ever left open in a connection that somebody
//! else takes. A pool of sqlx's would ask a connection before and after every turn whether it is alive, each time a
//! message and its answer; one that has just done its work is.

use crate::error::{Result, Wanted};
use sqlx::{AnyConnection, Connection as _, Executor as _};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long whoever wants a connection waits for one.
const PATIENCE: Duration = Duration::from_secs(5);
/// A connection to a server that has rested for longer may have died, which it is asked before it is used.
const SURE: Duration = Duration::from_secs(1);

/// The connections that write to a database, so many at most.
pub(super) struct Writers {
    url: String,
    /// What is set on every connection.
    setup: &'static str,
    most: u32,
    places: Arc<Semaphore>,
    idle: Mutex<Vec<(AnyConnection, Instant)>>,
}

impl fmt::Debug for Writers {
    /// Without the address, which may hold a password.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Writers").field("most", &self.most).finish_non_exhaustive()
    }
}

impl Writers {
    pub(super) fn new(most: u32, setup: &'static str, url: &str) -> Arc<Self> {
        let (places, idle) = (Arc::new(Semaphore::new(most as usize)), Mutex::default());
        Arc::new(Self { url: url.to_owned(), setup, most, places, idle })
    }

    /// A connection of one's own.
    pub(super) async fn take(self: &Arc<Self>, what: &'static str) -> Result<Writer> {
        let place = async {
            let place = self.places.clone().acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
            Ok::<_, sqlx::Error>(Writer { connection: self.connection().await?, home: self.clone(), place })
        };
        timeout(PATIENCE, place).await.unwrap_or(Err(sqlx::Error::PoolTimedOut)).wanted(what)
    }

    /// One that rests and is alive, or a new one.
    async fn connection(&self) -> sqlx::Result<AnyConnection> {
        while let Some((mut connection, since)) = self.rested() {
            // A file does not die.
            if self.url.starts_with("sqlite:") || since.elapsed() < SURE || connection.ping().await.is_ok() {
                return Ok(connection);
            }
        }
        let mut connection = AnyConnection::connect(&self.url).await?;
        connection.execute(self.setup).await?;
        Ok(connection)
    }

    /// The connection that was given back last.
    fn rested(&self) -> Option<(AnyConnection, Instant)> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Closes all connections, when those who have one have finished.
    pub(super) async fn close(&self) {
        // Fails when they were closed before, which is as good.
        let all = self.places.acquire_many(self.most).await;
        self.places.close();
        drop(all);
        while let Some((connection, _)) = self.rested() {
            // How it ends is of no interest any more.
            let _ = connection.close().await;
        }
    }
}

/// A connection that is nobody else's until it is given back.
pub(super) struct Writer {
    connection: AnyConnection,
    home: Arc<Writers>,
    place: OwnedSemaphorePermit,
}

impl Writer {
    /// Gives the connection back, and closes it after an error: a database that could not commit, as on a full disk,
    /// may have rolled back by itself or not, and whoever comes next must find no transaction.
    pub(super) async fn settle<T>(self, outcome: Result<T>) -> Result<T> {
        let Self { connection, home, place } = self;
        if outcome.is_ok() {
            home.idle.lock().unwrap_or_else(PoisonError::into_inner).push((connection, Instant::now()));
        } else {
            // How it ends is of no interest any more.
            let _ = connection.close().await;
        }
        // Not before: whoever waits for it finds the connection.
        drop(place);
        outcome
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Deref for Writer {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.connection
    }
}

impl DerefMut for Writer {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.connection
    }
}
