import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isRecord, type JsonRecord } from "#core/json/json";
import { withMemory } from "#test/simulate/gateway/world";
import { McpFixture } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { profileOf, toolsOf } from "./enforcement-world";
import { ADA, OAuthWorld } from "./oauth-world";
import { Answer, until } from "./tools-world";

const MODULES = resolve(import.meta.dir, "../../node_modules/@modelcontextprotocol");
const OFFERING = resolve(import.meta.dir, "../support/offering-server.ts");
const GRAPH = "guardhouse://memory/memory://knowledge-graph";

let world: OAuthWorld;
let home: string;
let fixture: McpFixture;
const tokens = { person: "", profile: "", client: "" };
beforeAll(async () => {
  fixture = McpFixture.start({ era: "2025", offers: true });
  world = await OAuthWorld.open({ env: { GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off" } });
  const { hub } = world;
  const run = process.execPath;
  home = await mkdtemp(join(tmpdir(), "guardhouse-resources-"));
  await hub.addToolServer("notes", { owner: ADA, stdio: [run, OFFERING] });
  await hub.addToolServer("others", { owner: ADA, stdio: [run, OFFERING] });
  await hub.addToolServer("memory", {
    owner: ADA,
    stdio: withMemory(join(home, "memory.jsonl"), [run, `${MODULES}/server-memory/dist/index.js`]),
  });
  await hub.addToolServer("fixture", { owner: ADA, url: fixture.url });
  await hub.createAgent("profiled", ADA);
  const everything = ["--resources", "*", "--prompts", "*"];
  await hub.cli("tool-server", "assign", "notes", "--owner", ADA, "--agent", "profiled", ...everything);
  const agents = Object((await hub.cli("agent", "list")).json());
  const { id } = agents.find(({ name }: { name: string }) => name === "profiled");
  const rules = profileOf({
    tools: toolsOf({ default: "deny" }),
    resources: ["guardhouse://notes/note://day/*"],
    prompts: ["notes__link"],
  });
  const file = await hub.writeFile(JSON.stringify(rules));
  const done = await hub.cli("profile", "set", id, "--file", file, "--as", ADA);
  if (done.code !== 0) throw new Error(done.stderr);
  const issued = await world.connect(await world.signedIn(), await world.register(), [
    "resources:notes",
    "prompts:notes",
  ]);
  tokens.client = issued.access;
  tokens.person = (await hub.createToken(ADA)).token;
  tokens.profile = (await hub.createToken(ADA, "profiled")).token;
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const ask = async (
  token: string,
  json: JsonRecord,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
) => {
  const accept = { accept: "application/json, text/event-stream", ...headers };
  return Answer.of(await world.hub.fetch("/mcp/gateway", { token, json, headers: accept, ...(signal && { signal }) }));
};
const minimal = (token: string, method: string, params: JsonRecord = {}): Promise<Answer> =>
  ask(token, { method, params });
const listed = async (token: string, method: string, field: string, name: string): Promise<string[]> => {
  const list = (await minimal(token, method)).body[field];
  return Array.isArray(list) ? list.filter(isRecord).map((one) => `${one[name]}`) : [];
};
const all = async (token: string) => ({
  resources: await listed(token, "resources/list", "resources", "uri"),
  templates: await listed(token, "resources/templates/list", "resourceTemplates", "uriTemplate"),
  prompts: await listed(token, "prompts/list", "prompts", "name"),
});
const status = async (token: string, method: string, params: JsonRecord): Promise<number> =>
  (await minimal(token, method, params)).status;

describe("resources and prompts", () => {
  test("are what the profile of the agent permits", async () => {
    verifies("tools.resource-scope");
    const { resources, templates, prompts } = await all(tokens.profile);
    expect(resources.length).toBeGreaterThan(0);
    expect(resources.every((uri) => uri.startsWith("guardhouse://notes/note://day/"))).toBe(true);
    expect(templates).toEqual(["guardhouse://notes/note://day/{number}"]);
    expect(prompts).toEqual(["notes__link"]);
    const read = (uri: string) => status(tokens.profile, "resources/read", { uri });
    expect(await read("guardhouse://notes/note://day/1")).toBe(200);
    expect(await read("guardhouse://notes/note://secret")).toBe(404);
    expect(await read("ui://notes/panel/main.html")).toBe(404);
    expect(await read("guardhouse://others/note://day/1")).toBe(404);
    const denied = await minimal(tokens.profile, "resources/read", { uri: "guardhouse://notes/note://secret" });
    expect(denied.body["error"]).toMatchObject({ code: "not_found" });
    expect(await status(tokens.profile, "prompts/get", { name: "notes__link" })).toBe(200);
    expect(await status(tokens.profile, "prompts/get", { name: "others__link" })).toBe(404);
    expect(await status(tokens.profile, "tools/call", { name: "notes__link", arguments: {} })).toBe(404);
  });

  test("are what the client was let in to, and the person has all", async () => {
    verifies("tools.resource-scope");
    const { resources, templates, prompts } = await all(tokens.client);
    expect(resources.length).toBeGreaterThan(0);
    const isOfNotes = (uri: string) => uri.startsWith("guardhouse://notes/") || uri.startsWith("ui://notes/");
    expect([...resources, ...templates].every(isOfNotes)).toBe(true);
    expect(prompts).toEqual(["notes__link"]);
    expect(await status(tokens.client, "resources/read", { uri: "guardhouse://notes/note://day/1" })).toBe(200);
    expect(await status(tokens.client, "resources/read", { uri: "guardhouse://others/note://day/1" })).toBe(404);
    expect(await status(tokens.client, "prompts/get", { name: "others__link" })).toBe(404);
    expect(await status(tokens.client, "tools/call", { name: "notes__link", arguments: {} })).toBe(404);
    expect((await all(tokens.person)).prompts).toContain("others__link");
  });
});

describe("a read", () => {
  const rpc = (id: number, method: string, params: JsonRecord) => ({ jsonrpc: "2.0", id, method, params });

  test("tells its progress, under the caller's own token", async () => {
    verifies("tools.resources");
    const params = { uri: "guardhouse://notes/note://day/slow", _meta: { progressToken: "mine" } };
    const answer = await ask(tokens.person, rpc(1, "resources/read", params));
    expect(answer.news.map(({ params: told }) => told)).toEqual([
      { progress: 1, total: 2, progressToken: "mine" },
      { progress: 2, total: 2, progressToken: "mine" },
    ]);
    expect(answer.body["result"]).toMatchObject({ contents: [{ text: "This is note://day/slow" }] });
  });

  test("that is cancelled ends, and its server is told", async () => {
    verifies("tools.resources");
    const uri = "guardhouse://fixture/test://static-text";
    fixture.fault("resources/read", { kind: "hang" });
    const begun = fixture.of("resources/read").length;
    const waiting = ask(tokens.person, rpc(77, "resources/read", { uri }));
    await fixture.until(() => fixture.of("resources/read").length > begun);
    await ask(tokens.person, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 77 } });
    expect((await waiting).error["code"]).toBe(-32_603);
    await fixture.until(() => fixture.of("notifications/cancelled").length === 1);
    const leaving = new AbortController();
    const left = ask(tokens.person, { method: "resources/read", params: { uri } }, {}, leaving.signal);
    await fixture.until(() => fixture.of("resources/read").length > begun + 1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await fixture.until(() => fixture.of("notifications/cancelled").length === 2);
    fixture.heal();
    expect(await status(tokens.person, "resources/read", { uri })).toBe(200);
  });
});

test("the memory server of the MCP project: its graph is read, watched and heard to change", async () => {
  verifies("tools.watching", "tools.resources");
  expect((await all(tokens.person)).resources).toContain(GRAPH);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const leaving = new AbortController();
  const params = { notifications: { resourceSubscriptions: [GRAPH] }, _meta: meta };
  const response = await world.hub.fetch("/mcp/gateway", {
    token: tokens.person,
    json: { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params },
    headers: {
      accept: "text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    signal: leaving.signal,
  });
  let heard = "";
  const reading = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += chunk;
  })().catch(() => "it was left");
  await until(
    () => heard,
    (text) => text.includes(`"resourceSubscriptions":["${GRAPH}"]`),
    10_000,
  );
  const entities = [{ name: "hub", entityType: "program", observations: ["It governs."] }];
  await minimal(tokens.person, "tools/call", { name: "memory__create_entities", arguments: { entities } });
  await until(
    () => heard,
    (text) => text.includes("notifications/resources/updated"),
    10_000,
  );
  expect((await minimal(tokens.person, "resources/read", { uri: GRAPH })).raw).toContain("It governs.");
  leaving.abort();
  await reading;
});

test("mapped URIs are good after a restart, listed or not, before anything was listed", async () => {
  verifies("tools.resource-uris");
  const uris = (await all(tokens.person)).resources.filter((uri) => uri.startsWith("guardhouse://notes/"));
  const day = "guardhouse://notes/note://day/2999";
  await world.hub.restart();
  for (const uri of [...uris, day]) {
    const { status: code, body } = await minimal(tokens.person, "resources/read", { uri });
    expect([uri, code]).toEqual([uri, 200]);
    expect(body).toMatchObject({ contents: [{ uri }] });
  }
});
