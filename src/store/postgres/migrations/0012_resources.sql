-- What servers offer beside tools: prompts and resource templates are pinned as tools are; and what of it, and which
-- resources, an agent is assigned. An assignment of before gives none of them.
ALTER TABLE tool_pin ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'tool'
  CHECK (kind IN ('tool', 'prompt', 'template'));
ALTER TABLE tool_pin ALTER COLUMN kind DROP DEFAULT;
-- Pinned when `_meta` of definitions was not kept.
ALTER TABLE tool_pin ADD COLUMN lacks_meta BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE tool_pin ALTER COLUMN lacks_meta DROP DEFAULT;
ALTER TABLE tool_pin DROP CONSTRAINT tool_pin_pkey;
ALTER TABLE tool_pin ADD PRIMARY KEY (server_id, kind, tool);
DROP INDEX tool_pin_server_name;
CREATE UNIQUE INDEX tool_pin_server_name ON tool_pin (server_id, kind, name);

ALTER TABLE tool_assignment ADD COLUMN resources TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE tool_assignment ADD COLUMN prompts TEXT COLLATE "C" NOT NULL DEFAULT '[]';
