/*
 * `bun test/bench/tracing.ts`: what traces and logs cost. First the parts of it in this process, each by itself; then two
 * hubs as executables in alternation, one that exports to a collector and one that does not, by the CPU they take.
 */
import { readFileSync } from "node:fs";
import { logsOf, type Names, spansOf } from "#features/otel/calls";
import type { Encoding } from "#features/otel/otlp";
import { JSON_ENCODING } from "#features/otel/otlp-json";
import { protobufEncoding } from "#features/otel/otlp-protobuf";
import { type CallTrace, callerTraceIn, type TracedCall, Tracing } from "#guard/call-trace";
import type { AuditRecord } from "#model/audit";
import { RandomHex } from "#platform/random-hex";
import { median } from "#test/bench/stats";
import { Collector } from "#test/features/otel/collector";
import { World } from "#test/support/world";

const ROUNDS = 9;
const CALLS = 20_000;
const NOW = 1_790_000_000_000;
const ORIGIN = { resource: () => {}, scope: { name: "guardhouse", version: "1.0.0" } };
const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const RECORD: AuditRecord = {
  v: 1,
  id: "01a219ee-fbbb-7317-b1d8-9e2a6e04c1a1",
  call_id: "01a219ee-fbbb-7317-b1d8-9e2a6e04c1a2",
  phase: "final",
  kind: "chat.completion",
  at: "2026-09-21T14:13:20.000Z",
  actor: {
    via: "token",
    user_id: "01a219ee-fbbb-7317-b1d8-9e2a6e04c1a3",
    agent_id: "01a219ee-fbbb-7317-b1d8-9e2a6e04c1a4",
    token_id: "01a219ee-fbbb-7317-b1d8-9e2a6e04c1a5",
  },
  outcome: "answered",
  call: {
    ...{ status: 200, code: null, model: "gpt-5", provider: "openai", stream: false, policy_revision: 3 },
    ...{ profile_version: 4, tuning_revision: 5, mode: "enforce", action: "allow", event_id: null, flags: [] },
    coverage: {
      input: { texts: 3, chars: 500, cached: 1, unscanned: [] },
      output: { texts: 1, chars: 300, cached: 0, unscanned: [] },
    },
    usage: { prompt_tokens: 500, completion_tokens: 100, total_tokens: 600 },
    ...{ finish_reasons: ["stop"], ms: { total: 812.5, guard: 0.41, upstream: 811 }, attempts: 1, client_retry: 0 },
    ...{ conversation_id: "conversation-1", cost_usd: 0.0012, cost_basis: "usage" },
  },
};

const NAMES: Names = {
  agent: () => "clerk",
  provider: () => ({ genAiName: "openai", address: { host: "api.openai.com", port: 443 } }),
  toolServer: () => null,
  scheme: () => "https",
};

/** Microseconds of CPU of this process for one of many. */
const cpuOf = (count: number, work: () => void): number => {
  const before = process.cpuUsage();
  for (let left = count; left > 0; left -= 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
};

const show = (what: string, micros: readonly number[]): void =>
  console.log(`${what.padEnd(58)} ${median(micros).toFixed(2).padStart(7)} µs`);

const repeated = (what: string, work: () => void): void => {
  cpuOf(CALLS, work);
  show(
    what,
    Array.from({ length: ROUNDS }, () => cpuOf(CALLS, work)),
  );
};

const parts = (): void => {
  const randomHex = new RandomHex();
  let last: TracedCall | null = null;
  const tracing = new Tracing({
    randomHex: (bytes) => randomHex.next(bytes),
    isSampled: () => true,
    propagates: true,
    sink: (call) => {
      last = call;
    },
  });
  const traced = (header: (name: string) => string | null): CallTrace => {
    const trace = tracing.begin(callerTraceIn(header), NOW);
    trace.forwarded();
    const own = new Headers(base);
    for (const [name, value] of Object.entries(trace.headers ?? {})) own.set(name, value);
    trace.ended(RECORD);
    return trace;
  };
  const base = new Headers({ "content-type": "application/json", authorization: "Bearer key", accept: "*/*" });
  const none: { readonly trace: CallTrace | null } = { trace: null };
  console.log("in this process, a call");
  repeated("off: what a call asks", () => {
    none.trace?.forwarded();
    none.trace?.ended(RECORD);
  });
  repeated("on, while the call is served: no trace of the caller's", () => void traced(() => null));
  repeated(
    "on, while the call is served: the caller's trace",
    () => void traced((name) => (name === "traceparent" ? TRACEPARENT : null)),
  );
  traced(() => null);
  const call = last;
  if (call === null) throw new Error("no call was told");
  for (const [form, encoding] of [
    ["protobuf", protobufEncoding()],
    ["JSON", JSON_ENCODING],
  ] as const) {
    written(form, encoding, call);
  }
};

const written = (form: string, encoding: Encoding, call: TracedCall): void => {
  const batch = 500;
  const of = (work: () => void) => Array.from({ length: ROUNDS + 2 }, () => cpuOf(20, work) / batch).slice(2);
  show(
    `on, in slices beside calls: spans as ${form}`,
    of(() => {
      const writer = encoding.spans(ORIGIN);
      for (let left = batch; left > 0; left -= 1) for (const span of spansOf(call, NAMES)) writer.add(span);
      writer.finish();
    }),
  );
  show(
    `on, in slices beside calls: log record as ${form}`,
    of(() => {
      const writer = encoding.logs(ORIGIN);
      for (let left = batch; left > 0; left -= 1) for (const log of logsOf(call, NAMES)) writer.add(log);
      writer.finish();
    }),
  );
};

/** Ticks of the kernel's clock, of which there are 100 a second, that a process has worked. */
const ticksOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
};

const HUB_CALLS = 6_000;
const HUB_ROUNDS = 7;
const CALLERS = 16;

const hubs = async (): Promise<void> => {
  await using collector = new Collector();
  const seeds = {
    users: { eve: {} },
    tokens: { eve: { user: "eve" } },
    providers: { fake: { models: ["fake-*"], apiKey: "provider-key-of-the-bench" } },
  };
  const open = (env: Readonly<Record<string, string>>) =>
    World.open({ seeds, env, processes: "hub", documented: false });
  await using off = await open({});
  await using on = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const round = async (world: World, calls: number): Promise<number> => {
    const before = ticksOf(world.hub.pid);
    const url = `${world.hub.url}/v1/chat/completions`;
    const headers = { authorization: `Bearer ${world.tokenOf("eve")}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "fake-model", messages: [{ role: "user", content: "Good morning." }] });
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (let left = calls / CALLERS; left > 0; left -= 1) {
          const response = await fetch(url, {
            method: "POST",
            headers: { ...headers, traceparent: TRACEPARENT },
            body,
          });
          if (response.status !== 200) throw new Error(await response.text());
          await response.arrayBuffer();
        }
      }),
    );
    // What waits is exported within the second: its cost belongs to the round.
    await Bun.sleep(2_000);
    collector.received.length = 0;
    return ((ticksOf(world.hub.pid) - before) * 10_000) / calls;
  };
  for (const world of [off, on, off, on]) await round(world, HUB_CALLS);
  const without: number[] = [];
  const exporting: number[] = [];
  for (let left = HUB_ROUNDS; left > 0; left -= 1) {
    without.push(await round(off, HUB_CALLS));
    exporting.push(await round(on, HUB_CALLS));
  }
  console.log(`\ntwo hubs, ${CALLERS} callers, whole answers: CPU of the process a call`);
  show("off", without);
  show("on", exporting);
  const ratios = exporting.map((micros, at) => micros / (without[at] ?? Number.NaN));
  console.log(`on ÷ off: ${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`);
  if (collector.faults.length > 0) throw new Error(collector.faults.join("\n"));
};

parts();
await hubs();
