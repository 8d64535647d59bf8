-- What servers offer beside tools: prompts and resource templates are pinned as tools are; and what of it, and which
-- resources, an agent is assigned. An assignment of before gives none of them.
CREATE TABLE tool_pin_of_kind (
  server_id TEXT NOT NULL REFERENCES tool_server (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('tool', 'prompt', 'template')),
  tool TEXT NOT NULL,
  name TEXT NOT NULL,
  seen TEXT NOT NULL,
  seen_hash TEXT NOT NULL,
  pinned TEXT,
  pinned_hash TEXT,
  flags TEXT NOT NULL,
  refused INTEGER NOT NULL CHECK (refused IN (0, 1)),
  present INTEGER NOT NULL CHECK (present IN (0, 1)),
  seen_at INTEGER NOT NULL,
  -- Pinned when `_meta` of definitions was not kept.
  lacks_meta INTEGER NOT NULL CHECK (lacks_meta IN (0, 1)),
  PRIMARY KEY (server_id, kind, tool)
) STRICT;
INSERT INTO tool_pin_of_kind
  SELECT server_id, 'tool', tool, name, seen, seen_hash, pinned, pinned_hash, flags, refused, present, seen_at, 1
  FROM tool_pin;
DROP TABLE tool_pin;
ALTER TABLE tool_pin_of_kind RENAME TO tool_pin;
CREATE UNIQUE INDEX tool_pin_server_name ON tool_pin (server_id, kind, name);

ALTER TABLE tool_assignment ADD COLUMN resources TEXT NOT NULL DEFAULT '[]';
ALTER TABLE tool_assignment ADD COLUMN prompts TEXT NOT NULL DEFAULT '[]';
