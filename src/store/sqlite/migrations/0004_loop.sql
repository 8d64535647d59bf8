-- What callers say was judged wrongly. `sealed_content` goes some time after it is closed.
CREATE TABLE report (
  id TEXT PRIMARY KEY,
  direction TEXT NOT NULL,
  status TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  token_id TEXT REFERENCES token (id),
  agent_id TEXT REFERENCES agent (id),
  event_id TEXT,
  flag_types TEXT NOT NULL,
  user_reason TEXT,
  severity_estimate TEXT,
  reporter_confidence TEXT,
  conversation_id TEXT,
  share_content INTEGER NOT NULL CHECK (share_content IN (0, 1)),
  questionnaire_section TEXT NOT NULL,
  sealed_content TEXT,
  llm_verdict TEXT,
  llm_confidence REAL,
  llm_reasoning TEXT,
  -- Written in the same step as the suggestion, before it.
  tuning_suggestion_id TEXT REFERENCES suggestion (id) DEFERRABLE INITIALLY DEFERRED,
  decision TEXT,
  decided_by TEXT REFERENCES "user" (id),
  decided_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  closed_at INTEGER,
  revision INTEGER NOT NULL
) STRICT;
-- Nobody says the same of one event twice. A miss may name no event: those are all different.
CREATE UNIQUE INDEX report_same ON report (user_id, event_id, direction) WHERE event_id IS NOT NULL;
CREATE INDEX report_window ON report (user_id, created_at);
CREATE INDEX report_status ON report (status, created_at);
CREATE INDEX report_closed ON report (closed_at) WHERE sealed_content IS NOT NULL;

-- Work that survives a restart; a row goes when it is done.
CREATE TABLE job (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  run_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  worker TEXT,
  leased_until INTEGER,
  error TEXT
) STRICT;
CREATE INDEX job_due ON job (kind, run_at);

CREATE TABLE suggestion (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  agent_id TEXT REFERENCES agent (id),
  report_ids TEXT NOT NULL,
  kind TEXT NOT NULL,
  effect TEXT NOT NULL,
  change TEXT NOT NULL,
  "match" TEXT NOT NULL,
  rationale TEXT NOT NULL,
  impact TEXT NOT NULL,
  status TEXT NOT NULL,
  approvals TEXT NOT NULL,
  required INTEGER NOT NULL,
  eligible TEXT NOT NULL,
  requested_by TEXT REFERENCES "user" (id),
  request_note TEXT,
  requested_at INTEGER,
  base_revision INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  rejected TEXT,
  created_by TEXT REFERENCES "user" (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- Written in the same step as the rule, before it.
  rule_id TEXT REFERENCES tuning_rule (id) DEFERRABLE INITIALLY DEFERRED,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX suggestion_status ON suggestion (status, created_at);
CREATE INDEX suggestion_user ON suggestion (user_id, created_at);

CREATE TABLE tuning_rule (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  agent_id TEXT REFERENCES agent (id),
  kind TEXT NOT NULL,
  effect TEXT NOT NULL,
  "match" TEXT NOT NULL,
  change TEXT NOT NULL,
  mode TEXT NOT NULL,
  status TEXT NOT NULL,
  expires_at INTEGER,
  hits INTEGER NOT NULL,
  last_hit_at INTEGER,
  suggestion_id TEXT REFERENCES suggestion (id),
  requested_by TEXT REFERENCES "user" (id),
  approved_by TEXT NOT NULL,
  self_approved INTEGER NOT NULL CHECK (self_approved IN (0, 1)),
  revision INTEGER NOT NULL REFERENCES policy (revision),
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  changed INTEGER NOT NULL
) STRICT;
CREATE INDEX tuning_rule_agent ON tuning_rule (agent_id, created_at);
CREATE INDEX tuning_rule_user ON tuning_rule (user_id, created_at);
CREATE INDEX tuning_rule_active ON tuning_rule (status) WHERE status = 'active';
CREATE INDEX tuning_rule_changed ON tuning_rule (changed);

-- Answers to give again; without one the request is under way.
CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER,
  body TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_created ON idempotency (created_at);

CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  sealed_secrets TEXT NOT NULL,
  description TEXT,
  disabled_reason TEXT,
  created_by TEXT REFERENCES "user" (id),
  created_at INTEGER NOT NULL,
  failing_since INTEGER
) STRICT;

CREATE TABLE webhook_delivery (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts TEXT NOT NULL,
  next_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook_id, created_at);
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at);

-- Policies get a counter of their own: what changes a rule changes them, and who serves must learn of it.
INSERT INTO revision (subject, value) VALUES ('policies', 0);
