import { GuardError } from "#core/errors";
import { stepUp } from "#http/resource-metadata";
import type { PrincipalCache } from "#identity/principal-cache";
import { at, GATEWAY_PATH, GATEWAY_SCOPE } from "#model/oauth/authorization";
import { ACCESS_PREFIX, looksLikeOAuthToken } from "#model/oauth/client";
import type { TokenPrincipal } from "#model/principal";
import type { Clock } from "#platform/clock";
import { urlHash } from "#platform/hash";
import type { OAuthStore } from "#store/oauth-port";

type BearersNeeds = {
  readonly oauth: Pick<OAuthStore, "verifyBearer">;
  readonly principals: Pick<PrincipalCache, "activeUser">;
  readonly publicUrl: () => string;
  readonly now: Clock;
};

/** Who calls with an access token of the authorization server. */
export class OAuthBearers {
  constructor(private readonly needs: BearersNeeds) {}

  /**
   * Whose access token it is, looked up anew at every call; null for none. Throws `insufficient_scope` for one that is
   * good for less.
   */
  authenticate(token: string): TokenPrincipal | null {
    if (!looksLikeOAuthToken(token) || !token.startsWith(ACCESS_PREFIX)) return null;
    const { oauth, principals, publicUrl, now } = this.needs;
    const hash = urlHash(token.slice(ACCESS_PREFIX.length));
    const bearer = oauth.verifyBearer(hash, at(publicUrl(), GATEWAY_PATH), now());
    const user = bearer && principals.activeUser(bearer.user_id);
    if (!user) return null;
    if (!bearer.scopes.includes(GATEWAY_SCOPE)) {
      const headers = { "www-authenticate": stepUp(publicUrl()) };
      throw new GuardError("insufficient_scope", `This requires the scope ${GATEWAY_SCOPE}.`, { headers });
    }
    const { id, client, tools, created_at, expires_at } = bearer;
    const known = { id, hash, display: `${ACCESS_PREFIX}…`, name: client.name, user_id: user.id, agent_id: null };
    return {
      user,
      token: { ...known, state: "active", expires_at, created_at },
      agent: null,
      client: { id: client.id, tools },
    };
  }

  /** Whether the grant that a token is of is still there, as it was at that moment. `hash` is of the token without its prefix. */
  isGranted(hash: string, since: number): boolean {
    const { oauth, principals, publicUrl } = this.needs;
    const bearer = oauth.verifyBearer(hash, at(publicUrl(), GATEWAY_PATH), since);
    return bearer !== null && principals.activeUser(bearer.user_id) !== null;
  }
}
