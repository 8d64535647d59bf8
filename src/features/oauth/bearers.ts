import { GuardError } from "#core/errors";
import { stepUp } from "#http/resource-metadata";
import type { PrincipalCache } from "#identity/principal-cache";
import { at, GATEWAY_PATH, GATEWAY_SCOPE } from "#model/oauth/authorization";
import { ACCESS_PREFIX, type Bearer, looksLikeOAuthToken } from "#model/oauth/client";
import type { TokenPrincipal } from "#model/principal";
import type { Clock } from "#platform/clock";
import { urlHash } from "#platform/hash";
import type { OAuthStore } from "#store/oauth-port";
import { KnownBearers } from "./known-bearers";

type BearersNeeds = {
  readonly oauth: Pick<OAuthStore, "verifyBearer" | "answersAtOnce">;
  readonly principals: Pick<PrincipalCache, "activeUser">;
  readonly publicUrl: () => string;
  readonly now: Clock;
  /** Whether changes of other processes were heard of lately. */
  readonly policyResolver: { readonly isCurrent: boolean };
};

/** Who calls with an access token of the authorization server. */
export class OAuthBearers {
  private readonly known;

  constructor(private readonly needs: BearersNeeds) {
    const { oauth, now, policyResolver } = needs;
    this.known = oauth.answersAtOnce ? null : new KnownBearers({ now, isCurrent: () => policyResolver.isCurrent });
  }

  /** Something has changed in the store. */
  apply(): void {
    this.known?.apply();
  }

  /**
   * Whose access token it is; null for none. A store that answers at once is asked at every call; what another one said
   * is known for some seconds, until something changes. Throws `insufficient_scope` for one that is good for less.
   */
  authenticate(token: string): TokenPrincipal | null | Promise<TokenPrincipal | null> {
    if (!looksLikeOAuthToken(token) || !token.startsWith(ACCESS_PREFIX)) return null;
    const hash = urlHash(token.slice(ACCESS_PREFIX.length));
    const look = () => this.bearer(hash, this.needs.now());
    const bearer = this.known === null ? look() : this.known.authenticate(hash, async () => look());
    return bearer instanceof Promise ? bearer.then((it) => this.callerOf(hash, it)) : this.callerOf(hash, bearer);
  }

  /** Whether the grant that a token is of is still there, as it was at that moment. `hash` is of the token without its prefix. */
  isGranted(hash: string, since: number): boolean {
    const look = () => this.bearer(hash, since);
    const bearer = this.known === null ? look() : this.known.granted(hash, async () => look());
    if (bearer === null || bearer instanceof Promise) return false;
    return this.needs.principals.activeUser(bearer.user_id) !== null;
  }

  private bearer(hash: string, now: number): Bearer | null | Promise<Bearer | null> {
    const { oauth, publicUrl } = this.needs;
    return oauth.verifyBearer(hash, at(publicUrl(), GATEWAY_PATH), now);
  }

  private callerOf(hash: string, bearer: Bearer | null): TokenPrincipal | null {
    const { principals, publicUrl } = this.needs;
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
}
