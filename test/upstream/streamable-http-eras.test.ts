import { describe, expect, test } from "bun:test";
import { META } from "#model/tools/mcp";
import { verifies } from "#test/support/verifies";
import { NotStreamableHttp } from "#upstream/mcp/http-failure";
import { OlderServers } from "#upstream/mcp/streamable-http-eras";
import {
  answers,
  callOf,
  fails,
  failureIn,
  legacy,
  modern,
  never,
  type Reply,
  ScriptedMcp,
  said,
  upstreamTo,
} from "./scripted-mcp.ts";

const HOUR = 60 * 60 * 1000;
const echo = { "tools/call": (got: Parameters<typeof answers>[0]) => answers(got, said("hi")) };

describe("a server of 2026-07-28", () => {
  test("is found by one question, and every request stands for itself", async () => {
    verifies("tools.upstream-era", "tools.upstream-headers");
    await using server = new ScriptedMcp({ ...modern(), ...echo });
    const upstream = upstreamTo(server.url);
    const answer = await upstream.call(
      callOf({
        extra: { requestState: "s", inputResponses: { a: 1 } },
        meta: { traceparent: "00-1", progressToken: "the caller's" },
        clientCapabilities: { elicitation: {} },
      }),
    );
    expect(answer).toEqual({ kind: "result", result: said("hi") });
    expect(server.methods).toEqual(["server/discover", "tools/call"]);
    const [discover, call] = server.got;
    expect(discover?.params["_meta"]).toEqual({
      [META.protocolVersion]: "2026-07-28",
      [META.clientInfo]: { name: "guardhouse", version: "0.0.0" },
      [META.clientCapabilities]: {},
    });
    expect(discover?.headers.get("mcp-method")).toBe("server/discover");
    expect(call?.headers.get("mcp-protocol-version")).toBe("2026-07-28");
    expect(call?.headers.get("mcp-method")).toBe("tools/call");
    expect(call?.headers.get("mcp-name")).toBe("echo");
    expect(call?.headers.get("accept")).toBe("application/json, text/event-stream");
    expect(call?.params).toEqual({
      requestState: "s",
      inputResponses: { a: 1 },
      name: "echo",
      arguments: { text: "hello" },
      _meta: {
        traceparent: "00-1",
        [META.protocolVersion]: "2026-07-28",
        [META.clientInfo]: { name: "guardhouse", version: "0.0.0" },
        [META.clientCapabilities]: { elicitation: {} },
      },
    });
    expect(upstream.found).toMatchObject({ era: "modern", version: "2026-07-28", server: { name: "new" } });
    await upstream.close();
    expect(server.of("DELETE")).toEqual([]);
  });

  test("gets a name and arguments in its headers as far as headers can carry them", async () => {
    verifies("tools.upstream-headers");
    await using server = new ScriptedMcp({ ...modern(), ...echo });
    const inputSchema = {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        deep: { type: "object", properties: { count: { type: "integer", "x-mcp-header": "Count" } } },
        dry: { type: "boolean", "x-mcp-header": "Dry" },
        absent: { type: "string", "x-mcp-header": "Absent" },
        constructor: { type: "string", "x-mcp-header": "Inherited" },
      },
    };
    const upstream = upstreamTo(server.url);
    await upstream.call(
      callOf({
        name: "größe",
        inputSchema,
        arguments: { region: "eu\r\nx: y", deep: { count: 42 }, dry: false, absent: null },
      }),
    );
    const headers = server.of("tools/call")[0]?.headers;
    const encoded = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
    expect(headers?.get("mcp-name")).toBe(encoded("größe"));
    expect(headers?.get("mcp-param-region")).toBe(encoded("eu\r\nx: y"));
    expect(headers?.get("mcp-param-count")).toBe("42");
    expect(headers?.get("mcp-param-dry")).toBe("false");
    expect(headers?.get("mcp-param-absent")).toBeNull();
    expect(headers?.get("mcp-param-inherited")).toBeNull();
    await upstream.close();
  });

  test("that refuses a version and names another is asked once more", async () => {
    verifies("tools.upstream-era");
    const refuse = (got: Parameters<typeof fails>[0]) =>
      fails(got, -32022, "unsupported", 400, { supported: ["2026-07-28"], requested: "?" });
    const discover = modern()["server/discover"];
    await using server = new ScriptedMcp({ ...legacy(), ...echo });
    server.script = {
      ...server.script,
      "server/discover": (got) => (server.got.length > 1 && discover ? discover(got) : refuse(got)),
    };
    const upstream = upstreamTo(server.url);
    await upstream.call(callOf());
    expect(server.methods).toEqual(["server/discover", "server/discover", "tools/call"]);
    await upstream.close();
    await using stubborn = new ScriptedMcp({ ...legacy(), ...echo, "server/discover": refuse });
    const other = upstreamTo(stubborn.url);
    await other.call(callOf());
    expect(stubborn.methods.slice(0, 3)).toEqual(["server/discover", "server/discover", "initialize"]);
    await other.close();
  });

  test("that refuses the headers of a tool is asked for its list again", async () => {
    let changes = 0;
    await using server = new ScriptedMcp({
      ...modern(),
      "tools/call": (got) => fails(got, -32020, "header mismatch", 400),
    });
    const upstream = upstreamTo(server.url, { onListChanged: () => (changes += 1) });
    expect(await upstream.call(callOf())).toMatchObject({ kind: "error", code: -32020 });
    expect(changes).toBe(1);
    expect(server.of("server/discover")).toHaveLength(1);
    await upstream.close();
  });
});

describe("a server of the 2025 era", () => {
  test("is found by what it does not know, and keeps its session", async () => {
    verifies("tools.upstream-era");
    await using server = new ScriptedMcp({ ...legacy("session-1"), ...echo });
    const upstream = upstreamTo(server.url);
    await upstream.call(callOf({ meta: { traceparent: "00-1", progressToken: 7 } }));
    expect(server.methods).toEqual(["server/discover", "initialize", "notifications/initialized", "tools/call"]);
    expect(server.of("initialize")[0]?.params).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "guardhouse", version: "0.0.0" },
    });
    for (const got of server.got.slice(2)) {
      expect(got.headers.get("mcp-session-id")).toBe("session-1");
      expect(got.headers.get("mcp-protocol-version")).toBe("2025-11-25");
      expect(got.headers.get("mcp-method")).toBeNull();
      expect(got.headers.get("mcp-name")).toBeNull();
    }
    expect(server.of("tools/call")[0]?.params["_meta"]).toEqual({ traceparent: "00-1" });
    expect(upstream.found).toMatchObject({ era: "legacy", version: "2025-11-25", server: { name: "old" } });
    await upstream.close();
    expect(server.of("DELETE")[0]?.headers.get("mcp-session-id")).toBe("session-1");
  });

  test("may refuse the question in any way, and answer in any older version", async () => {
    verifies("tools.upstream-era");
    const refusals: readonly ((got: Parameters<typeof fails>[0]) => Response)[] = [
      (got) => fails(got, -32022, "unsupported", 400, { supported: ["2025-06-18"], requested: "2026-07-28" }),
      (got) => fails(got, -32000, "Unsupported protocol version", 400),
      () => new Response("<html>not here</html>", { status: 404 }),
      () => new Response("oops", { status: 500 }),
      () => new Response("not json"),
      (got) => answers(got, { supportedVersions: ["2031-01-01"] }),
    ];
    for (const refuse of refusals) {
      for (const protocolVersion of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
        await using server = new ScriptedMcp({
          ...echo,
          "server/discover": refuse,
          initialize: (got) => answers(got, { protocolVersion, capabilities: {}, serverInfo: {} }),
        });
        const upstream = upstreamTo(server.url);
        expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
        expect(server.of("tools/call")[0]?.headers.get("mcp-protocol-version")).toBe(protocolVersion);
        await upstream.close();
      }
    }
  });

  test("that is silent on the question is still found", async () => {
    verifies("tools.upstream-era");
    await using server = new ScriptedMcp({ ...legacy(), ...echo, "server/discover": () => new Promise(() => {}) });
    const upstream = upstreamTo(server.url, { connectMs: 5_000 });
    expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
    await upstream.close();
  });
});

describe("an address known for the 2025 era", () => {
  test("is not asked again who connects next, until the hour is over", async () => {
    verifies("tools.upstream-era");
    let now = 1_000_000;
    const clock = () => now;
    const older = new OlderServers(clock);
    await using server = new ScriptedMcp({ ...legacy("s"), ...echo });
    const connected = async () => {
      const upstream = upstreamTo(server.url, { now: clock, older });
      await upstream.call(callOf());
      return upstream;
    };
    await using stack = new AsyncDisposableStack();
    stack.adopt(await connected(), (upstream) => upstream.close());
    now += HOUR - 1;
    const second = stack.adopt(await connected(), (upstream) => upstream.close());
    expect(server.of("server/discover")).toHaveLength(1);
    expect(server.of("initialize")).toHaveLength(2);
    expect(second.found).toMatchObject({ era: "legacy", session: "s" });
    // What was found out for the first holds for the second no longer than for the first.
    server.script = { ...server.script, ...modern() };
    now += 2;
    await second.call(callOf());
    await server.until("server/discover", 2);
    while (second.found?.era !== "modern") await Bun.sleep(5);
    expect((await stack.adopt(await connected(), (upstream) => upstream.close())).found?.era).toBe("modern");
  });

  test("may have changed: what refuses the older handshake is asked in both", async () => {
    verifies("tools.upstream-era");
    const refusals: Reply[] = [
      (got) => fails(got, -32601, "Method not found", 404),
      (got) => fails(got, -32601, "Method not found"),
      () => new Response("no such thing", { status: 400 }),
    ];
    for (const refuse of refusals) {
      const older = new OlderServers(Date.now);
      await using server = new ScriptedMcp({ ...modern(), ...echo, initialize: refuse });
      older.add(server.url);
      const upstream = upstreamTo(server.url, { older });
      expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
      expect(upstream.found?.era).toBe("modern");
      expect(older.since(server.url)).toBeNull();
      await upstream.close();
    }
  });

  test("counts no more once a session was forgotten", async () => {
    verifies("tools.upstream-era");
    const older = new OlderServers(Date.now);
    await using server = new ScriptedMcp({ ...legacy("s"), ...echo });
    const upstream = upstreamTo(server.url, { older });
    await upstream.call(callOf());
    server.script = {
      ...modern(),
      "tools/call": (got) =>
        got.headers.has("mcp-session-id") ? new Response("no such session", { status: 404 }) : answers(got, said("hi")),
    };
    expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
    expect(upstream.found?.era).toBe("modern");
    await upstream.close();
  });
});

test("many first calls share one handshake, and one of them may leave", async () => {
  verifies("tools.upstream-era");
  const { promise: open, resolve: release } = Promise.withResolvers<void>();
  await using server = new ScriptedMcp({
    ...legacy("s"),
    ...echo,
    "server/discover": async (got) => {
      await open;
      return fails(got, -32601, "no");
    },
  });
  const upstream = upstreamTo(server.url);
  const leaving = new AbortController();
  const left = failureIn(upstream.call(callOf({ signal: leaving.signal })));
  const calls = Array.from({ length: 20 }, () => upstream.call(callOf()));
  await server.until("server/discover");
  leaving.abort();
  expect(await left).toMatchObject({ reason: "cancelled", mayHaveRun: false });
  release();
  expect(await Promise.all(calls)).toHaveLength(20);
  expect(server.of("initialize")).toHaveLength(1);
  expect(server.of("tools/call")).toHaveLength(20);
  await upstream.close();
});

test("a server that has learnt the new revision is found out within the hour, without dropping a call", async () => {
  verifies("tools.upstream-era");
  let now = 1_000_000;
  const { promise: slow, resolve: release } = Promise.withResolvers<void>();
  await using server = new ScriptedMcp({
    ...legacy("s"),
    "tools/call": async (got) => {
      if (got.params["name"] === "slow") await slow;
      return answers(got, said("hi"));
    },
  });
  const upstream = upstreamTo(server.url, { now: () => now });
  const underWay = upstream.call(callOf({ name: "slow" }));
  await server.until("tools/call");
  server.script = { ...server.script, ...modern() };
  now += HOUR - 1;
  await upstream.call(callOf());
  expect(server.of("server/discover")).toHaveLength(1);
  now += 2;
  await upstream.call(callOf());
  await server.until("server/discover", 2);
  while (upstream.found?.era !== "modern") await Bun.sleep(5);
  await upstream.call(callOf());
  expect(server.of("tools/call").map(({ headers }) => headers.get("mcp-method"))).toEqual([
    null,
    null,
    null,
    "tools/call",
  ]);
  release();
  expect(await underWay).toMatchObject({ kind: "result" });
  expect(server.of("initialize")).toHaveLength(1);
  await upstream.close();
});

test("an hour later a server of the 2025 era keeps its session", async () => {
  let now = 1_000_000;
  await using server = new ScriptedMcp({ ...legacy("s"), ...echo });
  const upstream = upstreamTo(server.url, { now: () => now });
  await upstream.call(callOf());
  now += HOUR + 1;
  await upstream.call(callOf());
  await server.until("server/discover", 2);
  await upstream.call(callOf());
  expect(server.of("initialize")).toHaveLength(1);
  await upstream.close();
});

test("a server that went back to the 2025 era costs one call a detour, not an error", async () => {
  verifies("tools.upstream-era");
  for (const refuse of [
    (got: Parameters<typeof fails>[0]) => fails(got, -32000, "Unsupported protocol version", 400),
    () => new Response("Cannot POST", { status: 404 }),
  ]) {
    await using server = new ScriptedMcp({ ...modern(), ...echo });
    const upstream = upstreamTo(server.url);
    await upstream.call(callOf());
    server.script = {
      ...legacy("s"),
      "tools/call": (got) => (got.headers.get("mcp-session-id") === "s" ? answers(got, said("hi")) : refuse(got)),
    };
    expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
    expect(upstream.found?.era).toBe("legacy");
    await upstream.close();
  }
});

test("an address that speaks HTTP but not Streamable HTTP is told apart", async () => {
  verifies("tools.upstream-era");
  for (const status of [400, 404, 405]) {
    const refuse = () => new Response("Cannot POST /sse", { status });
    await using server = new ScriptedMcp({ initialize: refuse, "server/discover": refuse });
    const upstream = upstreamTo(server.url);
    const failure = await failureIn(upstream.list(never));
    expect(failure).toBeInstanceOf(NotStreamableHttp);
    expect(failure).toMatchObject({ reason: "garbage", mayHaveRun: false });
    await upstream.close();
  }
});

test("a handshake that comes to nothing has a reason, and the next call tries again", async () => {
  verifies("tools.upstream-garbage");
  const wrong: readonly [(got: Parameters<typeof fails>[0]) => Response, string][] = [
    [(got) => answers(got, { protocolVersion: "1999-01-01" }), "garbage"],
    [(got) => answers(got, "ready"), "garbage"],
    [() => new Response("hello"), "garbage"],
    [(got) => fails(got, -32603, "no"), "garbage"],
    [(got) => fails(got, -32022, "only new ones", 400), "garbage"],
    [() => new Response("down", { status: 503 }), "unreachable"],
    [(got) => answers(got, { protocolVersion: "2025-11-25" }, { headers: { "mcp-session-id": "a b" } }), "garbage"],
  ];
  for (const [initialize, reason] of wrong) {
    await using server = new ScriptedMcp({ initialize });
    const upstream = upstreamTo(server.url);
    const failure = await failureIn(upstream.call(callOf()));
    expect(failure).toMatchObject({ reason, mayHaveRun: false });
    expect(failure).not.toBeInstanceOf(NotStreamableHttp);
    server.script = { ...legacy(), ...echo };
    expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
    await upstream.close();
  }
});
