import { expect, test } from "bun:test";
import { GuardError } from "#core/errors";
import { pacing } from "#features/oauth/fixed-window-limiter";
import { LoginThrottle } from "#identity/login-throttle";
import { SharedThrottle } from "#identity/shared-throttle";
import type { LendProcesses, Processes, ProcessStore } from "#test/store/processes";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const LEASE_MS = 10_000;
const MINUTE_MS = 60_000;

const joining = (id: string) => ({ id, version: "test", leaseMs: LEASE_MS });

type Trio = readonly [ProcessStore, ProcessStore, ProcessStore];

const three = async ({ open }: Processes): Promise<Trio> => [
  await open(joining("0")),
  await open(joining("1")),
  await open(joining("2")),
];

const renewed = async (stores: readonly ProcessStore[]): Promise<void> => {
  for (const store of stores) expect(await store.nodes.renew()).toBe(true);
};

const held = (stores: readonly ProcessStore[], name: string) =>
  Promise.all(stores.map((store) => store.nodes.holds(name)));

const statesIn = async (store: ProcessStore): Promise<string[]> =>
  (await store.nodes.list()).map(({ id, epoch, state }) => `${id}/${epoch} ${state}`);

export const nodeContract = (name: string, lend: LendProcesses): void => {
  test(`${name}: one node at a time holds a lease, for as long as it lives`, () =>
    lend(async (processes) => {
      verifies("node.one-at-a-time");
      const { clock } = processes;
      const stores = await three(processes);
      const asked = await held(stores, "retention");
      expect(asked.filter(Boolean)).toHaveLength(1);
      const others = stores.filter((_, at) => !asked[at]);
      for (let n = 0; n < 5; n++) {
        clock.at += LEASE_MS / 2;
        await renewed(stores);
        expect(await held(stores, "retention")).toEqual(asked);
      }
      // Who gives it back may have it again, as any other.
      await Promise.all(stores.map((store) => store.nodes.release("reports")));
      expect(await others[1]?.nodes.holds("reports")).toBe(true);
      expect(await stores[asked.indexOf(true)]?.nodes.holds("reports")).toBe(false);
      await Promise.all([stores[asked.indexOf(true)], others[0]].map((store) => store?.nodes.release("reports")));
      expect(await others[0]?.nodes.holds("reports")).toBe(false);
      await others[1]?.nodes.release("reports");
      expect(await others[0]?.nodes.holds("reports")).toBe(true);
      // Of what somebody else does nothing is said.
      expect(await others[0]?.nodes.holds("backups")).toBe(true);
      clock.at += LEASE_MS;
      await renewed(others);
      const after = await held(others, "retention");
      expect(after.filter(Boolean)).toHaveLength(1);
      expect(await stores[asked.indexOf(true)]?.nodes.holds("retention")).toBe(false);
      // Who leaves in order leaves it at once.
      await others[after.indexOf(true)]?.close();
      expect(await others[after.indexOf(false)]?.nodes.holds("retention")).toBe(true);
    }));

  test(`${name}: a node whose lease has ended is ended by one of the others, and holds nothing any more`, () =>
    lend(async (processes) => {
      verifies("node.take-over");
      const { clock } = processes;
      const [dead, one, other] = await three(processes);
      expect(await dead.nodes.holds("retention")).toBe(true);
      expect(await one.nodes.endSilent()).toEqual([]);
      clock.at += LEASE_MS;
      await renewed([one, other]);
      const said = await Promise.all([one, other, one, other].map((store) => store.nodes.endSilent()));
      expect(said.flat()).toEqual([{ id: "0", epoch: 1 }]);
      expect(await statesIn(one)).toEqual(["0/1 ended", "1/1 live", "2/1 live"]);
      expect(await other.nodes.holds("retention")).toBe(true);
      const [crash, ...more] = await other.nodes.crashes();
      if (crash === undefined) throw new Error("no crash");
      expect([crash, ...more]).toEqual([
        { id: "0", epoch: 1, heard_at: clock.at - LEASE_MS, until: clock.at, has_usage: false, has_events: false },
      ]);
      await one.nodes.recovered(crash, "has_events");
      expect(await one.nodes.crashes()).toEqual([{ ...crash, has_events: true }]);
      await one.nodes.recovered(crash, "has_usage");
      expect(await one.nodes.crashes()).toEqual([]);
      // It stood still and wakes up.
      expect(await dead.nodes.renew()).toBe(false);
      expect(await dead.nodes.holds("backups")).toBe(false);
      const again = await processes.open(joining("0"));
      expect(again.nodes.self).toMatchObject({ id: "0", epoch: 2 });
      expect(await again.nodes.renew()).toBe(true);
      expect(await dead.nodes.renew()).toBe(false);
    }));

  test(`${name}: of the same id each start is another epoch, also of two at once`, () =>
    lend(async (processes) => {
      const started = await Promise.all([1, 2, 3].map(() => processes.open(joining("0"))));
      expect(started.map(({ nodes }) => nodes.self?.epoch).sort()).toEqual([1, 2, 3]);
      const lives = await Promise.all(started.map(({ nodes }) => nodes.renew()));
      expect(lives.filter(Boolean)).toHaveLength(1);
      expect(started[lives.indexOf(true)]?.nodes.self?.epoch).toBe(3);
    }));

  test(`${name}: something holds everywhere once the last node that lives has said so`, () =>
    lend(async (processes) => {
      const { clock } = processes;
      const stores = await three(processes);
      const [one, other, third] = stores;
      expect(await one.nodes.contains("r1", ["calls", "tools"])).toEqual({ points: [], nodes: ["0", "1", "2"] });
      expect((await other.nodes.contains("r1", ["calls"])).points).toEqual([]);
      expect((await third.nodes.contains("r1", ["calls", "tools"])).points).toEqual(["calls"]);
      // All at once: the last of them sees the others.
      const said = await Promise.all(stores.map(({ nodes }) => nodes.contains("r2", ["calls"])));
      expect(said.filter(({ points }) => points.length === 1).length).toBeGreaterThan(0);
      clock.at += LEASE_MS;
      await renewed([one, other]);
      expect(await other.nodes.contains("r1", ["tools"])).toEqual({ points: ["tools"], nodes: ["0", "1"] });
    }));

  test(`${name}: commands wait for the nodes that live`, () =>
    lend(async (processes) => {
      const { clock, open } = processes;
      const [one, other] = [await open(joining("0")), await open(joining("1"))];
      const command = await open(null);
      expect(await command.changes.acknowledged()).toBe(0);
      await one.changes.acknowledge("0/1", 7);
      expect(await command.changes.acknowledged()).toBe(0);
      await other.changes.acknowledge("1/1", 5);
      expect(await command.changes.acknowledged()).toBe(5);
      clock.at += LEASE_MS;
      await one.nodes.renew();
      expect(await command.changes.acknowledged()).toBe(7);
    }));

  test(`${name}: a node that does not live can be removed`, () =>
    lend(async (processes) => {
      const one = await processes.open(joining("0"));
      const command = await processes.open(null);
      expect(await command.nodes.remove("7", someRecord())).toBe("missing");
      expect(await command.nodes.remove("0", someRecord())).toBe("live");
      await one.nodes.listens("http://127.0.0.1:1");
      expect((await command.nodes.list())[0]).toMatchObject({ address: "http://127.0.0.1:1", state: "live" });
      await one.close();
      expect(await command.nodes.remove("0", someRecord())).toBe("done");
      expect(await command.nodes.list()).toEqual([]);
    }));

  sharedContract(name, lend);
};

/** How often it went through, of so many at once over all. */
const passed = async (n: number, of: (at: number) => Promise<unknown> | unknown): Promise<number> => {
  const outcomes = await Promise.allSettled(Array.from({ length: n }, async (_, at) => of(at)));
  for (const one of outcomes) if (one.status === "rejected" && !(one.reason instanceof GuardError)) throw one.reason;
  return outcomes.filter((one) => one.status === "fulfilled" && one.value !== false).length;
};

const outcomeOf = async (work: () => Promise<void> | void): Promise<string> => {
  try {
    await work();
    return "passes";
  } catch (error) {
    if (error instanceof GuardError) return `waits ${error.headers?.["retry-after"]}`;
    throw error;
  }
};

const sharedContract = (name: string, lend: LendProcesses): void => {
  test(`${name}: what is good once is good once in all processes, until it has had its time`, () =>
    lend(async (processes) => {
      verifies("node.shared-counts");
      const { clock } = processes;
      const stores = await three(processes);
      const [one, other] = stores;
      const use = (at: number) => (stores[at % 3] ?? one).shared.useOnce("oidc", "state-1", clock.at + 10);
      expect(await passed(64, use)).toBe(1);
      expect(await other.shared.useOnce("oidc", "state-2", clock.at + 10)).toBe(true);
      expect(await other.shared.useOnce("other", "state-1", clock.at + 10)).toBe(true);
      clock.at += 10;
      expect(await passed(64, use)).toBe(1);
    }));

  test(`${name}: a pace holds for all processes together, by network and in all`, () =>
    lend(async (processes) => {
      verifies("node.shared-counts");
      const { clock } = processes;
      const pacers = (await three(processes)).map(({ shared, nodes }) =>
        pacing({ now: () => clock.at, shared, nodes })("token", { each: 5, all: 8 }),
      );
      const step = (network: string) => (at: number) => pacers[at % 3]?.step(network);
      expect(await passed(20, step("a"))).toBe(5);
      expect(await passed(20, step("b"))).toBe(3);
      clock.at += MINUTE_MS;
      expect(await passed(20, step("b"))).toBe(5);
    }));

  test(`${name}: who guesses at several processes waits as at one`, () =>
    lend(async (processes) => {
      verifies("node.shared-counts");
      const { clock } = processes;
      const shared = (await three(processes)).map((store) => new SharedThrottle(store.shared));
      const alone = new LoginThrottle(() => clock.at);
      // A fixed order of steps: guesses by two addresses at two accounts, some right, time that passes.
      for (let n = 0; n < 120; n++) {
        const [account, address] = [`a${n % 3}@example.org`, n % 4 === 0 ? "192.0.2.1" : "192.0.2.2"];
        const one = shared[n % 2];
        expect([n, await outcomeOf(() => one?.begin(account, address))]).toEqual([
          n,
          await outcomeOf(() => alone.begin(account, address)),
        ]);
        if (n % 17 === 16) {
          await one?.succeeded(account, address);
          alone.succeeded(account, address);
        }
        clock.at += n % 7 === 0 ? 3_000 : 100;
      }
      clock.at += 61 * MINUTE_MS;
      expect(await outcomeOf(() => shared[0]?.begin("a0@example.org", "192.0.2.2"))).toBe("passes");
    }));

  test(`${name}: of many guesses at once no more pass than at one process`, () =>
    lend(async (processes) => {
      verifies("node.shared-counts");
      const stores = await three(processes);
      const alone = new LoginThrottle(() => processes.clock.at);
      const shared = stores.map((store) => new SharedThrottle(store.shared));
      const most = await passed(60, () => alone.begin("ann@example.org", "192.0.2.1"));
      expect(await passed(60, (at) => shared[at % 3]?.begin("ann@example.org", "192.0.2.1"))).toBe(most);
    }));
};
