//! Logs in a database: SQLite or PostgreSQL, one text for both.
//!
//! A turn locks the head of a study, applies what others appended, decides, appends one entry and commits. Nothing of
//! it runs in a request's future, so that nobody who goes away can leave it half-way.

mod connect;
mod records;
mod sql;
mod writers;

pub use connect::Dialect;
pub use records::{Hook, Person, Study, Token};

use crate::command::{Item, Row};
use crate::decide::Turn;
use crate::error::{Error, Result, Wanted, no_text};
use crate::event::{Entry, Event, Hash, Millis};
use crate::low_priority::low_priority;
use crate::settings::Settings;
use crate::state::{State, VERSION};
use futures_util::TryStreamExt as _;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Connection as _, Row as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use writers::{Writer, Writers};

/// The number of a study in its database.
pub type StudyId = i64;

/// How many events are read at a time: a few megabytes of them, and the whole of the last entry that begins among them.
const STRETCH: u64 = 20_000;

/// A database of studies.
#[derive(Clone, Debug)]
pub struct Ledger {
    write: Arc<Writers>,
    read: AnyPool,
    dialect: Dialect,
    address: String,
    /// Whether the write-ahead log of a SQLite file may still hold what was erased.
    unswept: Arc<AtomicBool>,
}

/// A study to be made.
#[derive(Clone, Debug, Default)]
pub struct NewStudy {
    /// Its name in addresses.
    pub slug: String,
    /// Its name for people.
    pub title: String,
    /// The settings that the study begins with.
    pub settings: Settings,
    /// Where all its random numbers come from.
    pub seed: u64,
    /// The items that the study begins with.
    pub items: Vec<Item>,
    /// The hash of its organiser's token, and the token's scope.
    pub organiser: Option<(Hash, &'static str)>,
}

/// A turn that has begun: the head of its study is locked until it ends.
#[derive(Debug)]
pub(crate) struct Begun {
    writer: Writer,
    study: StudyId,
    head: u64,
    hash: Hash,
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

    /// Makes a study whole or not at all, with its items and its organiser's token, and returns its number.
    ///
    /// # Errors
    /// A name that is taken, settings or items that make no sense, or what the database says.
    pub async fn create(&self, new: &NewStudy, now: Millis) -> Result<StudyId> {
        new.settings.check().map_err(Error::Invalid)?;
        check_slug(&new.slug)?;
        check_text("the title", &new.title)?;
        // 52 random bits: a number that two replicas do not choose at the same time, and that every language can hold.
        let id = (crate::token::random_u64()? >> 12).cast_signed();
        let mut state = State::default();
        let mut turn = Turn::new(&mut state, now);
        turn.emit(Event::Created { settings: new.settings.clone(), seed: new.seed });
        turn.must_be_ahead(new.settings.stop)?;
        turn.set_items(&new.items)?;
        let Turn { events, mut rows, .. } = turn;
        if !new.settings.webhook.is_empty() {
            rows.push(Row::Hook { from: Some(0) });
        }
        let entry = Entry::new(1, now, &events)?;
        let mut writer = self.write.take("create a study").await?;
        let outcome = self.add_study(&mut writer, id, new, &rows, &entry).await;
        writer.settle(outcome).await.map(|()| id)
    }

    /// Deletes a study with everything that is kept of it: log, items, pictures, voters, comments and tokens.
    ///
    /// # Errors
    /// No such study, or what the database says; then all of it is still there.
    pub async fn delete(&self, study: StudyId) -> Result<()> {
        // Whoever has a turn of it is waited for.
        let Begun { mut writer, .. } = self.begin(study).await?;
        let outcome = self.drop_study(&mut writer, study).await;
        if outcome.is_ok() {
            self.sweep(&mut writer).await;
        }
        writer.settle(outcome).await
    }

    async fn drop_study(&self, connection: &mut AnyConnection, study: StudyId) -> Result<()> {
        let what = "delete a study";
        for statement in sql::DELETE_STUDY {
            sqlx::query(statement).bind(study).execute(&mut *connection).await.wanted(what)?;
        }
        if self.dialect == Dialect::Sqlite {
            sqlx::raw_sql(sql::REWRITE_PEOPLE).execute(&mut *connection).await.wanted(what)?;
            self.unswept.store(true, Ordering::Release);
        }
        sqlx::query(sql::COMMIT).execute(connection).await.wanted(what).map(drop)
    }

    async fn add_study(
        &self,
        connection: &mut AnyConnection,
        id: StudyId,
        new: &NewStudy,
        rows: &[Row],
        entry: &Entry,
    ) -> Result<()> {
        let (what, now) = ("create a study", entry.at);
        sqlx::query(self.dialect.begin()).execute(&mut *connection).await.wanted(what)?;
        let added = sqlx::query(sql::ADD_STUDY).bind(id).bind(new.slug.as_str()).bind(new.title.as_str());
        let added = added.bind(now).bind(&[0_u8; 32][..]);
        added.execute(&mut *connection).await.map_err(|source| match source.as_database_error() {
            Some(error) if error.is_unique_violation() => Error::Taken(new.slug.clone()),
            _ => Error::Database { what, source },
        })?;
        for row in rows {
            records::store_row(connection, id, row, now).await?;
        }
        if let Some((hash, scope)) = &new.organiser {
            let token = records::token_row(hash, scope, id, "made with the study", (now, None));
            token.execute(&mut *connection).await.wanted(what)?;
        }
        self.append(connection, id, entry, 0, &entry.hash(&Hash::default())).await
    }

    /// One turn of a study: locks its head, applies what others appended to `state` (or reads it all, if there is
    /// none), runs `work`, stores what it decided as one entry, and commits. When it cannot begin, `state` stays as it
    /// is. After an error later than that it is gone: nothing is guessed, the next turn reads the log.
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
        if state.is_none() {
            // Before anything is locked: a long log takes its time.
            *state = Some(self.load(study).await?);
        }
        let begun = self.begin(study).await?;
        let (mine, result) = self.finish(begun, state.take(), now, work).await?;
        *state = Some(mine);
        Ok(result)
    }

    /// Begins a turn: whoever else has a turn of this study is waited for.
    pub(crate) async fn begin(&self, study: StudyId) -> Result<Begun> {
        let mut writer = self.write.take("begin a turn").await?;
        match self.lock(&mut writer, study).await {
            Ok((head, hash)) => Ok(Begun { writer, study, head, hash }),
            Err(error) => writer.settle(Err(error)).await,
        }
    }

    /// The rest of a turn that has begun: the state after it, and what `work` returned.
    pub(crate) async fn finish<T>(
        &self,
        begun: Begun,
        known: Option<State>,
        now: Millis,
        work: impl FnOnce(&mut Turn<'_>) -> T,
    ) -> Result<(State, T)> {
        let Begun { mut writer, study, head, hash } = begun;
        let outcome = self.turn_on(&mut writer, (study, head, hash), known, now, work).await;
        if outcome.is_ok() {
            self.sweep(&mut writer).await;
        }
        writer.settle(outcome).await
    }

    async fn turn_on<T>(
        &self,
        connection: &mut AnyConnection,
        (study, head, hash): (StudyId, u64, Hash),
        known: Option<State>,
        now: Millis,
        work: impl FnOnce(&mut Turn<'_>) -> T,
    ) -> Result<(State, T)> {
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
        if self.dialect == Dialect::Sqlite && rows.iter().any(|row| matches!(row, Row::Forget { .. })) {
            sqlx::raw_sql(sql::REWRITE_PEOPLE).execute(&mut *connection).await.wanted("erase a voter")?;
            self.unswept.store(true, Ordering::Release);
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

    /// Empties the write-ahead log of a SQLite file that may hold what was erased. Where somebody reads from it just
    /// now, the next turn tries again.
    async fn sweep(&self, connection: &mut AnyConnection) {
        if !self.unswept.load(Ordering::Acquire) {
            return;
        }
        let swept = sqlx::raw_sql(sql::SWEEP).fetch_all(connection).await;
        // The first of three numbers says whether somebody was in the way; other rows are what the timeouts were set
        // to.
        let busy = |row: &AnyRow| row.len() == 3 && row.try_get::<i64, _>(0).is_ok_and(|busy| busy == 0);
        match swept {
            Ok(rows) => self.unswept.store(!rows.iter().any(busy), Ordering::Release),
            Err(error) => tracing::warn!(%error, "what was erased may still stand in the write-ahead log"),
        }
    }

    /// The head of a study, which nobody else moves until the turn has ended, and the hash of its log.
    async fn lock(&self, connection: &mut AnyConnection, study: StudyId) -> Result<(u64, Hash)> {
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

    /// The entries of a study after this event: as many as have a few megabytes, none at its end.
    ///
    /// # Errors
    /// What the database says.
    pub async fn entries(&self, study: StudyId, after: u64) -> Result<Vec<Entry>> {
        let mut connection = self.read.acquire().await.wanted("read a log")?;
        stretch(&mut connection, study, after, after.saturating_add(STRETCH)).await
    }

    /// The heads of all studies.
    ///
    /// # Errors
    /// What the database says.
    pub async fn heads(&self) -> Result<Vec<(StudyId, u64)>> {
        let rows = sqlx::query(sql::HEADS).fetch_all(&self.read).await.wanted("read heads")?;
        rows.iter().map(|row| Ok((row.try_get("id").wanted("read a head")?, number(row, "head")?))).collect()
    }

    /// Keeps a snapshot, and the one before it; its size. It is packed on a thread that gives way to whoever waits for
    /// an answer.
    ///
    /// # Errors
    /// What the database says.
    pub async fn keep_snapshot(&self, study: StudyId, state: State) -> Result<usize> {
        let (head, hash) = (state.head, state.log_hash);
        let pack = move || -> Result<Vec<u8>> {
            zstd::encode_all(&state.encode()?[..], 1).map_err(|error| Error::Snapshot(error.to_string()))
        };
        let failed = || Error::Snapshot("it could not be packed".to_owned());
        let (packed, _) = low_priority(pack).await.ok_or_else(failed)?;
        let packed = packed?;
        let size = packed.len();
        let mut writer = self.write.take("keep a snapshot").await?;
        let outcome = self.add_snapshot(&mut writer, study, (head, &hash), packed).await;
        writer.settle(outcome).await.map(|()| size)
    }

    async fn add_snapshot(
        &self,
        connection: &mut AnyConnection,
        study: StudyId,
        (head, hash): (u64, &Hash),
        packed: Vec<u8>,
    ) -> Result<()> {
        let what = "keep a snapshot";
        let mut tx = connection.begin_with(self.dialect.begin()).await.wanted(what)?;
        let add = sqlx::query(sql::ADD_SNAPSHOT).bind(study).bind(head.cast_signed()).bind(i64::from(VERSION));
        add.bind(&hash[..]).bind(packed).execute(&mut *tx).await.wanted(what)?;
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

/// Applies the entries after this state's head, up to the given one, whose hash the log must then have: a log that has
/// lost something is not taken for a shorter one.
async fn catch_up(
    connection: &mut AnyConnection,
    study: StudyId,
    state: &mut State,
    (head, hash): (u64, Hash),
) -> Result<()> {
    while state.head < head {
        let entries = stretch(connection, study, state.head, head.min(state.head.saturating_add(STRETCH))).await?;
        if entries.is_empty() {
            // The next entry would begin right behind.
            return Err(Error::Chain(format!("it says event {head}, and event {} is missing", state.head + 1)));
        }
        entries.iter().try_for_each(|entry| state.append(entry))?;
        // A long log is read in many steps; others may have their turn in between.
        tokio::task::yield_now().await;
    }
    if (state.head, state.log_hash) == (head, hash) { Ok(()) } else { Err(Error::Chain(format!("at event {head}"))) }
}

/// The entries that begin after an event, up to another one.
async fn stretch(connection: &mut AnyConnection, study: StudyId, after: u64, to: u64) -> Result<Vec<Entry>> {
    let query = sqlx::query(sql::REPLAY).bind(study).bind(after.cast_signed()).bind(to.cast_signed());
    let row = query.fetch_one(connection).await.wanted("read a log")?;
    let text: String = row.try_get("entries").wanted("read a log")?;
    let (mut rest, mut entries) = (text.as_str(), Vec::new());
    while !rest.is_empty() {
        let cut = || Error::Chain(format!("what follows event {after} cannot be read"));
        let (entry, more) = first_of(rest).ok_or_else(cut)?;
        entries.push(entry);
        rest = more;
    }
    Ok(entries)
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
        let rule = "take 1 to 64 of the characters a-z, 0-9 and -, but no - at an end, such as my-study";
        return Err(Error::Invalid(format!(
            "{slug:?} cannot be the name of a study, since it stands in links: {rule}"
        )));
    }
    Ok(())
}
