import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { Browser } from "#test/flow/browser";
import { errorOf, issuedOf, OAuthWorld, pkce } from "#test/flow/oauth-world";
import { beside } from "#test/support/database";
import { verifies } from "#test/support/verifies";

let world: OAuthWorld;
let ada: Browser;
beforeAll(async () => {
  world = await OAuthWorld.open();
  ada = await world.signedIn();
});
afterAll(() => world[Symbol.asyncDispose]());

const statusOf = async (token: string): Promise<number> => (await world.ask(token)).status;

const listOf = async (path: string): Promise<JsonRecord[]> => {
  const json: unknown = await (await ada.send(path)).json();
  return isRecord(json) && Array.isArray(json["data"]) ? json["data"].filter(isRecord) : [];
};

describe("refreshing", () => {
  test("many processes of one client with one refresh token get the same tokens", async () => {
    verifies("oauth.refresh");
    const client = await world.register();
    const { access, refresh } = await world.connect(ada, client);
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.refresh(client, refresh)));
    const issued = await Promise.all(answers.map(issuedOf));
    expect(new Set(issued.map((one) => one.refresh)).size).toBe(1);
    expect(new Set(issued.map((one) => one.access)).size).toBe(1);
    expect(await statusOf(issued[0]?.access ?? "")).toBe(200);
    expect(await statusOf(access)).toBe(200);
    expect((await world.records("oauth.refresh")).length).toBe(8);
  });

  test("is for the client the token was made for", async () => {
    verifies("oauth.refresh");
    const client = await world.register();
    const { refresh, access } = await world.connect(ada, client);
    expect(await errorOf(await world.refresh(await world.register(), refresh))).toEqual([400, "invalid_grant"]);
    for (const made of ["gw-rt-", `gw-rt-${"a".repeat(32)}`, access, "x", refresh.slice(0, -1)]) {
      expect(await errorOf(await world.refresh(client, made))).toEqual([400, "invalid_grant"]);
    }
    expect((await world.refresh(client, refresh)).status).toBe(200);
  });
});

describe("OAuth grants: what ends them", () => {
  test("a revoked grant: every token of it, also of earlier rotations, and of no other", async () => {
    verifies("oauth.revoke");
    const client = await world.register();
    const first = await world.connect(ada, client);
    const second = await issuedOf(await world.refresh(client, first.refresh));
    const other = await world.connect(ada, client);
    const foreign = { client_id: await world.register(), token: second.refresh };
    expect((await world.form("revoke", foreign)).status).toBe(200);
    expect(await statusOf(second.access)).toBe(200);
    expect((await world.form("revoke", { client_id: client, token: second.refresh })).status).toBe(200);
    expect([await statusOf(first.access), await statusOf(second.access)]).toEqual([401, 401]);
    expect((await world.refresh(client, second.refresh)).status).toBe(400);
    expect(await statusOf(other.access)).toBe(200);
    for (const token of [second.refresh, "nothing", `gw-at-${"b".repeat(32)}`]) {
      expect((await world.form("revoke", { client_id: client, token })).status).toBe(200);
    }
    expect(await errorOf(await world.form("revoke", { client_id: client, token: null }))).toEqual([
      400,
      "invalid_request",
    ]);
    expect((await world.form("revoke", { client_id: client, token: other.access })).status).toBe(200);
    expect([await statusOf(other.access), (await world.refresh(client, other.refresh)).status]).toEqual([401, 400]);
  });

  test("a client that its user disconnects", async () => {
    verifies("oauth.revoke");
    const client = await world.register();
    const { access, refresh } = await world.connect(ada, client);
    expect((await listOf("/api/oauth/clients")).find(({ id }) => id === client)).toMatchObject({
      name: "Test IDE",
      connected: true,
      tools: ["*"],
      returns_to: ["a program on this computer"],
    });
    expect((await ada.send(`/api/oauth/clients/${client}`, { method: "DELETE" })).status).toBe(204);
    expect([await statusOf(access), (await world.refresh(client, refresh)).status]).toEqual([401, 400]);
    expect((await ada.send(`/api/oauth/clients/${client}`, { method: "DELETE" })).status).toBe(404);
  });

  test("a code that its client has not used yet when its user disconnects it", async () => {
    verifies("oauth.revoke");
    const client = await world.register();
    const { verifier, challenge } = pkce();
    const end = await world.decide(ada, world.query(client, challenge));
    expect((await ada.send(`/api/oauth/clients/${client}`, { method: "DELETE" })).status).toBe(204);
    const late = await world.redeem(client, end.searchParams.get("code") ?? "", verifier);
    expect(await errorOf(late)).toEqual([400, "invalid_grant"]);
    // Nor does what it would have been made into come back with another consent.
    await world.connect(ada, client);
    const kept = beside(world.hub, (db) =>
      db.query("SELECT count(*) AS n FROM auth_oauth_access_token WHERE client_id = ?").get(client),
    );
    expect(kept).toEqual({ n: 1 });
  });

  test("a client that an administrator disables, for as long as that lasts", async () => {
    verifies("oauth.revoke");
    const client = await world.register();
    const { access, refresh } = await world.connect(ada, client);
    const set = (disabled: boolean) =>
      ada.send(`/api/oauth/all-clients/${client}`, { method: "PATCH", json: { disabled } });
    expect((await set(true)).status).toBe(200);
    expect([await statusOf(access), await errorOf(await world.refresh(client, refresh))]).toEqual([
      401,
      [401, "invalid_client"],
    ]);
    expect((await ada.send(`/api/auth/oauth2/authorize?${world.query(client, "x")}`)).status).toBe(400);
    expect((await set(false)).status).toBe(200);
    expect(await statusOf(access)).toBe(200);
    expect((await listOf("/api/oauth/all-clients")).find(({ id }) => id === client)).toMatchObject({
      state: "active",
      users: [{ tools: ["*"], connected: true }],
    });
  });

  test("signing out of the dashboard is not disconnecting clients", async () => {
    const browser = await world.signedIn();
    const client = await world.register();
    const { refresh } = await world.connect(browser, client);
    expect((await browser.send("/api/auth/sign-out", { method: "POST" })).status).toBe(204);
    const again = await issuedOf(await world.refresh(client, refresh));
    expect(await statusOf(again.access)).toBe(200);
  });
});

describe("OAuth clients: allowed tools", () => {
  test("is what was chosen: listing and calling alike, changed from the next request on", async () => {
    verifies("oauth.allowlist");
    const client = await world.register();
    const { access } = await world.connect(ada, client, ["fix__echo"]);
    const own = "guardhouse__whoami";
    expect((await world.names(access)).filter((name) => name !== own)).toEqual(["fix__echo"]);
    const call = (name: string) =>
      world.ask(access, { method: "tools/call", params: { name, arguments: { text: "x" } } });
    expect((await call("fix__echo")).status).toBe(200);
    expect((await call("fix__add")).status).toBe(404);
    const allow = (tools: readonly string[]) =>
      ada.send(`/api/oauth/clients/${client}`, { method: "PATCH", json: { tools } });
    expect((await allow(["fix__*"])).status).toBe(200);
    expect((await world.names(access)).length).toBeGreaterThan(3);
    expect((await allow([])).status).toBe(200);
    expect((await world.names(access)).filter((name) => name !== own)).toEqual([]);
    expect((await call("fix__echo")).status).toBe(404);
    expect((await allow(["no such thing"])).status).toBe(400);
    const unknown = "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a";
    const missing = await ada.send(`/api/oauth/clients/${unknown}`, { method: "PATCH", json: { tools: [] } });
    expect(missing.status).toBe(404);
  });

  test("is one list for a client and a person: the last word holds", async () => {
    verifies("oauth.allowlist");
    const client = await world.register();
    const narrow = await world.connect(ada, client, []);
    const wide = await world.connect(ada, client, ["*"]);
    // One consent at a time: the last word holds for all that the client has of this user.
    expect(await world.names(narrow.access)).toEqual(await world.names(wide.access));
  });
});

test("all of it is on record, with whose program it was, and without a token", async () => {
  verifies("oauth.recorded");
  const client = await world.register();
  const { access, refresh } = await world.connect(ada, client, ["fix__echo"]);
  const next = await issuedOf(await world.refresh(client, refresh));
  await world.ask(next.access, { method: "tools/call", params: { name: "fix__echo", arguments: { text: "x" } } });
  await world.form("revoke", { client_id: client, token: next.refresh });
  const about = (rows: readonly JsonRecord[]) => rows.filter((row) => JSON.stringify(row).includes(client));
  for (const kind of ["oauth.register", "oauth.consent", "oauth.token", "oauth.refresh", "oauth.revoke", "tool.call"]) {
    expect([kind, about(await world.records(kind)).length > 0]).toEqual([kind, true]);
  }
  const all = JSON.stringify((await world.hub.cli("audit", "tail", "-n", "1000")).json());
  for (const { access: token, refresh: renewing } of [{ access, refresh }, next]) {
    expect([all.includes(token), all.includes(renewing)]).toEqual([false, false]);
  }
  expect(all).not.toMatch(/gw-[ar]t-[A-Za-z]{8}/);
  // The scanner knows them for secrets, like every key of the hub's.
  const scanned = await world.hub.cliWith({ stdin: `my key is ${access} and ${refresh}` }, "scan", "-");
  expect(scanned.stdout).toContain("secret.guardhouse_token");
});
