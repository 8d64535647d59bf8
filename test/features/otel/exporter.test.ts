import { expect, test } from "bun:test";
import fc from "fast-check";
import { CallQueue } from "#features/otel/call-queue";
import { spansOf } from "#features/otel/calls";
import { Exporter } from "#features/otel/exporter";
import type { Encoding } from "#features/otel/otlp";
import { jsonEncoding } from "#features/otel/otlp-json";
import { protobufEncoding } from "#features/otel/otlp-protobuf";
import { samplerOf } from "#features/otel/sampling";
import { callerTraceOf, type TracedCall, Tracing } from "#guard/call-trace";
import type { AuditRecord } from "#model/audit";
import { SAMPLERS } from "#model/sampler";
import { RandomHex } from "#platform/random-hex";
import { Slices } from "#platform/slices";
import { type Answer, Collector } from "#test/features/otel/collector";
import { verifies } from "#test/support/verifies";
import { otlpSender } from "#upstream/otlp-sender";

const NOW = 1_790_000_000_000;
const SCOPE = { resource: () => {}, scope: { name: "guardhouse", version: "1.2.3" } };

const RECORD: AuditRecord = {
  v: 1,
  id: "record-1",
  call_id: "call-1",
  phase: "final",
  kind: "chat.completion",
  at: "2026-09-21T14:13:20.000Z",
  actor: { via: "token", user_id: "user-1", agent_id: null, token_id: "token-1" },
  outcome: "answered",
  call: {
    ...{ status: 200, code: null, model: "fake-model", provider: "fake", stream: false, policy_revision: 1 },
    ...{ profile_version: null, tuning_revision: null, mode: "enforce", action: "allow", event_id: null, flags: [] },
    coverage: {
      input: { texts: 1, chars: 5, cached: 0, unscanned: [] },
      output: { texts: 1, chars: 5, cached: 0, unscanned: [] },
    },
    ...{ usage: null, finish_reasons: ["stop"], ms: { total: 12.5, guard: 0.5, upstream: 11 }, attempts: 0 },
    ...{ client_retry: 0, conversation_id: null },
  },
};

const randomHex = new RandomHex();

const ended: TracedCall[] = [];
const tracing = new Tracing({
  randomHex: (bytes) => randomHex.next(bytes),
  isSampled: () => true,
  propagates: true,
  sink: (call) => void ended.push(call),
});

const tracedCall = (): TracedCall => {
  tracing.begin(callerTraceOf(null, null), NOW).ended(RECORD);
  const call = ended.pop();
  if (call === undefined) throw new Error("nobody was told of the call");
  return call;
};

const NAMES = { agent: () => null, provider: () => null, toolServer: () => null, scheme: () => "http" };

/** An exporter of spans to a scripted collector. Its waits are over at once, and are noted. */
class Bench implements AsyncDisposable {
  readonly collector = new Collector();
  readonly queue = new CallQueue(1_000, { calls: 512, tell: () => {} });
  readonly waits: number[] = [];
  readonly faults: object[] = [];
  readonly warnings: object[] = [];
  readonly exporter: Exporter<unknown>;
  private waited = 0;

  constructor(encoding: Encoding = protobufEncoding(), timeoutMs = 20_000) {
    this.exporter = new Exporter(this.queue, {
      signal: "traces",
      url: `${this.collector.url}/v1/traces`,
      headers: {},
      encoding,
      itemsOf: (call) => spansOf(call, NAMES),
      writer: () => encoding.spans(SCOPE),
      send: otlpSender({ gzip: false, timeoutMs, tls: {}, now: () => NOW, version: "1.2.3" }),
      slices: new Slices(),
      sleep: async (ms) => {
        this.waits.push(ms);
        this.waited += ms;
      },
      tick: () => this.waited,
      random: () => 1,
      faults: { happened: (fault) => void this.faults.push(fault) },
      log: { warn: (event, fields) => void this.warnings.push({ event, ...fields }) },
    });
  }

  add(calls: number): void {
    for (let left = calls; left > 0; left -= 1) this.queue.add(tracedCall());
  }

  get dropped(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.exporter.metrics().dropped.filter(([, count]) => count > 0));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.collector[Symbol.asyncDispose]();
  }
}

test("exporter: what a collector may take later is sent again, with waits that double", async () => {
  verifies("otel.retry");
  await using bench = new Bench();
  bench.collector.script({ status: 429 }, { status: 502 }, { status: 503 }, { status: 504 });
  bench.add(3);
  await bench.exporter.run();
  expect(bench.collector.received.map(({ status }) => status)).toEqual([429, 502, 503, 504, 200]);
  expect(bench.waits).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(new Set(bench.collector.received.map(({ text }) => text)).size).toBe(1);
  expect(bench.exporter.metrics()).toMatchObject({ exported: 3, waiting: 0 });
  expect(bench.dropped).toEqual({});
});

test.each([
  ["in seconds", "7", 7_000],
  ["as a date", new Date(NOW + 90_000).toUTCString(), 90_000],
  ["longer than five minutes", "86400", null],
])("exporter: waits as long as the collector asks, %s", async (_, header, ms) => {
  verifies("otel.retry");
  await using bench = new Bench();
  bench.collector.script({ status: 503, headers: { "retry-after": header } });
  bench.add(1);
  await bench.exporter.run();
  expect(bench.waits).toEqual([ms ?? 300_000]);
  expect(bench.exporter.metrics().exported).toBe(1);
});

test.each([400, 401, 404, 413, 500, 501, 302])(
  "exporter: what is refused with %i is not sent again",
  async (status) => {
    verifies("otel.retry", "otel.metrics");
    await using bench = new Bench();
    bench.collector.script({ status, headers: { location: `${bench.collector.url}/v1/traces` } });
    bench.add(2);
    await bench.exporter.run();
    expect(bench.collector.received.length).toBe(1);
    expect(bench.dropped).toEqual({ refused: 2 });
    expect(bench.faults).toEqual([{ signal: "traces", status, cause: "status" }]);
  },
);

test("exporter: a collector that is away for long is given up, and what comes later is sent", async () => {
  verifies("otel.retry");
  await using bench = new Bench();
  bench.collector.script(...Array.from({ length: 40 }, (): Answer => ({ status: 503 })));
  bench.add(2);
  await bench.exporter.run();
  expect(bench.dropped).toEqual({ unreachable: 2 });
  expect(Math.max(...bench.waits)).toBe(30_000);
  expect(bench.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(300_000);
});

test.each([
  {
    form: "JSON",
    encoding: jsonEncoding(),
    body: JSON.stringify({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } }),
  },
  {
    form: "protobuf",
    encoding: protobufEncoding(),
    body: Uint8Array.from([0x0a, 0x0b, 0x08, 0x02, 0x12, 0x07, ...Buffer.from("too old")]),
  },
])("exporter: what is rejected of a request is counted and not sent again, as $form", async ({ encoding, body }) => {
  verifies("otel.partial-success");
  await using bench = new Bench(encoding);
  bench.collector.script({ body });
  bench.add(5);
  await bench.exporter.run();
  expect(bench.collector.received.length).toBe(1);
  expect(bench.exporter.metrics().exported).toBe(3);
  expect(bench.dropped).toEqual({ rejected: 2 });
  expect(bench.warnings).toEqual([
    { event: "otel.partial_success", signal: "traces", rejected: 2, message: "too old" },
  ]);
});

test("exporter: a stop sends what waits once, and drops it where nobody takes it", async () => {
  verifies("otel.flush");
  await using bench = new Bench();
  bench.add(1);
  await bench.exporter.stop(20_000);
  expect(bench.exporter.metrics().exported).toBe(1);
  bench.collector.script({ status: 503 });
  bench.add(2);
  await bench.exporter.stop(20_000);
  expect(bench.waits).toEqual([]);
  expect(bench.dropped).toEqual({ stopping: 2 });
});

test("exporter: a stop ends a request that hangs when its time is over", async () => {
  verifies("otel.flush");
  await using bench = new Bench();
  const { promise: never, resolve } = Promise.withResolvers<void>();
  bench.collector.script({ after: never });
  bench.add(1);
  await bench.exporter.stop(50);
  expect(bench.dropped).toEqual({ stopping: 1 });
  resolve();
});

test("queue: nothing is lost or told twice below its bound, and what is above it is counted", () => {
  verifies("otel.never-delays");
  const steps = fc.array(fc.oneof(fc.constant("add" as const), fc.integer({ min: 1, max: 20 })), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 30 }), (all, most) => {
      const told: number[] = [];
      const queue = new CallQueue(most, { calls: 8, tell: () => void told.push(8) });
      const waiting: TracedCall[] = [];
      let refused = 0;
      for (const step of all) {
        if (step === "add") {
          const call = tracedCall();
          if (waiting.length < most) waiting.push(call);
          else refused += 1;
          queue.add(call);
        } else expect(queue.take(step)).toEqual(waiting.splice(0, step));
        expect([queue.size, queue.refused]).toEqual([waiting.length, refused]);
      }
      if (most < 8) expect(told).toEqual([]);
    }),
  );
});

test("sampling: parents decide where they are asked, and the ratio is kept", () => {
  verifies("otel.sampling");
  const parent = (flags: number) => ({ traceId: "a".repeat(32), spanId: "b".repeat(16), flags });
  for (const sampler of SAMPLERS) {
    const isSampled = samplerOf({ sampler, ratio: 0.25 });
    const roots = Array.from({ length: 4_000 }, () => isSampled(randomHex.next(16), null)).filter(Boolean).length;
    const share = sampler.endsWith("always_on")
      ? [4_000, 4_000]
      : sampler.endsWith("always_off")
        ? [0, 0]
        : [800, 1_200];
    expect(roots).toBeGreaterThanOrEqual(share[0] ?? 0);
    expect(roots).toBeLessThanOrEqual(share[1] ?? 0);
    if (!sampler.startsWith("parentbased_")) continue;
    expect([isSampled("a".repeat(32), parent(1)), isSampled("a".repeat(32), parent(0))]).toEqual([true, false]);
  }
});

test("sampling: all decide alike of a trace, and a larger ratio takes what a smaller one takes", () => {
  verifies("otel.sampling");
  const ratio = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), ratio, ratio, (bytes, one, other) => {
      const id = Buffer.from(bytes).toString("hex");
      const by = (share: number) => samplerOf({ sampler: "traceidratio", ratio: share })(id, null);
      expect(by(one)).toBe(by(one));
      if (one <= other && by(one)) expect(by(other)).toBe(true);
      expect(by(1)).toBe(true);
      expect(by(0)).toBe(false);
    }),
  );
});
