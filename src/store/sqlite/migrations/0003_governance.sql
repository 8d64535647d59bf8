ALTER TABLE agent ADD COLUMN sponsor_id TEXT REFERENCES "user" (id);
ALTER TABLE agent ADD COLUMN description TEXT;
ALTER TABLE agent ADD COLUMN environment TEXT;
ALTER TABLE agent ADD COLUMN profile_version INTEGER;
ALTER TABLE agent ADD COLUMN review_due_at INTEGER;

CREATE TABLE review (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  answers TEXT NOT NULL,
  content_hash TEXT,
  risk TEXT,
  changes TEXT NOT NULL,
  submitted_by TEXT REFERENCES "user" (id),
  submitted_at INTEGER,
  required INTEGER,
  eligible TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX review_agent_number ON review (agent_id, number);
CREATE INDEX review_status ON review (status, submitted_at);
-- An agent has at most one review going on.
CREATE UNIQUE INDEX review_open ON review (agent_id)
  WHERE status IN ('draft', 'submitted', 'in_review', 'changes_requested');

CREATE TABLE review_decision (
  id TEXT PRIMARY KEY,
  review_id TEXT NOT NULL REFERENCES review (id),
  "by" TEXT NOT NULL REFERENCES "user" (id),
  decision TEXT NOT NULL,
  comment TEXT,
  content_hash TEXT NOT NULL,
  alone INTEGER NOT NULL CHECK (alone IN (0, 1)),
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX review_decision_review ON review_decision (review_id, at);

CREATE TABLE review_comment (
  id TEXT PRIMARY KEY,
  review_id TEXT NOT NULL REFERENCES review (id),
  "by" TEXT NOT NULL REFERENCES "user" (id),
  section TEXT,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX review_comment_review ON review_comment (review_id, at);

-- Immutable: a change is a new version. Which one is in force, the agent says.
CREATE TABLE profile (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  version INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  review_id TEXT REFERENCES review (id),
  body TEXT NOT NULL,
  approved_by TEXT NOT NULL,
  effective_from INTEGER NOT NULL,
  changed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX profile_agent_version ON profile (agent_id, version);
CREATE INDEX profile_changed ON profile (changed);

CREATE TABLE restriction (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  kind TEXT NOT NULL,
  params TEXT NOT NULL,
  source TEXT NOT NULL,
  set_by TEXT REFERENCES "user" (id),
  trigger_ TEXT,
  reason TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  expires_at INTEGER,
  lifted_at INTEGER,
  lifted_by TEXT REFERENCES "user" (id),
  lift_reason TEXT,
  receipts TEXT NOT NULL,
  changed INTEGER NOT NULL
) STRICT;
CREATE INDEX restriction_agent ON restriction (agent_id, starts_at);
CREATE INDEX restriction_changed ON restriction (changed);

CREATE TABLE kill_switch (
  id TEXT PRIMARY KEY,
  level TEXT NOT NULL,
  target TEXT,
  reason TEXT NOT NULL,
  set_by TEXT REFERENCES "user" (id),
  set_at INTEGER NOT NULL,
  lifted_at INTEGER,
  lifted_by TEXT REFERENCES "user" (id),
  lift_reason TEXT,
  receipts TEXT NOT NULL,
  changed INTEGER NOT NULL
) STRICT;
CREATE INDEX kill_switch_changed ON kill_switch (changed);
CREATE UNIQUE INDEX kill_switch_on ON kill_switch (level, ifnull(target, '')) WHERE lifted_at IS NULL;

CREATE TABLE hold (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (id),
  user_id TEXT NOT NULL REFERENCES "user" (id),
  tool TEXT NOT NULL,
  call_hash TEXT NOT NULL,
  cause TEXT NOT NULL,
  layer TEXT NOT NULL,
  event_id TEXT NOT NULL,
  sealed_arguments TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_by TEXT REFERENCES "user" (id),
  decided_at INTEGER
) STRICT;
CREATE INDEX hold_call ON hold (agent_id, call_hash, expires_at);
CREATE INDEX hold_state ON hold (state, expires_at);

-- Counters of one agent, or of one user's calls without an agent, in one UTC hour. A summary: the audit log is the truth.
CREATE TABLE usage_hour (
  subject_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (subject_id, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_hour_hour ON usage_hour (hour);

-- Health and drift as last computed, with what the next computation starts from.
CREATE TABLE agent_watch (
  agent_id TEXT PRIMARY KEY REFERENCES agent (id),
  state TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- What a profile says is kept of calls: sealed, and gone when it expires. The audit chain does not depend on it.
CREATE TABLE kept_content (
  id TEXT PRIMARY KEY,
  call_id TEXT NOT NULL,
  event_id TEXT,
  user_id TEXT NOT NULL,
  agent_id TEXT,
  purpose TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX kept_content_call ON kept_content (call_id);
CREATE INDEX kept_content_event ON kept_content (event_id);
CREATE INDEX kept_content_expires ON kept_content (expires_at);
