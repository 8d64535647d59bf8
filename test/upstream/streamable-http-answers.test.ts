import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { isRecord, type JsonRecord } from "#core/json/json";
import { RawHttpServer } from "#test/support/raw-http";
import { verifies } from "#test/support/verifies";
import {
  andHangs,
  answers,
  callOf,
  event,
  fails,
  failureIn,
  type Got,
  legacy,
  modern,
  type Reply,
  resultEvent,
  ScriptedMcp,
  said,
  streams,
  upstreamTo,
} from "./scripted-mcp.ts";

/** One call to a server of the 2025 era that answers it so. */
const calling = async (reply: Reply, run: (server: ScriptedMcp, url: string) => Promise<void>): Promise<void> => {
  await using server = new ScriptedMcp({ ...legacy("s"), "tools/call": reply });
  await run(server, server.url);
};

/** What one call comes to, against a server that answers it so, and whether the next call is well. */
const outcomeOf = async (reply: Reply, resultBytes = 1_000_000) => {
  await using server = new ScriptedMcp({ ...legacy("s"), "tools/call": reply });
  const upstream = upstreamTo(server.url, { resultBytes });
  const outcome = await upstream.call(callOf()).catch((error: unknown) => error);
  server.script = { ...server.script, "tools/call": (got) => answers(got, said("well")) };
  expect(await upstream.call(callOf())).toEqual({ kind: "result", result: said("well") });
  await upstream.close();
  return outcome;
};

const metaOf = ({ _meta }: JsonRecord): JsonRecord => (isRecord(_meta) ? _meta : {});

const ODD: JsonRecord = {
  content: [{ type: "hologram", depth: [1, { two: null }] }],
  structuredContent: [1, 2],
  isError: true,
  future: { field: "kept" },
};

describe("an answer", () => {
  test("arrives as it was sent, as JSON, in a batch or as a stream", async () => {
    verifies("tools.upstream-answers");
    const ways: readonly Reply[] = [
      (got) => answers(got, ODD),
      (got) => new Response(JSON.stringify({ jsonrpc: "2.0", id: got.message["id"], result: ODD })),
      (got) => Response.json([{ jsonrpc: "2.0", id: got.message["id"], result: ODD }]),
      (got) => streams([resultEvent(got, ODD)]),
      (got) => streams([": hello\n\n", "event: ping\ndata: 1\n\n", resultEvent(got, ODD).replaceAll("\n", "\r\n")]),
      // Without its blank line, and cut anywhere.
      (got) =>
        streams(
          resultEvent(got, ODD)
            .trimEnd()
            .split(/(?<=,)/),
        ),
      // The server forgets to end it.
      (got) => streams(andHangs(resultEvent(got, ODD))),
      (got) => streams([event({ id: 999_999, result: said("another's") }), resultEvent(got, ODD)]),
      (got) =>
        new Response(gzipSync(JSON.stringify({ jsonrpc: "2.0", id: got.message["id"], result: ODD })), {
          headers: { "content-encoding": "gzip", "content-type": "application/json" },
        }),
    ];
    for (const way of ways) expect(await outcomeOf(way)).toEqual({ kind: "result", result: ODD });
  });

  test("that is an error is one, whatever the status", async () => {
    verifies("tools.upstream-answers");
    for (const status of [200, 400, 404, 500]) {
      const code = status === 404 ? -32601 : -32602;
      const outcome = await outcomeOf((got) => fails(got, code, "no such tool", status, { why: ["x"] }));
      expect(outcome).toEqual({ kind: "error", code, message: "no such tool", data: { why: ["x"] } });
    }
    const early = () =>
      Response.json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "?" } }, { status: 400 });
    expect(await outcomeOf(early)).toMatchObject({ kind: "error", code: -32700 });
  });

  test("that is no MCP fails that call alone", async () => {
    verifies("tools.upstream-garbage", "tools.upstream-once");
    const wrong: readonly [Reply, string, boolean][] = [
      [() => new Response("<html>hello</html>"), "garbage", true],
      [() => new Response("{"), "garbage", true],
      [() => new Response(null, { status: 202 }), "garbage", true],
      [(got) => answers({ ...got, message: { id: 999_999 } }, ODD), "garbage", true],
      [(got) => answers(got, "text"), "garbage", true],
      [() => streams(["data: hello\n\n"]), "garbage", true],
      [() => streams([]), "unreachable", true],
      [(got) => streams([resultEvent(got, ODD).slice(0, 20)]), "garbage", true],
      [() => streams([event({ method: "notifications/message", params: {} })]), "unreachable", true],
      [() => new Response("broken", { status: 500 }), "unreachable", true],
      [() => new Response("slow down", { status: 429 }), "unreachable", false],
      [() => new Response("teapot", { status: 418 }), "garbage", false],
    ];
    for (const [reply, reason, mayHaveRun] of wrong)
      expect(await outcomeOf(reply)).toMatchObject({ reason, mayHaveRun });
  });

  test("larger than allowed is not read to its end, however it is sent", async () => {
    verifies("tools.upstream-limits");
    const large = said("x".repeat(300_000));
    const ways: readonly Reply[] = [
      (got) => answers(got, large),
      (got) => streams([resultEvent(got, large)]),
      // Many small ones.
      (got) =>
        streams([...Array.from({ length: 400 }, () => `: ${"x".repeat(1_000)}\n\n`), resultEvent(got, said("late"))]),
      // Small as it is sent.
      (got) =>
        new Response(gzipSync(JSON.stringify({ jsonrpc: "2.0", id: got.message["id"], result: large })), {
          headers: { "content-encoding": "gzip", "content-type": "application/json" },
        }),
      (got) => fails(got, -32602, "x".repeat(300_000), 400),
    ];
    for (const way of ways) expect(await outcomeOf(way, 100_000)).toMatchObject({ reason: "too_large" });
    // One event has a limit of its own.
    const huge: Reply = (got) => streams([resultEvent(got, said("x".repeat(9_000_000)))]);
    expect(await outcomeOf(huge, 100_000_000)).toMatchObject({ reason: "too_large" });
  });
});

test("a connection that breaks before the answer is no reason to ask again", async () => {
  verifies("tools.upstream-once");
  let calls = 0;
  const text = (value: unknown) => new TextEncoder().encode(`HTTP/1.1 200 OK\r\n${value}`);
  await using server = await RawHttpServer.listen(
    async (request, wire) => {
      const body = JSON.parse(request.text === "" ? "{}" : request.text);
      if (body.method === "tools/call") {
        calls += 1;
        if (body.params.name === "half") await wire.write(text("content-length: 100\r\n\r\n{"));
        return wire.reset();
      }
      const capabilities = { tools: {} };
      const result = { supportedVersions: ["2026-07-28"], capabilities };
      const answer = JSON.stringify({ jsonrpc: "2.0", id: body.id, result });
      await wire.write(text(`content-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`));
    },
    () => {},
  );
  const upstream = upstreamTo(`http://127.0.0.1:${server.port}/`);
  for (const name of ["none", "half"]) {
    const failure = await failureIn(upstream.call(callOf({ name })));
    expect(failure).toMatchObject({ reason: "unreachable", mayHaveRun: true });
  }
  expect(calls).toBe(2);
  await upstream.close();
});

describe("a stream", () => {
  test("passes progress on, and its own only", async () => {
    verifies("tools.upstream-progress");
    const progress = (token: unknown, n: number) =>
      event({ method: "notifications/progress", params: { progressToken: token, progress: n, message: `${n}` } });
    const tokenOf = ({ params }: Got) => metaOf(params)["progressToken"];
    await calling(
      (got) =>
        streams([progress("other", 9), progress(tokenOf(got), 1), progress(tokenOf(got), 2), resultEvent(got, ODD)]),
      async (_, url) => {
        const upstream = upstreamTo(url);
        const heard: JsonRecord[] = [];
        await upstream.call(callOf({ meta: { progressToken: "other" }, onProgress: (params) => heard.push(params) }));
        expect(heard).toEqual([
          { progress: 1, message: "1" },
          { progress: 2, message: "2" },
        ]);
        await upstream.close();
      },
    );
  });

  test("with progress lives longer than the silence allowed, without it no longer", async () => {
    verifies("tools.upstream-progress", "tools.upstream-limits");
    const slowly = async function* (got: Got, method: string) {
      const progressToken = metaOf(got.params)["progressToken"];
      for (let step = 0; step < 8; step += 1) {
        await Bun.sleep(400);
        yield event({ method, params: { progressToken, progress: step } });
      }
      yield resultEvent(got, said("done"));
    };
    await calling(
      (got) => streams(slowly(got, String(got.params["name"]))),
      async (server, url) => {
        const upstream = upstreamTo(url);
        const call = (name: string) => upstream.call(callOf({ name, silenceMs: 2_500, onProgress: () => {} }));
        expect(await call("notifications/progress")).toEqual({ kind: "result", result: said("done") });
        expect(await failureIn(call("notifications/message"))).toMatchObject({ reason: "timeout", mayHaveRun: true });
        const told = await server.until("notifications/cancelled");
        expect(told.params["requestId"]).toBe(server.of("tools/call")[1]?.message["id"]);
        await upstream.close();
      },
    );
  });

  test("in which the server asks something gets the answers of a client that can do nothing", async () => {
    verifies("tools.upstream-answers");
    const asking = async function* (got: Got, server: ScriptedMcp) {
      yield event({ id: "p", method: "ping" });
      yield event({ id: 7, method: "sampling/createMessage", params: { messages: [] } });
      await server.until("response", 2);
      yield resultEvent(got, ODD);
    };
    await using server = new ScriptedMcp({ ...legacy("s") });
    server.script = { ...server.script, "tools/call": (got) => streams(asking(got, server)) };
    const upstream = upstreamTo(server.url);
    expect(await upstream.call(callOf())).toMatchObject({ kind: "result" });
    const replies = server.of("response").map(({ message }) => message);
    expect(replies).toContainEqual({ jsonrpc: "2.0", id: "p", result: {} });
    expect(replies.find(({ id }) => id === 7)).toMatchObject({ error: { code: -32601 } });
    expect(server.of("response")[0]?.headers.get("mcp-session-id")).toBe("s");
    await upstream.close();
  });

  test("of many questions is not a way to make the hub send as many answers", async () => {
    verifies("tools.upstream-limits");
    const flood = Array.from({ length: 500 }, (_, id) => event({ id, method: "ping" })).join("");
    await using server = new ScriptedMcp({
      ...legacy("s"),
      response: () => new Promise(() => {}),
      "tools/call": (got) => streams([got.params["name"] === "flood" ? flood : "", resultEvent(got, ODD)]),
    });
    const upstream = upstreamTo(server.url);
    expect(await upstream.call(callOf({ name: "flood" }))).toMatchObject({ kind: "result" });
    await server.until("response", 16);
    for (let call = 0; call < 5; call += 1) await upstream.call(callOf());
    expect(server.of("response")).toHaveLength(16);
    await upstream.close();
  });

  test("that ends early is resumed where it stopped, when the server says, as often as it takes", async () => {
    verifies("tools.upstream-resume", "tools.upstream-once");
    let call: Got | undefined;
    const at: number[] = [];
    await using server = new ScriptedMcp({
      ...legacy("s"),
      "tools/call": (got) => {
        call = got;
        at.push(performance.now());
        return streams(["id: e0\nretry: 200\ndata: \n\n"]);
      },
      GET: ({ headers }) => {
        at.push(performance.now());
        const last = headers.get("last-event-id");
        if (last === "e0") return streams(["id: e1\ndata: \n\n"]);
        if (last === "e1") return new Response("busy", { status: 503 });
        return new Response(null, { status: 400 });
      },
    });
    const upstream = upstreamTo(server.url);
    const answer = upstream.call(callOf());
    await server.until("GET", 2);
    server.script = {
      ...server.script,
      GET: ({ headers }) =>
        call && headers.get("last-event-id") === "e1"
          ? streams([resultEvent(call, ODD, "e2")])
          : new Response(null, { status: 400 }),
    };
    expect(await answer).toEqual({ kind: "result", result: ODD });
    expect(server.of("tools/call")).toHaveLength(1);
    expect(server.of("GET").map(({ headers }) => headers.get("mcp-session-id"))).toEqual(["s", "s", "s"]);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(190);
    await upstream.close();
  });

  test("that cannot be resumed is lost, and is not asked for for ever", async () => {
    verifies("tools.upstream-resume", "tools.upstream-once");
    const resumable = "id: e0\nretry: 1\ndata: \n\n";
    for (const [status, attempts] of [
      [405, 1],
      [502, 4],
    ] as const) {
      const GET = () => new Response(null, { status });
      await using server = new ScriptedMcp({ ...legacy("s"), GET, "tools/call": () => streams([resumable]) });
      const upstream = upstreamTo(server.url);
      const failure = await failureIn(upstream.call(callOf()));
      expect(failure).toMatchObject({ reason: "unreachable", mayHaveRun: true });
      expect(server.of("tools/call")).toHaveLength(1);
      expect(server.of("GET")).toHaveLength(attempts);
      await upstream.close();
    }
    // What cannot stand in a header is no place to resume from.
    await using odd = new ScriptedMcp({ ...legacy("s"), "tools/call": () => streams(["id: é\nretry: 1\ndata: \n\n"]) });
    const other = upstreamTo(odd.url);
    expect(await failureIn(other.call(callOf()))).toMatchObject({ reason: "unreachable" });
    expect(odd.of("GET")).toEqual([]);
    await other.close();
    // Since 2026-07-28 nothing is resumed.
    await using server = new ScriptedMcp({ ...modern(), "tools/call": () => streams([resumable]) });
    const upstream = upstreamTo(server.url);
    expect(await failureIn(upstream.call(callOf()))).toMatchObject({ reason: "unreachable" });
    expect(server.of("GET")).toEqual([]);
    await upstream.close();
  });
});

describe("a call that is cancelled", () => {
  test("ends at once, and a server of the 2025 era is told", async () => {
    verifies("tools.upstream-cancel");
    for (const hang of [() => new Promise<Response>(() => {}), () => streams(andHangs(": wait\n\n"))]) {
      await calling(hang, async (server, url) => {
        const upstream = upstreamTo(url);
        const leaving = new AbortController();
        const failure = failureIn(upstream.call(callOf({ signal: leaving.signal })));
        const call = await server.until("tools/call");
        leaving.abort();
        expect(await failure).toMatchObject({ reason: "cancelled", mayHaveRun: true });
        const told = await server.until("notifications/cancelled");
        expect(told.params["requestId"]).toBe(call.message["id"]);
        expect(told.headers.get("mcp-session-id")).toBe("s");
        await upstream.close();
      });
    }
  });

  test("closes the stream of a server of 2026-07-28, which needs no words", async () => {
    verifies("tools.upstream-cancel");
    await using server = new ScriptedMcp({ ...modern(), "tools/call": () => streams(andHangs(": wait\n\n")) });
    const upstream = upstreamTo(server.url);
    const leaving = new AbortController();
    const failure = failureIn(upstream.call(callOf({ signal: leaving.signal })));
    const { gone } = await server.until("tools/call");
    const left = new Promise((resolve) => gone.addEventListener("abort", resolve));
    leaving.abort();
    expect(await failure).toMatchObject({ reason: "cancelled" });
    await left;
    server.script = { ...server.script, "tools/call": (got) => answers(got, ODD) };
    await upstream.call(callOf());
    expect(server.of("notifications/cancelled")).toEqual([]);
    await upstream.close();
  });

  test("before it began is never sent", async () => {
    verifies("tools.upstream-cancel");
    await calling(
      (got) => answers(got, ODD),
      async (server, url) => {
        const upstream = upstreamTo(url);
        const failure = await failureIn(upstream.call(callOf({ signal: AbortSignal.abort() })));
        expect(failure).toMatchObject({ reason: "cancelled", mayHaveRun: false });
        await upstream.close();
        expect(server.of("tools/call")).toEqual([]);
      },
    );
  });
});
