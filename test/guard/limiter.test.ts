import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { durationText, Limiter, type Reservation } from "#guard/limits/limiter";
import type { Bounds } from "#policy/profile/effective";
import { boundsOf } from "#test/guard/bounds";
import { verifies } from "#test/support/verifies";

const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** A limiter whose clock the test turns. */
class Desk {
  now = NOON;
  readonly limiter = new Limiter({ now: () => this.now, spentEarlier: () => this.earlier });

  constructor(
    readonly limits: Bounds,
    public earlier = { requests: 0, tokens: 0 },
  ) {}

  reserve(tokens = 0, conversation: string | null = null): Reservation {
    const talk = conversation === null ? null : { of: "models" as const, id: conversation };
    return this.limiter.reserve({ agent_id: "a", limits: this.limits, watched: null, tokens, conversation: talk });
  }

  /** Null for a place, else the error. */
  refusal(tokens = 0, conversation: string | null = null): GuardError | null {
    try {
      this.reserve(tokens, conversation).settle(tokens);
      return null;
    } catch (error) {
      if (error instanceof GuardError) return error;
      throw error;
    }
  }

  get headers(): Readonly<Record<string, string>> {
    return this.limiter.headersFor("a", this.limits);
  }
}

type Step = { readonly after: number; readonly tokens: number; readonly settles: number; readonly late: boolean };
const steps = fc.array(
  fc.record<Step>({
    after: fc.integer({ min: 0, max: 25_000 }),
    tokens: fc.integer({ min: 0, max: 400 }),
    /** What is really used of what was reserved, in percent. */
    settles: fc.integer({ min: 0, max: 100 }),
    late: fc.boolean(),
  }),
  { maxLength: 120 },
);

/** One call that was let in: when, and what it holds or held. */
type Held = { readonly at: number; tokens: number; readonly settle: () => void };

/** Makes the calls; tells of each after which everything that is held is what `held` says. */
const course = (service: Desk, given: readonly Step[], onStep: (held: readonly Held[]) => void): void => {
  const held: Held[] = [];
  const open: Held[] = [];
  for (const { after, tokens, settles, late } of given) {
    service.now += after;
    if (late) open.shift()?.settle();
    try {
      const place = service.reserve(tokens);
      const used = Math.floor((tokens * settles) / 100);
      const one: Held = {
        at: service.now,
        tokens,
        settle: () => {
          place.settle(used);
          // However often it is said.
          place.settle(0);
          place.settle(1_000_000);
          one.tokens = used;
        },
      };
      held.push(one);
      open.push(one);
      if (!late) {
        one.settle();
        open.pop();
      }
    } catch (error) {
      if (!(error instanceof GuardError)) throw error;
    }
    onStep(held);
  }
};

const sum = (held: readonly Held[], isIn: (at: number) => boolean): number =>
  held.reduce((total, one) => total + (isIn(one.at) ? one.tokens : 0), 0);
const count = (held: readonly Held[], isIn: (at: number) => boolean): number =>
  held.filter(({ at }) => isIn(at)).length;

describe("whatever comes, in whatever order, settled early or late", () => {
  test("no minute of the clock and no day has more requests or tokens than its limit", () => {
    verifies("enforce.limits");
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 1_500 }),
        (given, requests, tokens) => {
          const daily = { requests_per_day: requests * 5, tokens_per_day: tokens * 4 };
          const service = new Desk(boundsOf({ requests_per_minute: requests, tokens_per_minute: tokens, ...daily }));
          course(service, given, (held) => {
            const minute = Math.floor(service.now / MINUTE);
            const isNow = (at: number) => Math.floor(at / MINUTE) === minute;
            expect(count(held, isNow)).toBeLessThanOrEqual(requests);
            expect(sum(held, isNow)).toBeLessThanOrEqual(tokens);
            expect(held.length).toBeLessThanOrEqual(daily.requests_per_day);
            expect(sum(held, () => true)).toBeLessThanOrEqual(daily.tokens_per_day);
          });
        },
      ),
    );
  });

  test("no sixty seconds at all have more than twice the limit", () => {
    verifies("enforce.limits");
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), (given, requests) => {
        const service = new Desk(boundsOf({ requests_per_minute: requests }));
        course(service, given, (held) => {
          expect(count(held, (at) => at > service.now - MINUTE)).toBeLessThan(2 * requests + 1);
        });
      }),
    );
  });

  test("limiter admits exactly the remaining requests it reports", () => {
    verifies("enforce.limits", "enforce.rate-headers");
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), (given, requests) => {
        const service = new Desk(boundsOf({ requests_per_minute: requests }));
        course(service, given, () => {});
        const left = Number(service.headers["x-ratelimit-remaining-requests"]);
        for (let i = 0; i < left; i += 1) expect(service.refusal()).toBeNull();
        expect(service.refusal()?.code).toBe("rate_limit_exceeded");
      }),
    );
  });

  test("limiter admits after the Retry-After it reported", () => {
    verifies("enforce.limits");
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 900 }),
        (given, requests, tokens) => {
          const service = new Desk(boundsOf({ requests_per_minute: requests, tokens_per_minute: 900 }));
          course(service, given, () => {});
          for (let tries = 0; tries < 3; tries += 1) {
            const refused = service.refusal(tokens);
            if (refused === null) return;
            const wait = Number(refused.headers?.["retry-after"]);
            expect(wait > 0 && wait <= 120).toBe(true);
            service.now += wait * 1_000;
          }
          // One limit may tell to wait, and then the other.
          expect(service.refusal(tokens)).toBeNull();
        },
      ),
    );
  });

  test("a refused call takes nothing, and a place is given back once", () => {
    verifies("enforce.limits");
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (given) => {
        const service = new Desk(boundsOf({ concurrent: 3 }));
        const open: Reservation[] = [];
        for (const enters of given) {
          if (enters) {
            if (open.length < 3) open.push(service.reserve());
            else expect(service.refusal()?.code).toBe("rate_limit_exceeded");
          } else {
            const left = open.pop();
            left?.settle(0);
            left?.settle(0);
          }
        }
      }),
    );
  });
});

describe("limiter: reserved tokens", () => {
  test("in the last minute goes back to the last minute: it frees nothing that others took in this one", () => {
    verifies("enforce.limits");
    const service = new Desk(boundsOf({ tokens_per_minute: 1_000 }));
    const early = service.reserve(900);
    service.now += 2 * MINUTE;
    service.reserve(1_000);
    early.settle(0);
    expect(service.refusal(100)?.code).toBe("rate_limit_exceeded");
  });

  test("yesterday frees nothing of today; what was used beyond it counts today", () => {
    verifies("enforce.limits-day");
    const service = new Desk(boundsOf({ tokens_per_day: 1_000 }));
    const [less, more] = [service.reserve(400), service.reserve(400)];
    service.now += DAY;
    service.reserve(500).settle(500);
    less.settle(0);
    expect(service.headers["x-ratelimit-remaining-tokens"]).toBe("500");
    more.settle(600);
    expect(service.headers["x-ratelimit-remaining-tokens"]).toBe("300");
  });

  test("in numbers that are none: nothing is credited, and nothing breaks", () => {
    verifies("enforce.limits");
    const service = new Desk(boundsOf({ tokens_per_minute: 100 }));
    for (const odd of [Number.NaN, -1_000, Number.NEGATIVE_INFINITY]) service.reserve(odd).settle(odd);
    expect(service.headers["x-ratelimit-remaining-tokens"]).toBe("100");
    expect(service.refusal(Number.POSITIVE_INFINITY)?.code).toBe("rate_limit_exceeded");
    expect(service.refusal(100)).toBeNull();
  });

  test("before a crash comes to light later and counts from then on", () => {
    verifies("enforce.limits-day");
    const service = new Desk(boundsOf({ requests_per_day: 5 }));
    expect(service.refusal()).toBeNull();
    service.earlier = { requests: 4, tokens: 0 };
    expect(service.refusal()?.code).toBe("insufficient_quota");
  });
});

test("conversations are counted apart", () => {
  verifies("enforce.limits-conversation");
  const service = new Desk(boundsOf({ calls_per_conversation: 2 }));
  expect([service.refusal(0, "x"), service.refusal(0, "x"), service.refusal(0, "y"), service.refusal()]).toEqual(
    Array.from({ length: 4 }, () => null),
  );
  expect(service.refusal(0, "x")?.code).toBe("insufficient_quota");
});

test("durations are written as OpenAI writes them", () => {
  verifies("enforce.rate-headers");
  const given = [0, 0.4, 12, 999, 1_000, 1_001, 59_999, 60_000, 360_000, 3_600_000, 86_399_000];
  expect(given.map(durationText)).toEqual([
    "0ms",
    "1ms",
    "12ms",
    "999ms",
    "1s",
    "2s",
    "1m0s",
    "1m0s",
    "6m0s",
    "1h0m0s",
    "23h59m59s",
  ]);
});
