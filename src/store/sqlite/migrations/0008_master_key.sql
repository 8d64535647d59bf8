-- Secrets of the hub's own. NULL in the row of an older hub, which derived this one from its master key: it goes on so.
CREATE TABLE hub_secret (
  name TEXT PRIMARY KEY,
  key_id TEXT,
  sealed TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO hub_secret (name) SELECT 'content' WHERE EXISTS (SELECT 1 FROM "user");

-- Changes of the master key, by ids. `replaced` counts values sealed anew.
CREATE TABLE key_rotation (
  id INTEGER PRIMARY KEY,
  from_key TEXT NOT NULL,
  to_key TEXT NOT NULL,
  replaced INTEGER NOT NULL,
  begun_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
