-- Whom an OpenID provider means by a subject. Addresses change hands; subjects do not (OpenID Connect Core §5.7).
CREATE TABLE oidc_identity (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (issuer, user_id)
) STRICT, WITHOUT ROWID;
