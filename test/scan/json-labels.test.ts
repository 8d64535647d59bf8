import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CustomRule } from "#scan/custom";
import { DEFAULT_POLICY } from "#scan/defaults";
import type { Span } from "#scan/redact";
import { redactInSlices, redactText, scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS, numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { REDACTING } from "./policies";
import { policyOf } from "./samples";

const span = (start: number, end: number, type = "a.b"): Span => ({ type, start, end, action: "redact" });
/** Redacts every place of each needle. */
const redact = (text: string, ...needles: string[]): string => {
  const spans = needles.flatMap((needle) =>
    [...text.matchAll(new RegExp(RegExp.escape(needle), "g"))].map(({ index }) => span(index, index + needle.length)),
  );
  return numbered(redactText(text, spans, LABELS));
};

const CARD = "4539148803436467";
const STRING = /"(?:\\.|[^"\\])*"/;
const TOKEN = new RegExp(`${STRING.source}|[-+.\\deE]+|true|false|null|[[\\]{},:]`, "g");

type Token = { readonly text: string; readonly start: number; readonly end: number };
const tokensOf = (json: string): Token[] =>
  [...json.matchAll(TOKEN)].map(({ 0: text, index }) => ({ text, start: index, end: index + text.length }));
const isStructure = ({ text }: Token): boolean => /^[[\]{},:]$/.test(text);

/** The same values in the same places, but for labels in place of those that a span touches. */
function expectRedacted(json: string, redacted: string, spans: readonly Pick<Span, "start" | "end">[]): void {
  JSON.parse(redacted);
  const before = tokensOf(json);
  const after = tokensOf(redacted);
  expect(after.length).toBe(before.length);
  before.forEach((token, at) => {
    const now = after[at]?.text ?? "";
    const isTouched = spans.some(({ start, end }) => start < token.end && end > token.start);
    if (!isTouched || isStructure(token)) expect(now).toBe(token.text);
    else if (token.text.startsWith('"')) expect(now).toMatch(/\[[a-z_.]+:[a-z0-9]+\]/);
    else expect(now).toMatch(/^"\[[a-z_.]+:[a-z0-9]+\]"$/);
  });
}

const word = fc.constantFrom(
  "Paid ",
  CARD,
  "78",
  "x",
  "caf\\u00e9",
  '\\"',
  "\\\\",
  "\\n",
  "\\ud83d\\ude00",
  "é",
  "{",
  ",",
);
const string = fc.array(word, { maxLength: 4 }).map((words) => `"${words.join("")}"`);
const number = fc.oneof(
  fc.constantFrom(CARD, `-${CARD}`, `${CARD}.5`, `0.${CARD}`, "6.02e+23", "0", "-0", "1787"),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const space = fc.constantFrom("", "", "", " ", "\n  ", "\t");
const value = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(number, string, fc.constantFrom("true", "false", "null")),
    fc.tuple(space, fc.array(tie("value"), { maxLength: 4 })).map(([s, items]) => `[${s}${items.join(`${s},${s}`)}]`),
    fc
      .tuple(space, fc.array(fc.tuple(string, tie("value")), { maxLength: 4 }))
      .map(([s, fields]) => `{${fields.map(([name, item]) => `${s}${name}${s}:${s}${item}`).join(",")}${s}}`),
  ),
})).value;
/** An object or array. */
const document = fc.tuple(value, value).map(([one, other]) => `{"card_number":${one},"b":[${other}]}`);
/** What JSON stands between in answers. */
const wraps = fc.constantFrom(["", ""], [" \n", "\n"], ["```json\n", "\n```"], ["```\n", "\n```\n"]);

describe("labels in a JSON text leave it JSON", () => {
  test("a number, or literal, becomes a quoted label as a whole", () => {
    verifies("scan.json-labels");
    expect(redact(`{"card":${CARD}}`, CARD)).toBe('{"card":"[a.b:1]"}');
    expect(redact(` [ -12.${CARD}e5 ] `, CARD)).toBe(' [ "[a.b:1]" ] ');
    expect(redact("[1234567,true,89]", "345", "ru")).toBe('["[a.b:1]","[a.b:2]",89]');
    expect(redact("[1234567]", "23", "56")).toBe('["[a.b:1]"]');
    expect(redact(`\`\`\`json\n{"card":${CARD}}\n\`\`\``, CARD)).toBe('```json\n{"card":"[a.b:1]"}\n```');
    expect(redact(`{"n":${CARD}}\n{"n":${CARD}}\n`, CARD)).toBe('{"n":"[a.b:1]"}\n{"n":"[a.b:1]"}\n');
  });

  test("in strings and names it is text; no escape sequence is left in part", () => {
    expect(redact(`{"${CARD}":"to ${CARD}."}`, CARD)).toBe('{"[a.b:1]":"to [a.b:1]."}');
    expect(redact('["a\\u00e9b\\n"]', "0e", "n")).toBe('["a[a.b:1]b[a.b:2]"]');
    expect(redact('["ab\\"c"]', "b\\")).toBe('["a[a.b:1]c"]');
  });

  test("a span over several values leaves what stands between them", () => {
    expect(redact('{"a":"xy","b":12}', 'y","b":1')).toBe('{"a":"x[a.b:1]","[a.b:1]":"[a.b:1]"}');
    expect(redact("[1, 2, 3]", ", 2, 3")).toBe('[1,"[a.b:1]","[a.b:1]"]');
  });

  test("JSON labels: invalid JSON is redacted as text", () => {
    expect(redact(CARD, CARD)).toBe("[a.b:1]");
    expect(redact(`Card: {"n":${CARD}}`, CARD)).toBe('Card: {"n":[a.b:1]}');
    expect(redact("[falcon] flies", "falcon")).toBe("[[a.b:1]] flies");
    expect(redact(`{"a":1} and ${CARD}`, CARD)).toBe('{"a":1} and [a.b:1]');
    expect(redact(`{a:${CARD}}`, CARD)).toBe("{a:[a.b:1]}");
    expect(redact(`["a\n${CARD}", ${CARD}]`, CARD)).toBe('["a\n[a.b:1]", [a.b:1]]');
  });

  test("whatever is covered, in one piece and in slices", async () => {
    verifies("scan.json-labels");
    const cuts = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 24 })), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(document, wraps, cuts, async (json, [open = "", close = ""], places) => {
        const text = `${open}${json}${close}`;
        const spans = places
          .map(([place, length]) => {
            const start = open.length + (place % json.length);
            return span(start, Math.min(start + length, open.length + json.length));
          })
          .sort((one, other) => one.start - other.start);
        const redacted = redactText(text, spans, LABELS);
        expect(redacted.startsWith(open) && redacted.endsWith(close)).toBe(true);
        const inner = spans.map(({ start, end }) => span(start - open.length, end - open.length));
        expectRedacted(json, redacted.slice(open.length, redacted.length - close.length), inner);
        expect(await redactInSlices(text, spans, LABELS, () => null)).toBe(redacted);
      }),
      { numRuns: 1000 },
    );
  });
});

test("a long text in slices, with spans by the thousand", async () => {
  const text = JSON.stringify(Array.from({ length: 6000 }, (_, n) => ({ n, card: Number(CARD), note: `to ${CARD}` })));
  const spans = [...text.matchAll(new RegExp(CARD, "g"))].map(({ index }) => span(index, index + CARD.length));
  let pauses = 0;
  const pause = (): null => {
    pauses += 1;
    return null;
  };
  const redacted = await redactInSlices(text, spans, LABELS, pause);
  expect(redacted).toBe(redactText(text, spans, LABELS));
  expect(pauses).toBeGreaterThan(40);
  const items: unknown[] = JSON.parse(numbered(redacted));
  expect(items.at(-1)).toEqual({ n: 5999, card: "[a.b:1]", note: "to [a.b:1]" });
});

/** Rules whose matches begin and end inside numbers, escapes and names, and go over the ends of strings. */
const RULES: CustomRule[] = [
  { id: "inner", pattern: "148\\d{3}", keywords: ["148"] },
  { id: "tail", pattern: "6467\\b", keywords: ["646"] },
  { id: "escape", pattern: "0e9", keywords: ["0e9"] },
  { id: "across", pattern: 'paid "\\s*[:,]\\s*\\S{1,4}', keywords: ["paid"] },
];
const CUSTOM = policyOf({
  custom: RULES,
  rules: [...DEFAULT_POLICY.rules, { type: "custom", thresholds: { redact: 0.5 } }],
});

describe("streamed, it is the same", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 40 });
  test.each([
    ["what is built in", REDACTING],
    ["rules of an operator", CUSTOM],
  ] as const)("under %s, however it is cut", (_, policy) => {
    verifies("scan.json-labels", "stream.hold-back");
    let redactions = 0;
    fc.assert(
      fc.property(document, wraps, sizes, fc.boolean(), (json, [open = "", close = ""], lengths, isLate) => {
        const text = `${open}${json}${close}`;
        const { findings } = scanText(policy, text, "output");
        const enforced = findings.filter(({ action }) => action === "redact");
        const whole = redactText(text, findings, LABELS);
        if (enforced.length > 0) redactions += 1;
        expectRedacted(
          json,
          whole.slice(open.length, whole.length - close.length),
          enforced.map(({ start, end }) => ({ start: start - open.length, end: end - open.length })),
        );
        const scanner = new StreamScanner(policy, "output", LABELS);
        let out = "";
        const ends: number[] = [];
        const release = (): void => {
          // Chunk by chunk, as they leave a stream.
          for (const end of isLate ? ends : [scanner.clearedTo]) {
            if (end <= scanner.clearedTo) out += scanner.release(end).text;
          }
        };
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const piece = text.slice(at, at + (lengths[turn % lengths.length] ?? 1));
          at += piece.length;
          scanner.push(piece);
          ends.push(at);
          release();
        }
        scanner.end();
        release();
        expect(out).toBe(whole);
      }),
      { numRuns: 700 },
    );
    expect(redactions).toBeGreaterThan(100);
  });

  test("a text that is cut off in a number is given out to its end", () => {
    const scanner = new StreamScanner(REDACTING, "output", LABELS);
    scanner.push('{"n": [1, 12');
    expect(scanner.clearedTo).toBe(10);
    scanner.end();
    expect(scanner.release(scanner.clearedTo).text).toBe('{"n": [1, 12');
  });
});
