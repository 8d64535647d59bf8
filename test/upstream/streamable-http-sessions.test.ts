import { describe, expect, test } from "bun:test";
import { anyPort } from "#test/support/port";
import { verifies } from "#test/support/verifies";
import {
  answers,
  callOf,
  fails,
  failureIn,
  legacy,
  modern,
  type Reply,
  type Script,
  ScriptedMcp,
  said,
  upstreamTo,
} from "./scripted-mcp.ts";

/** A server that gives each session a new id, and forgets all when `forget` is called. */
const forgetful = (refuse: Reply, answer: Reply = (got) => answers(got, said("hi"))) => {
  let number = 0;
  let alive = new Set<string>();
  const known = (reply: Reply): Reply => {
    return (got) => (alive.has(got.headers.get("mcp-session-id") ?? "") ? reply(got) : refuse(got));
  };
  const script: Script = {
    initialize: (got) => {
      number += 1;
      alive.add(`session-${number}`);
      return legacy(`session-${number}`)["initialize"]?.(got) ?? new Response(null, { status: 500 });
    },
    "tools/call": known(answer),
    ping: known((got) => answers(got, {})),
  };
  return { script, forget: () => (alive = new Set()) };
};

describe("a session the server has forgotten", () => {
  const ways: readonly [string, Reply][] = [
    ["404", () => new Response(null, { status: 404 })],
    ["404 in JSON-RPC", (got) => fails(got, -32001, "Session not found", 404)],
    ["400, as server-everything does", (got) => fails(got, -32000, "Bad Request: No valid session ID provided", 400)],
    ["400 and another code", (got) => fails(got, -32600, "?", 400)],
  ];
  for (const [name, refuse] of ways) {
    test(`is begun again once, for all calls together: ${name}`, async () => {
      verifies("tools.upstream-session");
      const { script, forget } = forgetful(refuse);
      await using server = new ScriptedMcp(script);
      const upstream = upstreamTo(server.url);
      await upstream.call(callOf());
      forget();
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => upstream.call(callOf())));
      for (const outcome of outcomes) expect(outcome).toEqual({ kind: "result", result: said("hi") });
      expect(server.of("initialize")).toHaveLength(2);
      await upstream.close();
      expect(server.of("DELETE").map(({ headers }) => headers.get("mcp-session-id"))).toEqual(["session-2"]);
    });
  }

  test("is not mistaken for the one that followed it, by an answer that comes late", async () => {
    verifies("tools.upstream-session");
    const late = Promise.withResolvers<void>();
    const refuse: Reply = async (got) => {
      if (got.params["name"] === "late") await late.promise;
      return new Response(null, { status: 404 });
    };
    const { script, forget } = forgetful(refuse);
    await using server = new ScriptedMcp(script);
    const upstream = upstreamTo(server.url);
    await upstream.call(callOf());
    forget();
    const slow = upstream.call(callOf({ name: "late" }));
    await server.until("tools/call", 2);
    await upstream.call(callOf());
    late.resolve();
    expect(await slow).toMatchObject({ kind: "result" });
    expect(server.of("initialize")).toHaveLength(2);
    await upstream.close();
  });

  test("again and again is an error, not a loop", async () => {
    verifies("tools.upstream-session");
    await using server = new ScriptedMcp({ ...legacy("s"), "tools/call": () => new Response(null, { status: 404 }) });
    const upstream = upstreamTo(server.url);
    expect(await failureIn(upstream.call(callOf()))).toMatchObject({ reason: "unreachable", mayHaveRun: false });
    expect(server.of("tools/call")).toHaveLength(2);
    expect(server.of("initialize")).toHaveLength(2);
    await upstream.close();
  });

  test("is not what a server means that faults the request alone", async () => {
    verifies("tools.upstream-session");
    const { script } = forgetful(
      () => new Response(null, { status: 404 }),
      (got) => fails(got, -32600, "bad arguments", 400),
    );
    await using server = new ScriptedMcp(script);
    const upstream = upstreamTo(server.url);
    expect(await upstream.call(callOf())).toMatchObject({ kind: "error", code: -32600 });
    expect(server.of("initialize")).toHaveLength(1);
    expect(server.of("tools/call")).toHaveLength(1);
    await upstream.close();
  });

  test("is no matter for a server that gave none", async () => {
    await using server = new ScriptedMcp({ ...legacy(), "tools/call": () => new Response(null, { status: 404 }) });
    const upstream = upstreamTo(server.url);
    expect(await failureIn(upstream.call(callOf()))).toMatchObject({ reason: "garbage", mayHaveRun: false });
    expect(server.of("tools/call")).toHaveLength(1);
    await upstream.close();
  });
});

describe("a server that is down", () => {
  test("is asked twice, and says that nothing ran", async () => {
    verifies("tools.upstream-once");
    using held = anyPort();
    let attempts = 0;
    const upstream = upstreamTo(`http://127.0.0.1:${held.port}/mcp?key=s3cret`, {
      fetch: (url, init) => {
        attempts += 1;
        return fetch(url, init);
      },
    });
    const failure = await failureIn(upstream.call(callOf()));
    expect(failure).toMatchObject({ reason: "unreachable", mayHaveRun: false });
    expect(Bun.inspect(failure)).not.toContain("s3cret");
    expect(attempts).toBe(2);
    await upstream.close();
  });

  test("and is back a moment later costs the call that moment", async () => {
    verifies("tools.upstream-once");
    using held = anyPort();
    const { port } = held;
    const url = `http://127.0.0.1:${port}/mcp`;
    const back: ScriptedMcp[] = [];
    const upstream = upstreamTo(url, {
      fetch: async (to, init) => {
        try {
          return await fetch(to, init);
        } catch (error) {
          back.push(new ScriptedMcp({ ...legacy("s"), "tools/call": (got) => answers(got, said("hi")) }, port));
          throw error;
        }
      },
    });
    expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
    expect(back.map((server) => server.of("tools/call").length)).toEqual([1]);
    await upstream.close();
    for (const server of back) await server.stop();
  });
});

describe("credentials", () => {
  const guarded = (good: string): Script => {
    const check = (reply: Reply): Reply => {
      return (got) => (got.headers.get("authorization") === good ? reply(got) : new Response(null, { status: 401 }));
    };
    const open: Script = { ...modern(), "tools/call": (got) => answers(got, said("hi")) };
    return Object.fromEntries(Object.entries(open).map(([method, reply]) => [method, check(reply)]));
  };

  test("that are refused are renewed once", async () => {
    verifies("tools.upstream-origin");
    await using server = new ScriptedMcp(guarded("Bearer new"));
    let token = "old";
    let refusals = 0;
    const upstream = upstreamTo(server.url, {
      headers: async () => ({ Authorization: `Bearer ${token}`, "MCP-Protocol-Version": "mine" }),
      refused: async ({ status }) => {
        refusals += 1;
        expect(status).toBe(401);
        token = "new";
        return true;
      },
    });
    expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
    expect(refusals).toBe(1);
    expect(server.of("tools/call")[0]?.headers.get("mcp-protocol-version")).toBe("2026-07-28");
    await upstream.close();
  });

  test("that stay refused are an error of their own, and are in no message", async () => {
    verifies("tools.upstream-origin");
    await using server = new ScriptedMcp(guarded("Bearer other"));
    for (const renewed of [true, false]) {
      server.got.length = 0;
      const upstream = upstreamTo(server.url, {
        headers: async () => ({ authorization: "Bearer s3cret" }),
        refused: async () => renewed,
      });
      const failure = await failureIn(upstream.call(callOf()));
      expect(failure).toMatchObject({ reason: "unauthorized", mayHaveRun: false });
      expect(Bun.inspect(failure)).not.toContain("s3cret");
      expect(server.got).toHaveLength(renewed ? 2 : 1);
      await upstream.close();
    }
  });

  test("that are slow to come are waited for no longer than the call", async () => {
    verifies("tools.upstream-cancel", "tools.upstream-limits");
    await using server = new ScriptedMcp({ ...modern(), "tools/call": () => new Response(null, { status: 401 }) });
    let slow = false;
    const upstream = upstreamTo(server.url, {
      headers: () => (slow ? new Promise(() => {}) : Promise.resolve({})),
      refused: () => new Promise(() => {}),
    });
    expect(await failureIn(upstream.call(callOf({ silenceMs: 100 })))).toMatchObject({ reason: "timeout" });
    slow = true;
    const leaving = new AbortController();
    const failure = failureIn(upstream.call(callOf({ signal: leaving.signal })));
    leaving.abort();
    expect(await failure).toMatchObject({ reason: "cancelled" });
    await upstream.close();
  });

  test("are renewed for want of scope, and not where access is simply denied", async () => {
    const refusals: string[] = [];
    for (const challenge of ['Bearer error="insufficient_scope", scope="x"', ""]) {
      const refuse = () => new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
      await using server = new ScriptedMcp({ "server/discover": refuse });
      const upstream = upstreamTo(server.url, {
        headers: async () => ({ authorization: "Bearer given" }),
        refused: async () => {
          refusals.push(challenge);
          return false;
        },
      });
      expect(await failureIn(upstream.call(callOf()))).toMatchObject({ reason: "unauthorized" });
      await upstream.close();
    }
    expect(refusals).toEqual(['Bearer error="insufficient_scope", scope="x"']);
  });

  test("never follow a redirect to another origin", async () => {
    verifies("tools.upstream-origin");
    await using other = new ScriptedMcp({ ...modern() });
    const moved = (location: string, status: number) => () => new Response(null, { status, headers: { location } });
    const cases: readonly [string, number, boolean][] = [
      [other.url, 307, false],
      [`http://localhost:${other.port}/mcp`, 308, false],
      ["/elsewhere", 302, false],
      ["/elsewhere", 307, true],
      ["/elsewhere", 308, true],
      ["/mcp", 307, false],
      ["http://[", 307, false],
    ];
    for (const [location, status, isFollowed] of cases) {
      const redirect = moved(location, status);
      const answer = modern()["server/discover"];
      await using server = new ScriptedMcp({
        "server/discover": (got) => (got.path === "/elsewhere" && answer ? answer(got) : redirect()),
        "tools/call": (got) => (got.path === "/elsewhere" ? answers(got, said("hi")) : redirect()),
      });
      const upstream = upstreamTo(server.url, { headers: async () => ({ authorization: "Bearer s3cret" }) });
      if (isFollowed) expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
      else expect(await failureIn(upstream.call(callOf()))).toMatchObject({ reason: "garbage", mayHaveRun: false });
      await upstream.close();
    }
    expect(other.got).toEqual([]);
  });
});

test("streamable HTTP: closing a connection ends open requests and starts no new ones", async () => {
  verifies("tools.upstream-cancel");
  await using server = new ScriptedMcp({
    ...legacy("s"),
    "tools/call": () => new Promise(() => {}),
    // A farewell nobody answers holds up nobody.
    DELETE: () => new Promise(() => {}),
  });
  const upstream = upstreamTo(server.url);
  const failure = failureIn(upstream.call(callOf()));
  await server.until("tools/call");
  await upstream.close();
  expect(await failure).toMatchObject({ reason: "unreachable", mayHaveRun: true });
  expect(await failureIn(upstream.call(callOf()))).toMatchObject({ reason: "unreachable", mayHaveRun: false });
  await upstream.close();
  expect(server.of("DELETE")).toHaveLength(1);
});
