import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isRecord } from "#core/json/json";
import { type Browser, Browser as NewBrowser } from "#test/flow/browser";
import { CALLBACK, errorOf, issuedOf, OAuthWorld, pkce } from "#test/flow/oauth-world";
import { verifies } from "#test/support/verifies";

let world: OAuthWorld;
let ada: Browser;
let client: string;
beforeAll(async () => {
  world = await OAuthWorld.open();
  ada = await world.signedIn();
  client = await world.register();
});
afterAll(() => world[Symbol.asyncDispose]());

const jsonOf = async (answer: Response): Promise<Record<string, unknown>> => {
  const json: unknown = await answer.json();
  return isRecord(json) ? { ...json } : {};
};

describe("OAuth discovery", () => {
  test("a 401 leads to the resource, the resource to the server, everywhere clients look", async () => {
    verifies("oauth.metadata");
    const refused = await world.hub.fetch("/mcp/gateway", { method: "POST" });
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get("www-authenticate") ?? "";
    expect(challenge).toMatch(/^Bearer .*scope="mcp:tools"/);
    const resource = await jsonOf(await fetch(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ""));
    expect(resource).toMatchObject({ resource: world.resource, authorization_servers: [world.issuer] });
    const bodies = new Set<string>();
    for (const name of ["oauth-authorization-server", "openid-configuration"]) {
      for (const path of [`/.well-known/${name}`, `/.well-known/${name}/api/auth`, `/api/auth/.well-known/${name}`]) {
        const answer = await world.hub.fetch(path, { headers: { origin: "https://any.example" } });
        expect([path, answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([path, 200, "*"]);
        bodies.add(await answer.text());
      }
    }
    expect(bodies.size).toBe(1);
    const metadata: unknown = JSON.parse([...bodies][0] ?? "");
    expect(metadata).toMatchObject({
      issuer: world.issuer,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      registration_endpoint: `${world.issuer}/oauth2/register`,
    });
  });

  test("nothing of the library's own addresses", async () => {
    verifies("oauth.closed");
    for (const path of [
      ...["oauth2/create-client", "oauth2/update-client", "oauth2/delete-client", "oauth2/get-clients"],
      ...["oauth2/introspect", "oauth2/userinfo", "oauth2/end-session", "oauth2/continue", "oauth2/public-client"],
      ...["admin/oauth2/create-client", "admin/oauth2/resources", "get-session", "sign-up/email", "sign-in/email"],
      ...["list-sessions", "delete-user", "update-user", "error", "ok", "token", "jwks", "open-session"],
    ]) {
      for (const method of ["GET", "POST"]) {
        const answer = await ada.send(`/api/auth/${path}`, { method });
        expect([path, method, answer.status]).toEqual([path, method, 404]);
      }
    }
  });
});

describe("registering", () => {
  test("is open, small and slow, and never kept", async () => {
    verifies("oauth.register");
    const answer = await world.hub.fetch("/register", { json: { redirect_uris: [CALLBACK] } });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const bad = await world.hub.fetch("/api/auth/oauth2/register", { json: { redirect_uris: ["javascript:1"] } });
    expect(await errorOf(bad)).toEqual([400, "invalid_redirect_uri"]);
    const odd = await world.hub.fetch("/api/auth/oauth2/register", { method: "POST", body: "{" });
    expect(await errorOf(odd)).toEqual([400, "invalid_client_metadata"]);
    const huge = { redirect_uris: [CALLBACK], client_name: "x".repeat(20_000) };
    expect((await world.hub.fetch("/api/auth/oauth2/register", { json: huge })).status).toBe(413);
  });

  test("is refused for a minute after a flood", async () => {
    verifies("oauth.register");
    await using flooded = await OAuthWorld.open();
    const json = { redirect_uris: [CALLBACK] };
    const tries = Array.from({ length: 40 }, () =>
      flooded.hub.fetch("/api/auth/oauth2/register", {
        json,
        headers: { "x-forwarded-for": `10.0.0.${Math.random()}` },
      }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(new Set(statuses)).toEqual(new Set([201, 429]));
  });
});

describe("asking a person", () => {
  test("OAuth authorize without a session leads to sign-in and back", async () => {
    verifies("oauth.consent");
    const stranger = new NewBrowser(world.hub);
    const query = world.query(client, pkce().challenge);
    const answer = await stranger.send(`/authorize?${query}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${world.hub.url}/login?${query}`]);
    const page = await (await stranger.send(`/login?${query}`)).text();
    expect(page).toContain('"api/auth/oauth2/authorize" + location.search');
    expect(page).not.toContain(client);
  });

  test("shows the client and its redirect address on a page without frames or foreign scripts", async () => {
    verifies("oauth.consent");
    const evil = await world.register({ client_name: `<img src=x onerror="x()">`, redirect_uris: [CALLBACK] });
    const page = await ada.send(`/api/auth/oauth2/authorize?${world.query(evil, pkce().challenge)}`);
    const text = await page.text();
    expect(text).toContain("&lt;img src=x onerror=&quot;x()&quot;&gt;");
    expect(text).not.toContain("<img");
    expect(text).toContain("a program on this computer");
    expect(text).toContain('value="fix__echo" checked');
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/default-src 'none'; script-src 'nonce-[^']+'; style-src 'nonce-[^']+'; connect-src 'self'/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers.get("x-frame-options")).toBe("DENY");
  });

  test("every time, whatever the client wants to be spared", async () => {
    verifies("oauth.consent");
    await world.connect(ada, client);
    const { challenge } = pkce();
    const again = await ada.send(`/api/auth/oauth2/authorize?${world.query(client, challenge)}`);
    expect([again.status, again.headers.get("location")]).toEqual([200, null]);
    const silent = await ada.send(`/api/auth/oauth2/authorize?${world.query(client, challenge, { prompt: "none" })}`);
    const end = new URL(silent.headers.get("location") ?? "");
    expect([end.searchParams.get("error"), end.searchParams.get("iss")]).toEqual(["consent_required", world.issuer]);
  });

  test("for the hub's own page only", async () => {
    verifies("oauth.consent");
    const json = { query: world.query(client, pkce().challenge), accept: true, tools: ["*"] };
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1"]) {
      const answer = await ada.send("/api/auth/oauth2/consent", { json, headers: { origin } });
      expect([origin, answer.status]).toEqual([origin, 403]);
    }
    const without = await world.hub.fetch("/api/auth/oauth2/consent", { json, headers: { cookie: ada.cookie } });
    expect(without.status).toBe(403);
    const nobody = await new NewBrowser(world.hub).send("/api/auth/oauth2/consent", { json });
    expect(nobody.status).toBe(401);
    const bad = await ada.send("/api/auth/oauth2/consent", { json: { ...json, tools: ["<b>"] } });
    expect(bad.status).toBe(400);
  });

  test("a no is told to the client, and nothing is granted", async () => {
    verifies("oauth.consent");
    const other = await world.register();
    const end = await world.decide(ada, world.query(other, pkce().challenge), ["*"], false);
    expect(Object.fromEntries(end.searchParams)).toMatchObject({
      error: "access_denied",
      state: "st4te",
      iss: world.issuer,
    });
    expect(await world.records("oauth.deny")).toHaveLength(1);
  });
});

describe("a request that is wrong", () => {
  const outcome = async (wanted: Readonly<Record<string, string | null>>, extra = "") => {
    const query = world.query(client, pkce().challenge, wanted) + extra;
    const answer = await ada.send(`/api/auth/oauth2/authorize?${query}`);
    const location = answer.headers.get("location");
    if (location === null) return answer.status;
    const { searchParams } = new URL(location);
    expect([searchParams.get("iss"), searchParams.get("code")]).toEqual([world.issuer, null]);
    return searchParams.get("error");
  };

  test("goes nowhere when its client or its address is not known", async () => {
    verifies("oauth.redirect");
    for (const redirect_uri of [
      ...["https://evil.example/callback", "http://127.0.0.1:7777/callback/", "http://127.0.0.1:7777/callback?x"],
      ...["http://localhost:7777/callback", "http://127.0.0.1:7777@evil.example/callback", "javascript:alert(1)"],
      ...["http://127.0.0.1:7777/callback#x", "http://127.0.0.1.evil.example/callback", "//evil.example", ""],
    ]) {
      expect([redirect_uri, await outcome({ redirect_uri })]).toEqual([redirect_uri, 400]);
    }
    expect(await outcome({ redirect_uri: null })).toBe(400);
    expect(await outcome({ client_id: "nobody" })).toBe(400);
    expect(await outcome({}, `&redirect_uri=${encodeURIComponent("https://evil.example/")}`)).toBe(400);
    expect(await outcome({}, `&client_id=${client}`)).toBe(400);
  });

  test("is told to the client otherwise", async () => {
    verifies("oauth.pkce", "oauth.audience");
    expect(await outcome({ code_challenge: null })).toBe("invalid_request");
    expect(await outcome({ code_challenge_method: null })).toBe("invalid_request");
    expect(await outcome({ code_challenge_method: "plain" })).toBe("invalid_request");
    expect(await outcome({ response_type: "token" })).toBe("unsupported_response_type");
    expect(await outcome({ response_mode: "fragment" })).toBe("invalid_request");
    expect(await outcome({ request: "eyJ" })).toBe("request_not_supported");
    expect(await outcome({ resource: "https://other.example/mcp" })).toBe("invalid_target");
    expect(await outcome({}, "&resource=https%3A%2F%2Fother.example")).toBe("invalid_target");
    expect(await outcome({}, "&state=2")).toBe("invalid_request");
  });
});

describe("tokens", () => {
  test("open the gateway and nothing else, and never in the address", async () => {
    verifies("oauth.audience");
    const { access } = await world.connect(ada, client);
    expect(access).toMatch(/^gw-at-[A-Za-z]{32}$/);
    expect(await world.names(access)).toContain("fix__echo");
    for (const path of ["/v1/models", "/api/me", "/api/oauth/clients"]) {
      expect([path, (await world.hub.fetch(path, { token: access })).status]).toEqual([path, 401]);
    }
    const asked = await world.hub.fetch(`/mcp/gateway?access_token=${access}`, { json: { method: "tools/list" } });
    expect(asked.status).toBe(401);
  });

  test("are made without a resource parameter for the gateway alone; with slash, port and scopes of other places", async () => {
    verifies("oauth.audience", "oauth.redirect");
    const moved = { resource: null, scope: "openid profile mcp:tools", redirect_uri: "http://127.0.0.1:9999/callback" };
    const { access, refresh } = await world.connect(ada, client, ["*"], moved);
    expect((await world.ask(access)).status).toBe(200);
    const widened = await world.refresh(client, refresh, { resource: "https://other.example/mcp" });
    expect(await errorOf(widened)).toEqual([400, "invalid_target"]);
    const slashed = await world.refresh(client, refresh, { resource: `${world.resource}/`, scope: "mcp:tools" });
    const again = await issuedOf(slashed);
    expect((await issuedOf(await world.refresh(client, again.refresh))).access).toMatch(/^gw-at-/);
  });

  test("are not made of a code that was stolen, changed or used", async () => {
    verifies("oauth.pkce", "oauth.code-once");
    const { verifier, challenge } = pkce();
    const code = async () => (await world.decide(ada, world.query(client, challenge))).searchParams.get("code") ?? "";
    const refused = async (answer: Promise<Response>) => (await errorOf(await answer))[1];
    expect(await refused(world.redeem(client, await code(), pkce().verifier))).toBe("invalid_grant");
    expect(await refused(world.redeem(client, await code(), verifier, { code_verifier: null }))).toBe(
      "invalid_request",
    );
    expect(await refused(world.redeem(await world.register(), await code(), verifier))).toBe("invalid_grant");
    const elsewhere = { redirect_uri: "http://127.0.0.1:7778/callback" };
    expect(await refused(world.redeem(client, await code(), verifier, elsewhere))).toBe("invalid_grant");
    const foreign = { resource: "https://other.example" };
    expect(await refused(world.redeem(client, await code(), verifier, foreign))).toBe("invalid_target");
    expect(await refused(world.redeem("nobody", await code(), verifier))).toBe("invalid_client");
    expect(await refused(world.redeem(client, await code(), verifier, { client_secret: "x" }))).toBe("invalid_client");
    expect(await refused(world.redeem(client, await code(), verifier, { grant_type: "password" }))).toBe(
      "unsupported_grant_type",
    );
    // No secret in a header either, and no parameter twice: two parsers would read two requests.
    const form = { grant_type: "authorization_code", client_id: client, code: await code(), code_verifier: verifier };
    const body = new URLSearchParams({ ...form, redirect_uri: CALLBACK, resource: world.resource });
    const send = (more: RequestInit) => world.hub.fetch("/api/auth/oauth2/token", { method: "POST", body, ...more });
    const headers = { authorization: `Basic ${btoa(`${client}:secret`)}` };
    expect(await refused(send({ headers }))).toBe("invalid_client");
    const other = await world.register();
    for (const twice of [`client_id=${other}`, "grant_type=refresh_token", `code_verifier=${verifier}`]) {
      const twofold = new URLSearchParams(`${body}&${twice}`);
      expect([twice, await refused(send({ body: twofold }))]).toEqual([twice, "invalid_request"]);
    }
    const good = await send({});
    expect([good.status, good.headers.get("cache-control"), good.headers.get("pragma")]).toEqual([
      ...[200, "no-store"],
      "no-cache",
    ]);
  });

  test("of a code that comes twice end at once, however close the two are", async () => {
    verifies("oauth.code-once");
    const { verifier, challenge } = pkce();
    const end = await world.decide(ada, world.query(client, challenge));
    const code = end.searchParams.get("code") ?? "";
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.redeem(client, code, verifier)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
    const good = answers.find(({ status }) => status === 200);
    if (!good) throw new Error("none was good");
    const { access, refresh } = await issuedOf(good);
    expect((await world.ask(access)).status).toBe(401);
    expect(await errorOf(await world.refresh(client, refresh))).toEqual([400, "invalid_grant"]);
  });

  test("with too little in them are asked to step up", async () => {
    verifies("oauth.step-up");
    const { access } = await world.connect(ada, client, ["*"], { scope: "offline_access" });
    const answer = await world.hub.fetch("/mcp/gateway", { token: access, json: { method: "tools/list" } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toMatch(
      /^Bearer .*error="insufficient_scope", scope="mcp:tools", resource_metadata="http/,
    );
  });
});
