import { expect, test } from "bun:test";
import fc from "fast-check";
import { BudgetLimiter } from "#guard/money/budgets";
import { BUDGET_PERIODS, type Budget, lowestBudgets, type ProfileBudget } from "#model/budget";
import { nanoOf } from "#model/money";
import { verifies } from "#test/support/verifies";

const PERIOD = fc.constantFrom(...BUDGET_PERIODS);
const USD = fc.integer({ min: 0, max: 1_000_000 });
const OWN: fc.Arbitrary<readonly ProfileBudget[]> = fc.uniqueArray(fc.record({ period: PERIOD, limit_usd: USD }), {
  selector: ({ period }) => period,
});
const SET: fc.Arbitrary<readonly Budget[]> = fc
  .uniqueArray(
    fc.record({
      scope: fc.constantFrom("agent" as const, "user" as const, "hub" as const),
      period: PERIOD,
      limit: USD.map(nanoOf),
    }),
    { selector: ({ scope, period }) => `${scope} ${period}` },
  )
  .map((budgets) => budgets.map((one) => ({ ...one, subject_id: one.scope === "hub" ? "" : `the ${one.scope}` })));

test("a call is under the lower of what is set for its agent and what its profile says, and under all others", () => {
  verifies("money.profile");
  fc.assert(
    fc.property(SET, OWN, (set, own) => {
      const unused = () => Promise.reject(new Error("not to be asked"));
      const budgets = { spend: unused, warn: unused, forget: unused };
      const limiter = new BudgetLimiter({ budgets, now: () => 0, ids: () => "id", onFault: () => undefined });
      limiter.apply({ budgets: set });
      const of = limiter.of({ user: { id: "the user" }, agent: { id: "the agent" } }, own);
      const limitsOf = (scope: string, period: string) =>
        of.filter((one) => one.scope === scope && one.period === period).map(({ limit }) => limit);
      for (const period of BUDGET_PERIODS) {
        const said = [
          ...set.filter((one) => one.scope === "agent" && one.period === period).map(({ limit }) => limit),
          ...own.filter((one) => one.period === period).map(({ limit_usd }) => nanoOf(limit_usd)),
        ];
        expect(limitsOf("agent", period)).toEqual(said.length === 0 ? [] : [Math.min(...said)]);
        for (const scope of ["user", "hub"] as const) {
          const others = set.filter((one) => one.scope === scope && one.period === period);
          expect(limitsOf(scope, period)).toEqual(others.map(({ limit }) => limit));
        }
      }
      expect(lowestBudgets(of.filter(({ scope }) => scope === "agent"))).toHaveLength(
        of.filter(({ scope }) => scope === "agent").length,
      );
    }),
  );
});
