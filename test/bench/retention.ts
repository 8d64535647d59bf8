/*
 * `bun run bench retention`: calls of a hub that drops a month of many records, beside the same calls of a hub that
 * drops nothing, at the same moments, so that whatever else the machine does meets both. Target: the 99th percentile
 * of the one is at most twice the other's, and every call is answered.
 */
import { parseArgs } from "node:util";
import { someRecord } from "#test/store/records";
import { beside } from "#test/support/database";
import { Hub } from "#test/support/hub";
import { writeRecords } from "#test/support/old-records";
import { cpuMicros } from "./cpu.ts";
import { lowerIsBetter } from "./figures.ts";
import { quantile } from "./stats.ts";

const USAGE = "bun run bench retention [--records 100000] [--rate 60] [--json FILE]";
const DAY_MS = 86_400_000;
/** Kept so long, the month that was seeded is older. */
const KEPT_DAYS = 40;
const MAX_RATIO = 2;
const BEFORE_MS = 15_000;
/** About what a record of a call has in all. */
const PADDING = 700;

type Settings = { readonly records: number; readonly rate: number; readonly json: string | undefined };
type Phase = { readonly ms: number[]; refused: number };
type Measured = Record<"alone" | "dropping", { p50: number; p99: number; max: number; calls: number; refused: number }>;

const readSettings = (args: readonly string[]): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      records: { type: "string", default: "100000" },
      rate: { type: "string", default: "60" },
      json: { type: "string" },
    },
  });
  const [records, rate] = [Number(values.records), Number(values.rate)];
  if (!(records >= 1 && rate > 0)) throw new Error(`usage: ${USAGE}`);
  return { records, rate, json: values.json };
};

function* oldMonth(records: number): Generator<string> {
  const then = new Date(Date.now() - 100 * DAY_MS);
  const month = Date.UTC(then.getUTCFullYear(), then.getUTCMonth(), 2);
  const gap = (20 * DAY_MS) / records;
  for (let n = 0; n < records; n += 1) {
    yield someRecord({ at: month + Math.floor(n * gap), ...(n % 100 === 0 ? { event: `event-${n}` } : {}) }, PADDING);
  }
  yield someRecord({ at: Date.now() - 60_000 });
}

const prepared = async (records: number): Promise<{ hub: Hub; token: string }> => {
  const hub = await Hub.create({
    processes: "all",
    env: { GUARDHOUSE_AUDIT__RETENTION_DAYS: `${KEPT_DAYS}` },
    documented: false,
  });
  await writeRecords(hub.dataDir, records === 0 ? [someRecord({ at: Date.now() - 60_000 })] : oldMonth(records));
  await hub.createUser("few@example.com");
  return { hub, token: (await hub.createToken("few@example.com")).token };
};

const isCleared = (hub: Hub): boolean =>
  beside(hub, (db) => db.query("SELECT 1 FROM audit_partition WHERE cleared_at IS NOT NULL").get() !== null);

/** Both hubs in turn, at a steady rate each, whether earlier calls were answered or not, until told to end. */
const load = async (hubs: readonly { hub: Hub; token: string }[], rate: number, until: () => boolean) => {
  const phases = hubs.map((): Phase => ({ ms: [], refused: 0 }));
  const open = new Set<Promise<void>>();
  const call = async ({ hub, token }: { hub: Hub; token: string }, phase: Phase | undefined, due: number) => {
    const json = { model: "guardhouse/echo", messages: [{ role: "user", content: "Good morning" }] };
    const response = await hub.fetch("/v1/chat/completions", { token, json });
    await response.arrayBuffer();
    phase?.ms.push(performance.now() - due);
    if (!response.ok && phase) phase.refused += 1;
  };
  const begun = performance.now();
  for (let n = 0; !until(); n += 1) {
    const due = begun + (n * 1_000) / rate / hubs.length;
    const wait = due - performance.now();
    if (wait > 0) await Bun.sleep(wait);
    const which = n % hubs.length;
    const hub = hubs[which];
    if (hub === undefined) continue;
    const one = call(hub, phases[which], due).finally(() => open.delete(one));
    open.add(one);
  }
  await Promise.all(open);
  return phases.map(({ ms, refused }) => {
    const ascending = ms.toSorted((a, b) => a - b);
    const at = (part: number) => quantile(ascending, part);
    return { p50: at(0.5), p99: at(0.99), max: at(1), calls: ms.length, refused };
  });
};

const line = (name: string, { p50, p99, max, calls, refused }: Measured["alone"]): string =>
  `${name.padEnd(20)} p50 ${p50.toFixed(1).padStart(7)} ms  p99 ${p99.toFixed(1).padStart(7)} ms  max ${max.toFixed(0).padStart(6)} ms  calls ${calls}  refused ${refused}`;

const run = async ({ records, rate, json }: Settings): Promise<void> => {
  console.log(`seeding a month of ${records} records`);
  const [dropping, alone] = [await prepared(records), await prepared(0)];
  try {
    await alone.hub.start();
    await dropping.hub.start();
    const begun = performance.now();
    const cpu = () => (cpuMicros(dropping.hub.pid) ?? Number.NaN) - (cpuMicros(alone.hub.pid) ?? Number.NaN);
    const spent = cpu();
    let [cleared, looked] = [false, 0];
    const until = () => {
      const now = performance.now();
      if (now - looked > 1_000) [cleared, looked] = [isCleared(dropping.hub), now];
      return cleared;
    };
    const [during, beside] = await load([dropping, alone], rate, until);
    const took = (performance.now() - begun) / 1_000;
    const more = (cpu() - spent) / 1e6;
    const end = performance.now() + BEFORE_MS;
    const [after, besideAfter] = await load([dropping, alone], rate, () => performance.now() > end);
    if (!during || !beside || !after || !besideAfter) throw new Error("a hub was not measured");
    const ratio = during.p99 / beside.p99;
    console.log(line("while it drops", during));
    console.log(line("the other hub", beside));
    console.log(line("when it has ended", after));
    console.log(line("the other hub", besideAfter));
    console.log(
      `p99 ÷ the other's: ${ratio.toFixed(2)} (target: at most ${MAX_RATIO}); ${(after.p99 / besideAfter.p99).toFixed(2)} when it has ended`,
    );
    console.log(
      `${records} records went in ${took.toFixed(1)} s, for ${more.toFixed(2)} s of CPU more than the other's`,
    );
    const figures = lowerIsBetter("p99 of calls while a month is dropped ÷ the other hub's", ratio);
    if (json)
      await Bun.write(json, JSON.stringify({ figures, records, rate, during, beside, after, besideAfter, took, more }));
    if (ratio > MAX_RATIO || during.refused > 0) process.exitCode = 1;
  } finally {
    await dropping.hub[Symbol.asyncDispose]();
    await alone.hub[Symbol.asyncDispose]();
  }
};

export const RETENTION_BENCH = {
  usage: USAGE,
  run(args: readonly string[]) {
    const settings = readSettings(args);
    return () => run(settings);
  },
};
