import { expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { type Claim, Limiter, type Reservation } from "#guard/limits/limiter";
import { SharedLimiter } from "#guard/limits/shared-limiter";
import type { Bounds } from "#policy/profile/effective";
import { boundsOf } from "#test/guard/bounds";
import type { LendProcesses, Processes, ProcessStore } from "#test/store/processes";
import { verifies } from "#test/support/verifies";

const NOON = Date.UTC(2026, 10, 20, 12);
const LEASE_MS = 10_000;

const fail = (error: unknown): void => {
  throw error;
};

const limitersOf = async ({ clock, open }: Processes, n: number) => {
  const now = () => clock.at;
  const all: { readonly store: ProcessStore; readonly limiter: SharedLimiter }[] = [];
  for (let id = 0; id < n; id++) {
    const store = await open({ id: `${id}`, version: "test", leaseMs: LEASE_MS });
    all.push({ store, limiter: new SharedLimiter({ now, limits: store.limitUse, onFault: fail }) });
  }
  const one = (at: number) => {
    const process = all[at % n];
    if (!process) throw new Error("no process");
    return process;
  };
  return { clock, now, all, one };
};

const claimOf = (limits: Bounds, tokens = 0, id: string | null = null): Claim => ({
  ...{ agent_id: "a", limits, watched: null, tokens },
  conversation: id === null ? null : { of: "models", id },
});

/** Null for one that was refused. */
const tried = async (reserve: () => Reservation | Promise<Reservation>): Promise<Reservation | null> => {
  try {
    return await reserve();
  } catch (error) {
    if (error instanceof GuardError) return null;
    throw error;
  }
};

export const sharedLimiterContract = (name: string, lend: LendProcesses, runs: number): void => {
  test(
    `${name}: no limit is passed by calls that come to several processes at once, and none is refused below it`,
    () =>
      lend(async (processes) => {
        verifies("limits.shared");
        const { clock, one } = await limitersOf(processes, 3);
        const letIn = async (limits: Bounds, tokens = 0, talk: string | null = null) => {
          const all = Array.from({ length: 90 }, (_, at) =>
            tried(() => one(at).limiter.reserve(claimOf(limits, tokens, talk))),
          );
          return (await Promise.all(all)).filter((it) => it !== null);
        };
        expect(await letIn(boundsOf({ requests_per_minute: 40 }))).toHaveLength(40);
        clock.at += 120_000;
        expect(await letIn(boundsOf({ tokens_per_minute: 1_000 }), 30)).toHaveLength(33);
        clock.at += 86_400_000;
        expect(await letIn(boundsOf({ requests_per_day: 25 }))).toHaveLength(25);
        expect(await letIn(boundsOf({ calls_per_conversation: 12 }), 0, "talk")).toHaveLength(12);
      }),
    60_000,
  );

  test(`${name}: places of concurrent calls are those of processes that live`, () =>
    lend(async (processes) => {
      verifies("limits.shared");
      const { clock, one } = await limitersOf(processes, 2);
      const limits = boundsOf({ concurrent: 6 });
      const take = (at: number) => tried(() => one(at).limiter.reserve(claimOf(limits)));
      const taken = await Promise.all([0, 0, 0, 0, 1, 1].map(take));
      expect(taken.every((it) => it !== null)).toBe(true);
      expect(await take(0)).toBeNull();
      taken[5]?.settle(0);
      await one(1).limiter.write();
      expect(await take(0)).not.toBeNull();
      expect(await take(1)).toBeNull();
      // The first process is killed with five calls under way.
      clock.at += LEASE_MS;
      await one(1).store.nodes.renew();
      const free = await Promise.all([1, 1, 1, 1, 1, 1].map(take));
      expect(free.filter((it) => it !== null)).toHaveLength(5);
    }));

  test(`${name}: several processes decide as one would`, async () => {
    verifies("limits.shared");
    const limits = boundsOf({
      ...{ requests_per_minute: 8, tokens_per_minute: 900, requests_per_day: 40, tokens_per_day: 6_000, concurrent: 3 },
    });
    const step = fc.record({
      at: fc.nat(2),
      after: fc.integer({ min: 0, max: 25_000 }),
      tokens: fc.integer({ min: 0, max: 400 }),
      settles: fc.integer({ min: 0, max: 150 }),
      isLate: fc.boolean(),
    });
    const run = (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) =>
      lend(async (processes) => {
        const { clock, now, all, one } = await limitersOf(processes, 3);
        const alone = new Limiter({ now, spentEarlier: () => ({ requests: 0, tokens: 0 }) });
        const open: (() => Promise<void>)[] = [];
        for (const { at, after, tokens, settles, isLate } of steps) {
          clock.at += after;
          for (const { store } of all) await store.nodes.renew();
          if (isLate) await open.shift()?.();
          const { limiter } = one(at);
          const [mine, theirs] = [
            await tried(() => limiter.reserve(claimOf(limits, tokens))),
            await tried(() => alone.reserve(claimOf(limits, tokens))),
          ];
          expect(mine === null).toBe(theirs === null);
          if (mine !== null) expect(limiter.headersFor("a", limits)).toEqual(alone.headersFor("a", limits));
          const used = Math.floor((tokens * settles) / 100);
          const settle = async () => {
            mine?.settle(used);
            mine?.settle(0);
            theirs?.settle(used);
            await limiter.write();
          };
          if (isLate) open.push(settle);
          else await settle();
        }
      });
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), run), { numRuns: runs });
  }, 120_000);

  test(`${name}: an agent without limits writes nothing, and what was stored of a day counts from the first call on`, () =>
    lend(async (processes) => {
      verifies("limits.shared");
      const { one } = await limitersOf(processes, 2);
      const { store, limiter } = one(0);
      await limiter.reserve(claimOf(boundsOf({})));
      const seen: unknown[] = [];
      const look = () =>
        store.limitUse.change("a", null, (used) => {
          seen.push(used.state);
          return null;
        });
      await look();
      expect(seen).toEqual([null]);
      await store.usage.add([{ subject_id: "a", hour: NOON, counts: { calls: 4, tool_calls: 1 } }]);
      const limits = boundsOf({ requests_per_day: 6 });
      expect(await tried(() => limiter.reserve(claimOf(limits)))).not.toBeNull();
      expect(await tried(() => one(1).limiter.reserve(claimOf(limits)))).toBeNull();
    }));
};
