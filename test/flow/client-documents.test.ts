import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { Browser } from "#test/flow/browser";
import { Browser as NewBrowser } from "#test/flow/browser";
import { errorOf, issuedOf, OAuthWorld, pkce } from "#test/flow/oauth-world";
import { selfSigned } from "#test/support/certificate";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata";
const CALLBACK = "http://localhost:3118/callback";

/** A host that serves documents, and what it says of itself; the hub under test trusts its certificate. */
const CERTIFICATE = selfSigned("localhost");
const asked: string[] = [];
let answer: (path: string) => Response | Promise<Response>;
let site: Bun.Server<undefined>;
let world: OAuthWorld;
let ada: Browser;

const urlOf = (path = "/client.json"): string => `https://localhost:${site.port}${path}`;

const describing = (fields: JsonRecord = {}, path?: string): JsonRecord => ({
  client_id: urlOf(path),
  client_name: "Field Notes",
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: "none",
  ...fields,
});

beforeAll(async () => {
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: CERTIFICATE,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      return answer(pathname);
    },
  });
  const trusting = await Hub.create();
  const ca = await trusting.writeFile(CERTIFICATE.cert);
  world = await OAuthWorld.open({
    processes: "hub",
    env: {
      NODE_EXTRA_CA_CERTS: ca,
      GUARDHOUSE_OAUTH__CLIENT_DOCUMENTS: `localhost:${site.port},localhost:1,files.example`,
      GUARDHOUSE_OAUTH__ALLOW_PRIVATE: "127.0.0.0/8,::1/128",
    },
  });
  ada = await world.signedIn();
});
beforeEach(() => {
  answer = () => Response.json(describing());
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  site?.stop(true);
});

const authorize = (browser: Browser, client: string, redirect_uri = CALLBACK): Promise<Response> =>
  browser.send(`/api/auth/oauth2/authorize?${world.query(client, pkce().challenge, { redirect_uri })}`);

/** The words of the page that leads nowhere. */
const refusedPage = async (client: string, redirect?: string): Promise<string> => {
  const page = await authorize(ada, client, redirect);
  expect([client, page.status, page.headers.get("location")]).toEqual([client, 400, null]);
  return /<h1>This app cannot be connected<\/h1>([\s\S]*?)<\/main>/.exec(await page.text())?.[1] ?? "another page";
};

const listOf = async (path: string): Promise<JsonRecord[]> => {
  const json: unknown = await (await ada.send(path)).json();
  return isRecord(json) && Array.isArray(json["data"]) ? json["data"].filter(isRecord) : [];
};

describe("a program that is known everywhere", () => {
  test("signs in by the copy of its document, on any port of this machine, refreshes and is disconnected", async () => {
    verifies("oauth.documents");
    const before = asked.length;
    for (const redirect_uri of [CALLBACK, "http://127.0.0.1:50123/callback", "http://localhost/callback"]) {
      const { access, refresh } = await world.connect(ada, CLAUDE_CODE, ["fix__echo"], { redirect_uri });
      expect(await world.names(access)).toContain("fix__echo");
      const next = await issuedOf(await world.refresh(CLAUDE_CODE, refresh));
      expect((await world.ask(next.access)).status).toBe(200);
    }
    expect(asked.length).toBe(before);
    const [mine] = (await listOf("/api/oauth/clients")).filter(({ client_id }) => client_id === CLAUDE_CODE);
    expect(mine).toMatchObject({
      name: "Claude Code",
      described_by: "claude.ai",
      connected: true,
      tools: ["fix__echo"],
    });
    const path = `/api/oauth/clients/${mine?.["id"]}`;
    expect(path).toMatch(/^\/api\/oauth\/clients\/[0-9a-f-]{36}$/);
    expect((await ada.send(path, { method: "PATCH", json: { tools: ["fix__*"] } })).status).toBe(200);
    expect((await ada.send(path, { method: "DELETE" })).status).toBe(204);
    expect((await listOf("/api/oauth/clients")).some(({ client_id }) => client_id === CLAUDE_CODE)).toBe(false);
    expect(
      (await world.records("oauth.document")).filter((row) => JSON.stringify(row).includes(CLAUDE_CODE)),
    ).toHaveLength(1);
  });

  test("returns where its document says and nowhere else", async () => {
    verifies("oauth.documents", "oauth.redirect");
    for (const redirect of [
      ...["http://localhost:3118/other", "http://localhost:3118/callback/", "http://[::1]:3118/callback"],
      ...["https://localhost/callback", "https://claude.ai/callback", "http://localhost.evil.example/callback"],
      ...["claude:/callback", "http://localhost:3118/callback?x=1", "http://127.0.0.2:3118/callback"],
    ]) {
      await refusedPage(CLAUDE_CODE, redirect);
    }
    // Where nothing is this machine's, the port counts.
    await refusedPage("https://vscode.dev/oauth/client-metadata.json", "https://vscode.dev:444/redirect");
    expect(
      (await authorize(ada, "https://vscode.dev/oauth/client-metadata.json", "https://vscode.dev/redirect")).status,
    ).toBe(200);
  });

  test("is known by its id letter by letter", async () => {
    verifies("oauth.documents-unknown", "oauth.documents-guarded");
    for (const id of [
      ...[`${CLAUDE_CODE}/`, `${CLAUDE_CODE}?`, `${CLAUDE_CODE}#`, CLAUDE_CODE.replace("claude.ai", "CLAUDE.ai")],
      ...[CLAUDE_CODE.replace("claude.ai", "claude.ai:443"), CLAUDE_CODE.replace("https:", "http:")],
      ...[CLAUDE_CODE.replace("/oauth/", "/./oauth/"), CLAUDE_CODE.replace("/oauth/", "/x/%2e%2e/oauth/")],
      ...[CLAUDE_CODE.replace("//", "//x@"), CLAUDE_CODE.replace("//", "//@"), CLAUDE_CODE.replace("ai/", "ai./")],
    ]) {
      await refusedPage(id);
    }
  });

  test("stands in lists in its place, page by page", async () => {
    verifies("oauth.documents");
    const opencode = "https://opencode.ai/oauth/opencode/client.json";
    const older = await world.register();
    await world.connect(ada, older);
    await world.connect(ada, opencode, ["*"], { redirect_uri: "http://localhost:9/callback" });
    const newer = await world.register();
    await world.connect(ada, newer);
    const pages: unknown[] = [];
    for (let at = 0, cursor = ""; at < 3; at += 1) {
      const [one] = await listOf(`/api/oauth/clients?limit=1${cursor}`);
      pages.push(one?.["client_id"]);
      cursor = `&cursor=${one?.["id"]}`;
    }
    expect(pages).toEqual([newer, opencode, older]);
  });

  test("that an administrator disables gets nothing, and its document does not enable it again", async () => {
    verifies("oauth.revoke", "oauth.documents");
    const zed = "https://zed.dev/oauth/client-metadata.json";
    const redirect_uri = "http://127.0.0.1:4444/callback";
    const { access, refresh } = await world.connect(ada, zed, ["*"], { redirect_uri });
    const id = (await listOf("/api/oauth/all-clients")).find(({ client_id }) => client_id === zed)?.["id"];
    const set = (disabled: boolean) =>
      ada.send(`/api/oauth/all-clients/${id}`, { method: "PATCH", json: { disabled } });
    expect((await set(true)).status).toBe(200);
    expect((await world.ask(access)).status).toBe(401);
    expect(await errorOf(await world.refresh(zed, refresh))).toEqual([401, "invalid_client"]);
    await refusedPage(zed, redirect_uri);
    expect((await set(false)).status).toBe(200);
    expect((await world.ask(access)).status).toBe(200);
  });
});

describe("a program that its host describes", () => {
  test("signs in; the page says which host that is, and shows nothing else of the document", async () => {
    verifies("oauth.documents", "oauth.consent");
    const dressed = {
      client_name: `Fine‮Print<script>alert(1)</script>`,
      client_uri: "javascript:alert(2)",
      logo_uri: "https://evil.example/logo.png",
      tos_uri: "https://evil.example/tos",
      policy_uri: "data:text/html,x",
      redirect_uris: [CALLBACK, "https://notes.example/return"],
    };
    answer = () => Response.json(describing(dressed, "/dressed.json"));
    const page = await authorize(ada, urlOf("/dressed.json"), "https://notes.example/return");
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain("“Fine Print&lt;script&gt;alert(1)&lt;/script&gt;”");
    for (const shown of [`localhost:${site.port}`, "notes.example"]) expect(text).toContain(`<dd>${shown}</dd>`);
    for (const hidden of ["evil.example", "javascript:", "data:", "<script>alert", "‮"]) {
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
    }
    answer = () => Response.json(describing());
    const { access, refresh } = await world.connect(ada, urlOf(), ["*"], { redirect_uri: CALLBACK });
    expect((await world.ask(access)).status).toBe(200);
    expect((await issuedOf(await world.refresh(urlOf(), refresh))).access).toMatch(/^gw-at-/);
  });

  test("is fetched at most once per interval, and only for signed-in users", async () => {
    verifies("oauth.documents-guarded");
    const url = urlOf("/once.json");
    answer = () => Response.json(describing({}, "/once.json"));
    const before = asked.length;
    const stranger = new NewBrowser(world.hub);
    const sent = await authorize(stranger, url);
    expect([sent.status, sent.headers.get("location")?.startsWith(`${world.hub.url}/login?`)]).toEqual([302, true]);
    expect(asked.length).toBe(before);
    const pages = await Promise.all(Array.from({ length: 6 }, () => authorize(ada, url)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(asked.slice(before)).toEqual(["/once.json"]);
  });

  test("client documents: a changed document applies from the next authorization, codes stay bound to the old one", async () => {
    verifies("oauth.documents", "oauth.code-once");
    const path = "/changing.json";
    answer = () => Response.json(describing({}, path));
    const { verifier, challenge } = pkce();
    const end = await world.decide(ada, world.query(urlOf(path), challenge, { redirect_uri: CALLBACK }));
    const code = end.searchParams.get("code") ?? "";
    const elsewhere = "https://evil.example/callback";
    answer = () => Response.json(describing({ redirect_uris: [elsewhere] }, path));
    expect((await errorOf(await world.redeem(urlOf(path), code, verifier, { redirect_uri: elsewhere })))[1]).toBe(
      "invalid_grant",
    );
    // A restart forgets what was fetched: what the host says now counts.
    await world.hub.restart();
    ada = await world.signedIn();
    await refusedPage(urlOf(path), CALLBACK);
    expect((await authorize(ada, urlOf(path), elsewhere)).status).toBe(200);
    const back = await world.decide(ada, world.query(urlOf(path), challenge, { redirect_uri: elsewhere }));
    const next = await world.redeem(urlOf(path), back.searchParams.get("code") ?? "", verifier, {
      redirect_uri: elsewhere,
    });
    expect(next.status).toBe(200);
    const kept = (await world.records("oauth.document")).filter((row) => JSON.stringify(row).includes(urlOf(path)));
    expect(kept).toHaveLength(2);
  });
});

describe("a document that is not good", () => {
  const bad: readonly (readonly [string, () => Response | Promise<Response>, RegExp])[] = [
    ["of another client", () => Response.json(describing({ client_id: CLAUDE_CODE })), /describes this app is invalid/],
    [
      "that names no client",
      () => Response.json(describing({ client_id: undefined })),
      /describes this app is invalid/,
    ],
    [
      "with a secret",
      () => Response.json(describing({ client_secret: "s" }, "/bad.json")),
      /describes this app is invalid/,
    ],
    [
      "of a confidential client",
      () => Response.json(describing({ token_endpoint_auth_method: "client_secret_basic" }, "/bad.json")),
      /describes this app is invalid/,
    ],
    [
      "that signs with a key",
      () => Response.json(describing({ token_endpoint_auth_method: "private_key_jwt" }, "/bad.json")),
      /describes this app is invalid/,
    ],
    [
      "that returns by a scheme",
      () => Response.json(describing({ redirect_uris: [CALLBACK, "com.example.app:/cb"] }, "/bad.json")),
      /describes this app is invalid/,
    ],
    [
      "that returns to a script",
      () => Response.json(describing({ redirect_uris: ["javascript:alert(1)"] }, "/bad.json")),
      /describes this app is invalid/,
    ],
    [
      "that returns to plain http",
      () => Response.json(describing({ redirect_uris: ["http://notes.example/cb"] }, "/bad.json")),
      /describes this app is invalid/,
    ],
    [
      "that returns nowhere",
      () => Response.json(describing({ redirect_uris: [] }, "/bad.json")),
      /describes this app is invalid/,
    ],
    ["that is a list", () => Response.json([describing({}, "/bad.json")]), /describes this app is invalid/],
    [
      "that is not JSON",
      () => new Response("{", { headers: { "content-type": "application/json" } }),
      /could not fetch the document/,
    ],
    [
      "that is a web page",
      () => new Response(JSON.stringify(describing({}, "/bad.json")), { headers: { "content-type": "text/html" } }),
      /could not fetch the document/,
    ],
    [
      "that is not there",
      () => Response.json(describing({}, "/bad.json"), { status: 404 }),
      /could not fetch the document/,
    ],
    [
      "that is huge",
      () => Response.json(describing({ padding: "x".repeat(20_000) }, "/bad.json")),
      /could not fetch the document/,
    ],
    [
      "that has no end",
      () => new Response(endless(), { headers: { "content-type": "application/json" } }),
      /could not fetch the document/,
    ],
    ["that is elsewhere", () => Response.redirect(urlOf("/other.json"), 302), /could not fetch the document/],
  ];

  test.each(bad)("%s leads to a page, and nothing is kept of it", async (_name, served, words) => {
    verifies("oauth.documents-guarded", "oauth.documents-unknown");
    answer = served;
    const before = asked.length;
    const kept = (await listOf("/api/oauth/all-clients")).length;
    expect(await refusedPage(urlOf("/bad.json"))).toMatch(words);
    expect(asked.slice(before)).toEqual(["/bad.json"]);
    const json = {
      query: world.query(urlOf("/bad.json"), pkce().challenge, { redirect_uri: CALLBACK }),
      accept: true,
      tools: ["*"],
    };
    expect((await ada.send("/api/auth/oauth2/consent", { json })).status).toBe(400);
    expect((await listOf("/api/oauth/all-clients")).length).toBe(kept);
  });

  test.each([
    "https://127.0.0.1/c.json",
    "https://2130706433/c.json",
    "https://[::1]/c.json",
    "https://169.254.169.254/latest/meta-data",
    "https://10.0.0.1/c.json",
    "https://localhost/c.json",
    "https://metadata.google.internal/c.json",
    "https://evil.example/c.json",
    "https://files.example@127.0.0.1/c.json",
    "https://files.example:8443/c.json",
    "http://localhost:1/c.json",
    "https://files.example",
    "https://files.example/a/../c.json",
    "https://files.example\\@evil.example/c.json",
    "https:files.example/c.json",
    "HTTPS://files.example/c.json",
  ])("%s is never asked for one", async (url) => {
    verifies("oauth.documents-guarded", "oauth.documents-unknown");
    const text = await refusedPage(url);
    expect(text).toMatch(/invalid address|does not allow/);
    expect(text).not.toContain("c.json");
  });

  test("is not there at a host that takes no connection", async () => {
    verifies("oauth.documents-unknown");
    expect(await refusedPage("https://localhost:1/c.json")).toContain("could not fetch the document");
    expect(await world.hub.log("oauth.document_refused")).toMatchObject({ level: "warn" });
  });

  test("is asked for by one person only so often in a minute", async () => {
    verifies("oauth.documents-guarded");
    // Its minute begins with the first: what was asked before is forgotten.
    await world.hub.restart();
    ada = await world.signedIn();
    answer = () => new Response(null, { status: 404 });
    const before = asked.length;
    const words: string[] = [];
    for (let at = 0; at < 62; at += 1) words.push(await refusedPage(urlOf(`/${at}.json`)));
    expect(words.at(-1)).toContain("too many");
    expect(asked.length - before).toBeLessThanOrEqual(60);
    // What is known needs nobody.
    expect((await authorize(ada, CLAUDE_CODE)).status).toBe(200);
  });
});

describe("client documents: metadata and errors for clients", () => {
  const supported = async (hub: Hub): Promise<unknown> => {
    const json: unknown = await (await hub.fetch("/.well-known/oauth-authorization-server")).json();
    return isRecord(json) ? json["client_id_metadata_document_supported"] : null;
  };

  test("to name documents only where they may all be read; known ones are good anyway, others lead to a page", async () => {
    verifies("oauth.documents", "oauth.documents-unknown");
    expect(await supported(world.hub)).toBe(true);
    await using other = await OAuthWorld.open();
    expect(await supported(other.hub)).toBe(false);
    const eve = await other.signedIn();
    const { access } = await other.connect(eve, CLAUDE_CODE, ["*"], { redirect_uri: CALLBACK });
    expect((await other.ask(access)).status).toBe(200);
    const before = asked.length;
    const query = other.query(urlOf(), pkce().challenge, { redirect_uri: CALLBACK });
    const page = await eve.send(`/api/auth/oauth2/authorize?${query}`);
    expect([page.status, asked.length]).toEqual([400, before]);
    expect(await page.text()).toContain("oauth.client_documents");
  });
});

/** Pieces that come for as long as somebody reads. */
const endless = (): ReadableStream =>
  new ReadableStream({
    pull: async (controller) => {
      controller.enqueue(new TextEncoder().encode(" ".repeat(1_000)));
      await Bun.sleep(1);
    },
  });
