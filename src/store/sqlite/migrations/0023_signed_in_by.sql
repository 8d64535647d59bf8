-- How the user of a browser session signed in, as `auth.sign_in` records it. Null: by a hub that did not keep this.
ALTER TABLE auth_session ADD COLUMN signed_in_by TEXT;
