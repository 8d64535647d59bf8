-- Filters of screens that people keep under a name.
CREATE TABLE saved_view (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL,
  screen TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  -- As it stands behind the ? of the screen's address.
  query TEXT COLLATE "C" NOT NULL,
  is_shared BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX saved_view_name ON saved_view (user_id, screen, name);
CREATE INDEX saved_view_shared ON saved_view (is_shared);
