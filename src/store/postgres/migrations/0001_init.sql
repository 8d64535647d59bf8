-- The configuration of a hub in PostgreSQL, as SQLite's migrations left it at version 30; the records of calls are in each
-- node's own log. Text is ordered by its bytes, as in SQLite: pages begin after an id.

-- Which database it is: the data directories of its hubs note it.
CREATE TABLE installation (
  only_row BOOLEAN PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL
);
INSERT INTO installation VALUES (true, gen_random_uuid()::text);

-- The chain of changes: its end, which each change locks, and its records.
CREATE TABLE chain (
  name TEXT COLLATE "C" PRIMARY KEY,
  begun_at BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL
);
CREATE TABLE governance_record (
  seq BIGINT PRIMARY KEY,
  at BIGINT NOT NULL,
  body TEXT NOT NULL,
  prev_hash TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL
);
CREATE INDEX governance_record_at ON governance_record (at);
-- The first link names the chain and its beginning, so that chains cannot be exchanged.
INSERT INTO chain (name, begun_at, seq, hash)
  SELECT 'governance', moment, 0,
    encode(sha256(convert_to(concat('guardhouse chain v1', chr(10), 'governance', chr(10), moment), 'UTF8')), 'hex')
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS moment) AS clock;

CREATE TABLE "user" (
  id TEXT COLLATE "C" PRIMARY KEY,
  email TEXT COLLATE "C" NOT NULL,
  email_key TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C",
  role TEXT COLLATE "C" NOT NULL,
  password_hash TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL DEFAULT 'active'
);
CREATE UNIQUE INDEX user_email_key ON "user" (email_key);
CREATE INDEX user_changed ON "user" (changed);
CREATE INDEX user_role ON "user" (role);
CREATE TABLE agent (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  review_status TEXT COLLATE "C" NOT NULL,
  lifecycle TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  sponsor_id TEXT COLLATE "C" REFERENCES "user" (id),
  description TEXT COLLATE "C",
  environment TEXT COLLATE "C",
  profile_version BIGINT,
  review_due_at BIGINT,
  halt_right TEXT COLLATE "C",
  halt_by TEXT COLLATE "C",
  halt_at BIGINT
);
CREATE UNIQUE INDEX agent_owner_name ON agent (owner_id, name);
CREATE INDEX agent_changed ON agent (changed);
CREATE INDEX agent_owner ON agent (owner_id, id);
CREATE INDEX agent_name ON agent (lower(name));
CREATE TABLE token (
  id TEXT COLLATE "C" PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL,
  display TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C",
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  agent_id TEXT COLLATE "C" REFERENCES agent (id),
  state TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT,
  created_at BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  rotated_to TEXT COLLATE "C",
  halt_right TEXT COLLATE "C",
  halt_by TEXT COLLATE "C",
  halt_at BIGINT
);
CREATE UNIQUE INDEX token_hash ON token (hash);
CREATE INDEX token_changed ON token (changed);
CREATE INDEX token_user ON token (user_id, id);
CREATE INDEX token_agent ON token (agent_id, id);
CREATE INDEX token_state ON token (state, id, expires_at);
CREATE INDEX token_created ON token (state, created_at);
CREATE TABLE provider (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  base_url TEXT COLLATE "C" NOT NULL,
  models TEXT COLLATE "C" NOT NULL,
  sealed_key TEXT COLLATE "C",
  priority BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  given_by TEXT COLLATE "C" NOT NULL DEFAULT 'operator',
  kind TEXT COLLATE "C" NOT NULL DEFAULT 'openai',
  apis TEXT COLLATE "C",
  aliases TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  credential TEXT COLLATE "C" NOT NULL DEFAULT '{"source":"key"}'
);
CREATE UNIQUE INDEX provider_name ON provider (name);
CREATE TABLE policy (
  revision BIGINT PRIMARY KEY,
  source TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE TABLE revision (
  subject TEXT COLLATE "C" PRIMARY KEY,
  value BIGINT NOT NULL
);
CREATE TABLE hub_process (
  id TEXT COLLATE "C" PRIMARY KEY,
  seen BIGINT NOT NULL,
  heard_at BIGINT NOT NULL
);
CREATE TABLE session (
  id TEXT COLLATE "C" PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  state TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  changed BIGINT NOT NULL
);
CREATE UNIQUE INDEX session_hash ON session (hash);
CREATE INDEX session_changed ON session (changed);
CREATE TABLE tool_server (
  id TEXT COLLATE "C" PRIMARY KEY,
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  slug TEXT COLLATE "C" NOT NULL,
  transport TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C",
  command TEXT COLLATE "C",
  given_by TEXT COLLATE "C" NOT NULL,
  active BOOLEAN NOT NULL,
  credential_kind TEXT COLLATE "C" NOT NULL,
  sealed_credentials TEXT COLLATE "C",
  credential_version BIGINT NOT NULL,
  call_ms BIGINT,
  list_ms BIGINT,
  created_at BIGINT NOT NULL,
  changed BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX tool_server_owner_slug ON tool_server (owner_id, slug);
CREATE TABLE tool_pin (
  server_id TEXT COLLATE "C" NOT NULL REFERENCES tool_server (id) ON DELETE CASCADE,
  tool TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  seen TEXT COLLATE "C" NOT NULL,
  seen_hash TEXT COLLATE "C" NOT NULL,
  pinned TEXT COLLATE "C",
  pinned_hash TEXT COLLATE "C",
  flags TEXT COLLATE "C" NOT NULL,
  refused BOOLEAN NOT NULL,
  present BOOLEAN NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (server_id, tool)
);
CREATE UNIQUE INDEX tool_pin_server_name ON tool_pin (server_id, name);
CREATE TABLE tool_assignment (
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  server_id TEXT COLLATE "C" NOT NULL REFERENCES tool_server (id) ON DELETE CASCADE,
  tools TEXT COLLATE "C",
  PRIMARY KEY (agent_id, server_id)
);
CREATE INDEX tool_assignment_server ON tool_assignment (server_id);
CREATE TABLE tool_grant (
  server_id TEXT COLLATE "C" PRIMARY KEY REFERENCES tool_server (id) ON DELETE CASCADE,
  sealed TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL
);
CREATE TABLE tool_authorization (
  state_hash TEXT COLLATE "C" PRIMARY KEY,
  server_id TEXT COLLATE "C" NOT NULL REFERENCES tool_server (id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  sealed TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX tool_authorization_server ON tool_authorization (server_id, expires_at);
CREATE INDEX tool_authorization_expires ON tool_authorization (expires_at);
CREATE TABLE review (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  number BIGINT NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  answers TEXT COLLATE "C" NOT NULL,
  content_hash TEXT COLLATE "C",
  risk TEXT COLLATE "C",
  changes TEXT COLLATE "C" NOT NULL,
  submitted_by TEXT COLLATE "C" REFERENCES "user" (id),
  submitted_at BIGINT,
  required BIGINT,
  eligible TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX review_agent_number ON review (agent_id, number);
CREATE INDEX review_status ON review (status, submitted_at);
CREATE UNIQUE INDEX review_open ON review (agent_id) WHERE status IN ('draft', 'submitted', 'in_review', 'changes_requested');
CREATE INDEX review_state ON review (status, created_at, id);
CREATE TABLE review_decision (
  id TEXT COLLATE "C" PRIMARY KEY,
  review_id TEXT COLLATE "C" NOT NULL REFERENCES review (id),
  "by" TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  decision TEXT COLLATE "C" NOT NULL,
  comment TEXT COLLATE "C",
  content_hash TEXT COLLATE "C" NOT NULL,
  alone BOOLEAN NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX review_decision_review ON review_decision (review_id, at);
CREATE TABLE review_comment (
  id TEXT COLLATE "C" PRIMARY KEY,
  review_id TEXT COLLATE "C" NOT NULL REFERENCES review (id),
  "by" TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  section TEXT COLLATE "C",
  text TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX review_comment_review ON review_comment (review_id, at);
CREATE TABLE profile (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  version BIGINT NOT NULL,
  content_hash TEXT COLLATE "C" NOT NULL,
  review_id TEXT COLLATE "C" REFERENCES review (id),
  body TEXT COLLATE "C" NOT NULL,
  approved_by TEXT COLLATE "C" NOT NULL,
  effective_from BIGINT NOT NULL,
  changed BIGINT NOT NULL
);
CREATE UNIQUE INDEX profile_agent_version ON profile (agent_id, version);
CREATE INDEX profile_changed ON profile (changed);
CREATE TABLE restriction (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  kind TEXT COLLATE "C" NOT NULL,
  params TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  set_by TEXT COLLATE "C" REFERENCES "user" (id),
  trigger_ TEXT COLLATE "C",
  reason TEXT COLLATE "C" NOT NULL,
  starts_at BIGINT NOT NULL,
  expires_at BIGINT,
  lifted_at BIGINT,
  lifted_by TEXT COLLATE "C" REFERENCES "user" (id),
  lift_reason TEXT COLLATE "C",
  receipts TEXT COLLATE "C" NOT NULL,
  changed BIGINT NOT NULL
);
CREATE INDEX restriction_agent ON restriction (agent_id, starts_at);
CREATE INDEX restriction_changed ON restriction (changed);
CREATE TABLE kill_switch (
  id TEXT COLLATE "C" PRIMARY KEY,
  level TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C",
  reason TEXT COLLATE "C" NOT NULL,
  set_by TEXT COLLATE "C" REFERENCES "user" (id),
  set_at BIGINT NOT NULL,
  lifted_at BIGINT,
  lifted_by TEXT COLLATE "C" REFERENCES "user" (id),
  lift_reason TEXT COLLATE "C",
  receipts TEXT COLLATE "C" NOT NULL,
  changed BIGINT NOT NULL
);
CREATE INDEX kill_switch_changed ON kill_switch (changed);
CREATE UNIQUE INDEX kill_switch_on ON kill_switch (level, coalesce(target, '')) WHERE lifted_at IS NULL;
CREATE TABLE hold (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL REFERENCES agent (id),
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  tool TEXT COLLATE "C" NOT NULL,
  call_hash TEXT COLLATE "C" NOT NULL,
  cause TEXT COLLATE "C" NOT NULL,
  layer TEXT COLLATE "C" NOT NULL,
  event_id TEXT COLLATE "C" NOT NULL,
  sealed_arguments TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  decided_by TEXT COLLATE "C" REFERENCES "user" (id),
  decided_at BIGINT,
  -- In which order they were stored: of those made in one millisecond the last is the newest.
  stored BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX hold_call ON hold (agent_id, call_hash, expires_at);
CREATE INDEX hold_state ON hold (state, expires_at);
CREATE INDEX hold_past ON hold (state, created_at);
CREATE INDEX hold_created ON hold (created_at);
CREATE INDEX hold_user ON hold (user_id, created_at);
CREATE INDEX hold_agent ON hold (agent_id, created_at);
CREATE TABLE usage_hour (
  subject_id TEXT COLLATE "C" NOT NULL,
  hour BIGINT NOT NULL,
  counts TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (subject_id, hour)
);
CREATE INDEX usage_hour_hour ON usage_hour (hour);
CREATE TABLE agent_watch (
  agent_id TEXT COLLATE "C" PRIMARY KEY REFERENCES agent (id),
  state TEXT COLLATE "C" NOT NULL,
  updated_at BIGINT NOT NULL,
  band TEXT COLLATE "C",
  drift_status TEXT COLLATE "C"
);
CREATE INDEX agent_watch_band ON agent_watch (agent_id, band);
CREATE INDEX agent_watch_drift ON agent_watch (drift_status);
CREATE TABLE kept_content (
  id TEXT COLLATE "C" PRIMARY KEY,
  call_id TEXT COLLATE "C" NOT NULL,
  event_id TEXT COLLATE "C",
  user_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C",
  purpose TEXT COLLATE "C" NOT NULL,
  sealed TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX kept_content_call ON kept_content (call_id);
CREATE INDEX kept_content_event ON kept_content (event_id);
CREATE INDEX kept_content_expires ON kept_content (expires_at);
CREATE TABLE report (
  id TEXT COLLATE "C" PRIMARY KEY,
  direction TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  token_id TEXT COLLATE "C" REFERENCES token (id),
  agent_id TEXT COLLATE "C" REFERENCES agent (id),
  event_id TEXT COLLATE "C",
  flag_types TEXT COLLATE "C" NOT NULL,
  user_reason TEXT COLLATE "C",
  severity_estimate TEXT COLLATE "C",
  reporter_confidence TEXT COLLATE "C",
  conversation_id TEXT COLLATE "C",
  share_content BOOLEAN NOT NULL,
  questionnaire_section TEXT COLLATE "C" NOT NULL,
  sealed_content TEXT COLLATE "C",
  llm_verdict TEXT COLLATE "C",
  llm_confidence DOUBLE PRECISION,
  llm_reasoning TEXT COLLATE "C",
  tuning_suggestion_id TEXT COLLATE "C",
  decision TEXT COLLATE "C",
  decided_by TEXT COLLATE "C" REFERENCES "user" (id),
  decided_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  closed_at BIGINT,
  revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX report_same ON report (user_id, event_id, direction) WHERE event_id IS NOT NULL;
CREATE INDEX report_closed ON report (closed_at) WHERE sealed_content IS NOT NULL;
CREATE INDEX report_token ON report (token_id) WHERE token_id IS NOT NULL;
CREATE INDEX report_created ON report (created_at, id);
CREATE INDEX report_status ON report (status, created_at, id);
CREATE INDEX report_window ON report (user_id, created_at, id);
CREATE INDEX report_agent ON report (agent_id, created_at, id);
CREATE TABLE job (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL,
  ref TEXT COLLATE "C" NOT NULL,
  run_at BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  worker TEXT COLLATE "C",
  leased_until BIGINT,
  error TEXT COLLATE "C"
);
CREATE INDEX job_due ON job (kind, run_at);
CREATE TABLE suggestion (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  agent_id TEXT COLLATE "C" REFERENCES agent (id),
  report_ids TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  effect TEXT COLLATE "C" NOT NULL,
  change TEXT COLLATE "C" NOT NULL,
  "match" TEXT COLLATE "C" NOT NULL,
  rationale TEXT COLLATE "C" NOT NULL,
  impact TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  approvals TEXT COLLATE "C" NOT NULL,
  required BIGINT NOT NULL,
  eligible TEXT COLLATE "C" NOT NULL,
  requested_by TEXT COLLATE "C" REFERENCES "user" (id),
  request_note TEXT COLLATE "C",
  requested_at BIGINT,
  base_revision BIGINT NOT NULL,
  content_hash TEXT COLLATE "C" NOT NULL,
  rejected TEXT COLLATE "C",
  created_by TEXT COLLATE "C" REFERENCES "user" (id),
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  expires_at BIGINT,
  rule_id TEXT COLLATE "C",
  revision BIGINT NOT NULL
);
CREATE INDEX suggestion_user ON suggestion (user_id, created_at);
CREATE INDEX suggestion_status ON suggestion (status, created_at, id);
CREATE INDEX suggestion_agent ON suggestion (agent_id, created_at, id);
CREATE INDEX suggestion_created ON suggestion (created_at, id);
CREATE TABLE tuning_rule (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  agent_id TEXT COLLATE "C" REFERENCES agent (id),
  kind TEXT COLLATE "C" NOT NULL,
  effect TEXT COLLATE "C" NOT NULL,
  "match" TEXT COLLATE "C" NOT NULL,
  change TEXT COLLATE "C" NOT NULL,
  mode TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT,
  hits BIGINT NOT NULL,
  last_hit_at BIGINT,
  suggestion_id TEXT COLLATE "C" REFERENCES suggestion (id),
  requested_by TEXT COLLATE "C" REFERENCES "user" (id),
  approved_by TEXT COLLATE "C" NOT NULL,
  self_approved BOOLEAN NOT NULL,
  revision BIGINT NOT NULL REFERENCES policy (revision),
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  changed BIGINT NOT NULL
);
CREATE INDEX tuning_rule_user ON tuning_rule (user_id, created_at);
CREATE INDEX tuning_rule_changed ON tuning_rule (changed);
CREATE INDEX tuning_rule_agent ON tuning_rule (agent_id, created_at, id);
CREATE INDEX tuning_rule_state ON tuning_rule (status, created_at, id);
CREATE TABLE idempotency (
  scope TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  status BIGINT,
  body TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_created ON idempotency (created_at);
CREATE TABLE webhook (
  id TEXT COLLATE "C" PRIMARY KEY,
  url TEXT COLLATE "C" NOT NULL,
  events TEXT COLLATE "C" NOT NULL,
  active BOOLEAN NOT NULL,
  sealed_secrets TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C",
  disabled_reason TEXT COLLATE "C",
  created_by TEXT COLLATE "C" REFERENCES "user" (id),
  created_at BIGINT NOT NULL,
  failing_since BIGINT
);
CREATE TABLE webhook_delivery (
  id TEXT COLLATE "C" PRIMARY KEY,
  webhook_id TEXT COLLATE "C" NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  event_id TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  payload TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  attempts TEXT COLLATE "C" NOT NULL,
  next_at BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook_id, created_at);
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at);
CREATE INDEX webhook_delivery_event ON webhook_delivery (webhook_id, event_id);
CREATE TABLE outbox (
  seq BIGINT PRIMARY KEY,
  record TEXT COLLATE "C" NOT NULL
);
CREATE TABLE past_event (
  id TEXT COLLATE "C" PRIMARY KEY,
  call_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C",
  at BIGINT NOT NULL,
  facts TEXT COLLATE "C" NOT NULL
);
CREATE INDEX past_event_at ON past_event (at);
CREATE TABLE invitation (
  id TEXT COLLATE "C" PRIMARY KEY,
  token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
  user_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES "user" (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE TABLE auth_user (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  email TEXT COLLATE "C" NOT NULL UNIQUE,
  email_verified BOOLEAN NOT NULL,
  image TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  disabled BOOLEAN NOT NULL
);
CREATE TABLE auth_session (
  id TEXT COLLATE "C" PRIMARY KEY,
  expires_at BIGINT NOT NULL,
  token TEXT COLLATE "C" NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  ip_address TEXT COLLATE "C",
  user_agent TEXT COLLATE "C",
  user_id TEXT COLLATE "C" NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
  confirmed_at BIGINT,
  signed_in_by TEXT COLLATE "C"
);
CREATE INDEX auth_session_user_id ON auth_session (user_id);
CREATE TABLE auth_account (
  id TEXT COLLATE "C" PRIMARY KEY,
  account_id TEXT COLLATE "C" NOT NULL,
  provider_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
  access_token TEXT COLLATE "C",
  refresh_token TEXT COLLATE "C",
  id_token TEXT COLLATE "C",
  access_token_expires_at BIGINT,
  refresh_token_expires_at BIGINT,
  scope TEXT COLLATE "C",
  password TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX auth_account_user_id ON auth_account (user_id);
CREATE TABLE auth_verification (
  id TEXT COLLATE "C" PRIMARY KEY,
  identifier TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX auth_verification_identifier ON auth_verification (identifier);
CREATE TABLE auth_oauth_client (
  id TEXT COLLATE "C" PRIMARY KEY,
  client_id TEXT COLLATE "C" NOT NULL UNIQUE,
  client_secret TEXT COLLATE "C",
  client_discovery_id TEXT COLLATE "C",
  disabled BOOLEAN,
  skip_consent BOOLEAN,
  enable_end_session BOOLEAN,
  subject_type TEXT COLLATE "C",
  scopes TEXT COLLATE "C",
  client_credentials_scopes TEXT COLLATE "C",
  user_id TEXT COLLATE "C" REFERENCES auth_user (id) ON DELETE CASCADE,
  created_at BIGINT,
  updated_at BIGINT,
  name TEXT COLLATE "C",
  uri TEXT COLLATE "C",
  icon TEXT COLLATE "C",
  contacts TEXT COLLATE "C",
  tos TEXT COLLATE "C",
  policy TEXT COLLATE "C",
  software_id TEXT COLLATE "C",
  software_version TEXT COLLATE "C",
  software_statement TEXT COLLATE "C",
  redirect_uris TEXT COLLATE "C" NOT NULL,
  post_logout_redirect_uris TEXT COLLATE "C",
  backchannel_logout_uri TEXT COLLATE "C",
  backchannel_logout_session_required BOOLEAN,
  token_endpoint_auth_method TEXT COLLATE "C",
  application_type TEXT COLLATE "C",
  jwks TEXT COLLATE "C",
  jwks_uri TEXT COLLATE "C",
  grant_types TEXT COLLATE "C",
  response_types TEXT COLLATE "C",
  require_pkce BOOLEAN,
  dpop_bound_access_tokens BOOLEAN,
  reference_id TEXT COLLATE "C",
  metadata TEXT COLLATE "C"
);
CREATE INDEX auth_oauth_client_user_id ON auth_oauth_client (user_id);
CREATE TABLE auth_oauth_resource (
  id TEXT COLLATE "C" PRIMARY KEY,
  identifier TEXT COLLATE "C" NOT NULL UNIQUE,
  name TEXT COLLATE "C" NOT NULL,
  access_token_ttl BIGINT,
  refresh_token_ttl BIGINT,
  signing_algorithm TEXT COLLATE "C",
  signing_key_id TEXT COLLATE "C",
  allowed_scopes TEXT COLLATE "C",
  custom_claims TEXT COLLATE "C",
  dpop_bound_access_tokens_required BOOLEAN,
  disabled BOOLEAN,
  created_at BIGINT,
  updated_at BIGINT,
  policy_version BIGINT,
  metadata TEXT COLLATE "C"
);
CREATE TABLE auth_oauth_client_resource (
  id TEXT COLLATE "C" PRIMARY KEY,
  client_id TEXT COLLATE "C" NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  resource_id TEXT COLLATE "C" NOT NULL REFERENCES auth_oauth_resource (identifier) ON DELETE CASCADE,
  metadata TEXT COLLATE "C",
  created_at BIGINT
);
CREATE INDEX auth_oauth_client_resource_client_id ON auth_oauth_client_resource (client_id);
CREATE INDEX auth_oauth_client_resource_resource_id ON auth_oauth_client_resource (resource_id);
CREATE TABLE auth_oauth_refresh_token (
  id TEXT COLLATE "C" PRIMARY KEY,
  token TEXT COLLATE "C" NOT NULL UNIQUE,
  client_id TEXT COLLATE "C" NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  session_id TEXT COLLATE "C" REFERENCES auth_session (id) ON DELETE SET NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
  reference_id TEXT COLLATE "C",
  authorization_code_id TEXT COLLATE "C",
  resources TEXT COLLATE "C",
  requested_user_info_claims TEXT COLLATE "C",
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  revoked BIGINT,
  rotated_at BIGINT,
  rotation_replay_response TEXT COLLATE "C",
  rotation_replay_expires_at BIGINT,
  auth_time BIGINT,
  confirmation TEXT COLLATE "C",
  scopes TEXT COLLATE "C" NOT NULL
);
CREATE INDEX auth_oauth_refresh_token_client_id ON auth_oauth_refresh_token (client_id);
CREATE INDEX auth_oauth_refresh_token_session_id ON auth_oauth_refresh_token (session_id);
CREATE INDEX auth_oauth_refresh_token_user_id ON auth_oauth_refresh_token (user_id);
CREATE INDEX auth_oauth_refresh_token_authorization_code_id ON auth_oauth_refresh_token (authorization_code_id);
CREATE TABLE auth_oauth_access_token (
  id TEXT COLLATE "C" PRIMARY KEY,
  token TEXT COLLATE "C" NOT NULL UNIQUE,
  client_id TEXT COLLATE "C" NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  session_id TEXT COLLATE "C" REFERENCES auth_session (id) ON DELETE SET NULL,
  user_id TEXT COLLATE "C" REFERENCES auth_user (id) ON DELETE CASCADE,
  reference_id TEXT COLLATE "C",
  authorization_code_id TEXT COLLATE "C",
  resources TEXT COLLATE "C",
  requested_user_info_claims TEXT COLLATE "C",
  refresh_id TEXT COLLATE "C" REFERENCES auth_oauth_refresh_token (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  revoked BIGINT,
  confirmation TEXT COLLATE "C",
  scopes TEXT COLLATE "C" NOT NULL
);
CREATE INDEX auth_oauth_access_token_client_id ON auth_oauth_access_token (client_id);
CREATE INDEX auth_oauth_access_token_session_id ON auth_oauth_access_token (session_id);
CREATE INDEX auth_oauth_access_token_user_id ON auth_oauth_access_token (user_id);
CREATE INDEX auth_oauth_access_token_authorization_code_id ON auth_oauth_access_token (authorization_code_id);
CREATE INDEX auth_oauth_access_token_refresh_id ON auth_oauth_access_token (refresh_id);
CREATE TABLE auth_oauth_consent (
  id TEXT COLLATE "C" PRIMARY KEY,
  client_id TEXT COLLATE "C" NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" REFERENCES auth_user (id) ON DELETE CASCADE,
  reference_id TEXT COLLATE "C",
  resources TEXT COLLATE "C",
  requested_user_info_claims TEXT COLLATE "C",
  scopes TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX auth_oauth_consent_client_id ON auth_oauth_consent (client_id);
CREATE INDEX auth_oauth_consent_user_id ON auth_oauth_consent (user_id);
CREATE TABLE auth_oauth_client_assertion (
  id TEXT COLLATE "C" PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE TABLE hub_secret (
  name TEXT COLLATE "C" PRIMARY KEY,
  key_id TEXT COLLATE "C",
  sealed TEXT COLLATE "C"
);
CREATE TABLE key_rotation (
  id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  from_key TEXT COLLATE "C" NOT NULL,
  to_key TEXT COLLATE "C" NOT NULL,
  replaced BIGINT NOT NULL,
  begun_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE TABLE oauth_allowlist (
  client_id TEXT COLLATE "C" NOT NULL REFERENCES auth_oauth_client (client_id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  tools TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (client_id, user_id)
);
CREATE TABLE oauth_turn (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  until BIGINT NOT NULL
);
CREATE TABLE token_use (
  token_id TEXT COLLATE "C" PRIMARY KEY REFERENCES token (id),
  at BIGINT NOT NULL
);
CREATE TABLE oidc_identity (
  issuer TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  created_at BIGINT NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (issuer, user_id)
);
CREATE TABLE policy_edit (
  revision BIGINT PRIMARY KEY REFERENCES policy (revision),
  edits TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" REFERENCES "user" (id),
  reason TEXT COLLATE "C" NOT NULL,
  restored BIGINT REFERENCES policy (revision)
);
CREATE TABLE policy_proposal (
  id TEXT COLLATE "C" PRIMARY KEY,
  base_revision BIGINT NOT NULL REFERENCES policy (revision),
  edits TEXT COLLATE "C" NOT NULL,
  restored BIGINT REFERENCES policy (revision),
  reason TEXT COLLATE "C" NOT NULL,
  eligible TEXT COLLATE "C" NOT NULL,
  proposed_by TEXT COLLATE "C" NOT NULL REFERENCES "user" (id),
  proposed_at BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  decided_by TEXT COLLATE "C" REFERENCES "user" (id),
  decided_at BIGINT,
  comment TEXT COLLATE "C"
);
CREATE INDEX policy_proposal_state ON policy_proposal (state, proposed_at);
CREATE TABLE storage_sample (
  at BIGINT PRIMARY KEY,
  database_bytes BIGINT NOT NULL,
  index_bytes BIGINT NOT NULL,
  backup_bytes BIGINT NOT NULL,
  free_bytes BIGINT NOT NULL
);
CREATE TABLE usage_day (
  day BIGINT NOT NULL,
  subject_id TEXT COLLATE "C" NOT NULL,
  requests BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  PRIMARY KEY (day, subject_id)
);
CREATE TABLE provider_breaker (
  process_id TEXT COLLATE "C" NOT NULL,
  provider_id TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  cause TEXT COLLATE "C" NOT NULL,
  failures BIGINT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (process_id, provider_id)
);
CREATE TABLE node (
  id TEXT COLLATE "C" PRIMARY KEY,
  epoch BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  heard_at BIGINT NOT NULL,
  until BIGINT NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  address TEXT COLLATE "C"
);
CREATE TABLE node_crash (
  node TEXT COLLATE "C" NOT NULL,
  epoch BIGINT NOT NULL,
  heard_at BIGINT NOT NULL,
  until BIGINT NOT NULL,
  has_usage BOOLEAN NOT NULL,
  has_events BOOLEAN NOT NULL,
  PRIMARY KEY (node, epoch)
);
CREATE TABLE lease (
  name TEXT COLLATE "C" PRIMARY KEY,
  node TEXT COLLATE "C" NOT NULL,
  epoch BIGINT NOT NULL,
  until BIGINT NOT NULL
);
CREATE TABLE outbox_told (
  seq BIGINT PRIMARY KEY,
  at BIGINT NOT NULL
);
CREATE TABLE containment (
  subject_id TEXT COLLATE "C" NOT NULL,
  point TEXT COLLATE "C" NOT NULL,
  node TEXT COLLATE "C" NOT NULL,
  epoch BIGINT NOT NULL,
  PRIMARY KEY (subject_id, point, node)
);
CREATE TABLE used_once (
  scope TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  until BIGINT NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX used_once_until ON used_once (until);
CREATE TABLE pace (
  scope TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  began BIGINT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX pace_began ON pace (began);
CREATE TABLE sign_in_tries (
  key TEXT COLLATE "C" PRIMARY KEY,
  count BIGINT NOT NULL,
  at BIGINT NOT NULL,
  open_at BIGINT NOT NULL
);
CREATE INDEX sign_in_tries_at ON sign_in_tries (at);
CREATE TABLE limit_account (
  agent_id TEXT COLLATE "C" PRIMARY KEY,
  state TEXT COLLATE "C" NOT NULL
);
CREATE TABLE limit_open (
  agent_id TEXT COLLATE "C" NOT NULL,
  node TEXT COLLATE "C" NOT NULL,
  epoch BIGINT NOT NULL,
  open BIGINT NOT NULL,
  PRIMARY KEY (agent_id, node)
);
CREATE TABLE limit_conversation (
  conversation TEXT COLLATE "C" PRIMARY KEY,
  calls BIGINT NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX limit_conversation_at ON limit_conversation (at);
ALTER TABLE report ADD FOREIGN KEY (tuning_suggestion_id) REFERENCES suggestion (id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE suggestion ADD FOREIGN KEY (rule_id) REFERENCES tuning_rule (id) DEFERRABLE INITIALLY DEFERRED;

INSERT INTO revision (subject, value) VALUES ('all', 0), ('providers', 0), ('tools', 0), ('policies', 0);

-- The master key on its way out. A hub may have sealed with it before it saw the next one, and write after everything
-- else was sealed anew: such a value would be lost with the old key.
CREATE TABLE sealed_fence (
  only_row BOOLEAN PRIMARY KEY,
  key_id TEXT COLLATE "C" NOT NULL
);
-- Arguments: the column, and `many` where it is a JSON list of values. One that stays as it is may be written back.
CREATE FUNCTION refuse_replaced_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  fenced TEXT;
  value TEXT := to_jsonb(NEW) ->> TG_ARGV[0];
BEGIN
  SELECT key_id INTO fenced FROM sealed_fence;
  IF fenced IS NULL OR value IS NULL THEN RETURN NEW; END IF;
  IF TG_OP = 'UPDATE' AND value = to_jsonb(OLD) ->> TG_ARGV[0] THEN RETURN NEW; END IF;
  IF starts_with(value, 'v1.' || fenced || '.')
    OR (TG_ARGV[1] = 'many' AND strpos(value, '"v1.' || fenced || '.') > 0) THEN
    RAISE EXCEPTION 'The value was encrypted with a master key that was replaced meanwhile; try again';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER sealed_fence_sealed BEFORE INSERT OR UPDATE OF sealed ON hub_secret
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed', '');
CREATE TRIGGER sealed_fence_sealed_key BEFORE INSERT OR UPDATE OF sealed_key ON provider
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed_key', '');
CREATE TRIGGER sealed_fence_sealed_credentials BEFORE INSERT OR UPDATE OF sealed_credentials ON tool_server
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed_credentials', '');
CREATE TRIGGER sealed_fence_sealed BEFORE INSERT OR UPDATE OF sealed ON tool_grant
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed', '');
CREATE TRIGGER sealed_fence_sealed BEFORE INSERT OR UPDATE OF sealed ON tool_authorization
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed', '');
CREATE TRIGGER sealed_fence_sealed_secrets BEFORE INSERT OR UPDATE OF sealed_secrets ON webhook
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed_secrets', 'many');
CREATE TRIGGER sealed_fence_sealed_arguments BEFORE INSERT OR UPDATE OF sealed_arguments ON hold
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed_arguments', '');
CREATE TRIGGER sealed_fence_sealed_content BEFORE INSERT OR UPDATE OF sealed_content ON report
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed_content', '');
CREATE TRIGGER sealed_fence_sealed BEFORE INSERT OR UPDATE OF sealed ON kept_content
  FOR EACH ROW EXECUTE FUNCTION refuse_replaced_key('sealed', '');
