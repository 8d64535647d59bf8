import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import { anyPort } from "#test/support/port";
import { verifies } from "#test/support/verifies";
import { aCall, failureOf, names, official, result, until } from "#test/upstream/stdio-servers";
import { type SseOptions, SseUpstream } from "#upstream/mcp/sse";

const never = new AbortController().signal;

// Real processes on a busy machine.
setDefaultTimeout(120_000);

const connect = (url: string, given: Partial<SseOptions> = {}): SseUpstream =>
  new SseUpstream({
    slug: "events",
    version: "1.2.3",
    limits: { connectMs: 5_000, handshakeMs: 5_000, listMs: 5_000, resultBytes: 100_000 },
    events: { onListChanged: () => {} },
    url,
    fetch,
    authorization: { headers: async () => ({}), refused: async () => false },
    ...given,
  });

/** The MCP project's server, as a process of its own; `await using` ends it. */
const everything = async (port: number) => {
  const child = Bun.spawn([process.execPath, official("everything"), "sse"], {
    env: { ...process.env, PORT: String(port) },
    stdout: "ignore",
    stderr: "ignore",
  });
  const url = `http://127.0.0.1:${port}/sse`;
  await until(() =>
    fetch(`http://127.0.0.1:${port}/none`).then(
      () => true,
      () => false,
    ),
  );
  const end = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return { url, end, [Symbol.asyncDispose]: end };
};

type Script = {
  /** The answer to the GET; the default is an event stream that names `endpoint`. */
  readonly stream?: (request: Request) => Response | null;
  readonly endpoint?: (origin: string) => string;
  /** The answer to a POST; the default answers the handshake and repeats calls on the stream. */
  readonly post?: (
    message: JsonRecord,
    say: (text: string) => void,
    request: Request,
  ) => Response | null | Promise<Response>;
};

/** A server scripted in this process, over real HTTP. */
const scripted = (script: Script) => {
  let streams = 0;
  const says = new Set<ReadableStreamDefaultController<string>>();
  const say = (text: string) => {
    for (const stream of says) stream.enqueue(text);
  };
  const gets: Request[] = [];
  const posts: { headers: Headers; message: JsonRecord }[] = [];
  const open = (request: Request): Response => {
    gets.push(request);
    const refusal = script.stream?.(request);
    if (refusal) return refusal;
    streams += 1;
    const endpoint = (script.endpoint ?? (() => `/post?session=${streams}`))(new URL(request.url).origin);
    let own: ReadableStreamDefaultController<string> | null = null;
    const body = new ReadableStream<string>({
      cancel: () => {
        if (own) says.delete(own);
      },
      start: (controller) => {
        own = controller;
        controller.enqueue(`: hello\r\n\r\nevent: endpoint\r\ndata: ${endpoint}\r\n\r\n`);
        says.add(controller);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      if (request.method === "GET") return open(request);
      const message = (await request.json()) as JsonRecord;
      posts.push({ headers: request.headers, message });
      const answer = await script.post?.(message, say, request);
      if (answer) return answer;
      const { id, method, params } = message;
      const handshake = { protocolVersion: "2024-11-05", capabilities: { tools: {} } };
      const value = method === "initialize" ? handshake : { content: [], structuredContent: params };
      const text = JSON.stringify({ jsonrpc: "2.0", id, result: value });
      if (id !== undefined) say(`event: message\ndata: ${text}\n\n`);
      return new Response("Accepted", { status: 202 });
    },
  });
  const drop = () => {
    for (const stream of says) stream.close();
    says.clear();
  };
  const url = `http://127.0.0.1:${server.port}/sse`;
  return { url, gets, posts, drop, say, [Symbol.asyncDispose]: () => server.stop(true) };
};

describe("the MCP project's server", () => {
  test("lists, answers calls at once, reports progress; and again after it was away", async () => {
    verifies("tools.sse-servers");
    using held = anyPort();
    const { port } = held;
    await using server = await everything(port);
    const upstream = connect(server.url);
    expect(names((await upstream.list(never)).tools)).toContain("echo");
    const news: unknown[] = [];
    const long = { arguments: { duration: 0.3, steps: 3 }, onProgress: (params: JsonRecord) => news.push(params) };
    const [, ...echoes] = await Promise.all([
      result(upstream, "trigger-long-running-operation", long),
      ...["a", "b"].map((message) => result(upstream, "echo", { arguments: { message } })),
    ]);
    expect(echoes.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "Echo: a" }],
      [{ type: "text", text: "Echo: b" }],
    ]);
    expect(news).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    const hanging = { arguments: { duration: 60, steps: 60 }, onProgress: () => void server.end() };
    const lost = await failureOf(upstream.call(aCall("trigger-long-running-operation", hanging)));
    expect(lost).toMatchObject({ reason: "unreachable", mayHaveRun: true });
    expect(await failureOf(upstream.list(never))).toMatchObject({ reason: "unreachable", mayHaveRun: false });
    await using _again = await everything(port);
    expect(await result(upstream, "echo", { arguments: { message: "c" } })).toMatchObject({
      content: [{ type: "text", text: "Echo: c" }],
    });
    await upstream.close();
  });
});

describe("the stream", () => {
  test("that ended is opened again with a new handshake", async () => {
    verifies("tools.sse-servers");
    await using server = scripted({});
    const upstream = connect(server.url);
    await result(upstream, "a");
    server.drop();
    await until(async () => (await result(upstream, "b").catch(() => null)) !== null);
    expect(server.gets).toHaveLength(2);
    const methods = server.posts.map(({ message }) => message["method"]);
    expect(methods.slice(0, 3)).toEqual(["initialize", "notifications/initialized", "tools/call"]);
    expect(methods.slice(-3)).toEqual(["initialize", "notifications/initialized", "tools/call"]);
  });

  test("a server that forgot the conversation gets the call in a new one", async () => {
    verifies("tools.sse-servers");
    let forgets = false;
    await using server = scripted({
      post: (_message, _say, request) =>
        forgets && request.url.endsWith("session=1") ? new Response("no such session", { status: 404 }) : null,
    });
    const upstream = connect(server.url);
    await result(upstream, "a");
    forgets = true;
    expect(await result(upstream, "b")).toMatchObject({ structuredContent: { name: "b" } });
    expect(server.gets).toHaveLength(2);
  });

  test("names an address at its own origin, or is left", async () => {
    verifies("tools.sse-endpoint");
    const elsewhere = scripted({});
    const others = ["http://169.254.169.254/latest", elsewhere.url, "//localhost/post", "file:///etc/passwd", "https:"];
    for (const endpoint of others) {
      await using server = scripted({ endpoint: () => endpoint });
      const failure = await failureOf(connect(server.url).list(never));
      expect([endpoint, failure.reason]).toEqual([endpoint, endpoint === "https:" ? "garbage" : "forbidden_address"]);
      expect(server.posts).toEqual([]);
    }
    expect(elsewhere.posts).toEqual([]);
    await using absolute = scripted({ endpoint: (origin) => `${origin}/other?x=1` });
    await result(connect(absolute.url), "a");
    await elsewhere[Symbol.asyncDispose]();
  });

  test("a call given up is cancelled at the server, and no request is left waiting", async () => {
    verifies("tools.sse-servers");
    let gone = 0;
    await using server = scripted({
      post: ({ method }, _say, request) => {
        if (method !== "tools/call") return null;
        request.signal.addEventListener("abort", () => {
          gone += 1;
        });
        return new Promise<Response>(() => {});
      },
    });
    const upstream = connect(server.url);
    const caller = new AbortController();
    const silent = failureOf(upstream.call(aCall("a", { silenceMs: 50 })));
    const cancelled = failureOf(upstream.call(aCall("b", { signal: caller.signal })));
    expect(await silent).toMatchObject({ reason: "timeout", mayHaveRun: true });
    await until(() => server.posts.filter(({ message }) => message["method"] === "tools/call").length === 2);
    caller.abort();
    expect(await cancelled).toMatchObject({ reason: "cancelled", mayHaveRun: true });
    const told = () => server.posts.filter(({ message }) => message["method"] === "notifications/cancelled");
    await until(() => told().length === 2 && gone === 2);
    expect(told().map(({ message }) => message["params"])).toMatchObject([{ requestId: 2 }, { requestId: 3 }]);
  });

  test("a second address is not taken", async () => {
    verifies("tools.sse-endpoint");
    await using server = scripted({});
    const upstream = connect(server.url);
    await result(upstream, "a");
    server.say("event: endpoint\ndata: http://127.0.0.1:1/\n\n");
    await result(upstream, "b");
  });
});

describe("a clear failure", () => {
  const html = new Response("<html>", { headers: { "content-type": "text/html" } });
  const replies: readonly [string, Response, JsonRecord][] = [
    ["no event stream", html, { reason: "garbage", mayHaveRun: false }],
    ["a redirect", Response.redirect("http://127.0.0.1:1/", 302), { reason: "garbage", mayHaveRun: false }],
    ["an error", new Response("no", { status: 500 }), { reason: "unreachable", mayHaveRun: false }],
    ["forbidden", new Response("no", { status: 403 }), { reason: "unauthorized", mayHaveRun: false }],
  ];
  test.each(replies)("%s", async (_name, reply, failure) => {
    verifies("tools.sse-failures");
    await using server = scripted({ stream: () => reply.clone() });
    expect(await failureOf(connect(server.url).call(aCall("a")))).toMatchObject(failure);
  });

  test("no listener", async () => {
    verifies("tools.sse-failures");
    using held = anyPort();
    const url = `http://127.0.0.1:${held.port}/sse`;
    const failure = await failureOf(connect(url).call(aCall("a")));
    expect(failure).toMatchObject({ reason: "unreachable", mayHaveRun: false });
  });

  test("an event too large, a stream that breaks off, an answer that is no result", async () => {
    verifies("tools.sse-failures");
    const texts: Record<string, (id: unknown) => string> = {
      flood: () => `data: ${"é".repeat(60_000)}\n\n`,
      endless: () => `data: ${"x".repeat(110_000)}`,
      junk: (id) => `data: {"half"\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: 5 })}\n\n`,
      drop: () => "",
    };
    await using server = scripted({
      post: ({ id, params }, say) => {
        const name = isRecord(params) ? String(params["name"]) : "";
        if (name === "error") return new Response("oops", { status: 500 });
        const text = texts[name]?.(id);
        if (text === undefined) return null;
        if (text === "") setTimeout(server.drop);
        else say(text);
        return new Response(null, { status: 202 });
      },
    });
    const upstream = connect(server.url);
    const fails = (name: string) => failureOf(upstream.call(aCall(name)));
    expect(await fails("flood")).toMatchObject({ reason: "too_large", mayHaveRun: true });
    expect(await fails("endless")).toMatchObject({ reason: "too_large", mayHaveRun: true });
    expect(await fails("junk")).toMatchObject({ reason: "garbage", mayHaveRun: true });
    expect(await fails("error")).toMatchObject({ reason: "unreachable", mayHaveRun: true });
    expect(await fails("drop")).toMatchObject({ reason: "unreachable", mayHaveRun: true });
  });

  test("silence at every stage is bounded, and closing ends all", async () => {
    verifies("tools.sse-failures");
    const limits = { connectMs: 200, handshakeMs: 200, listMs: 5_000, resultBytes: 100_000 };
    const silent: readonly Script[] = [
      { stream: () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } }) },
      { post: () => new Response(null, { status: 202 }) },
    ];
    for (const script of silent) {
      await using server = scripted(script);
      expect(await failureOf(connect(server.url, { limits }).list(never))).toMatchObject({
        reason: "timeout",
        mayHaveRun: false,
      });
      const upstream = connect(server.url);
      const waiting = failureOf(upstream.list(never));
      await until(() => server.gets.length === 2);
      await upstream.close();
      expect(await waiting).toMatchObject({ reason: "unreachable", mayHaveRun: false });
    }
  });
});

describe("authorization", () => {
  test("goes with every request, and is renewed once when it is refused", async () => {
    verifies("tools.sse-failures");
    let token = 1;
    let wanted = 2;
    const check = (request: Request) =>
      request.headers.get("authorization") === `Bearer ${wanted}` ? null : new Response("no", { status: 401 });
    await using server = scripted({ stream: check, post: (_message, _say, request) => check(request) });
    const authorization = {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      refused: async () => {
        token += 1;
        return true;
      },
    };
    const upstream = connect(server.url, { authorization });
    await result(upstream, "a");
    wanted = 3;
    await result(upstream, "b");
    wanted = 9;
    expect(await failureOf(upstream.call(aCall("c")))).toMatchObject({ reason: "unauthorized", mayHaveRun: false });
    // Once a request, not until it fits.
    expect(token).toBe(4);
  });
});
