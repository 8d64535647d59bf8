-- Keyed, of the words of what was reported without its numbers: like reports differ in few bits. Null where nothing is
-- known of the text.
ALTER TABLE report ADD COLUMN fingerprint TEXT COLLATE "C";
-- Who has taken up what waits for a decision.
CREATE TABLE assignee (
  kind TEXT COLLATE "C" NOT NULL,
  subject_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (kind, subject_id)
);
CREATE INDEX assignee_at ON assignee (at);
-- What came of what users reported or asked for. `id`: of the event and the user.
CREATE TABLE notice (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  subject_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C",
  outcome TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  seen_at BIGINT
);
CREATE INDEX notice_user ON notice (user_id, at, id);
CREATE INDEX notice_at ON notice (at);
