import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { JsonRecord } from "#core/json/json";

/** What it says and does; each test changes what it is about. */
export type Script = {
  /** Put over the claims of a good ID token; undefined takes one away. */
  claims: JsonRecord;
  /** Put over the discovery document. */
  document: JsonRecord;
  /** What the ID token is signed with. */
  signing: "own key" | "another key" | "no key" | "the client's secret";
  /** Of the discovery document. */
  status: number;
  /** Of the userinfo endpoint; null for none. */
  info: JsonRecord | null;
  /** Put over the header of the ID token. */
  header?: JsonRecord;
  /** The path that answers without end instead. */
  endless?: string;
};

type Sent = { readonly path: string; readonly authorization: string; readonly form: URLSearchParams };

const ACCESS_TOKEN = "access-token-that-nobody-keeps";
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const JSON_TYPE = { "content-type": "application/json" };
const pair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

/** JSON that never begins. */
const spaces = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) });

/** An OpenID provider on the real wire that does as it is told, wrongly too. */
export class ScriptedOpenId implements AsyncDisposable {
  script: Script = { claims: {}, document: {}, signing: "own key", status: 200, info: null };
  /** Everything that the hub sent. */
  readonly sent: Sent[] = [];
  #keys = pair();
  #kid = 1;
  readonly #others = pair();
  readonly #nonces = new Map<string, string>();
  readonly #challenges = new Map<string, string>();
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });
  readonly accessToken = ACCESS_TOKEN;

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Signs with a new key from now on, and publishes that one only. */
  rotate(): void {
    this.#keys = pair();
    this.#kid += 1;
  }

  /** How often it was asked for its keys. */
  get keyFetches(): number {
    return this.sent.filter(({ path }) => path === "/jwks").length;
  }

  /** Somebody signs in at it: the code that the browser brings back. */
  codeFor(authorizationUrl: string): { readonly code: string; readonly state: string } {
    const { searchParams } = new URL(authorizationUrl);
    const code = `code-${crypto.randomUUID()}`;
    this.#nonces.set(code, searchParams.get("nonce") ?? "");
    this.#challenges.set(code, searchParams.get("code_challenge") ?? "");
    return { code, state: searchParams.get("state") ?? "" };
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    const form = new URLSearchParams(await request.text());
    this.sent.push({ path, authorization: request.headers.get("authorization") ?? "", form });
    if (path === this.script.endless) return new Response(spaces(), { headers: JSON_TYPE });
    if (path === "/.well-known/openid-configuration") {
      return Response.json(this.#document(), { status: this.script.status });
    }
    if (path === "/jwks") {
      const jwk = this.#keys.publicKey.export({ format: "jwk" });
      return Response.json({ keys: [{ ...jwk, kid: `k${this.#kid}`, use: "sig", alg: "RS256" }] });
    }
    if (path === "/info" && this.script.info) return Response.json(this.script.info);
    if (path === "/token") return this.#tokens(form);
    return new Response(null, { status: 404 });
  }

  #document(): JsonRecord {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ["RS256"],
      ...(this.script.info && { userinfo_endpoint: `${issuer}/info` }),
      ...this.script.document,
    };
  }

  #tokens(form: URLSearchParams): Response {
    const code = form.get("code") ?? "";
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (proof !== this.#challenges.get(code)) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      ...{ iss: this.issuer, sub: "subject-1", aud: "guardhouse", iat: now, exp: now + 300 },
      ...{ nonce: this.#nonces.get(code), email: "ada@example.org", email_verified: true },
      ...this.script.claims,
    };
    const id_token = this.#signed(claims);
    return Response.json({ access_token: ACCESS_TOKEN, token_type: "Bearer", expires_in: 300, id_token });
  }

  #signed(claims: object): string {
    const { signing } = this.script;
    const alg = signing === "no key" ? "none" : signing === "the client's secret" ? "HS256" : "RS256";
    const text = `${encoded({ alg, kid: `k${this.#kid}`, ...this.script.header })}.${encoded(claims)}`;
    const by = (key: KeyObject) => sign("sha256", Buffer.from(text), key).toString("base64url");
    if (signing === "no key") return `${text}.`;
    if (signing === "the client's secret") {
      return `${text}.${createHmac("sha256", "s3cret-of-the-hub-at-the-provider").update(text).digest("base64url")}`;
    }
    return `${text}.${by(signing === "own key" ? this.#keys.privateKey : this.#others.privateKey)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
