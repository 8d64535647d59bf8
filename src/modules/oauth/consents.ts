import { type Change, changeRecord, personActor } from "#core/change";
import { GuardError } from "#core/errors";
import {
  type Authorization,
  answerAt,
  authorizationOf,
  clientIdOf,
  type ReturnPath,
  returnPathOf,
} from "#core/oauth/authorization";
import { isAllowlist, type OAuthClient } from "#core/oauth/client";
import { OAuthError } from "#core/oauth/error";
import type { Person } from "#core/session";
import type { Identity } from "#identity/port";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { OAuthStore } from "#store/oauth-port";
import type { Decision } from "./schema";

type Deps = {
  readonly store: Pick<OAuthStore, "client" | "allow">;
  readonly identity: () => Promise<Identity>;
  readonly resource: () => string;
  readonly issuer: () => string;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What becomes of a request: a page that asks, an answer to the client, or nothing that could be sent anywhere. */
export type Asked =
  | { readonly kind: "ask"; readonly authorization: Authorization }
  | { readonly kind: "answer"; readonly url: string }
  | { readonly kind: "stray" };

/** A person lets a client in, every time anew: nothing proves that it is the same program as the last time (RFC 8252 §8.6). */
export class Consents {
  constructor(private readonly deps: Deps) {}

  async look(query: URLSearchParams): Promise<Asked> {
    const id = clientIdOf(query);
    const client = id === null ? null : await this.deps.store.client(id);
    const path = returnPathOf(query, client);
    if (!client || !path) return { kind: "stray" };
    try {
      return { kind: "ask", authorization: authorizationOf(query, client, path, this.deps.resource()) };
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return { kind: "answer", url: this.refusal(path, error) };
    }
  }

  /** Where the browser goes now. Throws `invalid_value`. */
  async decide(person: Person, cookie: string, { query, accept, tools }: Decision): Promise<string> {
    if (!isAllowlist(tools)) throw new GuardError("invalid_value", "tools has not the right form.", { param: "tools" });
    // Nothing is kept between asking and deciding: what comes back is checked as if it were new.
    const asked = await this.look(new URLSearchParams(query));
    if (asked.kind === "stray") throw new GuardError("invalid_value", "The request is not good.", { param: "query" });
    if (asked.kind === "answer") return asked.url;
    const { authorization } = asked;
    if (accept) return this.accept(person, cookie, authorization, tools);
    await this.deps.writeRecord(this.record(person, "oauth.deny", authorization.client, {}));
    return this.refusal(authorization, new OAuthError("access_denied", "The user said no."));
  }

  private async accept(person: Person, cookie: string, it: Authorization, tools: readonly string[]): Promise<string> {
    const { store, identity, issuer, now } = this.deps;
    const { client, ...asked } = it;
    const allowance = { client_id: client.id, user_id: person.user.id, tools: [...new Set(tools)], at: now() };
    const detail = { tools: allowance.tools, scope: it.scope };
    await store.allow(allowance, this.record(person, "oauth.consent", client, detail));
    const code = await (await identity()).oauth.codeFor({ ...asked, client_id: client.id }, cookie);
    if (code === null) return this.refusal(it, new OAuthError("server_error", "No code could be made."));
    return answerAt(it, issuer(), { code });
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
