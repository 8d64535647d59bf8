import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { openDataDirectory } from "#platform/data-directory";
import { AuditChain } from "#store/sqlite/audit-chain";
import { Checkpoints } from "#store/sqlite/audit-checkpoints";
import { Clearing, MAX_PAGES, MAX_ROWS, markDropped } from "#store/sqlite/audit-retention";
import { AuditSigner } from "#store/sqlite/audit-signer";
import { writeRecords } from "#test/support/old-records";
import { verifies } from "#test/support/verifies";
import { Place } from "./directory";
import { someRecord } from "./records";

const JUNE = Date.UTC(2026, 5, 10);
const JULY = Date.UTC(2026, 6, 10);
const RECORDS = 2_500;

function* months(): Generator<string> {
  for (let n = 0; n < RECORDS; n += 1) yield someRecord({ at: JUNE + n }, 500);
  yield someRecord({ at: JULY });
}

const count = (db: Database, sql: string): number => db.query<{ n: number }, []>(sql).get()?.n ?? 0;

test("each slice removes a bounded number of rows or pages, and after each the log is whole and can be gone on with", async () => {
  verifies("retention.unnoticed", "retention.resumed");
  await using place = new Place();
  await writeRecords(place.path, months());
  const db = new Database(place.database, { strict: true });
  const signer = new AuditSigner(openDataDirectory(place.path).auditKey);
  const checkpoints = new Checkpoints(db, signer, Date.now);
  const order = { names: ["audit_2026_06"], before: JULY, now: JULY, record: someRecord({ at: JULY + 1 }) };
  const marking = { db, chain: new AuditChain(db, checkpoints), signer };
  expect(markDropped(marking, { ...order, names: ["audit_2026_05"] })).toBe(false);
  expect(markDropped(marking, order)).toBe(true);
  const bytes = count(db, "SELECT page_count AS n FROM pragma_page_count");
  const rows = () =>
    count(db, "SELECT count(*) AS n FROM sqlite_master WHERE name = 'audit_2026_06'") === 0
      ? 0
      : count(db, "SELECT count(*) AS n FROM audit_2026_06");
  const pages = () => count(db, "SELECT page_count AS n FROM pragma_page_count");
  const store = await place.open();
  for (let slices = 0, isMore = true; isMore; slices += 1) {
    const [before, full] = [rows(), pages()];
    // Each as if the process had ended after the one before.
    isMore = new Clearing(db, () => JULY).slice();
    expect(before - rows()).toBeLessThanOrEqual(MAX_ROWS);
    expect(full - pages()).toBeLessThanOrEqual(MAX_PAGES);
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: 2, first_seq: RECORDS + 1 });
    expect(slices).toBeLessThan(1_000);
  }
  expect(rows()).toBe(0);
  expect(pages()).toBeLessThan(bytes / 2);
  expect(db.query("SELECT name FROM audit_partition WHERE cleared_at IS NOT NULL").all()).toEqual([
    { name: "audit_2026_06" },
  ]);
  db.close();
});
