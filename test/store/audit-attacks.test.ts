import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { GENESIS, linkHash } from "#store/audit-link";
import type { AuditReport } from "#store/port";
import type { TreeLog } from "#store/proof-port";
import { Checkpoints } from "#store/sqlite/audit-checkpoints";
import { AuditSigner } from "#store/sqlite/audit-signer";
import { hasTree } from "#store/sqlite/audit-tree";
import { transaction } from "#store/sqlite/database";
import type { SqliteStore } from "#store/sqlite/index";
import { migrate } from "#store/sqlite/migrate";
import { MIGRATIONS } from "#store/sqlite/migrations/index";
import { OlderAuditLog } from "#store/sqlite/upgrade";
import { readCheckpoint } from "#store/tlog/checkpoint";
import { readKey, readNote } from "#store/tlog/note";
import { addCheckpoint, addCheckpointText } from "#store/tlog/witness";
import { verifies } from "#test/support/verifies";
import { Place } from "./directory";
import { someRecord } from "./records";

setDefaultTimeout(240_000);

/* What docs/audit.md says is found of each attack, tried: its table is read and held against what verification says. */

const MONTH = "audit_2026_07";
const JULY = Date.UTC(2026, 6, 10);
/** Signed is the first record, every thousandth after it, an orderly stop, and what a flush finds. */
const SIGNED = 1_210;
const STOPPED = 1_205;
const RECORDS = 1_215;
/** A copy made earlier. */
const OLDER = 1_206;
/** The version of the database in 0.1.0. */
const FIRST_VERSION = 18;

const stop = (at: number): string => someRecord({ at }).replace('"kind":"chat.completion"', '"kind":"system.stop"');

const older = (path: string): string => join(path, "older.db");

/** Written once and copied for each attack. */
const template = new Place();
/** The log as the witness has seen it. */
let witnessed: TreeLog | undefined;
beforeAll(async () => {
  const store = await template.open();
  for (let seq = 1; seq <= RECORDS; seq += 1) {
    await store.audit.append(seq === STOPPED ? stop(JULY + seq) : someRecord({ at: JULY + seq }));
    if (seq === OLDER) copy(older(template.path));
    if (seq !== SIGNED) continue;
    // As a killed process leaves it: the last records have no checkpoint yet.
    await store.audit.flush();
    [witnessed] = await store.proofs.logs();
  }
  copy(join(template.path, "whole.db"));
});
afterAll(() => template[Symbol.asyncDispose]());

const copy = (to: string): void => {
  const db = new Database(template.database);
  db.query("VACUUM INTO ?").run(to);
  db.close();
};

const laidOut = (place: Place): void => {
  copyFileSync(join(template.path, "whole.db"), place.database);
  for (const name of ["audit-key.pem", "audit-chained", "older.db"])
    copyFileSync(join(template.path, name), join(place.path, name));
};

/** Gives records from one on the hashes that fit. */
const rechain = (db: Database, first: number): void => {
  type Row = { readonly seq: number; readonly body: string; readonly prev_hash: string };
  const rows = db
    .query<Row, [number]>(`SELECT seq, body, prev_hash FROM ${MONTH} WHERE seq >= ? ORDER BY seq`)
    .all(first);
  let prev = rows[0]?.prev_hash ?? "";
  const update = db.query(`UPDATE ${MONTH} SET prev_hash = ?, hash = ? WHERE seq = ?`);
  transaction<void>(db, () => {
    for (const { seq, body } of rows) {
      const hash = linkHash(prev, seq, body);
      update.run(prev, hash, seq);
      prev = hash;
    }
  });
};

const change = (db: Database, seq: number): void => {
  db.run(`UPDATE ${MONTH} SET body = replace(body, '"v":1', '"v":2') WHERE seq = ${seq}`);
};
const rewrite = (db: Database, seq: number): void => {
  change(db, seq);
  rechain(db, seq);
};

/** What somebody who has the key does at last: takes all signatures away and signs what is there now. */
const signAnew = (db: Database, place: Place): void => {
  const checkpoints = new Checkpoints(db, new AuditSigner(join(place.path, "audit-key.pem")), Date.now);
  transaction<void>(db, () => {
    db.run("DELETE FROM audit_checkpoint");
    db.run("DELETE FROM audit_head");
    if (hasTree(db))
      for (const table of ["audit_tree", "audit_tile", "audit_tree_head"]) db.run(`DELETE FROM ${table}`);
    type Row = { readonly seq: number; readonly hash: string; readonly kind: string; readonly body: string };
    const rows = db.query<Row, []>(`SELECT seq, hash, kind, body FROM ${MONTH} ORDER BY seq`).all();
    checkpoints.begin({ seq: 0, hash: GENESIS });
    for (const { seq, hash, kind, body } of rows) checkpoints.after({ seq, hash }, kind, body);
  });
};

/** The columns of the table: who may change what, and what is outside of their reach. */
type Outcome = {
  readonly database: boolean;
  readonly key: boolean;
  readonly noted: boolean;
  readonly witness: boolean;
};

const ATTACKS: Readonly<Record<string, (db: Database, place: Place) => void>> = {
  "a record changed, hashes left": (db) => change(db, 6),
  "a record removed": (db) => db.run(`DELETE FROM ${MONTH} WHERE seq = 6`),
  "two records exchanged": (db) =>
    db.run(`UPDATE ${MONTH} SET body = CASE seq WHEN 8 THEN (SELECT body FROM ${MONTH} WHERE seq = 9)
      ELSE (SELECT body FROM ${MONTH} WHERE seq = 8) END WHERE seq IN (8, 9)`),
  "rewritten from some record on, hashes recomputed": (db) => rewrite(db, 6),
  "the same, and the checkpoints from there on removed": (db) => {
    rewrite(db, 6);
    db.run("DELETE FROM audit_checkpoint WHERE seq >= 6");
  },
  "the same, and all checkpoints removed": (db) => {
    rewrite(db, 6);
    db.run("DELETE FROM audit_checkpoint");
    db.run("DELETE FROM audit_head");
  },
  "checkpoints removed, nothing else": (db) => db.run("DELETE FROM audit_checkpoint WHERE seq = 1001"),
  "the checkpoint of an orderly stop removed": (db) => db.run(`DELETE FROM audit_checkpoint WHERE seq = ${STOPPED}`),
  "the end cut off with its checkpoints": (db) => {
    db.run(`DELETE FROM ${MONTH} WHERE seq > 1100`);
    db.run("DELETE FROM audit_checkpoint WHERE seq > 1100");
  },
  "records behind the newest checkpoint changed": (db) => rewrite(db, SIGNED + 1),
  "an older copy of the database put back": (db, place) => {
    db.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(place.database + end, { force: true });
    renameSync(older(place.path), place.database);
  },
  "the database put back into its form of 0.1.0, rewritten": (db, place) => {
    rewrite(db, 6);
    const old = new Database(join(place.path, "old.db"));
    migrate(old, MIGRATIONS.slice(0, FIRST_VERSION), { backups: place.path, now: 0 });
    old.query("ATTACH ? AS newer").run(place.database);
    old.run(`CREATE TABLE ${MONTH} AS SELECT * FROM newer.${MONTH}`);
    const columns = "name, first_seq, first_prev_hash, last_seq, last_hash, dropped_at, drop_key_id, drop_signature";
    old.run(`INSERT INTO audit_partition SELECT ${columns} FROM newer.audit_partition`);
    old.close();
    db.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(place.database + end, { force: true });
    renameSync(join(place.path, "old.db"), place.database);
  },
};

const isFound = async (
  attack: (db: Database, place: Place) => void,
  { hasKey, isNoted = false, isWitnessed = false }: { hasKey: boolean; isNoted?: boolean; isWitnessed?: boolean },
): Promise<boolean> => {
  await using place = new Place();
  laidOut(place);
  const db = new Database(place.database);
  const last = db.query<{ seq: number; hash: string }, []>(`SELECT seq, hash FROM ${MONTH} ORDER BY seq DESC`).get();
  attack(db, place);
  if (hasKey) {
    rmSync(join(place.path, "audit-chained"), { force: true });
    const mine = new Database(place.database);
    if (mine.query("SELECT 1 FROM sqlite_master WHERE name = 'audit_head'").get() !== null) signAnew(mine, place);
    mine.close();
  }
  db.close();
  try {
    const store = await place.open();
    const report: AuditReport = await store.audit.verify(isNoted && last !== null ? last : undefined);
    return !report.ok || (isWitnessed && !(await goesOn(store)));
  } catch (error) {
    if (error instanceof OlderAuditLog) return true;
    throw error;
  }
};

/** Whether the witness signs what the hub goes on with. */
const goesOn = async (store: SqliteStore): Promise<boolean> => {
  await store.audit.append(someRecord({ at: JULY + RECORDS + 1 }));
  await store.audit.flush();
  const [log] = await store.proofs.logs();
  const [seen, note] = [witnessed?.head ?? null, log?.head?.note ?? ""];
  if (witnessed === undefined || seen === null || log?.head == null) throw new Error("There is no tree");
  const proof = await store.proofs.consistency(null, seen.size, log.head.size);
  const { status } = await addCheckpoint(addCheckpointText(seen.size, proof ?? [], note), {
    logs: [readKey(witnessed.key)],
    latest: () => readCheckpoint(readNote(seen.note).text),
    keep: () => true,
    sign: () => "",
  });
  return status === 200;
};

/** What the document says: rows of its table by their first cell. */
const said = async (): Promise<Map<string, Outcome>> => {
  const text = await Bun.file(join(import.meta.dir, "../../docs/audit.md")).text();
  const rows = text.split("\n").filter((line) => /^\| [^|]* (?:\| (?:not )?found ){4}\|$/.test(line));
  return new Map(
    rows.map((row) => {
      const [, name = "", ...cells] = row.split("|").map((cell) => cell.trim());
      const [database = false, key = false, noted = false, witness = false] = cells.map((cell) => cell === "found");
      return [name, { database, key, noted, witness }];
    }),
  );
};

test("every attack of the document's table is tried, and no other", async () => {
  expect([...(await said()).keys()].sort()).toEqual(Object.keys(ATTACKS).sort());
});

describe("what is found is what the document says:", () => {
  for (const [name, attack] of Object.entries(ATTACKS)) {
    test(name, async () => {
      verifies("audit.signed", "audit.attacks");
      const found: Outcome = {
        database: await isFound(attack, { hasKey: false }),
        key: await isFound(attack, { hasKey: true }),
        noted:
          (await isFound(attack, { hasKey: false, isNoted: true })) &&
          (await isFound(attack, { hasKey: true, isNoted: true })),
        witness:
          (await isFound(attack, { hasKey: false, isWitnessed: true })) &&
          (await isFound(attack, { hasKey: true, isWitnessed: true })),
      };
      const none: Outcome = { database: false, key: false, noted: false, witness: false };
      expect(found).toEqual((await said()).get(name) ?? none);
    });
  }
});
