-- The only version of MCP that a tool server is spoken to in; null for whichever both sides know.
ALTER TABLE tool_server ADD COLUMN protocol TEXT COLLATE "C";
-- Hosts where it may ask users to open a page, a JSON list; null for none beside its own.
ALTER TABLE tool_server ADD COLUMN elicitation_hosts TEXT COLLATE "C";
