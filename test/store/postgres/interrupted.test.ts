import { expect, test } from "bun:test";
import { interruptedEnd } from "#audit/auditor";
import { Pool } from "#store/postgres/pool";
import { migratedDatabases } from "#test/store/postgres/databases";
import { interruptedRecord, StoringHub } from "#test/store/postgres/hubs";
import { someRecord } from "#test/store/records";
import { onPostgres } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

const START = Date.UTC(2026, 10, 3);

onPostgres("calls that a dead hub has left open", () => {
  const databases = migratedDatabases();

  test("are ended on record by another, once, and the hub that comes back has the last word", async () => {
    verifies("postgres.interrupted");
    const made = await databases();
    const url = made.cluster.url(await made.make());
    const pool = new Pool({ url, most: 2 });
    const open = (name: string, isServing = false) => StoringHub.open({ databases: made, url, name, isServing });
    await using one = await open("hub-0");
    await using other = await open("hub-1");
    await using dead = await open("hub-2", true);
    const begin = (call: string) =>
      dead.store.audit.append(someRecord({ call, phase: "request", at: START, id: `${call}-b` }));
    const end = (call: string) => dead.store.audit.append(someRecord({ call, at: START + 5, id: `${call}-e` }));
    for (const call of ["short", "cut", "answered"]) await begin(call);
    await end("short");
    await dead.ship();
    const calls = async (hub: StoringHub): Promise<string[]> => {
      const found = await hub.shipped.search({ filter: {}, scope: null }, null, { limit: 50, patienceMs: 60_000 });
      return found.rows.map(({ body }) => `${JSON.parse(body).call_id} ${JSON.parse(body).outcome}`).toSorted();
    };
    const ended = (hub: StoringHub) =>
      hub.shipping.endInterrupted(
        (request) => interruptedEnd(request, Date.now, () => crypto.randomUUID()),
        interruptedRecord,
      );
    const outcome = async (call: string): Promise<string> =>
      JSON.parse((await one.shipped.byCall(call))?.body ?? "{}").outcome;

    // It lives: the calls are its own.
    expect([await ended(one), await outcome("cut"), await calls(one)]).toEqual([0, "open", ["short answered"]]);
    await pool.plain((sql) => sql.unsafe("UPDATE node SET state = 'ended' WHERE id = 'hub-2'"));
    const counts = await Promise.all([ended(one), ended(other), ended(one), ended(other)]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    const [said] = await one.governance.tail(1);
    expect(JSON.parse(said?.body ?? "")).toMatchObject({
      kind: "node.interrupted",
      change: { detail: { node: "hub-2", calls: ["cut", "answered"] } },
    });
    expect((await one.governance.tail(9)).length).toBe(1);
    const interrupted = ["answered interrupted", "cut interrupted", "short answered"];
    expect(await calls(one)).toEqual(interrupted);
    expect(await calls(other)).toEqual(interrupted);
    expect([await outcome("cut"), await outcome("answered")]).toEqual(["interrupted", "interrupted"]);
    const shown = await one.shipped.byCall("cut");
    const { id } = JSON.parse(shown?.body ?? "{}");
    expect(shown?.node).toBe("hub-2");
    expect(JSON.parse((await one.shipped.byRecord(id))?.body ?? "{}").call_id).toBe("cut");
    await one.bind();
    for (const hub of [one, other, dead]) expect(await hub.problems()).toEqual([]);

    // It is there again: one of them it had answered, of which nobody knew, and the other it ends itself.
    await end("answered");
    await dead.store.audit.endAbandoned((request) => interruptedEnd(request, Date.now, () => "own-end"));
    await dead.ship();
    expect(await calls(one)).toEqual(["answered answered", "cut interrupted", "short answered"]);
    expect(JSON.parse((await one.shipped.byCall("cut"))?.body ?? "{}").id).toBe("own-end");
    expect([await ended(one), await ended(other)]).toEqual([0, 0]);
    await one.bind();
    for (const hub of [one, other, dead]) expect(await hub.problems()).toEqual([]);
    await pool.close();
  });
});
