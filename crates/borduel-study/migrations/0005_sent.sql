-- What the address by which a voter came says of it, as JSON by parameter; it goes with the voter.
ALTER TABLE voters ADD COLUMN sent TEXT NOT NULL DEFAULT '';
