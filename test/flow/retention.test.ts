import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ReviewWorld, type Who } from "#test/flow/review-world";
import { beside } from "#test/support/database";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const DAY_MS = 86_400_000;
/** Longer ago than records are kept, by whole months. */
const LONG_AGO = 440 * DAY_MS;
/** Records of that time may still be there. */
const NOT_YET = 420 * DAY_MS;

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const idsOf = async (path: string, who: Who = "root"): Promise<string[]> => {
  const { json } = await world.as(who, "GET", path);
  return json.data.map(({ id }: { id: string }) => id);
};
const made = async (who: Who, path: string, body: object): Promise<string> => {
  const { status, json } = await world.as(who, "POST", path, body);
  if (status !== 201) throw new Error(JSON.stringify(json));
  return json.id;
};
const rowsOf = (db: Database, table: string): number =>
  db.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0;

/** So many calls that were held, and waited until `ago`. */
const held = (db: Database, agent: string, ago: number, many: number) => {
  const insert = db.query(`INSERT INTO hold (id, agent_id, user_id, tool, call_hash, cause, layer, event_id,
    sealed_arguments, state, created_at, expires_at) VALUES (?, ?, ?, 'mail__send', ?, 'profile', 'profile v1', ?, 'x',
    'waiting', ?, ?)`);
  const at = Date.now() - ago;
  for (let n = 0; n < many; n += 1) {
    insert.run(crypto.randomUUID(), agent, world.id("owner"), `${n}`, crypto.randomUUID(), at, at);
  }
};

test("retention deletes ended objects with their records and keeps those in force", async () => {
  verifies("retention.over");
  const agent = await world.agent("owner");
  const slowed = { kind: "rate_limited", params: { requests_per_minute: 60 }, reason: "A test." };
  const at = `/agents/${agent}/restrictions`;
  const [gone, kept] = [
    await made("root", at, { ...slowed, expires_in: "1h" }),
    await made("root", at, { ...slowed, expires_in: "1h" }),
  ];
  const holds = await made("root", at, { kind: "suspended", params: {}, reason: "Until somebody says so." });
  const lifted = await made("root", "/killswitch", { level: "model", target: "old-*", reason: "A test." });
  const on = await made("root", "/killswitch", { level: "model", target: "new-*", reason: "A test." });
  await world.as("root", "POST", `/killswitch/${lifted}/lift`, { reason: "It is over." });
  const [expired, open] = [await made("owner", "/tokens", { expires_in_days: 1 }), await made("owner", "/tokens", {})];

  beside(world.hub, (db) => {
    const [now, long] = [Date.now(), Date.now() - LONG_AGO];
    db.run("UPDATE restriction SET starts_at = ?1 - 1, expires_at = ?1 WHERE id = ?2", [long, gone]);
    db.run("UPDATE restriction SET starts_at = ?1 - 1, expires_at = ?1 WHERE id = ?2", [now - NOT_YET, kept]);
    db.run("UPDATE restriction SET starts_at = ?1 WHERE id = ?2", [long, holds]);
    db.run("UPDATE kill_switch SET set_at = ?1", [long]);
    db.run("UPDATE kill_switch SET lifted_at = ?1 WHERE id = ?2", [long, lifted]);
    db.run("UPDATE token SET created_at = ?1", [long - 1]);
    db.run("UPDATE token SET expires_at = ?1 WHERE id = ?2", [long, expired]);
    db.run("INSERT INTO token_use (token_id, at) VALUES (?1, ?2)", [expired, long]);
    db.run("INSERT INTO job (id, kind, ref, run_at, attempts) VALUES ('old', 'gone.kind', 'x', ?1, 0)", [long]);
    db.run("INSERT INTO job (id, kind, ref, run_at, attempts) VALUES ('new', 'gone.kind', 'x', ?1, 0)", [now]);
    held(db, agent, 31 * DAY_MS, 1_200);
    held(db, agent, 29 * DAY_MS, 3);
  });
  await world.hub.restart();
  await world.eventually(async () => (beside(world.hub, (db) => rowsOf(db, "hold")) === 3 ? true : null));
  await world.eventually(async () => ((await idsOf("/tokens", "owner")).includes(expired) ? null : true));
  expect(new Set(await idsOf(`${at}?limit=200`))).toEqual(new Set([kept, holds]));
  expect(await idsOf("/killswitch")).toEqual([on]);
  expect(await idsOf("/tokens", "owner")).toEqual([open]);
  expect(await idsOf("/holds?limit=200")).toHaveLength(3);
  beside(world.hub, (db) => expect(db.query("SELECT id FROM job").all()).toEqual([{ id: "new" }]));
  const records = await world.records();
  expect(records.filter(({ subject }) => subject === gone).map(({ kind }) => kind)).toContain("restriction.set");
  expect((await world.hub.cli("audit", "verify")).code).toBe(0);
});
