import type { ToolServer } from "#model/tools/tool";
import { ToolFailure } from "#upstream/tool-port";
import type { ClientCredentials } from "./credentials";
import { type Challenge, challengeOf, NO_CHALLENGE, scopeWords, widened } from "./oauth-challenge";
import { EARLY_MS, YOUNG_MS } from "./oauth-code";
import { type Discovery, discover } from "./oauth-discovery";
import { peerOf, type UpstreamOAuthNeeds } from "./oauth-grant";
import { authMethod, requestTokens } from "./oauth-token";
import type { ToolAuthorization } from "./port";

type Held = {
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: number | null;
  readonly since: number;
  readonly scope: string | null;
};

const NOTHING = {};

/** The hub signs in as itself. Its tokens live as long as the connection: another can be had at any time. */
export class ClientCredentialsAuthorization implements ToolAuthorization {
  private held: Held | null = null;
  private known: Discovery | null = null;
  private renewing: Promise<void> | null = null;

  constructor(
    private readonly server: ToolServer,
    private readonly credentials: ClientCredentials,
    private readonly deps: Pick<UpstreamOAuthNeeds, "fetch" | "now">,
  ) {}

  /** Nothing at first: the server's refusal says where tokens are to be had, and for what. */
  async headers(): Promise<Readonly<Record<string, string>>> {
    if (this.held === null) return NOTHING;
    const { expiresAt, scope } = this.held;
    if (expiresAt !== null && expiresAt - EARLY_MS <= this.deps.now()) await this.renewed(null, scope);
    return this.held.headers;
  }

  async refused(response: Response): Promise<boolean> {
    const challenge = challengeOf(response);
    if (response.status === 403) {
      const had = this.held?.scope ?? null;
      if (scopeWords(challenge.scope).every((word) => scopeWords(had).includes(word))) return false;
      await this.renewed(null, widened(had, challenge.scope));
      return true;
    }
    if (this.held !== null && this.deps.now() - this.held.since < YOUNG_MS) return true;
    await this.renewed(challenge, this.held?.scope ?? null);
    return true;
  }

  /** Once for all who wait. With a challenge the server is asked anew where to go. */
  private renewed(challenge: Challenge | null, scope: string | null): Promise<void> {
    this.renewing ??= this.renew(challenge, scope).finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async renew(challenge: Challenge | null, wanted: string | null): Promise<void> {
    const { client_id: id, client_secret: secret, scope: configured } = this.credentials;
    const peer = peerOf(this.server, this.deps);
    const known = challenge === null ? this.known : null;
    const { server, resource, scopes } = known ?? (await discover(peer, challenge ?? NO_CHALLENGE));
    this.known = { server, resource, scopes };
    const scope = wanted ?? configured ?? challenge?.scope ?? widened(...scopes);
    const now = this.deps.now();
    const answer = await requestTokens(peer, {
      endpoint: server.tokenEndpoint,
      client: { id, secret, method: authMethod(secret, server.tokenAuthMethods) },
      params: { grant_type: "client_credentials", scope, resource },
      now,
    });
    if (answer.kind === "refused") {
      const message = `The authorization server of ${this.server.slug} refuses the hub's client (${answer.error}).`;
      throw new ToolFailure("unauthorized", message, false);
    }
    const headers = { authorization: `Bearer ${answer.access}` };
    this.held = { headers, expiresAt: answer.expiresAt, since: now, scope };
  }
}
