import { expect, test } from "bun:test";
import fc from "fast-check";
import type { BreakerReading } from "#model/provider";
import { verifies } from "#test/support/verifies";
import { BREAKER_FAILURES, Breaker } from "#upstream/breaker";

const opened = () => {
  const clock = { ms: 1_000 };
  const changes: BreakerReading[] = [];
  const breaker = new Breaker({ now: () => clock.ms, onChange: (reading) => changes.push(reading) });
  for (let failures = 0; failures < BREAKER_FAILURES; failures += 1) breaker.failed("auth");
  return { breaker, clock, changes };
};

test("five failures in a row open it; a success between them does not let them count", () => {
  verifies("provider.breaker");
  const breaker = new Breaker({ now: () => 0 });
  for (let round = 0; round < 10; round += 1) {
    for (let failures = 1; failures < BREAKER_FAILURES; failures += 1) breaker.failed("server");
    expect(breaker.admits()).toBe(true);
    breaker.worked();
  }
  const { changes } = opened();
  expect(changes).toEqual([{ state: "open", failures: 5, cause: "auth", since: 1_000 }]);
});

test("after its time one call tries: what becomes of it closes it, or opens it for twice as long", () => {
  verifies("provider.breaker");
  const { breaker, clock, changes } = opened();
  expect(breaker.admits()).toBe(false);
  clock.ms += 10_000;
  expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
  breaker.failed("connection");
  clock.ms += 10_000;
  expect(breaker.admits()).toBe(false);
  clock.ms += 10_000;
  expect(breaker.admits()).toBe(true);
  breaker.worked();
  expect([breaker.admits(), breaker.admits()]).toEqual([true, true]);
  expect(changes.map(({ state }) => state)).toEqual(["open", "half_open", "open", "half_open", "closed"]);
});

test("a call that tried and was never heard of is followed by another", () => {
  const { breaker, clock } = opened();
  clock.ms += 10_000;
  expect(breaker.admits()).toBe(true);
  clock.ms += 60_000;
  expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
});

test("whatever happens, it is closed after a success, and never for longer than five minutes without a try", () => {
  verifies("provider.breaker");
  const step = fc.constantFrom("worked", "auth", "server", "connection", "asked", "wait");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = { ms: 1 };
      const breaker = new Breaker({ now: () => clock.ms });
      for (const one of steps) {
        if (one === "worked") {
          breaker.worked();
          expect(breaker.read()).toMatchObject({ state: "closed", failures: 0, cause: null });
        } else if (one === "asked") breaker.admits();
        else if (one === "wait") clock.ms += 7_000;
        else breaker.failed(one);
      }
      clock.ms += 300_000;
      expect(breaker.admits()).toBe(true);
    }),
  );
});
