import { expect, test } from "bun:test";
import fc from "fast-check";
import { type LogEntry, momentOf, type Span, type TellAttributes } from "#features/otel/otlp";
import { jsonEncoding } from "#features/otel/otlp-json";
import { protobufEncoding } from "#features/otel/otlp-protobuf";
import { type Fields, fieldsAt, LOGS, listAt, readJson, readProtobuf, TRACES } from "#test/features/otel/strict-otlp";
import { verifies } from "#test/support/verifies";

const PROTOBUF_ENCODING = protobufEncoding();
const JSON_ENCODING = jsonEncoding();
const ENCODINGS = [
  { form: "protobuf", encoding: PROTOBUF_ENCODING },
  { form: "JSON", encoding: JSON_ENCODING },
] as const;

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => Buffer.from(all).toString("hex"));
const text = fc.string({ unit: "grapheme", maxLength: 300 });
const moment = fc.double({ min: 0, max: 4e12, noNaN: true });
const whole = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.maxSafeNat());

type Values = {
  readonly s: string;
  readonly i: number;
  readonly d: number;
  readonly b: boolean;
  readonly l: readonly string[];
};

const values: fc.Arbitrary<Values> = fc.record({
  s: text,
  i: whole,
  // JSON has no negative zero.
  d: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  b: fc.boolean(),
  l: fc.array(text),
});

const telling =
  ({ s, i, d, b, l }: Values): TellAttributes =>
  (to) =>
    void to.string("s", s).int("i", i).double("d", d).bool("b", b).strings("l", l);

/** Something with the values of its attributes beside it. */
type Told<T> = { readonly it: T; readonly values: Values };

const told = <Rest extends object>(
  rest: fc.Arbitrary<Rest>,
): fc.Arbitrary<Told<Rest & { readonly attributes: TellAttributes }>> =>
  fc
    .record({ values, rest })
    .map(({ rest: all, values: own }) => ({ it: { ...all, attributes: telling(own) }, values: own }));

const span = told<Omit<Span, "attributes">>(
  fc.record({
    traceId: hex(16),
    spanId: hex(8),
    parentId: fc.option(hex(8)),
    traceState: fc.option(fc.constant("a=1,b=2")),
    flags: fc.integer({ min: 0, max: 0x3ff }),
    name: text,
    kind: fc.constantFrom(2, 3),
    start: moment,
    end: moment,
    status: fc.constantFrom(0, 2),
  }),
);

const log = told<Omit<LogEntry, "attributes">>(
  fc.record({
    at: moment,
    observedAt: moment,
    severity: fc.constantFrom("info", "warn", "error"),
    eventName: text,
    body: text,
    traceId: hex(16),
    spanId: hex(8),
    flags: fc.integer({ min: 0, max: 3 }),
  }),
);

const origin = fc.record({
  values,
  scope: fc.record({ name: fc.constant("guardhouse"), version: fc.constant("1.2.3") }),
});

/** In nanoseconds, exactly. */
const nanosOf = (ms: number): bigint => {
  const { whole, nanos } = momentOf(ms);
  return BigInt(whole) * 1_000_000n + BigInt(nanos);
};

/** What a reader of the published schema finds in a request. */
const read = (name: string, body: Uint8Array | string): Fields =>
  typeof body === "string" ? readJson(name, JSON.parse(body)) : readProtobuf(name, body);

/** The value that a string of an attribute has: texts are cut. */
const cut = (value: string) => value.slice(0, 512);

const attributesAs = ({ s, i, d, b, l }: Values) => [
  { key: "b", value: { boolValue: b } },
  { key: "d", value: { doubleValue: d } },
  { key: "i", value: { intValue: String(i) } },
  ...(l.length === 0
    ? []
    : [{ key: "l", value: { arrayValue: { values: l.map((one) => ({ stringValue: cut(one) })) } } }]),
  { key: "s", value: { stringValue: cut(s) } },
];
const orNothing = <K extends string, V>(key: K, value: V, nothing: V) => (value === nothing ? {} : { [key]: value });

const spanAs = ({ it: one, values: own }: Told<Span>) => ({
  traceId: one.traceId,
  spanId: one.spanId,
  ...orNothing("parentSpanId", one.parentId, null),
  ...orNothing("traceState", one.traceState, null),
  name: one.name,
  kind: one.kind,
  startTimeUnixNano: String(nanosOf(one.start)),
  endTimeUnixNano: String(nanosOf(one.end)),
  flags: one.flags,
  attributes: attributesAs(own),
  ...(one.status === 0 ? {} : { status: { code: one.status } }),
});

const logAs = ({ it: one, values: own }: Told<LogEntry>) => ({
  timeUnixNano: String(nanosOf(one.at)),
  observedTimeUnixNano: String(nanosOf(one.observedAt)),
  severityNumber: { info: 9, warn: 13, error: 17 }[one.severity],
  severityText: one.severity.toUpperCase(),
  eventName: one.eventName,
  body: { stringValue: one.body },
  attributes: attributesAs(own),
  traceId: one.traceId,
  spanId: one.spanId,
  flags: one.flags,
});

const itemsIn = (message: Fields, [resources, scopes, items]: readonly [string, string, string]) =>
  listAt(message, resources)
    .flatMap((one) => listAt(one, scopes))
    .flatMap((one) => listAt(one, items))
    .map(inOrder);

/** Order among attributes means nothing either. */
const inOrder = (of: Fields): Fields => {
  const all = listAt(of, "attributes").toSorted((one, other) => (String(one["key"]) < String(other["key"]) ? -1 : 1));
  return { ...of, attributes: all };
};

/** Order among the items of a request means nothing. */
const sorted = (items: readonly unknown[]) => items.map((item) => Bun.inspect(item, { sorted: true })).sort();

test.each(ENCODINGS)("otlp: spans as $form read as what they are, by the published schema", ({ encoding }) => {
  verifies("otel.wire");
  fc.assert(
    fc.property(fc.array(span, { maxLength: 20 }), origin, (spans, whose) => {
      const writer = encoding.spans({ resource: telling(whose.values), scope: whose.scope });
      for (const { it } of spans) writer.add(it);
      const message = read(TRACES, writer.finish());
      expect(sorted(itemsIn(message, ["resourceSpans", "scopeSpans", "spans"]))).toEqual(sorted(spans.map(spanAs)));
      const [only] = listAt(message, "resourceSpans");
      expect(inOrder(fieldsAt(only ?? {}, "resource"))).toEqual({ attributes: attributesAs(whose.values) });
      expect(listAt(only ?? {}, "scopeSpans")).toMatchObject([{ scope: whose.scope }]);
    }),
  );
});

test.each(ENCODINGS)("otlp: log records as $form read as what they are, by the published schema", ({ encoding }) => {
  verifies("otel.wire");
  fc.assert(
    fc.property(fc.array(log, { maxLength: 20 }), origin, (logs, whose) => {
      const writer = encoding.logs({ resource: telling(whose.values), scope: whose.scope });
      for (const { it } of logs) writer.add(it);
      const message = read(LOGS, writer.finish());
      expect(sorted(itemsIn(message, ["resourceLogs", "scopeLogs", "logRecords"]))).toEqual(sorted(logs.map(logAs)));
    }),
  );
});

test.each(ENCODINGS)("otlp: more attributes than are remembered read the same, as $form", ({ encoding }) => {
  verifies("otel.wire");
  const of = (at: number): Told<Span> => {
    const own: Values = { s: `agent ${at % 1_500}`, i: at, d: 0.5, b: at % 2 === 0, l: [] };
    const ids = { traceId: "a".repeat(32), spanId: String(at).padStart(16, "0"), parentId: null, traceState: null };
    const it: Span = { ...ids, flags: 1, name: "chat", kind: 3, start: 1, end: 2, attributes: telling(own), status: 0 };
    return { it, values: own };
  };
  // Twice: what was forgotten is written anew.
  const all = [...Array.from({ length: 5_000 }, (_, at) => of(at)), ...Array.from({ length: 500 }, (_, at) => of(at))];
  const writer = encoding.spans({ resource: () => {}, scope: { name: "guardhouse", version: "1.2.3" } });
  for (const { it } of all) writer.add(it);
  const items = itemsIn(read(TRACES, writer.finish()), ["resourceSpans", "scopeSpans", "spans"]);
  expect(sorted(items)).toEqual(sorted(all.map(spanAs)));
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
