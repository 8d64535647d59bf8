import type { ColumnKit } from "./columns";

/*
 * The tables of the library that keeps browser sessions and is the authorization server (see `identity/`), under the
 * names it knows them by. Its own generator makes lists JSON columns, but the library writes them as JSON text by
 * itself: here they are plain text, or they would be encoded twice.
 */

/** Who is signed in, and with what. */
const sessions = (kit: ColumnKit) => ({
  user: kit.table("auth_user", {
    id: kit.named("id").primaryKey(),
    name: kit.named("name").notNull(),
    email: kit.named("email").notNull(),
    emailVerified: kit.flag("email_verified").notNull(),
    image: kit.named("image"),
    createdAt: kit.moment("created_at").notNull(),
    updatedAt: kit.moment("updated_at").notNull(),
    disabled: kit.flag("disabled").notNull(),
  }),

  session: kit.table("auth_session", {
    id: kit.named("id").primaryKey(),
    expiresAt: kit.moment("expires_at").notNull(),
    token: kit.named("token").notNull(),
    createdAt: kit.moment("created_at").notNull(),
    updatedAt: kit.moment("updated_at").notNull(),
    ipAddress: kit.named("ip_address"),
    userAgent: kit.named("user_agent"),
    userId: kit.named("user_id").notNull(),
    /** Ours: when its user last proved who they are. Null in rows of hubs that did not keep this. */
    confirmedAt: kit.moment("confirmed_at"),
    /** Ours: how its user signed in. Null in rows of hubs that did not keep this. */
    signedInBy: kit.named("signed_in_by"),
  }),

  account: kit.table("auth_account", {
    id: kit.named("id").primaryKey(),
    accountId: kit.named("account_id").notNull(),
    providerId: kit.named("provider_id").notNull(),
    userId: kit.named("user_id").notNull(),
    accessToken: kit.named("access_token"),
    refreshToken: kit.named("refresh_token"),
    idToken: kit.named("id_token"),
    accessTokenExpiresAt: kit.moment("access_token_expires_at"),
    refreshTokenExpiresAt: kit.moment("refresh_token_expires_at"),
    scope: kit.named("scope"),
    password: kit.named("password"),
    createdAt: kit.moment("created_at").notNull(),
    updatedAt: kit.moment("updated_at").notNull(),
  }),

  verification: kit.table("auth_verification", {
    id: kit.named("id").primaryKey(),
    identifier: kit.named("identifier").notNull(),
    value: kit.named("value").notNull(),
    expiresAt: kit.moment("expires_at").notNull(),
    createdAt: kit.moment("created_at").notNull(),
    updatedAt: kit.moment("updated_at").notNull(),
  }),
});

/** What clients may ask for. */
const clients = (kit: ColumnKit) => ({
  oauthClient: kit.table("auth_oauth_client", {
    id: kit.named("id").primaryKey(),
    clientId: kit.named("client_id").notNull(),
    clientSecret: kit.named("client_secret"),
    clientDiscoveryId: kit.named("client_discovery_id"),
    disabled: kit.flag("disabled"),
    skipConsent: kit.flag("skip_consent"),
    enableEndSession: kit.flag("enable_end_session"),
    subjectType: kit.named("subject_type"),
    scopes: kit.named("scopes"),
    clientCredentialsScopes: kit.named("client_credentials_scopes"),
    userId: kit.named("user_id"),
    createdAt: kit.moment("created_at"),
    updatedAt: kit.moment("updated_at"),
    name: kit.named("name"),
    uri: kit.named("uri"),
    icon: kit.named("icon"),
    contacts: kit.named("contacts"),
    tos: kit.named("tos"),
    policy: kit.named("policy"),
    softwareId: kit.named("software_id"),
    softwareVersion: kit.named("software_version"),
    softwareStatement: kit.named("software_statement"),
    redirectUris: kit.named("redirect_uris").notNull(),
    postLogoutRedirectUris: kit.named("post_logout_redirect_uris"),
    backchannelLogoutUri: kit.named("backchannel_logout_uri"),
    backchannelLogoutSessionRequired: kit.flag("backchannel_logout_session_required"),
    tokenEndpointAuthMethod: kit.named("token_endpoint_auth_method"),
    applicationType: kit.named("application_type"),
    jwks: kit.named("jwks"),
    jwksUri: kit.named("jwks_uri"),
    grantTypes: kit.named("grant_types"),
    responseTypes: kit.named("response_types"),
    requirePKCE: kit.flag("require_pkce"),
    dpopBoundAccessTokens: kit.flag("dpop_bound_access_tokens"),
    referenceId: kit.named("reference_id"),
    metadata: kit.named("metadata"),
  }),

  oauthResource: kit.table("auth_oauth_resource", {
    id: kit.named("id").primaryKey(),
    identifier: kit.named("identifier").notNull(),
    name: kit.named("name").notNull(),
    accessTokenTtl: kit.number("access_token_ttl"),
    refreshTokenTtl: kit.number("refresh_token_ttl"),
    signingAlgorithm: kit.named("signing_algorithm"),
    signingKeyId: kit.named("signing_key_id"),
    allowedScopes: kit.named("allowed_scopes"),
    customClaims: kit.named("custom_claims"),
    dpopBoundAccessTokensRequired: kit.flag("dpop_bound_access_tokens_required"),
    disabled: kit.flag("disabled"),
    createdAt: kit.moment("created_at"),
    updatedAt: kit.moment("updated_at"),
    policyVersion: kit.number("policy_version"),
    metadata: kit.named("metadata"),
  }),

  oauthClientResource: kit.table("auth_oauth_client_resource", {
    id: kit.named("id").primaryKey(),
    clientId: kit.named("client_id").notNull(),
    resourceId: kit.named("resource_id").notNull(),
    metadata: kit.named("metadata"),
    createdAt: kit.moment("created_at"),
  }),
});

/** What clients were given. */
const grants = (kit: ColumnKit) => ({
  oauthRefreshToken: kit.table("auth_oauth_refresh_token", {
    id: kit.named("id").primaryKey(),
    token: kit.named("token").notNull(),
    clientId: kit.named("client_id").notNull(),
    sessionId: kit.named("session_id"),
    userId: kit.named("user_id").notNull(),
    referenceId: kit.named("reference_id"),
    authorizationCodeId: kit.named("authorization_code_id"),
    resources: kit.named("resources"),
    requestedUserInfoClaims: kit.named("requested_user_info_claims"),
    expiresAt: kit.moment("expires_at").notNull(),
    createdAt: kit.moment("created_at").notNull(),
    revoked: kit.moment("revoked"),
    rotatedAt: kit.moment("rotated_at"),
    rotationReplayResponse: kit.named("rotation_replay_response"),
    rotationReplayExpiresAt: kit.moment("rotation_replay_expires_at"),
    authTime: kit.moment("auth_time"),
    confirmation: kit.named("confirmation"),
    scopes: kit.named("scopes").notNull(),
  }),

  oauthAccessToken: kit.table("auth_oauth_access_token", {
    id: kit.named("id").primaryKey(),
    token: kit.named("token").notNull(),
    clientId: kit.named("client_id").notNull(),
    sessionId: kit.named("session_id"),
    userId: kit.named("user_id"),
    referenceId: kit.named("reference_id"),
    authorizationCodeId: kit.named("authorization_code_id"),
    resources: kit.named("resources"),
    requestedUserInfoClaims: kit.named("requested_user_info_claims"),
    refreshId: kit.named("refresh_id"),
    expiresAt: kit.moment("expires_at").notNull(),
    createdAt: kit.moment("created_at").notNull(),
    revoked: kit.moment("revoked"),
    confirmation: kit.named("confirmation"),
    scopes: kit.named("scopes").notNull(),
  }),

  oauthConsent: kit.table("auth_oauth_consent", {
    id: kit.named("id").primaryKey(),
    clientId: kit.named("client_id").notNull(),
    userId: kit.named("user_id"),
    referenceId: kit.named("reference_id"),
    resources: kit.named("resources"),
    requestedUserInfoClaims: kit.named("requested_user_info_claims"),
    scopes: kit.named("scopes").notNull(),
    createdAt: kit.moment("created_at").notNull(),
    updatedAt: kit.moment("updated_at").notNull(),
  }),

  oauthClientAssertion: kit.table("auth_oauth_client_assertion", {
    id: kit.named("id").primaryKey(),
    expiresAt: kit.moment("expires_at").notNull(),
  }),
});

export const defineAuthTables = (kit: ColumnKit) => ({ ...sessions(kit), ...clients(kit), ...grants(kit) });
