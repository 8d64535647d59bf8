import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { classify } from "#features/tools/dialect/classify";
import { checkEnvelope } from "#features/tools/dialect/envelope";
import { RpcRefusal } from "#features/tools/dialect/failure";
import { checkParamHeaders, decodeHeader } from "#features/tools/dialect/param-headers";
import { verifies } from "#test/support/verifies";

const PROTOCOL = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const INFO = "io.modelcontextprotocol/clientInfo";

const versions = fc.constantFrom(null, "2024-11-05", "2025-11-25", "2026-07-28", "2027-01-01", "", "9", "draft");
const keys = fc.constantFrom(
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
  "_meta",
  "code",
  "message",
  PROTOCOL,
);
const words = fc.constantFrom("2.0", "initialize", "tools/call", "notifications/x", "2026-07-28", "", "1.0");

/** JSON in which the words of the protocol come up often, in right and wrong places. */
const { value: nearly } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    words,
    fc.constantFrom(null, true, 0, 1.5, -1),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 6 }),
  ),
}));
const messages = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant("2.0"), nearly),
    id: fc.oneof(fc.integer(), fc.string(), nearly),
    method: fc.oneof(words, nearly),
    params: fc.record(
      { _meta: fc.record({ [PROTOCOL]: nearly, [CAPABILITIES]: nearly, [INFO]: nearly }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const bodies = fc.oneof(nearly, messages, fc.array(messages, { maxLength: 3 }), fc.jsonValue());

/** It either holds, or is refused in the protocol's own words. */
const expectRefusalOnly = (check: () => void): void => {
  try {
    check();
  } catch (error) {
    expect(error).toBeInstanceOf(RpcRefusal);
  }
};
const speaksRpc = (body: unknown): boolean =>
  typeof body === "object" && body !== null && (Array.isArray(body) || Object.hasOwn(body, "jsonrpc"));

describe("every body", () => {
  test("belongs to one dialect or is refused, and nothing throws but refusals", () => {
    verifies("tools.dialect-total");
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(bodies, versions, versions, (raw, header, claimed) => {
        const body: unknown = JSON.parse(JSON.stringify(raw) ?? "null");
        const said = classify(body, header);
        seen.set(said.kind, (seen.get(said.kind) ?? 0) + 1);
        expect(said.kind === "minimal").toBe(!speaksRpc(body));
        if (said.kind === "refused") expect(said.refusal.rpcStatus).toBe(400);
        if (said.kind !== "modern") return;
        const headers = new Headers(header === null ? {} : { "mcp-protocol-version": header });
        if (claimed !== null) headers.set("mcp-method", claimed);
        expectRefusalOnly(() => checkEnvelope(said.message, headers));
      }),
      { numRuns: 3_000 },
    );
    expect([...seen.keys()].sort()).toEqual(["batch", "legacy", "minimal", "modern", "refused"]);
  });

  test("without `jsonrpc` is minimal, whatever the headers say", () => {
    verifies("tools.dialect-minimal");
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), versions, (body, header) => {
        const { jsonrpc, ...rest } = body;
        expect(classify(rest, header)).toEqual({ kind: "minimal", body: rest });
      }),
    );
  });

  test("of one message has the era that it names, or else its header", () => {
    verifies("tools.dialect-2026", "tools.dialect-2025");
    const base = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const named = (version: unknown) => ({ ...base, params: { _meta: { [PROTOCOL]: version, [CAPABILITIES]: {} } } });
    const kinds = (body: object, header: string | null) => classify(body, header).kind;
    expect(kinds(base, null)).toBe("legacy");
    expect(kinds(base, "2025-11-25")).toBe("legacy");
    expect(kinds(base, "2026-07-28")).toBe("modern");
    expect(kinds(base, "2031-01-01")).toBe("modern");
    expect(kinds(base, "draft")).toBe("legacy");
    expect(kinds(named("2026-07-28"), null)).toBe("modern");
    expect(kinds(named(null), null)).toBe("modern");
    expect(kinds(named("2026-07-28"), "2025-11-25")).toBe("modern");
    expect(kinds({ ...base, method: "initialize" }, null)).toBe("legacy");
    expect(kinds({ ...named("2026-07-28"), method: "initialize" }, "2026-07-28")).toBe("modern");
    expect(kinds({ ...named("2025-11-25"), method: "initialize" }, null)).toBe("legacy");
    expect(kinds({ ...base, method: "initialize" }, "2026-07-28")).toBe("refused");
  });
});

describe("headers that repeat arguments", () => {
  const schema = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      count: { type: "integer", "x-mcp-header": "Count" },
      sure: { type: "boolean", "x-mcp-header": "Sure" },
      where: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
      free: { type: "string" },
      list: { type: "array", items: { type: "string", "x-mcp-header": "Nowhere" } },
      odd: { type: "string", "x-mcp-header": "not a token" },
    },
  };
  const encoded = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
  const holds = (args: Record<string, unknown>, headers: Record<string, string>) => {
    try {
      checkParamHeaders(schema, args, new Headers(headers));
      return true;
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      expect([error.rpcCode, error.rpcStatus]).toEqual([-32_020, 400]);
      return false;
    }
  };

  test("say the same as the arguments, or the call is refused", () => {
    verifies("tools.dialect-2026");
    expect(holds({ free: "x", list: ["a"], odd: "o" }, {})).toBe(true);
    expect(holds({ region: "eu" }, {})).toBe(false);
    expect(holds({ region: "eu" }, { "mcp-param-region": "eu" })).toBe(true);
    expect(holds({ region: "eu" }, { "mcp-param-region": "us" })).toBe(false);
    expect(holds({ region: null }, {})).toBe(true);
    // Not asked for, and so not looked at.
    expect(holds({}, { "mcp-param-region": "us" })).toBe(true);
    expect(holds({ count: 42 }, { "mcp-param-count": "42.0" })).toBe(true);
    expect(holds({ count: 42 }, { "mcp-param-count": "0x2a" })).toBe(false);
    expect(holds({ sure: false }, { "mcp-param-sure": "false" })).toBe(true);
    expect(holds({ sure: false }, { "mcp-param-sure": "0" })).toBe(false);
    expect(holds({ where: { city: "Köln" } }, { "mcp-param-city": encoded("Köln") })).toBe(true);
    expect(holds({ where: { city: "Bonn" } }, {})).toBe(false);
    expect(holds({ region: "eu" }, { "mcp-param-region": "=?base64?!!?=" })).toBe(false);
    // Two texts that are not alike must not become so: not UTF-8, and a byte order mark.
    expect(holds({ region: "\uFFFD" }, { "mcp-param-region": "=?base64?/w==?=" })).toBe(false);
    expect(holds({ region: "eu" }, { "mcp-param-region": encoded("\uFEFFeu") })).toBe(false);
  });

  test("are decoded exactly, or not at all", () => {
    verifies("tools.dialect-2026");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeHeader(encoded(text))).toBe(text.toWellFormed());
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const decoded = decodeHeader(text);
        expect(decoded === text || text.startsWith("=?base64?")).toBe(true);
      }),
    );
  });

  test("of any schema and any arguments are judged, not stumbled over", () => {
    verifies("tools.dialect-total");
    const anything = fc.dictionary(fc.constantFrom("properties", "x-mcp-header", "a", "type"), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.record({ properties: fc.dictionary(fc.string(), anything) }),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (odd, args) => {
          expectRefusalOnly(() => checkParamHeaders(odd, args, new Headers()));
        },
      ),
    );
  });
});
