-- People sign in: users can be disabled, and are invited by link.
ALTER TABLE "user" ADD COLUMN state TEXT NOT NULL DEFAULT 'active';

-- One link a user: a new one takes the place of the last. A link that was used is gone.
CREATE TABLE invitation (
  id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL UNIQUE REFERENCES "user" (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

-- The tables of the library that keeps browser sessions and is the authorization server, as it wants them.
-- `auth_user` mirrors "user", which is the truth: both are written in one transaction.
CREATE TABLE auth_user (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  email_verified INTEGER NOT NULL,
  image TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  disabled INTEGER NOT NULL
) STRICT;

CREATE TABLE auth_session (
  id TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL,
  token TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ip_address TEXT,
  user_agent TEXT,
  user_id TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX auth_session_user_id ON auth_session (user_id);

CREATE TABLE auth_account (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  access_token_expires_at INTEGER,
  refresh_token_expires_at INTEGER,
  scope TEXT,
  password TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX auth_account_user_id ON auth_account (user_id);

CREATE TABLE auth_verification (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX auth_verification_identifier ON auth_verification (identifier);

CREATE TABLE auth_oauth_client (
  id TEXT PRIMARY KEY,
  client_id TEXT NOT NULL UNIQUE,
  client_secret TEXT,
  client_discovery_id TEXT,
  disabled INTEGER,
  skip_consent INTEGER,
  enable_end_session INTEGER,
  subject_type TEXT,
  scopes TEXT,
  client_credentials_scopes TEXT,
  user_id TEXT REFERENCES auth_user (id) ON DELETE CASCADE,
  created_at INTEGER,
  updated_at INTEGER,
  name TEXT,
  uri TEXT,
  icon TEXT,
  contacts TEXT,
  tos TEXT,
  policy TEXT,
  software_id TEXT,
  software_version TEXT,
  software_statement TEXT,
  redirect_uris TEXT NOT NULL,
  post_logout_redirect_uris TEXT,
  backchannel_logout_uri TEXT,
  backchannel_logout_session_required INTEGER,
  token_endpoint_auth_method TEXT,
  application_type TEXT,
  jwks TEXT,
  jwks_uri TEXT,
  grant_types TEXT,
  response_types TEXT,
  require_pkce INTEGER,
  dpop_bound_access_tokens INTEGER,
  reference_id TEXT,
  metadata TEXT
) STRICT;
CREATE INDEX auth_oauth_client_user_id ON auth_oauth_client (user_id);

CREATE TABLE auth_oauth_resource (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  access_token_ttl INTEGER,
  refresh_token_ttl INTEGER,
  signing_algorithm TEXT,
  signing_key_id TEXT,
  allowed_scopes TEXT,
  custom_claims TEXT,
  dpop_bound_access_tokens_required INTEGER,
  disabled INTEGER,
  created_at INTEGER,
  updated_at INTEGER,
  policy_version INTEGER,
  metadata TEXT
) STRICT;

CREATE TABLE auth_oauth_client_resource (
  id TEXT PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  resource_id TEXT NOT NULL REFERENCES auth_oauth_resource (identifier) ON DELETE CASCADE,
  metadata TEXT,
  created_at INTEGER
) STRICT;
CREATE INDEX auth_oauth_client_resource_client_id ON auth_oauth_client_resource (client_id);
CREATE INDEX auth_oauth_client_resource_resource_id ON auth_oauth_client_resource (resource_id);

CREATE TABLE auth_oauth_refresh_token (
  id TEXT PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  session_id TEXT REFERENCES auth_session (id) ON DELETE SET NULL,
  user_id TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
  reference_id TEXT,
  authorization_code_id TEXT,
  resources TEXT,
  requested_user_info_claims TEXT,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  revoked INTEGER,
  rotated_at INTEGER,
  rotation_replay_response TEXT,
  rotation_replay_expires_at INTEGER,
  auth_time INTEGER,
  confirmation TEXT,
  scopes TEXT NOT NULL
) STRICT;
CREATE INDEX auth_oauth_refresh_token_client_id ON auth_oauth_refresh_token (client_id);
CREATE INDEX auth_oauth_refresh_token_session_id ON auth_oauth_refresh_token (session_id);
CREATE INDEX auth_oauth_refresh_token_user_id ON auth_oauth_refresh_token (user_id);
CREATE INDEX auth_oauth_refresh_token_authorization_code_id ON auth_oauth_refresh_token (authorization_code_id);

CREATE TABLE auth_oauth_access_token (
  id TEXT PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  session_id TEXT REFERENCES auth_session (id) ON DELETE SET NULL,
  user_id TEXT REFERENCES auth_user (id) ON DELETE CASCADE,
  reference_id TEXT,
  authorization_code_id TEXT,
  resources TEXT,
  requested_user_info_claims TEXT,
  refresh_id TEXT REFERENCES auth_oauth_refresh_token (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  revoked INTEGER,
  confirmation TEXT,
  scopes TEXT NOT NULL
) STRICT;
CREATE INDEX auth_oauth_access_token_client_id ON auth_oauth_access_token (client_id);
CREATE INDEX auth_oauth_access_token_session_id ON auth_oauth_access_token (session_id);
CREATE INDEX auth_oauth_access_token_user_id ON auth_oauth_access_token (user_id);
CREATE INDEX auth_oauth_access_token_authorization_code_id ON auth_oauth_access_token (authorization_code_id);
CREATE INDEX auth_oauth_access_token_refresh_id ON auth_oauth_access_token (refresh_id);

CREATE TABLE auth_oauth_consent (
  id TEXT PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  user_id TEXT REFERENCES auth_user (id) ON DELETE CASCADE,
  reference_id TEXT,
  resources TEXT,
  requested_user_info_claims TEXT,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX auth_oauth_consent_client_id ON auth_oauth_consent (client_id);
CREATE INDEX auth_oauth_consent_user_id ON auth_oauth_consent (user_id);

CREATE TABLE auth_oauth_client_assertion (
  id TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT;

INSERT INTO auth_user (id, name, email, email_verified, created_at, updated_at, disabled)
SELECT id, coalesce(name, ''), email_key, 0, created_at, created_at, 0 FROM "user";
