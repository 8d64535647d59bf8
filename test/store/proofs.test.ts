import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import type { SqliteStore } from "#store/sqlite/index";
import { readCheckpoint } from "#store/tlog/checkpoint";
import { isConsistent, isSameHash, leafHash, rootOfInclusion } from "#store/tlog/merkle";
import { goodSignatures, readKey, readNote } from "#store/tlog/note";
import { readHashes, readProof } from "#store/tlog/proof";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const JUNE = Date.UTC(2026, 5, 10);
const AUGUST = Date.UTC(2026, 7, 10);

const append = async ({ audit }: SqliteStore, count: number, at = JUNE): Promise<void> => {
  for (let n = 0; n < count; n += 1) await audit.append(someRecord({ at }));
};

const logOf = async ({ proofs }: SqliteStore) => {
  const [log] = await proofs.logs();
  if (!log?.head) throw new Error("The log has no signed tree");
  return { ...log, head: log.head };
};

const proofOf = async ({ proofs }: SqliteStore, seq: number, body: string): Promise<string> => {
  const proved = await proofs.prove({ seq, body });
  if ("none" in proved) throw new Error(`There is no proof: ${proved.none}`);
  return proved.proof;
};

/** Whether the proof of a record holds, by what the log's key alone says. */
const holds = async (store: SqliteStore, seq: number, body: string): Promise<boolean> => {
  const { extra, index, hashes, checkpoint } = readProof(await proofOf(store, seq, body));
  const note = readNote(checkpoint);
  const { size, root } = readCheckpoint(note.text);
  const reached = rootOfInclusion(leafHash(extra ?? ""), index, size, hashes);
  const signed = await goodSignatures(note, [readKey((await logOf(store)).key)]);
  return signed.length === 1 && reached !== null && isSameHash(reached, root);
};

describe("the tree of a log", () => {
  test("every record is proved by the newest checkpoint, whatever the size", async () => {
    verifies("proofs.prove");
    for (const count of [1, 2, 255, 256, 257, 600]) {
      await using place = new Place();
      const store = await place.open();
      await append(store, count);
      await store.audit.flush();
      const rows = await store.audit.tail(count);
      expect((await logOf(store)).head.size).toBe(count);
      for (const row of rows.filter((_, at) => at % 37 === 0 || at > count - 4))
        expect([row.seq, await holds(store, row.seq, row.body)]).toEqual([row.seq, true]);
      const report = await store.audit.verify();
      expect(report.faults).toEqual([]);
    }
  });

  test("a record that no checkpoint covers yet is not proved", async () => {
    await using place = new Place();
    const store = await place.open();
    await append(store, 3);
    // The first record of a log is signed at once.
    const [row] = await store.audit.tail(1);
    expect(await store.proofs.prove({ seq: row?.seq ?? 0, body: row?.body ?? "" })).toEqual({ none: "unsigned" });
    expect(await store.proofs.prove({ node: "gone", seq: 1, body: "" })).toEqual({ none: "elsewhere" });
    // The same number in another log.
    expect(await store.proofs.prove({ seq: 1, body: row?.body ?? "" })).toEqual({ none: "elsewhere" });
  });

  test("the tree goes on over restarts, a writer that came between, and a batch that failed", async () => {
    verifies("proofs.consistency");
    await using place = new Place();
    const [one, other] = [await place.open(), await place.open()];
    const heads: { size: number; note: string }[] = [];
    for (let round = 0; round < 6; round += 1) {
      await append(round % 2 === 0 ? one : other, 70 + round);
      // Nothing of it is written.
      await expect(one.audit.append("no record")).rejects.toThrow();
      await (round % 2 === 0 ? other : one).audit.flush();
      heads.push((await logOf(one)).head);
    }
    const again = await place.open();
    await append(again, 5);
    await again.audit.flush();
    heads.push((await logOf(again)).head);
    const trees = heads.map(({ note }) => readCheckpoint(readNote(note).text));
    for (const [at, from] of trees.entries()) {
      for (const to of trees.slice(at)) {
        const proof = await again.proofs.consistency(null, from.size, to.size);
        expect(isConsistent(from, to, readHashes(proof ?? []))).toBe(true);
      }
    }
    expect((await again.audit.verify()).faults).toEqual([]);
  });

  test("proofs hold after the months of the first records were dropped", async () => {
    verifies("proofs.pruned");
    await using place = new Place();
    let now = JUNE;
    const store = await place.open({ now: () => now });
    await append(store, 300, JUNE);
    await store.audit.flush();
    const old = await store.audit.tail(300);
    const proofs = await Promise.all(old.map(({ seq, body }) => proofOf(store, seq, body)));
    const before = readCheckpoint(readNote((await logOf(store)).head.note).text);
    now = AUGUST;
    await append(store, 40, AUGUST);
    expect(
      await store.audit.dropBefore(AUGUST - 1, () =>
        someRecord({ at: AUGUST }).replace("chat.completion", "audit.drop"),
      ),
    ).toHaveLength(1);
    await append(store, 300, AUGUST);
    await store.audit.flush();
    const after = readCheckpoint(readNote((await logOf(store)).head.note).text);
    const consistency = await store.proofs.consistency(null, before.size, after.size);
    expect(isConsistent(before, after, readHashes(consistency ?? []))).toBe(true);
    // Who kept the record proves it anew, against the newest checkpoint.
    for (const [at, { seq, body }] of old.entries()) {
      expect(proofs[at]?.startsWith("c2sp.org/tlog-proof@v1\n")).toBe(true);
      expect(await holds(store, seq, body)).toBe(true);
    }
    expect((await store.audit.verify()).faults).toEqual([]);
  });
});

describe("a tree that is damaged", () => {
  test("a tile that cannot be written does not keep records from being written, and the tree goes on after it", async () => {
    verifies("proofs.damaged");
    await using place = new Place();
    const store = await place.open();
    await append(store, 250);
    const db = new Database(place.database);
    db.run(
      "CREATE TRIGGER full BEFORE INSERT ON audit_tile WHEN new.level = 0 BEGIN SELECT RAISE(ABORT, 'no room'); END",
    );
    await append(store, 10);
    db.run("DROP TRIGGER full");
    db.close();
    await append(store, 10);
    expect(await store.audit.tail(1)).toMatchObject([{ seq: 270 }]);
    const problems = (await store.audit.verify()).faults.map(({ problem }) => problem);
    expect(problems.some((problem) => problem.includes("the log's tree"))).toBe(true);
  });

  test("what does not go on from what was signed is not signed", async () => {
    verifies("proofs.damaged");
    for (const damage of [
      "UPDATE audit_tile SET hashes = zeroblob(length(hashes)) WHERE level = 0 AND idx = 1",
      "UPDATE audit_tile SET hashes = substr(hashes, 1, 16) WHERE level = 1 AND idx = 0",
      "DELETE FROM audit_tile",
    ]) {
      await using place = new Place();
      const store = await place.open();
      await append(store, 300);
      await store.audit.flush();
      const before = await logOf(store);
      await store.close();
      const db = new Database(place.database);
      db.run(damage);
      db.close();
      const again = await place.open();
      await append(again, 3);
      await again.audit.flush();
      expect([damage, (await logOf(again)).head]).toEqual([damage, before.head]);
      expect([damage, (await again.audit.verify()).ok]).toEqual([damage, false]);
    }
  });

  test("a log that had records before it had a tree is sound, and what it cannot prove is said so", async () => {
    verifies("proofs.damaged");
    await using place = new Place();
    const store = await place.open();
    await append(store, 5);
    await store.close();
    const db = new Database(place.database);
    for (const table of ["audit_tree", "audit_tile", "audit_tree_head"]) db.run(`DELETE FROM ${table}`);
    db.close();
    const again = await place.open();
    const [old] = await again.audit.tail(1);
    const prove = () => again.proofs.prove({ seq: old?.seq ?? 0, body: old?.body ?? "" });
    expect(await prove()).toEqual({ none: "before_tree" });
    await append(again, 1);
    expect((await again.audit.verify()).faults).toEqual([]);
    expect(await prove()).toEqual({ none: "before_tree" });
    const [row] = await again.audit.tail(1);
    expect(await holds(again, row?.seq ?? 0, row?.body ?? "")).toBe(true);
  });
});

/** Writes a good log of 600 records, lets `tamper` at the file, and says what verification finds. */
const faultsAfter = async (tamper: (db: Database) => void): Promise<string[]> => {
  await using place = new Place();
  const before = await place.open();
  await append(before, 600);
  await before.audit.flush();
  await before.close();
  const db = new Database(place.database);
  tamper(db);
  db.close();
  return (await (await place.open()).audit.verify()).faults.map(({ problem }) => problem);
};

describe("verification finds", () => {
  const flipped = (where: string) => (db: Database) => {
    type Row = { readonly hashes: Uint8Array };
    const row = db.query<Row, []>(`SELECT hashes FROM audit_tile WHERE ${where}`).get();
    if (row === null) throw new Error("There is no such tile");
    const hashes = new Uint8Array(row.hashes);
    hashes[40] = (hashes[40] ?? 0) ^ 1;
    db.query(`UPDATE audit_tile SET hashes = ? WHERE ${where}`).run(hashes);
  };
  const cases: readonly (readonly [what: string, tamper: (db: Database) => void, found: string])[] = [
    ["a changed tile", flipped("level = 0 AND idx = 1"), "tile 0/1 of the log's tree is not that of its records"],
    [
      "a missing tile",
      (db) => db.run("DELETE FROM audit_tile WHERE level = 0 AND idx = 0"),
      "tile 0/0 of the log's tree is missing",
    ],
    [
      "another root",
      (db) =>
        db.run(
          "UPDATE audit_tree_head SET note = replace(note, char(10) || '600' || char(10), char(10) || '599' || char(10))",
        ),
      "the tree of the log has no good signature",
    ],
    [
      "a checkpoint that is gone",
      (db) => db.run("DELETE FROM audit_tree_head"),
      "the tree of the log has no good signature",
    ],
  ];
  for (const [what, tamper, found] of cases) {
    test(what, async () => {
      verifies("proofs.verify");
      expect(await faultsAfter(tamper)).toContain(found);
    });
  }
});
