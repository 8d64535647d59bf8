-- Rules that were added, and those that take the place of a built-in one, as JSON.
CREATE TABLE alert_rule (
  id TEXT PRIMARY KEY,
  rule TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;
-- `settings`: what may be shown of how it is reached, as JSON; the rest is sealed.
CREATE TABLE alert_destination (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  settings TEXT NOT NULL,
  sealed TEXT NOT NULL,
  failing_since INTEGER,
  created_by TEXT REFERENCES "user" (id),
  created_at INTEGER NOT NULL
) STRICT;
-- What a rule found about a subject. Open ones, and those that are over for as long as they are kept.
CREATE TABLE alert (
  id TEXT PRIMARY KEY,
  rule_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  label TEXT,
  rule_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  severity TEXT NOT NULL,
  state TEXT NOT NULL,
  value REAL NOT NULL,
  peak REAL NOT NULL,
  threshold REAL NOT NULL,
  window_seconds INTEGER NOT NULL,
  since INTEGER NOT NULL,
  fired_at INTEGER,
  clear_since INTEGER,
  told_at INTEGER,
  resolved_at INTEGER
) STRICT;
CREATE UNIQUE INDEX alert_open ON alert (rule_id, subject) WHERE state <> 'resolved';
CREATE INDEX alert_state ON alert (state, id);
CREATE INDEX alert_resolved ON alert (resolved_at);
-- What each destination was told of an alert.
CREATE TABLE alert_notice (
  id TEXT PRIMARY KEY,
  alert_id TEXT NOT NULL REFERENCES alert (id) ON DELETE CASCADE,
  destination_id TEXT NOT NULL REFERENCES alert_destination (id) ON DELETE CASCADE,
  told TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts TEXT NOT NULL,
  next_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX alert_notice_alert ON alert_notice (alert_id, destination_id);
CREATE INDEX alert_notice_destination ON alert_notice (destination_id);
CREATE TABLE alert_silence (
  id TEXT PRIMARY KEY,
  rule_id TEXT,
  subject TEXT,
  reason TEXT NOT NULL,
  until INTEGER NOT NULL,
  created_by TEXT REFERENCES "user" (id),
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX alert_silence_until ON alert_silence (until);
-- What each serving process says of itself and its data directory, as JSON.
CREATE TABLE node_figures (
  node TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  figures TEXT NOT NULL
) STRICT;
