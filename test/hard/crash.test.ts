import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { beside } from "#test/support/database";
import { FakeProvider, hangs, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { isWhole, Ledger } from "./ledger";

const EVE = "eve@example.com";
const CALLERS = 32;
const ROUNDS = 6;

let hub: Hub;
let provider: FakeProvider;
let token: string;

beforeAll(async () => {
  provider = await FakeProvider.start();
  const answer = says("one two three four five six seven eight nine ten", { gapMs: 4 });
  provider.always((asking) => (asking.model === "silent-model" ? hangs() : answer)(asking));
  hub = await Hub.create({ processes: "hub" });
  await hub.createUser(EVE);
  token = (await hub.createToken(EVE)).token;
  await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-model", "silent-model"] });
  await hub.start();
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** What a client knows of one call: how far the answer came before the connection broke. */
type Seen = { readonly id: string; readonly stream: boolean; whole: boolean };

/** Callers that go on until the hub is gone; every second one streams. */
const load = (seen: Seen[]): Promise<unknown> => {
  const call = async (stream: boolean): Promise<void> => {
    const json = { model: "fake-model", stream, messages: [{ role: "user", content: "hello" }] };
    const response = await hub.fetch("/v1/chat/completions", { token, json });
    expect(response.status).toBe(200);
    const one: Seen = { id: response.headers.get("x-request-id") ?? "", stream, whole: false };
    seen.push(one);
    const text = await response.text();
    if (stream) one.whole = text.endsWith("data: [DONE]\n\n");
    else one.whole = JSON.parse(text).choices[0].finish_reason === "stop";
  };
  const caller = async (_: unknown, at: number): Promise<void> => {
    for (;;) {
      try {
        await call(at % 2 === 0);
      } catch (error) {
        // The killed hub's connections break in several ways; an assertion that failed is none of them.
        if (error instanceof Error && /expect\(/.test(error.message)) throw error;
        return;
      }
    }
  };
  return Promise.all(Array.from({ length: CALLERS }, caller));
};

/** A whole answer that does not come; waits until the hub has written down that it is under way (the record of the
 * provider's models names the model too, and is none). */
const silence = async (): Promise<void> => {
  const json = { model: "silent-model", messages: [{ role: "user", content: "hello" }] };
  hub.fetch("/v1/chat/completions", { token, json }).catch(() => undefined);
  const isOnRecord = () =>
    beside(hub, (db) => {
      const month = db.query<{ name: string }, []>(`SELECT name FROM audit_partition WHERE name = ${MONTH}`).get();
      return db.query(`SELECT 1 FROM ${month?.name} WHERE body LIKE '%"model":"silent-model"%'`).get() !== null;
    });
  for (const end = performance.now() + 60_000; !isOnRecord() && performance.now() < end; ) await Bun.sleep(50);
};

test(`killed ${ROUNDS} times or more under load, the hub has lost no record of an answered call, and ends what it left open`, async () => {
  verifies("crash.no-loss", "crash.interrupted", "audit.chain");
  const seen: Seen[] = [];
  const isWorthIt = async () => {
    const records = [...(await Ledger.of(hub)).calls().values()].flat();
    const cut = records.filter(({ outcome }) => outcome === "interrupted").length;
    const whole = [true, false].map((stream) => seen.filter((one) => one.whole && one.stream === stream).length);
    return [cut, ...whole].every((count) => count > ROUNDS * 5);
  };
  for (let round = 0; round < ROUNDS || (round < ROUNDS * 3 && !(await isWorthIt())); round += 1) {
    const before = seen.length;
    const loading = load(seen);
    if (round === 0) await silence();
    while (seen.length < before + CALLERS) await Bun.sleep(5);
    await Bun.sleep(Math.random() * 400);
    expect(await hub.kill("SIGKILL")).toBe("SIGKILL");
    await loading;
    // Before anything is mended, what is there is whole.
    expect([round, await isWhole(hub)]).toEqual([round, true]);
    await hub.start();
    expect([round, await isWhole(hub)]).toEqual([round, true]);
  }

  const calls = (await Ledger.of(hub)).calls();
  const outcomeOf = (id: string) =>
    calls
      .get(id)
      ?.filter(({ phase }) => phase === "final")
      .map(({ outcome }) => outcome);
  const lost = seen.filter(({ id, whole }) => whole && outcomeOf(id)?.join() !== "answered");
  expect(lost).toEqual([]);
  // Whatever a client has seen the beginning of is there, and a stream was there before.
  const began = (id: string) => calls.get(id)?.some(({ phase }) => phase === "request") === true;
  expect(seen.filter(({ id, stream }) => !calls.has(id) || (stream && !began(id)))).toEqual([]);
  const ends = [...calls.values()].map((entries) =>
    entries.filter(({ phase }) => phase === "final").map(({ outcome }) => outcome),
  );
  expect(ends.filter((outcomes) => outcomes.length !== 1)).toEqual([]);
  expect(new Set(ends.flat())).toEqual(new Set(["answered", "interrupted"]));
  const silent = [...calls.values()].flat().filter(({ call }) => call?.model === "silent-model");
  expect(silent.map(({ outcome }) => outcome)).toEqual(["open", "interrupted"]);
  // The rounds were worth their name: answers of both kinds, and calls that were cut off.
  const whole = seen.filter((one) => one.whole);
  expect(whole.filter(({ stream }) => stream).length).toBeGreaterThan(ROUNDS * 5);
  expect(whole.filter(({ stream }) => !stream).length).toBeGreaterThan(ROUNDS * 5);
  expect(ends.filter(([outcome]) => outcome === "interrupted").length).toBeGreaterThan(ROUNDS * 5);
}, 300_000);

test("ended in order, calls under way are answered to their end, and new ones refused", async () => {
  verifies("crash.no-loss");
  provider.always(says("one two three four five six seven eight nine ten", { gapMs: 30 }));
  const before = provider.calls.length;
  const calls = Array.from({ length: CALLERS }, async (_, at) => {
    const json = { model: "fake-model", stream: at % 2 === 0, messages: [{ role: "user", content: "hello" }] };
    const response = await hub.fetch("/v1/chat/completions", { token, json });
    return { status: response.status, id: response.headers.get("x-request-id") ?? "", text: await response.text() };
  });
  await provider.call(before + CALLERS - 1, 30_000);
  const [ended, ...answers] = await Promise.all([hub.kill("SIGTERM"), ...calls]);
  expect(ended).toBe(0);
  expect(answers.map(({ status }) => status)).toEqual(Array(CALLERS).fill(200));
  expect(answers.filter(({ text }) => !text.includes("ten"))).toEqual([]);
  const ledger = await Ledger.of(hub);
  const recorded = ledger.calls();
  for (const { id } of answers) {
    expect(
      recorded
        .get(id)
        ?.filter(({ phase }) => phase === "final")
        .map(({ outcome }) => outcome),
    ).toEqual(["answered"]);
  }
  expect(ledger.entries.at(-1)).toMatchObject({ kind: "system.stop" });
  expect(await isWhole(hub)).toBe(true);
}, 240_000);

const MONTH = "(SELECT name FROM audit_partition ORDER BY first_seq DESC LIMIT 1)";

/** What somebody with the database in their hands might do to it. `T` stands for the month's table. */
const tamperings: Record<string, string> = {
  "an outcome changed":
    'UPDATE T SET body = replace(body, \'"outcome":"interrupted"\', \'"outcome":"answered"\') WHERE seq = (SELECT max(seq) FROM T WHERE outcome = \'interrupted\')',
  "the column beside a record changed":
    "UPDATE T SET outcome = 'answered' WHERE seq = (SELECT max(seq) FROM T WHERE outcome = 'interrupted')",
  "a record's time changed": "UPDATE T SET at = at + 1 WHERE seq = 5",
  "a record removed": "DELETE FROM T WHERE seq = 7",
  "the first record removed": "DELETE FROM T WHERE seq = 1",
  "the last records removed": "DELETE FROM T WHERE seq > (SELECT max(seq) - 3 FROM T)",
  "all records removed": "DELETE FROM T",
  "two records exchanged":
    "UPDATE T SET body = CASE seq WHEN 8 THEN (SELECT body FROM T WHERE seq = 9) ELSE (SELECT body FROM T WHERE seq = 8) END WHERE seq IN (8, 9)",
  "a record's hash changed": "UPDATE T SET hash = prev_hash WHERE seq = 9",
  "the month's table removed": "DROP TABLE T",
  "a signature changed": "UPDATE audit_checkpoint SET signature = 'AAAA' || substr(signature, 5)",
  "a checkpoint moved": "UPDATE audit_checkpoint SET hash = (SELECT hash FROM T WHERE seq = 1)",
};

test("whatever is changed in the database by hand, verify finds it and ends with 8", async () => {
  verifies("audit.chain");
  await using copy = await Hub.create({ processes: "all" });
  const restore = () => cp(hub.dataDir, copy.dataDir, { recursive: true, force: true });
  await restore();
  expect((await copy.cli("audit", "verify")).code).toBe(0);
  for (const [name, sql] of Object.entries(tamperings)) {
    const db = new Database(join(copy.dataDir, "guardhouse.db"));
    const month = db.query<{ name: string }, []>(`SELECT name FROM audit_partition WHERE name = ${MONTH}`).get()?.name;
    const { changes } = db.run(sql.replaceAll(/\bT\b/g, month ?? ""));
    // Nothing is left in the WAL, so that putting the copy back puts all of it back.
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    expect([name, changes > 0 || sql.startsWith("DROP")]).toEqual([name, true]);
    const { code, stdout } = await copy.cli("audit", "verify");
    expect([name, code]).toEqual([name, 8]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false });
    await restore();
  }
  expect((await copy.cli("audit", "verify")).code).toBe(0);
}, 240_000);
