-- Each checkpoint signs the one before it: `prev` is the SHA-256 of that one's signed text. Null in checkpoints of
-- before. What else it may hold is said in audit-checkpoints.ts.
ALTER TABLE audit_checkpoint ADD COLUMN prev TEXT;

-- The newest checkpoint by the SHA-256 of its signed text, signed in words of its own and replaced each time, so that
-- checkpoints cannot be taken off the end: the database holds no older row of this kind that could be put in its place.
CREATE TABLE audit_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  checkpoint TEXT NOT NULL,
  key_id TEXT NOT NULL,
  signature TEXT NOT NULL
) STRICT;
