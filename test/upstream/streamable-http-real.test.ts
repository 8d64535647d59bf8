import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { isRecord, type JsonRecord } from "#core/json/json";
import { anyPort } from "#test/support/port";
import { verifies } from "#test/support/verifies";
import { callOf, failureIn, never, upstreamTo } from "./scripted-mcp.ts";

const serve = (fetch: (request: Request) => Promise<Response>, port = 0) =>
  Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 0, fetch });

const EVERYTHING = resolve(import.meta.dir, "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** The MCP project's own server, in a process of its own. */
const everything = async (port: number) => {
  const child = Bun.spawn([process.execPath, EVERYTHING, "streamableHttp"], {
    env: { ...process.env, PORT: `${port}` },
    stdout: "ignore",
    stderr: "pipe",
  });
  const reader = child.stderr.getReader();
  let said = "";
  while (!said.includes("listening")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`server-everything did not start: ${said}`);
    said += new TextDecoder().decode(value);
  }
  return {
    stop: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
};

test("server-everything: list, calls, progress, cancellation, and a restart in between", async () => {
  verifies("tools.upstream-answers", "tools.upstream-progress", "tools.upstream-session");
  using held = anyPort();
  const { port } = held;
  const before = await everything(port);
  const upstream = upstreamTo(`http://127.0.0.1:${port}/mcp`);
  const { tools } = await upstream.list(never);
  const names = tools.map((tool) => (isRecord(tool) ? tool["name"] : null));
  expect(names).toContain("echo");
  expect(upstream.found).toMatchObject({ era: "legacy", version: "2025-11-25" });
  const echo = callOf({ arguments: { message: "hello" } });
  const echoed = { kind: "result", result: { content: [{ type: "text", text: "Echo: hello" }] } } as const;
  expect(await upstream.call(echo)).toEqual(echoed);
  const structured = callOf({ name: "get-structured-content", arguments: { location: "Chicago" } });
  expect(await upstream.call(structured)).toMatchObject({ result: { structuredContent: { temperature: 36 } } });
  const heard: JsonRecord[] = [];
  const long = { name: "trigger-long-running-operation", arguments: { duration: 0.4, steps: 4 } };
  await upstream.call(callOf({ ...long, onProgress: (params) => heard.push(params) }));
  expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3, 4]);
  const leaving = new AbortController();
  const left = upstream.call(
    callOf({
      ...long,
      arguments: { duration: 60, steps: 600 },
      signal: leaving.signal,
      onProgress: () => leaving.abort(),
    }),
  );
  expect(await failureIn(left)).toMatchObject({ reason: "cancelled" });
  await before.stop();
  const after = await everything(port);
  // A connection kept from before may be found closed: that is no answer, and nothing is asked twice for it.
  await upstream.call(echo).catch(() => {});
  expect(await upstream.call(echo)).toEqual(echoed);
  await upstream.close();
  await after.stop();
}, 120_000);

test("SDK 1.x: sessions, changes, and the farewell", async () => {
  verifies("tools.upstream-changes", "tools.upstream-session");
  const sessions = new Map<string, { transport: WebStandardStreamableHTTPServerTransport; server: Server }>();
  const closed: string[] = [];
  const begin = async () => {
    const server = new Server({ name: "v1", version: "1" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: "echo", inputSchema: { type: "object" } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [{ type: "text", text: JSON.stringify(params.arguments) }],
    }));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, server });
      },
      onsessionclosed: (id) => {
        closed.push(id);
      },
    });
    await server.connect(transport);
    return transport;
  };
  const http = serve(async (request) => {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return (await begin()).handleRequest(request);
    return sessions.get(id)?.transport.handleRequest(request) ?? new Response(null, { status: 404 });
  });
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
  const upstream = upstreamTo(http.url.href, { onListChanged: hear });
  expect(await upstream.list(never)).toEqual({
    tools: [{ name: "echo", inputSchema: { type: "object" } }],
    instructions: null,
    protocol: "2025-11-25",
    capabilities: { tools: { listChanged: true } },
  });
  expect(await upstream.call(callOf())).toMatchObject({ result: { content: [{ text: '{"text":"hello"}' }] } });
  const [first] = sessions.values();
  // The stream of changes is opened beside the calls: repeat until somebody listens.
  const news = setInterval(() => first?.server.sendToolListChanged(), 20);
  await heard;
  clearInterval(news);
  sessions.clear();
  expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
  const [id] = sessions.keys();
  await upstream.close();
  expect(closed).toEqual([id ?? "none"]);
  await http.stop(true);
});

describe("SDK 2.x", () => {
  const schema = {
    type: "object",
    properties: { text: { type: "string", "x-mcp-header": "Text" }, fail: { type: "boolean" } },
  } as const;
  const handler = () =>
    createMcpHandler(() => {
      const server = new McpServer(
        { name: "v2", version: "2" },
        { capabilities: { tools: { listChanged: true } }, instructions: "read me" },
      );
      server.registerTool(
        "echo",
        { inputSchema: fromJsonSchema<{ text: string }>(schema) },
        async ({ text }, { mcpReq }) => {
          const token = mcpReq._meta?.progressToken;
          if (token !== undefined) {
            await mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, progress: 1 } });
          }
          return { content: [{ type: "text", text }] };
        },
      );
      return server;
    });

  test("in 2026-07-28: headers it checks, progress, changes", async () => {
    verifies("tools.upstream-era", "tools.upstream-headers", "tools.upstream-changes", "tools.upstream-progress");
    const mcp = handler();
    const http = serve((request) => mcp.fetch(request));
    const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
    const upstream = upstreamTo(http.url.href, { onListChanged: hear });
    const { tools, instructions } = await upstream.list(never);
    expect(instructions).toBe("read me");
    expect(tools).toMatchObject([{ name: "echo" }]);
    expect(upstream.found).toMatchObject({ era: "modern", server: { name: "v2" } });
    const progress: JsonRecord[] = [];
    for (const text of ["plain", "größe\r\nx: y", "=?base64?x?="]) {
      const call = callOf({ arguments: { text }, inputSchema: schema, onProgress: (params) => progress.push(params) });
      expect(await upstream.call(call)).toMatchObject({ result: { content: [{ type: "text", text }] } });
    }
    expect(progress).toEqual([{ progress: 1 }, { progress: 1 }, { progress: 1 }]);
    // The header this tool wants is missing: the server says so, and the list is asked for again.
    expect(await upstream.call(callOf())).toMatchObject({ kind: "error", code: -32020 });
    await heard;
    const changed = Promise.withResolvers<void>();
    const listening = upstreamTo(http.url.href, { onListChanged: changed.resolve });
    await listening.list(never);
    const news = setInterval(() => mcp.notify.toolsChanged(), 20);
    await changed.promise;
    clearInterval(news);
    await Promise.all([upstream.close(), listening.close()]);
    await mcp.close();
    await http.stop(true);
  });

  test("in the 2025 era, without sessions", async () => {
    verifies("tools.upstream-era");
    const mcp = handler();
    const http = serve(async (request) =>
      request.headers.has("mcp-method") ? new Response(null, { status: 404 }) : mcp.fetch(request),
    );
    const upstream = upstreamTo(http.url.href);
    expect((await upstream.list(never)).tools).toMatchObject([{ name: "echo" }]);
    expect(await upstream.call(callOf())).toMatchObject({ result: { content: [{ text: "hello" }] } });
    expect(upstream.found).toMatchObject({ era: "legacy", session: null });
    await upstream.close();
    await mcp.close();
    await http.stop(true);
  });
});
