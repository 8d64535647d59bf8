import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { JsonRecord } from "#core/json/json";
import { verifies } from "#test/support/verifies";
import {
  aCall,
  child,
  failureOf,
  names,
  official,
  result,
  runs,
  StdioServers,
  structured,
  until,
} from "#test/upstream/stdio-servers";
import { STDIO_ENVIRONMENT } from "#upstream/mcp/stdio";

const SCRIPTED = child("scripted");
const never = new AbortController().signal;

// Real processes on a busy machine.
setDefaultTimeout(120_000);

describe("servers of the MCP project", () => {
  test("everything: its list, calls at once, progress", async () => {
    verifies("tools.stdio-servers");
    await using servers = new StdioServers();
    const upstream = servers.start([official("everything"), "stdio"]);
    const { tools, instructions } = await upstream.list(never);
    expect(names(tools)).toContain("echo");
    expect(instructions).toBeString();
    const news: unknown[] = [];
    const steps = { duration: 0.4, steps: 4 };
    const [long, ...echoes] = await Promise.all([
      result(upstream, "trigger-long-running-operation", {
        arguments: steps,
        onProgress: (params) => news.push(params),
      }),
      ...["a", "b", "c"].map((message) => result(upstream, "echo", { arguments: { message } })),
    ]);
    expect(echoes.map(({ content }) => content)).toEqual(
      ["a", "b", "c"].map((message) => [{ type: "text", text: `Echo: ${message}` }]),
    );
    expect(long.content).toBeArray();
    expect(news).toEqual([1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
  });

  test("filesystem: reads in its directory, refuses outside", async () => {
    verifies("tools.stdio-servers");
    await using servers = new StdioServers();
    await Bun.write(`${servers.path}/note.txt`, "hello");
    const upstream = servers.start([official("filesystem"), servers.path]);
    expect(names((await upstream.list(never)).tools)).toContain("read_text_file");
    const read = (path: string) => result(upstream, "read_text_file", { arguments: { path } });
    expect(await read(`${servers.path}/note.txt`)).toMatchObject({ content: [{ type: "text", text: "hello" }] });
    expect(await read("/etc/passwd")).toMatchObject({ isError: true });
  });

  test("memory: keeps what it was told from call to call", async () => {
    verifies("tools.stdio-servers");
    await using servers = new StdioServers();
    const upstream = servers.start([official("memory")], {
      command: ["env", `MEMORY_FILE_PATH=${servers.path}/memory.json`, process.execPath, official("memory")],
    });
    const entities = [{ name: "Eve", entityType: "person", observations: ["likes tea"] }];
    await result(upstream, "create_entities", { arguments: { entities } });
    expect(await structured(upstream, "read_graph")).toMatchObject({ entities });
  });

  test("memory: one of two that watch a resource leaves, and the other still hears of changes", async () => {
    verifies("tools.watching");
    await using servers = new StdioServers();
    const upstream = servers.start([official("memory")], {
      command: ["env", `MEMORY_FILE_PATH=${servers.path}/memory.json`, process.execPath, official("memory")],
    });
    await upstream.list(never);
    const watch = () => {
      const [leaving, begun, heard] = [new AbortController(), Promise.withResolvers<void>(), { updates: 0 }];
      const onUpdated = () => {
        heard.updates += 1;
      };
      const listener = { uri: "memory://knowledge-graph", signal: leaving.signal, onBegun: begun.resolve, onUpdated };
      const over = upstream.watch(listener);
      const leave = () => {
        leaving.abort();
        return over;
      };
      return { heard, begun: begun.promise, leave };
    };
    const [first, second] = [watch(), watch()];
    await Promise.all([first.begun, second.begun]);
    await first.leave();
    const entities = [{ name: "Eve", entityType: "person", observations: ["likes tea"] }];
    await result(upstream, "create_entities", { arguments: { entities } });
    await until(() => second.heard.updates > 0, 10_000);
    expect(first.heard.updates).toBe(0);
    await second.leave();
  });

  test("a server of 2026-07-28 alone is spoken to in its own revision, and says when its list changes", async () => {
    verifies("tools.stdio-servers");
    await using servers = new StdioServers();
    const upstream = servers.start([child("modern")]);
    const { tools, instructions } = await upstream.list(never);
    expect(names(tools)).toEqual(["grow"]);
    expect(instructions).toBe("Modern.");
    const answer = await result(upstream, "grow", { clientCapabilities: { elicitation: {} } });
    expect(JSON.stringify(answer)).toContain("elicitation");
    await until(() => servers.changes > 0);
    expect(names((await upstream.list(never)).tools)).toEqual(["grow", "grown"]);
  });
});

test("the answer of a server that ends right behind it arrives whole, however long", async () => {
  verifies("tools.stdio-servers");
  await using servers = new StdioServers();
  const upstream = servers.start([SCRIPTED], {
    limits: { connectMs: 10_000, handshakeMs: 10_000, listMs: 10_000, resultBytes: 64_000_000 },
  });
  // Its parse takes longer than the half second in which output must come once a process has ended.
  const answer = await structured(upstream, "answers-and-dies", { arguments: { count: 1_500_000 } });
  expect(answer).toHaveProperty("rows.length", 1_500_000);
});

describe("stdio server: environment and arguments", () => {
  test("what is logged of a call that was given up does not go to another", async () => {
    verifies("tools.logging-guarded");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    const leaving = new AbortController();
    const given = failureOf(upstream.call(aCall("late", { signal: leaving.signal })));
    await result(upstream, "echo");
    leaving.abort();
    expect((await given).reason).toBe("cancelled");
    const heard: unknown[] = [];
    const log = { level: "debug", tell: ({ data }: JsonRecord) => heard.push(data) } as const;
    await result(upstream, "speaks-of-late", { log });
    expect(heard).toEqual(["of this call"]);
  });

  test("nothing of the environment but what is named, whatever the hub holds", async () => {
    verifies("tools.stdio-environment");
    await using servers = new StdioServers();
    const environment = {
      ...process.env,
      LANG: "C.UTF-8",
      GUARDHOUSE_MASTER_KEY: "secret",
      AWS_SECRET_ACCESS_KEY: "s",
    };
    const upstream = servers.start([SCRIPTED], { environment });
    const given = Object.keys((await structured(upstream, "environment")) ?? {});
    expect(given).toContain("LANG");
    // What the shell of the runtime adds by itself.
    const known: readonly string[] = [...STDIO_ENVIRONMENT, "PWD", "OLDPWD", "SHLVL", "_"];
    expect(given.filter((name) => !known.includes(name))).toEqual([]);
  });

  test("and the variables it has of its own", async () => {
    verifies("tools.stdio-variables");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED], { variables: () => ({ API_KEY: "of this server", LANG: "C" }) });
    expect(await structured(upstream, "environment")).toMatchObject({ API_KEY: "of this server", LANG: "C" });
  });

  test("a program that is not there is named; its arguments are not", async () => {
    verifies("tools.stdio-failures");
    await using servers = new StdioServers();
    const upstream = servers.start([], { command: ["/opt/no-such-program", "--token=abc"] });
    const failure = await failureOf(upstream.list(never));
    expect(failure).toMatchObject({ reason: "unreachable", mayHaveRun: false });
    expect(failure.message).toContain("The program no-such-program of files was not found.");
    expect(failure.message).not.toContain("abc");
    expect(servers.logged.join("")).not.toContain("abc");
  });
});

describe("servers that behave badly", () => {
  test("one that never answers the handshake is ended", async () => {
    verifies("tools.stdio-failures");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED, "mute"], { handshakeMs: 300 });
    const waiting = failureOf(upstream.call(aCall("echo")));
    await until(() => servers.logged.some((line) => line.includes("stdio.started")));
    const [pid] = servers.notes;
    expect(await waiting).toMatchObject({ reason: "timeout", mayHaveRun: false });
    await until(() => servers.notes.length === 0);
    expect(runs(pid)).toBe(false);
  });

  test("one that refuses the handshake is not quoted", async () => {
    verifies("tools.stdio-failures");
    await using servers = new StdioServers();
    const failure = await failureOf(servers.start([SCRIPTED, "refuses"]).list(never));
    expect(failure).toMatchObject({ reason: "garbage", mayHaveRun: false });
    expect(failure.message).toContain("-32603");
    expect(failure.message).not.toContain("secret");
    await until(() => servers.notes.length === 0);
  });

  test("lines that are no JSON are counted and passed over", async () => {
    verifies("tools.stdio-failures");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED, "chatty"]);
    expect(await structured(upstream, "echo", { arguments: { a: 1 } })).toMatchObject({ arguments: { a: 1 } });
    await upstream.close();
    const ended = servers.logged.find((line) => line.includes("stdio.ended")) ?? "";
    // Two of three: an empty line is none of them.
    expect(JSON.parse(ended)).toMatchObject({ lines_not_json: 6, exit_code: 0 });
    expect(servers.logged.join("")).not.toContain("Listening");
  });

  test("a line beyond the limit ends the server that sent it", async () => {
    verifies("tools.stdio-failures");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    const other = failureOf(upstream.call(aCall("waits")));
    expect(await failureOf(upstream.call(aCall("flood")))).toMatchObject({ reason: "too_large", mayHaveRun: true });
    expect(await other).toMatchObject({ mayHaveRun: true });
    await until(() => servers.notes.length === 0);
  });

  test("an answer that is no result, an error, a server that closes its output", async () => {
    verifies("tools.stdio-failures");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    expect(await failureOf(upstream.call(aCall("nothing")))).toMatchObject({ reason: "garbage", mayHaveRun: true });
    const refused = { kind: "error", code: -32602, message: "No", data: { a: 1 } } as const;
    expect(await upstream.call(aCall("refused"))).toEqual(refused);
    expect(await failureOf(upstream.call(aCall("closes-output")))).toMatchObject({ reason: "unreachable" });
    await until(() => servers.notes.length === 0);
  });

  test("a server that reads nothing delays no other caller", async () => {
    verifies("tools.stdio-failures");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    await result(upstream, "deaf");
    const large = { arguments: { text: "x".repeat(1_000_000) }, silenceMs: 300 };
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(upstream.call(aCall("echo", large)))));
    expect(failures.map(({ reason }) => reason)).toEqual(["timeout", "timeout", "timeout"]);
    // The first fills the pipe; the others were never sent.
    expect(failures.map(({ mayHaveRun }) => mayHaveRun)).toEqual([true, false, false]);
  });
});

describe("a conversation", () => {
  test("progress ends a silence, is the caller's own, and stops with the answer", async () => {
    verifies("tools.stdio-progress");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    await upstream.list(never);
    const news: unknown[] = [];
    // Takes 2 s in steps of a quarter: without progress it would be given up, whether anybody listens or not.
    const patience = { silenceMs: 1_900 };
    const listen = { ...patience, onProgress: (params: unknown) => news.push(params) };
    await Promise.all([result(upstream, "progress", listen), result(upstream, "progress", patience)]);
    await result(upstream, "echo");
    const steps = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(news).toEqual(steps.map((progress) => ({ progress, total: 8, message: `step ${progress}` })));
    const failing = upstream.call(
      aCall("progress", {
        onProgress: () => {
          throw new Error("gone");
        },
      }),
    );
    expect((await failureOf(failing)).reason).toBe("cancelled");
    await result(upstream, "echo");
  });

  test("a cancelled call and a silent one are given up, and the server is told", async () => {
    verifies("tools.stdio-cancel");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    await upstream.list(never);
    const caller = new AbortController();
    const cancelled = failureOf(upstream.call(aCall("waits", { signal: caller.signal })));
    const silent = failureOf(upstream.call(aCall("waits", { silenceMs: 50 })));
    expect(await silent).toMatchObject({ reason: "timeout", mayHaveRun: true });
    caller.abort();
    expect(await cancelled).toMatchObject({ reason: "cancelled", mayHaveRun: true });
    const [first, second] = [await silent, await structured(upstream, "cancelled")];
    expect(first.message).toContain("50 ms");
    expect(second).toEqual([expect.objectContaining({ requestId: 4 }), expect.objectContaining({ requestId: 3 })]);
    const late = failureOf(upstream.call(aCall("echo", { signal: AbortSignal.abort() })));
    expect(await late).toMatchObject({ reason: "cancelled", mayHaveRun: false });
  });

  test("a caller who leaves before the handshake is over does not end it for others", async () => {
    verifies("tools.stdio-cancel");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    const caller = new AbortController();
    const leaving = failureOf(upstream.call(aCall("echo", { signal: caller.signal })));
    const staying = structured(upstream, "pid");
    caller.abort();
    expect(await leaving).toMatchObject({ reason: "cancelled", mayHaveRun: false });
    expect(await staying).toEqual(await structured(upstream, "pid"));
  });

  test("the server's own requests are answered: ping, and no to all others", async () => {
    verifies("tools.stdio-servers");
    await using servers = new StdioServers();
    expect(await structured(servers.start([SCRIPTED]), "asks")).toEqual([
      { id: "p", jsonrpc: "2.0", result: {} },
      { id: "s", jsonrpc: "2.0", error: { code: -32601, message: expect.any(String) } },
    ]);
  });

  test("lists end: at a cursor that comes again, and at their limits", async () => {
    verifies("tools.stdio-servers");
    await using servers = new StdioServers();
    const many = { limits: { connectMs: 10_000, handshakeMs: 10_000, listMs: 10_000, resultBytes: 10_000_000 } };
    expect((await servers.start([SCRIPTED, "rounds"]).list(never)).tools).toHaveLength(2);
    expect((await servers.start([SCRIPTED, "many"], many).list(never)).tools).toHaveLength(10_000);
    const small = { limits: { ...many.limits, resultBytes: 50_000 } };
    const failure = await failureOf(servers.start([SCRIPTED, "many"], small).list(never));
    expect(failure.reason).toBe("too_large");
  });

  test("stdio server: extra parameters and trace context are passed on, nothing else", async () => {
    verifies("tools.stdio-servers");
    await using servers = new StdioServers();
    const given = { arguments: { é: "🌍\n" }, extra: { requestState: "s" }, meta: { traceparent: "00-1" } };
    expect(await structured(servers.start([SCRIPTED]), "echo", given)).toEqual({
      name: "echo",
      arguments: given.arguments,
      requestState: "s",
      _meta: { traceparent: "00-1", progressToken: expect.any(Number) },
    });
  });

  test("a changed list is news", async () => {
    verifies("tools.stdio-servers");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    await result(upstream, "changes");
    expect(servers.changes).toBe(1);
  });
});
