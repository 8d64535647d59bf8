import { describe, expect, test } from "bun:test";
import { GuardError } from "#core/errors";
import { SSE_KEEP_ALIVE } from "#core/sse";
import { ChatStream } from "#guard/apis/chat-stream";
import { CallDeadline } from "#guard/call-deadline";
import { OpenCalls } from "#guard/open-calls";
import { StreamGuard } from "#guard/stream/guard";
import { StreamRelay } from "#guard/stream/relay";
import { REDACTING } from "#test/scan/policies";
import { verifies } from "#test/support/verifies";
import { callUnder, MemoryAudit } from "./call-fixture";

const IDLE_MS = 120_000;
const KEEP_ALIVE_MS = 15_000;
const TOTAL_MS = 1_800_000;

const chunk = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

/** A relay between a provider and a client that the test plays, with a clock it moves. */
const relay = (unused: () => Promise<void> | null = () => null) => {
  const audit = new MemoryAudit();
  const call = callUnder(REDACTING, audit);
  const openCalls = new OpenCalls();
  const client = new AbortController();
  const deadline = new CallDeadline({
    client: client.signal,
    openCalls,
    totalMs: TOTAL_MS,
    noteOpen: (now) => call.record.noteOpen(now),
    stopped: () => null,
    subject: () => ({ user_id: "u1", agent_id: null, model: null, server_id: null }),
  });
  const upstream = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const source = new ReadableStream<Uint8Array>({ start: (controller) => upstream.resolve(controller) });
  const ends = { count: 0 };
  const onEnd = () => {
    ends.count += 1;
    deadline.end();
  };
  const guard = new StreamGuard(call, new ChatStream({ wantsUsage: false }), 100);
  const options = {
    call,
    guard,
    source,
    deadline,
    openCalls,
    idleMs: IDLE_MS,
    answerBytes: 1_048_576,
    keepAliveMs: KEEP_ALIVE_MS,
    keepAlive: SSE_KEEP_ALIVE,
    onEnd,
  };
  const holds = { onHold: () => Promise.reject(new Error("no holds here")), unused };
  const out = new ReadableStream(new StreamRelay({ ...options, ...holds }), { highWaterMark: 0 });
  const reader = out.getReader();
  const provider = upstream.promise;
  // A provider's body fails when its call is aborted, as fetch makes it.
  deadline.signal.addEventListener("abort", () => void provider.then((body) => body.error(deadline.signal.reason)));
  return {
    audit,
    deadline,
    openCalls,
    reader,
    ends,
    say: async (text: string) => (await provider).enqueue(Buffer.from(text)),
    close: async () => (await provider).close(),
    next: async () => {
      const { value, done } = await reader.read();
      return done ? null : Buffer.from(value ?? []).toString();
    },
    /** Lets time pass for everything that is ticked. */
    pass: (ms: number) => openCalls.tick(performance.now() + ms),
  };
};

const rest = async (next: () => Promise<string | null>): Promise<string> => {
  let text = "";
  for (let part = await next(); part !== null; part = await next()) text += part;
  return text;
};

describe("an answer that needs approvals", () => {
  test("leaves when they are used up", async () => {
    verifies("hold.once");
    const used = Promise.withResolvers<void>();
    let isUsed = false;
    const { say, next, close } = relay(() => (isUsed ? null : used.promise));
    await say(chunk("Hello. "));
    const first = next().then((text) => [text, isUsed]);
    await Bun.sleep(0);
    isUsed = true;
    used.resolve();
    expect(await first).toEqual([chunk("Hello. "), true]);
    await say(chunk("Bye. ", "stop"));
    await close();
    expect(await rest(next)).toContain("[DONE]");
  });

  test("does not leave when another process has used one", async () => {
    verifies("hold.once");
    const { say, next, audit } = relay(() =>
      Promise.reject(new GuardError("content_filter", "It waits for a person.")),
    );
    await say(chunk("Hello. "));
    const text = await rest(next);
    expect(text).toContain("It waits for a person.");
    expect(text).not.toContain("Hello");
    expect(audit.records).not.toEqual([]);
  });
});

describe("while a provider is silent", () => {
  test("the client hears a comment every so often, between events", async () => {
    verifies("stream.keep-alive");
    const { say, next, pass, close } = relay();
    await say(chunk("Hello. "));
    expect(await next()).toBe(chunk("Hello. "));
    const waiting = next();
    pass(KEEP_ALIVE_MS - 1_000);
    pass(KEEP_ALIVE_MS + 1_000);
    expect(await waiting).toBe(": keep-alive\n\n");
    await say(chunk("Bye. ", "stop"));
    await close();
    expect(await rest(next)).toBe(`${chunk("Bye. ", "stop")}data: [DONE]\n\n`);
  });

  test("also while it talks and everything is held back", async () => {
    verifies("stream.keep-alive");
    const { say, next, pass } = relay();
    await say(chunk("jane"));
    await say(chunk(".doe"));
    const waiting = next();
    await Bun.sleep(0);
    pass(KEEP_ALIVE_MS + 1_000);
    expect(await waiting).toBe(": keep-alive\n\n");
  });

  test("comments do not pile up for a client that does not read", async () => {
    const { say, next, pass } = relay();
    await say(chunk("Hello. "));
    await Bun.sleep(0);
    for (let tick = 1; tick < 20; tick += 1) pass(tick * (KEEP_ALIVE_MS + 1_000));
    expect(await next()).toBe(chunk("Hello. "));
    await say(chunk("Bye. "));
    expect(await next()).toBe(chunk("Bye. "));
  });

  test("and after the limit it is given up: an error event, upstream_timeout in the record", async () => {
    verifies("provider.timeouts");
    const { say, next, pass, audit, deadline, ends, openCalls } = relay();
    await say(chunk("Hello. "));
    await next();
    const waiting = rest(next);
    await Bun.sleep(0);
    pass(IDLE_MS - 1_000);
    expect(deadline.signal.aborted).toBe(false);
    pass(IDLE_MS + 1_000);
    expect(await waiting).toContain('"code":"upstream_timeout"');
    expect(audit.records.at(-1)).toMatchObject({ phase: "final", outcome: "upstream_error", call: { status: 504 } });
    expect([ends.count, openCalls.size]).toEqual([1, 0]);
  });

  test("a client that does not read is not the provider's silence", async () => {
    const { say, pass, deadline } = relay();
    await say(chunk("Hello. "));
    await say(chunk("More. "));
    await Bun.sleep(0);
    pass(IDLE_MS + 1_000);
    expect(deadline.signal.aborted).toBe(false);
  });
});

test("after [DONE] the client is served; the provider's connection is given a moment to end", async () => {
  verifies("stream.done");
  const { say, next, pass, deadline, ends, openCalls } = relay();
  await say(`${chunk("Hello. ", "stop")}data: [DONE]\n\n`);
  expect(await rest(next)).toBe(`${chunk("Hello. ", "stop")}data: [DONE]\n\n`);
  expect(deadline.signal.aborted).toBe(false);
  pass(60_000);
  expect(deadline.signal.aborted).toBe(true);
  await Bun.sleep(0);
  expect([ends.count, openCalls.size]).toEqual([1, 0]);
});

describe("when the final record cannot be written", () => {
  test("the client is told so instead of [DONE]", async () => {
    verifies("audit.fail-closed");
    const { say, next, close, audit } = relay();
    await say(chunk("Hello. "));
    await next();
    audit.healthy = false;
    await say(chunk("Bye. ", "stop"));
    await close();
    const text = await rest(next);
    expect(text).not.toContain("[DONE]");
    expect(text).toContain('"code":"audit_unavailable"');
  });
});

test("a client that leaves ends the call once, with what was shown to it", async () => {
  verifies("chat.client-gone");
  const { say, next, reader, audit, deadline, ends, openCalls } = relay();
  await say(chunk("Hello. "));
  await next();
  await reader.cancel();
  expect(deadline.signal.aborted).toBe(true);
  await Bun.sleep(0);
  expect(audit.records).toHaveLength(1);
  expect(audit.records[0]).toMatchObject({
    outcome: "client_closed",
    call: { coverage: { output: { texts: 1, chars: 7 } } },
  });
  expect([ends.count, openCalls.size]).toEqual([1, 0]);
});
