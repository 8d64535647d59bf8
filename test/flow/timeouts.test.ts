import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FakeProvider, fails, hangs, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ChatWorld } from "./chat-world";

let world: ChatWorld;
let second: FakeProvider;
beforeAll(async () => {
  second = await FakeProvider.start();
  world = await ChatWorld.open({
    env: {
      GUARDHOUSE_UPSTREAM__FIRST_BYTE_MS: "1500",
      GUARDHOUSE_UPSTREAM__IDLE_MS: "1500",
      GUARDHOUSE_UPSTREAM__TOTAL_MS: "5000",
      // Two retries: the second wait is longer than the limit for the whole, and shorter than the longest there is.
      GUARDHOUSE_UPSTREAM__RETRY_BASE_MS: "3000",
      GUARDHOUSE_UPSTREAM__MAX_CONCURRENT: "2",
    },
    before: (hub) => hub.addProvider("second", { baseUrl: second.url, models: ["fake-both"], priority: 200 }),
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});

const HELLO = [{ role: "user", content: "Hello there" }];

describe("no call waits for ever", () => {
  test.each([false, true])(
    "for the first byte (streamed: %p): 504, once, and the provider is let go",
    async (stream) => {
      verifies("provider.timeouts");
      const before = world.provider.calls.length;
      world.provider.next(hangs());
      const response = await world.ask({ messages: HELLO, stream });
      expect(response.status).toBe(504);
      expect(await response.json()).toMatchObject({
        error: { type: "upstream_error", code: "upstream_timeout", param: null },
      });
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(await world.provider.lastCall.ended).toMatchObject({ how: "client_gone" });
      expect(world.provider.calls).toHaveLength(before + 1);
      const { request, final } = await world.recordsOf(response);
      // A call that is open long enough to be asked about is on record while it is.
      expect(request?.outcome).toBe("open");
      expect(final).toMatchObject({ outcome: "upstream_error", call: { code: "upstream_timeout", attempts: 1 } });
      expect(final.call.ms.upstream).toBeGreaterThan(1_400);
    },
  );

  test("a provider that is silent: the next one answers", async () => {
    verifies("provider.timeouts", "provider.fallback");
    world.provider.next(hangs());
    const response = await world.ask({ model: "fake-both", messages: HELLO });
    expect(response.status).toBe(200);
    expect((await world.recordsOf(response)).final.call).toMatchObject({ provider: "second", attempts: 2 });
  });

  test("inside a stream: what was said, then an error event", async () => {
    verifies("provider.timeouts");
    world.provider.next(says("Hello there. So", { stop: { after: 3, how: "hang" } }));
    const stream = await world.stream();
    expect(stream.content()).toBe("Hello");
    expect(stream.events.at(-1)?.error).toMatchObject({ code: "upstream_timeout", type: "upstream_error" });
    expect(stream.data).not.toContain("[DONE]");
    expect(await world.provider.lastCall.ended).toMatchObject({ how: "client_gone" });
    const { final } = await world.recordsOf(stream);
    expect(final).toMatchObject({ outcome: "upstream_error", call: { status: 504, code: "upstream_timeout" } });
    expect(final.call.coverage.output.chars).toBe("Hello there.".length);
  });

  test("a stream that is slow, but never silent for long, is served", async () => {
    world.provider.next(says("a b c d e f g h i j k l m n o p q r ", { gapMs: 60 }));
    expect((await world.stream()).content()).toBe("a b c d e f g h i j k l m n o p q r ");
  });

  test("a stream that never ends: cut at the limit for the whole", async () => {
    verifies("provider.timeouts");
    world.provider.next(says("word ".repeat(200), { gapMs: 100 }));
    const stream = await world.stream();
    expect(stream.content()).toStartWith("word word");
    expect(stream.events.at(-1)?.error).toMatchObject({
      code: "upstream_timeout",
      message: expect.stringContaining("longer than"),
    });
    expect((await world.recordsOf(stream)).final.call).toMatchObject({ status: 504, code: "upstream_timeout" });
  });

  test("a whole answer that never ends", async () => {
    verifies("provider.timeouts");
    world.provider.next(says("Hello there", { stop: { after: 0, how: "hang" } }));
    const response = await world.ask("Hello there");
    expect(response.status).toBe(504);
    expect(await world.provider.lastCall.ended).toMatchObject({ how: "client_gone" });
    expect((await world.recordsOf(response)).final.call).toMatchObject({ code: "upstream_timeout", attempts: 1 });
  });

  test("tries at a provider that stays down: the limit for the whole ends them too", async () => {
    verifies("provider.timeouts");
    world.provider.always(fails(503));
    const response = await world.ask("Hello there");
    world.provider.always(says("Fine."));
    expect(response.status).toBe(504);
    expect((await world.recordsOf(response)).final.call.code).toBe("upstream_timeout");
  });
});

describe("a client that leaves while the hub waits to try again", () => {
  test("client disconnect is noticed and stops retries", async () => {
    verifies("chat.client-gone");
    const { headers, records } = world.conversation();
    const before = world.provider.calls.length;
    world.provider.next(fails(503));
    const controller = new AbortController();
    const answer = world.ask("Hello there", { headers, signal: controller.signal });
    await (await world.provider.call(before)).ended;
    controller.abort();
    await expect(answer).rejects.toThrow();
    const { final } = await records();
    expect(final).toMatchObject({ outcome: "client_closed", call: { status: 499, attempts: 1 } });
    expect(world.provider.calls).toHaveLength(before + 1);
  });
});

describe("calls under way at one provider are bounded", () => {
  test("one too many is refused, or goes to the next; a place that was left is free again", async () => {
    verifies("provider.concurrency");
    const before = world.provider.calls.length;
    world.provider.always(says("Hello there. So it is. ", { stop: { after: 3, how: "hang" } }));
    const controller = new AbortController();
    const open = [0, 1].map(() => world.ask({ messages: HELLO, stream: true }, { signal: controller.signal }));
    await world.provider.call(before + 1);
    const refused = await world.ask("Hello there");
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: "upstream_rate_limited" } });
    const moved = await world.ask({ model: "fake-both", messages: HELLO });
    expect(moved.status).toBe(200);
    expect((await world.recordsOf(moved)).final.call.provider).toBe("second");

    controller.abort();
    await Promise.allSettled(open);
    await Promise.all(world.provider.calls.slice(before).map(({ ended }) => ended));
    world.provider.always(says("Fine."));
    // The provider hears of the end before the hub has let go of the place; a moment later it is free.
    let status = 429;
    for (const end = performance.now() + 60_000; status === 429 && performance.now() < end; )
      status = (await world.ask("Hello there")).status;
    expect(status).toBe(200);
  });
});
