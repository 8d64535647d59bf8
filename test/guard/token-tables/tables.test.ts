import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { TokenTables } from "#guard/token-tables/tables";
import { TOKEN_ENCODINGS } from "#model/token-encoding";
import { hasTokenIds, type TokenTable, tokenIdsIn } from "#scan/texts/token-ids";
import { COMMON_RULES } from "#scan/texts/walk-rules";
import { requestWalk } from "#scan/texts/walk-table";
import { verifies } from "#test/support/verifies";

// A table is made of a file of megabytes.
setDefaultTimeout(120_000);

const tables = new TokenTables();
const ENCODERS = { cl100k_base: encodeCl100k, o200k_base: encodeO200k };
/** Special tokens are ordinary text to who embeds a text. */
const PLAIN = { disallowedSpecial: new Set<string>() };

const walkOf = (body: JsonRecord, table: TokenTable) =>
  requestWalk({
    skips: new Set(["model"]),
    keys: new Map(),
    items: new Map(),
    rules: { ...COMMON_RULES, looks: tokenIdsIn(body, "input", table) },
  })(body, 64);

/** What a walk reads below `input`, in one piece or in steps of so many values. */
const textsOf = (body: JsonRecord, table: TokenTable, steps = Number.POSITIVE_INFINITY) => {
  const walk = walkOf(body, table);
  while (!walk.run(steps));
  return walk.slots;
};

/** Long enough to be a slot of its own. */
const WORDS = fc.string({ unit: "binary", minLength: 6, maxLength: 200 }).map((text) => text.toWellFormed());

for (const encoding of TOKEN_ENCODINGS) {
  describe(encoding, () => {
    const encode = ENCODERS[encoding];

    test("what is encoded is read back", async () => {
      verifies("embeddings.token-ids");
      const table = await tables.of(encoding);
      fc.assert(
        fc.property(WORDS, (text) => {
          const [slot] = textsOf({ input: encode(text, PLAIN) }, table);
          expect(slot?.text).toBe(text);
        }),
      );
    });

    test("however the reading is cut into steps, and whichever characters the ids cut", async () => {
      verifies("embeddings.token-ids");
      const table = await tables.of(encoding);
      const ids = fc.array(fc.integer({ min: 0, max: 99_999 }), { minLength: 1, maxLength: 30_000, size: "max" });
      fc.assert(
        fc.property(ids, fc.integer({ min: 1, max: 2_000 }), (input, steps) => {
          const whole = textsOf({ input }, table).map(({ text }) => text);
          expect(textsOf({ input: [...input] }, table, steps).map(({ text }) => text)).toEqual(whole);
        }),
        { numRuns: 20 },
      );
    });
  });
}

describe("lists of token ids", () => {
  test("each is a text of its own; a redaction in one makes strings of all", async () => {
    verifies("embeddings.token-ids");
    const table = await tables.of("cl100k_base");
    fc.assert(
      fc.property(fc.array(WORDS, { minLength: 1, maxLength: 8 }), fc.nat(), (texts, pick) => {
        const body: JsonRecord = { input: texts.map((text) => encodeCl100k(text, PLAIN)) };
        const slots = textsOf(body, table);
        expect(slots.map(({ param, text }) => [param, text])).toEqual(
          texts.map((text, at) => [`input[${at}]`, text] as const).map(([param, text]) => [param, text]),
        );
        const chosen = pick % texts.length;
        slots[chosen]?.replace("[redacted]");
        slots[0]?.replace("[first]");
        const expected = texts.map((text, at) => (at === 0 ? "[first]" : at === chosen ? "[redacted]" : text));
        expect(body).toEqual({ input: expected });
      }),
    );
  });

  test("of one list the text takes the place", async () => {
    verifies("embeddings.token-ids");
    const table = await tables.of("cl100k_base");
    const body: JsonRecord = { input: encodeCl100k("Hello, I am here") };
    textsOf(body, table)[0]?.replace("Hello, I am [redacted]");
    expect(body).toEqual({ input: "Hello, I am [redacted]" });
  });

  test("what is no token, and ids beside anything else, are refused", async () => {
    verifies("embeddings.token-ids");
    const table = await tables.of("cl100k_base");
    const inputs = [[100_270], [-1], [1.5], [1, "two"], [1, null], [[1], [2, [3]]], [4_000_000_000], [1, [2]]];
    for (const input of inputs) {
      expect(hasTokenIds(input)).toBe(true);
      expect(() => textsOf({ input }, table)).toThrow(GuardError);
    }
    expect(textsOf({ input: [100_257, 9906] }, table)[0]?.text).toBe("<|endoftext|>Hello");
  });

  test("strings are none", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(fc.string())), (input) => {
        expect(hasTokenIds(input)).toBe(false);
      }),
    );
  });
});

test("token ids are read whatever the field is called", async () => {
  verifies("embeddings.token-ids");
  const table = await tables.of("cl100k_base");
  const ids = encodeCl100k("Hello, I am here");
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.boolean(), (field, isListed) => {
      fc.pre(field !== "model" && field !== "__proto__");
      const body: JsonRecord = { [field]: isListed ? [ids] : ids };
      const walk = requestWalk({
        ...{ skips: new Set(["model"]), keys: new Map(), items: new Map() },
        rules: { ...COMMON_RULES, looks: tokenIdsIn(body, field, table) },
      })(body, 64);
      walk.run();
      expect(walk.slots.some(({ text }) => text === "Hello, I am here")).toBe(true);
    }),
  );
});

test("a thread that fails is tried again with the next call", async () => {
  verifies("embeddings.token-ids");
  let begun = 0;
  const failing = new TokenTables(() => {
    begun += 1;
    return new Worker(URL.createObjectURL(new Blob(["throw new Error('no table')"])), { ref: false });
  });
  for (const _ of [1, 2]) await expect(failing.of("cl100k_base")).rejects.toThrow("token table");
  expect(begun).toBe(2);
});
