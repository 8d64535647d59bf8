/*
 * `bun test/bench/tracing.ts [--other '[VARIABLE=VALUE …] EXECUTABLE' …]`: what traces and logs cost. First the parts of it in this process,
 * each by itself; then hubs as executables in alternation, one that exports nothing and others that export to a
 * collector, by the CPU they take. `--other` adds an executable, of another version or with other variables.
 */
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { logsOf, type Names, spansOf } from "#features/otel/calls";
import type { Encoding } from "#features/otel/otlp";
import { jsonEncoding } from "#features/otel/otlp-json";
import { protobufEncoding } from "#features/otel/otlp-protobuf";
import { type CallTrace, callerTraceIn, type TracedCall, Tracing } from "#guard/call-trace";
import type { AuditRecord } from "#model/audit";
import { RandomHex } from "#platform/random-hex";
import { median } from "#test/bench/stats";
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
    ["JSON", jsonEncoding()],
  ] as const) {
    written(form, encoding, call);
  }
};

const written = (form: string, encoding: Encoding, call: TracedCall): void => {
  const batch = 500;
  // The first rounds are of code that is not compiled yet, and of the compilers.
  const of = (work: () => void) => Array.from({ length: 2 * ROUNDS }, () => cpuOf(20, work) / batch).slice(ROUNDS);
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

/** Nanoseconds of CPU so far: of the thread that serves, and of all threads that live (proc(5), schedstat). */
const cpuOfProcess = (pid: number): { readonly serving: number; readonly all: number } => {
  const nanos = (task: string | number): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "latin1").split(" ")[0]);
    } catch {
      // A thread that ended meanwhile.
      return 0;
    }
  };
  return { serving: nanos(pid), all: readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + nanos(task), 0) };
};

const CALLERS = 16;
const WARM_ROUNDS = 10;

/** A hub that is asked in each round. */
type Side = { readonly name: string; readonly world: World; readonly serving: number[]; readonly all: number[] };

const roundOf = async ({ world }: Side, calls: number): Promise<void> => {
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
};

/** From the begin of one round to the begin of the next: what a hub exports while others are asked belongs to its calls. */
const measure = async (sides: readonly Side[], { calls, rounds }: HubBench): Promise<void> => {
  const at = new Map<Side, ReturnType<typeof cpuOfProcess>>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const side of sides) {
      const now = cpuOfProcess(side.world.hub.pid);
      const before = at.get(side);
      if (before !== undefined) {
        side.serving.push((now.serving - before.serving) / 1_000 / calls);
        side.all.push((now.all - before.all) / 1_000 / calls);
      }
      at.set(side, now);
      if (round < rounds) await roundOf(side, calls);
    }
  }
};

type HubBench = { readonly calls: number; readonly rounds: number; readonly others: readonly string[] };

const hubs = async (bench: HubBench): Promise<void> => {
  const { calls, rounds, others } = bench;
  // It takes what it is sent and reads nothing of it: what it costs would slow the hubs down.
  using collector = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      await request.arrayBuffer();
      return new Response();
    },
  });
  const exporting = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
  const seeds = {
    users: { eve: {} },
    tokens: { eve: { user: "eve" } },
    providers: { fake: { models: ["fake-*"], apiKey: "provider-key-of-the-bench" } },
  };
  await using stack = new AsyncDisposableStack();
  const open = async (name: string, env: Readonly<Record<string, string>>, binary?: string): Promise<Side> => {
    const options = { seeds, env, processes: "hub", documented: false, ...(binary && { binary }) } as const;
    return { name, world: stack.use(await World.open(options)), serving: [], all: [] };
  };
  const off = await open("off", {});
  const sides = [
    await open("protobuf", exporting),
    await open("JSON", { ...exporting, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }),
    await open("protobuf, gzip", { ...exporting, OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" }),
  ];
  for (const other of others) {
    const words = other.trim().split(/\s+/);
    const env = Object.fromEntries(words.slice(0, -1).map((word) => word.split("=", 2)));
    sides.push(await open(other, { ...exporting, ...env }, words.at(-1)));
  }
  const all = [off, ...sides];
  for (let left = WARM_ROUNDS; left > 0; left -= 1) for (const side of all) await roundOf(side, calls);
  await measure(all, bench);
  console.log(
    `\nhubs in alternation, ${CALLERS} callers, whole answers, ${rounds} rounds of ${calls} calls: CPU a call`,
  );
  for (const what of ["serving", "all"] as const) {
    console.log(what === "serving" ? "of the serving thread" : "of all threads");
    for (const side of all) {
      // Exports come once a second, so that most rounds have none and some have several: means, not medians.
      const compared =
        side === off
          ? ""
          : `  ${signed(mean(side[what]) - mean(off[what]))} µs, ÷ off ${(mean(side[what]) / mean(off[what])).toFixed(3)}`;
      console.log(`  ${side.name.padEnd(40)} ${mean(side[what]).toFixed(1).padStart(7)} µs${compared}`);
    }
  }
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const signed = (micros: number): string => `${micros < 0 ? "−" : "+"}${Math.abs(micros).toFixed(1)}`;

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "400" },
    rounds: { type: "string", default: "60" },
    other: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: "parts,hubs" },
  },
});
const only = values.only.split(",");
if (only.includes("parts")) parts();
if (only.includes("hubs"))
  await hubs({ calls: Number(values.calls), rounds: Number(values.rounds), others: values.other });
