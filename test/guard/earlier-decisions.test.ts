import { expect, test } from "bun:test";
import fc from "fast-check";
import { asEarlier, EarlierDecisions } from "#guard/earlier-decisions";
import type { Judged } from "#scan/scan";
import { verifies } from "#test/support/verifies";

const DAY_MS = 24 * 3_600_000;
const caller = { user: { id: "u" }, agent: null };
const found = (start: number, end: number, action: Judged["action"] = "redact"): Judged => ({
  ...{ type: "pii.email", category: "pii", detector: "pii.email", score: 1 },
  ...{ start, end, action },
});

class Hub {
  now = 0;
  readonly decisions = new EarlierDecisions({ now: () => this.now, hashOf: (text) => text });

  /** One call: what is decided about each text. */
  call(rules: string, texts: readonly string[], redacted: readonly Judged[] = [], conversation = "c") {
    const call = this.decisions.of(caller, conversation, rules);
    const decided = texts.map((text) => call.decide({ text, origin: "user" }, { isBlocked: false, redacted }));
    call.forwarded();
    call.delivered();
    return decided;
  }
}

test("a text has what it had under earlier rules; under the same rules it is decided anew", () => {
  verifies("scan.earlier-decisions");
  const hub = new Hub();
  const spans = [found(0, 3)];
  expect(hub.call("1", ["one"], spans)).toEqual([null]);
  expect(hub.call("1", ["one"], [])).toEqual([null]);
  expect(hub.call("2", ["one", "two"], [])).toEqual([spans, null]);
  expect(hub.call("3", ["one", "two"], spans)).toEqual([spans, []]);
  expect(hub.call("3", ["one"], [], "another")).toEqual([null]);
});

test("what went to no provider is not remembered", () => {
  verifies("scan.earlier-decisions");
  const hub = new Hub();
  const refused = hub.decisions.of(caller, "c", "1");
  refused.decide({ text: "one", origin: "user" }, { isBlocked: false, redacted: [] });
  refused.leaves({ text: "answer", origin: "assistant" });
  refused.delivered();
  expect(hub.call("2", ["one"], [found(0, 3)])).toEqual([null]);
  const later = hub.decisions.of(caller, "c", "3");
  expect(
    later.decide(
      { text: "answer", origin: "assistant", field: "content" },
      { isBlocked: false, redacted: [found(0, 3)] },
    ),
  ).toEqual([]);
  expect(later.decide({ text: "answer", origin: "user" }, { isBlocked: false, redacted: [found(0, 3)] })).toBeNull();
});

test("a text that was decided in two ways in one call is decided anew", () => {
  const hub = new Hub();
  const call = hub.decisions.of(caller, "c", "1");
  call.decide({ text: "one", origin: "user" }, { isBlocked: false, redacted: [] });
  call.decide({ text: "one", origin: "user" }, { isBlocked: false, redacted: [found(0, 3)] });
  call.decide({ text: "one", origin: "user", field: "order_id" }, { isBlocked: false, redacted: [] });
  call.forwarded();
  const later = hub.decisions.of(caller, "c", "2");
  expect(later.decide({ text: "one", origin: "user" }, { isBlocked: false, redacted: [] })).toBeNull();
  expect(later.decide({ text: "one", origin: "user", field: "order_id" }, { isBlocked: false, redacted: [] })).toEqual(
    [],
  );
});

test("a conversation is forgotten after a day of silence", () => {
  const hub = new Hub();
  hub.call("1", ["one"]);
  hub.now = DAY_MS - 1;
  expect(hub.call("2", ["one"], [found(0, 3)])).toEqual([[]]);
  hub.now += DAY_MS;
  expect(hub.call("3", ["one"], [found(0, 3)])).toEqual([null]);
});

test("however many texts there are, no more than so many are remembered", () => {
  const hub = new Hub();
  const texts = (of: number) => Array.from({ length: 30_000 }, (_, n) => `${of} ${n}`);
  const known = (of: number) => hub.call("2", texts(of), [], `c${of}`).filter((decided) => decided !== null).length;
  for (let of = 0; of < 8; of += 1) hub.call("1", texts(of), [], `c${of}`);
  expect([known(7), known(0)]).toEqual([20_000, 0]);
});

test("of what is found, only what was redacted earlier is", () => {
  const span = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 5 }), fc.constantFrom("flag", "redact"));
  const findings = fc
    .uniqueArray(span, { selector: ([start]) => start, maxLength: 6 })
    .map((all) => all.map(([start, length, action]) => found(start, start + length, action)));
  fc.assert(
    fc.property(findings, findings, (one, now) => {
      const earlier = one.map((each): Judged => ({ ...each, action: "redact" }));
      const all = [...asEarlier(earlier, now)];
      const placeOf = ({ start, end }: Judged) => `${start} ${end}`;
      expect(new Set(all.filter(({ action }) => action === "redact").map(placeOf))).toEqual(
        new Set(earlier.map(placeOf)),
      );
      expect(new Set(all.map(placeOf))).toEqual(new Set([...earlier, ...now].map(placeOf)));
      expect(all.length).toBe(new Set(all.map(placeOf)).size);
    }),
  );
});
