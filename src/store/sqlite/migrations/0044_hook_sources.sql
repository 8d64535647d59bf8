-- Systems that ask for verdicts about many people.
INSERT INTO revision (subject, value) VALUES ('hook_sources', 0);

CREATE TABLE hook_source (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES user (id),
  agent_id TEXT REFERENCES agent (id),
  -- A JSON object: applications, redact, budget_ms.
  settings TEXT NOT NULL,
  -- A JSON list, the newest first.
  sealed_secrets TEXT NOT NULL,
  token_id TEXT REFERENCES token (id),
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX hook_source_name ON hook_source (name);
