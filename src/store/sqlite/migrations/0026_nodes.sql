-- Serving processes. `epoch`: how often one of the id has started. `until`: when its lease ends unless it renews it, by the
-- store's clock. `state`: `live`, `left` (an orderly stop), `ended` (its lease ran out, or nobody can be serving).
CREATE TABLE node (
  id TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  heard_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  version TEXT NOT NULL,
  address TEXT
) STRICT, WITHOUT ROWID;
-- Which node has the call under way; null where it was let through by a version before nodes.
ALTER TABLE audit_open_call ADD COLUMN node TEXT;
ALTER TABLE audit_open_call ADD COLUMN epoch INTEGER;
-- What one node at a time does.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  node TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
