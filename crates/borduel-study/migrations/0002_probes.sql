-- What /readyz writes to see whether something can be stored.
CREATE TABLE probes (id BIGINT NOT NULL PRIMARY KEY, at_ms BIGINT NOT NULL);
