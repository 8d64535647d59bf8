CREATE TABLE session (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  state TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX session_hash ON session (hash);
CREATE INDEX session_changed ON session (changed);

CREATE TABLE tool_server (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES "user" (id),
  slug TEXT NOT NULL,
  transport TEXT NOT NULL,
  url TEXT,
  command TEXT,
  given_by TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  credential_kind TEXT NOT NULL,
  sealed_credentials TEXT,
  credential_version INTEGER NOT NULL,
  call_ms INTEGER,
  list_ms INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tool_server_owner_slug ON tool_server (owner_id, slug);

-- What belongs to a server goes with it.
CREATE TABLE tool_pin (
  server_id TEXT NOT NULL REFERENCES tool_server (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  name TEXT NOT NULL,
  seen TEXT NOT NULL,
  seen_hash TEXT NOT NULL,
  pinned TEXT,
  pinned_hash TEXT,
  flags TEXT NOT NULL,
  refused INTEGER NOT NULL CHECK (refused IN (0, 1)),
  present INTEGER NOT NULL CHECK (present IN (0, 1)),
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (server_id, tool)
) STRICT;
CREATE UNIQUE INDEX tool_pin_server_name ON tool_pin (server_id, name);

CREATE TABLE tool_assignment (
  agent_id TEXT NOT NULL REFERENCES agent (id),
  server_id TEXT NOT NULL REFERENCES tool_server (id) ON DELETE CASCADE,
  tools TEXT,
  PRIMARY KEY (agent_id, server_id)
) STRICT;
CREATE INDEX tool_assignment_server ON tool_assignment (server_id);

CREATE TABLE tool_grant (
  server_id TEXT PRIMARY KEY REFERENCES tool_server (id) ON DELETE CASCADE,
  sealed TEXT NOT NULL,
  version INTEGER NOT NULL
) STRICT;

-- Sign-ins that were begun.
CREATE TABLE tool_authorization (
  state_hash TEXT PRIMARY KEY,
  server_id TEXT NOT NULL REFERENCES tool_server (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  sealed TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX tool_authorization_server ON tool_authorization (server_id, expires_at);
CREATE INDEX tool_authorization_expires ON tool_authorization (expires_at);

INSERT INTO revision (subject, value) VALUES ('tools', 0);
