import { expect, test } from "bun:test";
import fc from "fast-check";
import { Asked, type Steps, Together, together } from "#store/db";
import { verifies } from "#test/support/verifies";

/** Asks so many times, each time for what the answers before add up to. */
function* adding(times: number): Steps<number> {
  let sum = 0;
  for (let time = 0; time < times; time++) {
    const asked = new Asked<number>(
      () => {
        throw new Error("carried out by the test");
      },
      { sum },
    );
    yield asked;
    sum += asked.rows[0] ?? Number.NaN;
  }
  return sum;
}

test("statements that do not need each other's answers are asked for in as many turns as the longest of them takes", () => {
  verifies("cluster.recent");
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.nat(6), { noNullPrototype: true }), (wanted) => {
      const steps = together<Record<string, number>>(
        Object.fromEntries(Object.entries(wanted).map(([name, times]) => [name, adding(times)])),
      );
      let turns = 0;
      let turn = steps.next();
      for (; !turn.done; turn = steps.next()) {
        turns += 1;
        expect(turn.value).toBeInstanceOf(Together);
        const asked = turn.value instanceof Together ? turn.value.steps : [];
        for (const one of asked) if (one instanceof Asked) one.rows = [Number(one.values["sum"]) + 1];
      }
      const sums = Object.fromEntries(Object.entries(wanted).map(([name, times]) => [name, 2 ** times - 1]));
      expect({ ...turn.value }).toEqual(sums);
      expect(turns).toBe(Math.max(0, ...Object.values(wanted)));
    }),
  );
});
