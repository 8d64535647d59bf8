-- Events as they can be reported, by the audit log, which is the truth: `facts` says what was judged.
CREATE TABLE past_event (
  id TEXT PRIMARY KEY,
  call_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  agent_id TEXT,
  at INTEGER NOT NULL,
  facts TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX past_event_at ON past_event (at);

-- Whoever serves counts the reports of the last hour.
CREATE INDEX report_created ON report (created_at);
