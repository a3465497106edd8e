-- Studies with a webhook: the last event of the last entry that it was told of wholly, the last event that it was told
-- of within the next one, the verdict that it was told last, how often the next message failed and why, and until when
-- nobody else tells it anything.
CREATE TABLE hooks (study BIGINT NOT NULL PRIMARY KEY REFERENCES studies (id), told BIGINT NOT NULL, within BIGINT NOT NULL, said TEXT NOT NULL, tries BIGINT NOT NULL, problem TEXT NOT NULL, free_ms BIGINT NOT NULL);
