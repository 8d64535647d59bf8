import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "#test/flow/browser";
import { CALLBACK, errorOf, OAuthWorld, pkce } from "#test/flow/oauth-world";
import { verifies } from "#test/support/verifies";

const LISTED = "https://inspector.example.com";
const INSPECTOR = "http://localhost:6274";
const FOREIGN = ["https://evil.example", "null", "https://inspector.example.com.evil.example", "http://10.0.0.1:6274"];
const PLACES = [
  "/api/auth/oauth2/register",
  "/api/auth/oauth2/token",
  "/api/auth/oauth2/revoke",
  "/register",
  "/token",
];

let world: OAuthWorld;
let ada: Browser;
beforeAll(async () => {
  world = await OAuthWorld.open({ env: { GUARDHOUSE_TOOL_GATEWAY__ALLOWED_ORIGINS: LISTED } });
  ada = await world.signedIn();
});
afterAll(() => world[Symbol.asyncDispose]());

const corsOf = ({ headers }: Response): (string | null)[] => [
  headers.get("access-control-allow-origin"),
  headers.get("access-control-allow-credentials"),
];

describe("clients that are web pages", () => {
  test("may ask first, where they register and get tokens", async () => {
    verifies("oauth.pages");
    for (const origin of [LISTED, INSPECTOR]) {
      for (const path of PLACES) {
        const headers = {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type,mcp-protocol-version,cookie",
        };
        const answer = await world.hub.fetch(path, { method: "OPTIONS", headers });
        expect([path, answer.status, ...corsOf(answer)]).toEqual([path, 204, origin, null]);
        expect(answer.headers.get("access-control-allow-methods")).toBe("POST");
        expect(answer.headers.get("access-control-allow-headers")).toBe("content-type, mcp-protocol-version");
      }
    }
  });

  test("register, get tokens, renew and give them back, and read what is wrong", async () => {
    verifies("oauth.pages");
    for (const origin of [LISTED, INSPECTOR]) {
      const headers = { origin };
      const callback = `${origin}/oauth/callback`;
      const made = await world.hub.fetch("/api/auth/oauth2/register", { headers, json: { redirect_uris: [callback] } });
      expect([made.status, ...corsOf(made)]).toEqual([201, origin, null]);
      const client = `${Object(await made.json()).client_id}`;
      const { verifier, challenge } = pkce();
      const end = await world.decide(ada, world.query(client, challenge, { redirect_uri: callback }));
      const send = (endpoint: string, fields: Readonly<Record<string, string>>) =>
        world.hub.fetch(`/api/auth/oauth2/${endpoint}`, {
          ...{ method: "POST", headers },
          body: new URLSearchParams({ client_id: client, ...fields }),
        });
      const code = { grant_type: "authorization_code", code: end.searchParams.get("code") ?? "" };
      const wrong = await send("token", { ...code, code_verifier: "x".repeat(43), redirect_uri: `${origin}/other` });
      expect([corsOf(wrong), await errorOf(wrong)]).toEqual([
        [origin, null],
        [400, "invalid_grant"],
      ]);
      const again = await world.decide(ada, world.query(client, challenge, { redirect_uri: callback }));
      const good = { ...code, code: again.searchParams.get("code") ?? "" };
      const got = await send("token", { ...good, code_verifier: verifier, redirect_uri: callback });
      expect([got.status, ...corsOf(got)]).toEqual([200, origin, null]);
      const tokens = Object(await got.json());
      const renewed = await send("token", { grant_type: "refresh_token", refresh_token: `${tokens.refresh_token}` });
      expect([renewed.status, ...corsOf(renewed)]).toEqual([200, origin, null]);
      const { access_token: token } = Object(await renewed.json());
      const call = { headers, token, json: { method: "tools/list" } };
      const listed = await world.hub.fetch("/mcp/gateway", call);
      expect([listed.status, ...corsOf(listed)]).toEqual([200, origin, null]);
      const ended = await send("revoke", { token });
      expect([ended.status, ...corsOf(ended)]).toEqual([200, origin, null]);
      expect((await world.hub.fetch("/mcp/gateway", call)).status).toBe(401);
    }
  });

  test("of other sites get nothing, also not through a user's browser", async () => {
    verifies("oauth.pages");
    const clients = async () => (await world.records("oauth.register")).length;
    const before = await clients();
    for (const origin of FOREIGN) {
      for (const path of PLACES) {
        const asked = { origin, "access-control-request-method": "POST" };
        const preflight = await world.hub.fetch(path, { method: "OPTIONS", headers: asked });
        expect([path, preflight.status, ...corsOf(preflight)]).toEqual([path, 403, null, null]);
        // As a page sends it without asking first.
        const headers = { origin, "content-type": "text/plain" };
        const body = JSON.stringify({ redirect_uris: [CALLBACK] });
        const answer = await world.hub.fetch(path, { method: "POST", headers, body });
        expect([path, await errorOf(answer), ...corsOf(answer)]).toEqual([path, [403, "invalid_request"], null, null]);
      }
    }
    expect(await clients()).toBe(before);
  });

  test("may not consent, nor do what takes a cookie, wherever they are from", async () => {
    verifies("oauth.pages");
    for (const path of ["/api/auth/oauth2/consent", "/api/auth/sign-in", "/api/oauth/clients", "/api/me"]) {
      const headers = { origin: LISTED, "access-control-request-method": "POST" };
      const answer = await ada.send(path, { method: "OPTIONS", headers });
      expect([path, answer.status >= 400, ...corsOf(answer)]).toEqual([path, true, null, null]);
      const read = await ada.send(path, { headers: { origin: LISTED } });
      expect([path, ...corsOf(read)]).toEqual([path, null, null]);
    }
  });
});

test("a parameter without a value is as good as none", async () => {
  verifies("oauth.empty-parameters");
  const client = await world.register();
  const { verifier, challenge } = pkce();
  const empty = { scope: "", resource: "", prompt: "", response_mode: "", request: "" };
  const end = await world.decide(ada, world.query(client, challenge, empty));
  const none = { client_secret: "", client_assertion: "", resource: "", scope: "" };
  const answer = await world.redeem(client, end.searchParams.get("code") ?? "", verifier, none);
  const { access_token, refresh_token } = Object(await answer.json());
  expect(await world.names(`${access_token}`)).toContain("fix__echo");
  expect((await world.refresh(client, `${refresh_token}`, none)).status).toBe(200);
  const secret = await world.refresh(client, `${refresh_token}`, { client_secret: "one" });
  expect(await errorOf(secret)).toEqual([401, "invalid_client"]);
});
