import { credentialsPurpose, type ToolCredentials, type ToolServer } from "#model/tools/tool";
import { openSecret, sealSecret } from "#platform/sealing";
import type { SqliteStore } from "#store/sqlite/index";
import { withPeople } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { MAIL } from "#test/store/tool-servers";
import { authorizationFor } from "#upstream/mcp/authorization";
import { operatorFetch } from "#upstream/mcp/guarded-fetch";
import { toolSignIn } from "#upstream/mcp/oauth-sign-in";
import type { ToolAuthorization, ToolFetch } from "#upstream/mcp/port";
import { ToolFailure } from "#upstream/tool-port";

export const CALLBACK = "http://localhost:9/callback";

type Options = { readonly url: string; readonly credentials?: ToolCredentials; readonly fetch?: ToolFetch };

/** One stored tool server, its real store, a stopped clock, and what the adapters are made of. */
export class OAuthServerWorld implements AsyncDisposable {
  now = 1_750_000_000_000;

  private constructor(
    private readonly place: Place,
    readonly store: SqliteStore,
    readonly server: ToolServer,
    private readonly key: Uint8Array,
    private readonly fetch: ToolFetch,
  ) {}

  static async create({ url, credentials, fetch = operatorFetch() }: Options): Promise<OAuthServerWorld> {
    const place = new Place();
    const store = await place.open();
    await withPeople(store);
    const key = crypto.getRandomValues(new Uint8Array(32));
    const given: ToolCredentials = credentials ?? {
      kind: "authorization_code",
      client_id: null,
      client_secret: null,
      scope: null,
    };
    const sealed_credentials = sealSecret(key, credentialsPurpose(MAIL.id), JSON.stringify(given));
    const server: ToolServer = { ...MAIL, url, credential_kind: given.kind, sealed_credentials };
    await store.tools.add(server, someRecord());
    return new OAuthServerWorld(place, store, server, key, fetch);
  }

  private readonly seal = (purpose: string, secret: string) => sealSecret(this.key, purpose, secret);
  private readonly open = (purpose: string, sealed: string) => openSecret(this.key, purpose, sealed);

  get database(): string {
    return this.place.database;
  }

  /** As another process has it: with a connection of its own to the same database. */
  async authorization({ takesTurns = false } = {}): Promise<ToolAuthorization> {
    const { fetch, seal, open } = this;
    const { tools: grants, oauth } = await this.place.open();
    const turns = {
      acquire: (key: string) => oauth.acquireTurn(key, this.now, this.now + 60_000),
      end: (key: string) => oauth.endTurn(key),
    };
    const needs = { fetch, grants, seal, open, now: () => this.now };
    return authorizationFor(this.server, { ...needs, turns: takesTurns ? turns : undefined });
  }

  get signIns() {
    const { seal, open, fetch } = this;
    return toolSignIn({
      store: this.store.tools,
      fetchFor: () => fetch,
      open,
      seal,
      callbackUrl: () => CALLBACK,
      clientUrl: () => null,
      now: () => this.now,
    });
  }

  /** What the browser brings back after the person went where he was sent. */
  async visit(url: string) {
    const page = await globalThis.fetch(url, { redirect: "manual" });
    const query = new URL(page.headers.get("location") ?? "", CALLBACK).searchParams;
    const [state, code, error] = [query.get("state") ?? "", query.get("code"), query.get("error")];
    return { state, code, error, issuer: query.get("iss") };
  }

  async signIn(): Promise<void> {
    const answer = await this.visit(await this.signIns.begin(this.server, "u1", "any_browser"));
    const { kind } = await this.signIns.finish(answer, null);
    if (kind !== "signed_in") throw new Error(`not signed in: ${kind}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.place[Symbol.asyncDispose]();
  }
}

export const failureOf = async (work: Promise<unknown>): Promise<ToolFailure> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
  throw new Error("it went well");
};

/** An answer of the tool server as a transport hands it over. */
export const refusal = (status: number, scope?: string): Response => {
  const error = status === 403 ? ' error="insufficient_scope",' : "";
  const headers = { "www-authenticate": `Bearer realm="x",${error} scope="${scope ?? ""}"` };
  return new Response(null, { status, headers });
};
