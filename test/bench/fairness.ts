/*
 * `bun run bench fairness`: eight callers with small prompts, alone and beside one caller that sends 5 MB bodies of one
 * shape after the other without a pause. Target, for each shape: the small callers' 99th percentile is at most three
 * times what it is alone, and no health check takes more than 100 ms. Alone is measured before each shape anew, so that
 * whatever else the machine does meets both. Beside the long caller's process, which does nothing but keep one core busy
 * at the priority of a scan thread, it is measured too: what the small callers wait for there is the machine's share.
 */
import { parseArgs } from "node:util";
import { Hub } from "#test/support/hub";
import { parseMetrics } from "#test/support/prometheus";
import { Child } from "./child.ts";
import { type Figure, lowerIsBetter } from "./figures.ts";
import type { FloodJob, FloodResult } from "./flood-job.ts";
import { type LongKind, longText } from "./long-text-kinds.ts";
import { quantile } from "./stats.ts";

const USAGE = "bun run bench fairness [--seconds 8] [--bytes 5000000] [--only csv,phones] [--json FILE]";
const CALLERS = 8;
/** Between two calls of one small caller, in milliseconds: people and agents think, and the hub is not full alone. */
const THINK_MS = 50;
const HEALTH_EVERY_MS = 50;
/** How often the callers' own event loop is asked whether it comes round in time, in milliseconds. */
const CLIENT_PROBE_MS = 5;
const MAX_RATIO = 3;
const MAX_HEALTH_MS = 100;

type Shape = { readonly name: string; readonly body: (bytes: number) => unknown };

const chat = (messages: readonly unknown[], model = "sink"): unknown => ({ model, messages });
const said = (content: string) => ({ role: "user", content });
const textOf = (kind: LongKind): Shape => ({
  name: kind,
  body: (bytes) => chat([said(`Number 00000 ${longText(kind, bytes)}`)]),
});

const deep = (depth: number): unknown => {
  let value: unknown = "at the bottom";
  for (let level = 0; level < depth; level += 1) value = { below: value };
  return value;
};

/** The classes of text that once cost most, and shapes of JSON that are large without a large text. */
export const SHAPES: readonly Shape[] = [
  textOf("customer csv"),
  textOf("phones"),
  textOf("ip 4"),
  textOf("password="),
  textOf("curl -u a:"),
  textOf("card groups"),
  textOf("random ascii"),
  textOf("rot13 prose"),
  textOf("ibans"),
  textOf("prose"),
  {
    name: "small messages",
    body: (bytes) => chat(Array.from({ length: Math.ceil(bytes / 50) }, (_, n) => said(`Number 00000 line ${n}`))),
  },
  {
    name: "numbers",
    body: (bytes) => ({
      ...{ model: "sink", messages: [said("Number 00000")] },
      values: Array.from({ length: Math.ceil(bytes / 11) }, (_, n) => 4_000_000_000 + n),
    }),
  },
  {
    name: "deep nesting",
    body: (bytes) => ({
      ...{ model: "sink", messages: [said("Number 00000")] },
      values: Array.from({ length: Math.ceil(bytes / 820) }, () => deep(80)),
    }),
  },
];

type Settings = { readonly seconds: number; readonly bytes: number; readonly shapes: readonly Shape[]; json?: string };
type Phase = {
  readonly p50: number;
  readonly p99: number;
  readonly calls: number;
  readonly errors: number;
  /** How late the callers' own event loop came round, at the 99th percentile: a part of every wait that is not the hub's. */
  readonly clientP99: number;
};
type Beside = Phase & { readonly healthMax: number; readonly delayMs: number; readonly large: number };
export type Row = { readonly shape: string; readonly alone: Phase; readonly burner: Phase; readonly beside: Beside };

const readSettings = (args: readonly string[]): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "8" },
      bytes: { type: "string", default: "5000000" },
      only: { type: "string", default: "" },
      json: { type: "string" },
    },
  });
  const [seconds, bytes] = [Number(values.seconds), Number(values.bytes)];
  const wanted = values.only.split(",").filter((name) => name !== "");
  const shapes = SHAPES.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  if (!(seconds > 0 && bytes > 0) || shapes.length === 0) throw new Error(`usage: ${USAGE}`);
  return { seconds, bytes, shapes, ...(values.json && { json: values.json }) };
};

/** Small calls, each caller's one after the other, for so long. */
const smallCalls = async (hub: Hub, tokens: readonly string[], seconds: number): Promise<Phase> => {
  const end = performance.now() + seconds * 1_000;
  const ms: number[] = [];
  let errors = 0;
  const caller = async (token: string, at: number) => {
    await Bun.sleep((at * THINK_MS) / tokens.length);
    for (let n = 0; performance.now() < end; n += 1) {
      const began = performance.now();
      const json = chat([said(`What is ${at} and ${n}? Write to nobody about it.`)], "guardhouse/echo");
      const response = await hub.fetch("/v1/chat/completions", { token, json });
      await response.arrayBuffer();
      ms.push(performance.now() - began);
      if (response.status !== 200) errors += 1;
      await Bun.sleep(THINK_MS);
    }
  };
  const [late] = await Promise.all([clientDelays(end), ...tokens.map(caller)]);
  const ascending = ms.toSorted(ascend);
  const clientP99 = quantile(late.toSorted(ascend), 0.99);
  return { p50: quantile(ascending, 0.5), p99: quantile(ascending, 0.99), calls: ms.length, errors, clientP99 };
};

const ascend = (one: number, other: number): number => one - other;

/** How late this process's own timers are until `end`. Milliseconds. */
const clientDelays = async (end: number): Promise<number[]> => {
  const late: number[] = [];
  while (performance.now() < end) {
    const due = performance.now() + CLIENT_PROBE_MS;
    await Bun.sleep(CLIENT_PROBE_MS);
    late.push(Math.max(0, performance.now() - due));
  }
  return late;
};

/** The longest health check for so long. Milliseconds. */
const health = async (hub: Hub, seconds: number): Promise<number> => {
  let longest = 0;
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await Bun.sleep(HEALTH_EVERY_MS)) {
    const began = performance.now();
    await (await hub.fetch("/healthz")).arrayBuffer();
    longest = Math.max(longest, performance.now() - began);
  }
  return longest;
};

const DELAY = "guardhouse_event_loop_delay_seconds_bucket";

type Buckets = ReadonlyMap<number, number>;

const delaysOf = async (address: string): Promise<Buckets> => {
  const text = await (await fetch(address)).text();
  const families = parseMetrics(text);
  const samples = [...families.values()].flatMap((family) => family.samples.get(DELAY) ?? []);
  return new Map(
    samples.map(({ labels, value }) => [Number(labels["le"] === "+Inf" ? Infinity : labels["le"]), value]),
  );
};

/** An upper bound of the longest delay between two readings, in milliseconds. */
const longestBetween = (before: Buckets, after: Buckets): number => {
  let all = 0;
  for (const [bound, count] of after) if (bound === Infinity) all = count - (before.get(bound) ?? 0);
  const within = [...after].filter(([bound, count]) => count - (before.get(bound) ?? 0) >= all);
  return Math.min(...within.map(([bound]) => bound)) * 1_000;
};

type Site = {
  readonly hub: Hub;
  readonly tokens: readonly string[];
  readonly large: string;
  readonly metrics: string;
  readonly flood: Child<FloodJob, FloodResult>;
};

const measured = async (site: Site, { name, body }: Shape, { seconds, bytes }: Settings): Promise<Row> => {
  const { hub, tokens, large, metrics, flood } = site;
  const text = JSON.stringify(body(bytes));
  const alone = await smallCalls(hub, tokens, seconds);
  await flood.run({ kind: "burn" });
  const burner = await smallCalls(hub, tokens, seconds);
  await flood.run({ kind: "end" });
  await flood.run({ kind: "begin", url: hub.url, token: large, body: text });
  await Bun.sleep(200);
  const before = await delaysOf(metrics);
  const [small, healthMax] = await Promise.all([smallCalls(hub, tokens, seconds), health(hub, seconds)]);
  const delayMs = longestBetween(before, await delaysOf(metrics));
  const { calls } = await flood.run({ kind: "end" });
  return { shape: name, alone, burner, beside: { ...small, healthMax, delayMs, large: calls } };
};

const HEAD =
  "beside                alone p50     p99   burner p99   beside p50     p99   ratio   /healthz max   loop delay <=   client late p99   large calls   errors";

export const rowText = ({ shape, alone, burner, beside }: Row): string => {
  const ms = (value: number, width: number) => value.toFixed(1).padStart(width);
  return [
    `${shape.padEnd(20)} ${ms(alone.p50, 10)} ${ms(alone.p99, 7)} ${ms(burner.p99, 12)} ${ms(beside.p50, 12)} ${ms(beside.p99, 7)}`,
    `${(beside.p99 / alone.p99).toFixed(2).padStart(7)} ${ms(beside.healthMax, 14)} ${ms(beside.delayMs, 15)}`,
    ms(beside.clientP99, 16),
    `${beside.large}`.padStart(13),
    `${alone.errors + burner.errors + beside.errors}`.padStart(8),
  ].join(" ");
};

/** A row in which no large call was answered shows nothing, and is not fair. */
export const isFair = ({ alone, burner, beside }: Row): boolean =>
  beside.large > 0 &&
  beside.p99 <= MAX_RATIO * alone.p99 &&
  beside.healthMax <= MAX_HEALTH_MS &&
  alone.errors + burner.errors + beside.errors === 0;

/** One row a shape. */
export const measureFairness = async (settings: Settings, onRow: (row: Row) => void = () => {}): Promise<Row[]> => {
  const env = { GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0" };
  await using hub = await Hub.create({ processes: "all", env, documented: false });
  await hub.createUser("few@example.com");
  const tokens: string[] = [];
  for (let n = 0; n <= CALLERS; n += 1) tokens.push((await hub.createToken("few@example.com")).token);
  const [large = "", ...small] = tokens;
  await using flood = await Child.start<FloodJob, FloodResult>("flood.ts");
  await hub.addProvider("sink", { baseUrl: flood.url, models: ["sink"] });
  await hub.start();
  const metrics = String((await hub.log("metrics.listening"))["url"]);
  await smallCalls(hub, small, Math.min(2, settings.seconds));
  const rows: Row[] = [];
  for (const shape of settings.shapes) {
    const row = await measured({ hub, large, tokens: small, metrics, flood }, shape, settings);
    rows.push(row);
    onRow(row);
  }
  return rows;
};

const figuresOf = (rows: readonly Row[]): Figure[] =>
  rows.flatMap(({ shape, alone, beside }) => [
    ...lowerIsBetter(`p99 of small calls beside ${shape} ÷ alone`, beside.p99 / alone.p99),
    ...lowerIsBetter(`longest /healthz beside ${shape}, ms`, beside.healthMax),
  ]);

const run = async (settings: Settings): Promise<void> => {
  console.log(`${CALLERS} callers with small prompts, alone and beside one with ${settings.bytes} bytes; ms\n${HEAD}`);
  const rows = await measureFairness(settings, (row) => console.log(rowText(row)));
  const unfair = rows.filter((row) => !isFair(row));
  console.log(
    unfair.length === 0
      ? `fair: p99 at most ${MAX_RATIO} times that alone, /healthz at most ${MAX_HEALTH_MS} ms`
      : `NOT fair beside ${unfair.map(({ shape }) => shape).join(", ")}`,
  );
  if (settings.json) await Bun.write(settings.json, JSON.stringify({ figures: figuresOf(rows), rows }));
  if (unfair.length > 0) process.exitCode = 1;
};

export const FAIRNESS_BENCH = {
  usage: USAGE,
  run(args: readonly string[]) {
    const settings = readSettings(args);
    return () => run(settings);
  },
};
