import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isRecord } from "#core/json/json";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { type Answer, type AskOptions, EVE, ToolWorld, until, WHOAMI } from "./tools-world";

let world: ToolWorld;
let fixture: McpFixture;
beforeAll(async () => {
  fixture = McpFixture.start();
  world = await ToolWorld.open({ before: (hub) => hub.addToolServer("fixture", { owner: EVE, url: fixture.url }) });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

const toolsOf = ({ body }: Answer): unknown => {
  const holder = body["result"] ?? body;
  return typeof holder === "object" && holder !== null && "tools" in holder ? holder.tools : undefined;
};

describe("three dialects at one address", () => {
  test("without jsonrpc the answer is the bare result", async () => {
    verifies("tools.dialect-minimal");
    const list = await world.minimal("tools/list");
    expect(list.status).toBe(200);
    expect(Object.keys(list.body)).toEqual(["tools"]);
    const call = await world.minimal("tools/call", { name: "fixture__add", arguments: { a: 2, b: 40 } });
    expect(call.status).toBe(200);
    expect(call.body).toEqual({ content: [{ type: "text", text: "42" }], structuredContent: { sum: 42 } });
    expect(call.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("errors of the minimal dialect are HTTP's", async () => {
    verifies("tools.dialect-minimal");
    const unknown = await world.minimal("tools/call", { name: "fixture__no_such", arguments: {} });
    expect(unknown.status).toBe(404);
    expect(unknown.error).toMatchObject({ type: "invalid_request_error", code: "tool_not_found" });
    expect((await world.minimal("no/such")).status).toBe(400);
    const nameless = await world.minimal("tools/call", { arguments: {} });
    expect([nameless.status, nameless.error["param"]]).toEqual([400, "params.name"]);
    const wrong = await world.minimal("tools/call", { name: "fixture__echo", arguments: "text" });
    expect([wrong.status, wrong.error["param"]]).toEqual([400, "params.arguments"]);
    const broken = await world.hub.fetch("/mcp/gateway", { token: world.token, method: "POST", body: "{" });
    expect(broken.status).toBe(400);
    const stranger = await world.minimal("tools/list", undefined, { token: `gw-live-${"x".repeat(38)}` });
    expect(stranger.status).toBe(401);
    expect(stranger.headers.get("www-authenticate")).toMatch(/^Bearer /);
  });

  test("the 2025 era works without a handshake, and with one", async () => {
    verifies("tools.dialect-2025");
    for (const protocolVersion of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
      const hello = await world.legacy("initialize", { protocolVersion, capabilities: {}, clientInfo: {} });
      expect(hello.body).toMatchObject({ id: 1, result: { protocolVersion, capabilities: { tools: {} } } });
      const call = await world.legacy(
        "tools/call",
        { name: "fixture__echo", arguments: { message: "hi" } },
        { headers: { "mcp-protocol-version": protocolVersion } },
      );
      expect(call.result).toEqual({ content: [{ type: "text", text: "hi" }] });
    }
    const future = await world.legacy("initialize", {
      protocolVersion: "2099-01-01",
      capabilities: {},
      clientInfo: {},
    });
    expect(future.body).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    expect((await world.ask({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
    const batch = await world.ask([
      { jsonrpc: "2.0", id: "a", method: "ping" },
      { jsonrpc: "2.0", id: "b", method: "tools/call", params: { name: "fixture__echo", arguments: { message: "x" } } },
    ]);
    expect(await batch.json()).toMatchObject([
      { id: "a", result: {} },
      { id: "b", result: { content: [{ text: "x" }] } },
    ]);
    const unknown = await world.legacy("tools/call", { name: "fixture__no_such", arguments: {} });
    expect([unknown.status, unknown.error["code"]]).toEqual([200, -32602]);
    expect((await world.legacy("no/such")).error["code"]).toBe(-32601);
  });

  test("the 2026 era: every request stands for itself", async () => {
    verifies("tools.dialect-2026");
    const about = await world.modern("server/discover");
    expect(about.body).toMatchObject({ result: { supportedVersions: ["2026-07-28"], resultType: "complete" } });
    const list = await world.modern("tools/list");
    expect(list.body).toMatchObject({ result: { cacheScope: "private", resultType: "complete" } });
    const call = await world.modern("tools/call", { name: "fixture__add", arguments: { a: 1, b: 2 } });
    expect(call.result).toMatchObject({ structuredContent: { sum: 3 }, resultType: "complete" });
    const unknown = await world.modern("tools/call", { name: "fixture__no_such", arguments: {} });
    expect(unknown.error["code"]).toBe(-32602);
    const other = { name: "fixture__echo", arguments: {} };
    const mismatch = await world.modern("tools/call", other, { headers: { "mcp-name": "fixture__add" } });
    expect([mismatch.status, mismatch.error["code"]]).toEqual([400, -32020]);
    expect((await world.modern("ping")).status).toBe(404);
  });

  test("all of them list the same, in order of name, and all of the definition", async () => {
    verifies("tools.dialects-agree", "tools.definition-kept");
    const minimal = toolsOf(await world.minimal("tools/list"));
    expect(toolsOf(await world.legacy("tools/list"))).toEqual(minimal);
    expect(toolsOf(await world.modern("tools/list"))).toEqual(minimal);
    const tools = await world.tools();
    const names = tools.map(({ name }) => `${name}`);
    expect(names).toEqual([...names].sort());
    const expected = fixture.definitions.map(({ name, ...rest }) => ({ ...rest, name: `fixture__${name}` }));
    for (const definition of expected) expect(tools).toContainEqual(definition);
    expect(tools).toHaveLength(expected.length + 1);
    expect(names).toContain(WHOAMI);
  });

  test("GET and DELETE are refused, and nothing without a token", async () => {
    verifies("tools.transport");
    const { hub, token } = world;
    for (const method of ["GET", "DELETE"]) {
      expect((await hub.fetch("/mcp/gateway", { method })).status).toBe(401);
      const answer = await hub.fetch("/mcp/gateway", { method, token });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    }
    const foreign = await world.ask({ method: "tools/list" }, { headers: { origin: "https://evil.example" } });
    expect(foreign.status).toBe(403);
  });
});

describe("tool dialects: fields passed through", () => {
  test("contents of all kinds, annotations, a failed call, a call without arguments", async () => {
    verifies("tools.contents");
    const kinds = async (name: string) => (await world.call(`fixture__${name}`)).content.map(({ type }) => type);
    expect(await kinds("test_image_content")).toEqual(["image"]);
    expect(await kinds("test_audio_content")).toEqual(["audio"]);
    expect(await kinds("test_embedded_resource")).toEqual(["resource"]);
    expect(await kinds("test_multiple_content_types")).toEqual(["text", "image", "resource"]);
    expect(await world.call("fixture__test_error_handling")).toMatchObject({ isError: true });
    const bare = await world.minimal("tools/call", { name: "fixture__echo" });
    expect(bare.body).toEqual({ content: [{ type: "text", text: "" }] });
  });

  test("unknown content types and structured content that is no object", async () => {
    verifies("tools.contents");
    const strange = { content: [{ type: "hologram", depth: 3 }], structuredContent: [1, { two: 2 }], note: "kept" };
    fixture.set(tool("strange", () => strange));
    await world.listed((names) => names.includes("fixture__strange"));
    expect(await world.call("fixture__strange")).toMatchObject(strange);
  });

  test("headers a schema asks for", async () => {
    verifies("tools.param-headers");
    const region = "nörth-1";
    expect(await world.text("fixture__test_header_tool", { region })).toBe(`Region ${region}`);
    const sent = fixture.calls("test_header_tool").at(-1);
    expect(sent?.headers.get("mcp-param-region")).toBe(`=?base64?${Buffer.from(region).toString("base64")}?=`);
    const params = { name: "fixture__test_header_tool", arguments: { region: "south" } };
    const silent = await world.modern("tools/call", params);
    expect([silent.status, silent.error["code"]]).toEqual([400, -32020]);
    const spoken = await world.modern("tools/call", params, { headers: { "mcp-param-region": "south" } });
    expect(spoken.result.content[0]?.text).toBe("Region south");
  });

  test("progress, under the caller's own token", async () => {
    verifies("tools.progress");
    const params = {
      name: "fixture__slow",
      arguments: { steps: 3, message: "on it" },
      _meta: { progressToken: "mine" },
    };
    for (const answer of [await world.legacy("tools/call", params), await world.modern("tools/call", params)]) {
      const news = answer.news.map(({ method, params: said }) => ({ method, params: said }));
      const progress = (at: number) => ({ progressToken: "mine", progress: at, total: 3, message: "on it" });
      expect(news).toEqual([1, 2, 3].map((at) => ({ method: "notifications/progress", params: progress(at) })));
      expect(answer.result.content[0]?.text).toBe("done after 3 steps");
    }
    const quiet = await world.legacy("tools/call", { ...params, _meta: {} });
    expect([quiet.news, quiet.headers.get("content-type")]).toEqual([[], expect.stringContaining("application/json")]);
  });

  test("input that a tool asks for, from callers that can give it", async () => {
    verifies("tools.input-required");
    const name = "fixture__test_input_required_result_request_state";
    const capable = { _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } } };
    const asked = await world.modern("tools/call", { name, arguments: {}, ...capable });
    const { resultType, requestState } = isRecord(asked.body["result"]) ? asked.body["result"] : {};
    expect(resultType).toBe("input_required");
    const inputResponses = { confirm: { action: "accept", content: { ok: true } } };
    const done = await world.modern("tools/call", { name, arguments: {}, inputResponses, requestState, ...capable });
    expect(done.result.content[0]?.text).toBe("state-ok");
    expect(await world.call(name)).toMatchObject({ isError: true });
  });
});

test("hop-by-hop fields, and fields reserved to the hub, are removed", async () => {
  verifies("tools.meta");
  const _meta = { "guardhouse/event_id": "forged", "io.modelcontextprotocol/odd": 1, "example.com/kept": "yes" };
  fixture.set(tool("forges", () => text("ok", { _meta })));
  await world.listed((names) => names.includes("fixture__forges"));
  expect(await world.call("fixture__forges")).toEqual({
    content: [{ type: "text", text: "ok" }],
    _meta: { "example.com/kept": "yes" },
  });
  const params = { name: "fixture__echo", arguments: {}, _meta: { ..._meta, traceparent: "00-1-2-03" } };
  await world.legacy("tools/call", params);
  const sent = fixture.calls("echo").at(-1)?.params["_meta"];
  expect(sent).toMatchObject({ "example.com/kept": "yes", traceparent: "00-1-2-03" });
  expect(Object.keys(Object(sent))).not.toContain("guardhouse/event_id");
});

describe("cancelling", () => {
  const slow = { name: "fixture__slow", arguments: { steps: 500, gap_ms: 20 } };
  const before = () => ({ calls: fixture.calls("slow").length, cancelled: fixture.cancelled.length });

  test("a notification cancels in the 2025 era, and only the same token's", async () => {
    verifies("tools.cancel");
    const { calls, cancelled } = before();
    const call = world.ask({ jsonrpc: "2.0", id: "to-cancel", method: "tools/call", params: slow });
    await fixture.until(() => fixture.calls("slow").length > calls);
    const notice = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "to-cancel" } };
    const { token } = await world.hub.createToken(EVE);
    expect((await world.ask(notice, { token })).status).toBe(202);
    expect(fixture.cancelled).toHaveLength(cancelled);
    expect((await world.ask(notice)).status).toBe(202);
    await fixture.until(() => fixture.cancelled.length > cancelled);
    await (await call).body?.cancel();
  });

  /** How the calls of a conversation ended; waits for the first that did. */
  const outcomes = async (conversation: string) => {
    const records = await until(
      async () => (await world.records()).filter(({ call }) => call.conversation_id === conversation),
      (found) => found.some(({ phase }) => phase === "final"),
    );
    return records.filter(({ phase }) => phase === "final").map(({ outcome }) => outcome);
  };

  test.each([
    { dialect: "2026", ask: (options: AskOptions) => world.askModern("tools/call", slow, options) },
    { dialect: "minimal", ask: (options: AskOptions) => world.ask({ method: "tools/call", params: slow }, options) },
  ])("closing the connection cancels in the $dialect dialect", async ({ dialect, ask }) => {
    verifies("tools.cancel");
    const { calls, cancelled } = before();
    const leave = new AbortController();
    const headers = { "x-conversation-id": `left-${dialect}` };
    const call = ask({ signal: leave.signal, headers }).catch((error: unknown) => error);
    await fixture.until(() => fixture.calls("slow").length > calls);
    leave.abort();
    await call;
    await fixture.until(() => fixture.cancelled.length > cancelled);
    expect(await outcomes(`left-${dialect}`)).toEqual(["client_closed"]);
  });

  test("a client of the 2025 era that goes away has not cancelled", async () => {
    verifies("tools.cancel");
    const { calls, cancelled } = before();
    const leave = new AbortController();
    const params = { name: "fixture__slow", arguments: { steps: 10, gap_ms: 20 } };
    const options = { signal: leave.signal, headers: { "x-conversation-id": "left-2025" } };
    const call = world.ask({ jsonrpc: "2.0", id: 9, method: "tools/call", params }, options);
    await fixture.until(() => fixture.calls("slow").length > calls);
    leave.abort();
    await call.catch(() => undefined);
    expect(await outcomes("left-2025")).toEqual(["answered"]);
    expect(fixture.cancelled).toHaveLength(cancelled);
  });
});

test("tool list changes are sent to subscribers", async () => {
  verifies("tools.list-changed");
  const leave = new AbortController();
  const params = { notifications: { toolsListChanged: true } };
  const response = await world.askModern("subscriptions/listen", params, { signal: leave.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  const hears = async (what: string) => {
    while (!heard.includes(what)) heard += (await reader?.read())?.value ?? "";
  };
  await hears("notifications/subscriptions/acknowledged");
  fixture.set(tool("newcomer", () => text("new here")));
  await hears("notifications/tools/list_changed");
  expect(await world.names()).toContain("fixture__newcomer");
  leave.abort();
});
