-- Lists are read in pages, newest first: each of these is the order of one, behind what it is filtered by.
CREATE INDEX user_role ON "user" (role);
CREATE INDEX agent_owner ON agent (owner_id, id);
CREATE INDEX agent_name ON agent (name COLLATE NOCASE);

DROP INDEX token_user;
CREATE INDEX token_user ON token (user_id, id);
DROP INDEX token_agent;
CREATE INDEX token_agent ON token (agent_id, id);
-- With what decides whether a token has expired, so that looking for rare states reads the index alone.
CREATE INDEX token_state ON token (state, id, expires_at);
-- Tokens that are old.
CREATE INDEX token_created ON token (state, created_at);

CREATE INDEX review_state ON review (status, created_at, id);

DROP INDEX tuning_rule_agent;
CREATE INDEX tuning_rule_agent ON tuning_rule (agent_id, created_at, id);
DROP INDEX tuning_rule_active;
CREATE INDEX tuning_rule_state ON tuning_rule (status, created_at, id);

DROP INDEX suggestion_status;
CREATE INDEX suggestion_status ON suggestion (status, created_at, id);
CREATE INDEX suggestion_agent ON suggestion (agent_id, created_at, id);
CREATE INDEX suggestion_created ON suggestion (created_at, id);

DROP INDEX report_created;
CREATE INDEX report_created ON report (created_at, id);
DROP INDEX report_status;
CREATE INDEX report_status ON report (status, created_at, id);
DROP INDEX report_window;
CREATE INDEX report_window ON report (user_id, created_at, id);
CREATE INDEX report_agent ON report (agent_id, created_at, id);

CREATE INDEX hold_past ON hold (state, created_at);
CREATE INDEX hold_created ON hold (created_at);
CREATE INDEX hold_user ON hold (user_id, created_at);
CREATE INDEX hold_agent ON hold (agent_id, created_at);

-- What lists and counts ask of how agents fare, beside the document it is in.
ALTER TABLE agent_watch ADD COLUMN band TEXT;
ALTER TABLE agent_watch ADD COLUMN drift_status TEXT;
UPDATE agent_watch SET band = json_extract(state, '$.band.band'), drift_status = json_extract(state, '$.drift.status')
  WHERE json_valid(state);
CREATE INDEX agent_watch_band ON agent_watch (agent_id, band);
CREATE INDEX agent_watch_drift ON agent_watch (drift_status);
