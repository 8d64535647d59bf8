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

/** Whether the proof of a record holds, by what the log's key alone says. */
const holds = async (store: SqliteStore, seq: number, body: string): Promise<boolean> => {
  const proof = await store.proofs.prove({ node: null, seq, body });
  const { extra, index, hashes, checkpoint } = readProof(proof);
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
    expect(await store.proofs.prove({ node: null, seq: row?.seq ?? 0, body: row?.body ?? "" })).toBe("unsigned");
    expect(await store.proofs.prove({ node: "gone", seq: 1, body: "" })).toBe("elsewhere");
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
    const proofs = await Promise.all(old.map(({ seq, body }) => store.proofs.prove({ node: null, seq, body })));
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

  test("records that were exchanged with all hashes of the chain made anew", async () => {
    verifies("proofs.verify");
    const problems = await faultsAfter((db) =>
      db.run("UPDATE audit_2026_06 SET body = replace(body, 'answered', 'refused') WHERE seq = 10"),
    );
    expect(problems.some((problem) => problem.includes("of the log's tree is not that of its records"))).toBe(true);
  });
});
