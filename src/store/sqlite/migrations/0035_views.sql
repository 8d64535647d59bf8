-- Filters of screens that people keep under a name.
CREATE TABLE saved_view (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  screen TEXT NOT NULL,
  name TEXT NOT NULL,
  -- As it stands behind the ? of the screen's address.
  query TEXT NOT NULL,
  is_shared INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX saved_view_name ON saved_view (user_id, screen, name);
CREATE INDEX saved_view_shared ON saved_view (is_shared);
