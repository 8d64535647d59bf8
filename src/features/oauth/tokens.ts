import type { Identity, TokenRequest } from "#identity/port";
import { type Actor, changeRecord } from "#model/change";
import { isSameResource } from "#model/oauth/authorization";
import { ACCESS_PREFIX, type Bearer, looksLikeOAuthToken, REFRESH_PREFIX } from "#model/oauth/client";
import { isOAuthErrorCode, OAuthError, type OAuthErrorCode } from "#model/oauth/error";
import type { Clock } from "#platform/clock";
import { urlHash } from "#platform/hash";
import type { Ids } from "#platform/ids";
import type { OAuthStore, RefreshState } from "#store/oauth-port";
import { CrossProcessKeyLock } from "./cross-process-key-lock";
import type { Pacing } from "./fixed-window-limiter";
import type { Granted } from "./schema";

type TokensNeeds = {
  readonly store: Pick<
    OAuthStore,
    "client" | "knowsCode" | "refreshState" | "verifyBearer" | "revokeGrant" | "acquireTurn" | "endTurn"
  >;
  readonly identity: () => Promise<Identity>;
  readonly resource: () => string;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly pacing: Pacing;
  readonly ids: Ids;
  /** Told before it is answered: what is known of the grant's other access tokens must not open anything any more. */
  readonly onRevoked: () => void;
};

/** RFC 7636 §4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const CODE = /^[A-Za-z0-9]{1,128}$/;
const MAX_URI_LENGTH = 2_048;

/** What the engine may say of a code or token; whatever else it says means that it is no good. */
const PASSED_ON: ReadonlySet<OAuthErrorCode> = new Set(["invalid_client", "invalid_target", "unauthorized_client"]);

/** Codes and refresh tokens become access tokens. No token leaves that would not open the gateway this very moment. */
export class OAuthTokenEndpoint {
  private readonly locks;
  private readonly limiter;

  constructor(private readonly deps: TokensNeeds) {
    this.locks = new CrossProcessKeyLock(deps.store, deps.now);
    this.limiter = deps.pacing("token", { each: 600, all: 6_000 });
  }

  /** Throws `OAuthError`, and `rate_limit_exceeded`. */
  async grant(form: URLSearchParams, network: string): Promise<Granted> {
    await this.limiter.step(network);
    const clientId = await this.clientIdOf(form);
    this.checkResource(form);
    const grantType = form.get("grant_type");
    if (grantType === "authorization_code") return this.redeem(clientId, form);
    if (grantType === "refresh_token") return this.refresh(clientId, form);
    throw new OAuthError(
      grantType === null ? "invalid_request" : "unsupported_grant_type",
      "grant_type is authorization_code or refresh_token.",
    );
  }

  /** Ends the grant that the token is of (RFC 7009). What is no token, or not the client's, is no mistake to tell of. */
  async revoke(form: URLSearchParams, network: string): Promise<void> {
    await this.limiter.step(network);
    const clientId = await this.clientIdOf(form);
    const token = needed(form, "token");
    if (!looksLikeOAuthToken(token)) return;
    await this.revokeGrant(hashOf(token), clientId, "oauth.revoke", { by: "client" });
  }

  private async revokeGrant(
    hash: string,
    clientId: string,
    kind: "oauth.revoke" | "oauth.reuse",
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { store, onRevoked } = this.deps;
    await store.revokeGrant(hash, clientId, (userId) => this.record(kind, clientId, userId, detail));
    onRevoked();
  }

  private async redeem(client_id: string, form: URLSearchParams): Promise<Granted> {
    const code = needed(form, "code");
    const code_verifier = needed(form, "code_verifier");
    const redirect_uri = needed(form, "redirect_uri");
    if (!CODE.test(code) || !VERIFIER.test(code_verifier) || redirect_uri.length > MAX_URI_LENGTH) throw noGood();
    const request = { grant_type: "authorization_code", client_id, code, code_verifier, redirect_uri };
    const hash = urlHash(code);
    // Made-up ones shall not cost a write. One that was used is known by its tokens, and has to end them.
    if (!(await this.deps.store.knowsCode(hash))) throw noGood();
    return this.locks.at(hash, () => this.issue(request, "oauth.token", {}));
  }

  private async refresh(client_id: string, form: URLSearchParams): Promise<Granted> {
    const refresh_token = needed(form, "refresh_token");
    if (!looksLikeOAuthToken(refresh_token) || !refresh_token.startsWith(REFRESH_PREFIX)) throw noGood();
    const hash = hashOf(refresh_token);
    // Made-up ones shall not cost a write.
    if (!(await this.deps.store.refreshState(hash, this.deps.now()))) throw noGood();
    return this.locks.at(hash, async () => {
      const state = await this.deps.store.refreshState(hash, this.deps.now());
      if (state?.client_id !== client_id || !state.resources.includes(this.deps.resource())) throw noGood();
      await this.checkReuse(hash, state);
      checkScope(form, state);
      // Scopes are not passed on: the engine would narrow what the client may ever refresh.
      const request = { grant_type: "refresh_token", client_id, refresh_token };
      const granted = await this.issue(request, "oauth.refresh", { again: state.reusable_until !== null });
      await this.checkNotRevoked(hash, granted, client_id);
      return granted;
    });
  }

  /** A used token that comes late was stolen by one of its two users (RFC 9700 §4.14.2). */
  private async checkReuse(hash: string, { client_id, reusable_until }: RefreshState): Promise<void> {
    if (reusable_until === null || this.deps.now() <= reusable_until) return;
    await this.revokeGrant(hash, client_id, "oauth.reuse", {});
    throw noGood();
  }

  private async issue(
    request: TokenRequest,
    kind: string,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<Granted> {
    const { identity, resource } = this.deps;
    const { status, body } = await (await identity()).oauth.tokensFor({ ...request, resource: resource() });
    if (status !== 200) throw this.refusalOf(status, body["error"]);
    const { access_token, expires_in, refresh_token, scope } = body;
    if (typeof access_token !== "string" || typeof expires_in !== "number" || typeof scope !== "string") {
      throw new OAuthError("server_error", "No token could be issued. Try again.");
    }
    const bearer = await this.checkOpens(access_token, request["client_id"] ?? "");
    await this.deps.writeRecord(
      this.record(kind, bearer.client.id, bearer.user_id, { ...detail, token_id: bearer.id }),
    );
    return {
      access_token,
      token_type: "Bearer",
      expires_in,
      scope,
      ...(typeof refresh_token === "string" ? { refresh_token } : {}),
    };
  }

  /** The engine does not look at everything we do: a user may be disabled, or the client's list withdrawn meanwhile. */
  private async checkOpens(accessToken: string, clientId: string): Promise<Bearer> {
    const { store, resource, now } = this.deps;
    const hash = hashOf(accessToken);
    const bearer = await store.verifyBearer(hash, resource(), now());
    if (bearer) return bearer;
    await this.revokeGrant(hash, clientId, "oauth.revoke", { by: "hub" });
    throw noGood();
  }

  /** While the engine was at it, another request may have ended the grant: what it made since would outlive that. */
  private async checkNotRevoked(hash: string, { access_token }: Granted, clientId: string): Promise<void> {
    const { store, now } = this.deps;
    if (await store.refreshState(hash, now())) return;
    await this.revokeGrant(hashOf(access_token), clientId, "oauth.revoke", { by: "hub" });
    throw noGood();
  }

  private refusalOf(status: number, code: unknown): OAuthError {
    if (status >= 500) return new OAuthError("server_error", "No token could be issued. Try again.");
    if (isOAuthErrorCode(code) && PASSED_ON.has(code)) return new OAuthError(code, "The client may not have this.");
    return noGood();
  }

  /** Public clients only: they name themselves and have nothing to prove it with. Throws `invalid_client`. */
  private async clientIdOf(form: URLSearchParams): Promise<string> {
    const repeated = [...new Set(form.keys())].some((name) => name !== "resource" && form.getAll(name).length > 1);
    if (repeated) throw new OAuthError("invalid_request", "A parameter is given twice.");
    const client = await this.deps.store.client(form.get("client_id") ?? "");
    if (client && !client.disabled && !form.has("client_secret") && !form.has("client_assertion")) return client.id;
    throw new OAuthError("invalid_client", "No such client. Clients of this hub have no secret.");
  }

  private checkResource(form: URLSearchParams): void {
    const { resource } = this.deps;
    if (form.getAll("resource").every((asked) => isSameResource(asked, resource()))) return;
    throw new OAuthError("invalid_target", "Tokens are issued for the tool gateway only.");
  }

  private record(kind: string, clientId: string, userId: string, detail: Readonly<Record<string, unknown>>): string {
    const { now, ids } = this.deps;
    const by: Actor = { via: "system", user_id: userId, agent_id: null, token_id: null };
    const change = { kind, by, subject: "oauth_client", subject_id: clientId, detail };
    return changeRecord(change, { id: ids(), at: now() });
  }
}

/** As the engine stores them: without the prefix, which is as long for both kinds. */
const hashOf = (token: string): string => urlHash(token.slice(ACCESS_PREFIX.length));

const needed = (form: URLSearchParams, name: string): string => {
  const value = form.get(name) ?? "";
  if (value === "") throw new OAuthError("invalid_request", `${name} is missing.`);
  return value;
};

/** What is known here and was not granted cannot be had by refreshing; what is not known means nothing anyway. */
const checkScope = (form: URLSearchParams, { scopes }: RefreshState): void => {
  const asked = (form.get("scope") ?? "").split(" ");
  if (asked.includes("mcp:tools") && !scopes.includes("mcp:tools")) {
    throw new OAuthError("invalid_scope", "The requested scope exceeds the granted one.");
  }
};

const noGood = (): OAuthError =>
  new OAuthError("invalid_grant", "The code or token is invalid, expired or revoked. Sign in again.");
