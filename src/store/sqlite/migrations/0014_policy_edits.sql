-- What of a policy people set by hand: a row for each revision that was made so. Those without a row are the
-- configuration's, or tuning's that moved the number alone.
CREATE TABLE policy_edit (
  revision INTEGER PRIMARY KEY REFERENCES policy (revision),
  edits TEXT NOT NULL,
  user_id TEXT REFERENCES "user" (id),
  reason TEXT NOT NULL,
  restored INTEGER REFERENCES policy (revision)
) STRICT;

-- Looser policies that wait for somebody else, and what became of them.
CREATE TABLE policy_proposal (
  id TEXT PRIMARY KEY,
  base_revision INTEGER NOT NULL REFERENCES policy (revision),
  edits TEXT NOT NULL,
  restored INTEGER REFERENCES policy (revision),
  reason TEXT NOT NULL,
  eligible TEXT NOT NULL,
  proposed_by TEXT NOT NULL REFERENCES "user" (id),
  proposed_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  decided_by TEXT REFERENCES "user" (id),
  decided_at INTEGER,
  comment TEXT
) STRICT;
CREATE INDEX policy_proposal_state ON policy_proposal (state, proposed_at);
