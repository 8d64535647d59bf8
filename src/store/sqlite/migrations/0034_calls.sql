-- The index of final records, each column of a block a row: a question reads the columns it asks for and no others. What
-- was counted of calls stays; `counted` is how far that went.
DROP TABLE call_block;
ALTER TABLE call_indexed ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
UPDATE call_indexed SET counted = seq, seq = 0;

CREATE TABLE call_block (
  first_seq INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  -- Of the earliest and the latest record in it, Unix milliseconds.
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  count INTEGER NOT NULL,
  -- Of these, calls of models and tools, and what they come to; cost in nano-dollars.
  calls INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  prompt INTEGER NOT NULL,
  completion INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  unpriced INTEGER NOT NULL
) STRICT;

CREATE TABLE call_column (
  -- The column's number times 2^48, and the block's first_seq.
  id INTEGER PRIMARY KEY,
  -- Of numbers of calls, the smallest and the largest; null where there are none.
  low REAL,
  high REAL,
  -- A number or a hash for each record, little-endian: src/store/sqlite/call-block.ts.
  data BLOB NOT NULL
) STRICT;
