import { expect, test } from "bun:test";
import { GuardError } from "#core/errors";
import { pacing } from "#features/oauth/fixed-window-limiter";
import { LoginThrottle } from "#identity/login-throttle";
import { SharedThrottle } from "#identity/shared-throttle";
import type { SqliteStore } from "#store/sqlite/index";
import { Place } from "#test/store/directory";
import { verifies } from "#test/support/verifies";

const MINUTE_MS = 60_000;

/** Two processes' stores, and a clock that the test moves. */
const two = async (place: Place) => {
  const clock = { at: 100 * MINUTE_MS };
  const joined = (id: string) => ({ id, version: "test", leaseMs: 10_000, isAlone: false });
  const open = (id: string) => place.open({ node: joined(id), now: () => clock.at });
  const stores: readonly [SqliteStore, SqliteStore] = [await open("0"), await open("1")];
  return { clock, now: () => clock.at, stores };
};

/** How often it went through, of so many at once over both. */
const passed = async (n: number, of: (at: number) => Promise<unknown> | unknown): Promise<number> => {
  const outcomes = await Promise.allSettled(Array.from({ length: n }, async (_, at) => of(at)));
  for (const one of outcomes) if (one.status === "rejected" && !(one.reason instanceof GuardError)) throw one.reason;
  return outcomes.filter((one) => one.status === "fulfilled" && one.value !== false).length;
};

test("what is good once is good once in all processes, until it has had its time", async () => {
  verifies("node.shared-counts");
  await using place = new Place();
  const { clock, stores } = await two(place);
  const use = (at: number) => stores[at % 2 === 0 ? 0 : 1].shared.useOnce("oidc", "state-1", clock.at + 10);
  expect(await passed(64, use)).toBe(1);
  expect(await stores[1].shared.useOnce("oidc", "state-2", clock.at + 10)).toBe(true);
  expect(await stores[1].shared.useOnce("other", "state-1", clock.at + 10)).toBe(true);
  clock.at += 10;
  expect(await stores[0].shared.useOnce("oidc", "state-1", clock.at + 10)).toBe(true);
});

test("a pace holds for all processes together, by network and in all", async () => {
  verifies("node.shared-counts");
  await using place = new Place();
  const { clock, now, stores } = await two(place);
  const pacers = stores.map(({ shared, nodes }) => pacing({ now, shared, nodes })("token", { each: 5, all: 8 }));
  const step = (network: string) => (at: number) => pacers[at % 2]?.step(network);
  expect(await passed(20, step("a"))).toBe(5);
  expect(await passed(20, step("b"))).toBe(3);
  clock.at += MINUTE_MS;
  expect(await passed(20, step("b"))).toBe(5);
});

test("who guesses at several processes waits as at one", async () => {
  verifies("node.shared-counts");
  await using place = new Place();
  const { clock, now, stores } = await two(place);
  const shared = stores.map((store) => new SharedThrottle(store.shared, now));
  const alone = new LoginThrottle(now);
  const outcome = async (work: () => Promise<void> | void): Promise<string> => {
    try {
      await work();
      return "passes";
    } catch (error) {
      if (error instanceof GuardError) return `waits ${error.headers?.["retry-after"]}`;
      throw error;
    }
  };
  // A fixed order of steps: guesses by two addresses at two accounts, some right, time that passes.
  for (let n = 0; n < 120; n++) {
    const [account, address] = [`a${n % 3}@example.org`, n % 4 === 0 ? "192.0.2.1" : "192.0.2.2"];
    const one = shared[n % 2];
    expect([n, await outcome(() => one?.begin(account, address))]).toEqual([
      n,
      await outcome(() => alone.begin(account, address)),
    ]);
    if (n % 17 === 16) {
      await one?.succeeded(account, address);
      alone.succeeded(account, address);
    }
    clock.at += n % 7 === 0 ? 3_000 : 100;
  }
  clock.at += 61 * MINUTE_MS;
  expect(await outcome(() => shared[0]?.begin("a0@example.org", "192.0.2.2"))).toBe("passes");
});
