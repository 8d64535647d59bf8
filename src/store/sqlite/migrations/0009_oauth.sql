-- What a client may use of a user's tools, chosen when consenting and changed later. No row: nothing.
CREATE TABLE oauth_allowlist (
  client_id TEXT NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  -- Public names and patterns of them, a JSON array.
  tools TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (client_id, user_id)
) STRICT, WITHOUT ROWID;

-- Who is at a code or refresh token right now: processes of one hub take turns.
CREATE TABLE oauth_turn (
  token_hash TEXT PRIMARY KEY,
  -- Milliseconds. After this moment whoever took the turn has died.
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
