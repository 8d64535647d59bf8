import { writeSync } from "node:fs";
import { openSqliteStore } from "#store/sqlite/index";
import { APPLIED, JOB, REPORT, RULE } from "#test/store/looped";
import { someRecord } from "#test/store/records";

/*
 * `report.ts DIR NAME COUNT`: once it reads a line, posts that many reports at once, applies the suggestion that is
 * there, leases the jobs and claims a key; prints what came of it as JSON.
 */
const [dataDir = "", name = "x", count = "50"] = process.argv.slice(2);
const store = await openSqliteStore({ dataDir, durability: "normal", writer: "inline" });
writeSync(1, "ready\n");
for await (const _ of console) break;

const open = (n: number) => {
  const report = { ...REPORT, id: `${name}${n}`, event_id: `${name}${n}` };
  return store.reports.open(report, { most: 5, since: 0 }, { ...JOB, id: report.id }, someRecord());
};
const opened = await Promise.all(Array.from({ length: Number(count) }, (_, n) => open(n)));
const rule = await store.tuning.apply(
  { ...RULE, id: `rule ${name}` },
  { next: { ...APPLIED, rule_id: `rule ${name}` }, expected: 2 },
  1,
  () => someRecord(),
);
const { kind: claim } = await store.idempotency.claim("u1", "key", "f1", 1_000);
// Whoever comes last finds all there are; the others' are leased then.
const leased = await store.jobs.lease("report.review", name, 2_000, 3_000, 100);
const created = opened.filter(({ kind }) => kind === "created").length;
writeSync(1, `${JSON.stringify({ created, applied: rule !== null, claim, leased: leased.map(({ id }) => id) })}\n`);
await store.close();
