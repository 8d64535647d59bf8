import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { AuditWriter, startThread } from "#store/sqlite/audit-writer";
import { AuditUnavailable, type SqliteStore } from "#store/sqlite/index";
import { failure } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";

const CHILD = join(import.meta.dir, "children", "append.ts");

const idsOf = async (store: SqliteStore): Promise<string[]> => {
  const ids: string[] = [];
  for await (const row of store.audit.read({})) ids.push(JSON.parse(row.body).id);
  return ids;
};

type Step = { readonly by: number; readonly count: number; readonly wait: boolean; readonly then: Then };
/** After records that were waited for: a batch that is taken back once some of it is written, or a checkpoint. */
type Then = "nothing" | "refused" | "checkpoint";

const afterwards = async ({ audit }: SqliteStore, then: Then): Promise<void> => {
  if (then === "checkpoint") await audit.flush();
  if (then !== "refused") return;
  const refused = await Promise.allSettled([audit.append(someRecord({ id: "refused" })), audit.append("{}")]);
  expect(refused.some(({ status }) => status === "rejected")).toBe(true);
};

/** Appends as the steps say; returns the ids in the order each store was given them. */
const append = async (stores: readonly SqliteStore[], steps: readonly Step[]): Promise<string[][]> => {
  const pending: Promise<void>[] = [];
  const given = stores.map((): string[] => []);
  for (const { by, count, wait, then } of steps) {
    const [store, ids] = [stores[by], given[by]];
    if (store === undefined || ids === undefined) continue;
    for (let n = 0; n < count; n++) {
      const id = `${by}-${ids.length}`;
      ids.push(id);
      pending.push(store.audit.append(someRecord({ id, phase: n % 3 ? "final" : "request", call: `c${n}` })));
    }
    if (!wait) continue;
    await Promise.all(pending);
    await afterwards(store, then);
  }
  await Promise.all(pending);
  return given;
};

test("any interleaving over two connections keeps one chain and answers every append", async () => {
  const then = fc.constantFrom<Then[]>("nothing", "refused", "checkpoint");
  const step = fc.record({ by: fc.nat(1), count: fc.integer({ min: 1, max: 40 }), wait: fc.boolean(), then });
  const run = async (steps: readonly Step[], writer: "inline" | "worker") => {
    await using place = new Place();
    const store = await place.open({ writer: "worker" });
    const given = await append([store, await place.open({ writer })], steps);
    const found = await idsOf(store);
    for (const [by, ids] of given.entries()) expect(found.filter((id) => id.startsWith(`${by}-`))).toEqual(ids);
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: found.length });
  };
  const steps = fc.array(step, { minLength: 1, maxLength: 8 });
  const writer = fc.constantFrom<("inline" | "worker")[]>("inline", "worker");
  await fc.assert(fc.asyncProperty(steps, writer, run), { numRuns: 25 });
}, 120_000);

test("processes that append at once make one chain", async () => {
  await using place = new Place();
  const store = await place.open({ writer: "worker" });
  const spawn = (name: string, writer: string) =>
    Bun.spawn([process.execPath, CHILD, place.path, name, "300", writer], { stdout: "ignore", stderr: "ignore" });
  const children = [spawn("a", "worker"), spawn("b", "inline"), spawn("c", "worker")];
  for (let n = 0; n < 300; n++) await store.audit.append(someRecord({ id: `here-${n}` }));
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0]);
  expect(new Set(await idsOf(store)).size).toBe(1_200);
  expect(await store.audit.verify()).toMatchObject({ ok: true, records: 1_200, last_seq: 1_200 });
}, 120_000);

test("a process killed under load loses no record it acknowledged", async () => {
  for (const after of [1, 400, 2_000]) {
    await using place = new Place();
    await using child = Bun.spawn([process.execPath, CHILD, place.path, "k", "1000000"], {
      stdout: "pipe",
      stderr: "ignore",
    });
    let printed = "";
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += piece;
      if (printed.length > after * 7) child.kill("SIGKILL");
    }
    await child.exited;
    const acknowledged = printed.split("\n").slice(0, -1);
    expect(acknowledged.length).toBeGreaterThan(0);
    const store = await place.open();
    const present = new Set(await idsOf(store));
    expect(acknowledged.filter((id) => !present.has(id))).toEqual([]);
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    await store.audit.append(someRecord());
    expect(await store.audit.verify()).toMatchObject({ ok: true, records: present.size + 1 });
  }
}, 120_000);

const until = async (holds: () => boolean): Promise<void> => {
  for (let left = 500; left > 0 && !holds(); left--) await Bun.sleep(10);
  expect(holds()).toBe(true);
};

for (const writer of ["inline", "worker"] as const) {
  test(`${writer}: a log that cannot be written refuses, says so, and recovers`, async () => {
    await using place = new Place();
    const turns: boolean[] = [];
    const store = await place.open({ writer, onHealth: (healthy) => turns.push(healthy) });
    await store.audit.append(someRecord({ id: "before" }));
    expect(store.audit.healthy).toBe(true);
    const db = new Database(place.database);
    db.run("ALTER TABLE audit_2026_11 RENAME TO hidden");
    const refusals = [someRecord(), someRecord()].map((body) => failure(store.audit.append(body)));
    for (const refusal of await Promise.all(refusals)) expect(refusal).toBeInstanceOf(AuditUnavailable);
    expect(store.audit.healthy).toBe(false);
    db.run("ALTER TABLE hidden RENAME TO audit_2026_11");
    db.close();
    // The worker asks by itself; in a command the next record does.
    if (writer === "inline") await store.audit.append(someRecord());
    await until(() => store.audit.healthy);
    await store.audit.append(someRecord({ id: "after" }));
    expect((await idsOf(store)).at(-1)).toBe("after");
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    if (writer === "worker") expect(turns).toEqual([false, true]);
  });

  test(`${writer}: a full disk refuses, and room made later is used`, async () => {
    await using place = new Place();
    const store = await place.open({ writer });
    await store.audit.append(someRecord());
    const limit = (bytes: string) =>
      Bun.spawnSync(["prlimit", "--pid", String(process.pid), `--fsize=${bytes}:unlimited`]);
    // SQLite meets a limit on file sizes as it meets a full disk.
    if (limit("200000").exitCode !== 0) return;
    try {
      const big = Array.from({ length: 40 }, () => failure(store.audit.append(someRecord({}, 50_000))));
      expect((await Promise.all(big)).some((error) => error instanceof AuditUnavailable)).toBe(true);
      expect(store.audit.healthy).toBe(false);
    } finally {
      limit("unlimited");
    }
    if (writer === "inline") await store.audit.append(someRecord());
    await until(() => store.audit.healthy);
    await store.audit.append(someRecord({ id: "after" }));
    expect((await idsOf(store)).at(-1)).toBe("after");
    expect(await store.audit.verify()).toMatchObject({ ok: true });
  });
}

test("a change of governance whose record cannot be written is not made", async () => {
  await using place = new Place();
  const store = await place.open();
  await store.audit.append(someRecord());
  const db = new Database(place.database);
  db.run("ALTER TABLE audit_2026_11 RENAME TO hidden");
  const ann = { id: "u1", email: "a@b.c", name: null, role: "admin", state: "active", created_at: 1 } as const;
  expect(await failure(store.users.create(ann, null, someRecord()))).toBeInstanceOf(Error);
  expect(await store.users.list()).toEqual([]);
  expect(await store.changes.revision()).toBe(0);
  db.run("ALTER TABLE hidden RENAME TO audit_2026_11");
  db.close();
});

test("more waiting records than memory should hold are refused at once", async () => {
  await using place = new Place();
  const store = await place.open({ writer: "worker" });
  const body = someRecord();
  const outcomes = await Promise.allSettled(Array.from({ length: 100_010 }, () => store.audit.append(body)));
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused).toHaveLength(10);
  expect(String(refused[0]?.reason)).toContain("100000 records are waiting");
  await store.audit.append(body);
  expect(await store.audit.tail(1)).toMatchObject([{ seq: 100_001 }]);
}, 120_000);

test("a closed store refuses, and closes once", async () => {
  await using place = new Place();
  const store = await place.open({ writer: "worker" });
  const last = store.audit.append(someRecord());
  await Promise.all([store.close(), store.close()]);
  await last;
  expect(await failure(store.audit.append(someRecord()))).toBeInstanceOf(AuditUnavailable);
  expect(await (await place.open()).audit.verify()).toMatchObject({ ok: true, records: 1, checkpoints: 1 });
});

test("a checkpoint is signed every thousand records by itself", async () => {
  await using place = new Place();
  const store = await place.open({ writer: "worker" });
  await Promise.all(Array.from({ length: 5_000 }, () => store.audit.append(someRecord())));
  const { checkpoints } = await store.audit.verify();
  // One a batch at most, and a batch holds up to 4,096.
  expect(checkpoints).toBeGreaterThanOrEqual(1);
  for (let n = 0; n < 1_100; n += 100) {
    await Promise.all(Array.from({ length: 100 }, () => store.audit.append(someRecord())));
  }
  expect((await store.audit.verify()).checkpoints).toBeGreaterThan(checkpoints);
});

test("a writer thread that dies is replaced, and what it was given is refused or kept", async () => {
  await using place = new Place();
  const store = await place.open();
  const threads: Worker[] = [];
  const start = (): Worker => {
    const thread = startThread();
    threads.push(thread);
    return thread;
  };
  const { database, auditKey, nodeLogs } = store.directory;
  const writer = new AuditWriter({ database, auditKey, nodeLogs, node: null, durability: "normal" }, {}, start);
  await writer.open();
  await writer.append(someRecord({ id: "before" }));
  const inFlight = failure(writer.append(someRecord({ id: "during" })));
  await new Promise((resolve) => setImmediate(resolve));
  threads.at(-1)?.terminate();
  const lost = await inFlight;
  await until(() => !writer.healthy || lost === null);
  await writer.append(someRecord({ id: "after" }));
  expect(writer.healthy).toBe(true);
  threads.at(-1)?.terminate();
  // Nobody appends: it comes back by itself.
  await until(() => !writer.healthy);
  await until(() => writer.healthy);
  expect(threads.length).toBe(3);
  await writer.close();
  const ids = await idsOf(store);
  expect(ids.at(0)).toBe("before");
  expect(ids.at(-1)).toBe("after");
  expect(await store.audit.verify()).toMatchObject({ ok: true });
});
