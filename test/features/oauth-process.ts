import { createHash } from "node:crypto";
import { ClientDocuments } from "#features/oauth/client-documents";
import { Consents } from "#features/oauth/consents";
import { FixedWindowLimiter, type Pacing } from "#features/oauth/fixed-window-limiter";
import { Registrations } from "#features/oauth/registrations";
import type { Granted } from "#features/oauth/schema";
import { OAuthTokenEndpoint } from "#features/oauth/tokens";
import { betterAuthIdentity } from "#identity/better-auth/index";
import type { Identity } from "#identity/port";
import { OAuthError } from "#model/oauth/error";
import type { User } from "#model/person";
import { urlHash } from "#platform/hash";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import type { SqliteStore } from "#store/sqlite/index";
import type { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import type { DocumentAnswer } from "#upstream/outbound-port";

export const PUBLIC = "http://hub.example:8787";
export const CALLBACK = "http://127.0.0.1/cb";
export const VERIFIER = "v".repeat(43);
const SECRET = "s".repeat(40);
export const ANN: User = {
  id: systemIds(),
  email: "ann@example.org",
  name: null,
  role: "admin",
  state: "active",
  created_at: 1,
};

/** One process of a hub: its own connection, its own engine, and a clock that tests move. */
export class Process {
  later = 0;
  /** What stands at every address of a document. */
  document: DocumentAnswer = { kind: "none", why: "unreachable" };
  readonly now = () => Date.now() + this.later;
  readonly lines: string[] = [];
  readonly registrations: Registrations;
  readonly consents: Consents;
  readonly tokens: OAuthTokenEndpoint;
  /** How often a grant was ended, before it was answered. */
  revoked = 0;
  /** What else happens while the engine makes tokens. */
  meanwhile: () => Promise<unknown> = async () => null;
  private readonly identity;

  private readonly resource;

  constructor(
    readonly store: SqliteStore,
    publicUrl = PUBLIC,
  ) {
    this.resource = `${publicUrl}/mcp/gateway`;
    const log = jsonLog("error", () => {}, Date.now);
    const identity = betterAuthIdentity({ auth: store.auth, secret: SECRET, publicUrl, ids: systemIds, log });
    const tokensFor: Identity["oauth"]["tokensFor"] = async (request) => {
      const answer = await identity.oauth.tokensFor(request);
      await this.meanwhile();
      return answer;
    };
    this.identity = { ...identity, oauth: { ...identity.oauth, tokensFor } };
    const pacing: Pacing = (_scope, most) => new FixedWindowLimiter(this.now, most);
    const basics = {
      pacing,
      store: store.oauth,
      identity: async () => this.identity,
      resource: () => this.resource,
      issuer: () => `${publicUrl}/api/auth`,
      writeRecord: async (line: string) => void this.lines.push(line),
      now: this.now,
      ids: systemIds,
      documents: new ClientDocuments({
        ...{ fetch: async () => this.document, hosts: ["app.example"], pacing, now: this.now, log },
      }),
    };
    this.registrations = new Registrations(basics);
    this.consents = new Consents(basics);
    const onRevoked = () => {
      this.revoked += 1;
    };
    this.tokens = new OAuthTokenEndpoint({ ...basics, onRevoked });
  }

  /** A client that Ann has let in, and its tokens. */
  async connected(): Promise<{ readonly client: string; readonly granted: Granted }> {
    const { client_id } = await this.registrations.register({ redirect_uris: [CALLBACK] }, "net");
    const proof = { how: "password", provedAt: Date.now() };
    const { session, cookies } = await this.identity.signIn(ANN.id, { address: null, userAgent: null }, proof);
    const query = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: CALLBACK,
      code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
      code_challenge_method: "S256",
    });
    const cookie = cookies.map((line) => line.split(";")[0]).join("; ");
    const decision = { query: query.toString(), accept: true, tools: ["*"] };
    const url = new URL(await this.consents.decide({ user: ANN, session }, cookie, decision));
    const code = url.searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", client_id, code, code_verifier: VERIFIER, redirect_uri: CALLBACK };
    return { client: client_id, granted: await this.tokens.grant(new URLSearchParams(form), "net") };
  }

  refresh(client_id: string, refresh_token = ""): Promise<Granted> {
    return this.tokens.grant(new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token }), "net");
  }

  opens({ access_token }: Granted): boolean {
    return (
      this.store.oauth.verifyBearer(urlHash(access_token.slice(6)), this.resource, Date.now() + this.later) !== null
    );
  }
}

export const first = async (place: Place, publicUrl?: string): Promise<Process> => {
  const process = new Process(await place.open(), publicUrl);
  await process.store.users.create(ANN, null, someRecord());
  return process;
};

export const outcomeOf = (work: Promise<Granted>): Promise<Granted | string> =>
  work.catch((error) => (error instanceof OAuthError ? error.code : String(error)));

export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "granted",
    (error) => (error instanceof OAuthError ? error.code : error),
  );
