import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { User } from "#model/person";
import { verifies } from "#test/support/verifies";
import { ToolFailure } from "#upstream/tool-port";
import { codeOf, ToolServerWorld } from "./tool-server-world";

const READ = { name: "read", description: "Reads a file", inputSchema: { type: "object" } };
const WRITE = { name: "write", description: "Writes a file", inputSchema: { type: "object" } };

type Someone = { user: User; key: string; id: string };
let world: ToolServerWorld;
let eve: Someone;
let mal: Someone;

beforeAll(async () => {
  world = await ToolServerWorld.open();
  eve = await world.person("eve@example.com");
  mal = await world.person("mal@example.com");
});
afterAll(() => world[Symbol.asyncDispose]());

const connect = (slug: string, tools: readonly object[], more: object = {}) =>
  world.connect(eve.key, slug, tools, more);

describe("approval", () => {
  const hashes = async (id: string): Promise<Map<string, string>> => {
    const { json } = await world.fetch(eve.key, "GET", `/${id}`);
    const rows: { tool: string; hash: string }[] = json.definitions;
    return new Map(rows.map(({ tool, hash }) => [tool, hash]));
  };

  test("names the definition that was read; what changed meanwhile is not approved", async () => {
    verifies("tools.manage-approve");
    const id = await connect("pinned", [READ, WRITE]);
    const changed = { ...READ, description: "Reads a file, or two" };
    world.scripts.set("pinned", [changed, WRITE]);
    const tested = await world.fetch(eve.key, "POST", `/${id}/test`);
    expect(tested.json).toMatchObject({ status: "changed", tools: [{ tool: "read", status: "changed" }, {}] });
    const shown = await world.fetch(eve.key, "GET", `/${id}`);
    expect(shown.json.definitions[0]).toMatchObject({ tool: "read", before: READ, after: changed });
    const hash = (await hashes(id)).get("read");

    world.scripts.set("pinned", [{ ...READ, description: "Sends it elsewhere" }, WRITE]);
    const late = await world.fetch(eve.key, "POST", `/${id}/approve`, { tools: [{ tool: "read", hash }] });
    expect([...codeOf(late), late.json.error.type]).toEqual([409, "stale_base", "conflict_error"]);
    expect((await world.fetch(eve.key, "GET", `/${id}`)).json.status).toBe("changed");

    const read = (await hashes(id)).get("read");
    const approved = await world.fetch(eve.key, "POST", `/${id}/approve`, {
      tools: [{ tool: "pinned__read", hash: read }],
    });
    expect([approved.status, approved.json]).toMatchObject([
      200,
      { status: "active", approved: [{ name: "pinned__read", tool: "read" }] },
    ]);
    const last = JSON.parse((await world.records()).at(-1) ?? "");
    expect(last).toMatchObject({ kind: "tool_server.approve", change: { detail: { tools: [{ tool: "read" }] } } });
  });

  test("of what holds hidden characters, or is not there, is refused", async () => {
    verifies("tools.manage-approve");
    const id = await connect("odd", [READ, { ...WRITE, description: "Writes\u{e0041}\u{e0042}" }]);
    const known = await hashes(id);
    const approve = (tool: string, hash = known.get(tool)) =>
      world.fetch(eve.key, "POST", `/${id}/approve`, { tools: [{ tool, hash: hash ?? "none" }] });
    expect(codeOf(await approve("write"))).toEqual([400, "invalid_value"]);
    const unknown = await approve("delete");
    expect(codeOf(unknown)).toEqual([404, "not_found"]);
    expect(unknown.json.error.message).toContain("read, write");
    expect((await approve("read")).json).toMatchObject({ approved: [] });
    for (const body of [{}, { tools: [] }, { tools: ["read"] }, { tools: [{ tool: "read" }] }]) {
      expect(codeOf(await world.fetch(eve.key, "POST", `/${id}/approve`, body))).toEqual([400, "invalid_value"]);
    }
  });
});

describe("assignment", () => {
  test("is to agents of the server's owner, by names the server has", async () => {
    verifies("tools.manage-assign");
    const id = await connect("lent", [READ, WRITE]);
    const own = await world.agent(eve.user, "own");
    const foreign = await world.agent(mal.user, "foreign");
    const at = (agent: string) => `/${id}/assignments/${agent}`;
    const set = await world.fetch(eve.key, "PUT", at(own.id), { tools: ["read", "lent__write", "read"] });
    expect(set.json).toEqual({ agent_id: own.id, server_id: id, tools: ["read", "write"], resources: [], prompts: [] });
    expect((await world.fetch(eve.key, "GET", `/${id}`)).json.assignments).toEqual([
      { agent: "own", agent_id: own.id, tools: ["read", "write"], resources: [], prompts: [] },
    ]);
    expect((await world.fetch(eve.key, "PUT", at(own.id), { tools: null })).json.tools).toBeNull();
    for (const agent of [foreign.id, "own", "01a1fe2a-fc2e-77db-9cf6-72c1fb3da5d0"]) {
      for (const method of ["PUT", "DELETE"]) {
        expect(codeOf(await world.fetch(eve.key, method, at(agent), {}))).toEqual([404, "not_found"]);
      }
    }
    expect(codeOf(await world.fetch(eve.key, "PUT", at(own.id), { tools: ["delete"] }))).toEqual([404, "not_found"]);
    expect(codeOf(await world.fetch(eve.key, "PUT", at(own.id), { tools: [] }))).toEqual([400, "invalid_value"]);
    expect((await world.fetch(eve.key, "DELETE", at(own.id))).status).toBe(200);
    expect(codeOf(await world.fetch(eve.key, "DELETE", at(own.id)))).toEqual([404, "not_found"]);
  });

  test("to a server nothing is known of takes names as they are", async () => {
    const own = await world.agent(eve.user, "early");
    const id = await connect("silent", []);
    const set = await world.fetch(eve.key, "PUT", `/${id}/assignments/${own.id}`, { tools: ["silent__later", "x"] });
    expect(set.json.tools).toEqual(["later", "x"]);
  });
});

describe("sign-in at a tool server", () => {
  const oauth = { credentials: { kind: "authorization_code" } };
  const CSP = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  test("begins with an address and ends, once, on a page", async () => {
    verifies("tools.sign-in");
    const id = await connect("cloud", [READ], oauth);
    const begun = await world.fetch(eve.key, "POST", `/${id}/authorize`);
    expect(begun.json.url).toStartWith("https://auth.example.com/authorize?state=");
    expect(world.signIn.begun.at(-1)).toBe(`cloud ${eve.user.id}`);
    const state = new URL(begun.json.url).searchParams.get("state");
    const done = await world.fetch("", "GET", `/oauth/callback?state=${state}&code=abc`);
    expect([done.status, done.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(done.text).toContain("The hub may use cloud now");
    expect(JSON.parse((await world.records()).at(-1) ?? "")).toMatchObject({
      kind: "tool_server.authorize",
      change: { subject_id: id },
    });
    const again = await world.fetch("", "GET", `/oauth/callback?state=${state}&code=abc`);
    expect(again.status).toBe(400);
    for (const { headers } of [done, again]) {
      expect(headers.get("content-security-policy")).toBe(CSP);
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toBe("no-store");
    }
    expect(codeOf(await world.fetch(eve.key, "POST", `/${await connect("plain", [])}/authorize`))).toEqual([
      400,
      "invalid_value",
    ]);
  });

  test("shows nothing unescaped that comes from elsewhere", async () => {
    verifies("tools.sign-in");
    const id = await connect("hostile", [READ], oauth);
    for (const callback of ["?state=<script>&error=<script>&error_description=<script>", "", "?state=a&state=b"]) {
      const page = await world.fetch("", "GET", `/oauth/callback${callback}`);
      expect([callback, page.status]).toEqual([callback, 400]);
      expect(page.text).not.toContain("<script>");
    }
    world.signIn.failure = new ToolFailure("unauthorized", `It says "<script>alert('1')</script>" & no.`, false);
    const page = await world.fetch("", "GET", "/oauth/callback?state=x&code=y");
    expect(page.status).toBe(502);
    expect(page.text).toContain("It says &quot;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; &amp; no.");
    expect(codeOf(await world.fetch(eve.key, "POST", `/${id}/authorize`))).toEqual([502, "upstream_error"]);
    world.signIn.failure = null;
  });
});
