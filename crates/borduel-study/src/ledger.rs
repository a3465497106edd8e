//! Logs in a database: SQLite or PostgreSQL, one text for both.
//!
//! A turn locks the head of a study, applies what others appended, decides, appends one entry and commits. Nothing of it
//! runs in a request's future, so that nobody who goes away can leave it half-way.

mod connect;
mod records;
mod sql;
mod writers;

pub use connect::Dialect;
pub use records::{Study, Token};

use crate::decide::Turn;
use crate::error::{Error, Result, Wanted, no_text};
use crate::event::{Entry, Event, Hash, Millis};
use crate::settings::Settings;
use crate::state::{State, VERSION};
use futures_util::TryStreamExt as _;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection as _, Row as _};
use std::sync::Arc;
use writers::Writers;

/// The number of a study in its database.
pub type StudyId = i64;

/// How many entries are read at a time.
const PAGE: i64 = 1_000;
/// How many events are replayed at a time: a few megabytes of them, and the whole of the last entry that begins among them.
const STRETCH: u64 = 20_000;

/// A database of studies.
#[derive(Clone, Debug)]
pub struct Ledger {
    write: Arc<Writers>,
    read: AnyPool,
    dialect: Dialect,
    address: String,
}

impl Ledger {
    /// Which database it is.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Where it is, without a password.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Makes a study and returns its number.
    ///
    /// # Errors
    /// A name that is taken, settings that make no sense, or what the database says.
    pub async fn create(
        &self,
        slug: &str,
        title: &str,
        settings: &Settings,
        seed: u64,
        now: Millis,
    ) -> Result<StudyId> {
        settings.check().map_err(Error::Invalid)?;
        check_slug(slug)?;
        check_text("the title", title)?;
        // 52 random bits: a number that two replicas do not choose at the same time, and that every language can hold.
        let id = (crate::token::random_u64()? >> 12).cast_signed();
        let entry = Entry::new(1, now, &[Event::Created { settings: settings.clone(), seed }])?;
        let hash = entry.hash(&Hash::default());
        let mut writer = self.write.take("create a study").await?;
        let outcome = self.add_study(&mut writer, (id, slug, title), &entry, &hash).await;
        writer.settle(outcome).await.map(|()| id)
    }

    async fn add_study(
        &self,
        connection: &mut AnyConnection,
        (id, slug, title): (StudyId, &str, &str),
        entry: &Entry,
        hash: &Hash,
    ) -> Result<()> {
        let (what, now) = ("create a study", entry.at);
        sqlx::query(self.dialect.begin()).execute(&mut *connection).await.wanted(what)?;
        let added = sqlx::query(sql::ADD_STUDY).bind(id).bind(slug).bind(title).bind(now).bind(&[0_u8; 32][..]);
        added.execute(&mut *connection).await.map_err(|source| match source.as_database_error() {
            Some(error) if error.is_unique_violation() => Error::Taken(slug.to_owned()),
            _ => Error::Database { what, source },
        })?;
        self.append(connection, id, entry, 0, hash).await
    }

    /// One turn of a study: locks its head, applies what others appended to `state` (or reads it all, if there is none),
    /// runs `work`, stores what it decided as one entry, and commits. After an error `state` is gone: nothing is guessed,
    /// the next turn reads the log.
    ///
    /// # Errors
    /// What the database says; it is then not known whether the entry was stored.
    pub async fn turn<T>(
        &self,
        study: StudyId,
        state: &mut Option<State>,
        now: Millis,
        work: impl FnOnce(&mut Turn<'_>) -> T,
    ) -> Result<T> {
        let known = state.take();
        let mut writer = self.write.take("begin a turn").await?;
        let outcome = self.turn_on(&mut writer, study, known, now, work).await;
        let (mine, result) = writer.settle(outcome).await?;
        *state = Some(mine);
        Ok(result)
    }

    async fn turn_on<T>(
        &self,
        connection: &mut AnyConnection,
        study: StudyId,
        known: Option<State>,
        now: Millis,
        work: impl FnOnce(&mut Turn<'_>) -> T,
    ) -> Result<(State, T)> {
        let (head, hash) = self.begin(connection, study).await?;
        let mut mine = match known {
            Some(known) if known.head <= head => known,
            _ => latest_snapshot(connection, study).await?,
        };
        catch_up(connection, study, &mut mine, (head, hash)).await?;
        let mut turn = Turn::new(&mut mine, now);
        let result = work(&mut turn);
        let Turn { now, events, rows, .. } = turn;
        for row in &rows {
            records::store_row(connection, study, row, now).await?;
        }
        if events.is_empty() {
            sqlx::query(sql::COMMIT).execute(connection).await.wanted("commit a turn")?;
        } else {
            let entry = Entry::new(head + 1, now, &events)?;
            mine.seal(&entry);
            self.append(connection, study, &entry, head, &mine.log_hash).await?;
            metrics::counter!("borduel_log_bytes_total").increment(entry.body.len() as u64);
        }
        Ok((mine, result))
    }

    /// Begins a turn: the head of a study, which nobody else moves until the turn has ended, and the hash of its log.
    async fn begin(&self, connection: &mut AnyConnection, study: StudyId) -> Result<(u64, Hash)> {
        let rows = match self.dialect {
            Dialect::Sqlite => sqlx::query(sql::BEGIN_SQLITE).bind(study).fetch_all(connection).await,
            // A number, so that the text is a safe one.
            Dialect::Postgres => sqlx::raw_sql(AssertSqlSafe(sql::begin_postgres(study))).fetch_all(connection).await,
        };
        head_of(rows.wanted("begin a turn")?.first(), study)
    }

    /// Ends a turn: appends an entry, moves the head, which must be where it was, and commits.
    async fn append(
        &self,
        connection: &mut AnyConnection,
        study: StudyId,
        entry: &Entry,
        old: u64,
        hash: &Hash,
    ) -> Result<()> {
        let what = "append to a log";
        let append = sqlx::query(match self.dialect {
            Dialect::Sqlite => sql::APPEND_SQLITE,
            Dialect::Postgres => sql::APPEND_POSTGRES,
        });
        let append = append.bind(study).bind(entry.first.cast_signed()).bind(entry.last.cast_signed()).bind(entry.at);
        let append = append.bind(i64::from(entry.format)).bind(entry.body.as_str()).bind(&hash[..]);
        let appended = append.bind(old.cast_signed()).fetch_all(&mut *connection).await.wanted(what)?.len();
        if appended != 1 {
            return Err(Error::Chain(format!("the head is not at event {old} any more")));
        }
        if self.dialect == Dialect::Postgres {
            sqlx::query(sql::COMMIT).execute(connection).await.wanted(what)?;
        }
        Ok(())
    }

    /// The head of a study and the hash of its log.
    ///
    /// # Errors
    /// What the database says.
    pub async fn head(&self, study: StudyId) -> Result<(u64, Hash)> {
        let mut connection = self.read.acquire().await.wanted("read a head")?;
        read_head(&mut connection, study).await
    }

    /// The newest snapshot up to this event, if there is one.
    ///
    /// # Errors
    /// What the database says.
    pub async fn snapshot(&self, study: StudyId, head: u64) -> Result<Option<State>> {
        let mut connection = self.read.acquire().await.wanted("read a study")?;
        let state = latest_snapshot(&mut connection, study).await?;
        Ok(Some(state).filter(|state| state.head > 0 && state.head <= head))
    }

    /// The state of a study as it is now, read without a lock.
    ///
    /// # Errors
    /// What the database says, or a log that contradicts itself.
    pub async fn load(&self, study: StudyId) -> Result<State> {
        let mut connection = self.read.acquire().await.wanted("read a study")?;
        let mut state = latest_snapshot(&mut connection, study).await?;
        // After the snapshot: no later one can be of a later event than this head.
        let head = read_head(&mut connection, study).await?;
        catch_up(&mut connection, study, &mut state, head).await?;
        Ok(state)
    }

    /// The entries of a study after this event, a page of them.
    ///
    /// # Errors
    /// What the database says.
    pub async fn entries(&self, study: StudyId, head: u64) -> Result<Vec<Entry>> {
        let query = sqlx::query(sql::ENTRIES).bind(study).bind(head.cast_signed()).bind(PAGE);
        let rows = query.fetch_all(&self.read).await.wanted("read a log")?;
        rows.iter().map(entry).collect()
    }

    /// The heads of all studies.
    ///
    /// # Errors
    /// What the database says.
    pub async fn heads(&self) -> Result<Vec<(StudyId, u64)>> {
        let rows = sqlx::query(sql::HEADS).fetch_all(&self.read).await.wanted("read heads")?;
        rows.iter().map(|row| Ok((row.try_get("id").wanted("read a head")?, number(row, "head")?))).collect()
    }

    /// Keeps a snapshot, and the one before it.
    ///
    /// # Errors
    /// What the database says.
    pub async fn keep_snapshot(&self, study: StudyId, state: &State) -> Result<usize> {
        let bytes = state.encode()?;
        let packed = zstd::encode_all(&bytes[..], 1).map_err(|error| Error::Snapshot(error.to_string()))?;
        let size = packed.len();
        let mut writer = self.write.take("keep a snapshot").await?;
        let outcome = self.add_snapshot(&mut writer, study, state, packed).await;
        writer.settle(outcome).await.map(|()| size)
    }

    async fn add_snapshot(
        &self,
        connection: &mut AnyConnection,
        study: StudyId,
        state: &State,
        packed: Vec<u8>,
    ) -> Result<()> {
        let what = "keep a snapshot";
        let mut tx = connection.begin_with(self.dialect.begin()).await.wanted(what)?;
        let add = sqlx::query(sql::ADD_SNAPSHOT).bind(study).bind(state.head.cast_signed()).bind(i64::from(VERSION));
        add.bind(&state.log_hash[..]).bind(packed).execute(&mut *tx).await.wanted(what)?;
        sqlx::query(sql::DROP_SNAPSHOTS).bind(study).execute(&mut *tx).await.wanted(what)?;
        tx.commit().await.wanted(what)
    }
}

/// The head of a study and the hash of its log.
async fn read_head(connection: &mut AnyConnection, study: StudyId) -> Result<(u64, Hash)> {
    let row = sqlx::query(sql::HEAD).bind(study).fetch_optional(connection).await.wanted("read a head")?;
    head_of(row.as_ref(), study)
}

fn head_of(row: Option<&AnyRow>, study: StudyId) -> Result<(u64, Hash)> {
    let row = row.ok_or_else(|| Error::NoStudy(study.to_string()))?;
    Ok((number(row, "head")?, hash(row, "head_hash")?))
}

/// The newest snapshot that can be read; an empty state if there is none.
async fn latest_snapshot(connection: &mut AnyConnection, study: StudyId) -> Result<State> {
    let query = sqlx::query(sql::SNAPSHOTS).bind(study).bind(i64::from(VERSION));
    let mut rows = query.fetch(connection);
    while let Some(row) = rows.try_next().await.wanted("read snapshots")? {
        match read_snapshot(&row) {
            Ok(state) => return Ok(state),
            Err(error) => tracing::warn!(study, %error, "the log is replayed instead"),
        }
    }
    Ok(State::default())
}

fn read_snapshot(row: &AnyRow) -> Result<State> {
    let packed: Vec<u8> = row.try_get("state").wanted("read a snapshot")?;
    let bytes = zstd::decode_all(&packed[..]).map_err(|error| Error::Snapshot(error.to_string()))?;
    let state = State::decode(&bytes)?;
    if state.head != number(row, "seq")? || state.log_hash != hash(row, "hash")? {
        return Err(Error::Snapshot("it is not that of the event it says".to_owned()));
    }
    Ok(state)
}

/// Applies the entries after this state's head, up to the given one, whose hash the log must then have: a log that has lost something is
/// not taken for a shorter one.
async fn catch_up(
    connection: &mut AnyConnection,
    study: StudyId,
    state: &mut State,
    (head, hash): (u64, Hash),
) -> Result<()> {
    while state.head < head {
        let to = head.min(state.head.saturating_add(STRETCH));
        let query = sqlx::query(sql::REPLAY).bind(study).bind(state.head.cast_signed()).bind(to.cast_signed());
        let row = query.fetch_one(&mut *connection).await.wanted("read a log")?;
        let entries: String = row.try_get("entries").wanted("read a log")?;
        if entries.is_empty() {
            // The next entry would begin right behind.
            return Err(Error::Chain(format!("it says event {head}, and event {} is missing", state.head + 1)));
        }
        let mut rest = entries.as_str();
        while !rest.is_empty() {
            let cut = || Error::Chain(format!("what follows event {} cannot be read", state.head));
            let (entry, more) = first_of(rest).ok_or_else(cut)?;
            state.append(&entry)?;
            rest = more;
        }
        // A long log is read in many steps; others may have their turn in between.
        tokio::task::yield_now().await;
    }
    if (state.head, state.log_hash) == (head, hash) { Ok(()) } else { Err(Error::Chain(format!("at event {head}"))) }
}

/// The first entry of the text of [`sql::REPLAY`], and what follows it.
fn first_of(text: &str) -> Option<(Entry, &str)> {
    let mut rest = text;
    let mut next = || {
        let (number, more) = rest.split_once(' ')?;
        rest = more;
        Some(number)
    };
    let (first, last, at) = (next()?.parse().ok()?, next()?.parse().ok()?, next()?.parse().ok()?);
    let (format, length) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let (body, more) = rest.split_at_checked(length)?;
    Some((Entry { first, last, at, format, body: body.to_owned() }, more))
}

fn entry(row: &AnyRow) -> Result<Entry> {
    let what = "read a log";
    let (first, last) = (number(row, "first")?, number(row, "last")?);
    let format = u32::try_from(number(row, "format")?).unwrap_or(u32::MAX);
    let (at, body) = (row.try_get("at_ms").wanted(what)?, row.try_get("body").wanted(what)?);
    Ok(Entry { first, last, at, format, body })
}

/// A number that is never negative.
fn number(row: &AnyRow, column: &str) -> Result<u64> {
    row.try_get::<i64, _>(column).wanted("read a number").map(|value| value.max(0) as u64)
}

fn hash(row: &AnyRow, column: &str) -> Result<Hash> {
    let bytes: Vec<u8> = row.try_get(column).wanted("read a hash")?;
    Hash::try_from(bytes).map_err(|bytes| Error::Chain(format!("a hash of {} bytes", bytes.len())))
}

/// Text that both databases can hold.
fn check_text(what: &str, text: &str) -> Result<()> {
    if text.contains('\0') { Err(Error::Invalid(no_text(what))) } else { Ok(()) }
}

/// Names that fit into an address.
fn check_slug(slug: &str) -> Result<()> {
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let edge = slug.starts_with('-') || slug.ends_with('-');
    if slug.is_empty() || slug.len() > 64 || edge || !slug.chars().all(fine) {
        let rule = "1 to 64 of the characters a-z 0-9 -, not at the ends";
        return Err(Error::Invalid(format!("the name {slug:?} is not usable: it is made of {rule}")));
    }
    Ok(())
}
