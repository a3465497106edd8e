//! Every statement, once: plain SQL that SQLite and PostgreSQL read alike, and the few that they do not.

use super::StudyId;

pub(super) const HEAD: &str = "SELECT head, head_hash FROM studies WHERE id = $1";
pub(super) const HEADS: &str = "SELECT id, head FROM studies";
/// Begins a turn on SQLite and reads the head of its study; the whole file is locked from here on. A transaction that
/// begins without a lock and then writes would fail at once when another one writes; this one waits.
pub(super) const BEGIN_SQLITE: &str = "BEGIN IMMEDIATE; SELECT head, head_hash FROM studies WHERE id = $1";
/// Begins a turn on PostgreSQL and reads the head of this study, whose row is locked from here on: whoever comes second
/// waits.
pub(super) fn begin_postgres(study: StudyId) -> String {
    format!("BEGIN; SELECT head, head_hash FROM studies WHERE id = {study} FOR UPDATE")
}
/// Appends an entry and moves the head, if it is where it was, and commits. One text is one message to the database,
/// and the answer to it comes after the commit. A row comes back where something was appended.
pub(super) const APPEND_SQLITE: &str = "INSERT INTO entries (study, first, last, at_ms, format, body) \
     SELECT id, $2, $3, $4, $5, $6 FROM studies WHERE id = $1 AND head = $8 RETURNING first; \
     UPDATE studies SET head = $3, head_hash = $7 WHERE id = $1 AND head = $8; COMMIT";
/// The same on PostgreSQL, but for the commit: its messages with parameters are one statement each.
pub(super) const APPEND_POSTGRES: &str = "WITH moved AS (UPDATE studies SET head = $3, head_hash = $7 WHERE id = $1 \
                                          AND head = $8 RETURNING id) \
     INSERT INTO entries (study, first, last, at_ms, format, body) SELECT id, $2, $3, $4, $5, $6 FROM moved RETURNING \
     first";
pub(super) const COMMIT: &str = "COMMIT";
/// Entries as one text, up to an event: every one as its numbers, the length of its body in bytes, and its body. A
/// database driver takes far longer for a row than for the few events that most have.
pub(super) const REPLAY: &str = "SELECT COALESCE(string_agg(first || ' ' || last || ' ' || at_ms || ' ' || format || ' \
                                 ' \
     || octet_length(body) || ' ' || body, '' ORDER BY first), '') AS entries FROM entries WHERE study = $1 AND first \
     > $2 AND first <= $3";

pub(super) const ADD_STUDY: &str =
    "INSERT INTO studies (id, slug, title, created_ms, head, head_hash) VALUES ($1, $2, $3, $4, 0, $5)";
pub(super) const STUDY: &str = "SELECT id, slug, title, created_ms, head FROM studies WHERE slug = $1";
pub(super) const STUDIES: &str =
    "SELECT id, slug, title, created_ms, head FROM studies WHERE slug > $1 ORDER BY slug LIMIT $2";
/// The studies in which something has happened last, and when.
pub(super) const LATEST: &str = "SELECT id, slug, title, created_ms, head, COALESCE((SELECT at_ms FROM entries \
     WHERE study = studies.id ORDER BY first DESC LIMIT 1), created_ms) AS last_ms FROM studies ORDER BY last_ms DESC, \
     slug LIMIT $1";
pub(super) const SET_TITLE: &str = "UPDATE studies SET title = $1 WHERE id = $2";

/// Everything of a study, what refers to others first.
pub(super) const DELETE_STUDY: [&str; 9] = [
    "DELETE FROM hooks WHERE study = $1",
    "DELETE FROM secrets WHERE study = $1",
    "DELETE FROM notes WHERE study = $1",
    "DELETE FROM voters WHERE study = $1",
    "DELETE FROM tokens WHERE study = $1",
    "DELETE FROM contents WHERE study = $1",
    "DELETE FROM snapshots WHERE study = $1",
    "DELETE FROM entries WHERE study = $1",
    "DELETE FROM studies WHERE id = $1",
];

pub(super) const ADD_SECRET: &str = "INSERT INTO secrets (study, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING";
pub(super) const SECRET: &str = "SELECT secret FROM secrets WHERE study = $1";

pub(super) const ADD_HOOK: &str = "INSERT INTO hooks (study, told, within, said, tries, problem, free_ms) \
     VALUES ($1, $2, 0, '', 0, '', 0) ON CONFLICT DO NOTHING";
pub(super) const DROP_HOOK: &str = "DELETE FROM hooks WHERE study = $1";
pub(super) const HOOKS: &str = "SELECT study, slug, told, within, said, tries FROM hooks JOIN studies ON id = study \
     WHERE head > told AND free_ms <= $1";
/// Of all who want to tell, one does: what others have told since it was read, or are telling, does not match.
pub(super) const TAKE_HOOK: &str =
    "UPDATE hooks SET free_ms = $5 WHERE study = $1 AND told = $2 AND within = $3 AND free_ms <= $4";
/// Where a study has another webhook since, it was told more.
pub(super) const KEEP_HOOK: &str = "UPDATE hooks SET told = $2, within = $3, said = $4, tries = $5, problem = $6, \
                                    free_ms = $7 \
     WHERE study = $1 AND told <= $2 AND within <= $3";
pub(super) const HOOK_PROBLEM: &str = "SELECT problem FROM hooks WHERE study = $1";

pub(super) const SNAPSHOTS: &str =
    "SELECT seq, hash, state FROM snapshots WHERE study = $1 AND version = $2 ORDER BY seq DESC";
pub(super) const ADD_SNAPSHOT: &str =
    "INSERT INTO snapshots (study, seq, version, hash, state) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
/// Two are kept.
pub(super) const DROP_SNAPSHOTS: &str = "DELETE FROM snapshots WHERE study = $1 AND seq < \
     (SELECT MIN(seq) FROM (SELECT seq FROM snapshots WHERE study = $1 ORDER BY seq DESC LIMIT 2) AS newest)";

pub(super) const ADD_CONTENT: &str =
    "INSERT INTO contents (study, hash, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
pub(super) const DROP_CONTENT: &str = "DELETE FROM contents WHERE study = $1 AND hash = $2";
pub(super) const CONTENT: &str = "SELECT body FROM contents WHERE study = $1 AND hash = $2";

pub(super) const ADD_VOTER: &str = "INSERT INTO voters (study, voter, token_hash, name, created_ms, expires_ms, sent) \
                                    VALUES ($1, $2, $3, $4, $5, $6, $7)";
pub(super) const VOTER_BY_TOKEN: &str =
    "SELECT voter, token_hash, expires_ms FROM voters WHERE study = $1 AND token_hash = $2";
pub(super) const VOTER_NAMES: &str = "SELECT voter, name FROM voters WHERE study = $1 AND name <> '' ORDER BY voter";
pub(super) const PEOPLE: &str =
    "SELECT voter, name, sent FROM voters WHERE study = $1 AND (name <> '' OR sent <> '') ORDER BY voter";
pub(super) const PERSON: &str = "SELECT voter, name, sent FROM voters WHERE study = $1 AND voter = $2";
pub(super) const DROP_VOTER: &str = "DELETE FROM voters WHERE study = $1 AND voter = $2";
pub(super) const ADD_NOTE: &str = "INSERT INTO notes (study, question, text) VALUES ($1, $2, $3) \
                                   ON CONFLICT (study, question) DO UPDATE SET text = excluded.text";
pub(super) const NOTES: &str = "SELECT question, text FROM notes WHERE study = $1 ORDER BY question";
pub(super) const DROP_NOTE: &str = "DELETE FROM notes WHERE study = $1 AND question = $2";

pub(super) const ADD_TOKEN: &str = "INSERT INTO tokens (hash, scope, study, label, created_ms, expires_ms, revoked_ms) \
                                    VALUES ($1, $2, $3, $4, $5, $6, 0) ON CONFLICT DO NOTHING";
pub(super) const TOKEN: &str = "SELECT hash, scope, study, expires_ms, revoked_ms FROM tokens WHERE hash = $1";
pub(super) const TOKENS: &str = "SELECT hash, scope, label, created_ms, expires_ms, revoked_ms FROM tokens WHERE study \
                                 = $1 ORDER BY created_ms, hash";
pub(super) const COUNT_TOKENS: &str = "SELECT COUNT(*) FROM tokens WHERE scope = $1 AND revoked_ms = 0";
pub(super) const REVOKE: &str = "UPDATE tokens SET revoked_ms = $1 WHERE hash = $2 AND study = $3 AND revoked_ms = 0";

/// Writes the tables that know people anew, on SQLite, so that nothing of a deleted row is left in their pages: where
/// rows were moved between pages, `secure_delete` alone leaves copies. What they are read into is held in memory only.
pub(super) const REWRITE_PEOPLE: &str = "CREATE TEMP TABLE kept AS SELECT * FROM voters; DELETE FROM voters; \
     INSERT INTO voters SELECT * FROM kept; DROP TABLE kept; \
     CREATE TEMP TABLE kept AS SELECT * FROM notes; DELETE FROM notes; INSERT INTO notes SELECT * FROM kept; DROP \
     TABLE kept";
/// Moves the whole write-ahead log of a SQLite file into it and empties it, if nobody reads from it within a moment.
pub(super) const SWEEP: &str = "PRAGMA busy_timeout = 100; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 5000";
pub(super) const PROBE: &str =
    "INSERT INTO probes (id, at_ms) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at_ms = excluded.at_ms";

/// SQLite only, into a new or an empty file.
pub(super) const BACKUP: &str = "VACUUM INTO $1";
