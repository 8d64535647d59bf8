import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Finding } from "#scan/detector";
import { redactText, scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { Random } from "#test/eval/random";
import { LABELS, numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { honestTraffic } from "./honest/traffic";
import { SIGNERS } from "./honest/words";
import { MARKED, NONE_IN } from "./person-sentences";
import { actions, DEFAULT, found, policyOf, scan } from "./samples";

const TYPES = ["pii.person", "pii.location", "pii.address"] as const;
const running = (thresholds: { flag: number; redact?: number }) =>
  policyOf({ rules: TYPES.map((type) => ({ type, thresholds })) });
const NOTING = running({ flag: 0.5 });
const REDACTING = running({ flag: 0.5, redact: 0.5 });

describe("names, places and addresses in running text", () => {
  test.each([
    ["Please call Harriet Pemberton about the bill.", ["pii.person=Harriet Pemberton"]],
    ["Frau Annegret Lindemann wohnt in Leipzig.", ["pii.person=Annegret Lindemann", "pii.location=Leipzig"]],
    ["Hélène Marchetti habite à Grenoble.", ["pii.person=Hélène Marchetti", "pii.location=Grenoble"]],
    ["La señora Elena Castellanos vive en Zaragoza.", ["pii.person=Elena Castellanos", "pii.location=Zaragoza"]],
    ["Ship it to 48 Willow Lane, Springfield, IL 62704.", ["pii.address=48 Willow Lane, Springfield, IL 62704"]],
    ["Lieferung an Goethestraße 7, 80336 München bitte.", ["pii.address=Goethestraße 7, 80336 München"]],
    ["Il habite 7 avenue Victor Hugo, 75016 Paris.", ["pii.address=7 avenue Victor Hugo, 75016 Paris"]],
    ["Vive en Calle Alcalá 45, 28014 Madrid.", ["pii.address=Calle Alcalá 45, 28014 Madrid"]],
    ["from Ludwig van der Berg, yes", ["pii.person=Ludwig van der Berg"]],
    ["It is Harriet Pemberton's bill.", ["pii.person=Harriet Pemberton"]],
  ])("%s", (text, expected) => {
    verifies("scan.running-names");
    expect(found(text, "user", NOTING)).toEqual(expected);
  });

  test.each(NONE_IN)("none in: %s", (text) => {
    verifies("scan.running-names");
    expect(found(text, "user", NOTING)).toEqual([]);
  });

  test("the built-in policy notes addresses, and persons and places only where it is told to", () => {
    verifies("scan.running-names-off");
    const text = "Harriet Pemberton lives in Leeds. Ship to 48 Willow Lane, Springfield, IL 62704.";
    expect(actions(text)).toEqual(["pii.address:flag"]);
    expect(actions(text, "user", policyOf({ rules: [{ type: "pii", thresholds: { flag: 0.5 } }] }))).toEqual([
      "pii.person:flag",
      "pii.location:flag",
      "pii.address:flag",
    ]);
    expect(actions(text, "tool_definition", NOTING)).toEqual([]);
  });
});

type Counts = { labels: number; found: number; findings: number; right: number };

/** The text without marks, and where they were. */
function unmarked(marked: string) {
  const spans: { kind: string; start: number; end: number }[] = [];
  let text = "";
  for (const part of marked.split(/(\[[NPA]:[^\]]*\])/)) {
    const mark = /^\[([NPA]):([^\]]*)\]$/.exec(part);
    const value = mark ? (mark[2] ?? "").split("|")[0] : part;
    if (mark) spans.push({ kind: mark[1] ?? "", start: text.length, end: text.length + (value ?? "").length });
    text += value;
  }
  return { text, spans };
}

const isKind = (kind: string, { type }: Finding): boolean =>
  kind === "N" ? type === "pii.person" : type === "pii.location" || type === "pii.address";

function countsOf(sentences: readonly string[]): Counts {
  const counts = { labels: 0, found: 0, findings: 0, right: 0 };
  for (const { text, spans } of sentences.map(unmarked)) {
    const { findings } = scan(text, "user", NOTING);
    const meets = (one: Finding, span: (typeof spans)[number]): boolean =>
      isKind(span.kind, one) && one.start < span.end && span.start < one.end;
    counts.labels += spans.length;
    counts.found += spans.filter((span) => findings.some((one) => meets(one, span))).length;
    counts.findings += findings.length;
    counts.right += findings.filter((one) => spans.some((span) => meets(one, span))).length;
  }
  return counts;
}

test.each(Object.entries(MARKED))(
  "sentences nothing was trained on, %s: recall 0.75 at precision 0.80",
  (_, sentences) => {
    verifies("scan.running-names");
    const { labels, found: hit, findings, right } = countsOf(sentences);
    expect(labels).toBeGreaterThanOrEqual(30);
    expect(hit / labels).toBeGreaterThanOrEqual(0.75);
    expect(right / findings).toBeGreaterThanOrEqual(0.8);
  },
);

test("of honest traffic at most 0.5 % has a name that is none, with names looked for", () => {
  verifies("scan.running-names");
  const texts = honestTraffic(new Random(20_261_124), 8000);
  const wrong = texts.flatMap(({ text, origin }) =>
    scan(text, origin, NOTING).findings.flatMap(({ type, start, end }) => {
      const value = text.slice(start, end);
      return SIGNERS.includes(value) ? [] : [`${type}=${value}`];
    }),
  );
  expect(wrong.length <= texts.length * 0.005 ? [] : wrong.slice(0, 20)).toEqual([]);
});

const PARTS = [
  "Harriet Pemberton",
  "Frau ",
  "Dear Mr. ",
  "Annegret",
  " Lindemann",
  " van der ",
  "Leipzig",
  "New ",
  "York",
  "48 Willow Lane",
  "12 rue de la ",
  "Paix",
  "Goethestraße 7",
  ", 80336 München",
  "Springfield, IL 62704",
  "O'Neil",
  "Harriet's",
  "J. ",
  "JOHN SMITH",
  "lives at ",
  "The ",
  "Hello",
  "in ",
  " ",
  "\n",
  ", ",
  ". ",
  "(",
  '"',
  ": ",
  "12",
  "1999, ",
  "é",
  "Zoë",
  "\u200b",
  "日本",
  "-",
];

test("however a text is cut, names, places and addresses are those of the whole text", () => {
  verifies("scan.running-names-streamed");
  const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 14 }).map((parts) => parts.join(""));
  const sizes = fc.array(fc.integer({ min: 1, max: 19 }), { minLength: 1, maxLength: 9 });
  for (const policy of [REDACTING, NOTING]) {
    fc.assert(
      fc.property(texts, sizes, (text, lengths) => {
        const scanner = new StreamScanner(policy, "output", LABELS);
        let out = "";
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = lengths[i % lengths.length] ?? 1;
          scanner.push(text.slice(at, at + size));
          at += size;
          expect(scanner.pushedTo - scanner.clearedTo).toBeLessThanOrEqual(policy.holdBack("output"));
          out += scanner.release(scanner.clearedTo).text;
        }
        scanner.end();
        out += scanner.release(scanner.clearedTo).text;
        const { findings } = scanText(policy, text, "output");
        expect(scanner.findings).toEqual(findings);
        expect(out).toBe(
          redactText(
            text,
            findings.filter(({ action }) => action === "redact"),
            LABELS,
          ),
        );
      }),
      { numRuns: 1500 },
    );
  }
});

test("in a stream a name waits for the word behind it, and what is none for its end", () => {
  verifies("scan.running-names-streamed");
  const held = (text: string): string => {
    const scanner = new StreamScanner(REDACTING, "output", LABELS);
    scanner.push(text);
    return text.slice(scanner.clearedTo);
  };
  expect(held("I asked Harriet Pember")).toBe("Harriet Pember");
  expect(held("I asked Harriet Pemberton about it. ")).toBe("");
  expect(held("The parser is done. ")).toBe("");
  expect(held("It goes to 12 rue de la ")).toBe("12 rue de la ");
  expect(held("Goethestraße 7,")).toBe("7,");
  // Noting delays nothing.
  const noting = new StreamScanner(DEFAULT, "output", LABELS);
  noting.push("I asked Harriet Pember");
  expect(noting.clearedTo).toBe(22);
});

test("equal names have equal labels", () => {
  const text = "Harriet Pemberton called. Please call Harriet Pemberton back.";
  const { findings } = scan(text, "user", REDACTING);
  expect(numbered(redactText(text, findings, LABELS))).toBe("[pii.person:1] called. Please call [pii.person:1] back.");
});
