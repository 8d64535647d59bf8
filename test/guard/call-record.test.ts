import { expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import type { GuardedCall } from "#guard/guarded-call";
import type { Outcome } from "#model/audit";
import { REDACTING } from "#test/scan/policies";
import { verifies } from "#test/support/verifies";
import { callUnder, MemoryAudit } from "./call-fixture";

type Step = { readonly take: (call: GuardedCall) => unknown; readonly end?: Outcome };

/** What can happen to a call; those with an `end` end it. */
const STEPS: readonly Step[] = [
  { take: ({ record }) => record.markForwarded() },
  { take: ({ record }) => record.noteOpen(Number.POSITIVE_INFINITY) },
  { take: ({ record }) => record.begin() },
  { take: ({ record }) => record.finish("answered", 200), end: "answered" },
  { take: ({ record }) => record.finish("client_closed", 499), end: "client_closed" },
  { take: ({ record }) => record.fail(new GuardError("upstream_error", "It broke off.")), end: "upstream_error" },
];

test("in any order of steps a call has one final record, of its first end, and at most one before", async () => {
  verifies("audit.call-record");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 12 }), async (steps) => {
      const audit = new MemoryAudit();
      const call = callUnder(REDACTING, audit);
      await Promise.all(steps.map(({ take }) => take(call)));
      const ends = steps.flatMap(({ end }) => end ?? []).slice(0, 1);
      const [finals, requests] = (["final", "request"] as const).map((phase) =>
        audit.records.filter((record) => record.phase === phase).map(({ outcome }) => outcome),
      );
      expect(finals).toEqual(ends);
      expect(requests?.length).toBeLessThanOrEqual(1);
    }),
  );
});

test("a call that is at its provider for long and has not ended is written down, and no other", async () => {
  verifies("audit.call-record");
  const audit = new MemoryAudit();
  const waiting = callUnder(REDACTING, audit);
  waiting.record.noteOpen(Number.POSITIVE_INFINITY);
  waiting.record.markForwarded();
  // It is a moment old.
  waiting.record.noteOpen(performance.now());
  await waiting.record.finish("answered", 200);
  waiting.record.noteOpen(Number.POSITIVE_INFINITY);
  expect(audit.records.map(({ phase }) => phase)).toEqual(["final"]);
  const open = callUnder(REDACTING, audit);
  open.record.markForwarded();
  const later = performance.now() + 60;
  open.record.noteOpen(later);
  open.record.noteOpen(later);
  await open.record.finish("answered", 200);
  expect(audit.records.map(({ phase }) => phase)).toEqual(["final", "request", "final"]);
});
