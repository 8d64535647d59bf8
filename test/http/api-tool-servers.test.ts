import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CLI_ACTOR } from "#model/change";
import type { User } from "#model/person";
import { verifies } from "#test/support/verifies";
import { ToolFailure } from "#upstream/tool-port";
import { type Answer, codeOf, ToolServerWorld } from "./tool-server-world";

const SECRET = "tok-8fjQ2mLx90VbTzWq";
const READ = { name: "read", description: "Reads a file", inputSchema: { type: "object" } };
const WRITE = { name: "write", description: "Writes a file", inputSchema: { type: "object" } };

type Someone = { user: User; key: string; id: string };
let world: ToolServerWorld;
let eve: Someone;
let mal: Someone;
let root: Someone;

beforeAll(async () => {
  world = await ToolServerWorld.open();
  eve = await world.person("eve@example.com");
  mal = await world.person("mal@example.com");
  root = await world.person("root@example.com", "admin");
});
afterAll(() => world[Symbol.asyncDispose]());

/** A server of eve's at an address that lists these tools. */
const connect = (slug: string, tools: readonly object[], more: object = {}) =>
  world.connect(eve.key, slug, tools, more);

const ADDRESSES: readonly [method: string, path: string][] = [
  ["GET", ""],
  ["POST", ""],
  ["GET", "/ID"],
  ["PATCH", "/ID"],
  ["DELETE", "/ID"],
  ["POST", "/ID/test"],
  ["POST", "/ID/approve"],
  ["PUT", "/ID/publication"],
  ["DELETE", "/ID/publication"],
  ["PUT", "/ID/assignments/AGENT"],
  ["DELETE", "/ID/assignments/AGENT"],
  ["POST", "/ID/authorize"],
];

describe("tool server API: roles", () => {
  test("every address says who, and the ones above are all there are", () => {
    const addresses = ADDRESSES.map(([method, path]) =>
      `${method} /api/tool-servers${path.replace("ID", ":id").replace("AGENT", ":agent_id")}`.replace(/\/$/, ""),
    );
    const served = world.routes.map(({ method, path }) => `${method} ${path.replace(/\/$/, "")}`);
    expect(served.toSorted()).toEqual([...addresses, "GET /api/tool-servers/oauth/callback"].toSorted());
    const silent = world.routes.filter(({ hooks }) => !JSON.stringify(hooks).includes('"security"'));
    expect(silent).toEqual([]);
  });

  test("only sessions open it: nothing else, and gateway tokens are told why", async () => {
    verifies("session.scope");
    const token = await world.token(eve.user);
    const made = await world.person("gone@example.com");
    await world.sessions.revoke(CLI_ACTOR, made.id);
    await world.refresh();
    const bodies = new Set<string>();
    for (const [method, path] of ADDRESSES) {
      for (const key of ["", "x", made.key, `${eve.key}x`, eve.key.slice(0, -1), `${token}x`]) {
        const answer = await world.fetch(key, method, path);
        expect([method, path, ...codeOf(answer)]).toEqual([method, path, 401, "invalid_api_key"]);
        expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
        bodies.add(answer.text);
      }
      const refused = await world.fetch(token, method, path);
      expect([method, path, ...codeOf(refused)]).toEqual([method, path, 403, "insufficient_scope"]);
    }
    expect(bodies.size).toBe(1);
  });

  test("a session ends when its time is over, or when it is revoked", async () => {
    verifies("session.end");
    const { key, id } = await world.person("eve@example.com");
    expect((await world.fetch(key, "GET")).status).toBe(200);
    const before = world.now;
    world.now = before + 3_600_000;
    expect((await world.fetch(key, "GET")).status).toBe(401);
    world.now = before;
    expect((await world.fetch(key, "GET")).status).toBe(200);
    await world.sessions.revoke(CLI_ACTOR, id);
    await world.refresh();
    expect((await world.fetch(key, "GET")).status).toBe(401);
  });
});

describe("one's own servers", () => {
  test("are connected, looked at, listed, changed and removed; every change is on record", async () => {
    verifies("tools.manage-own", "tools.manage-audited");
    const before = (await world.records()).length;
    world.scripts.set("files", [READ, WRITE]);
    const body = { slug: "files", url: "https://files.example/mcp?v=2", call_ms: 5000 };
    const made = await world.fetch(eve.key, "POST", "", body);
    expect([made.status, made.json]).toMatchObject([
      201,
      {
        ...{ slug: "files", owner: "eve@example.com", transport: "streamable-http", command: null, given_by: "user" },
        ...{ url: "https://files.example/mcp?v=2", active: true, status: "active", call_ms: 5000, list_ms: null },
        ...{ credentials: { kind: "none" }, ok: true, problem: null },
        tools: [
          { name: "files__read", tool: "read", status: "approved", flags: [], present: true },
          { name: "files__write", tool: "write", status: "approved", flags: [], present: true },
        ],
      },
    ]);
    const { id } = made.json;
    expect(codeOf(await world.fetch(eve.key, "POST", "", body))).toEqual([409, "already_exists"]);
    expect((await world.fetch(eve.key, "GET")).json.data.map((row: { id: string }) => row.id)).toContain(id);
    const change = await world.fetch(eve.key, "PATCH", `/${id}`, { active: false, list_ms: 100, call_ms: null });
    expect(change.json).toMatchObject({ id, active: false, status: "inactive", list_ms: 100, call_ms: null });
    expect((await world.fetch(eve.key, "POST", `/${id}/test`)).json).toMatchObject({ ok: true, status: "inactive" });
    expect((await world.fetch(eve.key, "DELETE", `/${id}`)).json).toEqual({ id, deleted: true });
    expect(codeOf(await world.fetch(eve.key, "GET", `/${id}`))).toEqual([404, "not_found"]);
    const records = (await world.records()).slice(before).map((line) => JSON.parse(line));
    expect(records.map(({ kind }) => kind)).toEqual([
      ...["tool_server.add", "tool_server.see", "tool_server.update", "tool_server.remove"],
    ]);
    const actor = { via: "session", user_id: eve.user.id, agent_id: null, token_id: null, session_id: eve.id };
    for (const record of records.filter(({ kind }) => kind !== "tool_server.see")) {
      expect(record).toMatchObject({ actor, change: { subject: "tool_server", subject_id: id } });
    }
    expect(JSON.stringify(records)).not.toContain("v=2");
  });

  test("one that does not answer is kept, and its state says why", async () => {
    world.scripts.set("down", new ToolFailure("unreachable", "No connection to down.", false));
    const { status, json } = await world.fetch(eve.key, "POST", "", { slug: "down", url: "http://10.9.9.9/mcp" });
    expect([status, json.status, json.ok, json.problem]).toEqual([201, "unreachable", false, "No connection to down."]);
    world.scripts.set("down", new ToolFailure("unauthorized", "It refuses the credentials.", false));
    expect((await world.fetch(eve.key, "POST", `/${json.id}/test`)).json.status).toBe("unauthorized");
    world.scripts.set("down", [READ]);
    expect((await world.fetch(eve.key, "POST", `/${json.id}/test`)).json).toMatchObject({ status: "active", ok: true });
  });

  test("another's answer as what does not exist, with every method", async () => {
    verifies("tools.manage-own");
    const id = await connect("hers", [READ]);
    const agent = await world.agent(eve.user, "hers");
    const nowhere = "01a1fe2a-fc2e-77db-9cf6-72c1fb3da5d0";
    // Publishing is for administrators alone, of any server.
    for (const [method, path] of ADDRESSES.slice(2).filter(([, path]) => path !== "/ID/publication")) {
      const bodies = new Map<string, object>([
        ["PATCH", { active: false }],
        ["POST", { tools: [{ tool: "read", hash: "x" }] }],
        ["PUT", { tools: null }],
      ]);
      const target = (of: string) => path.replace("ID", of).replace("AGENT", agent.id);
      const foreign = await world.fetch(mal.key, method, target(id), bodies.get(method));
      const unknown = await world.fetch(mal.key, method, target(nowhere), bodies.get(method));
      expect([method, path, ...codeOf(foreign)]).toEqual([method, path, 404, "not_found"]);
      expect(foreign.text).toBe(unknown.text);
    }
    expect((await world.fetch(eve.key, "GET", `/${id}`)).json).toMatchObject({ active: true, assignments: [] });
    expect((await world.fetch(mal.key, "GET")).json.data).toEqual([]);
  });

  test("tool server API: reading roles see servers of others, only administrators their addresses", async () => {
    verifies("tools.manage-own");
    const ann = await world.person("auditor@example.com", "auditor");
    const id = await connect("seen", [READ]);
    const byEmail = await world.fetch(root.key, "GET", "?owner=EVE@example.com");
    expect(byEmail.json.data.map((row: { id: string }) => row.id)).toContain(id);
    expect((await world.fetch(root.key, "GET", `?owner=${eve.user.id}`)).json).toEqual(byEmail.json);
    expect((await world.fetch(root.key, "GET", `/${id}`)).status).toBe(200);
    expect((await world.fetch(root.key, "DELETE", `/${id}`)).status).toBe(404);
    expect((await world.fetch(root.key, "GET", "?owner=nobody@example.com")).json.data).toEqual([]);
    for (const owner of ["eve@example.com", "nobody@example.com"]) {
      expect(codeOf(await world.fetch(mal.key, "GET", `?owner=${owner}`))).toEqual([403, "insufficient_scope"]);
    }
    expect((await world.fetch(mal.key, "GET", "?owner=mal@example.com")).status).toBe(200);
    const everybodys = await world.fetch(root.key, "GET", "?all=true&limit=200");
    expect(everybodys.json.data.map((row: { id: string }) => row.id)).toContain(id);
    expect((await world.fetch(root.key, "GET", "?all=false")).json.data).toEqual([]);
    expect(codeOf(await world.fetch(mal.key, "GET", "?all=true"))).toEqual([403, "insufficient_scope"]);
    // Keys stand in addresses: who only reads is told the host.
    const address = (answer: Answer) =>
      [answer.json, ...(answer.json.data ?? [])].find((row: { id?: string }) => row.id === id)?.url;
    for (const path of ["?all=true&limit=200", "?owner=eve@example.com&limit=200", `/${id}`]) {
      expect([path, address(await world.fetch(root.key, "GET", path))]).toEqual([path, "https://h.example/mcp"]);
      expect([path, address(await world.fetch(ann.key, "GET", path))]).toEqual([path, "https://h.example"]);
    }
    expect((await world.fetch(ann.key, "DELETE", `/${id}`)).status).toBe(404);
  });

  test("lists are pages, newest first, and no page repeats or leaves out", async () => {
    verifies("api.pages");
    const ann = await world.person("ann@example.com");
    for (const slug of ["a", "b", "c", "d", "e"]) {
      await world.fetch(ann.key, "POST", "", { slug, url: "https://h.example/" });
    }
    const all: string[] = [];
    let cursor: string | null = null;
    do {
      const at: string = cursor === null ? "" : `&cursor=${cursor}`;
      const { json } = await world.fetch(ann.key, "GET", `?limit=2${at}`);
      expect(json).toMatchObject({ object: "list", has_more: json.next_cursor !== null });
      all.push(...json.data.map(({ slug }: { slug: string }) => slug));
      expect(all.length).toBeLessThanOrEqual(5);
      cursor = json.next_cursor;
    } while (cursor !== null);
    expect(all).toEqual(["e", "d", "c", "b", "a"]);
    for (const bad of ["limit=0", "limit=201", "limit=x", "limit=", "cursor=x"]) {
      expect([bad, ...codeOf(await world.fetch(ann.key, "GET", `?${bad}`))]).toEqual([bad, 400, "invalid_value"]);
    }
  });
});

describe("credentials", () => {
  test("are sealed, and shown by their kind and the names of their headers only", async () => {
    verifies("tools.manage-sealed");
    const headers = { Authorization: `Bearer ${SECRET}`, "X-Team": SECRET };
    const id = await connect("sealed", [READ], { credentials: { kind: "headers", headers } });
    const shown = await world.fetch(eve.key, "GET", `/${id}`);
    expect(shown.json.credentials).toEqual({ kind: "headers", headers: ["Authorization", "X-Team"] });
    const stored = await world.store.tools.byId(id);
    expect(stored?.sealed_credentials).toStartWith("v1.");
    const client = { kind: "client_credentials", client_id: "hub", client_secret: SECRET };
    const changed = await world.fetch(eve.key, "PATCH", `/${id}`, { credentials: client });
    expect(changed.json.credentials).toEqual({ kind: "client_credentials" });
    expect((await world.store.tools.byId(id))?.credential_version).toBe((stored?.credential_version ?? 0) + 1);
    const none = await world.fetch(eve.key, "PATCH", `/${id}`, { credentials: { kind: "none" } });
    expect(none.json.credentials).toEqual({ kind: "none" });
    const told = [shown.text, changed.text, none.text, (await world.fetch(eve.key, "GET")).text];
    expect([...told, ...(await world.records())].join("\n")).not.toContain(SECRET);
  });

  test("that could break out of their header, or steer the connection, are refused", async () => {
    verifies("tools.manage-checks");
    const bad: Record<string, string>[] = [
      ...["Host", "content-length", "Transfer-Encoding", "connection", "Mcp-Session-Id", "mcp-param-x"].map((name) => ({
        [name]: "x",
      })),
      ...["", "a b", "a:b", "a\r\nb", "ä"].map((name) => ({ [name]: "x" })),
      ...["", " ", "a\r\nX: y", "a\nb", "a\0b", "ä", "x".repeat(9000)].map((value) => ({ "X-Key": value })),
      {},
      { "X-Key": "a", "x-key": "b" },
      Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, "x"])),
    ];
    for (const headers of bad) {
      const body = { slug: "bad", url: "https://h.example/", credentials: { kind: "headers", headers } };
      const answer = await world.fetch(eve.key, "POST", "", body);
      expect([headers, ...codeOf(answer)]).toEqual([headers, 400, "invalid_value"]);
    }
  });

  test("no header whatever reaches a connection but a name and one line", async () => {
    verifies("tools.manage-checks");
    const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.string({ maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (name, value) => {
        const body = { credentials: { kind: "headers", headers: { [name]: value } } };
        const id = (await world.store.tools.list()).find(({ slug }) => slug === "sealed")?.id;
        const { status } = await world.fetch(eve.key, "PATCH", `/${id}`, body);
        if (status !== 200) return;
        // The runtime's own check is the oracle.
        expect(new Headers({ [name]: value.trim() }).get(name)).toBe(value.trim());
        expect(value.trim()).toMatch(/^[\t\x20-\x7e]+$/);
      }),
      { numRuns: 100 },
    );
  });
});

describe("bodies", () => {
  const good = { slug: "body", url: "https://h.example/mcp" };
  test.each([
    [{ ...good, transport: "stdio" }, "transport"],
    [{ ...good, command: ["sh", "-c", "id"] }, "command"],
    [{ slug: "body", transport: "stdio", command: ["sh"] }, "command"],
  ])("%j would start a program, and is refused", async (body, param) => {
    verifies("tools.manage-stdio");
    const { status, json } = await world.fetch(eve.key, "POST", "", body);
    expect([status, json.error.code, json.error.param]).toEqual([400, "parameter_not_allowed", param]);
  });

  test.each([
    [{ ...good, slug: "Body" }, "slug"],
    [{ ...good, slug: "a_b" }, "slug"],
    [{ ...good, slug: "" }, "slug"],
    [{ ...good, slug: "guardhouse" }, "slug"],
    [{ ...good, url: "ftp://h.example" }, "url"],
    [{ ...good, url: "https://me:pw@h.example/" }, "url"],
    [{ ...good, url: "https://h.example/#" }, "url"],
    [{ ...good, url: "/mcp" }, "url"],
    [{ ...good, url: 7 }, "url"],
    [{ ...good, transport: "websocket" }, "transport"],
    [{ ...good, call_ms: 0 }, "call_ms"],
    [{ ...good, call_ms: 1.5 }, "call_ms"],
    [{ ...good, given_by: "operator" }, "given_by"],
    [{ ...good, env: { A: "b" } }, "env"],
    [{ ...good, credentials: { kind: "none", x: 1 } }, "credentials"],
    [{ ...good, credentials: { kind: "client_credentials", client_id: "x" } }, "credentials"],
    [{ ...good, credentials: { kind: "authorization_code", client_secret: "x" } }, "client_secret"],
    [[], null],
    [null, null],
  ])("%j is refused", async (body, param) => {
    verifies("tools.manage-checks");
    const { status, json } = await world.fetch(eve.key, "POST", "", body);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_value", param]);
    expect(json.error.message).not.toContain("pw@");
  });

  test("that are no JSON, or too long, are refused", async () => {
    expect(codeOf(await world.fetch(eve.key, "POST", "", "{"))).toEqual([400, "invalid_json"]);
    expect(codeOf(await world.fetch(eve.key, "POST", "", " ".repeat(100_001)))).toEqual([413, "request_too_large"]);
    const id = await connect("patched", [READ]);
    expect(codeOf(await world.fetch(eve.key, "PATCH", `/${id}`, {}))).toEqual([400, "invalid_value"]);
    const stdio = await world.fetch(eve.key, "PATCH", `/${id}`, { command: ["sh"] });
    expect(codeOf(stdio)).toEqual([400, "parameter_not_allowed"]);
  });
});
