-- Servers that other registries list, until an operator has decided about them.
CREATE TABLE proposal (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  -- The registry's `server` object as JSON, and the hash of its canonical form.
  entry TEXT COLLATE "C" NOT NULL,
  entry_hash TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  imported_by TEXT COLLATE "C",
  imported_at BIGINT NOT NULL,
  decided_by TEXT COLLATE "C",
  decided_at BIGINT,
  reason TEXT COLLATE "C",
  server_id TEXT COLLATE "C"
);
CREATE INDEX proposal_name ON proposal (name);
CREATE INDEX proposal_state ON proposal (state);
