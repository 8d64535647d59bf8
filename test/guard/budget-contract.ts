import { expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { BudgetLimiter, type Spending } from "#guard/money/budgets";
import { type Budget, windowName, windowStart } from "#model/budget";
import type { BudgetStore } from "#store/money-port";
import type { LendProcesses, Processes, ProcessStore } from "#test/store/processes";
import { verifies } from "#test/support/verifies";

const LEASE_MS = 10_000;
const DAY_MS = 86_400_000;

const fail = (error: unknown): void => {
  throw error;
};

const hubBudget = (limit: number, period: Budget["period"] = "day"): Budget => ({
  ...{ scope: "hub", subject_id: "", period, limit },
});
const agentBudget = (limit: number): Budget => ({ scope: "agent", subject_id: "a", period: "month", limit });

type Process = { readonly store: ProcessStore; readonly limiter: BudgetLimiter };

const limiterOf = (budgets: Pick<BudgetStore, "spend" | "warn" | "forget">, now: () => number, onFault = fail) => {
  let count = 0;
  return new BudgetLimiter({
    budgets,
    now,
    ids: () => `00000000-0000-7000-8000-${String(++count).padStart(12, "0")}`,
    onFault,
  });
};

const limitersOf = async ({ clock, open }: Processes, n: number) => {
  const now = () => clock.at;
  const all: Process[] = [];
  for (let id = 0; id < n; id++) {
    const store = await open({ id: `${id}`, version: "test", leaseMs: LEASE_MS });
    all.push({ store, limiter: limiterOf(store.budgets, now) });
  }
  const one = (at: number): Process => {
    const process = all[at % n];
    if (!process) throw new Error("no process");
    return process;
  };
  return { clock, now, all, one };
};

/** Null for one that was refused. */
const tried = async (limiter: BudgetLimiter, budgets: readonly Budget[], amount: number): Promise<Spending | null> => {
  try {
    return await limiter.reserve(budgets, amount);
  } catch (error) {
    if (error instanceof GuardError && error.code === "insufficient_quota") return null;
    throw error;
  }
};

/** As a process that serves nothing sees it. */
const spentOf = async (store: Pick<ProcessStore, "budgets">, budget: Budget) => {
  let name = "";
  const all = await store.budgets.spent((now) => {
    const start = windowStart(budget.period, now);
    name = windowName(budget, start);
    return [{ name, start }];
  });
  return all.get(name) ?? { spent: 0, reserved: 0 };
};

export const budgetContract = (name: string, lend: LendProcesses, runs: number): void => {
  test(
    `${name}: three processes that spend of one budget at once never pass it, and are not refused below it`,
    () =>
      lend(async (processes) => {
        verifies("money.budgets-exact");
        const { one } = await limitersOf(processes, 3);
        const budget = hubBudget(1_000);
        const letIn = async (n: number, amount: number) => {
          const all = await Promise.all(Array.from({ length: n }, (_, at) => tried(one(at).limiter, [budget], amount)));
          return all.flatMap((it) => it ?? []);
        };
        const first = await letIn(90, 30);
        expect(first).toHaveLength(33);
        // Each cost less than it might have.
        for (const spending of first) spending.settle(10);
        for (const at of [0, 1, 2]) await one(at).limiter.write();
        expect(await spentOf(one(0).store, budget)).toEqual({ spent: 330, reserved: 0 });
        expect(await letIn(90, 10)).toHaveLength(67);
        expect(await spentOf(one(0).store, budget)).toEqual({ spent: 330, reserved: 670 });
        expect(await letIn(3, 1)).toHaveLength(0);
      }),
    60_000,
  );

  test(`${name}: what a killed process held is free when its lease ends, and what it spent stays spent`, () =>
    lend(async (processes) => {
      verifies("money.budgets-exact");
      const { clock, one } = await limitersOf(processes, 2);
      const budget = hubBudget(100);
      (await tried(one(0).limiter, [budget], 50))?.settle(20);
      await one(0).limiter.write();
      expect(await tried(one(0).limiter, [budget], 70)).not.toBeNull();
      expect(await tried(one(1).limiter, [budget], 20)).toBeNull();
      clock.at += LEASE_MS;
      await one(1).store.nodes.renew();
      expect(await tried(one(1).limiter, [budget], 80)).not.toBeNull();
      expect(await tried(one(1).limiter, [budget], 1)).toBeNull();
      // Its successor goes on where it was.
      const next = await processes.open({ id: "0", version: "test", leaseMs: LEASE_MS });
      expect(
        await tried(
          limiterOf(next.budgets, () => clock.at),
          [budget],
          1,
        ),
      ).toBeNull();
    }));

  test(`${name}: a call is under all of its budgets or under none, and a new window begins with nothing spent`, () =>
    lend(async (processes) => {
      verifies("money.budgets-exact", "money.windows");
      const { clock, all, one } = await limitersOf(processes, 2);
      clock.at = Date.UTC(2026, 10, 30, 23);
      for (const { store } of all) await store.nodes.renew();
      const [day, month] = [hubBudget(100), agentBudget(150)];
      expect(await tried(one(0).limiter, [month, day], 90)).not.toBeNull();
      expect(await tried(one(1).limiter, [month, day], 20)).toBeNull();
      // Refused by the day alone: nothing of the month was held for it.
      expect(await spentOf(one(1).store, month)).toEqual({ spent: 0, reserved: 90 });
      const late = await tried(one(1).limiter, [month, day], 10);
      clock.at += 2 * 3_600_000;
      for (const { store } of all) await store.nodes.renew();
      expect(await spentOf(one(1).store, day)).toEqual({ spent: 0, reserved: 0 });
      expect(await tried(one(0).limiter, [month, day], 100)).not.toBeNull();
      // It ends in the window that it began in.
      late?.settle(10);
      late?.settle(10);
      await one(1).limiter.write();
      expect(await spentOf(one(1).store, day)).toEqual({ spent: 0, reserved: 100 });
      expect(await spentOf(one(1).store, month)).toEqual({ spent: 0, reserved: 100 });
    }));

  test(`${name}: what was written although its answer was lost counts once`, () =>
    lend(async (processes) => {
      verifies("money.budgets-exact");
      const { clock, one } = await limitersOf(processes, 1);
      const { store } = one(0);
      let isLost = false;
      const spend: BudgetStore["spend"] = async (windows, work) => {
        await store.budgets.spend(windows, work);
        if (isLost) throw new Error("the answer was lost");
      };
      const faults: unknown[] = [];
      const budgets = {
        spend,
        warn: store.budgets.warn.bind(store.budgets),
        forget: store.budgets.forget.bind(store.budgets),
      };
      const limiter = limiterOf(
        budgets,
        () => clock.at,
        (error) => void faults.push(error),
      );
      const budget = hubBudget(100);
      const held = await tried(limiter, [budget], 60);
      isLost = true;
      await expect(limiter.reserve([budget], 10)).rejects.toMatchObject({ code: "guard_unavailable" });
      held?.settle(40);
      await expect(limiter.write()).rejects.toThrow("lost");
      isLost = false;
      await limiter.write();
      expect(await spentOf(store, budget)).toEqual({ spent: 40, reserved: 0 });
      expect(await tried(limiter, [budget], 60)).not.toBeNull();
      expect(faults.length).toBeGreaterThan(0);
    }));

  test(`${name}: each share of a window is warned of once, by one of the processes`, () =>
    lend(async (processes) => {
      verifies("money.warnings");
      const { all, one } = await limitersOf(processes, 3);
      const budget = hubBudget(1_000);
      for (let n = 0; n < 20; n++) {
        (await tried(one(n).limiter, [budget], 50))?.settle(50);
        await one(n).limiter.write();
      }
      for (const { limiter } of all) await limiter.write();
      const told = (await one(0).store.outbox.pending(100)).map(({ record }) => JSON.parse(record));
      expect(told.map(({ kind, change }) => [kind, change.detail.percent])).toEqual([
        ["budget.warn", 75],
        ["budget.warn", 95],
      ]);
      expect(told[0].change.detail).toMatchObject({ scope: "hub", period: "day", limit_usd: 0.000_001 });
    }));

  test(`${name}: several processes decide as one account would, whatever comes in between`, async () => {
    verifies("money.budgets-exact");
    const step = fc.record({
      at: fc.nat(2),
      after: fc.integer({ min: 0, max: DAY_MS / 3 }),
      amount: fc.integer({ min: 1, max: 40 }),
      settles: fc.integer({ min: 0, max: 100 }),
      isLate: fc.boolean(),
      together: fc.integer({ min: 1, max: 4 }),
    });
    const run = (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) =>
      lend(async (processes) => {
        const { clock, all, one } = await limitersOf(processes, 3);
        const budget = hubBudget(200);
        const model = new Map<number, { spent: number; reserved: number }>();
        const open: (() => Promise<void>)[] = [];
        for (const { at, after, amount, settles, isLate, together } of steps) {
          clock.at += after;
          for (const { store } of all) await store.nodes.renew();
          if (isLate) await open.shift()?.();
          const start = windowStart("day", clock.at);
          const account = model.get(start) ?? { spent: 0, reserved: 0 };
          model.set(start, account);
          const fit = Math.min(together, Math.floor((200 - account.spent - account.reserved) / amount));
          const made = await Promise.all(
            Array.from({ length: together }, (_, n) => tried(one(at + n).limiter, [budget], amount)),
          );
          const held = made.flatMap((it) => it ?? []);
          expect(held).toHaveLength(Math.max(0, fit));
          account.reserved += held.length * amount;
          const cost = Math.floor((amount * settles) / 100);
          const settle = async () => {
            for (const spending of held) spending.settle(cost);
            account.reserved -= held.length * amount;
            account.spent += held.length * cost;
            for (const { limiter } of all) await limiter.write();
          };
          if (isLate) open.push(settle);
          else await settle();
          expect(await spentOf(one(at).store, budget)).toEqual(account);
          expect(account.spent + account.reserved).toBeLessThanOrEqual(200);
        }
      });
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), run), { numRuns: runs });
  }, 120_000);
};
