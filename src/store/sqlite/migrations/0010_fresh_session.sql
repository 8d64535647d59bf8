-- When the user of a browser session last proved who they are. Null: when they signed in.
ALTER TABLE auth_session ADD COLUMN confirmed_at INTEGER;
