-- Studies, their logs, and what is kept beside them. The same text for SQLite and PostgreSQL: no booleans, no nulls
-- (0, '' and an empty hash stand for "none").
CREATE TABLE studies   (id BIGINT NOT NULL PRIMARY KEY, slug TEXT NOT NULL UNIQUE, title TEXT NOT NULL, created_ms BIGINT NOT NULL,
                        head BIGINT NOT NULL, head_hash BYTEA NOT NULL, CHECK (head >= 0));
CREATE TABLE entries   (study BIGINT NOT NULL REFERENCES studies (id), first BIGINT NOT NULL, last BIGINT NOT NULL, at_ms BIGINT NOT NULL,
                        format BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (study, first), CHECK (last >= first));
CREATE TABLE snapshots (study BIGINT NOT NULL REFERENCES studies (id), seq BIGINT NOT NULL, version BIGINT NOT NULL, hash BYTEA NOT NULL,
                        state BYTEA NOT NULL, PRIMARY KEY (study, seq));
CREATE TABLE contents  (study BIGINT NOT NULL REFERENCES studies (id), hash BYTEA NOT NULL, body BYTEA NOT NULL, PRIMARY KEY (study, hash));
CREATE TABLE voters    (study BIGINT NOT NULL REFERENCES studies (id), voter BIGINT NOT NULL, token_hash BYTEA NOT NULL, name TEXT NOT NULL,
                        created_ms BIGINT NOT NULL, expires_ms BIGINT NOT NULL, PRIMARY KEY (study, voter));
CREATE UNIQUE INDEX voters_token ON voters (study, token_hash);
CREATE TABLE notes     (study BIGINT NOT NULL REFERENCES studies (id), question BIGINT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (study, question));
CREATE TABLE tokens    (hash BYTEA NOT NULL PRIMARY KEY, scope TEXT NOT NULL, study BIGINT NOT NULL, label TEXT NOT NULL,
                        created_ms BIGINT NOT NULL, expires_ms BIGINT NOT NULL, revoked_ms BIGINT NOT NULL);
