import { expect, test } from "bun:test";
import fc from "fast-check";
import { verifies } from "#test/support/verifies";
import { headerValue, ParamHeaders } from "#upstream/mcp/http-param-headers";

/** As servers read them (specification 2026-07-28, "Value Encoding"). */
const read = (value: string): string => {
  const inner = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return inner === undefined ? value : Buffer.from(inner, "base64").toString("utf8");
};

test("every text survives the way through a header", () => {
  verifies("tools.upstream-headers");
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.string().map((text) => `=?base64?${text}?=`),
    fc.constantFrom("", " ", " x", "x ", "a\tb", "a\r\nb: c", "\0", "größe", "=?base64?literal?="),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const value = headerValue(text);
      expect(value).toMatch(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/);
      expect(new Headers({ x: value }).get("x")).toBe(value);
      expect(read(value)).toBe(text.isWellFormed() ? text : text.toWellFormed());
    }),
  );
  expect(headerValue("Hello, 世界")).toBe("=?base64?SGVsbG8sIOS4lueVjA==?=");
  expect(headerValue("us-west1")).toBe("us-west1");
  expect(headerValue("two words")).toBe("two words");
});

const property = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });
const of = (properties: unknown, rest: object = {}) => ({ type: "object", properties, ...rest });

test("a schema may declare headers only where and as the specification says", () => {
  verifies("tools.upstream-headers");
  const headers = new ParamHeaders();
  const right = [
    of({ a: property("A") }),
    of({ a: of({ b: of({ c: property("A", "integer") }) }) }),
    of({ "x-mcp-header": { type: "string" } }),
    of({ a: { type: "string", default: { "x-mcp-header": "A" }, examples: [{ "x-mcp-header": "B" }] } }),
    of({ a: true }),
    {},
    true,
    undefined,
  ];
  for (const schema of right) expect([schema, headers.areValid(schema)]).toEqual([schema, true]);
  let deep: object = { type: "string" };
  for (let depth = 0; depth < 20_000; depth += 1) deep = of({ a: deep });
  let deepElsewhere: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) deepElsewhere = { items: deepElsewhere };
  const wrong = [
    of({ a: property("") }),
    of({ a: property("A b") }),
    of({ a: property("A\r\nb") }),
    of({ a: property("Ä") }),
    of({ a: property(7) }),
    of({ a: property("A", "number") }),
    of({ a: property("A", "object") }),
    of({ a: property("A", ["string", "null"]) }),
    of({ a: property("A"), b: property("a") }),
    { type: "string", "x-mcp-header": "A" },
    of({ a: { type: "array", items: property("A") } }),
    of({}, { anyOf: [of({ a: property("A") })] }),
    of({}, { $defs: { a: property("A") } }),
    of({}, { if: of({ a: property("A") }) }),
    deep,
    deepElsewhere,
  ];
  for (const schema of wrong) {
    expect(headers.areValid(schema)).toBe(false);
    expect(headers.of(schema, { a: "x" })).toEqual({});
  }
});

test("only what is there, and can be said in a header, is said", () => {
  verifies("tools.upstream-headers");
  const headers = new ParamHeaders();
  const schema = of({ a: property("A"), n: property("N", "integer"), deep: of({ b: property("B", "boolean") }) });
  const cases: readonly [Record<string, unknown>, Record<string, string>][] = [
    [
      { a: "x", n: 42, deep: { b: true } },
      { "mcp-param-a": "x", "mcp-param-n": "42", "mcp-param-b": "true" },
    ],
    [{ a: null, n: undefined, deep: null }, {}],
    [
      { a: "", n: -7 },
      { "mcp-param-a": "=?base64??=", "mcp-param-n": "-7" },
    ],
    [{ n: 2 ** 53 }, {}],
    [{ n: Number.NaN, a: ["x"], deep: "b" }, {}],
  ];
  for (const [args, expected] of cases) expect(headers.of(schema, args)).toEqual(expected);
  const inherited = of({ toString: property("T"), constructor: of({ name: property("C") }) });
  expect(headers.of(inherited, {})).toEqual({});
});
