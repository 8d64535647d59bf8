-- Servers that other registries list, until an operator has decided about them.
CREATE TABLE proposal (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  source TEXT NOT NULL,
  -- The registry's `server` object as JSON, and the hash of its canonical form.
  entry TEXT NOT NULL,
  entry_hash TEXT NOT NULL,
  state TEXT NOT NULL,
  imported_by TEXT,
  imported_at INTEGER NOT NULL,
  decided_by TEXT,
  decided_at INTEGER,
  reason TEXT,
  server_id TEXT
) STRICT;
CREATE INDEX proposal_name ON proposal (name);
CREATE INDEX proposal_state ON proposal (state);
