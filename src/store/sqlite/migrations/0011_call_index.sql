-- An index of the audit log's final records, filled beside the commits and not in them. Names and ids are kept as the
-- first 48 bits of their hash; 0 stands for none. It holds nothing that the log does not, and can be made again from it.
CREATE TABLE call_entry (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- The time in the call's id, or a hash where it has none: several calls may share it.
  call INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  -- The kind's first word: `chat` of `chat.completion`.
  family INTEGER NOT NULL,
  decision INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  user INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  token INTEGER NOT NULL,
  model INTEGER NOT NULL,
  tool INTEGER NOT NULL,
  conversation INTEGER NOT NULL
) STRICT;
CREATE INDEX call_entry_at ON call_entry (at);
CREATE INDEX call_entry_call ON call_entry (call);
CREATE INDEX call_entry_kind ON call_entry (kind);
CREATE INDEX call_entry_family ON call_entry (family);
CREATE INDEX call_entry_decision ON call_entry (decision);
CREATE INDEX call_entry_outcome ON call_entry (outcome);
CREATE INDEX call_entry_user ON call_entry (user);
CREATE INDEX call_entry_agent ON call_entry (agent);
CREATE INDEX call_entry_token ON call_entry (token);
CREATE INDEX call_entry_model ON call_entry (model);
CREATE INDEX call_entry_tool ON call_entry (tool);
CREATE INDEX call_entry_conversation ON call_entry (conversation) WHERE conversation <> 0;

-- A flag type and each prefix of it: `pii` and `pii.email`.
CREATE TABLE call_flag (
  flag INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (flag, seq)
) STRICT, WITHOUT ROWID;

-- How far the log is indexed.
CREATE TABLE call_indexed (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;

-- Calls counted by minute, quarter and hour: `span` in milliseconds, `subject` a user's hash, or 0 for everybody.
CREATE TABLE call_traffic (
  span INTEGER NOT NULL,
  at INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  -- A JSON object of counters.
  counts TEXT NOT NULL,
  PRIMARY KEY (span, at, subject)
) STRICT, WITHOUT ROWID;
