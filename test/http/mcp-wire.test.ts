import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  CallToolResultSchema,
  InitializeResultSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCResultResponseSchema,
  ListToolsResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { specTypeSchemas } from "@modelcontextprotocol/server";
import { isRecord, type JsonRecord } from "#core/json/json";
import { verifies } from "#test/support/verifies";
import { McpEndpoint, MODERN, modern, rpc, TOOLS } from "./mcp-endpoint";

let endpoint: McpEndpoint;
beforeEach(() => {
  endpoint = new McpEndpoint();
});
afterEach(() => endpoint[Symbol.asyncDispose]());

const call = (name: string, args: JsonRecord = {}) => ({ name: `test__${name}`, arguments: args });
const ask = async (body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const response = await endpoint.post(body, headers);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? null : JSON.parse(text) };
};
const resultOf = async (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<JsonRecord> => {
  const { result } = JSONRPCResultResponseSchema.parse((await ask(body, headers)).body);
  return result;
};
const modernly = (method: string, params: JsonRecord = {}) => {
  const { headers, body } = modern(method, params);
  return ask(body, headers);
};

test("a list that was sent before has the number and the form of its own request", async () => {
  const listing = { ...rpc("tools/list"), id: "ä" };
  for (const body of [rpc("tools/list"), listing, rpc("tools/list"), { ...listing, id: "x".repeat(1_000) }]) {
    const { id } = body;
    const { headers, body: answer } = await ask(body);
    expect(answer).toEqual({ jsonrpc: "2.0", id, result: { tools: TOOLS } });
    expect(headers.get("content-type")).toBe("application/json");
    expect((await ask({ method: "tools/list" })).body).toEqual({ tools: TOOLS });
    expect((await modernly("tools/list")).body).toMatchObject({ result: { tools: TOOLS, resultType: "complete" } });
  }
  const both = [
    { jsonrpc: "2.0", id: 1, result: { tools: TOOLS } },
    { jsonrpc: "2.0", id: "ä", result: { tools: TOOLS } },
  ];
  expect((await ask([{ ...rpc("tools/list"), id: 1 }, listing])).body).toEqual(both);
});

describe("minimal", () => {
  test("gets bare results", async () => {
    verifies("tools.dialect-minimal");
    const list = await ask({ method: "tools/list" });
    expect([list.status, list.body]).toEqual([200, { tools: TOOLS }]);
    expect(ListToolsResultSchema.parse(list.body).tools).toHaveLength(TOOLS.length);
    const answer = await ask({ method: "tools/call", params: call("echo", { text: "hi" }) });
    expect([answer.status, answer.body]).toEqual([200, { content: [{ type: "text", text: "hi" }] }]);
    expect(CallToolResultSchema.parse(answer.body).content).toHaveLength(1);
    expect(endpoint.tools.calls[0]?.request).toMatchObject({
      dialect: "minimal",
      clientCapabilities: null,
      onProgress: null,
    });
  });

  test("gets errors as status and envelope", async () => {
    verifies("tools.dialect-minimal");
    const cases = [
      [{ method: "tools/call", params: call("none") }, 404, "tool_not_found"],
      [{ method: "tools/call" }, 400, "invalid_value"],
      [{ method: "ping" }, 400, "invalid_value"],
      [{ method: 7 }, 400, "invalid_value"],
      [{}, 400, "invalid_value"],
      ["{", 400, "invalid_json"],
      [{ method: "tools/call", params: call("unaudited") }, 503, "audit_unavailable"],
      [{ method: "tools/call", params: call("broken") }, 500, "internal_error"],
    ] as const;
    for (const [body, status, code] of cases) {
      const answer = await ask(body);
      expect([body, answer.status, answer.body.error.code]).toEqual([body, status, code]);
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
  });

  test("is told of a server's own error, and of a tool that asks back, as of a call that failed", async () => {
    verifies("tools.dialect-minimal");
    const failed = await ask({ method: "tools/call", params: call("fail") });
    expect([failed.status, failed.body]).toEqual([
      200,
      { content: [{ type: "text", text: "The tool's own server says no." }], isError: true },
    ]);
    const asked = await ask({ method: "tools/call", params: call("ask") });
    expect(asked.body).toEqual({
      content: [{ type: "text", text: expect.stringContaining("2026-07-28") }],
      isError: true,
    });
  });
});

describe("2025-era JSON-RPC", () => {
  test("is greeted in its own version, or the newest of its era", async () => {
    verifies("tools.dialect-2025");
    const asked = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07", MODERN, "", undefined];
    const given = await Promise.all(
      asked.map(async (protocolVersion) =>
        InitializeResultSchema.parse(
          await resultOf(
            rpc("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } }),
          ),
        ),
      ),
    );
    expect(given.map((result) => result.protocolVersion)).toEqual([
      ...asked.slice(0, 4).map(String),
      ...Array.from({ length: 4 }, () => "2025-11-25"),
    ]);
    expect(given[0]).toMatchObject({
      serverInfo: { name: "guardhouse", version: "0.0.1" },
    });
    expect(given[0]?.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
  });

  test("gets results without words of the newer era", async () => {
    verifies("tools.dialect-2025");
    expect(await resultOf(rpc("tools/list"))).toEqual({ tools: TOOLS });
    expect(await resultOf(rpc("tools/call", call("flagged")))).toEqual({ content: [{ type: "text", text: "seen" }] });
    expect(await resultOf(rpc("tools/call", call("ask")))).toMatchObject({ isError: true });
    expect(await resultOf(rpc("ping"))).toEqual({});
  });

  test("batches are answered in order, and only what asks is answered", async () => {
    verifies("tools.dialect-2025");
    const notice = { jsonrpc: "2.0", method: "notifications/initialized" };
    const batch = [
      rpc("tools/call", call("echo", { text: "a" }), "x"),
      notice,
      rpc("no/such", undefined, 2),
      { jsonrpc: "2.0", id: 3, result: {} },
      rpc("tools/call", call("none"), 2),
      rpc("ping", undefined, 0),
    ];
    const { status, body, headers } = await ask(batch, { "mcp-protocol-version": "2025-03-26" });
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { id: "x", result: { content: [{ text: "a" }] } },
      { id: 2, error: { code: -32_601 } },
      { id: 2, error: { code: -32_602, data: { code: "tool_not_found" } } },
      { id: 0, result: {} },
    ]);
    // The first has the id that the caller sees; each has one of its own.
    const [first, ...others] = endpoint.tools.calls.map(({ request }) => request.id);
    expect(first).toBe(headers.get("x-request-id") ?? "");
    expect(others).not.toContain(first);
    const silent = await ask([notice, notice]);
    expect([silent.status, silent.text]).toEqual([202, ""]);
  });
});

describe("2026-07-28", () => {
  const valid = async (schema: "ListToolsResult" | "DiscoverResult" | "CallToolResult", value: unknown) => {
    const { issues } = await specTypeSchemas[schema]["~standard"].validate(value);
    expect(issues).toBeUndefined();
  };

  test("says all about itself, for this token alone", async () => {
    verifies("tools.dialect-2026");
    const discovered = (await modernly("server/discover")).body.result;
    expect(discovered).toMatchObject({
      supportedVersions: [MODERN],
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
        completions: {},
      },
      resultType: "complete",
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "guardhouse", version: "0.0.1" } },
    });
    await valid("DiscoverResult", discovered);
    const { status, body } = await modernly("tools/list");
    expect(status).toBe(200);
    await valid("ListToolsResult", body.result);
    expect(body.result).toMatchObject({ tools: TOOLS, resultType: "complete", cacheScope: "private" });
    expect(body.result.ttlMs).toBeGreaterThanOrEqual(0);
  });

  test("results are complete unless they say otherwise", async () => {
    verifies("tools.dialect-2026");
    const echoed = (await modernly("tools/call", call("echo", { text: "a" }))).body.result;
    expect(echoed).toMatchObject({ content: [{ text: "a" }], resultType: "complete" });
    await valid("CallToolResult", echoed);
    const asked = (await modernly("tools/call", call("ask"))).body.result;
    expect(asked).toMatchObject({ resultType: "input_required", requestState: "s" });
  });

  test("MCP gateway passes on client capabilities and missing-capability errors", async () => {
    verifies("tools.dialect-2026");
    const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} }, traceparent: "t" };
    const { status, body } = await modernly("tools/call", { ...call("fail", { code: -32_021 }), _meta });
    expect(status).toBe(400);
    expect(JSONRPCErrorResponseSchema.parse(body).error).toMatchObject({ code: -32_021, data: { why: "because" } });
    expect(endpoint.tools.calls[0]?.request).toMatchObject({
      dialect: "2026",
      clientCapabilities: { elicitation: {} },
      params: { _meta: { traceparent: "t" } },
    });
    // Codes that say something of headers and versions are the server's word about our request, not about the caller's.
    const other = await modernly("tools/call", call("fail", { code: -32_020 }));
    expect([other.status, other.body.error.code]).toEqual([200, -32_020]);
  });

  test("an unknown version is told those that are known", async () => {
    verifies("tools.dialect-2026");
    const { headers, body } = modern("tools/list");
    const to = "2030-01-01";
    const { _meta } = body.params;
    const asked = { ...body, params: { _meta: { ..._meta, "io.modelcontextprotocol/protocolVersion": to } } };
    const answer = await ask(asked, { ...headers, "mcp-protocol-version": to });
    expect([answer.status, answer.body.error]).toMatchObject([
      400,
      { code: -32_022, data: { supported: [MODERN], requested: to } },
    ]);
  });
});

test("MCP gateway: guard headers in every dialect", async () => {
  verifies("tools.dialect-minimal", "tools.dialect-2025", "tools.dialect-2026");
  const { headers: modernHeaders, body: modernBody } = modern("tools/call", call("flagged"));
  const asked = [
    [{ method: "tools/call", params: call("flagged") }, {}],
    [rpc("tools/call", call("flagged")), {}],
    [modernBody, modernHeaders],
  ] as const;
  for (const [body, sent] of asked) {
    const { headers } = await ask(body, { ...sent, "x-conversation-id": "talk" });
    expect(headers.get("x-guard-action")).toBe("flag");
    expect(headers.get("x-guard-event-id")).toBe("event-1");
    expect(headers.get("x-guard-overhead-ms")).toBe("0.250");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const last = endpoint.tools.calls.at(-1)?.request;
    expect(headers.get("x-request-id")).toBe(last?.id ?? "");
    expect(last?.conversation).toBe("talk");
  }
  const listed = await ask({ method: "tools/list" });
  expect(listed.headers.get("x-guard-action")).toBe("allow");
  expect(listed.headers.get("x-guard-event-id")).toBeNull();
  expect(isRecord(listed.body)).toBe(true);
});
