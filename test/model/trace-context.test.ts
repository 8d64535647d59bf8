import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseTraceparent, parseTracestate, traceparentOf } from "#model/trace-context";
import { verifies } from "#test/support/verifies";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""))
    .filter((text) => /[1-9a-f]/.test(text));

test("trace context: what is written is read again", () => {
  verifies("otel.traceparent");
  fc.assert(
    fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 3 }), (traceId, spanId, flags) => {
      expect(parseTraceparent(traceparentOf({ traceId, spanId, flags }))).toEqual({ traceId, spanId, flags });
    }),
  );
});

test.each([
  ["a version to come, with more behind it", `cc-${TRACE}-${SPAN}-01-what-comes`, 1],
  ["a version to come", `cc-${TRACE}-${SPAN}-01`, 1],
  ["flags that mean nothing yet", `00-${TRACE}-${SPAN}-ff`, 3],
  ["not sampled", `00-${TRACE}-${SPAN}-00`, 0],
])("trace context: taken, %s", (_, text, flags) => {
  verifies("otel.traceparent");
  expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, flags });
});

test.each([
  ["nothing", ""],
  ["more than version 00 has", `00-${TRACE}-${SPAN}-01-what-comes`],
  ["version ff", `ff-${TRACE}-${SPAN}-01`],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["capital letters", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ["two of them", `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ["a short trace id", `00-${TRACE.slice(1)}-${SPAN}-01`],
  ["a version without a dash", `cc-${TRACE}-${SPAN}-01.more`],
  ["a long one", `cc-${TRACE}-${SPAN}-01-${"a".repeat(1_000)}`],
])("trace context: not taken, %s", (_, text) => {
  verifies("otel.traceparent");
  expect(parseTraceparent(text)).toBeNull();
});

test("trace context: never throws, and passes on nothing long or unprintable", () => {
  verifies("otel.traceparent");
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 600 }), fc.string({ maxLength: 600 })), (text) => {
      parseTraceparent(text);
      const state = parseTracestate(text);
      if (state !== null) expect(state).toMatch(/^[\x20-\x7e]{1,512}$/);
    }),
  );
});

const key = fc.stringMatching(/^[a-z][a-z0-9_*/-]{0,20}$/);
const member = fc.tuple(key, fc.stringMatching(/^[!-+.-<>-~]{1,200}$/)).map(([name, value]) => `${name}=${value}`);

test("trace state: members that fit stay as they are and in order; large ones and the last are left out first", () => {
  verifies("otel.traceparent");
  const members = fc.uniqueArray(member, { maxLength: 32, minLength: 1, selector: (text) => text.split("=")[0] });
  fc.assert(
    fc.property(members, (given) => {
      const state = parseTracestate(given.join(" , "));
      const kept = state === null ? [] : state.split(",");
      expect(given.filter((one) => kept.includes(one))).toEqual(kept);
      expect(kept.join(",").length).toBeLessThanOrEqual(512);
      if (given.join(",").length <= 512) expect(kept).toEqual(given);
    }),
  );
});

test.each([
  ["a key twice", "a=1,a=2"],
  ["no value", "a="],
  ["no key", "=1"],
  ["a capital key", "A=1"],
  ["an equals sign in a value", "a=b=c"],
  ["more than 32", Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(",")],
  ["empty members alone", " , ,"],
])("trace state: not passed on, %s", (_, text) => {
  verifies("otel.traceparent");
  expect(parseTracestate(text)).toBeNull();
});

test("trace state: a tenant and its system", () => {
  verifies("otel.traceparent");
  expect(parseTracestate("0tenant@vendor=a b, ,rojo=00f067aa0ba902b7\t")).toBe(
    "0tenant@vendor=a b,rojo=00f067aa0ba902b7",
  );
});
