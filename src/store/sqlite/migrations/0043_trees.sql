-- The log as a transparency log: see audit-tree.ts. One row.
CREATE TABLE audit_tree (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  origin TEXT NOT NULL,
  base INTEGER NOT NULL
) STRICT;
-- Up to 256 hashes of 32 bytes, one after the other.
CREATE TABLE audit_tile (
  level INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (level, idx)
) STRICT;
-- The newest signed tree head, and the newest that witnesses have signed too. At most one row of each.
CREATE TABLE audit_tree_head (
  id INTEGER PRIMARY KEY CHECK (id IN (1, 2)),
  size INTEGER NOT NULL,
  note TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
