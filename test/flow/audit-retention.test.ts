import { expect, setDefaultTimeout, test } from "bun:test";
import { someRecord } from "#test/store/records";
import { beside } from "#test/support/database";
import { Hub } from "#test/support/hub";
import { writeRecords } from "#test/support/old-records";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(240_000);

const DAY_MS = 86_400_000;
const RECORDS = 20_000;
const KEEP_40_DAYS = { GUARDHOUSE_AUDIT__RETENTION_DAYS: "40" };

/** A month that has been over for longer than records are kept, and the beginning of this one. */
function* months(): Generator<string> {
  const then = Date.now() - 100 * DAY_MS;
  const month = Date.UTC(new Date(then).getUTCFullYear(), new Date(then).getUTCMonth(), 2);
  for (let n = 0; n < RECORDS; n += 1) yield someRecord({ at: month + n * 1_000 }, 1_000);
  yield someRecord({ at: Date.now() - 60_000 });
}

type Month = { readonly name: string; readonly dropped_at: number | null; readonly last_seq: number | null };

/** The oldest month, and how many of its rows are there; null for a table that has gone. */
const oldest = (hub: Hub): Month & { readonly rows: number | null } =>
  beside(hub, (db) => {
    const month = db
      .query<Month, []>("SELECT name, dropped_at, last_seq FROM audit_partition ORDER BY first_seq")
      .get();
    if (month === null) throw new Error("there is no month");
    if (db.query("SELECT 1 FROM sqlite_master WHERE name = ?").get(month.name) === null)
      return { ...month, rows: null };
    const count = db.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${month.name}`).get();
    return { ...month, rows: count?.rows ?? null };
  });

const kinds = async (hub: Hub): Promise<string[]> =>
  (await hub.cli("audit", "export", "--format", "ndjson")).stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).kind);

test("a month goes a little at a time beside calls, over kills and stops, and the log is whole at every moment", async () => {
  verifies("retention.unnoticed", "retention.resumed");
  await using hub = await Hub.create({ processes: "all", env: KEEP_40_DAYS });
  await writeRecords(hub.dataDir, months());
  await hub.createUser("eve@example.com");
  const { token } = await hub.createToken("eve@example.com");
  await hub.start();
  const call = async () => {
    const json = { model: "guardhouse/echo", messages: [{ role: "user", content: "hello" }] };
    const response = await hub.fetch("/v1/chat/completions", { token, json });
    await response.text();
    return response.status;
  };
  const statuses = new Set<number>();
  const seen: number[] = [];
  const isPartly = (rows: number | null) => rows !== null && rows > 0 && rows < RECORDS;
  const watch = async (until: (rows: number | null) => boolean): Promise<void> => {
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; ) {
      const month = oldest(hub);
      statuses.add(await call());
      if (isPartly(month.rows)) seen.push(month.rows ?? 0);
      // From the first moment on it is marked, and on record.
      if (month.rows !== RECORDS) expect(month.dropped_at).toBeNumber();
      if (until(month.rows)) return;
    }
    throw new Error(`the month is still there: ${JSON.stringify(oldest(hub))}`);
  };

  await watch(isPartly);
  expect(await hub.kill("SIGKILL")).toBe("SIGKILL");
  const left = oldest(hub).rows ?? 0;
  expect(left).toBeGreaterThan(0);
  expect((await hub.cli("audit", "verify")).code).toBe(0);
  expect(await kinds(hub)).toContain("audit.drop");

  await hub.start();
  await watch((rows) => rows !== null && rows < left);
  const begun = performance.now();
  expect(await hub.kill("SIGTERM")).toBe(0);
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(await hub.written()).not.toContain("task.failed");
  expect((await hub.cli("audit", "verify")).code).toBe(0);

  await hub.start();
  await watch((rows) => rows === null);
  expect([...statuses]).toEqual([200]);
  expect((await hub.cli("audit", "verify")).code).toBe(0);
  expect((await kinds(hub)).filter((kind) => kind === "audit.drop")).toHaveLength(1);
  expect(seen.length).toBeGreaterThan(2);
});
