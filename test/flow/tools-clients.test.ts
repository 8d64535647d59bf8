import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonRecord } from "#core/json/json";
import { McpFixture } from "#test/support/mcp-fixture";
import { asTransport } from "#test/support/mcp-transport";
import { verifies } from "#test/support/verifies";
import { EVE, ToolWorld, WHOAMI } from "./tools-world";

let world: ToolWorld;
let fixtures: Readonly<Record<"both" | "old" | "new", McpFixture>>;
beforeAll(async () => {
  fixtures = {
    both: McpFixture.start(),
    old: McpFixture.start({ era: "2025", pageSize: 5 }),
    new: McpFixture.start({ era: "2026", pageSize: 5 }),
  };
  world = await ToolWorld.open({
    before: async (hub) => {
      for (const [slug, { url }] of Object.entries(fixtures)) await hub.addToolServer(slug, { owner: EVE, url });
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  for (const fixture of Object.values(fixtures ?? {})) await fixture[Symbol.asyncDispose]();
});

const INFO = { name: "guardhouse-tests", version: "1.0.0" };
const SLOW = { name: "both__slow", arguments: { steps: 500, gap_ms: 20 } };

type Progress = { readonly progress: number; readonly total?: number | undefined };
/** What the tests ask of a client, whichever it is. */
type Driver = {
  names(): Promise<string[]>;
  call(name: string, args: JsonRecord, onprogress?: (progress: Progress) => void): Promise<unknown>;
  /** A call that is given up when the signal aborts. */
  giveUp(signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
};

const requestInit = () => ({ headers: { authorization: `Bearer ${world.token}` } });

const oldClient = async (): Promise<Driver> => {
  const transport = new StreamableHTTPClientTransport(new URL(world.url), { requestInit: requestInit() });
  const client = new Client(INFO);
  // Its types know no `exactOptionalPropertyTypes`: the session's id alone is in the way.
  await client.connect(asTransport(transport));
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, undefined, onprogress === undefined ? {} : { onprogress }),
    giveUp: (signal) => client.callTool(SLOW, undefined, { signal }),
    close: () => client.close(),
  };
};

const newClient = async (mode: "legacy" | "auto" | { pin: string }): Promise<Driver> => {
  const transport = new ModernTransport(new URL(world.url), { requestInit: requestInit() });
  const client = new ModernClient(INFO, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, onprogress === undefined ? {} : { onprogress }),
    giveUp: (signal) => client.callTool(SLOW, { signal }),
    close: () => client.close(),
  };
};

const CLIENTS = [
  { client: "SDK 1.x", open: oldClient, dialect: "2025" },
  { client: "SDK 2.x as of the 2025 era", open: () => newClient("legacy"), dialect: "2025" },
  { client: "SDK 2.x that finds out", open: () => newClient("auto"), dialect: "2026" },
  { client: "SDK 2.x of the 2026 era", open: () => newClient({ pin: "2026-07-28" }), dialect: "2026" },
];

/** Each client against a tool server of each era: what is between them is translated. */
const SERVERS = ["both", "old", "new"];

describe.each(CLIENTS)("$client", ({ open, dialect }) => {
  let client: Driver;
  beforeAll(async () => {
    client = await open();
  });
  afterAll(() => client?.close());

  test("lists the tools of every server", async () => {
    verifies("tools.sdk-clients");
    const names = await client.names();
    for (const slug of SERVERS) expect(names).toContain(`${slug}__add`);
    expect(names).toContain(WHOAMI);
    const [newest] = (await world.records()).filter(({ kind }) => kind === "tool.list");
    expect(newest?.call.tool.dialect).toBe(dialect);
  });

  test.each(SERVERS)("calls tools of the server that speaks %s", async (slug) => {
    verifies("tools.sdk-clients");
    const sum = { content: [{ type: "text", text: "42" }], structuredContent: { sum: 42 } };
    expect(await client.call(`${slug}__add`, { a: 40, b: 2 })).toMatchObject(sum);
    expect(await client.call(`${slug}__test_error_handling`, {})).toMatchObject({ isError: true });
    expect(await client.call(`${slug}__test_image_content`, {})).toMatchObject({ content: [{ type: "image" }] });
    expect(await client.call(`${slug}__test_header_tool`, { region: "Köln", note: "n" })).toMatchObject({
      content: [{ text: "Region Köln" }],
    });
    await expect(client.call(`${slug}__no_such`, {})).rejects.toThrow("no such tool");
  });

  test.each(SERVERS)("follows the progress of the server that speaks %s", async (slug) => {
    verifies("tools.sdk-clients");
    const told: Progress[] = [];
    const call = await client.call(`${slug}__slow`, { steps: 4, gap_ms: 10 }, (progress) => told.push(progress));
    expect(call).toMatchObject({ content: [{ text: "done after 4 steps" }] });
    expect(told).toEqual([1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
  });

  test("cancels", async () => {
    verifies("tools.sdk-clients");
    const before = { calls: fixtures.both.calls("slow").length, cancelled: fixtures.both.cancelled.length };
    const leave = new AbortController();
    const call = client.giveUp(leave.signal).catch((error: unknown) => error);
    await fixtures.both.until(() => fixtures.both.calls("slow").length > before.calls);
    leave.abort();
    expect(await call).toBeInstanceOf(Error);
    await fixtures.both.until(() => fixtures.both.cancelled.length > before.cancelled);
  });
});
