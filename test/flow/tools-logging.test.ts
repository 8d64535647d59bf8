import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { isRecord, type JsonRecord } from "#core/json/json";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { asTransport } from "#test/support/mcp-transport";
import { verifies } from "#test/support/verifies";
import { type Answer, EVE, ToolWorld } from "./tools-world";

const EVERYTHING = resolve(import.meta.dir, "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const SECRET = `ghp_${"A1b2C3d4E5".repeat(3)}A1b2C3`;

/** Logs what it is given, one message after the other. */
const logs = tool(
  "logs",
  ({ arguments: { messages }, log }) => {
    for (const message of Array.isArray(messages) ? messages : []) {
      if (!isRecord(message)) continue;
      log(`${message["level"]}`, message["data"] === "its secret" ? `token ${SECRET}` : message["data"]);
    }
    return text("done");
  },
  { type: "object", properties: { messages: { type: "array" } } },
);

let world: ToolWorld;
let fixtures: Readonly<Record<"old" | "new", McpFixture>>;
beforeAll(async () => {
  fixtures = {
    old: McpFixture.start({ era: "2025", tools: [logs] }),
    new: McpFixture.start({ era: "2026", tools: [logs] }),
  };
  world = await ToolWorld.open({
    before: async (hub) => {
      for (const [slug, { url }] of Object.entries(fixtures)) await hub.addToolServer(slug, { owner: EVE, url });
      await hub.addToolServer("every", { owner: EVE, stdio: [process.execPath, EVERYTHING, "stdio"] });
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  for (const fixture of Object.values(fixtures ?? {})) await fixture[Symbol.asyncDispose]();
});

const session = async (): Promise<Readonly<Record<string, string>>> => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const { headers } = await world.legacy("initialize", params);
  return { "mcp-session-id": headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
};
type Call = (server: string, level: string | null, messages: readonly JsonRecord[]) => Promise<Answer>;
const asOlder: Call = async (server, level, messages) => {
  const headers = await session();
  if (level !== null) await world.legacy("logging/setLevel", { level }, { headers });
  return world.legacy("tools/call", { name: `${server}__logs`, arguments: { messages } }, { headers });
};
const asNewer: Call = (server, level, messages) => {
  const _meta = level === null ? {} : { "io.modelcontextprotocol/logLevel": level };
  return world.modern("tools/call", { name: `${server}__logs`, arguments: { messages }, _meta });
};
const logged = ({ news }: Answer): unknown[] =>
  news.filter(({ method }) => method === "notifications/message").map(({ params }) => params);
const message = (level: string, data: unknown): JsonRecord => ({ level, data });

describe.each([
  { client: "of the 2025 era", call: asOlder },
  { client: "of 2026-07-28", call: asNewer },
])("a client $client", ({ call }) => {
  test.each(["old", "new"])("hears what the %s server logs, from its level on, before the answer", async (server) => {
    verifies("tools.logging");
    const all = [message("debug", "small"), message("warning", { disk: "full" }), message("error", "gone")];
    const answer = await call(server, "warning", all);
    expect(logged(answer)).toEqual([
      { level: "warning", logger: server, data: { disk: "full" } },
      { level: "error", logger: server, data: "gone" },
    ]);
    expect(answer.result.content[0]?.text).toBe("done");
    expect((await world.recordOf(answer)).call.tool.logged).toEqual({ told: 2, left_out: 0, blocked: 0 });
  });

  test.each(["old", "new"])("hears nothing of the %s server without asking for it", async (server) => {
    verifies("tools.logging");
    const answer = await call(server, null, [message("emergency", "gone")]);
    expect(logged(answer)).toEqual([]);
    expect((await world.recordOf(answer)).call.tool.logged).toBeUndefined();
  });

  test.each(["old", "new"])("is not told a secret that the %s server logs", async (server) => {
    verifies("tools.logging-guarded");
    const answer = await call(server, "debug", [message("info", "its secret"), message("info", "fine")]);
    expect(answer.raw).not.toContain(SECRET);
    expect(logged(answer)).toContainEqual({ level: "info", logger: server, data: "fine" });
    const record = await world.recordOf(answer);
    expect(record.call.flags.length).toBeGreaterThan(0);
    expect(JSON.stringify(record)).not.toContain(SECRET);
  });

  test.each(["old", "new"])("is told a bounded number and size by the %s server", async (server) => {
    verifies("tools.logging-guarded");
    const many = Array.from({ length: 120 }, (_, at) => message("info", at));
    const answer = await call(server, "info", [message("info", "x".repeat(20_000)), ...many]);
    expect(logged(answer).length).toBe(100);
    expect((await world.recordOf(answer)).call.tool.logged).toEqual({ told: 100, left_out: 21, blocked: 0 });
  });

  test("asks for a level that there is", async () => {
    verifies("tools.logging");
    const answer =
      call === asNewer
        ? await call("new", "loud", [])
        : await world.legacy("logging/setLevel", { level: "loud" }, { headers: await session() });
    expect(answer.error["code"]).toBe(-32_602);
  });
});

test("a level is its session's alone, and ends with it", async () => {
  verifies("tools.logging");
  const [one, other] = [await session(), await session()];
  await world.legacy("logging/setLevel", { level: "debug" }, { headers: one });
  const call = async (headers: Readonly<Record<string, string>>) =>
    logged(
      await world.legacy(
        "tools/call",
        { name: "old__logs", arguments: { messages: [message("info", 1)] } },
        { headers },
      ),
    );
  expect([(await call(one)).length, (await call(other)).length]).toEqual([1, 0]);
  // Another token's session of the same id is another session.
  const gone = await world.hub.fetch("/mcp/gateway", { method: "DELETE", token: world.token, headers: one });
  expect(gone.status).toBe(204);
  expect((await call(one)).length).toBe(0);
  expect((await world.legacy("logging/setLevel", { level: "info" })).status).toBe(404);
});

test("the SDKs hear the example server of the MCP project, over its standard streams", async () => {
  verifies("tools.logging");
  const heard: unknown[] = [];
  const requestInit = { headers: { authorization: `Bearer ${world.token}` } };
  const info = { name: "guardhouse-tests", version: "1.0.0" };
  const older = new Client(info);
  older.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.logger));
  await older.connect(asTransport(new StreamableHTTPClientTransport(new URL(world.url), { requestInit })));
  expect(older.getServerCapabilities()).toMatchObject({ logging: {} });
  await older.setLoggingLevel("debug");
  await older.callTool({ name: "old__logs", arguments: { messages: [message("debug", "to SDK 1.x")] } });
  await older.close();
  const newer = new ModernClient(info, { versionNegotiation: { mode: "legacy" } });
  newer.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.logger));
  await newer.connect(new ModernTransport(new URL(world.url), { requestInit }));
  await newer.setLoggingLevel("debug");
  await newer.callTool({ name: "new__logs", arguments: { messages: [message("debug", "to SDK 2.x")] } });
  await newer.close();
  expect(heard).toEqual(["old", "new"]);
  expect((await world.text("every__toggle-simulated-logging")).length).toBeGreaterThan(0);
});
