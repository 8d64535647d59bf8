-- Processes that ended without an orderly stop: when they were heard of last, until when they may have served, and whether
-- what they had counted and not stored was counted again from their records.
CREATE TABLE node_crash (
  node TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  heard_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  has_usage INTEGER NOT NULL,
  has_events INTEGER NOT NULL,
  PRIMARY KEY (node, epoch)
) STRICT, WITHOUT ROWID;
