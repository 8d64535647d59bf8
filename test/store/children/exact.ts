import { writeSync } from "node:fs";
import { GuardError } from "#core/errors";
import { type Claim, conversationKeyOf } from "#guard/limits/limiter";
import { SharedLimiter } from "#guard/limits/shared-limiter";
import { BudgetLimiter } from "#guard/money/budgets";
import { openPostgresStore } from "#store/postgres/index";
import { openSqliteStore } from "#store/sqlite/index";
import { boundsOf } from "#test/guard/bounds";
import { JOB, REPORT } from "#test/store/looped";
import { someRecord } from "#test/store/records";

/*
 * `exact.ts TARGET ID SKEW_MS`: a process that serves from a data directory, or the database at a URL, whose clock is so
 * much ahead. Once it reads a line, it takes all it can get of what several processes must count exactly; prints what it
 * got as JSON, and leaves at the next line.
 */
const [target = "", id = "0", skew = "0"] = process.argv.slice(2);
const hostNow = Date.now;
Date.now = () => hostNow() + Number(skew);
/** Longer than a busy machine lets a process stand still. */
const node = { id, version: "test", leaseMs: 60_000 };
const store = target.startsWith("postgres:")
  ? await openPostgresStore({ url: target, most: 8, node })
  : await openSqliteStore({
      dataDir: target,
      writer: "inline",
      durability: "normal",
      node: { ...node, isAlone: false },
    });
const fail = (error: unknown): void => {
  writeSync(2, `${error}\n`);
  process.exit(1);
};
const limiter = new SharedLimiter({ now: Date.now, limits: store.limitUse, onFault: fail });
writeSync(1, "ready\n");
const told = console[Symbol.asyncIterator]();
await told.next();

/** How many of so many tries at once were let through. */
const passed = async (n: number, of: (at: number) => Promise<boolean>): Promise<number> =>
  (await Promise.all(Array.from({ length: n }, (_, at) => of(at)))).filter(Boolean).length;

const letIn = async (claim: Claim): Promise<boolean> => {
  try {
    await limiter.reserve(claim);
    return true;
  } catch (error) {
    if (error instanceof GuardError) return false;
    throw error;
  }
};

const claimOf = (agent_id: string, bounds: Parameters<typeof boundsOf>[0]): Claim => ({
  ...{ agent_id, limits: boundsOf(bounds), watched: null, tokens: 10 },
  conversation: { of: "models", id: "talk" },
});
if (conversationKeyOf(claimOf("talking", { calls_per_conversation: 1 })) === null) fail("no conversation is counted");

const leasedAll = async (): Promise<string[]> => {
  const ids: string[] = [];
  for (;;) {
    const some = await store.jobs.lease("report.review", id, 5_000, 10_000, 3);
    if (some.length === 0) return ids;
    ids.push(...some.map((job) => job.id));
  }
};

const budgets = new BudgetLimiter({
  budgets: store.budgets,
  now: Date.now,
  ids: () => Bun.randomUUIDv7(),
  onFault: fail,
});
const BUDGET = { scope: "hub", subject_id: "", period: "month", limit: 500 } as const;

/** Half of what is held is what it costs: the other half is free for others. */
const spends = async (): Promise<boolean> => {
  try {
    (await budgets.reserve([BUDGET], 20)).settle(10);
    return true;
  } catch (error) {
    if (error instanceof GuardError && error.code === "insufficient_quota") return false;
    throw error;
  }
};

/** Until nothing more fits, however late others give back what they held. */
const spendAll = async (): Promise<number> => {
  let calls = 0;
  for (let idle = 0; idle < 20; ) {
    const some = await passed(10, spends);
    calls += some;
    idle = some === 0 ? idle + 1 : 0;
    if (some === 0) await Bun.sleep(20);
  }
  await budgets.write();
  return calls;
};

const [concurrent, daily, tokens, talk, spent, once, claims, reports] = await Promise.all([
  passed(60, () => letIn(claimOf("concurrent", { concurrent: 40 }))),
  passed(60, () => letIn(claimOf("daily", { requests_per_day: 50 }))),
  passed(60, () => letIn(claimOf("tokens", { tokens_per_day: 700 }))),
  passed(60, () => letIn(claimOf("talking", { calls_per_conversation: 30 }))),
  spendAll(),
  passed(40, (at) => store.shared.useOnce("test", `state-${at}`, Date.UTC(2100, 0))),
  passed(40, async (at) => (await store.idempotency.claim("u1", `key-${at}`, "f1", 1_000)).kind === "fresh"),
  passed(20, async (n) => {
    const report = { ...REPORT, id: `${id}-${n}`, event_id: `${id}-${n}` };
    const job = { ...JOB, id: report.id };
    return (await store.reports.open(report, { most: 5, since: 0 }, job, someRecord())).kind === "created";
  }),
  ...Array.from({ length: 30 }, () => store.usage.add([{ subject_id: "agent", hour: 0, counts: { calls: 1 } }])),
]);
const lag = Math.abs(store.nodes.ahead + Number(skew));
const silent = await store.nodes.endSilent();
const lives = await store.nodes.renew();
const jobs = await leasedAll();
const got = { concurrent, daily, tokens, talk, spent, once, claims, reports, jobs, silent: silent.length, lives, lag };
writeSync(1, `${JSON.stringify(got)}\n`);
// Until all have what they get: calls of a process that has left are under way no more.
await told.next();
await store.close();
