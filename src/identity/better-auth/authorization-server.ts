import { oauthProvider } from "@better-auth/oauth-provider";
import type { BetterAuthPlugin } from "better-auth";

/** Eight hours: tokens are looked up at every call and end at once, so nothing is won by renewing them often. */
const ACCESS_S = 8 * 3_600;
const CODE_S = 120;
/** Parallel processes of one client share a refresh token: within this, all of them are answered alike. */
const REUSE_S = 60;

export const GATEWAY_SCOPE = "mcp:tools";
const SCOPES = ["openid", "profile", "email", "offline_access", GATEWAY_SCOPE];

/**
 * The authorization server for clients of the tool gateway. Tokens are opaque and stored hashed: a row that is gone
 * opens nothing, which no signed token can promise.
 */
export const authorizationServer = (publicUrl: string): BetterAuthPlugin => {
  const gateway = `${publicUrl}/mcp/gateway`;
  const plugin = oauthProvider({
    loginPage: `${publicUrl}/login`,
    consentPage: `${publicUrl}/consent`,
    disableJwtPlugin: true,
    storeTokens: "hashed",
    grantTypes: ["authorization_code", "refresh_token"],
    scopes: SCOPES,
    resources: [
      {
        identifier: gateway,
        name: "Tool gateway",
        allowedScopes: [GATEWAY_SCOPE, "offline_access"],
        accessTokenTtl: ACCESS_S,
      },
    ],
    resourceSeedMode: "overwrite",
    clientRegistrationDefaultResources: [gateway],
    clientRegistrationDefaultScopes: [GATEWAY_SCOPE, "offline_access"],
    enforcePerClientResources: true,
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    // The shorter of this, an hour when not given, and the resource's counts.
    accessTokenExpiresIn: ACCESS_S,
    refreshTokenReuseInterval: REUSE_S,
    codeExpiresIn: CODE_S,
    prefix: { opaqueAccessToken: "gw-at-", refreshToken: "gw-rt-" },
  });
  // Its descriptions say `undefined` where the plugin's own type says nothing at all: no more than that differs.
  return plugin as BetterAuthPlugin;
};
