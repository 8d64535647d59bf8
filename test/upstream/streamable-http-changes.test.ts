import { describe, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { HttpClient } from "#upstream/mcp/http-client";
import { Deadlines } from "#upstream/mcp/http-deadline";
import { legacyLink } from "#upstream/mcp/streamable-http-link";
import { ChangeListener } from "#upstream/mcp/streamable-http-listener";
import {
  andHangs,
  answers,
  callOf,
  event,
  legacy,
  modern,
  resultEvent,
  type Script,
  ScriptedMcp,
  said,
  streams,
  upstreamTo,
} from "./scripted-mcp.ts";

const listenerTo = (url: string) => {
  const authorization = { headers: async () => ({}), refused: async () => false };
  const http = new HttpClient({ slug: "notes", url, fetch: (to, init) => fetch(to, init), authorization });
  const link = legacyLink("2025-11-25", "s", {});
  const deps = { http, slug: "notes", deadlines: new Deadlines(), aside: () => {}, now: () => Date.now() };
  return new ChangeListener(deps, link);
};

const CHANGED = event({ method: "notifications/tools/list_changed" });

describe("changes", () => {
  test("are heard from a server of the 2025 era that tells of them, until the connection is closed", async () => {
    verifies("tools.upstream-changes");
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    await using server = new ScriptedMcp({
      ...legacy("s", { tools: { listChanged: true } }),
      "tools/call": (got) => answers(got, said("hi")),
      GET: () => streams(andHangs(": hello\n\n", event({ id: 1, method: "ping" }), CHANGED)),
      DELETE: () => new Response(null, { status: 204 }),
    });
    const upstream = upstreamTo(server.url, { onListChanged: resolve });
    await upstream.call(callOf());
    await heard;
    const { headers, gone } = await server.until("GET");
    expect(headers.get("mcp-session-id")).toBe("s");
    expect(headers.get("accept")).toBe("text/event-stream");
    expect((await server.until("response")).message).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    const left = new Promise((done) => gone.addEventListener("abort", done));
    await upstream.close();
    await left;
    expect(server.of("DELETE")).toHaveLength(1);
  });

  test("are heard from a server of 2026-07-28 by subscription", async () => {
    verifies("tools.upstream-changes");
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    await using server = new ScriptedMcp({
      ...modern({ tools: { listChanged: true } }),
      "tools/call": (got) => answers(got, said("hi")),
      "subscriptions/listen": () =>
        streams(andHangs(event({ method: "notifications/subscriptions/acknowledged", params: {} }), CHANGED)),
    });
    const upstream = upstreamTo(server.url, { onListChanged: resolve });
    await upstream.call(callOf());
    await heard;
    const { headers, params, gone } = await server.until("subscriptions/listen");
    expect(headers.get("mcp-method")).toBe("subscriptions/listen");
    expect(params["notifications"]).toEqual({ toolsListChanged: true });
    const left = new Promise((done) => gone.addEventListener("abort", done));
    await upstream.close();
    await left;
  });

  test("are heard in the stream of a call too", async () => {
    verifies("tools.upstream-changes");
    let heard = 0;
    await using server = new ScriptedMcp({
      ...legacy(),
      "tools/call": (got) => streams([CHANGED, resultEvent(got, said("hi"))]),
    });
    const upstream = upstreamTo(server.url, { onListChanged: () => (heard += 1) });
    await upstream.call(callOf());
    expect(heard).toBe(1);
    await upstream.close();
  });

  test("are not asked of a server that does not tell, or refuses to", async () => {
    verifies("tools.upstream-changes");
    const call: Script = { "tools/call": (got) => answers(got, said("hi")) };
    await using silent = new ScriptedMcp({ ...legacy("s"), ...call });
    await using refusing = new ScriptedMcp({ ...legacy("s", { tools: { listChanged: true } }), ...call });
    for (const { url } of [silent, refusing]) {
      const upstream = upstreamTo(url);
      await upstream.call(callOf());
      await upstream.call(callOf());
      await upstream.close();
    }
    expect(silent.of("GET")).toEqual([]);
    expect(refusing.of("GET")).toHaveLength(1);
  });

  test("are not listened for on a session that is over", async () => {
    verifies("tools.upstream-changes");
    let number = 0;
    await using server = new ScriptedMcp({
      initialize: (got) => {
        number += 1;
        return legacy(`session-${number}`, { tools: { listChanged: true } })["initialize"]?.(got) ?? new Response();
      },
      "tools/call": (got) =>
        got.headers.get("mcp-session-id") === `session-${number}`
          ? answers(got, said("hi"))
          : new Response(null, { status: 404 }),
      GET: () => streams(andHangs(": hello\n\n")),
    });
    const upstream = upstreamTo(server.url);
    await upstream.call(callOf());
    const { gone } = await server.until("GET");
    const left = new Promise((done) => gone.addEventListener("abort", done));
    number = 10;
    await upstream.call(callOf());
    await left;
    expect((await server.until("GET", 2)).headers.get("mcp-session-id")).toBe("session-11");
    await upstream.close();
  });

  test("are not listened for when that keeps failing", async () => {
    verifies("tools.upstream-changes");
    await using server = new ScriptedMcp({ GET: () => new Response(null, { status: 503 }) });
    await listenerTo(server.url).listen();
    expect(server.of("GET")).toHaveLength(3);
  });

  test("are subscribed to again when the server ends the subscription", async () => {
    verifies("tools.upstream-changes");
    await using server = new ScriptedMcp({
      ...modern({ tools: { listChanged: true } }),
      "tools/call": (got) => answers(got, said("hi")),
      "subscriptions/listen": (got) => streams(andHangs(resultEvent(got, { resultType: "complete" }))),
    });
    const upstream = upstreamTo(server.url);
    await upstream.call(callOf());
    await server.until("subscriptions/listen", 2);
    await upstream.close();
  });

  test("are listened for again where the stream ended, and with patience", async () => {
    verifies("tools.upstream-changes");
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    await using server = new ScriptedMcp({
      ...legacy("s", { tools: { listChanged: true } }),
      "tools/call": (got) => answers(got, said("hi")),
      GET: ({ headers }) => streams([headers.has("last-event-id") ? CHANGED : "id: place-1\ndata: \n\n"]),
    });
    const upstream = upstreamTo(server.url, { onListChanged: resolve });
    await upstream.call(callOf());
    await heard;
    expect(server.of("GET").map(({ headers }) => headers.get("last-event-id"))).toEqual([null, "place-1"]);
    await upstream.close();
  });
});
