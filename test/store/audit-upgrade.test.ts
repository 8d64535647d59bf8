import type { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { openDataDirectory } from "#platform/data-directory";
import { AuditChain } from "#store/sqlite/audit-chain";
import { AuditSigner, checkpointText } from "#store/sqlite/audit-signer";
import { openDatabase, transaction } from "#store/sqlite/database";
import { migrate } from "#store/sqlite/migrate";
import { MIGRATIONS } from "#store/sqlite/migrations/index";
import { verifies } from "#test/support/verifies";
import { Place } from "./directory";
import { someRecord } from "./records";

setDefaultTimeout(120_000);

/** The version of the database in 0.1.0. */
const FIRST_VERSION = 18;
const JULY = Date.UTC(2026, 6, 10);

const opened = (place: Place): Database =>
  openDatabase(place.database, { durability: "normal", autocheckpoint: 1_000, cacheKib: 1_024 });

/** A log as 0.1.0 wrote it: so many records, and unchained checkpoints of those that are named. */
const older = (place: Place, records: number, signed: readonly number[]): void => {
  const directory = openDataDirectory(place.path);
  const db = opened(place);
  migrate(db, MIGRATIONS.slice(0, FIRST_VERSION), { backups: directory.backups, now: 0 });
  const signer = new AuditSigner(directory.auditKey);
  signer.make();
  const insert = db.prepare("INSERT INTO audit_checkpoint (seq, hash, at, key_id, signature) VALUES (?, ?, ?, ?, ?)");
  const chain = new AuditChain(db, {
    begin: () => undefined,
    after: ({ seq, hash }) => {
      if (!signed.includes(seq)) return;
      const { keyId, signature } = signer.sign(checkpointText({ seq, hash }, 7, null));
      insert.run(seq, hash, 7, keyId, signature);
    },
  });
  transaction<void>(db, () => {
    chain.append(Array.from({ length: records }, (_, n) => someRecord({ at: JULY + n })));
  });
  db.close();
};

const add = async (place: Place, records: number): Promise<void> => {
  const store = await place.open();
  for (let n = 0; n < records; n += 1) await store.audit.append(someRecord({ at: JULY + 10_000 + n }));
  await store.close();
};

for (const [name, signed] of Object.entries({
  "with a checkpoint at its end": [4, 9],
  "with records behind its last checkpoint": [4],
  "without any checkpoint": [],
})) {
  test(`a log of 0.1.0 ${name} verifies after the update, and from there on needs its checkpoints`, async () => {
    verifies("audit.chained-update", "audit.signed");
    await using place = new Place();
    older(place, 9, signed);
    const store = await place.open();
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: 9, chained_from: 9, faults: [] });
    await store.close();
    await add(place, 3);
    const before = await (await place.open()).audit.verify();
    expect(before).toMatchObject({ ok: true, records: 12, chained_from: 9 });

    // Taken away with what names the newest, they are missed also after the hub has signed again.
    const db = opened(place);
    db.run("DELETE FROM audit_checkpoint WHERE seq >= 9");
    db.run("DELETE FROM audit_head");
    db.close();
    expect((await (await place.open()).audit.verify()).ok).toBe(false);
    await add(place, 3);
    const { ok, faults } = await (await place.open()).audit.verify();
    expect(ok).toBe(false);
    expect(faults.map(({ problem }) => problem).join()).toContain("were missing or changed");
  });
}

test("an empty database of 0.1.0 begins its chain with its first record", async () => {
  verifies("audit.chained-update");
  await using place = new Place();
  older(place, 0, []);
  await add(place, 2);
  expect(await (await place.open()).audit.verify()).toMatchObject({ ok: true, records: 2, chained_from: 1 });
});
