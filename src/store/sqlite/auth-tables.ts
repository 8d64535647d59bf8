import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/*
 * The tables of the library that keeps browser sessions and is the authorization server (see `identity/`), under the
 * names it knows them by. Its own generator makes lists JSON columns, but the library writes them as JSON text by
 * itself: here they are plain text, or they would be encoded twice.
 */

const moment = (name: string) => integer(name, { mode: "timestamp_ms" });
const flag = (name: string) => integer(name, { mode: "boolean" });

export const authTables = {
  user: sqliteTable("auth_user", {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    emailVerified: flag("email_verified").notNull(),
    image: text("image"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
    disabled: flag("disabled").notNull(),
  }),

  session: sqliteTable("auth_session", {
    id: text("id").primaryKey(),
    expiresAt: moment("expires_at").notNull(),
    token: text("token").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    userId: text("user_id").notNull(),
    /** Ours: when its user last proved who they are. Null in rows of hubs that did not keep this. */
    confirmedAt: moment("confirmed_at"),
    /** Ours: how its user signed in. Null in rows of hubs that did not keep this. */
    signedInBy: text("signed_in_by"),
  }),

  account: sqliteTable("auth_account", {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id").notNull(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: moment("access_token_expires_at"),
    refreshTokenExpiresAt: moment("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  }),

  verification: sqliteTable("auth_verification", {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  }),

  oauthClient: sqliteTable("auth_oauth_client", {
    id: text("id").primaryKey(),
    clientId: text("client_id").notNull(),
    clientSecret: text("client_secret"),
    clientDiscoveryId: text("client_discovery_id"),
    disabled: flag("disabled"),
    skipConsent: flag("skip_consent"),
    enableEndSession: flag("enable_end_session"),
    subjectType: text("subject_type"),
    scopes: text("scopes"),
    clientCredentialsScopes: text("client_credentials_scopes"),
    userId: text("user_id"),
    createdAt: moment("created_at"),
    updatedAt: moment("updated_at"),
    name: text("name"),
    uri: text("uri"),
    icon: text("icon"),
    contacts: text("contacts"),
    tos: text("tos"),
    policy: text("policy"),
    softwareId: text("software_id"),
    softwareVersion: text("software_version"),
    softwareStatement: text("software_statement"),
    redirectUris: text("redirect_uris").notNull(),
    postLogoutRedirectUris: text("post_logout_redirect_uris"),
    backchannelLogoutUri: text("backchannel_logout_uri"),
    backchannelLogoutSessionRequired: flag("backchannel_logout_session_required"),
    tokenEndpointAuthMethod: text("token_endpoint_auth_method"),
    applicationType: text("application_type"),
    jwks: text("jwks"),
    jwksUri: text("jwks_uri"),
    grantTypes: text("grant_types"),
    responseTypes: text("response_types"),
    requirePKCE: flag("require_pkce"),
    dpopBoundAccessTokens: flag("dpop_bound_access_tokens"),
    referenceId: text("reference_id"),
    metadata: text("metadata"),
  }),

  oauthResource: sqliteTable("auth_oauth_resource", {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    name: text("name").notNull(),
    accessTokenTtl: integer("access_token_ttl"),
    refreshTokenTtl: integer("refresh_token_ttl"),
    signingAlgorithm: text("signing_algorithm"),
    signingKeyId: text("signing_key_id"),
    allowedScopes: text("allowed_scopes"),
    customClaims: text("custom_claims"),
    dpopBoundAccessTokensRequired: flag("dpop_bound_access_tokens_required"),
    disabled: flag("disabled"),
    createdAt: moment("created_at"),
    updatedAt: moment("updated_at"),
    policyVersion: integer("policy_version"),
    metadata: text("metadata"),
  }),

  oauthClientResource: sqliteTable("auth_oauth_client_resource", {
    id: text("id").primaryKey(),
    clientId: text("client_id").notNull(),
    resourceId: text("resource_id").notNull(),
    metadata: text("metadata"),
    createdAt: moment("created_at"),
  }),

  oauthRefreshToken: sqliteTable("auth_oauth_refresh_token", {
    id: text("id").primaryKey(),
    token: text("token").notNull(),
    clientId: text("client_id").notNull(),
    sessionId: text("session_id"),
    userId: text("user_id").notNull(),
    referenceId: text("reference_id"),
    authorizationCodeId: text("authorization_code_id"),
    resources: text("resources"),
    requestedUserInfoClaims: text("requested_user_info_claims"),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    revoked: moment("revoked"),
    rotatedAt: moment("rotated_at"),
    rotationReplayResponse: text("rotation_replay_response"),
    rotationReplayExpiresAt: moment("rotation_replay_expires_at"),
    authTime: moment("auth_time"),
    confirmation: text("confirmation"),
    scopes: text("scopes").notNull(),
  }),

  oauthAccessToken: sqliteTable("auth_oauth_access_token", {
    id: text("id").primaryKey(),
    token: text("token").notNull(),
    clientId: text("client_id").notNull(),
    sessionId: text("session_id"),
    userId: text("user_id"),
    referenceId: text("reference_id"),
    authorizationCodeId: text("authorization_code_id"),
    resources: text("resources"),
    requestedUserInfoClaims: text("requested_user_info_claims"),
    refreshId: text("refresh_id"),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    revoked: moment("revoked"),
    confirmation: text("confirmation"),
    scopes: text("scopes").notNull(),
  }),

  oauthConsent: sqliteTable("auth_oauth_consent", {
    id: text("id").primaryKey(),
    clientId: text("client_id").notNull(),
    userId: text("user_id"),
    referenceId: text("reference_id"),
    resources: text("resources"),
    requestedUserInfoClaims: text("requested_user_info_claims"),
    scopes: text("scopes").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  }),

  oauthClientAssertion: sqliteTable("auth_oauth_client_assertion", {
    id: text("id").primaryKey(),
    expiresAt: moment("expires_at").notNull(),
  }),
};
