-- What only the server knows about a study: keys are made of it.
CREATE TABLE secrets (study BIGINT NOT NULL PRIMARY KEY REFERENCES studies (id), secret BYTEA NOT NULL);
