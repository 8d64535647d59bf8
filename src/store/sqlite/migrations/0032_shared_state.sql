-- Where several processes serve: what was said in conversations that callers name, in the order in which it was said.
-- `key` is a hash. A conversation that was silent for long is forgotten whole, and begins anew under another id.
CREATE TABLE conversation (
  key TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  units INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_until ON conversation (until);
CREATE TABLE conversation_said (
  id TEXT PRIMARY KEY,
  conversation TEXT NOT NULL,
  seq INTEGER NOT NULL,
  sealed TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX conversation_said_seq ON conversation_said (conversation, seq);
-- What automatic restrictions count of an agent, as JSON: counts, and ids of calls.
CREATE TABLE trigger_count (
  agent_id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX trigger_count_at ON trigger_count (at);
-- What happened and is not on record yet. `at`: when it was put on record last.
CREATE TABLE tally (
  name TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Whose calls were blocked since receivers of webhooks were told last, and the event by which they will be.
CREATE TABLE blocked_caller (
  subject_id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL,
  agent_id TEXT,
  user_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
