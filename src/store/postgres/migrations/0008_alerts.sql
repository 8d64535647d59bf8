-- Rules that were added, and those that take the place of a built-in one, as JSON.
CREATE TABLE alert_rule (
  id TEXT COLLATE "C" PRIMARY KEY,
  rule TEXT COLLATE "C" NOT NULL,
  changed_at BIGINT NOT NULL
);
-- `settings`: what may be shown of how it is reached, as JSON; the rest is sealed.
CREATE TABLE alert_destination (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  active BOOLEAN NOT NULL,
  settings TEXT COLLATE "C" NOT NULL,
  sealed TEXT COLLATE "C" NOT NULL,
  failing_since BIGINT,
  created_by TEXT COLLATE "C" REFERENCES "user" (id),
  created_at BIGINT NOT NULL
);
-- What a rule found about a subject. Open ones, and those that are over for as long as they are kept.
CREATE TABLE alert (
  id TEXT COLLATE "C" PRIMARY KEY,
  rule_id TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  label TEXT COLLATE "C",
  rule_name TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  severity TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  value DOUBLE PRECISION NOT NULL,
  peak DOUBLE PRECISION NOT NULL,
  threshold DOUBLE PRECISION NOT NULL,
  window_seconds BIGINT NOT NULL,
  since BIGINT NOT NULL,
  fired_at BIGINT,
  clear_since BIGINT,
  told_at BIGINT,
  resolved_at BIGINT
);
CREATE UNIQUE INDEX alert_open ON alert (rule_id, subject) WHERE state <> 'resolved';
CREATE INDEX alert_state ON alert (state, id);
CREATE INDEX alert_resolved ON alert (resolved_at);
-- What each destination was told of an alert.
CREATE TABLE alert_notice (
  id TEXT COLLATE "C" PRIMARY KEY,
  alert_id TEXT COLLATE "C" NOT NULL REFERENCES alert (id) ON DELETE CASCADE,
  destination_id TEXT COLLATE "C" NOT NULL REFERENCES alert_destination (id) ON DELETE CASCADE,
  told TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  attempts TEXT COLLATE "C" NOT NULL,
  next_at BIGINT,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX alert_notice_alert ON alert_notice (alert_id, destination_id);
CREATE INDEX alert_notice_destination ON alert_notice (destination_id);
CREATE TABLE alert_silence (
  id TEXT COLLATE "C" PRIMARY KEY,
  rule_id TEXT COLLATE "C",
  subject TEXT COLLATE "C",
  reason TEXT COLLATE "C" NOT NULL,
  until BIGINT NOT NULL,
  created_by TEXT COLLATE "C" REFERENCES "user" (id),
  created_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE INDEX alert_silence_until ON alert_silence (until);
-- What each serving process says of itself and its data directory, as JSON.
CREATE TABLE node_figures (
  node TEXT COLLATE "C" PRIMARY KEY,
  epoch BIGINT NOT NULL,
  figures TEXT COLLATE "C" NOT NULL
);
CREATE TRIGGER sealed_fence_sealed BEFORE INSERT OR UPDATE OF sealed ON alert_destination
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed', '');
