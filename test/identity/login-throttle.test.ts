import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { LoginThrottle } from "#identity/login-throttle";
import { verifies } from "#test/support/verifies";

const HOUR_MS = 3_600_000;

/** Attempts at a clock of the test's own, and how long one of them has to wait; 0 for not at all. */
const room = () => {
  let now = 1_000_000;
  const attempts = new LoginThrottle(() => now);
  const wait = (account: string, address: string | null): number => {
    try {
      attempts.begin(account, address);
      return 0;
    } catch (error) {
      if (error instanceof GuardError) return Number(error.headers?.["retry-after"]);
      throw error;
    }
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { attempts, wait, pass };
};

describe("guessing", () => {
  test("at one account waits longer each time, half a minute at most, and is forgotten after an hour", () => {
    verifies("sign-in.backoff");
    const { wait, pass } = room();
    for (let at = 0; at < 5; at++) expect(wait("ada", `203.0.113.${at}`)).toBe(0);
    const waits: number[] = [];
    for (let at = 0; at < 8; at++) {
      const seconds = wait("ada", `198.51.100.${at}`);
      waits.push(seconds);
      pass(seconds * 1_000);
      expect(wait("ada", `192.0.2.${at}`)).toBe(0);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    pass(HOUR_MS);
    for (let at = 0; at < 5; at++) expect(wait("ada", `203.0.113.${at}`)).toBe(0);
  });

  test("over many accounts waits for the address, one IPv6 network being one", () => {
    verifies("sign-in.backoff");
    for (const addressOf of [() => "203.0.113.7", (at: number) => `2001:db8::${at.toString(16)}`, () => null]) {
      const { wait } = room();
      const waits = Array.from({ length: 22 }, (_, at) => wait(`user${at}`, addressOf(at)));
      expect(waits.slice(0, 20).every((seconds) => seconds === 0)).toBe(true);
      expect(waits[20]).toBeGreaterThan(0);
      expect(wait("somebody", "198.51.100.1")).toBe(0);
    }
  });

  test("ends with a success, for the account; the address keeps its other failures", () => {
    const { attempts, wait } = room();
    for (let round = 0; round < 50; round++) {
      expect(wait("ada", "203.0.113.7")).toBe(0);
      attempts.succeeded("ada", "203.0.113.7");
    }
  });

  test("never gives more free tries than it should, in any order and however many at once", () => {
    verifies("sign-in.backoff");
    const step = fc.record({ account: fc.integer({ min: 0, max: 2 }), address: fc.integer({ min: 0, max: 30 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { wait } = room();
        const tried = new Map<string, number>();
        for (const { account, address } of steps) {
          const keys = [`account ${account}`, `address ${address}`];
          if (wait(`user${account}`, `203.0.113.${address}`) > 0) continue;
          for (const key of keys) tried.set(key, (tried.get(key) ?? 0) + 1);
        }
        for (const [key, count] of tried) expect(count).toBeLessThanOrEqual(key.startsWith("account") ? 5 : 20);
      }),
    );
  });

  test("with made-up names takes no memory beyond a bound", () => {
    const { wait } = room();
    for (let at = 0; at < 60_000; at++) wait(`made-up ${at}`, `2001:db8:${(at % 65_536).toString(16)}::1`);
    expect(wait("ada", "203.0.113.7")).toBe(0);
  });

  test("is not reset by flooding with made-up names", () => {
    verifies("sign-in.backoff");
    const { wait } = room();
    const tries = Array.from({ length: 8 }, (_, at) => wait("ada", `203.0.113.${at}`));
    const waits = tries.filter((seconds) => seconds > 0);
    expect([waits.length, tries.length]).toEqual([3, 8]);
    for (let at = 0; at < 60_000; at++) wait(`made-up ${at}`, `2001:db8:${(at % 65_536).toString(16)}::1`);
    expect(wait("ada", "198.51.100.1")).toBeGreaterThan(0);
  });
});
