import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { failure } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { APPROVED, DRAFT, HELD, KEPT, KILLED, profileOf, SLOWED, withAgents } from "#test/store/governed";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

type Added = { readonly subject_id: string; readonly hour: number; readonly counts: Readonly<Record<string, number>> };

const added: fc.Arbitrary<Added> = fc.record({
  subject_id: fc.constantFrom("a1", "u1", "__proto__"),
  hour: fc.constantFrom(0, 3_600_000, 7_200_000),
  // Names come from outside: those that objects have of their own are counted like any other.
  counts: fc.dictionary(
    fc.constantFrom("calls", "__proto__", "constructor", "model:é"),
    fc.integer({ min: 0, max: 1e9 }),
  ),
});

/** Each count by itself, the simplest way. */
const totals = (hours: readonly Added[]): string[] => {
  const sums = new Map<string, number>();
  for (const { subject_id, hour, counts } of hours) {
    for (const [name, count] of Object.entries(counts)) {
      const key = `${hour} ${subject_id} ${name}`;
      sums.set(key, (sums.get(key) ?? 0) + count);
    }
  }
  return [...sums].map(([key, sum]) => `${key} ${sum}`).sort();
};

test("usage is the sum of what was added, however it was split among batches and processes", async () => {
  verifies("agents.usage-sums");
  await using place = new Place();
  const stores = [await place.open(), await place.open()];
  const batches = fc.array(fc.tuple(fc.nat(1), fc.array(added, { maxLength: 5 })), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      await Promise.all(given.map(([at, hours]) => stores[at]?.usage.add(hours)));
      const found = (await stores[0]?.usage.readAll(0, Number.MAX_SAFE_INTEGER)) ?? [];
      expect(totals(found)).toEqual(totals(given.flatMap(([, hours]) => hours)));
      expect(new Set(found.map((it) => `${it.hour} ${it.subject_id}`)).size).toBe(found.length);
      await stores[1]?.usage.dropBefore(Number.MAX_SAFE_INTEGER);
    }),
    { numRuns: 60 },
  );
});

test("an approval is used once among processes, and one of two reviewers' saves counts", async () => {
  verifies("agents.hold-once", "agents.review-cas");
  await using place = new Place();
  const [one, two] = [await place.open({ writer: "worker" }), await place.open()];
  await withAgents(one);
  await one.reviews.create(DRAFT, {}, someRecord());
  const saves = [one, two].map((store) => store.reviews.save({ ...DRAFT, revision: 2 }, 1, { record: someRecord() }));
  expect((await Promise.all(saves)).sort()).toEqual([false, true]);
  await one.holds.create(HELD, someRecord());
  await two.holds.decide("h1", { state: "approved", by: "u2", at: 50 }, someRecord());
  const uses = [one, two, one, two].map((store) => store.holds.use("h1", 60, someRecord()));
  expect((await Promise.all(uses)).sort()).toEqual([false, false, false, true]);
  expect(await one.audit.verify()).toMatchObject({ ok: true });
});

test("counters written during calls wait for no lock", async () => {
  verifies("agents.usage-waits-for-nobody");
  await using place = new Place();
  const store = await place.open({ durability: "full" });
  await withAgents(store);
  using db = new Database(place.database);
  db.run("BEGIN IMMEDIATE");
  const began = performance.now();
  const writes = Promise.all([
    store.usage.add([{ subject_id: "a1", hour: 0, counts: { calls: 1 } }]),
    store.watch.put([{ agent_id: "a1", state: { score: 1 }, at: 1, band: null, drift_status: "stable" }]),
    store.content.keep([KEPT]),
  ]);
  // Each gave up the thread after a few milliseconds: whoever waits for a lock here waits five seconds.
  expect(performance.now() - began).toBeLessThan(4_000);
  expect(await Promise.race([writes, Bun.sleep(50).then(() => "waiting")])).toBe("waiting");
  db.run("COMMIT");
  await writes;
  expect(await store.usage.read("a1", 0, 1)).toEqual([{ hour: 0, counts: { calls: 1 } }]);
  expect(await store.watch.get("a1")).toEqual({ score: 1 });
  expect(await store.content.ofCall("call-1")).toEqual([KEPT]);
});

const damages = {
  "UPDATE profile SET body = json_set(body, '$.mode', 'off')": "body of profile f1",
  "UPDATE profile SET body = json_set(body, '$.extra', 1)": "body of profile f1",
  "UPDATE profile SET approved_by = '{}'": "approvers of profile f1",
  "UPDATE review SET answers = json_remove(answers, '$.purpose')": "answers of review r1",
  'UPDATE review SET risk = \'{"tier":"none"}\'': "risk of review r1",
  "UPDATE review SET changes = '[1]'": "changes of review r1",
  "UPDATE review SET eligible = '\"u1\"'": "eligible reviewers of review r1",
  "UPDATE restriction SET kind = 'model_restricted'": "params of restriction x1",
  'UPDATE restriction SET params = \'{"requests_per_minute":"5"}\'': "params of restriction x1",
  "UPDATE restriction SET trigger_ = '[]'": "trigger of restriction x1",
  "UPDATE restriction SET receipts = '[{}]'": "receipts of restriction x1",
  "UPDATE kill_switch SET receipts = 'null'": "receipts of kill switch k1",
  'UPDATE usage_hour SET counts = \'{"calls":"1"}\'': "usage of a1 in hour 0",
};

test.each(Object.entries(damages))("damaged stored policies are refused: %s", async (damage, what) => {
  verifies("agents.damage-refused");
  await using place = new Place();
  const store = await place.open();
  await withAgents(store);
  await store.reviews.create(APPROVED, {}, someRecord());
  await store.profiles.publish("a1", { profile: profileOf(1), agent: {} }, someRecord());
  await store.restrictions.set(SLOWED, someRecord());
  await store.killSwitches.on(KILLED, someRecord());
  await store.usage.add([{ subject_id: "a1", hour: 0, counts: { calls: 1 } }]);
  const readings = async () => {
    await store.changes.changesSince(0);
    await store.reviews.byId("r1");
    await store.usage.read("a1", 0, 1);
  };
  expect(await failure(readings())).toBeNull();
  using db = new Database(place.database);
  expect(db.run(damage).changes).toBe(1);
  expect((await failure(readings()))?.message).toContain(what);
  // Not kept inside a transaction: the next change works.
  expect(await store.agents.update("a1", { description: "x" }, someRecord())).toBe(true);
});
