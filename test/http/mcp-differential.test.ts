import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { SseSplitter } from "#core/sse";
import { verifies } from "#test/support/verifies";
import { McpEndpoint, MODERN, modern, rpc, SCHEMA } from "./mcp-endpoint";

/** The protocol's own implementation, with a tool of the same name and schema. */
const oracle = createMcpHandler(() => {
  const server = new McpServer({ name: "oracle", version: "1" }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool("test__echo", { description: "The tool echo.", inputSchema: fromJsonSchema(SCHEMA) }, () => ({
    content: [{ type: "text", text: "" }],
  }));
  return server;
});

let endpoint: McpEndpoint;
beforeAll(() => {
  endpoint = new McpEndpoint();
});
afterAll(async () => {
  await oracle.close();
  await endpoint[Symbol.asyncDispose]();
});

type Headers = Readonly<Record<string, string>>;
type Case = { readonly body: unknown; readonly headers?: Headers };

const BOTH = "application/json, text/event-stream";
const V = "mcp-protocol-version";
const META = "io.modelcontextprotocol/";
const CALL = { name: "test__echo", arguments: { text: "hi" } };

const without = (headers: Headers, name: string): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));
/** A good request of the 2026 era, and what is done to it. */
const changed = (
  method: string,
  params: JsonRecord,
  change: (good: { headers: Headers; body: JsonRecord & { params: JsonRecord } }) => Case,
): Case => change(modern(method, params));
const withMeta = (method: string, meta: JsonRecord): Case =>
  changed(method, {}, ({ headers, body }) => ({ headers, body: { ...body, params: { _meta: meta } } }));
const goodMeta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };

/** What the two answer alike: status, the error's code, `result` or nothing, and the id. */
const CASES: Readonly<Record<string, Case>> = {
  ping: { body: rpc("ping") },
  "ping with a string id": { body: rpc("ping", undefined, "a") },
  list: { body: rpc("tools/list") },
  "list, newest version": { body: rpc("tools/list"), headers: { [V]: "2025-11-25" } },
  "list, oldest version": { body: rpc("tools/list"), headers: { [V]: "2024-11-05" } },
  "list, unknown version": { body: rpc("tools/list"), headers: { [V]: "1999-01-01" } },
  "list, Mcp-Method of another": { body: rpc("tools/list"), headers: { "mcp-method": "tools/call" } },
  call: { body: rpc("tools/call", CALL) },
  "call without a name": { body: rpc("tools/call", {}) },
  "call without parameters": { body: rpc("tools/call") },
  "call of an unknown tool": { body: rpc("tools/call", { name: "test__none" }) },
  "unknown method": { body: rpc("no/such") },
  "a method that every object has": { body: rpc("toString") },
  "a method of clients": { body: rpc("roots/list") },
  initialize: {
    body: rpc("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "a", version: "1" },
    }),
  },
  "initialize for 2026": {
    body: rpc("initialize", { protocolVersion: MODERN, capabilities: {}, clientInfo: { name: "a", version: "1" } }),
  },
  "initialize with the header of 2026": {
    body: rpc("initialize", { protocolVersion: MODERN }),
    headers: { [V]: MODERN },
  },
  initialized: { body: { jsonrpc: "2.0", method: "notifications/initialized" } },
  "an unknown notice": { body: { jsonrpc: "2.0", method: "notifications/none" } },
  "a notice, unknown version": {
    body: { jsonrpc: "2.0", method: "notifications/initialized" },
    headers: { [V]: "1999-01-01" },
  },
  "a result": { body: { jsonrpc: "2.0", id: 1, result: {} } },
  "an error": { body: { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } } },
  "a result under 2026": { body: { jsonrpc: "2.0", id: 1, result: {} }, headers: { [V]: MODERN } },
  "not JSON": { body: "{" },
  nothing: { body: "" },
  "id null": { body: { jsonrpc: "2.0", id: null, method: "ping" } },
  "id true": { body: { jsonrpc: "2.0", id: true, method: "ping" } },
  "id of parts": { body: { jsonrpc: "2.0", id: 1.5, method: "ping" } },
  "parameters in a list": { body: { jsonrpc: "2.0", id: 1, method: "ping", params: [] } },
  "another JSON-RPC": { body: { jsonrpc: "1.0", id: 1, method: "ping" } },
  "a number for JSON-RPC": { body: { jsonrpc: 2, id: 1, method: "ping" } },
  "method of no text": { body: { jsonrpc: "2.0", id: 1, method: 1 } },
  "no JSON-RPC": { body: { id: 1, method: "ping" } },
  "an empty object": { body: {} },
  "a text": { body: '"text"' },
  "a number": { body: "1" },
  null: { body: "null" },
  "an empty batch": { body: [] },
  "a batch": { body: [rpc("ping")] },
  "a batch of notices": { body: [{ jsonrpc: "2.0", method: "notifications/initialized" }] },
  "a batch with something else": { body: [rpc("ping"), 1] },
  "a batch with initialize": {
    body: [
      rpc("ping"),
      rpc(
        "initialize",
        { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "a", version: "1" } },
        2,
      ),
    ],
  },
  "a batch of 101": { body: Array.from({ length: 101 }, (_, id) => rpc("ping", undefined, id)) },
  "a batch under 2026": { body: [rpc("ping")], headers: { [V]: MODERN } },
  "a batch with one of 2026": { body: [rpc("ping"), modern("tools/list").body] },
  "accepts JSON only": { body: rpc("ping"), headers: { accept: "application/json" } },
  "accepts nothing we have": { body: rpc("ping"), headers: { accept: "image/png" } },
  "sent as plain text": { body: rpc("ping"), headers: { "content-type": "text/plain" } },

  "2026: discover": modern("server/discover"),
  "2026: list": modern("tools/list"),
  "2026: call": modern("tools/call", CALL),
  "2026: call, encoded name": changed("tools/call", CALL, ({ headers, body }) => ({
    headers: { ...headers, "mcp-name": `=?base64?${btoa("test__echo")}?=` },
    body,
  })),
  "2026: call, name wrongly encoded": changed("tools/call", CALL, ({ headers, body }) => ({
    headers: { ...headers, "mcp-name": "=?base64?*?=" },
    body,
  })),
  "2026: call, another name": changed("tools/call", CALL, ({ headers, body }) => ({
    headers: { ...headers, "mcp-name": "test__other" },
    body,
  })),
  "2026: call, no name header": changed("tools/call", CALL, ({ headers, body }) => ({
    headers: without(headers, "mcp-name"),
    body,
  })),
  "2026: call, no name": modern("tools/call", {}),
  "2026: call, unknown tool": modern("tools/call", { name: "test__none" }),
  "2026: unknown tool, header of another": changed("tools/call", { name: "test__none" }, ({ headers, body }) => ({
    headers: { ...headers, "mcp-name": "test__echo" },
    body,
  })),
  "2026: call, argument not repeated": modern("tools/call", { ...CALL, arguments: { region: "eu" } }),
  "2026: call, argument repeated": changed(
    "tools/call",
    { ...CALL, arguments: { region: "eu", count: 3 } },
    ({ headers, body }) => ({
      headers: { ...headers, "mcp-param-region": "eu", "mcp-param-count": "3.0" },
      body,
    }),
  ),
  "2026: call, argument repeated wrongly": changed(
    "tools/call",
    { ...CALL, arguments: { region: "eu" } },
    ({ headers, body }) => ({
      headers: { ...headers, "mcp-param-region": "us" },
      body,
    }),
  ),
  "2026: call, argument null": modern("tools/call", { ...CALL, arguments: { region: null } }),
  "2026: no version header": changed("tools/list", {}, ({ headers, body }) => ({ headers: without(headers, V), body })),
  "2026: another version header": changed("tools/list", {}, ({ headers, body }) => ({
    headers: { ...headers, [V]: "2025-11-25" },
    body,
  })),
  "2026: no method header": changed("tools/list", {}, ({ headers, body }) => ({
    headers: without(headers, "mcp-method"),
    body,
  })),
  "2026: another method header": changed("tools/list", {}, ({ headers, body }) => ({
    headers: { ...headers, "mcp-method": "tools/call" },
    body,
  })),
  "2026: header alone": { body: rpc("tools/list"), headers: { [V]: MODERN, "mcp-method": "tools/list" } },
  "2026: header alone, empty _meta": withMeta("tools/list", {}),
  "2026: no capabilities": withMeta("tools/list", { [`${META}protocolVersion`]: MODERN }),
  "2026: capabilities of no kind": withMeta("tools/list", { ...goodMeta, [`${META}clientCapabilities`]: [] }),
  "2026: no client": withMeta("tools/list", goodMeta),
  "2026: client without version": withMeta("tools/list", { ...goodMeta, [`${META}clientInfo`]: { name: "a" } }),
  "2026: version of no text": withMeta("tools/list", { ...goodMeta, [`${META}protocolVersion`]: 1 }),
  "2026: version to come": changed("tools/list", {}, ({ headers }) => ({
    headers: { ...headers, [V]: "2031-01-01" },
    body: rpc("tools/list", { _meta: { ...goodMeta, [`${META}protocolVersion`]: "2031-01-01" } }),
  })),
  "2026: version long gone": changed("tools/list", {}, ({ headers }) => ({
    headers: { ...headers, [V]: "2025-11-25" },
    body: rpc("tools/list", { _meta: { ...goodMeta, [`${META}protocolVersion`]: "2025-11-25" } }),
  })),
  "2026: header to come, alone": { body: rpc("tools/list"), headers: { [V]: "2031-01-01" } },
  "2026: initialize": modern("initialize", {}),
  "2026: ping": modern("ping"),
  "2026: logging": modern("logging/setLevel", { level: "info" }),
  "2026: unknown method": modern("no/such"),
  "2026: a prompt, no name header": changed("prompts/get", { name: "p" }, ({ headers, body }) => ({
    headers: without(headers, "mcp-name"),
    body,
  })),
  "2026: a resource, another name": changed("resources/read", { uri: "a:b" }, ({ headers, body }) => ({
    headers: { ...headers, "mcp-name": "a:c" },
    body,
  })),
  "2026: a method of clients": modern("roots/list"),
  "2026: a notice": {
    body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    headers: { [V]: MODERN },
  },
  "2026: a notice, method header of another": {
    body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    headers: { [V]: MODERN, "mcp-method": "ping" },
  },
  "2026: a notice of a version to come": {
    body: {
      jsonrpc: "2.0",
      method: "notifications/x",
      params: { _meta: { [`${META}protocolVersion`]: "2031-01-01" } },
    },
  },
  "2026: listen to nothing": modern("subscriptions/listen", { notifications: {} }),
  "2026: listen without saying to what": modern("subscriptions/listen"),
  "2026: listen to something odd": modern("subscriptions/listen", { notifications: { toolsListChanged: "yes" } }),
};

/** Where we answer otherwise, and why. */
const ON_PURPOSE: Readonly<Record<string, { readonly ours: string; readonly theirs: string; readonly why: string }>> = {
  "no JSON-RPC": {
    ours: "400 invalid_value",
    theirs: "400 -32600 for 1",
    why: "the minimal dialect, which has no such method",
  },
  "an empty object": {
    ours: "400 invalid_value",
    theirs: "400 -32600 for null",
    why: "the minimal dialect, without a method",
  },
  "a text": {
    ours: "400 invalid_value",
    theirs: "400 -32600 for null",
    why: "no JSON-RPC, so the minimal dialect's errors",
  },
  "a number": { ours: "400 invalid_value", theirs: "400 -32600 for null", why: "as a text" },
  null: { ours: "400 invalid_value", theirs: "400 -32600 for null", why: "as a text" },
  "list, unknown version": {
    ours: "400 -32000 for 1",
    theirs: "400 -32000 for null",
    why: "the id could be read, so it is repeated (JSON-RPC 2.0 §5)",
  },
  "id of parts": {
    ours: "200 result for 1.5",
    theirs: "400 -32600 for 1.5",
    why: "JSON-RPC only advises against them",
  },
  "accepts JSON only": {
    ours: "200 result for 1",
    theirs: "406 -32000 for null",
    why: "curl and plain programs can do without streams",
  },
  "accepts nothing we have": {
    ours: "200 result for 1",
    theirs: "406 -32000 for null",
    why: "RFC 9110 §12.5.1 allows it, and an answer helps more",
  },
  "sent as plain text": {
    ours: "200 result for 1",
    theirs: "415 -32000 for null",
    why: "the body is read as JSON whatever it is called, as under /v1",
  },
};

const seen = async (response: Response): Promise<string> => {
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const last = isStream ? new SseSplitter().push(text).findLast(({ data }) => data !== null)?.data : text;
  if (last === undefined || last === null || last === "") return `${response.status}`;
  const body = parseJson(last);
  const one: unknown = Array.isArray(body) ? body[0] : body;
  const error = isRecord(one) ? one["error"] : undefined;
  const what = isRecord(error) ? String(error["code"]) : "result";
  return isRecord(one) && one["jsonrpc"] === "2.0"
    ? `${response.status} ${what} for ${JSON.stringify(one["id"])}`
    : `${response.status} ${what}`;
};

test("malformed and odd requests are answered as the protocol's own implementation does", async () => {
  verifies("tools.dialect-2025", "tools.dialect-2026", "tools.dialect-total");
  const differences: Record<string, unknown> = {};
  for (const [name, { body, headers }] of Object.entries(CASES)) {
    const sent = { accept: BOTH, "content-type": "application/json", ...headers };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const ours = await seen(await endpoint.post(text, sent));
    const theirs = await seen(
      await oracle.fetch(new Request(endpoint.url, { method: "POST", headers: sent, body: text === "" ? null : text })),
    );
    if (ours !== theirs) differences[name] = { ours, theirs };
  }
  const expected = Object.entries(ON_PURPOSE).map(([name, { ours, theirs }]) => [name, { ours, theirs }]);
  expect(differences).toEqual(Object.fromEntries(expected));
});
