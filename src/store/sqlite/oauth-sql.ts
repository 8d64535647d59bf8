/*
 * Of clients, consents and tokens. The tables are the identity library's but for `oauth_allowlist` and `oauth_turn`;
 * moments are Unix milliseconds, lists are JSON, flags are 0, 1 or null.
 */

export const CLIENT_COLUMNS =
  "c.client_id, c.id AS handle, c.name, c.redirect_uris, coalesce(c.disabled, 0) AS disabled, coalesce(c.created_at, 0) AS created_at";

export const INSERT_CLIENT = `
  INSERT INTO auth_oauth_client (id, client_id, name, redirect_uris, disabled, skip_consent, scopes, application_type,
    token_endpoint_auth_method, grant_types, response_types, require_pkce, created_at, updated_at)
  VALUES ($id, $id, $name, $uris, 0, 0, '["mcp:tools","offline_access"]', 'native',
    'none', '["authorization_code","refresh_token"]', '["code"]', 1, $at, $at)`;

export const LINK_CLIENT = `
  INSERT INTO auth_oauth_client_resource (id, client_id, resource_id, created_at) VALUES ($id, $id, $resource, $at)`;

/** Of one that is described by a document. What an administrator decided about it stays. */
export const DESCRIBE_CLIENT = `
  INSERT INTO auth_oauth_client (id, client_id, name, redirect_uris, disabled, skip_consent, scopes, application_type,
    token_endpoint_auth_method, grant_types, response_types, require_pkce, created_at, updated_at)
  VALUES ($handle, $id, $name, $uris, 0, 0, '["mcp:tools","offline_access"]', 'native',
    'none', '["authorization_code","refresh_token"]', '["code"]', 1, $at, $at)
  ON CONFLICT (client_id) DO UPDATE SET name = $name, redirect_uris = $uris
    WHERE name IS NOT $name OR redirect_uris IS NOT $uris`;

/** The hub may have got another public URL since. */
export const LINK_DESCRIBED = `
  INSERT INTO auth_oauth_client_resource (id, client_id, resource_id, created_at)
  SELECT lower(hex(randomblob(16))), $id, $resource, $at WHERE NOT EXISTS (
    SELECT 1 FROM auth_oauth_client_resource r WHERE r.client_id = $id AND r.resource_id = $resource)`;

/**
 * Everything that can be wrong with a token, in one look: nothing of it is remembered between calls. What is null says
 * what is no good. Not written as joins: the same look-ups take five times as long so.
 */
export const BEARER = `
  SELECT t.id, t.client_id, t.user_id, t.scopes, t.resources, t.created_at, t.expires_at,
    (SELECT coalesce(c.name, '') FROM auth_oauth_client c
      WHERE c.client_id = t.client_id AND coalesce(c.disabled, 0) = 0) AS name,
    (SELECT u.id FROM "user" u WHERE u.id = t.user_id AND u.state = 'active') AS active_id,
    (SELECT a.tools FROM oauth_allowlist a WHERE a.client_id = t.client_id AND a.user_id = t.user_id) AS tools
  FROM auth_oauth_access_token t
  WHERE t.token = ? AND t.revoked IS NULL AND t.expires_at > ?`;

/** As the engine keeps it until it is used, and in what was made of it. */
export const KNOWN_CODE = `
  SELECT 1 FROM auth_verification WHERE identifier = $hash
  UNION ALL SELECT 1 FROM auth_oauth_refresh_token WHERE authorization_code_id = $hash
  UNION ALL SELECT 1 FROM auth_oauth_access_token WHERE authorization_code_id = $hash LIMIT 1`;

export const REFRESH = `
  SELECT t.client_id, t.user_id, t.authorization_code_id AS grant_id, t.resources, t.scopes,
    CASE WHEN t.revoked IS NULL THEN NULL ELSE coalesce(t.rotation_replay_expires_at, 0) END AS reusable_until
  FROM auth_oauth_refresh_token t
  JOIN auth_oauth_client c ON c.client_id = t.client_id AND coalesce(c.disabled, 0) = 0
  JOIN "user" u ON u.id = t.user_id AND u.state = 'active'
  JOIN oauth_allowlist a ON a.client_id = t.client_id AND a.user_id = t.user_id
  WHERE t.token = ? AND t.expires_at > ?`;

export const GRANT_OF = `
  SELECT user_id, authorization_code_id AS grant_id FROM auth_oauth_access_token WHERE token = $hash AND client_id = $client
  UNION ALL
  SELECT user_id, authorization_code_id FROM auth_oauth_refresh_token WHERE token = $hash AND client_id = $client`;

const LIVE = "x.client_id = a.client_id AND x.user_id = a.user_id AND x.revoked IS NULL AND x.expires_at > $now";

export const CONNECTIONS = `
  SELECT ${CLIENT_COLUMNS}, a.user_id, a.tools, a.created_at AS consented_at,
    EXISTS (SELECT 1 FROM auth_oauth_access_token x WHERE ${LIVE})
    OR EXISTS (SELECT 1 FROM auth_oauth_refresh_token x WHERE ${LIVE}) AS connected
  FROM oauth_allowlist a JOIN auth_oauth_client c ON c.client_id = a.client_id
  WHERE $user IS NULL OR a.user_id = $user
  ORDER BY c.id DESC, a.user_id`;

export const ALLOW = `
  INSERT INTO oauth_allowlist (client_id, user_id, tools, created_at, updated_at)
  VALUES ($client, $user, $tools, $now, $now)
  ON CONFLICT (client_id, user_id) DO UPDATE SET tools = $tools, created_at = $now, updated_at = $now`;

/** A client that was let in once is kept: its program would not know why it is unknown. */
export const HAS_CONSENTED = "UPDATE auth_oauth_client SET updated_at = $now WHERE client_id = $client";

export const REALLOW =
  "UPDATE oauth_allowlist SET tools = $tools, updated_at = $now WHERE client_id = $client AND user_id = $user";

/**
 * A process that died during its turn is waited for until the turn is over. One that is over later than two turns from now
 * can only be from before the clock was set back.
 */
export const TAKE_TURN = `
  INSERT INTO oauth_turn (token_hash, until) VALUES ($hash, $until)
  ON CONFLICT (token_hash) DO UPDATE SET until = $until
    WHERE oauth_turn.until <= $now OR oauth_turn.until > $until + ($until - $now)`;

/** Rotated refresh tokens stay until they would have ended: that they are used again must be noticed. */
const expired = (table: string, key: string, until: string): string =>
  `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${until} <= $now LIMIT $most)`;

/** What has expired, at most so many rows of it at a time. */
export const SWEEP = [
  expired("auth_oauth_access_token", "id", "expires_at"),
  expired("auth_oauth_refresh_token", "id", "expires_at"),
  expired("oauth_turn", "token_hash", "until"),
] as const;

const NEVER_LET_IN = `c.updated_at <= c.created_at AND coalesce(c.disabled, 0) = 0
    AND NOT EXISTS (SELECT 1 FROM oauth_allowlist a WHERE a.client_id = c.client_id)`;

export const SWEEP_CLIENTS = `
  DELETE FROM auth_oauth_client WHERE id IN (
    SELECT c.id FROM auth_oauth_client c WHERE c.created_at < $now AND ${NEVER_LET_IN} LIMIT $most)`;

export const FORGET_SURPLUS = `
  DELETE FROM auth_oauth_client WHERE id IN (
    SELECT c.id FROM auth_oauth_client c WHERE ${NEVER_LET_IN} ORDER BY c.id DESC LIMIT -1 OFFSET $most)`;
