import { expect, test } from "bun:test";
import fc from "fast-check";
import { Burst, SlidingSum, UsageBaseline } from "#features/restrictions/trigger-windows";
import { verifies } from "#test/support/verifies";

const MINUTE = 60_000;

/** Moments that only go on, close together and far apart. */
const steps = fc.array(
  fc.record({ after: fc.oneof(fc.nat(5_000), fc.nat(90_000), fc.nat(2_000_000)), amount: fc.nat(1_000) }),
  { minLength: 1, maxLength: 60 },
);
const momentsOf = (given: readonly { after: number; amount: number }[]) => {
  let at = 1_750_000_000_000;
  return given.map(({ after, amount }) => {
    at += after;
    return { at, amount };
  });
};

test("a sliding sum is what was added in its steps", () => {
  verifies("restriction.windows");
  fc.assert(
    fc.property(steps, fc.constantFrom(1, 2, 10, 60), fc.constantFrom(1_000, MINUTE), (given, length, step) => {
      const sum = new SlidingSum(step, length);
      const moments = momentsOf(given);
      moments.forEach(({ at, amount }, index) => {
        sum.add(at, amount);
        const oldest = Math.floor(at / step) - length;
        const within = moments.slice(0, index + 1).filter((one) => Math.floor(one.at / step) > oldest);
        expect(sum.total(at)).toBe(within.reduce((all, one) => all + one.amount, 0));
      });
    }),
  );
});

test("a clock that is set back loses nothing", () => {
  const sum = new SlidingSum(1_000, 10);
  sum.add(50_000, 1);
  sum.add(45_000, 1);
  expect([sum.total(50_000), sum.total(58_000), sum.total(61_000)]).toEqual([2, 2, 0]);
});

test("a clock that was far ahead adds nothing up for ever", () => {
  verifies("hub.clock-set-back");
  const sum = new SlidingSum(1_000, 10);
  sum.add(90_000_000, 1);
  sum.add(20_000, 1);
  expect([sum.total(20_000), sum.total(29_000)]).toEqual([2, 2]);
  for (let at = 20_000; at < 80_000; at += 1_000) sum.add(at, 1);
  expect(sum.total(79_000)).toBe(10);
});

test("a burst is full exactly when so many different things lie within its span", () => {
  verifies("restriction.windows");
  const things = fc.array(fc.record({ after: fc.nat(400), key: fc.integer({ min: 0, max: 30 }) }), { maxLength: 80 });
  fc.assert(
    fc.property(things, fc.integer({ min: 1, max: 6 }), (given, most) => {
      const burst = new Burst(most, 1_000);
      let at = 0;
      const counted: { at: number; key: string }[] = [];
      for (const { after, key: name } of given) {
        at += after;
        const key = `${name}`;
        // The same thing again, while it is among the last, is no other thing.
        const isKnown = counted.slice(-most).some((one) => one.key === key);
        if (!isKnown) counted.push({ at, key });
        const last = counted.slice(-most);
        const isFull = !isKnown && last.length === most && at - (last[0]?.at ?? 0) < 1_000;
        expect(burst.note({ at, key, id: key })).toBe(isFull);
        expect(burst.evidence.length).toBeLessThanOrEqual(most);
      }
    }),
  );
});

test("trigger baseline: 99th percentile of earlier windows, once there are twelve", () => {
  verifies("restriction.windows");
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 200 }), (amounts) => {
      const usage = new UsageBaseline();
      for (const [window, amount] of amounts.entries()) usage.add((window + 1) * 10 * MINUTE, amount);
      const earlier = amounts
        .slice(0, -1)
        .filter((amount) => amount > 0)
        .slice(-144);
      usage.add((amounts.length + 1) * 10 * MINUTE, 0);
      const all = [...earlier, ...amounts.slice(-1).filter((amount) => amount > 0)].slice(-144);
      const ranked = all.toSorted((one, other) => one - other);
      expect(usage.usual).toBe(all.length < 12 ? null : (ranked[Math.ceil(all.length * 0.99) - 1] ?? null));
    }),
  );
});

test("trigger baseline excludes windows with an alarm", () => {
  const usage = new UsageBaseline();
  for (let window = 1; window <= 12; window += 1) usage.add(window * 10 * MINUTE, 5);
  usage.add(130 * MINUTE, 5_000);
  expect([usage.current(130 * MINUTE), usage.usual]).toEqual([5_005 - 5, 5]);
  usage.discard();
  expect(usage.current(130 * MINUTE)).toBe(0);
  usage.add(140 * MINUTE, 5);
  expect(usage.usual).toBe(5);
});
