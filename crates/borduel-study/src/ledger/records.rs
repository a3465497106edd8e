//! What is kept beside the logs: names of studies, contents, voters, notes and tokens.

use super::{Dialect, Ledger, StudyId, check_slug, check_text, hash, number, sql};
use crate::command::Row;
use crate::error::{Error, Result, Wanted};
use crate::event::{Hash, Millis};
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, Row as _};
use std::collections::BTreeMap;
use subtle::ConstantTimeEq;

/// A study in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// The number of the study in its database.
    pub id: StudyId,
    /// Its name in addresses.
    pub slug: String,
    /// Its name for people.
    pub title: String,
    /// When it was created.
    pub created: Millis,
    /// How many events it has.
    pub head: u64,
}

/// A token in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The hash of the token; the token itself is not kept.
    pub hash: Hash,
    /// What it is for.
    pub scope: String,
    /// A name for whoever holds the token.
    pub label: String,
    /// When it was made.
    pub created: Millis,
    /// When it ends; 0 for never.
    pub expires: Millis,
    /// When it was revoked; 0 if it was not.
    pub revoked: Millis,
}

/// A study whose webhook has something to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The study that the webhook belongs to.
    pub study: StudyId,
    /// Its name in addresses.
    pub slug: String,
    /// The last event of the last entry that it was told of wholly.
    pub told: u64,
    /// The last event that it was told of.
    pub within: u64,
    /// The verdict that it was told last, in whatever words its teller has.
    pub verdict: String,
    /// How often the next message failed.
    pub tries: u32,
    /// Why the last message failed; empty where it did not.
    pub problem: String,
}

/// Somebody who votes, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The voter's number in the study.
    pub voter: u32,
    /// The name that was given, or the id of a crowd platform; empty where there is none.
    pub name: String,
    /// What the address said of this voter, by parameter.
    pub sent: BTreeMap<String, String>,
}

fn person(row: &AnyRow) -> Result<Person> {
    let what = "read who votes";
    let (name, sent): (String, String) = (row.try_get("name").wanted(what)?, row.try_get("sent").wanted(what)?);
    // What cannot be read says nothing of anybody.
    let sent = serde_json::from_str(&sent).unwrap_or_default();
    Ok(Person { voter: number(row, "voter")? as u32, name, sent })
}

/// Stores what a turn wants beside the log.
pub(super) async fn store_row(tx: &mut AnyConnection, study: StudyId, row: &Row, now: Millis) -> Result<()> {
    let what = "store what belongs to an event";
    match row {
        Row::Voter { voter, token, name, sent, expires } => {
            let unwritten = |error: serde_json::Error| Error::Invalid(format!("the address cannot be kept: {error}"));
            let sent = if sent.is_empty() { Ok(String::new()) } else { serde_json::to_string(sent).map_err(unwritten) };
            let insert = sqlx::query(sql::ADD_VOTER).bind(study).bind(i64::from(*voter)).bind(&token[..]);
            let insert = insert.bind(name.as_deref().unwrap_or("")).bind(now).bind(expires.unwrap_or(0)).bind(sent?);
            insert.execute(tx).await.wanted(what)?;
        }
        Row::Forget { voter, questions } => {
            sqlx::query(sql::DROP_VOTER).bind(study).bind(i64::from(*voter)).execute(&mut *tx).await.wanted(what)?;
            for q in questions {
                sqlx::query(sql::DROP_NOTE).bind(study).bind(i64::from(*q)).execute(&mut *tx).await.wanted(what)?;
            }
        }
        Row::Hook { from } => {
            let query = match from {
                Some(from) => sqlx::query(sql::ADD_HOOK).bind(study).bind(from.cast_signed()),
                None => sqlx::query(sql::DROP_HOOK).bind(study),
            };
            query.execute(tx).await.wanted(what)?;
        }
        Row::Title(title) => {
            sqlx::query(sql::SET_TITLE).bind(title.as_str()).bind(study).execute(tx).await.wanted(what)?;
        }
        Row::Note { q, text } => {
            let insert = sqlx::query(sql::ADD_NOTE).bind(study).bind(i64::from(*q)).bind(text.as_str());
            insert.execute(tx).await.wanted(what)?;
        }
        Row::Discard { hash } => {
            sqlx::query(sql::DROP_CONTENT).bind(study).bind(&hash[..]).execute(tx).await.wanted(what)?;
        }
        Row::Content { hash, body } => {
            let insert = sqlx::query(sql::ADD_CONTENT).bind(study).bind(&hash[..]).bind(body.as_slice());
            insert.execute(tx).await.wanted(what)?;
        }
    }
    Ok(())
}

/// Stores a token for a scope, and for a study or (0) for all.
pub(super) fn token_row<'a>(
    token: &'a Hash,
    scope: &'a str,
    study: StudyId,
    label: &'a str,
    (now, expires): (Millis, Option<Millis>),
) -> Query<'a, Any, AnyArguments> {
    let insert = sqlx::query(sql::ADD_TOKEN).bind(&token[..]).bind(scope).bind(study).bind(label).bind(now);
    insert.bind(expires.unwrap_or(0))
}

fn study(row: &AnyRow) -> Result<Study> {
    let what = "read a study";
    let (id, created) = (row.try_get("id").wanted(what)?, row.try_get("created_ms").wanted(what)?);
    let (slug, title) = (row.try_get("slug").wanted(what)?, row.try_get("title").wanted(what)?);
    Ok(Study { id, slug, title, created, head: number(row, "head")? })
}

impl Ledger {
    /// Runs one statement that writes; how many rows it changed.
    async fn write(&self, what: &'static str, query: Query<'_, Any, AnyArguments>) -> Result<u64> {
        let mut writer = self.write.take(what).await?;
        let outcome = query.execute(&mut *writer).await.wanted(what);
        writer.settle(outcome).await.map(|done| done.rows_affected())
    }

    /// Whether something can be stored: a time is.
    ///
    /// # Errors
    /// What the database says.
    pub async fn probe(&self, now: Millis) -> Result<()> {
        self.write("store anything", sqlx::query(sql::PROBE).bind(now)).await.map(drop)
    }

    /// What only the server knows about a study, made when it is first needed; it goes with the study.
    ///
    /// # Errors
    /// What the database or the system says.
    pub async fn secret(&self, study: StudyId) -> Result<Hash> {
        let what = "read the secret of a study";
        let read = async || {
            let row = sqlx::query(sql::SECRET).bind(study).fetch_optional(&self.read).await.wanted(what)?;
            row.as_ref().map(|row| hash(row, "secret")).transpose()
        };
        if let Some(known) = read().await? {
            return Ok(known);
        }
        let mut new = Hash::default();
        crate::token::fill(&mut new)?;
        // Another replica may have been first: then its secret is the one.
        self.write(what, sqlx::query(sql::ADD_SECRET).bind(study).bind(&new[..])).await?;
        read().await?.ok_or_else(|| Error::Invalid("the secret of a study could not be kept".to_owned()))
    }

    /// The webhooks of studies in which something has happened that they were not told of, and nobody tells just now.
    ///
    /// # Errors
    /// What the database says.
    pub async fn hooks(&self, now: Millis) -> Result<Vec<Hook>> {
        let what = "read webhooks";
        let rows = sqlx::query(sql::HOOKS).bind(now).fetch_all(&self.read).await.wanted(what)?;
        let hook = |row: &AnyRow| {
            let (study, slug) = (row.try_get("study").wanted(what)?, row.try_get("slug").wanted(what)?);
            let (told, within, tries) = (number(row, "told")?, number(row, "within")?, number(row, "tries")?);
            let (verdict, tries) = (row.try_get("said").wanted(what)?, tries.try_into().unwrap_or(u32::MAX));
            Ok(Hook { study, slug, told, within, verdict, tries, problem: String::new() })
        };
        rows.iter().map(hook).collect()
    }

    /// Takes a webhook until then, for whoever tells it something; whether nobody else has it.
    ///
    /// # Errors
    /// What the database says.
    pub async fn take_hook(&self, hook: &Hook, now: Millis, until: Millis) -> Result<bool> {
        let query = sqlx::query(sql::TAKE_HOOK).bind(hook.study).bind(hook.told.cast_signed());
        let query = query.bind(hook.within.cast_signed()).bind(now).bind(until);
        Ok(self.write("take a webhook", query).await? > 0)
    }

    /// Keeps what a webhook was told; nobody else tells it anything until then.
    ///
    /// # Errors
    /// What the database says.
    pub async fn keep_hook(&self, hook: &Hook, until: Millis) -> Result<()> {
        let query = sqlx::query(sql::KEEP_HOOK).bind(hook.study).bind(hook.told.cast_signed());
        let query = query.bind(hook.within.cast_signed()).bind(hook.verdict.as_str()).bind(i64::from(hook.tries));
        let query = query.bind(hook.problem.as_str()).bind(until);
        self.write("keep what a webhook was told", query).await.map(drop)
    }

    /// Why the last message of a study's webhook failed; nothing where it did not, or there is no webhook.
    ///
    /// # Errors
    /// What the database says.
    pub async fn hook_problem(&self, study: StudyId) -> Result<Option<String>> {
        let what = "read a webhook";
        let row = sqlx::query(sql::HOOK_PROBLEM).bind(study).fetch_optional(&self.read).await.wanted(what)?;
        let problem: Option<String> = row.map(|row| row.try_get("problem").wanted(what)).transpose()?;
        Ok(problem.filter(|problem| !problem.is_empty()))
    }

    /// The study of this name.
    ///
    /// # Errors
    /// What the database says.
    pub async fn study(&self, slug: &str) -> Result<Option<Study>> {
        // Nothing that cannot be a name is looked for: PostgreSQL would refuse some of it.
        if check_slug(slug).is_err() {
            return Ok(None);
        }
        let row = sqlx::query(sql::STUDY).bind(slug).fetch_optional(&self.read).await.wanted("read a study")?;
        row.as_ref().map(study).transpose()
    }

    /// The studies whose names come after this one, by name.
    ///
    /// # Errors
    /// What the database says.
    pub async fn studies(&self, after: &str, limit: u32) -> Result<Vec<Study>> {
        // No name has the character that PostgreSQL refuses, so that the same ones come after what stands before it.
        let after = after.split('\0').next().unwrap_or("");
        let query = sqlx::query(sql::STUDIES).bind(after).bind(i64::from(limit));
        query.fetch_all(&self.read).await.wanted("list studies")?.iter().map(study).collect()
    }

    /// The studies in which something has happened last, each with when that was.
    ///
    /// # Errors
    /// What the database says.
    pub async fn latest(&self, limit: u32) -> Result<Vec<(Study, Millis)>> {
        let what = "list studies";
        let rows = sqlx::query(sql::LATEST).bind(i64::from(limit)).fetch_all(&self.read).await.wanted(what)?;
        rows.iter().map(|row| Ok((study(row)?, row.try_get("last_ms").wanted(what)?))).collect()
    }

    /// What has this hash.
    ///
    /// # Errors
    /// What the database says.
    pub async fn content(&self, study: StudyId, hash: &Hash) -> Result<Option<Vec<u8>>> {
        let query = sqlx::query(sql::CONTENT).bind(study).bind(&hash[..]);
        let row = query.fetch_optional(&self.read).await.wanted("read an item")?;
        row.map(|row| row.try_get("body").wanted("read an item")).transpose()
    }

    /// The voter whose token has this hash, and when the token ends (0: never), unless it has ended.
    ///
    /// # Errors
    /// What the database says.
    pub async fn voter(&self, study: StudyId, token: &Hash, now: Millis) -> Result<Option<(u32, Millis)>> {
        let what = "look for a voter";
        let query = sqlx::query(sql::VOTER_BY_TOKEN).bind(study).bind(&token[..]);
        let Some(row) = query.fetch_optional(&self.read).await.wanted(what)? else { return Ok(None) };
        let expires: Millis = row.try_get("expires_ms").wanted(what)?;
        let same = bool::from(hash(&row, "token_hash")?.ct_eq(token));
        let voter = number(&row, "voter")?;
        Ok((same && (expires == 0 || now < expires)).then_some((voter as u32, expires)))
    }

    /// The names that voters gave.
    ///
    /// # Errors
    /// What the database says.
    pub async fn names(&self, study: StudyId) -> Result<Vec<(u32, String)>> {
        let rows = sqlx::query(sql::VOTER_NAMES).bind(study).fetch_all(&self.read).await.wanted("read names")?;
        rows.iter().map(|row| Ok((number(row, "voter")? as u32, row.try_get("name").wanted("read a name")?))).collect()
    }

    /// Everybody of whom something is known: a name, or what an address said.
    ///
    /// # Errors
    /// What the database says.
    pub async fn people(&self, study: StudyId) -> Result<Vec<Person>> {
        let rows = sqlx::query(sql::PEOPLE).bind(study).fetch_all(&self.read).await.wanted("read who votes")?;
        rows.iter().map(person).collect()
    }

    /// What is known of a voter; nothing of one who was erased.
    ///
    /// # Errors
    /// What the database says.
    pub async fn person(&self, study: StudyId, voter: u32) -> Result<Option<Person>> {
        let query = sqlx::query(sql::PERSON).bind(study).bind(i64::from(voter));
        query.fetch_optional(&self.read).await.wanted("read who votes")?.as_ref().map(person).transpose()
    }

    /// The comments on questions.
    ///
    /// # Errors
    /// What the database says.
    pub async fn notes(&self, study: StudyId) -> Result<Vec<(u32, String)>> {
        let rows = sqlx::query(sql::NOTES).bind(study).fetch_all(&self.read).await.wanted("read comments")?;
        let note = |row: &AnyRow| Ok((number(row, "question")? as u32, row.try_get("text").wanted("read a comment")?));
        rows.iter().map(note).collect()
    }

    /// Keeps the hash of a token for a scope, and for a study or (0) for all.
    ///
    /// # Errors
    /// What the database says.
    pub async fn add_token(
        &self,
        token: &Hash,
        scope: &str,
        study: StudyId,
        label: &str,
        (now, expires): (Millis, Option<Millis>),
    ) -> Result<()> {
        check_text("the label", label)?;
        self.write("keep a token", token_row(token, scope, study, label, (now, expires))).await.map(drop)
    }

    /// The scope and the study of a token, unless it has ended or was revoked.
    ///
    /// # Errors
    /// What the database says.
    pub async fn token(&self, token: &Hash, now: Millis) -> Result<Option<(String, StudyId)>> {
        let what = "look for a token";
        let query = sqlx::query(sql::TOKEN).bind(&token[..]);
        let Some(row) = query.fetch_optional(&self.read).await.wanted(what)? else { return Ok(None) };
        let time = |column: &str| row.try_get::<Millis, _>(column).wanted(what);
        let (expires, revoked) = (time("expires_ms")?, time("revoked_ms")?);
        let same = bool::from(hash(&row, "hash")?.ct_eq(token));
        if !same || revoked != 0 || (expires != 0 && now >= expires) {
            return Ok(None);
        }
        Ok(Some((row.try_get("scope").wanted(what)?, row.try_get("study").wanted(what)?)))
    }

    /// How many tokens of a scope are in use.
    ///
    /// # Errors
    /// What the database says.
    pub async fn count_tokens(&self, scope: &str) -> Result<u64> {
        let query = sqlx::query_scalar::<_, i64>(sql::COUNT_TOKENS).bind(scope);
        query.fetch_one(&self.read).await.wanted("count tokens").map(|count| count.max(0) as u64)
    }

    /// The tokens of a study (0: those of the server).
    ///
    /// # Errors
    /// What the database says.
    pub async fn tokens(&self, study: StudyId) -> Result<Vec<Token>> {
        let what = "list tokens";
        let rows = sqlx::query(sql::TOKENS).bind(study).fetch_all(&self.read).await.wanted(what)?;
        let token = |row: &AnyRow| {
            let text = |column: &str| row.try_get::<String, _>(column).wanted(what);
            let time = |column: &str| row.try_get::<Millis, _>(column).wanted(what);
            let (scope, label, created) = (text("scope")?, text("label")?, time("created_ms")?);
            let (expires, revoked) = (time("expires_ms")?, time("revoked_ms")?);
            Ok(Token { hash: hash(row, "hash")?, scope, label, created, expires, revoked })
        };
        rows.iter().map(token).collect()
    }

    /// Revokes a token of a study (0: of the server); whether there was one.
    ///
    /// # Errors
    /// What the database says.
    pub async fn revoke(&self, token: &Hash, study: StudyId, now: Millis) -> Result<bool> {
        let query = sqlx::query(sql::REVOKE).bind(now).bind(&token[..]).bind(study);
        Ok(self.write("revoke a token", query).await? > 0)
    }

    /// Copies the database into a new file while it is in use (SQLite only).
    ///
    /// # Errors
    /// PostgreSQL, which has `pg_dump` for this; a file that is there already.
    pub async fn backup(&self, file: &str) -> Result<()> {
        if self.dialect() == Dialect::Postgres {
            let how = "`pg_dump --format=custom --file=FILE ADDRESS`".to_owned();
            return Err(Error::Invalid(format!("PostgreSQL has its own tool for backups: {how}")));
        }
        super::connect::make_private(std::path::Path::new(file), true)?;
        let copied = self.write("be copied", sqlx::query(sql::BACKUP).bind(file)).await.map(drop);
        if copied.is_err() {
            // Half a copy is none; should it not go, its name is in the way and says so.
            let _ = std::fs::remove_file(file);
        }
        copied
    }
}
