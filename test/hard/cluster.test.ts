import { afterAll, beforeAll, expect, test } from "bun:test";
import { Fleet } from "#test/simulate/cluster/fleet";
import { contained, killed, limited, type Round, restarted, revoked } from "#test/simulate/cluster/rounds";
import { verifies } from "#test/support/verifies";

/* The rounds of `bun run simulate cluster` in short, without its bounds of time. */

const OPTIONS = { calls: 40, withinMs: Number.POSITIVE_INFINITY };
let fleet: Fleet | undefined;

beforeAll(async () => {
  fleet = await Fleet.workers({ count: 3, pace: { callers: 9, pauseMs: 10 } });
}, 120_000);
afterAll(() => fleet?.[Symbol.asyncDispose](), 120_000);

const faults = async (round: Round, times: number) => {
  if (fleet === undefined) throw new Error("no hubs");
  return (await round(fleet, { times, ...OPTIONS })).faults;
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
