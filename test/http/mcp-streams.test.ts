import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { JsonRecord } from "#core/json/json";
import { type SseEvent, SseSplitter } from "#core/sse";
import { verifies } from "#test/support/verifies";
import { McpEndpoint, modern, OTHER_TOKEN, rpc, TOKEN, until } from "./mcp-endpoint";

let endpoint: McpEndpoint;
beforeEach(() => {
  endpoint = new McpEndpoint();
});
afterEach(() => endpoint[Symbol.asyncDispose]());

const EVENTS = { accept: "application/json, text/event-stream" };
const call = (name: string, args: JsonRecord = {}, more: JsonRecord = {}) => ({
  name: `test__${name}`,
  arguments: args,
  ...more,
});
const withToken = (progressToken: unknown) => ({ _meta: { progressToken } });

/** The messages of an event stream, as they come. */
async function* messagesOf(response: Response): AsyncGenerator<JsonRecord> {
  const splitter = new SseSplitter();
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    for (const { data } of splitter.push(decoder.decode(piece, { stream: true }))) {
      if (data !== null) yield JSON.parse(data);
    }
  }
}
const rest = async (messages: AsyncGenerator<JsonRecord>): Promise<JsonRecord[]> => {
  const all: JsonRecord[] = [];
  for await (const message of messages) all.push(message);
  return all;
};

describe("progress", () => {
  const wishes = [
    ["2025", rpc("tools/call", call("news", {}, withToken("mine")), 9), EVENTS],
    [
      "2026",
      modern("tools/call", call("news", {}, withToken("mine")), 9).body,
      modern("tools/call", call("news")).headers,
    ],
  ] as const;
  for (const [era, body, headers] of wishes) {
    test(`of ${era} comes under the caller's own token, before the result`, async () => {
      verifies("tools.progress");
      const response = await endpoint.post(body, headers);
      expect(response.headers.get("content-type")).toStartWith("text/event-stream");
      expect(response.headers.get("x-accel-buffering")).toBe("no");
      expect(response.headers.get("x-request-id")).toBe(endpoint.tools.calls[0]?.request.id ?? "");
      const messages = messagesOf(response);
      // The head and the first are here before the call ends.
      const { value: first } = await messages.next();
      expect(first).toEqual({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progress: 1, total: 3, message: "one", progressToken: "mine" },
      });
      endpoint.tools.release.resolve();
      expect(await rest(messages)).toMatchObject([
        { params: { progress: 2, progressToken: "mine" } },
        { params: { progress: 3, progressToken: "mine" } },
        { id: 9, result: { content: [{ text: "done" }] } },
      ]);
      expect(endpoint.openCalls.size).toBe(0);
    });
  }

  test("is a stream only for who asks for it, takes it, and when there is any", async () => {
    verifies("tools.progress");
    endpoint.tools.release.resolve();
    const plain = [
      [rpc("tools/call", call("news")), EVENTS],
      [rpc("tools/call", call("news", {}, withToken(1))), { accept: "application/json" }],
      [rpc("tools/call", call("news", {}, withToken(null))), EVENTS],
      [rpc("tools/call", call("news", {}, withToken({}))), EVENTS],
      [rpc("tools/call", call("echo", {}, withToken(1))), EVENTS],
      [rpc("tools/list", withToken(1)), EVENTS],
      [[rpc("tools/call", call("news", {}, withToken(1)))], EVENTS],
      [{ method: "tools/call", params: call("news", {}, withToken(1)) }, EVENTS],
    ] as const;
    for (const [body, headers] of plain) {
      const response = await endpoint.post(body, headers);
      expect([body, response.headers.get("content-type")]).toEqual([body, "application/json"]);
      expect(response.headers.get("x-guard-action")).toBe(Array.isArray(body) ? null : "allow");
      await response.text();
    }
  });

  test("never carries the token that the hub and the tool's server agreed on", async () => {
    verifies("tools.progress");
    endpoint.tools.burst = [{ progressToken: "theirs", progress: 1 }];
    const response = await endpoint.post(rpc("tools/call", call("burst", {}, withToken(0))), EVENTS);
    const [news] = await rest(messagesOf(response));
    expect(news).toMatchObject({ params: { progress: 1, progressToken: 0 } });
  });

  test("is dropped rather than piled up for a client that does not read", async () => {
    verifies("tools.progress");
    const message = "x".repeat(100_000);
    endpoint.tools.burst = Array.from({ length: 200 }, (_, progress) => ({ progress, message }));
    const response = await endpoint.post(rpc("tools/call", call("burst", {}, withToken(1)), 5), EVENTS);
    const messages = await rest(messagesOf(response));
    // The result is no news: it comes in any case.
    expect(messages.at(-1)).toMatchObject({ id: 5, result: {} });
    expect(messages.length).toBeLessThan(20);
    expect(messages.length).toBeGreaterThan(1);
  });
});

describe("MCP streams: closed connections", () => {
  const leave = async (body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const client = new AbortController();
    const answer = endpoint.post(body, headers, client.signal).catch(() => null);
    await until(() => endpoint.tools.calls.length === 1);
    client.abort();
    await answer;
  };

  test("has cancelled, in the minimal dialect and in 2026-07-28", async () => {
    verifies("tools.cancellation");
    await leave({ method: "tools/call", params: call("wait", { text: "minimal" }) });
    await until(() => endpoint.tools.aborted.length === 1);
    endpoint.tools.calls.length = 0;
    const { headers, body } = modern("tools/call", call("wait", { text: "2026" }));
    await leave(body, headers);
    await until(() => endpoint.tools.aborted.length === 2);
    expect(endpoint.tools.aborted).toEqual(["minimal", "2026"]);
  });

  test("has cancelled in 2026-07-28 when the stream had begun, too", async () => {
    verifies("tools.cancellation");
    const { headers, body } = modern("tools/call", call("news", {}, withToken(1)));
    const client = new AbortController();
    const messages = messagesOf(await endpoint.post(body, headers, client.signal));
    await messages.next();
    client.abort();
    await until(() => endpoint.tools.calls[0]?.request.signal.aborted === true);
    await until(() => endpoint.openCalls.size === 0);
  });

  test("has not cancelled in the 2025 era: there only a notice does", async () => {
    verifies("tools.cancellation");
    const gone: string[] = [];
    endpoint.onAbort = () => void gone.push("closed");
    await leave(rpc("tools/call", call("wait", { text: "2025" }), 77));
    await until(() => gone.length === 1);
    expect(endpoint.inFlight.size).toBe(1);
    expect(endpoint.tools.aborted).toEqual([]);
    const notice = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 77 } };
    // Another token's notice means another's call; another id means another call.
    await endpoint.post(notice, { authorization: `Bearer ${OTHER_TOKEN}` });
    await endpoint.post({ ...notice, params: { requestId: "77" } });
    await endpoint.post({ ...notice, params: {} });
    expect(endpoint.tools.aborted).toEqual([]);
    expect((await endpoint.post(notice)).status).toBe(202);
    await until(() => endpoint.inFlight.size === 0);
    expect(endpoint.tools.aborted).toEqual(["2025"]);
  });
});

describe("subscriptions/listen", () => {
  const listen = (
    notifications: unknown,
    id: string | number = "sub",
    authorization = `Bearer ${TOKEN}`,
    signal?: AbortSignal,
  ) => {
    const { headers, body } = modern("subscriptions/listen", { notifications }, id);
    return endpoint.post(body, { ...headers, authorization }, signal);
  };
  const tag = { _meta: { "io.modelcontextprotocol/subscriptionId": "sub" } };
  const acknowledged = {
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { toolsListChanged: true }, ...tag },
  };

  test("acknowledges, tells of changes, and lives until its client goes", async () => {
    verifies("tools.listen");
    const client = new AbortController();
    const messages = messagesOf(
      await listen({ toolsListChanged: true, promptsListChanged: true }, "sub", undefined, client.signal),
    );
    expect((await messages.next()).value).toMatchObject(acknowledged);
    endpoint.tools.change();
    expect((await messages.next()).value).toEqual({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: tag,
    });
    endpoint.tools.change();
    expect((await messages.next()).value).toMatchObject({ method: "notifications/tools/list_changed" });
    client.abort();
    await until(() => endpoint.subscriptions.size === 0 && endpoint.openCalls.size === 0);
    expect(endpoint.tools.watchers.size).toBe(0);
  });

  test("ends at once when nothing that is asked for exists", async () => {
    verifies("tools.listen");
    const messages = await rest(messagesOf(await listen({ resourceSubscriptions: ["a:b"] })));
    expect(messages).toMatchObject([
      { method: "notifications/subscriptions/acknowledged", params: { notifications: {}, ...tag } },
      { id: "sub", result: { resultType: "complete", ...tag } },
    ]);
    expect(endpoint.subscriptions.size + endpoint.openCalls.size + endpoint.tools.watchers.size).toBe(0);
  });

  test("ends with its token, and with the hub", async () => {
    verifies("tools.listen");
    const ours = messagesOf(await listen({ toolsListChanged: true }));
    const others = messagesOf(await listen({ toolsListChanged: true }, "sub", `Bearer ${OTHER_TOKEN}`));
    await ours.next();
    await others.next();
    endpoint.tokens.delete(TOKEN);
    expect(await rest(ours)).toMatchObject([{ id: "sub", result: { resultType: "complete" } }]);
    expect(endpoint.subscriptions.size).toBe(1);
    endpoint.subscriptions.close();
    expect(await rest(others)).toMatchObject([{ id: "sub", result: { resultType: "complete" } }]);
    expect(endpoint.openCalls.size).toBe(0);
  });

  test("a token holds only so many", async () => {
    verifies("tools.listen");
    const open = await Promise.all(Array.from({ length: 16 }, (_, id) => listen({ toolsListChanged: true }, id)));
    expect(new Set(open.map(({ headers }) => headers.get("content-type")))).toEqual(
      new Set(["text/event-stream; charset=utf-8"]),
    );
    const refused = await listen({ toolsListChanged: true }, 17);
    expect(await refused.json()).toMatchObject({ id: 17, error: { code: -32_603 } });
    const other = await listen({ toolsListChanged: true }, 18, `Bearer ${OTHER_TOKEN}`);
    expect(other.headers.get("content-type")).toStartWith("text/event-stream");
    await other.body?.cancel();
    for (const { body } of open) await body?.cancel();
    await until(() => endpoint.subscriptions.size === 0);
  });

  test("a silent stream is kept alive, within what proxies wait", async () => {
    verifies("tools.listen");
    const response = await listen({ toolsListChanged: true });
    const events: SseEvent[] = [];
    const splitter = new SseSplitter();
    const reader = response.body?.getReader();
    const take = async () => {
      const { value } = (await reader?.read()) ?? {};
      if (value) events.push(...splitter.push(new TextDecoder().decode(value)));
    };
    await take();
    // A clock that has gone on: 15 s later at the latest there is something.
    const now = performance.now();
    endpoint.openCalls.tick(now + 14_000);
    endpoint.openCalls.tick(now + 15_100);
    await take();
    expect(events.map(({ data, beside }) => (data === null ? beside : "message"))).toEqual(["message", ": keep-alive"]);
    await reader?.cancel();
  });
});
