-- Keyed, of the words of what was reported without its numbers: like reports differ in few bits. Null where nothing is
-- known of the text.
ALTER TABLE report ADD COLUMN fingerprint TEXT;
-- Who has taken up what waits for a decision.
CREATE TABLE assignee (
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX assignee_at ON assignee (at);
-- What came of what users reported or asked for. `id`: of the event and the user.
CREATE TABLE notice (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  agent_id TEXT,
  outcome TEXT NOT NULL,
  at INTEGER NOT NULL,
  seen_at INTEGER
) STRICT;
CREATE INDEX notice_user ON notice (user_id, at, id);
CREATE INDEX notice_at ON notice (at);
