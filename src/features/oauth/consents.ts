import { GuardError } from "#core/errors";
import type { Identity } from "#identity/port";
import { type Change, changeRecord, personActor } from "#model/change";
import {
  type Authorization,
  answerAt,
  authorizationOf,
  clientIdOf,
  type ReturnPath,
  returnPathOf,
  withValues,
} from "#model/oauth/authorization";
import { isAllowlist, type OAuthClient } from "#model/oauth/client";
import { namesDocument } from "#model/oauth/client-document";
import { OAuthError } from "#model/oauth/error";
import { isNative } from "#model/oauth/redirect";
import type { Person } from "#model/session";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { OAuthStore } from "#store/oauth-port";
import type { ClientDocuments, NoClient } from "./client-documents";
import { hostsOf } from "./registrations";
import type { ConsentDecision } from "./schema";

type ConsentsNeeds = {
  readonly store: Pick<OAuthStore, "client" | "describe" | "allow" | "hasConsented">;
  readonly documents: Pick<ClientDocuments, "describe">;
  readonly identity: () => Promise<Identity>;
  readonly resource: () => string;
  readonly issuer: () => string;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What becomes of a request: a page that asks, an answer to the client, or nothing that could be sent anywhere. */
export type AuthorizationRequest =
  | { readonly kind: "ask"; readonly authorization: Authorization }
  | { readonly kind: "answer"; readonly url: string }
  /** Who asks for it is looked at once somebody is signed in. */
  | { readonly kind: "sign_in" }
  | { readonly kind: "invalid_request"; readonly why: InvalidRequest };

export type InvalidRequest = NoClient | "unknown" | "not_offered";

type Found =
  | { readonly kind: "client"; readonly client: OAuthClient | null }
  | Exclude<AuthorizationRequest, { kind: "ask" | "answer" }>;

/** A person lets a client in, every time anew: nothing proves that it is the same program as the last time (RFC 8252 §8.6). */
export class Consents {
  constructor(private readonly deps: ConsentsNeeds) {}

  /** `userId`: who is signed in; null for nobody. */
  async parseAuthorizationRequest(parameters: URLSearchParams, userId: string | null): Promise<AuthorizationRequest> {
    const query = withValues(parameters);
    const found = await this.clientOf(clientIdOf(query), userId);
    if (found.kind !== "client") return found;
    const { client } = found;
    const path = returnPathOf(query, client);
    if (!client || !path) return { kind: "invalid_request", why: "unknown" };
    try {
      return { kind: "ask", authorization: authorizationOf(query, client, path, this.deps.resource()) };
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return this.refused(client, path, error, userId);
    }
  }

  /**
   * A mistake is told to programs on the person's own machine, and to sites that the person has let in. Anybody may
   * register any site, and the hub's address would lead wherever a link wants (RFC 9700 §4.11.2).
   */
  private async refused(
    client: OAuthClient,
    path: ReturnPath,
    why: OAuthError,
    userId: string | null,
  ): Promise<AuthorizationRequest> {
    const answer: AuthorizationRequest = { kind: "answer", url: this.refusal(path, why) };
    if (isNative(path.redirect_uri)) return answer;
    if (userId === null) return { kind: "sign_in" };
    return (await this.deps.store.hasConsented(client.id, userId))
      ? answer
      : { kind: "invalid_request", why: "not_offered" };
  }

  /** Where the browser goes now. Throws `invalid_value`, and `state_conflict` where somebody else was asked. */
  async decide(person: Person, cookie: string, { query, accept, tools, user }: ConsentDecision): Promise<string> {
    // Signed in as another in a second tab: that one has chosen nothing.
    if (user !== undefined && user !== person.user.id) {
      throw new GuardError("state_conflict", "Another user is signed in now. Reload this page.");
    }
    if (!isAllowlist(tools)) throw new GuardError("invalid_value", "tools is invalid.", { param: "tools" });
    // Nothing is kept between asking and deciding: what comes back is checked as if it were new.
    const asked = await this.parseAuthorizationRequest(new URLSearchParams(query), person.user.id);
    if (asked.kind === "answer") return asked.url;
    if (asked.kind !== "ask") throw new GuardError("invalid_value", "The request is invalid.", { param: "query" });
    const { authorization } = asked;
    if (accept) return this.accept(person, cookie, authorization, tools);
    await this.deps.writeRecord(this.record(person, "oauth.deny", authorization.client, {}));
    return this.refusal(authorization, new OAuthError("access_denied", "The user denied the request."));
  }

  private async accept(person: Person, cookie: string, it: Authorization, tools: readonly string[]): Promise<string> {
    const { store, identity, issuer, now } = this.deps;
    const { client, ...asked } = it;
    if (namesDocument(client.id)) await this.keepDocument(person, client);
    const allowance = { client_id: client.id, user_id: person.user.id, tools: [...new Set(tools)], at: now() };
    const detail = { tools: allowance.tools, scope: it.scope };
    await store.allow(allowance, this.record(person, "oauth.consent", client, detail));
    const code = await (await identity()).oauth.codeFor({ ...asked, client_id: client.id }, cookie);
    if (code === null) return this.refusal(it, new OAuthError("server_error", "No code could be issued. Try again."));
    return answerAt(it, issuer(), { code });
  }

  private async clientOf(id: string | null, userId: string | null): Promise<Found> {
    const { store, documents, now, ids } = this.deps;
    const kept = id === null ? null : await store.client(id);
    if (id === null || !namesDocument(id)) return { kind: "client", client: kept };
    const described = await documents.describe(id, userId);
    if (described.kind === "unknown") return { kind: "invalid_request", why: described.why };
    if (described.kind === "sign_in") return described;
    // What the document says now counts, not what it said when it was kept.
    const { handle, disabled, created_at } = kept ?? { handle: ids(), disabled: false, created_at: now() };
    return { kind: "client", client: { ...described.registration, id, handle, disabled, created_at } };
  }

  /** The engine and the token endpoint know clients by what is kept of them. */
  private async keepDocument(person: Person, client: OAuthClient): Promise<void> {
    const { store, identity, resource } = this.deps;
    await (await identity()).oauth.ready();
    const detail = { redirect_uris: hostsOf(client) };
    await store.describe(client, resource(), this.record(person, "oauth.document", client, detail));
  }

  private refusal(path: ReturnPath, { code, message }: OAuthError): string {
    return answerAt(path, this.deps.issuer(), { error: code, error_description: message });
  }

  private record(person: Person, kind: string, { id }: OAuthClient, detail: Change["detail"]): string {
    const { now, ids } = this.deps;
    const change = { kind, by: personActor(person), subject: "oauth_client", subject_id: id, detail };
    return changeRecord(change, { id: ids(), at: now() });
  }
}
