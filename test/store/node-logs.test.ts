import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { openDataDirectory } from "#platform/data-directory";
import { cursorOf, mergedRows, newestOf, positionsIn } from "#store/audit-merge";
import type { FoundCalls } from "#store/call-index-port";
import type { Joining } from "#store/node-port";
import type { AuditRow } from "#store/record";
import { beginTreeAnew } from "#store/sqlite/audit-tree";
import { makeBackup } from "#store/sqlite/backup-make";
import { restoreBackup } from "#store/sqlite/backup-restore";
import type { SqliteStore } from "#store/sqlite/index";
import { readCheckpoint } from "#store/tlog/checkpoint";
import { leafHash, rootOfInclusion } from "#store/tlog/merkle";
import { goodSignatures, readNote } from "#store/tlog/note";
import { readProof } from "#store/tlog/proof";
import { readTrust } from "#store/tlog/trust";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const START = Date.UTC(2026, 10, 21);
const JUNE = Date.UTC(2026, 5, 10);
const SIGNING = { keyId: "a-key", key: "ab".repeat(32) };
const KEYS = { [SIGNING.keyId]: SIGNING.key };

const joining = (id: string, isAlone = false): Joining => ({ id, version: "test", leaseMs: 600_000, isAlone });

const open = (place: Place, id: string): Promise<SqliteStore> => place.open({ writer: "worker", node: joining(id) });

/** Three nodes that have written `each` records by turns. */
const threeNodes = async (place: Place, each: number, since = START): Promise<SqliteStore[]> => {
  const stores = [];
  for (const id of ["0", "1", "w-2"]) stores.push(await open(place, id));
  for (let n = 0; n < each; n++) {
    await Promise.all(
      stores.map((store, node) => store.audit.append(someRecord({ id: `r-${node}-${n}`, at: since + n * 10 + node }))),
    );
  }
  return stores;
};

const idsIn = async (rows: AsyncIterable<AuditRow>): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { body } of rows) ids.push(JSON.parse(body).id);
  return ids;
};

const inOrder = (each: number): string[] =>
  Array.from({ length: each }, (_, n) => [0, 1, 2].map((node) => `r-${node}-${n}`)).flat();

test("each of several processes writes a log of its own, and every reader sees all of them in the order of time", async () => {
  verifies("node.log");
  await using place = new Place();
  const stores = await threeNodes(place, 40);
  const [first] = stores;
  if (!first) throw new Error("no stores");
  expect(
    readdirSync(join(place.path, "audit"))
      .filter((name) => name.endsWith(".db"))
      .toSorted(),
  ).toEqual(["0.db", "1.db", "w-2.db"]);
  const command = await place.open();
  for (const reader of [...stores, command]) {
    expect(await idsIn(reader.audit.read({}))).toEqual(inOrder(40));
    expect((await reader.audit.tail(5)).map(({ body }) => JSON.parse(body).id)).toEqual(
      inOrder(40).toReversed().slice(0, 5),
    );
    const report = await reader.audit.verify();
    expect(report).toMatchObject({ ok: true, records: 120, faults: [] });
    expect(report.nodes?.map(({ node, ok, records }) => [node, ok, records])).toEqual([
      ["0", true, 40],
      ["1", true, 40],
      ["w-2", true, 40],
    ]);
  }
  const [newest] = await first.audit.tail(1);
  expect(newest).toMatchObject({ node: "w-2", seq: 40 });
  const noted = { node: "w-2", seq: 40, hash: newest?.hash ?? "" };
  expect(await command.audit.verify(noted)).toMatchObject({ ok: true });
  expect(await command.audit.verify({ ...noted, node: "1" })).toMatchObject({ ok: false });
  expect(await command.audit.verify({ ...noted, node: "9" })).toMatchObject({ ok: false });
});

test("pages of calls go through all logs without a gap and without a double, also while more is written", async () => {
  verifies("node.log");
  await using place = new Place();
  const stores = await threeNodes(place, 50);
  const [first, second] = stores;
  if (!first || !second) throw new Error("no stores");
  const found: string[] = [];
  // What was written in one go may take more than one question's patience to be found.
  const newest = { filter: {}, scope: null, before: null, limit: 1, patienceMs: 0 };
  while ((await first.calls.search(newest)).behind > 0) await Bun.sleep(1);
  for (let before: string | null = null; ; ) {
    const page: FoundCalls = await first.calls.search({
      filter: {},
      scope: null,
      before,
      limit: 7,
      patienceMs: 60_000,
    });
    found.push(...page.rows.map(({ body }) => JSON.parse(body).id));
    if (found.length === 7) await open(place, "later").then((store) => store.audit.append(someRecord({ id: "later" })));
    await second.audit.append(someRecord({ at: START + 1_000_000 + found.length }));
    if (page.next === null) break;
    before = page.next;
  }
  expect(found.filter((id) => id.startsWith("r-"))).toEqual(inOrder(50).toReversed());
  expect(new Set(found).size).toBe(found.length);
});

test("a process that serves alone keeps to the main log, and reads what several left", async () => {
  verifies("node.log");
  await using place = new Place();
  const alone = await place.open({ writer: "worker", node: joining("0", true) });
  await alone.audit.append(someRecord({ id: "before", at: START - 1 }));
  expect(existsSync(join(place.path, "audit"))).toBe(false);
  expect(await alone.audit.verify()).not.toHaveProperty("nodes");
  await alone.close();
  for (const store of await threeNodes(place, 3)) await store.close();
  const again = await place.open({ writer: "worker", node: joining("0", true) });
  await again.audit.append(someRecord({ id: "after", at: START + 1_000 }));
  expect(await idsIn(again.audit.read({}))).toEqual(["before", ...inOrder(3), "after"]);
  expect(await again.audit.verify()).toMatchObject({ ok: true, records: 11, last_seq: 2 });
});

test("what is changed in a node's log, or put in another's place, is found and the node named", async () => {
  verifies("audit.nodes");
  await using place = new Place();
  for (const store of await threeNodes(place, 10)) await store.close();
  const file = (node: string): string => join(place.path, "audit", `${node}.db`);
  const problems = async (): Promise<string[]> => {
    const store = await place.open();
    const { ok, faults } = await store.audit.verify();
    await store.close();
    expect(ok).toBe(faults.length === 0);
    return faults.map(({ node, seq, problem }) => `${node}:${seq} ${problem}`);
  };
  expect(await problems()).toEqual([]);
  const db = new Database(file("1"));
  db.run(`UPDATE audit_2026_11 SET body = replace(body, '"v":1', '"v":2') WHERE seq = 4`);
  db.close();
  expect(await problems()).toEqual(["1:4 the record's hash is wrong"]);
  const again = new Database(file("1"));
  again.run(`UPDATE audit_2026_11 SET body = replace(body, '"v":2', '"v":1') WHERE seq = 4`);
  again.run("UPDATE log_identity SET node = 'w-2'");
  again.close();
  expect(await problems()).toContain("1:1 the log is that of w-2");
});

test("the main log names how far each log went: what is cut off, replaced or deleted is found", async () => {
  verifies("audit.anchors");
  await using place = new Place();
  const stores = await threeNodes(place, 10);
  const anchor = (detail: unknown): string => {
    const record = JSON.parse(someRecord({ at: START + 5_000 }));
    return JSON.stringify({
      ...record,
      kind: "audit.anchor",
      change: { subject: "system", subject_id: "hub", detail },
    });
  };
  for (const store of stores) await store.audit.anchor(anchor);
  // Nothing has changed since.
  for (const store of stores) await store.audit.anchor(anchor);
  await stores[1]?.audit.append(someRecord());
  await stores[1]?.audit.anchor(anchor);
  const [first] = stores;
  expect(await first?.audit.verify()).toMatchObject({ ok: true, records: 35, last_seq: 4 });
  for (const store of stores) await store.close();
  const file = (node: string): string => join(place.path, "audit", `${node}.db`);
  const problems = async (): Promise<string[]> => {
    const store = await place.open();
    const { faults } = await store.audit.verify();
    await store.close();
    return faults.map(({ node, seq, problem }) => `${node}:${seq} ${problem}`);
  };
  expect(await problems()).toEqual([]);
  const db = new Database(file("1"));
  db.run("DELETE FROM audit_2026_11 WHERE seq = 11");
  db.run("DELETE FROM audit_checkpoint WHERE seq = 11");
  db.close();
  expect(await problems()).toContain("1:11 record 11, which the main log names, is missing");
  for (const end of ["", "-wal", "-shm"]) rmSync(file("w-2") + end, { force: true });
  expect(await problems()).toContain("w-2:10 the log is missing, which the main log names");
  const other = await open(place, "w-2");
  for (let n = 0; n < 20; n++) await other.audit.append(someRecord());
  await other.close();
  expect(await problems()).toContain("w-2:1 the log is another one than the main log names");
});

test("retention takes months of every log, also the last of a node that is gone", async () => {
  verifies("audit.nodes");
  await using place = new Place();
  for (const store of await threeNodes(place, 5, JUNE)) await store.close();
  const alone = await place.open({ writer: "worker", node: joining("0", true) });
  const now = Date.now();
  const drop = () => alone.audit.dropBefore(JUNE + 86_400_000, () => dropRecord(now));
  expect(await drop()).toEqual(["0/audit_2026_06", "1/audit_2026_06", "w-2/audit_2026_06"]);
  expect(await drop()).toEqual([]);
  // What is left is what says so, in the log it was done in.
  expect(await alone.audit.verify()).toMatchObject({ ok: true, records: 3 });
  expect((await alone.audit.tail(9)).map(({ node, seq }) => `${node}:${seq}`)).toEqual(
    ["0:6", "1:6", "w-2:6"].toReversed(),
  );
});

const dropRecord = (now: number): string => {
  const record = JSON.parse(someRecord({ at: now }));
  return JSON.stringify({ ...record, kind: "audit.drop" });
};

test("a backup has the logs of all nodes, and a restore puts them in place of those that are there", async () => {
  verifies("audit.nodes");
  await using place = new Place();
  for (const store of await threeNodes(place, 10)) await store.close();
  const directory = openDataDirectory(place.path);
  const target = join(place.path, "all.tar");
  const made = { madeBy: "command", version: "test", now: Date.now(), signing: SIGNING } as const;
  makeBackup(directory, { target, ...made });
  await using other = new Place();
  mkdirSync(join(other.path, "audit"));
  writeFileSync(join(other.path, "audit", "later.db"), "of the data that goes");
  const restored = await restoreBackup(openDataDirectory(other.path), {
    file: target,
    revokeSessions: false,
    now: Date.now(),
    allow: ({ ok, records }) => expect([ok, records]).toEqual([true, 30]),
    keys: KEYS,
    record: () => someRecord({ at: START + 10_000 }),
  });
  expect(restored.records).toBe(30);
  const store = await other.open();
  expect((await idsIn(store.audit.read({}))).slice(0, 30)).toEqual(inOrder(10));
  const report = await store.audit.verify();
  expect([report.ok, report.nodes?.map(({ node }) => node)]).toEqual([true, ["0", "1", "w-2"]]);
  const [aside = ""] = readdirSync(other.path).filter((name) => name.startsWith("before-restore-"));
  expect(readdirSync(join(other.path, aside, "audit"))).toEqual(["later.db"]);
});

const row = (at: number, seq: number): AuditRow => ({
  seq,
  body: `{"v":1,"at":"${new Date(START + at).toISOString()}"}`,
  prev_hash: "",
  hash: "",
});

async function* stream(rows: readonly AuditRow[]): AsyncIterable<AuditRow> {
  yield* rows;
}

const NAMES = [null, "a", "b", "c"] as const;
const LOGS = fc.array(fc.array(fc.nat(50), { maxLength: 20 }), { minLength: 2, maxLength: 4 }).map((logs) =>
  logs.map((steps, index) => {
    let at = 0;
    const rows = steps.map((step, n) => {
      at += step;
      return row(at, n + 1);
    });
    return { node: NAMES[index] ?? null, rows };
  }),
);

const keyOf = ({ node, seq, body }: AuditRow): string =>
  `${JSON.parse(body).at} ${node ?? ""} ${String(seq).padStart(3, "0")}`;

type Logs = readonly { readonly node: string | null; readonly rows: readonly AuditRow[] }[];

const pageOf = (logs: Logs, cursor: string | null, most: number, pages: string[]): string | null => {
  const places = cursor === null ? null : positionsIn(cursor);
  const parts = logs.map(({ node, rows }) => {
    const before = places?.get(node) ?? (places === null ? 1_000 : 0);
    const below = rows.filter(({ seq }) => seq < before).toReversed();
    return { node, rows: below.slice(0, most), isOver: below.length <= most };
  });
  const { rows, taken } = newestOf(parts, most);
  pages.push(...rows.map(keyOf));
  const next = parts.map(({ node, rows: given, isOver }, index): [string | null, number] => {
    const waiting = given[taken[index] ?? 0];
    if (waiting) return [node, waiting.seq + 1];
    return [node, isOver ? 0 : (given.at(-1)?.seq ?? 0)];
  });
  return next.every(([, before]) => before === 0) ? null : cursorOf(new Map(next));
};

test("several logs are one in the order of time, node and number, read from either end", async () => {
  verifies("node.log");
  await fc.assert(
    fc.asyncProperty(LOGS, fc.integer({ min: 1, max: 6 }), async (logs, most) => {
      const wanted = logs.flatMap(({ node, rows }) => rows.map((one) => (node === null ? one : { ...one, node })));
      const keys = wanted.map(keyOf).toSorted();
      const read: string[] = [];
      for await (const one of mergedRows(logs.map(({ node, rows }) => ({ node, rows: stream(rows) }))))
        read.push(keyOf(one));
      expect(read).toEqual(keys);
      // A page after the other, of each log as many as a page has, as an index gives them.
      const pages: string[] = [];
      let cursor: string | null = null;
      do cursor = pageOf(logs, cursor, most, pages);
      while (cursor !== null);
      expect(pages).toEqual(keys.toReversed());
    }),
  );
});

test("each log has a tree of its own, and one file of keys checks the proofs of all", async () => {
  verifies("proofs.hubs");
  await using place = new Place();
  const stores = await threeNodes(place, 5);
  for (const store of stores) await store.audit.flush();
  const command = await place.open();
  const logs = await command.proofs.logs();
  expect(new Set(logs.map(({ origin }) => origin)).size).toBe(logs.length);
  const { logs: trusted } = readTrust(logs.map(({ key }) => `log ${key}\n`).join(""));
  for (const row of await command.audit.tail(15)) {
    const proved = await command.proofs.prove(row);
    if ("none" in proved) throw new Error(`${row.node} ${row.seq}: ${proved.none}`);
    const { index, hashes, checkpoint } = readProof(proved.proof);
    const note = readNote(checkpoint);
    const { origin, size, root } = readCheckpoint(note.text);
    const signed = await goodSignatures(note, trusted);
    expect(signed.map(({ key }) => key.name)).toEqual([origin]);
    expect(rootOfInclusion(leafHash(row.body), index, size, hashes)?.toHex()).toBe(root.toHex());
  }
});

test("a restored log begins another tree, of another name", async () => {
  verifies("proofs.restored");
  await using place = new Place();
  const store = await place.open();
  for (let n = 0; n < 5; n += 1) await store.audit.append(someRecord({ at: START + n }));
  await store.audit.flush();
  const [before] = await store.proofs.logs();
  await store.close();
  const db = new Database(place.database);
  db.run("BEGIN IMMEDIATE");
  beginTreeAnew(db, { seq: 5, hash: "" }, START);
  db.run("COMMIT");
  db.close();
  const again = await place.open();
  await again.audit.append(someRecord({ at: START + 9 }));
  const [after] = await again.proofs.logs();
  expect(after?.origin).toBe(`${before?.origin}~${START}`);
  expect(after?.head?.size).toBe(1);
  expect((await again.audit.verify()).faults).toEqual([]);
});
