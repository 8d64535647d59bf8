import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JsonRecord } from "#core/json/json";
import { asTransport } from "#test/support/mcp-transport";
import { verifies } from "#test/support/verifies";
import { McpEndpoint, MODERN, TOKEN, TOOLS, until } from "./mcp-endpoint";

let endpoint: McpEndpoint;
beforeEach(() => {
  endpoint = new McpEndpoint();
});
afterEach(() => endpoint[Symbol.asyncDispose]());

const NAMES = TOOLS.map(({ name }) => name);
const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };

type Progress = { readonly progress: number; readonly total?: number | undefined };
type CallOptions = { readonly signal?: AbortSignal; readonly onprogress?: (progress: Progress) => void };
/** What the tests ask of a client, whichever it is. */
type Driver = {
  readonly version: string | undefined;
  list(): Promise<string[]>;
  call(name: string, args?: JsonRecord, options?: CallOptions): Promise<unknown>;
  close(): Promise<void>;
};

const oldClient = async (): Promise<Driver> => {
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), { requestInit });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(asTransport(transport));
  return {
    version: transport.protocolVersion,
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, CallToolResultSchema, options),
    close: () => client.close(),
  };
};

const newClient = async (mode: "legacy" | "auto" | { pin: string }): Promise<Driver> => {
  const transport = new ModernTransport(new URL(endpoint.url), { requestInit });
  const client = new ModernClient({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
};

const CLIENTS: readonly (readonly [name: string, open: () => Promise<Driver>, version: string])[] = [
  ["SDK 1.x", oldClient, "2025-11-25"],
  ["SDK 2.x of the older era", () => newClient("legacy"), "2025-11-25"],
  ["SDK 2.x that finds out", () => newClient("auto"), MODERN],
  ["SDK 2.x of the newer era", () => newClient({ pin: MODERN }), MODERN],
];

for (const [name, open, version] of CLIENTS) {
  const isModern = version === MODERN;
  describe(name, () => {
    test("connects, lists and calls", async () => {
      verifies("tools.dialect-2025", "tools.dialect-2026");
      const client = await open();
      expect(client.version).toBe(version);
      expect(await client.list()).toEqual(NAMES);
      const [first] = endpoint.tools.lists;
      expect(first?.dialect).toBe(isModern ? "2026" : "2025");
      for (const text of ["hi", 'ünï \u2028 "quoted" 😀', ""]) {
        expect(await client.call("test__echo", { text })).toMatchObject({ content: [{ type: "text", text }] });
      }
      // Arguments that the schema marks are repeated in headers by clients of the newer era, and checked.
      const args = { text: "x", region: "Köln", count: 7 };
      expect(await client.call("test__echo", args)).toMatchObject({ content: [{ type: "text", text: "x" }] });
      expect(endpoint.tools.calls.at(-1)?.request.params).toMatchObject({ name: "test__echo", arguments: args });
      await client.close();
    });

    test("is told of what fails in its own way", async () => {
      verifies("tools.dialect-2025", "tools.dialect-2026");
      const client = await open();
      await expect(client.call("test__none")).rejects.toMatchObject({ code: -32_602 });
      await expect(client.call("test__unaudited")).rejects.toMatchObject({
        code: -32_603,
        data: { code: "audit_unavailable" },
      });
      await expect(client.call("test__fail")).rejects.toMatchObject({ code: -32_010, data: { why: "because" } });
      await expect(client.call("test__broken")).rejects.toMatchObject({
        code: -32_603,
        data: { code: "internal_error" },
      });
      await client.call("test__echo");
      expect(endpoint.logs.join("\n")).toContain("http.unexpected");
      await client.close();
    });

    test("sees progress as it comes, in order, and then the result", async () => {
      verifies("tools.progress");
      const client = await open();
      const seen: number[] = [];
      const call = client.call("test__news", {}, { onprogress: ({ progress }) => void seen.push(progress) });
      // The first is here while the call still runs.
      await until(() => seen.length === 1);
      endpoint.tools.release.resolve();
      expect(await call).toMatchObject({ content: [{ type: "text", text: "done" }] });
      expect(seen).toEqual([1, 2, 3]);
      await client.close();
    });

    test("cancels", async () => {
      verifies("tools.cancellation");
      const client = await open();
      const stop = new AbortController();
      const call = client.call("test__wait", { text: "me" }, { signal: stop.signal });
      const other = client.call("test__wait", { text: "other" });
      await until(() => endpoint.tools.calls.length === 2);
      stop.abort();
      await expect(call).rejects.toThrow();
      await until(() => endpoint.tools.aborted.length === 1);
      endpoint.tools.release.resolve();
      expect(await other).toMatchObject({ content: [{ text: "waited" }] });
      expect(endpoint.tools.aborted).toEqual(["me"]);
      expect(endpoint.inFlight.size).toBe(0);
      await client.close();
    });
  });
}

test("a client that listens is told when its tools change", async () => {
  verifies("tools.listen");
  const changes: unknown[] = [];
  const client = new ModernClient(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: (error) => void changes.push(error) } },
    },
  );
  await client.connect(new ModernTransport(new URL(endpoint.url), { requestInit }));
  await until(() => endpoint.tools.watchers.size === 1);
  endpoint.tools.change();
  await until(() => changes.length === 1);
  expect(changes).toEqual([null]);
  await client.close();
  await until(() => endpoint.tools.watchers.size === 0);
  expect(endpoint.subscriptions.size).toBe(0);
  expect(endpoint.openCalls.size).toBe(0);
});
