-- What is good once in all processes that serve, and by when it has had its time.
CREATE TABLE used_once (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX used_once_until ON used_once (until);
-- How often something open to everybody was done in a window of time, by whom.
CREATE TABLE pace (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  began INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX pace_began ON pace (began);
-- Attempts to sign in that failed, by account and by network; `key` is a hash of either.
CREATE TABLE sign_in_tries (
  key TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  at INTEGER NOT NULL,
  open_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_tries_at ON sign_in_tries (at);
