-- When and as what a tool server was published in the hub's registry; null for one that is not.
ALTER TABLE tool_server ADD COLUMN published_at INTEGER;
ALTER TABLE tool_server ADD COLUMN published_as TEXT;
