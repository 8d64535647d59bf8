import { afterAll, beforeAll, expect, test } from "bun:test";
import { databaseRestarted, partitioned } from "#test/simulate/cluster/database-rounds";
import { Fleet } from "#test/simulate/cluster/fleet";
import { contained, heldUp, killed, limited, type Round, restarted, revoked } from "#test/simulate/cluster/rounds";
import { onPostgres } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

/* The rounds of `bun run simulate cluster` in short, without its bounds of time. */

const OPTIONS = { calls: 40, withinMs: Number.POSITIVE_INFINITY };
let fleet: Fleet | undefined;

beforeAll(async () => {
  fleet = await Fleet.workers({ count: 3, pace: { callers: 9, pauseMs: 10 } });
}, 120_000);
afterAll(() => fleet?.[Symbol.asyncDispose](), 120_000);

const faults = async (round: Round, times: number, hubs = fleet) => {
  if (hubs === undefined) throw new Error("no hubs");
  return (await round(hubs, { times, ...OPTIONS })).faults;
};

test("one process after the other is killed under load: the others answer, and each answered call has its record", async () => {
  verifies("cluster.killed");
  expect(await faults(killed, 2)).toEqual([]);
}, 180_000);

test("processes are restarted one after the other under load, and no call is broken off", async () => {
  verifies("cluster.restarted");
  expect(await faults(restarted, 1)).toEqual([]);
}, 180_000);

test("a token that is revoked at one process, a kill switch and a limit hold at each under load", async () => {
  verifies("cluster.revoked");
  expect(await faults(revoked, 3)).toEqual([]);
  expect(await faults(contained, 2)).toEqual([]);
  expect(await faults(limited, 1)).toEqual([]);
}, 180_000);

test("a process that was held up serves nothing that was revoked at another meanwhile", async () => {
  verifies("cluster.recent");
  expect(await faults(heldUp, 2)).toEqual([]);
}, 180_000);

onPostgres("hubs on one PostgreSQL", () => {
  let hubs: Fleet | undefined;
  beforeAll(async () => {
    hubs = await Fleet.postgres({ count: 3, pace: { callers: 9, pauseMs: 10 } });
  }, 180_000);
  afterAll(() => hubs?.[Symbol.asyncDispose](), 120_000);

  test("one is killed, PostgreSQL crashes, one is cut off: what may be answered is, and each has its record", async () => {
    verifies("cluster.database", "cluster.recent");
    expect(await faults(killed, 1, hubs)).toEqual([]);
    expect(await faults(databaseRestarted, 1, hubs)).toEqual([]);
    expect(await faults(partitioned, 1, hubs)).toEqual([]);
    expect(await faults(revoked, 2, hubs)).toEqual([]);
    expect(await faults(heldUp, 2, hubs)).toEqual([]);
  });
});
