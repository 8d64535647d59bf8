import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { linkHash } from "#store/audit-link";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const JUNE = Date.UTC(2026, 5, 10);
const JULY = Date.UTC(2026, 6, 10);
const MONTH = "audit_2026_07";
/** One record in June, then ten in July, of which the first is an open call; checkpoints at the first and at the end. */
const LAST = 11;

type Anchor = { seq: number; hash: string };

/** Writes a good log, lets `tamper` at the file, and says what `verify` finds. */
const problemsAfter = async (tamper: (db: Database) => void, anchored = false): Promise<string[]> => {
  await using place = new Place();
  const before = await place.open();
  await before.audit.append(someRecord({ at: JUNE }));
  await before.audit.append(someRecord({ at: JULY, phase: "request", call: "open" }));
  for (let n = 1; n < 10; n++) await before.audit.append(someRecord({ at: JULY + n, event: `event-${n}` }));
  await before.audit.flush();
  const [head] = await before.audit.tail(1);
  const anchor: Anchor | undefined = anchored && head !== undefined ? { seq: head.seq, hash: head.hash } : undefined;
  expect(await before.audit.verify(anchor)).toMatchObject({ ok: true, records: LAST, checkpoints: 2, faults: [] });
  await before.close();
  const db = new Database(place.database);
  tamper(db);
  db.close();
  const report = await (await place.open()).audit.verify(anchor);
  expect(report.ok).toBe(report.faults.length === 0);
  return report.faults.map((fault) => `${fault.seq}: ${fault.problem}`);
};

const sql =
  (...statements: string[]) =>
  (db: Database): void => {
    for (const statement of statements) db.run(statement);
  };

test("an untouched log has no fault", async () => {
  expect(await problemsAfter(() => undefined, true)).toEqual([]);
});

for (const seq of [2, 6, LAST]) {
  test(`a changed byte of the body of record ${seq}`, async () => {
    const change = `UPDATE ${MONTH} SET body = replace(body, '"v":1', '"v":2') WHERE seq = ${seq}`;
    expect(await problemsAfter(sql(change))).toEqual([`${seq}: the record's hash is wrong`]);
  });

  test(`the removed record ${seq}`, async () => {
    const problems = await problemsAfter(sql(`DELETE FROM ${MONTH} WHERE seq = ${seq}`));
    expect(problems.join("\n")).toContain(
      seq === LAST ? "the log ends at 10, but a checkpoint" : `${seq}: 1 record(s)`,
    );
  });
}

test("the removed first record of all, and its whole month", async () => {
  expect(await problemsAfter(sql("DELETE FROM audit_2026_06"))).not.toEqual([]);
  expect(await problemsAfter(sql("DROP TABLE audit_2026_06"))).not.toEqual([]);
  const gone = sql("DROP TABLE audit_2026_06", "DELETE FROM audit_partition WHERE name = 'audit_2026_06'");
  expect(await problemsAfter(gone)).not.toEqual([]);
});

test("the first month removed as if by retention", async () => {
  const pretended = "UPDATE audit_partition SET dropped_at = 1, drop_key_id = 'x', drop_signature = 'y'";
  const problems = await problemsAfter(sql("DROP TABLE audit_2026_06", `${pretended} WHERE name = 'audit_2026_06'`));
  expect(problems.join("\n")).toContain("a key we do not have");
});

test("a checkpoint's signature does not pass for a dropped month's", async () => {
  const pretended = `UPDATE audit_partition SET dropped_at = (SELECT at FROM audit_checkpoint), last_seq = ${LAST},
    last_hash = (SELECT hash FROM audit_checkpoint), drop_key_id = (SELECT key_id FROM audit_checkpoint),
    drop_signature = (SELECT signature FROM audit_checkpoint) WHERE name = '${MONTH}'`;
  const problems = await problemsAfter(sql(`DROP TABLE ${MONTH}`, pretended));
  expect(problems.join("\n")).toContain("wrong signature");
});

const COLUMNS = {
  id: "'x'",
  call_id: "'x'",
  phase: "'other'",
  kind: "'x'",
  at: "at + 1",
  user_id: "NULL",
  agent_id: "'x'",
  outcome: "'done'",
  event_id: "NULL",
  prev_hash: "hash",
  hash: "prev_hash",
};
for (const [column, value] of Object.entries(COLUMNS)) {
  test(`a changed column ${column}`, async () => {
    expect(await problemsAfter(sql(`UPDATE ${MONTH} SET ${column} = ${value} WHERE seq = 7`))).not.toEqual([]);
  });
}

test("two records that changed places", async () => {
  const swap = [`SET seq = -1 WHERE seq = 5`, `SET seq = 5 WHERE seq = 6`, `SET seq = 6 WHERE seq = -1`];
  expect(await problemsAfter(sql(...swap.map((it) => `UPDATE ${MONTH} ${it}`)))).not.toEqual([]);
});

/** Gives every record from `first` on the hashes that fit: what somebody does who knows how the chain is made. */
const rechain = (db: Database, first: number): void => {
  type Row = { seq: number; body: string };
  let prev =
    db.query<{ prev_hash: string }, []>(`SELECT prev_hash FROM ${MONTH} WHERE seq = ${first}`).get()?.prev_hash ?? "";
  for (const { seq, body } of db
    .query<Row, []>(`SELECT seq, body FROM ${MONTH} WHERE seq >= ${first} ORDER BY seq`)
    .all()) {
    const hash = linkHash(prev, seq, body);
    db.query(`UPDATE ${MONTH} SET prev_hash = ?, hash = ? WHERE seq = ?`).run(prev, hash, seq);
    prev = hash;
  }
};

const rewrite = (db: Database): void => {
  db.run(`UPDATE ${MONTH} SET body = replace(body, '"v":1', '"v":2') WHERE seq = 6`);
  rechain(db, 6);
};

test("history rewritten with fitting hashes contradicts the checkpoint", async () => {
  expect(await problemsAfter(rewrite)).toEqual([`${LAST}: the record is not the one its checkpoint signed`]);
});

const MISSING = `${LAST}: the newest checkpoint, of record ${LAST}, is missing or changed`;

test("a checkpoint replaced to fit is not signed", async () => {
  const problems = await problemsAfter((db) => {
    rewrite(db);
    db.run(`UPDATE audit_checkpoint SET hash = (SELECT hash FROM ${MONTH} WHERE seq = ${LAST}) WHERE seq = ${LAST}`);
  });
  expect(problems).toEqual([`${LAST}: the checkpoint has a wrong signature`, MISSING]);
});

for (const change of ["at = at + 1", "seq = seq - 1", "key_id = 'another'", "signature = 'bm8='", "hash = 'no'"]) {
  test(`a checkpoint with ${change}`, async () => {
    expect(await problemsAfter(sql(`UPDATE audit_checkpoint SET ${change}`))).not.toEqual([]);
  });
}

test("the end cut off, or history rewritten, with the checkpoints taken away", async () => {
  verifies("audit.signed");
  for (const gone of ["", " WHERE seq > 1"]) {
    const cut = sql(`DELETE FROM ${MONTH} WHERE seq > 9`, `DELETE FROM audit_checkpoint${gone}`);
    expect(await problemsAfter(cut)).toContain(MISSING);
    expect(await problemsAfter(cut, true)).toContain(`${LAST}: the noted record is missing from the log`);
    const rewritten = (db: Database) => {
      rewrite(db);
      db.run(`DELETE FROM audit_checkpoint${gone}`);
    };
    expect(await problemsAfter(rewritten)).toContain(MISSING);
    expect(await problemsAfter(rewritten, true)).toContain(`${LAST}: the record differs from the one noted`);
  }
});

test("an open call hidden, or invented", async () => {
  expect(await problemsAfter(sql("DELETE FROM audit_open_call"))).toEqual(["2: the list of open calls lacks one"]);
  const invented = `INSERT INTO audit_open_call (call_id, partition, seq) VALUES ('ghost', '${MONTH}', 5)`;
  expect(await problemsAfter(sql(invented))).toEqual(["5: the list of open calls names one that is not open"]);
});

test("the seams between months", async () => {
  for (const change of ["last_hash = 'x'", "last_seq = 2", "last_seq = NULL", "first_prev_hash = 'x'"]) {
    const where = change.startsWith("first") ? `name = '${MONTH}'` : "name = 'audit_2026_06'";
    expect(await problemsAfter(sql(`UPDATE audit_partition SET ${change} WHERE ${where}`))).not.toEqual([]);
  }
});

test("at most twenty faults are listed, the first ones", async () => {
  const problems = await problemsAfter(sql(`UPDATE ${MONTH} SET kind = 'x', outcome = 'x', id = 'x'`));
  expect(problems).toHaveLength(20);
  expect(problems[0]).toStartWith("2: ");
});

test("verify leaves alone what is appended while it reads", async () => {
  await using place = new Place();
  const store = await place.open({ writer: "worker" });
  const write = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) => store.audit.append(someRecord({ phase: n % 2 ? "final" : "request" }))),
    );
  await write(3_000);
  const [report] = await Promise.all([store.audit.verify(), write(2_500), store.audit.flush()]);
  expect(report).toMatchObject({ ok: true, faults: [] });
  expect(await store.audit.verify()).toMatchObject({ ok: true, records: 5_500 });
});
