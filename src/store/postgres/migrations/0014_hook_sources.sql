-- Systems that ask for verdicts about many people.
INSERT INTO revision (subject, value) VALUES ('hook_sources', 0);

CREATE TABLE hook_source (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  agent_id TEXT COLLATE "C" REFERENCES agent (id),
  -- A JSON object: applications, redact, budget_ms.
  settings TEXT NOT NULL,
  -- A JSON list, the newest first.
  sealed_secrets TEXT NOT NULL,
  token_id TEXT COLLATE "C" REFERENCES token (id),
  created_by TEXT COLLATE "C",
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX hook_source_name ON hook_source (name);
