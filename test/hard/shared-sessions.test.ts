import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { withMemory } from "#test/simulate/gateway/world";
import { Hub } from "#test/support/hub";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";

/* Sessions of 2025-era clients, where several processes serve: a request may arrive at another than the one that keeps it. */

const EVE = "eve@example.com";
const TRIES = 12;
const MEMORY = Bun.resolveSync("@modelcontextprotocol/server-memory/dist/index.js", import.meta.dir);
const GRAPH = "guardhouse://memory/memory://knowledge-graph";
const ACCEPT = { accept: "application/json, text/event-stream", "content-type": "application/json" };

let home: string;
let fixture: McpFixture;
let hub: Hub;
let token: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "guardhouse-sessions-"));
  const logs = tool("logs", ({ log }) => {
    log("info", "working");
    return text("done");
  });
  const waits = tool(
    "waits",
    ({ gone }) => new Promise((resolve) => gone.addEventListener("abort", () => resolve(text("gone")))),
  );
  fixture = McpFixture.start({ era: "2025", tools: [logs, waits] });
  hub = await Hub.create({ processes: "hub", serve: ["--workers", "3", "--durability", "normal"] });
  await hub.createUser(EVE);
  token = (await hub.createToken(EVE)).token;
  await hub.addToolServer("old", { owner: EVE, url: fixture.url });
  await hub.addToolServer("memory", {
    owner: EVE,
    stdio: withMemory(join(home, "memory.jsonl"), [process.execPath, MEMORY]),
  });
  await hub.start();
}, 120_000);
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

type Session = Readonly<Record<string, string>>;
const ids = (function* () {
  for (let id = 1; ; id += 1) yield id;
})();

/** On a connection of its own, so that any process may take it. */
const rpc = async (
  method: string,
  params: JsonRecord,
  session: Session = {},
  id: number = ids.next().value ?? 0,
): Promise<string> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const headers = { ...ACCEPT, ...session };
  const response = await hub.fetch("/mcp/gateway", { method: "POST", token, headers, body, keepalive: false });
  return response.text();
};
const begin = async (): Promise<Session> => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const response = await hub.fetch("/mcp/gateway", { method: "POST", token, headers: ACCEPT, body, keepalive: false });
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
};

test("a level holds for the session's calls, at whichever process they arrive", async () => {
  verifies("tools.logging");
  const session = await begin();
  expect(parseJson(await rpc("logging/setLevel", { level: "info" }, session))).toMatchObject({ result: {} });
  const calls = Array.from({ length: TRIES }, () => rpc("tools/call", { name: "old__logs", arguments: {} }, session));
  for (const answer of await Promise.all(calls)) expect(answer).toContain("done");
  // One after the other, so that each message belongs to the one call that is open.
  for (let count = 0; count < TRIES; count += 1) {
    expect(await rpc("tools/call", { name: "old__logs", arguments: {} }, session)).toContain('"data":"working"');
  }
}, 60_000);

test("a call of the session is cancelled from wherever the notice arrives", async () => {
  verifies("tools.cancellation");
  const session = await begin();
  for (let count = 0; count < 6; count += 1) {
    const before = fixture.calls("waits").length;
    const call = rpc("tools/call", { name: "old__waits", arguments: {} }, session, 1_000 + count);
    await fixture.until(() => fixture.calls("waits").length > before);
    const notice = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1_000 + count } };
    const headers = { ...ACCEPT, ...session };
    const told = { method: "POST", token, headers, body: JSON.stringify(notice), keepalive: false };
    await (await hub.fetch("/mcp/gateway", told)).text();
    expect(await call).toContain("error");
  }
}, 60_000);

test("a program's resource is watched for the session's stream, whichever process runs it", async () => {
  verifies("tools.watching", "tools.session-stream");
  for (let count = 0; count < 4; count += 1) {
    const session = await begin();
    const leaving = new AbortController();
    const stream = await hub.fetch("/mcp/gateway", {
      method: "GET",
      token,
      headers: { ...session, accept: "text/event-stream" },
      signal: leaving.signal,
      keepalive: false,
    });
    expect(stream.status).toBe(200);
    let heard = "";
    const reading = (async () => {
      for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += chunk;
    })().catch(() => "it was left");
    const watched: unknown = parseJson(await rpc("resources/subscribe", { uri: GRAPH }, session));
    expect(isRecord(watched) && watched["result"]).toEqual({});
    const entities = [{ name: `entity ${count}`, entityType: "test", observations: [] }];
    await rpc("tools/call", { name: "memory__create_entities", arguments: { entities } }, session);
    const until = performance.now() + 10_000;
    while (!heard.includes("notifications/resources/updated") && performance.now() < until) await Bun.sleep(50);
    expect(heard).toContain(`"uri":"${GRAPH}"`);
    const ended = await hub.fetch("/mcp/gateway", { method: "DELETE", token, headers: session, keepalive: false });
    expect(ended.status).toBe(204);
    await reading;
    leaving.abort();
  }
}, 60_000);
