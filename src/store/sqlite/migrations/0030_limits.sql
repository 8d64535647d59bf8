-- Where several processes serve: what agents that have limits use of them, over all processes. `state`: of the minute and
-- the day, as JSON.
CREATE TABLE limit_account (
  agent_id TEXT PRIMARY KEY,
  state TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Calls under way, by process: those of a dead one count no more.
CREATE TABLE limit_open (
  agent_id TEXT NOT NULL,
  node TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  open INTEGER NOT NULL,
  PRIMARY KEY (agent_id, node)
) STRICT, WITHOUT ROWID;
-- Calls of a conversation, where they are limited.
CREATE TABLE limit_conversation (
  conversation TEXT PRIMARY KEY,
  calls INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX limit_conversation_at ON limit_conversation (at);
