-- What took a rotated token's place.
ALTER TABLE token ADD COLUMN rotated_to TEXT;

-- When a token was last good for something, to the minute: no change of governance, so no revision and no record.
CREATE TABLE token_use (
  token_id TEXT PRIMARY KEY REFERENCES token (id),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who gave the address: an operator's may be private, one given through /api is checked at every connection.
ALTER TABLE provider ADD COLUMN given_by TEXT NOT NULL DEFAULT 'operator';
