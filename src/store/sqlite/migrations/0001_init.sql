CREATE TABLE "user" (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  name TEXT,
  role TEXT NOT NULL,
  password_hash TEXT,
  created_at INTEGER NOT NULL,
  changed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX user_email_key ON "user" (email_key);
CREATE INDEX user_changed ON "user" (changed);

CREATE TABLE agent (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES "user" (id),
  review_status TEXT NOT NULL,
  lifecycle TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX agent_owner_name ON agent (owner_id, name);
CREATE INDEX agent_changed ON agent (changed);

CREATE TABLE token (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  display TEXT NOT NULL,
  name TEXT,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  agent_id TEXT REFERENCES agent (id),
  state TEXT NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  changed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX token_hash ON token (hash);
CREATE INDEX token_changed ON token (changed);
CREATE INDEX token_user ON token (user_id);
CREATE INDEX token_agent ON token (agent_id) WHERE agent_id IS NOT NULL;

CREATE TABLE provider (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  base_url TEXT NOT NULL,
  models TEXT NOT NULL,
  sealed_key TEXT,
  priority INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX provider_name ON provider (name);

CREATE TABLE policy (
  revision INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE revision (
  subject TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT;
INSERT INTO revision (subject, value) VALUES ('all', 0), ('providers', 0);

CREATE TABLE hub_process (
  id TEXT PRIMARY KEY,
  seen INTEGER NOT NULL,
  heard_at INTEGER NOT NULL
) STRICT;

-- One row a monthly table of the audit log. `last_…` are set when the next one begins, `drop…` when retention takes it.
CREATE TABLE audit_partition (
  name TEXT PRIMARY KEY,
  first_seq INTEGER NOT NULL,
  first_prev_hash TEXT NOT NULL,
  last_seq INTEGER,
  last_hash TEXT,
  dropped_at INTEGER,
  drop_key_id TEXT,
  drop_signature TEXT
) STRICT;
CREATE UNIQUE INDEX audit_partition_first_seq ON audit_partition (first_seq);

CREATE TABLE audit_checkpoint (
  seq INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  signature TEXT NOT NULL
) STRICT;

-- Calls let through that have not ended: a short list beside a long log, so that a start after a crash is quick.
CREATE TABLE audit_open_call (
  call_id TEXT PRIMARY KEY,
  partition TEXT NOT NULL,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Written and rewritten to learn whether the disk takes writes again.
CREATE TABLE audit_probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;
