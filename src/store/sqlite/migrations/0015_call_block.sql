-- The index of final records in columns: some hundred of them a row, each column the numbers of all of them one after
-- the other. A row of its own for each record, with an index a column, cost more to write than the record.
DROP TABLE call_flag;
DROP TABLE call_entry;
DROP TABLE call_traffic;
-- Made again from the log.
DELETE FROM call_indexed;

-- Calls counted by minute, quarter and hour: `span` in milliseconds, `subject` 48 bits of the hash of a user's id, or 0
-- for everybody. With a row id, for rows of a kilobyte would fill a page each without.
CREATE TABLE call_traffic (
  span INTEGER NOT NULL,
  at INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  -- A JSON array of names and numbers by turns.
  counts TEXT NOT NULL,
  PRIMARY KEY (span, at, subject)
) STRICT;

CREATE TABLE call_block (
  first_seq INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  -- Of the earliest and the latest record in it, Unix milliseconds.
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  -- 64-bit floating point, little-endian.
  seq BLOB NOT NULL,
  at BLOB NOT NULL,
  -- 32 bits of a name's hash, little-endian; 0 stands for none.
  call BLOB NOT NULL,
  kind BLOB NOT NULL,
  -- The kind's first word: `chat` of `chat.completion`.
  family BLOB NOT NULL,
  decision BLOB NOT NULL,
  outcome BLOB NOT NULL,
  user BLOB NOT NULL,
  agent BLOB NOT NULL,
  token BLOB NOT NULL,
  model BLOB NOT NULL,
  tool BLOB NOT NULL,
  conversation BLOB NOT NULL,
  -- Pairs: which record of the block, and a flag type of it or a prefix of one (`pii` and `pii.email`).
  flag BLOB NOT NULL
) STRICT;
