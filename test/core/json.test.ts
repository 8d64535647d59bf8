import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson, isRecord, type JsonRecord } from "#core/json/json";
import { canonicalNumber, digitsOf, exactNumber, isExactNumber, numberOf, withDoubles } from "#core/json/json-number";
import { parseExact, parseExactly, readJson, readJsonSliced } from "#core/json/json-reader";
import { stringifySliced } from "#core/json/json-writer";
import { textsOfAnswer, textsOfRequest, walkOfAnswer, walkOfRequest } from "#guard/apis/chat-texts";
import { walkSliced } from "#scan/texts/text-walk";
import { verifies } from "#test/support/verifies";

const digits = (most: number) => fc.stringMatching(new RegExp(`^(?:0|[1-9][0-9]{0,${most}})$`));
/** Any JSON number, as it may be written. */
const number = fc
  .tuple(
    fc.constantFrom("", "-"),
    digits(30),
    fc.stringMatching(/^(?:\.\d{1,20})?$/),
    fc.stringMatching(/^(?:[eE][+-]?\d{1,3})?$/),
  )
  .map((parts) => parts.join(""));
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("__proto__", "toJSON", "rawJSON", "1"),
);

/** A JSON document as written, with spaces and escapes where they may stand, and names twice when asked for. */
const written = (repeats: boolean) => {
  const space = fc.constantFrom("", "", "", " ", "\n\t ");
  const quoted = fc
    .tuple(text, fc.boolean())
    .map(([it, isEscaped]) => {
      const json = JSON.stringify(it);
      return isEscaped ? json.replace(/[a-z](?=[^\\]*$)/i, (c) => `\\u00${c.charCodeAt(0).toString(16)}`) : json;
    })
    .filter((it) => {
      try {
        return typeof JSON.parse(it) === "string";
      } catch {
        return false;
      }
    });
  const { document } = fc.letrec<{ document: string; list: string; record: string }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom("null", "true", "false"),
      number,
      quoted,
      tie("list"),
      tie("record"),
    ),
    list: fc
      .array(
        fc.tuple(space, tie("document"), space).map((it) => it.join("")),
        { maxLength: 6 },
      )
      .map((it) => `[${it.join(",")}]`),
    record: fc
      .uniqueArray(fc.tuple(space, quoted, space, tie("document"), space), {
        maxLength: 40,
        selector: ([, name]) => (repeats ? Math.random() : String(JSON.parse(name))),
      })
      .map((fields) => `{${fields.map(([a, name, b, value, c]) => `${a}${name}${b}:${value}${c}`).join(",")}}`),
  }));
  return fc.tuple(space, document, space).map((it) => it.join(""));
};

/** The tokens of a document: what must be the same, however it is spaced and escaped. */
const tokens = (json: string): string[] =>
  [...json.matchAll(/"(?:[^"\\]|\\.)*"|[,:{}[\]]|[^\s",:{}[\]]+/g)].map(([token]) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token,
  );

const never = async (): Promise<void> => {};
const doubles = (value: unknown): unknown => JSON.parse(JSON.stringify(withDoubles(value, 1_000)) ?? "null");

describe("a document that is read", () => {
  test("numbers are written back digit for digit, everything else as it is", () => {
    verifies("json.exact");
    fc.assert(
      fc.property(written(false), (json) => {
        const { value, repeated } = readJson(json);
        expect(repeated).toBeNull();
        for (const out of [JSON.stringify(value), JSON.stringify(parseExactly(json))]) {
          // An engine puts names that are whole numbers first.
          if (!/"\d+"\s*:/.test(json)) expect(tokens(out)).toEqual(tokens(json));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("is, but for its numbers, what JSON.parse makes of it, repeated names included", () => {
    fc.assert(
      fc.property(written(true), (json) => {
        const native: unknown = JSON.parse(json);
        // Not JSON.stringify of the parse: that would lose -0 and 1E400 in both.
        expect(JSON.stringify(doubles(readJson(json).value))).toBe(JSON.stringify(native));
        expect(JSON.stringify(doubles(parseExactly(json)))).toBe(JSON.stringify(native));
      }),
      { numRuns: 500 },
    );
  });

  test("JSON reader refuses exactly what JSON.parse refuses", () => {
    const broken = fc
      .tuple(
        written(true),
        fc.nat(),
        fc.constantFrom("", ",", "}", "]", '"', "\\", "\u0001", "-", "0", ".", "e", "x", ":", "\u00a0"),
      )
      .map(([json, at, odd]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + odd + json.slice(place + (odd === "" ? 1 : 0));
      });
    const isJson = (read: (json: string) => unknown, json: string): boolean => {
      try {
        read(json);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        return false;
      }
    };
    fc.assert(
      fc.property(broken, (json) => {
        const expected = isJson(JSON.parse, json);
        expect([json, isJson(readJson, json)]).toEqual([json, expected]);
        expect([json, isJson(readJson, json + " ".repeat(70_000))]).toEqual([json, expected]);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    "",
    " ",
    "01",
    "-",
    "1.",
    ".5",
    "1e",
    "+1",
    '"',
    '"a',
    '"\\x"',
    '"\\u12"',
    "nul",
    "[",
    "[1,]",
    '{"a"}',
    '{"a":}',
    "{,}",
    "1 2",
    '"\t"',
    "[1}",
    "\u00a01",
  ])("%j is no JSON", (json) => {
    expect(parseExact(json)).toBeUndefined();
    expect(() => readJson(json)).toThrow(SyntaxError);
  });

  test.each([
    ['{"a":1,"a":2}', ""],
    ['{"a":1,"\\u0061":2}', ""],
    ['{"x":[0,{"b":{"a":1,"c":2,"a":3}}]}', "x[1].b"],
    [`{${Array.from({ length: 100 }, (_, n) => `"n${n}":1`).join(",")},"n3":2}`, ""],
    [`{${Array.from({ length: 100 }, (_, n) => `"n${n % 30}":1`).join(",")}}`, ""],
    [`{"pad":"${"x".repeat(70_000)}","in":{"__proto__":1,"__proto__":2}}`, "in"],
  ])("a name given twice is told, with where: %.40s", (json, place) => {
    verifies("json.repeated-names");
    expect(readJson(json).repeated).toBe(place);
    expect(JSON.stringify(doubles(readJson(json).value))).toBe(JSON.stringify(JSON.parse(json)));
  });

  test("`__proto__` is a name like any other", () => {
    const json = '{ "__proto__": {"isAdmin": 1.0}, "a": 12345678901234567890 }';
    const value = readJson(json).value as JsonRecord;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value["isAdmin"]).toBeUndefined();
    expect(JSON.stringify(value)).toBe('{"__proto__":{"isAdmin":1.0},"a":12345678901234567890}');
    expect(Object.hasOwn(Object(withDoubles(value)), "__proto__")).toBe(true);
  });

  test("depth costs no stack", async () => {
    const deep = `${"[".repeat(200_000)}1.0${"]".repeat(200_000)}`;
    for (const { value } of [readJson(deep), await readJsonSliced(deep, never)]) {
      let depth = 0;
      for (let at: unknown = value; Array.isArray(at); at = at[0]) depth += 1;
      expect(depth).toBe(200_000);
      expect(await stringifySliced(value, never)).toBe(deep);
    }
  });

  test("a long string is read natively: escapes and halves of characters survive every cut", async () => {
    const pattern = fc.constantFrom("a", '\\"', "\\\\", "\\ud83d\\ude00", "😀", "\\n", "\\u0041", "é", "x".repeat(50));
    await fc.assert(
      fc.asyncProperty(fc.array(pattern, { minLength: 1, maxLength: 9 }), fc.nat(9), async (parts, shift) => {
        const body = "y".repeat(shift) + parts.join("").repeat(Math.ceil(150_000 / parts.join("").length));
        const json = `{"${body}":["${body}",1.0]}`;
        const value = await readJsonSliced(json, never, 64);
        expect(JSON.stringify(value.value) === JSON.stringify(JSON.parse(json)).replace(/1\]\}$/, "1.0]}")).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe("in slices", () => {
  test("reading, walking and writing come to the same, however short the slices are", async () => {
    verifies("json.sliced");
    await fc.assert(
      fc.asyncProperty(written(true), fc.integer({ min: 1, max: 300 }), async (json, slice) => {
        let pauses = 0;
        const pause = async (): Promise<void> => {
          pauses += 1;
        };
        const whole = readJson(json);
        const sliced = await readJsonSliced(json, pause, slice);
        expect(sliced.repeated).toBe(whole.repeated);
        expect(JSON.stringify(sliced.value)).toBe(JSON.stringify(whole.value));
        expect(await stringifySliced(whole.value, pause, slice)).toBe(JSON.stringify(whole.value));
        if (json.length > 200 * slice) expect(pauses).toBeGreaterThan(0);

        const inString = JSON.stringify(json);
        const body = `{"messages":[{"role":"user","content":${json}},{"tool_calls":[{"function":{"arguments":${inString}}}]}],"x":${json}}`;
        const [one, other] = [readJson(body).value as JsonRecord, readJson(body).value as JsonRecord];
        const texts = textsOfRequest(one, 20);
        const walked = await walkSliced(walkOfRequest(other, 20), pause, slice);
        const plain = (it: typeof texts) => it.slots.map(({ param, origin, text }) => [param, origin, text]);
        expect(plain(walked)).toEqual(plain(texts));
        expect(walked.gaps).toEqual(texts.gaps);
        for (const it of [texts, walked]) {
          for (const slot of it.slots) slot.replace(slot.text.replaceAll("a", "[b]"));
          it.settle?.();
        }
        expect(JSON.stringify(other)).toBe(JSON.stringify(one));
      }),
      { numRuns: 200 },
    );
  });

  test("an answer's log probabilities are walked in slices too, and come to the same", async () => {
    verifies("json.sliced");
    const bodyOf = (said: string): JsonRecord => ({
      choices: [
        { message: { content: "other words" }, logprobs: readJson(`{"content":[${said}],"x":[${said}]}`).value },
        { message: { content: "more" }, logprobs: { content: Array.from({ length: 40 }, () => ({ token: "word" })) } },
      ],
      x: "at last",
    });
    const never = async (): Promise<void> => {};
    await fc.assert(
      fc.asyncProperty(written(true), fc.integer({ min: 1, max: 300 }), async (json, slice) => {
        const token = `{"token":"Write to ","logprob":-0.5,"4929123456781234":4929123456781234}`;
        const said = `${token},${json},${token}`;
        const [one, other] = [bodyOf(said), bodyOf(said)];
        const texts = textsOfAnswer(one, 20);
        const walked = await walkSliced(walkOfAnswer(other, 20), never, slice);
        const plain = (it: typeof texts) => it.slots.map(({ param, origin, text }) => [param, origin, text]);
        expect(plain(walked)).toEqual(plain(texts));
        expect(walked.gaps).toEqual(texts.gaps);
        for (const it of [texts, walked]) for (const slot of it.slots) slot.replace("[b]");
        expect(JSON.stringify(other)).toBe(JSON.stringify(one));
      }),
    );
    const walk = walkOfAnswer(
      { choices: [{ logprobs: { content: Array.from({ length: 1_000 }, () => ({ token: "word" })) } }] },
      20,
    );
    expect(walk.run(500)).toBe(false);
    expect(walk.run()).toBe(true);
  });

  test("JSON writer omits undefined values as JSON.stringify does", async () => {
    const value = { a: undefined, b: [undefined, 1, Number.NaN], c: { d: undefined }, e: "\ud800", f: new Date(0) };
    expect(await stringifySliced(value, never, 1)).toBe(JSON.stringify(value));
  });
});

describe("a number", () => {
  test("is a double where that loses nothing, and no record where it is none", () => {
    for (const source of ["0", "1", "-5", "1.5", "0.7", "123456789012345", "9007199254740991"]) {
      expect(exactNumber(source)).toBe(Number(source));
    }
    for (const source of ["-0", "1.0", "1E400", "1326712345678901237", "1e3", "0.10"]) {
      const exact = exactNumber(source);
      expect(isExactNumber(exact)).toBe(true);
      expect(isRecord(exact)).toBe(false);
      expect(numberOf(exact)).toBe(Number(source));
      expect(JSON.stringify([exact])).toBe(`[${source}]`);
    }
  });

  test.each([
    ["6212345678901234567", "6212345678901234567"],
    ["6212345678901234567.0", "6212345678901234567"],
    ["6.212345678901234567E18", "6212345678901234567"],
    ["62123456789012345670e-1", "6212345678901234567"],
    ["-17.50", "-17.5"],
    ["0.00120e2", "0.12"],
    ["12e-4", "0.0012"],
    ["-0", "-0"],
    ["0.0", "0"],
    ["1E400", "1E400"],
  ])("%s is scanned as %s", (source, shown) => {
    expect(digitsOf(JSON.rawJSON(source))).toBe(shown);
  });

  test("equal numbers have equal hashes, numbers that only doubles take for equal have not", () => {
    const same = (one: string, other: string) =>
      canonicalJson(parseExactly(one)) === canonicalJson(parseExactly(other));
    expect(same('{"b":1.0,"a":1e2}', '{"a":100,"b":1}')).toBe(true);
    expect(same('{"id":1326712345678901237}', '{"id":1326712345678901200}')).toBe(false);
    expect(canonicalNumber(JSON.rawJSON("100.0"))).toBe(100);
  });
});
