import { describe, expect, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import { endSessionAddress } from "#model/oidc";
import { Browser } from "#test/flow/browser";
import { ADA, OidcWorld, oidcEnv, PASSWORD } from "#test/flow/oidc-world";
import { OpenIdServer, VisitorAtProvider } from "#test/flow/openid-provider";
import { beside } from "#test/support/database";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

/* Against oidc-provider in a process of its own, and against documents that no good provider would serve. */

const verified = { email: ADA, email_verified: true };

/** Signs out at the hub. Gives the status and where the hub wants the browser to go on; null for nowhere. */
const signOut = async (browser: Browser): Promise<[number, URL | null]> => {
  const answer = await browser.send("/api/auth/sign-out", { method: "POST" });
  const text = await answer.text();
  const body: unknown = text === "" ? null : JSON.parse(text);
  const place = isRecord(body) ? body["provider_sign_out"] : null;
  return [answer.status, typeof place === "string" ? new URL(place) : null];
};

test("signing out ends the session at the provider too: the next sign-in asks again", async () => {
  verifies("oidc.sign-out");
  await using world = await OidcWorld.open();
  const { hub, provider } = world;
  await provider.says("ada", verified);
  const at = new VisitorAtProvider();
  const ada = new Browser(hub);
  await world.signIn(ada, "ada", undefined, at);
  const asked = at.asked;
  expect(asked).toBeGreaterThan(0);
  // As long as the session there lives, it comes in without a question.
  await world.signIn(ada, "ada", undefined, at);
  expect(at.asked).toBe(asked);
  const cookie = ada.cookie;
  const [status, place] = await signOut(ada);
  // The hub's own session is over before the browser goes anywhere.
  const old = new Browser(hub);
  old.cookie = cookie;
  expect([ada.cookie, await old.me()]).toEqual(["", null]);
  expect([status, place?.origin, place?.pathname]).toEqual([200, provider.issuer, "/session/end"]);
  expect(Object.fromEntries(place?.searchParams ?? [])).toEqual({
    client_id: "guardhouse",
    post_logout_redirect_uri: `${hub.url}/login`,
  });
  expect((await at.signsOut(place?.href ?? "")).href).toBe(`${hub.url}/login`);
  await world.signIn(ada, "ada", undefined, at);
  expect(at.asked).toBeGreaterThan(asked);
  expect(await ada.me()).toBe(ADA);
  expect(await world.records("auth.sign_out")).toHaveLength(1);
  expect((await hub.cli("audit", "verify")).code).toBe(0);
});

test("provider sign-out only for sessions that began at the provider", async () => {
  verifies("oidc.sign-out", "sign-in.origin");
  await using world = await OidcWorld.open();
  const { hub, provider } = world;
  const ada = new Browser(hub);
  await ada.signIn(ADA, PASSWORD);
  expect(await signOut(ada)).toEqual([204, null]);
  expect(await signOut(ada)).toEqual([204, null]);
  // One after the other in one browser: the session that ends is what counts.
  await provider.says("ada", verified);
  await world.signIn(ada, "ada");
  await ada.signIn(ADA, PASSWORD);
  expect(await signOut(ada)).toEqual([204, null]);
  await world.signIn(ada, "ada");
  const foreign = { method: "POST", headers: { origin: "https://evil.test" } };
  expect((await ada.send("/api/auth/sign-out", foreign)).status).toBe(403);
  expect(await ada.me()).toBe(ADA);
});

test("oidc.sign_out = hub leaves the provider's session alone", async () => {
  verifies("oidc.sign-out");
  await using world = await OidcWorld.open({ GUARDHOUSE_OIDC__SIGN_OUT: "hub" });
  await world.provider.says("ada", verified);
  const ada = new Browser(world.hub);
  await world.signIn(ada, "ada");
  expect(await signOut(ada)).toEqual([204, null]);
  expect(await ada.me()).toBeNull();
});

/** Stands before a real provider, and writes `document` over what its discovery document says. */
class DocumentEditor implements AsyncDisposable {
  document: JsonRecord = {};
  isDown = false;
  readonly #server: Bun.Server<undefined>;

  constructor(private readonly issuer: string) {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async #answer(request: Request): Promise<Response> {
    if (this.isDown) return new Response("down", { status: 503 });
    const { pathname } = new URL(request.url);
    const text = await (await fetch(`${this.issuer}${pathname}`)).text();
    const document: unknown = JSON.parse(text);
    return Response.json({ ...(isRecord(document) ? document : {}), ...this.document });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

describe("sign-out endpoint from the provider's document", () => {
  const refused: readonly unknown[] = [
    undefined,
    null,
    7,
    "",
    "/session/end",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://127.0.0.1/x",
    "https://user:secret@login.example.org/end",
    "not a url",
  ];

  test("only http addresses without credentials are gone to; what it says of them stays", async () => {
    verifies("oidc.sign-out", "oidc.no-redirect");
    const params = { clientId: "hub & co", returnTo: "https://hub.example.org/login" };
    for (const endpoint of refused) expect(endSessionAddress(endpoint, ["https:", "http:"], params)).toBeNull();
    expect(endSessionAddress("http://login.example.org/end", ["https:"], params)).toBeNull();
    const place = new URL(endSessionAddress("https://login.example.org/end?p=b2c#x", ["https:"], params) ?? "");
    expect([place.origin, place.pathname, place.hash]).toEqual(["https://login.example.org", "/end", ""]);
    expect(Object.fromEntries(place.searchParams)).toEqual({
      ...{ p: "b2c", client_id: "hub & co" },
      post_logout_redirect_uri: "https://hub.example.org/login",
    });
  });
});

test("a missing, invalid or unreachable endpoint still ends the hub's session", async () => {
  verifies("oidc.sign-out");
  await using provider = await OpenIdServer.start();
  await using editor = new DocumentEditor(provider.issuer);
  const env = oidcEnv(provider.issuer);
  const endpoint = `${provider.issuer}/session/end`;
  for (const [named, isDown, expected] of [
    [endpoint, false, 200],
    [undefined, false, 204],
    ["javascript:alert(1)", false, 204],
    [endpoint, true, 204],
  ] as const) {
    editor.document = { issuer: editor.url, end_session_endpoint: named };
    editor.isDown = isDown;
    await using hub = await Hub.started({ env: { ...env, GUARDHOUSE_OIDC__ISSUER: editor.url } });
    const ada = new Browser(hub);
    await ada.signIn(ADA, PASSWORD);
    // As if the session had begun at the provider: nobody can sign in there by a document that was changed.
    beside(hub, (db) => db.run("UPDATE auth_session SET signed_in_by = 'oidc'"));
    expect((await signOut(ada))[0]).toBe(expected);
    expect(await ada.me()).toBeNull();
  }
});
