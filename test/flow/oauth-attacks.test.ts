import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import { type Browser, Browser as NewBrowser } from "#test/flow/browser";
import { CALLBACK, errorOf, issuedOf, OAuthWorld, pkce } from "#test/flow/oauth-world";
import { McpFixture } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";

const BOB = "bob@example.org";
const OWN = "guardhouse__whoami";

let world: OAuthWorld;
let fixture: McpFixture;
let ada: Browser;
let bob: Browser;
beforeAll(async () => {
  world = await OAuthWorld.open({ env: { GUARDHOUSE_TRUSTED_PROXIES: "127.0.0.0/8" } });
  fixture = McpFixture.start();
  ada = await world.signedIn();
  bob = await world.member(BOB);
  await world.hub.addToolServer("desk", { owner: BOB, url: fixture.url });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

const dataOf = async (browser: Browser, path: string): Promise<JsonRecord[]> => {
  const answer = await browser.send(path);
  const json: unknown = await answer.json();
  if (answer.status !== 200 || !isRecord(json) || !Array.isArray(json["data"])) {
    throw new Error(`no list at ${path}: ${answer.status}`);
  }
  return json["data"].filter(isRecord);
};

const statusOf = async (browser: Browser, method: string, path: string, json?: JsonRecord): Promise<number> =>
  (await browser.send(path, { method, ...(json && { json }) })).status;

/** As a browser reads text between tags. */
const asRead = (html: string): string =>
  [
    ["&lt;", "<"],
    ["&gt;", ">"],
    ["&quot;", '"'],
    ["&#39;", "'"],
    ["&amp;", "&"],
  ].reduce((text, [name = "", character = ""]) => text.replaceAll(name, character), html);

describe("OAuth attacks: client registration", () => {
  test.each([
    `"><script>alert(1)</script>`,
    `' onmouseover='alert(1)`,
    `</title></h1><svg/onload=alert(1)>`,
    `\u{202e}evil\u{2066}\u0000\u200b<b>`,
    "&lt;script&gt;&#x3c;img&#x3e;",
    "{{7*7}}<%= 1 %>",
  ])("is text on the page, and no more of it than its name (%#)", async (client_name) => {
    verifies("oauth.consent");
    const marked = "https://marked.example/";
    const more = {
      client_uri: `${marked}a`,
      logo_uri: `${marked}b`,
      tos_uri: "javascript:alert(2)",
      contacts: [marked],
    };
    const client = await world.register({ client_name, redirect_uris: [CALLBACK], ...more });
    const page = await ada.send(`/api/auth/oauth2/authorize?${world.query(client, pkce().challenge)}`);
    const text = await page.text();
    const shown = /An app named <b>“([\s\S]*?)”<\/b>/.exec(text)?.[1] ?? "";
    expect(shown).not.toBe("");
    expect(shown).not.toMatch(/[<>"']|[\p{Cf}\p{Cc}]/u);
    // Read by a browser it is what the client said, no more and no less.
    const said = client_name.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
    expect(asRead(shown)).toBe(said);
    for (const hidden of ["marked.example", "alert(2)"]) expect(text).not.toContain(hidden);
  });
});

describe("a site that anybody may have registered", () => {
  const SITE = "https://collector.example/landing";
  const MISTAKES = [
    { response_type: "token" },
    { prompt: "none" },
    { code_challenge_method: "plain" },
    { resource: SITE },
    { request: "eyJ" },
  ];

  test("redirects of clients not authorized yet are not followed for invalid requests", async () => {
    verifies("oauth.redirect", "sign-in.no-redirect");
    const client = await world.register({ redirect_uris: [SITE, CALLBACK] });
    const landing = async (browser: Browser, wanted: Readonly<Record<string, string>>) => {
      const query = world.query(client, pkce().challenge, { redirect_uri: SITE, ...wanted });
      const answer = await browser.send(`/authorize?${query}`);
      const to = answer.headers.get("location");
      return [answer.status, to === null ? await answer.text() : to.slice(0, to.indexOf("?"))];
    };
    for (const wanted of MISTAKES) {
      expect(await landing(new NewBrowser(world.hub), wanted)).toEqual([302, `${world.hub.url}/login`]);
      const [status, text = ""] = await landing(ada, wanted);
      expect([status, text]).toEqual([400, expect.stringContaining("you are not sent to its site")]);
      expect(text).not.toContain("collector.example");
      // To a program on this computer the mistake is told at once, as before.
      expect(await landing(ada, { ...wanted, redirect_uri: CALLBACK })).toEqual([302, CALLBACK]);
      const query = world.query(client, pkce().challenge, { redirect_uri: SITE, ...wanted });
      const posted = await ada.send("/api/auth/oauth2/consent", { json: { query, accept: true, tools: [] } });
      expect(posted.status).toBe(400);
    }
    await world.connect(ada, client, [], { redirect_uri: SITE });
    for (const wanted of MISTAKES) expect(await landing(ada, wanted)).toEqual([302, SITE]);
    // What she has let in, he has not.
    expect((await landing(bob, { prompt: "none" }))[0]).toBe(400);
    expect(await statusOf(ada, "DELETE", `/api/oauth/clients/${client}`)).toBe(204);
    expect((await landing(ada, { prompt: "none" }))[0]).toBe(400);
  });
});

describe("a token with too little in it", () => {
  test("becomes no wider by refreshing; a new consent makes a new one, and the old one stays what it was", async () => {
    verifies("oauth.step-up", "oauth.consent");
    const client = await world.register();
    const narrow = await world.connect(ada, client, ["*"], { scope: "offline_access" });
    expect((await world.ask(narrow.access)).status).toBe(403);
    const asked = await world.refresh(client, narrow.refresh, { scope: "mcp:tools offline_access" });
    expect(await errorOf(asked)).toEqual([400, "invalid_scope"]);
    const same = await issuedOf(await world.refresh(client, narrow.refresh));
    expect((await world.ask(same.access)).status).toBe(403);
    const page = await ada.send(`/api/auth/oauth2/authorize?${world.query(client, pkce().challenge)}`);
    expect([page.status, page.headers.get("location")]).toEqual([200, null]);
    const wide = await world.connect(ada, client, ["*"], { scope: "mcp:tools" });
    expect((await world.ask(wide.access)).status).toBe(200);
    expect((await world.ask(same.access)).status).toBe(403);
    const later = await issuedOf(await world.refresh(client, same.refresh));
    expect((await world.ask(later.access)).status).toBe(403);
  });
});

describe("one client, two people", () => {
  test("each list is its person's alone, and nothing a request says makes it another's", async () => {
    verifies("oauth.allowlist", "oauth.isolation");
    const client = await world.register();
    const hers = await world.connect(ada, client, ["fix__echo"]);
    const his = await world.connect(bob, client, ["*", "fix__*", "fix__echo"]);
    const herNames = (await world.names(hers.access)).filter((name) => name !== OWN);
    expect(herNames).toEqual(["fix__echo"]);
    const hisNames = (await world.names(his.access)).filter((name) => name !== OWN);
    expect(hisNames.length).toBeGreaterThan(3);
    expect(hisNames.every((name) => name.startsWith("desk__"))).toBe(true);
    const call = async (token: string, name: string, more: JsonRecord = {}) =>
      (await world.ask(token, { method: "tools/call", params: { name, arguments: { text: "x" }, ...more } })).status;
    for (const name of [
      ...["fix__add", "FIX__ECHO", "fix__ECHO", "fix__echo ", " fix__echo", "fix__echo\u0000", "fix__*", "*", "fix__"],
      ...["fix__echo/../add", "fix__echo,fix__add", "fix__fix__add", "__proto__", "constructor", "fix__e\u0301cho"],
      ...hisNames.slice(0, 2),
    ]) {
      expect([name, await call(hers.access, name)]).toEqual([name, 404]);
    }
    const claims = { tools: ["*"], client_id: client, user: BOB, _meta: { client_id: client, tools: ["*"] } };
    expect(await call(hers.access, "fix__add", claims)).toBe(404);
    expect(await call(hers.access, "fix__echo", claims)).toBe(200);
    for (const name of herNames) expect(await call(his.access, name)).toBe(404);
    // He changes and ends his own; hers stays.
    expect(await statusOf(bob, "PATCH", `/api/oauth/clients/${client}`, { tools: [] })).toBe(200);
    expect((await world.names(his.access)).filter((name) => name !== OWN)).toEqual([]);
    expect((await world.names(hers.access)).filter((name) => name !== OWN)).toEqual(["fix__echo"]);
    expect(await statusOf(bob, "DELETE", `/api/oauth/clients/${client}`)).toBe(204);
    expect([(await world.ask(his.access)).status, (await world.ask(hers.access)).status]).toEqual([401, 200]);
    expect((await world.refresh(client, hers.refresh)).status).toBe(200);
  });

  test("another client of the same person gets no part of it", async () => {
    verifies("oauth.allowlist");
    const [one, two] = [await world.register(), await world.register()];
    await world.connect(ada, one, ["*"]);
    const narrow = await world.connect(ada, two, []);
    expect((await world.names(narrow.access)).filter((name) => name !== OWN)).toEqual([]);
    expect(await errorOf(await world.refresh(one, narrow.refresh))).toEqual([400, "invalid_grant"]);
    await world.form("revoke", { client_id: one, token: narrow.refresh });
    expect((await world.ask(narrow.access)).status).toBe(200);
  });
});

describe("one person's things", () => {
  test("are not there for another, whatever they are asked by", async () => {
    verifies("oauth.isolation");
    const client = await world.register();
    const { access, refresh } = await world.connect(ada, client);
    const token = await world.hub.createToken("ada@example.org");
    const [session] = await dataOf(ada, "/api/me/sessions");
    const [server] = await dataOf(ada, "/api/tool-servers");
    const ids = { client, token: token.id, session: `${session?.["id"]}`, server: `${server?.["id"]}` };
    for (const path of ["/api/oauth/clients", "/api/tokens", "/api/me/sessions", "/api/tool-servers"]) {
      const seen = JSON.stringify(await dataOf(bob, path));
      for (const id of [...Object.values(ids), "ada@example.org"])
        expect([path, id, seen.includes(id)]).toEqual([path, id, false]);
    }
    const tries: readonly (readonly [string, string, JsonRecord?])[] = [
      ["PATCH", `/api/oauth/clients/${ids.client}`, { tools: [] }],
      ["DELETE", `/api/oauth/clients/${ids.client}`],
      ["GET", "/api/oauth/all-clients"],
      ["PATCH", `/api/oauth/all-clients/${ids.client}`, { disabled: true }],
      ["GET", `/api/tokens/${ids.token}`],
      ["POST", `/api/tokens/${ids.token}/disable`, {}],
      ["POST", `/api/tokens/${ids.token}/revoke`, {}],
      ["POST", `/api/tokens/${ids.token}/rotate`, {}],
      ["DELETE", `/api/me/sessions/${ids.session}`],
      ["GET", `/api/tool-servers/${ids.server}`],
      ["PATCH", `/api/tool-servers/${ids.server}`, { active: false }],
      ["DELETE", `/api/tool-servers/${ids.server}`],
      ["POST", `/api/tool-servers/${ids.server}/test`, {}],
      ["POST", `/api/tool-servers/${ids.server}/authorize`, {}],
    ];
    for (const [method, path, json] of tries) {
      const status = await statusOf(bob, method, path, json);
      expect([method, path, [400, 403, 404].includes(status) ? "refused" : status]).toEqual([method, path, "refused"]);
    }
    // All of it is hers still.
    expect(await ada.me()).toBe("ada@example.org");
    expect((await world.ask(access)).status).toBe(200);
    expect((await world.ask(token.token)).status).toBe(200);
    expect((await world.refresh(client, refresh)).status).toBe(200);
    expect(await statusOf(ada, "GET", `/api/tool-servers/${ids.server}`)).toBe(200);
  });
});

// Last: for a minute after it nobody registers.
test("registrations are limited in number, without effect on authorized clients", async () => {
  verifies("oauth.register");
  // Its minute begins with the first: who registered before is forgotten.
  await world.hub.restart();
  const client = await world.register();
  const { access, refresh } = await world.connect(ada, client);
  const before = (await allClients()).length;
  const flood = Array.from({ length: 400 }, (_, at) =>
    world.hub.fetch("/api/auth/oauth2/register", {
      json: { redirect_uris: [CALLBACK], client_name: "x".repeat(10_000) },
      headers: { "x-forwarded-for": `203.0.${at % 256}.${Math.floor(at / 256)}` },
    }),
  );
  const calls = Array.from({ length: 20 }, () => world.ask(access));
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
  const made = statuses.filter((status) => status === 201).length;
  expect(made).toBeLessThanOrEqual(200);
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
  expect((await world.refresh(client, refresh)).status).toBe(200);
  const rows = await allClients();
  expect(rows.length - before).toBe(made);
  for (const row of rows) expect(`${row["name"]}`.length).toBeLessThanOrEqual(80);
});

/** Over all pages. */
const allClients = async (): Promise<JsonRecord[]> => {
  const rows: JsonRecord[] = [];
  for (let cursor = ""; ; ) {
    const page = await dataOf(ada, `/api/oauth/all-clients?limit=100${cursor}`);
    rows.push(...page);
    if (page.length < 100) return rows;
    cursor = `&cursor=${page.at(-1)?.["id"]}`;
  }
};
