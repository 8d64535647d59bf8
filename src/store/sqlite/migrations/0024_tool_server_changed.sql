-- The revision of the last change of a tool server, its tools or its assignments: a hub reads again only those that changed.
ALTER TABLE tool_server ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
