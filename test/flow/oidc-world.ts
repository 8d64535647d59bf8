import { setDefaultTimeout } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { Browser } from "#test/flow/browser";
import { CLIENT_ID, CLIENT_SECRET, OpenIdServer, VisitorAtProvider } from "#test/flow/openid-provider";
import { Hub } from "#test/support/hub";

setDefaultTimeout(120_000);

export const ADA = "ada@example.org";
export const PASSWORD = "correct horse battery";
type Env = Readonly<Record<string, string>>;

export const oidcEnv = (issuer: string, more: Env = {}): Env => ({
  GUARDHOUSE_ADMIN_EMAIL: ADA,
  GUARDHOUSE_ADMIN_PASSWORD: PASSWORD,
  GUARDHOUSE_TRUSTED_PROXIES: "127.0.0.0/8",
  GUARDHOUSE_OIDC__ISSUER: issuer,
  GUARDHOUSE_OIDC__CLIENT_ID: CLIENT_ID,
  GUARDHOUSE_OIDC__CLIENT_SECRET: CLIENT_SECRET,
  GUARDHOUSE_OIDC__NAME: "Example & Sons",
  GUARDHOUSE_OIDC__ALLOW_PRIVATE: "127.0.0.0/8",
  GUARDHOUSE_OIDC__ALLOWED_DOMAINS: "example.org",
  GUARDHOUSE_OIDC__SCOPES: "openid,email,profile,groups",
  ...more,
});

/** A hub beside a real OpenID provider. */
export class OidcWorld implements AsyncDisposable {
  #visits = 0;

  private constructor(
    readonly hub: Hub,
    readonly provider: OpenIdServer,
  ) {}

  static async open(env: Env = {}): Promise<OidcWorld> {
    const provider = await OpenIdServer.start();
    const hub = await Hub.started({ env: oidcEnv(provider.issuer, env) });
    await provider.register(hub.url);
    return new OidcWorld(hub, provider);
  }

  /** From the hub's button to the address the provider leads back to. */
  async toCallback(browser: Browser, account: string, from = "/api/auth/oidc", at = new VisitorAtProvider()) {
    const begun = await browser.send(from);
    const end = await at.goes(begun.headers.get("location") ?? "", account);
    if (end.origin !== this.hub.url) throw new Error(`led to ${end.origin}`);
    return end.pathname + end.search;
  }

  /** All the way. Gives where the hub leads to in the end. */
  async signIn(browser: Browser, account: string, from?: string, at?: VisitorAtProvider): Promise<string> {
    // Each from elsewhere, or the hub would have them wait: there are many who fail here.
    this.#visits += 1;
    const headers = { "x-forwarded-for": `203.0.113.${this.#visits}` };
    const answer = await browser.send(await this.toCallback(browser, account, from, at), { headers });
    return `${answer.headers.get("location")}`.replace(this.hub.url, "");
  }

  records(kind: string): Promise<JsonRecord[]> {
    return recordsOf(this.hub, kind);
  }

  async roleOf(browser: Browser): Promise<unknown> {
    const me: unknown = await (await browser.send("/api/me")).json();
    return isRecord(me) && isRecord(me["user"]) ? me["user"]["role"] : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    await this.provider[Symbol.asyncDispose]();
  }
}

/** Oldest first. */
export const recordsOf = async (hub: Hub, kind: string): Promise<JsonRecord[]> => {
  const rows = (await hub.cli("audit", "tail", "-n", "500")).json();
  const list = Array.isArray(rows) ? rows.filter(isRecord).filter((row) => row["kind"] === kind) : [];
  return list.toReversed();
};

/** The details of a record of a change. */
export const detailOf = (record: JsonRecord | undefined): JsonRecord => {
  const change = record?.["change"];
  const detail = isRecord(change) ? change["detail"] : null;
  return isRecord(detail) ? detail : {};
};
