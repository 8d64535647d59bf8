import { expect, test } from "bun:test";
import fc from "fast-check";
import { Attributes, type LogEntry, nanosOf, type Span } from "#features/otel/otlp";
import { JSON_ENCODING } from "#features/otel/otlp-json";
import { PROTOBUF_ENCODING } from "#features/otel/otlp-protobuf";
import { type Fields, LOGS, listAt, readJson, readProtobuf, TRACES } from "#test/features/otel/strict-otlp";
import { verifies } from "#test/support/verifies";

const ENCODINGS = [
  { form: "protobuf", encoding: PROTOBUF_ENCODING },
  { form: "JSON", encoding: JSON_ENCODING },
] as const;

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => Buffer.from(all).toString("hex"));
const text = fc.string({ unit: "grapheme", maxLength: 300 });
const moment = fc.double({ min: 0, max: 4e12, noNaN: true });
const whole = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.maxSafeNat());

const attributes = fc
  .record({
    s: text,
    i: whole,
    d: fc.double({ noNaN: true, noDefaultInfinity: true }),
    b: fc.boolean(),
    l: fc.array(text),
  })
  .map(
    ({ s, i, d, b, l }) =>
      new Attributes()
        .string("s", s)
        .int("i", i)
        .double("d", d === 0 ? 0 : d)
        .bool("b", b)
        .strings("l", l).list,
  );

const span: fc.Arbitrary<Span> = fc.record({
  traceId: hex(16),
  spanId: hex(8),
  parentId: fc.option(hex(8)),
  traceState: fc.option(fc.constant("a=1,b=2")),
  flags: fc.integer({ min: 0, max: 0x3ff }),
  name: text,
  kind: fc.constantFrom(2, 3),
  start: moment,
  end: moment,
  attributes,
  status: fc.constantFrom(0, 2),
});

const log: fc.Arbitrary<LogEntry> = fc.record({
  at: moment,
  observedAt: moment,
  severity: fc.constantFrom("info", "warn", "error"),
  eventName: text,
  body: text,
  attributes,
  traceId: hex(16),
  spanId: hex(8),
  flags: fc.integer({ min: 0, max: 3 }),
});

const origin = fc.record({
  resource: attributes,
  scope: fc.record({ name: fc.constant("guardhouse"), version: fc.constant("1.2.3") }),
});

/** What a reader of the published schema finds in a request. */
const read = (name: string, body: Uint8Array | string): Fields =>
  typeof body === "string" ? readJson(name, JSON.parse(body)) : readProtobuf(name, body);

/** The value that a string of an attribute has: texts are cut. */
const cut = (value: string) => value.slice(0, 512);

const anyValueOf = ({ type, value }: Span["attributes"][number]) => {
  if (type === "strings") return { arrayValue: { values: value.map((one) => ({ stringValue: cut(one) })) } };
  if (type === "int") return { intValue: String(value) };
  return { [`${type}Value`]: value };
};
const attributesAs = (list: Span["attributes"]) => list.map((one) => ({ key: one.key, value: anyValueOf(one) }));
const orNothing = <K extends string, V>(key: K, value: V, nothing: V) => (value === nothing ? {} : { [key]: value });

const spanAs = (one: Span) => ({
  traceId: one.traceId,
  spanId: one.spanId,
  ...orNothing("parentSpanId", one.parentId, null),
  ...orNothing("traceState", one.traceState, null),
  name: one.name,
  kind: one.kind,
  startTimeUnixNano: String(nanosOf(one.start)),
  endTimeUnixNano: String(nanosOf(one.end)),
  flags: one.flags,
  attributes: attributesAs(one.attributes),
  ...(one.status === 0 ? {} : { status: { code: one.status } }),
});

const logAs = (one: LogEntry) => ({
  timeUnixNano: String(nanosOf(one.at)),
  observedTimeUnixNano: String(nanosOf(one.observedAt)),
  severityNumber: { info: 9, warn: 13, error: 17 }[one.severity],
  severityText: one.severity.toUpperCase(),
  eventName: one.eventName,
  body: { stringValue: one.body },
  attributes: attributesAs(one.attributes),
  traceId: one.traceId,
  spanId: one.spanId,
  flags: one.flags,
});

const itemsIn = (message: Fields, [resources, scopes, items]: readonly [string, string, string]) =>
  listAt(message, resources)
    .flatMap((one) => listAt(one, scopes))
    .flatMap((one) => listAt(one, items));

/** Order among the items of a request means nothing. */
const sorted = (items: readonly unknown[]) => items.map((item) => Bun.inspect(item, { sorted: true })).sort();

test.each(ENCODINGS)("otlp: spans as $form read as what they are, by the published schema", ({ encoding }) => {
  verifies("otel.wire");
  fc.assert(
    fc.property(fc.array(span, { maxLength: 20 }), origin, (spans, whose) => {
      const writer = encoding.spans(whose);
      for (const one of spans) writer.add(one);
      const message = read(TRACES, writer.finish());
      expect(sorted(itemsIn(message, ["resourceSpans", "scopeSpans", "spans"]))).toEqual(sorted(spans.map(spanAs)));
      expect(message).toMatchObject({
        resourceSpans: [
          { resource: { attributes: attributesAs(whose.resource) }, scopeSpans: [{ scope: whose.scope }] },
        ],
      });
    }),
  );
});

test.each(ENCODINGS)("otlp: log records as $form read as what they are, by the published schema", ({ encoding }) => {
  verifies("otel.wire");
  fc.assert(
    fc.property(fc.array(log, { maxLength: 20 }), origin, (logs, whose) => {
      const writer = encoding.logs(whose);
      for (const one of logs) writer.add(one);
      const message = read(LOGS, writer.finish());
      expect(sorted(itemsIn(message, ["resourceLogs", "scopeLogs", "logRecords"]))).toEqual(sorted(logs.map(logAs)));
    }),
  );
});

test("otlp: moments keep their microseconds", () => {
  verifies("otel.wire");
  fc.assert(
    fc.property(moment, (ms) => {
      expect(Math.abs(Number(nanosOf(ms)) / 1e6 - ms)).toBeLessThan(0.001);
    }),
  );
});

test("otlp: what a collector answers about a part is read, and anything else is no such answer", () => {
  verifies("otel.partial-success");
  const said = { partialSuccess: { rejectedSpans: "3", errorMessage: "too old" } };
  const body = new TextEncoder().encode(JSON.stringify(said));
  expect(JSON_ENCODING.partialSuccess("traces", body)).toEqual({ rejected: 3, message: "too old" });
  const written = Uint8Array.from([0x0a, 0x09, 0x08, 0x03, 0x12, 0x05, ...Buffer.from("stale")]);
  expect(PROTOBUF_ENCODING.partialSuccess("traces", written)).toEqual({ rejected: 3, message: "stale" });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom("traces", "logs"), (bytes, signal) => {
      for (const { encoding } of ENCODINGS) {
        const partial = encoding.partialSuccess(signal, bytes);
        expect(partial?.rejected ?? 0).toBeGreaterThanOrEqual(0);
        expect(partial?.message.length ?? 0).toBeLessThanOrEqual(300);
      }
    }),
  );
});
