import { createHash, randomBytes } from "node:crypto";
import { isRecord, type JsonRecord } from "#core/json/json";
import { Browser } from "#test/flow/browser";
import { Answer } from "#test/flow/tools-world";
import { beside } from "#test/support/database";
import type { HubOptions } from "#test/support/hub";
import { World } from "#test/support/world";

export const ADA = "ada@example.org";
export const PASSWORD = "correct horse battery";
export const CALLBACK = "http://127.0.0.1:7777/callback";

export type Issued = { readonly access: string; readonly refresh: string };
type Wanted = Readonly<Record<string, string | null>>;

/** A hub with an administrator, tools of hers, and programs that want to use them. */
export class OAuthWorld extends World {
  static override async open(options: HubOptions = {}): Promise<OAuthWorld> {
    const seeds = {
      users: { ada: { email: ADA, role: "admin", password: PASSWORD } },
      toolServers: { fix: { owner: "ada" } },
    };
    return new OAuthWorld(await World.made({ ...options, seeds }));
  }

  get resource(): string {
    return `${this.hub.url}/mcp/gateway`;
  }

  /** Of the tool server that stands behind it. */
  get toolsUrl(): string {
    return this.toolServerOf("fix").fixture.url;
  }

  get issuer(): string {
    return `${this.hub.url}/api/auth`;
  }

  async signedIn(): Promise<Browser> {
    const browser = new Browser(this.hub);
    const answer = await browser.signIn(ADA, PASSWORD);
    if (answer.status !== 204) throw new Error(`not signed in: ${answer.status}`);
    return browser;
  }

  /** Somebody else, invited by her, in a browser of their own. */
  async member(email: string): Promise<Browser> {
    const ada = await this.signedIn();
    const made: unknown = await (await ada.send("/api/users", { json: { email, role: "member" } })).json();
    const token = /#(.+)$/.exec(isRecord(made) ? `${made["link"]}` : "")?.[1] ?? "";
    const browser = new Browser(this.hub);
    const accepted = await browser.send("/api/auth/invitation/accept", { json: { token, password: PASSWORD } });
    if (!accepted.ok) throw new Error(`not invited: ${accepted.status}`);
    await browser.signIn(email, PASSWORD);
    if ((await browser.me()) !== email) throw new Error(`${email} is not signed in`);
    return browser;
  }

  async register(body: JsonRecord = { client_name: "Test IDE", redirect_uris: [CALLBACK] }): Promise<string> {
    const answer = await this.hub.fetch("/api/auth/oauth2/register", { json: body });
    const json: unknown = await answer.json();
    if (answer.status !== 201 || !isRecord(json)) throw new Error(`not registered: ${JSON.stringify(json)}`);
    return `${json["client_id"]}`;
  }

  /** What a client asks for; null leaves a parameter out. */
  query(client: string, challenge: string, wanted: Wanted = {}): string {
    const all: Wanted = {
      response_type: "code",
      client_id: client,
      redirect_uri: CALLBACK,
      state: "st4te",
      scope: "mcp:tools",
      code_challenge: challenge,
      code_challenge_method: "S256",
      resource: this.resource,
      ...wanted,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(all)) if (value !== null) query.set(name, value);
    return query.toString();
  }

  /** The person says yes on the page. Gives where the browser is led. */
  async decide(browser: Browser, query: string, tools: readonly string[] = ["*"], accept = true): Promise<URL> {
    const page = await browser.send(`/api/auth/oauth2/authorize?${query}`);
    if (page.status !== 200) throw new Error(`no consent page: ${page.status} ${page.headers.get("location")}`);
    const answer = await browser.send("/api/auth/oauth2/consent", { json: { query, accept, tools } });
    const json: unknown = await answer.json();
    if (answer.status !== 200 || !isRecord(json)) throw new Error(`no decision: ${JSON.stringify(json)}`);
    return new URL(`${json["url"]}`);
  }

  /** From consent to tokens. */
  async connect(browser: Browser, client: string, tools?: readonly string[], wanted?: Wanted): Promise<Issued> {
    const { verifier, challenge } = pkce();
    const end = await this.decide(browser, this.query(client, challenge, wanted), tools);
    const code = end.searchParams.get("code") ?? "";
    const redirect = wanted?.["redirect_uri"] ?? CALLBACK;
    return issuedOf(await this.redeem(client, code, verifier, { redirect_uri: redirect }));
  }

  redeem(client: string, code: string, verifier: string, more: Wanted = {}): Promise<Response> {
    const form = { grant_type: "authorization_code", client_id: client, code, code_verifier: verifier };
    return this.form("token", { ...form, redirect_uri: CALLBACK, resource: this.resource, ...more });
  }

  refresh(client: string, token: string, more: Wanted = {}): Promise<Response> {
    return this.form("token", { grant_type: "refresh_token", client_id: client, refresh_token: token, ...more });
  }

  form(endpoint: string, fields: Wanted): Promise<Response> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) if (value !== null) body.set(name, value);
    return this.hub.fetch(`/api/auth/oauth2/${endpoint}`, { method: "POST", body });
  }

  /** One call of the gateway in its minimal dialect. */
  async ask(token: string, body: JsonRecord = { method: "tools/list" }): Promise<Answer> {
    return Answer.of(await this.hub.fetch("/mcp/gateway", { token, json: body }));
  }

  /** Names of the tools that the token shows. */
  async names(token: string): Promise<string[]> {
    const { status, body } = await this.ask(token);
    if (status !== 200 || !Array.isArray(body["tools"])) throw new Error(`no list: ${status}`);
    return body["tools"].filter(isRecord).map(({ name }) => `${name}`);
  }

  async records(kind: string): Promise<JsonRecord[]> {
    const rows = (await this.hub.cli("audit", "tail", "-n", "500")).json();
    return Array.isArray(rows) ? rows.filter(isRecord).filter((row) => row["kind"] === kind) : [];
  }

  /** Every access token there is has ended, as after eight hours. Refresh tokens have not. */
  endAccessTokens(): void {
    beside(this.hub, (db) => db.run("UPDATE auth_oauth_access_token SET expires_at = 1"));
  }
}

export const pkce = (): { readonly verifier: string; readonly challenge: string } => {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
};

export const issuedOf = async (answer: Response): Promise<Issued> => {
  const json: unknown = await answer.json();
  if (answer.status !== 200 || !isRecord(json)) throw new Error(`no tokens: ${answer.status} ${JSON.stringify(json)}`);
  return { access: `${json["access_token"]}`, refresh: `${json["refresh_token"]}` };
};

/** `[400, "invalid_grant"]`. */
export const errorOf = async (answer: Response): Promise<[number, unknown]> => {
  const json: unknown = await answer.json();
  return [answer.status, isRecord(json) ? json["error"] : null];
};
