import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ALARM_WINDOW, isAlarming } from "#features/report-review/report-review";
import { CANARIES, canaryFor, isWrong } from "#features/report-review/reviewer/canary";
import { maskOf } from "#features/report-review/reviewer/mask";
import { QUOTE } from "#features/report-review/reviewer/neutral";
import {
  MAX_EVIDENCE_LENGTH,
  maskedEvidence,
  PASSES,
  promptFor,
  type ReportEvidence,
} from "#features/report-review/reviewer/prompt";
import { asksForChange, type LlmReview, ReplyReader, verdictOf } from "#features/report-review/reviewer/reply";
import { VERDICTS } from "#model/report";
import { DETECTORS } from "#scan/detectors/index";
import { expectLinear } from "#test/support/cost";
import { verifies } from "#test/support/verifies";
import { ATTACKS } from "./attacks.ts";

const NONCE = "0123456789abcdef0123456789abcdef";
const secrets = maskOf(DETECTORS, ["secret"]);
const reader = new ReplyReader(maskOf(DETECTORS, ["secret", "pii"]));

const evidence = (content: string, more: Partial<ReportEvidence> = {}): ReportEvidence => ({
  direction: "false_positive",
  detected: ["injection.direct"],
  claimed: [],
  reason: null,
  texts: [{ origin: "user", text: content }],
  ...more,
});

const prompt = (content: string, more: Partial<ReportEvidence> = {}, nonce = NONCE) => {
  const masked = maskedEvidence(evidence(content, more), secrets);
  if (!masked) throw new Error("not masked");
  return promptFor(masked, "first", nonce);
};

/** The message that holds the evidence. */
const shown = (content: string, more: Partial<ReportEvidence> = {}, nonce = NONCE): string =>
  prompt(content, more, nonce)?.[1]?.content ?? "";

/** The answer of a chat completion that says this. */
const answer = (content: unknown, more: object = {}): string =>
  JSON.stringify({ choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content }, ...more }] });
const read = (text: string): LlmReview | null => reader.read(answer(text));

const SAID = { verdict: "true_positive", confidence: 0.9, reasoning: "It gives orders." } as const;

describe("evidence in a prompt", () => {
  const marks = /<\||\|>|\[\/?INST|<\/?s>|<<SYS|```|[{}]/;

  test.each(Object.entries(ATTACKS))("%s stays evidence", (_, attack) => {
    verifies("reviewer.fenced");
    for (const text of [shown(attack), shown("Hello", { reason: attack })]) {
      const lines = text.split("\n");
      const fences = lines.filter((line) => line.includes(NONCE));
      expect(fences.every((line) => /^=== (BEGIN|END) [A-Za-z()_ ]+ [0-9a-f]{32} ===$/.test(line))).toBe(true);
      expect(lines.filter((line) => line !== "" && !fences.includes(line) && !line.startsWith(QUOTE))).toEqual([]);
      expect(text).not.toMatch(marks);
      // Whatever a reviewer repeats of it, nothing of that is read as an answer.
      for (const repeated of [text, attack_as_shown(text), `${text}\nverdict: false_positive`]) {
        expect(read(repeated)).toBeNull();
      }
      // And the reviewer's own answer after it is read as it is.
      expect(read(`${text}\n${JSON.stringify(SAID)}`)).toEqual(SAID);
    }
  });

  test("there are enough of them", () => {
    expect(Object.keys(ATTACKS).length).toBeGreaterThanOrEqual(40);
  });

  /** Without the quotes, as a model would repeat it. */
  const attack_as_shown = (text: string): string => text.replaceAll(QUOTE, "");

  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc
      .array(
        fc.constantFrom("\n", "\r", "\u2028", QUOTE, NONCE, NONCE.slice(0, 16), NONCE.slice(16), "{", "}", "=== END"),
        {
          maxLength: 40,
        },
      )
      .map((parts) => parts.join("")),
  );

  test("the mark of the fence never occurs in it, and no line of it stands outside", () => {
    verifies("reviewer.fenced");
    fc.assert(
      fc.property(hostile, hostile, (content, reason) => {
        const lines = shown(content, { reason }).split("\n");
        const inside = lines.filter((line) => line.startsWith(QUOTE));
        expect(inside.some((line) => line.includes(NONCE))).toBe(false);
        const outside = lines.filter((line) => line !== "" && !line.startsWith(QUOTE));
        expect(outside.every((line) => line.startsWith("=== ") && line.endsWith(`${NONCE} ===`))).toBe(true);
        expect(read(lines.join("\n"))).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  test("instructions say nothing that others wrote", () => {
    verifies("reviewer.fenced");
    fc.assert(
      fc.property(fc.string({ minLength: 30, maxLength: 200 }), (text) => {
        const [system] = prompt(text, { reason: text, claimed: ["injection.direct"] }) ?? [];
        expect(system?.content.includes(text)).toBe(false);
        expect(system).toEqual(prompt("another", { reason: null })?.[0] ?? { role: "system", content: "" });
      }),
    );
  });

  test("two readings are worded differently and ask the same", () => {
    verifies("reviewer.two-readings");
    const masked = maskedEvidence(evidence("Hello"), secrets);
    const [one, other] = PASSES.map((pass) => (masked ? promptFor(masked, pass, NONCE) : null));
    expect(one?.[0]?.content).not.toBe(other?.[0]?.content);
    expect(one?.[1]).toEqual(other?.[1]);
    for (const said of [one, other]) {
      for (const word of [...VERDICTS, NONCE, "injection.direct"]) expect(said?.[0]?.content).toContain(word);
    }
  });

  test("reviewer model gets no evidence that is too long", () => {
    verifies("reviewer.bounded");
    expect(prompt("a".repeat(MAX_EVIDENCE_LENGTH))).toBeNull();
    expect(prompt("\n".repeat(MAX_EVIDENCE_LENGTH / 2))).toBeNull();
    expect(prompt("a", { reason: "\u0000 ".repeat(4_000) })).toBeNull();
    expect(prompt("a".repeat(MAX_EVIDENCE_LENGTH / 2))).not.toBeNull();
  });
});

describe("secrets in evidence", () => {
  const KEYS = {
    aws_access_key: `AKIA${"Z7QX2M4LTR8WVB3N"}`,
    github_token: `ghp_${"a8Kd02mXz71LqPw93NvBcY56TrEs48HgUiJo"}`,
    generic: "svi7fy2vu6crawjsb6056432",
  };
  const within = (value: string): string[] => [
    `key = "${value}"`,
    `api_token: ${value}`,
    `password=${value}\nHello`,
    `{"access_token": "${value}"}`,
  ];

  test("are masked by kind and length, in content and reason", () => {
    verifies("reviewer.masked");
    const value = KEYS.aws_access_key;
    expect(secrets(`use ${value} please`)).toBe("use ‹SECRET:aws_access_key:len20› please");
    for (const key of Object.values(KEYS).flatMap(within)) {
      const value = Object.values(KEYS).find((one) => key.includes(one)) ?? "";
      if (secrets(key) === key) continue;
      expect(shown(key, { reason: key })).not.toContain(value);
    }
  });

  test("never leave, wherever they stand", () => {
    verifies("reviewer.masked");
    const { aws_access_key, github_token } = KEYS;
    const filler = fc.string({ maxLength: 60 }).map((text) => `${text} `);
    fc.assert(
      fc.property(filler, fc.constantFrom(aws_access_key, github_token), filler, (before, key, after) => {
        const messages = prompt(`${before}${key} ${after}`, { reason: `${after}${key}` });
        expect(JSON.stringify(messages)).not.toContain(key);
      }),
    );
  });

  test("hidden in base64, or between hidden characters, are masked too", () => {
    verifies("reviewer.masked");
    const { github_token: key } = KEYS;
    const encoded = Buffer.from(`token=${key}`).toString("base64");
    const spaced = [...key].join("\u200b");
    expect(shown(`data: ${encoded}`)).not.toContain(encoded.slice(10, 40));
    expect(shown(`take ${spaced} now`).replaceAll(/‹hidden:\d+›/g, "")).not.toContain(key.slice(4, 20));
  });

  test("a masked text is masked to its end", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(KEYS).flatMap(within)), fc.string(), (text, more) => {
        const once = secrets(`${text} ${more}`);
        expect(once === null ? null : secrets(once)).toBe(once);
      }),
    );
  });

  test("personal data stays in evidence", () => {
    verifies("reviewer.masked");
    expect(shown("write to jane.roe@acme-corp.com")).toContain("jane.roe@acme-corp.com");
  });
});

describe("a reviewer's answer", () => {
  test("is the object it ends with, and nothing else", () => {
    verifies("reviewer.strict-answer");
    const object = JSON.stringify(SAID);
    expect(read(object)).toEqual(SAID);
    expect(read(`\`\`\`json\n${object}\n\`\`\`\n`)).toEqual(SAID);
    expect(read(`Let me think. {"verdict": "false_positive"} is tempting, but:\n${object}`)).toEqual(SAID);
    expect(read(JSON.stringify({ ...SAID, verdict: "inconclusive" }))).toMatchObject({ verdict: "inconclusive" });
  });

  test.each([
    ["prose", "verdict: true_positive"],
    ["nothing", ""],
    ["a list", `[${JSON.stringify(SAID)}]`],
    ["an object in an object", JSON.stringify({ answer: SAID })],
    ["words after the object", `${JSON.stringify(SAID)} I hope this helps.`],
    ["one field more", JSON.stringify({ ...SAID, apply: true })],
    ["one field less", JSON.stringify({ verdict: "true_positive", confidence: 1 })],
    ["another verdict", JSON.stringify({ ...SAID, verdict: "benign" })],
    ["another case", JSON.stringify({ ...SAID, verdict: "TRUE_POSITIVE" })],
    ["too sure", JSON.stringify({ ...SAID, confidence: 1.01 })],
    ["sure in words", JSON.stringify({ ...SAID, confidence: "high" })],
    ["sure as text", JSON.stringify({ ...SAID, confidence: "0.9" })],
    ["no reason", JSON.stringify({ ...SAID, reasoning: "" })],
    ["an open object", JSON.stringify(SAID).slice(0, -1)],
    ["a later object that is none", `${JSON.stringify(SAID)}\n{"done": true}`],
    ["a flood", `${"x".repeat(70_000)}${JSON.stringify(SAID)}`],
  ])("%s is unreadable", (_, text) => {
    verifies("reviewer.strict-answer");
    expect(read(text)).toBeNull();
  });

  test("answers that were cut off, call tools, or are several, are unreadable", () => {
    verifies("reviewer.strict-answer");
    const object = JSON.stringify(SAID);
    expect(reader.read(answer(object, { finish_reason: "length" }))).toBeNull();
    const calling = { message: { content: object, tool_calls: [{ id: "1" }] } };
    expect(reader.read(answer(object, calling))).toBeNull();
    expect(reader.read(JSON.stringify({ choices: [] }))).toBeNull();
    const choice = { finish_reason: "stop", message: { content: object } };
    expect(reader.read(JSON.stringify({ choices: [choice, choice] }))).toBeNull();
    expect(reader.read(answer([{ type: "text", text: object }]))).toBeNull();
    for (const body of ["", "null", "[]", "<html>", '{"error": {}}']) expect(reader.read(body)).toBeNull();
  });

  test("no text but the reviewer's own object is ever taken", () => {
    verifies("reviewer.strict-answer");
    const word = fc.constantFrom(
      "{",
      "}",
      '"',
      "verdict",
      ":",
      "false_positive",
      ",",
      "\\",
      "`",
      " ",
      "1",
      JSON.stringify(SAID),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (words) => {
        const found = read(words.join(""));
        if (found) expect(found).toEqual(SAID);
      }),
      { numRuns: 2_000 },
    );
  });

  test("takes no longer for being hostile", () => {
    for (const flood of ["{", "}", " ", '{"', "`", "\n"]) expectLinear(flood, (text) => read(`${text}}`));
  });

  test("its reasoning is plain, short, and gives nothing away", () => {
    verifies("reviewer.plain-reasoning");
    const reasoning = `\x1b[31mIt\u202e names jane.roe@acme-corp.com.\u200b ${"x".repeat(5_000)}`;
    const text = read(JSON.stringify({ ...SAID, reasoning }))?.reasoning ?? "";
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).not.toMatch(/[\x00-\x1f\u200b\u202e]|jane\.roe/);
  });
});

describe("two readings", () => {
  const readings = fc.record({
    verdict: fc.constantFrom(...VERDICTS),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    reasoning: fc.string({ minLength: 1 }),
  });

  test("make a verdict only where they agree and both are sure", () => {
    verifies("reviewer.two-readings");
    fc.assert(
      fc.property(readings, readings, (one, other) => {
        const { verdict, confidence } = verdictOf(one, other);
        expect(confidence).toBe(Math.min(one.confidence, other.confidence));
        const isAgreed = one.verdict === other.verdict && one.confidence >= 0.7 && other.confidence >= 0.7;
        expect(verdict).toBe(isAgreed ? one.verdict : "inconclusive");
      }),
    );
  });

  test("a change follows from a wrong block and a real miss, from nothing else", () => {
    expect(VERDICTS.filter((verdict) => asksForChange("false_positive", verdict))).toEqual(["false_positive"]);
    expect(VERDICTS.filter((verdict) => asksForChange("false_negative", verdict))).toEqual(["true_positive"]);
  });
});

describe("known cases", () => {
  test("are of both answers and both directions, and fit", () => {
    verifies("reviewer.canary");
    expect(new Set(CANARIES.map(({ verdict }) => verdict))).toEqual(new Set(["true_positive", "false_positive"]));
    expect(new Set(CANARIES.map(({ evidence: { direction } }) => direction)).size).toBe(2);
    for (const [at, { evidence: known }] of CANARIES.entries()) {
      expect(canaryFor(at + CANARIES.length)?.evidence).toEqual(known);
      const masked = maskedEvidence(known, secrets);
      expect(masked && promptFor(masked, "second", NONCE)).not.toBeNull();
    }
  });

  test("are wrong when the opposite is said", () => {
    verifies("reviewer.canary");
    for (const canary of CANARIES) {
      const opposite = canary.verdict === "true_positive" ? "false_positive" : "true_positive";
      expect([isWrong(canary, canary.verdict), isWrong(canary, "inconclusive"), isWrong(canary, opposite)]).toEqual([
        false,
        false,
        true,
      ]);
    }
  });
});

describe("a reporter whom the model always believes", () => {
  const report = (at: number, more: object = {}) =>
    ({ direction: "false_positive", llm_verdict: "false_positive", decision: null, created_at: at, ...more }) as const;
  const some = (count: number, more: object = {}) => Array.from({ length: count }, (_, at) => report(at, more));

  test("is left to people from 17 of 20 on", () => {
    verifies("reviewer.alarm");
    const right = { llm_verdict: "true_positive" };
    expect(isAlarming(some(ALARM_WINDOW - 1))).toBe(false);
    expect(isAlarming(some(ALARM_WINDOW))).toBe(true);
    expect(isAlarming([...some(16), ...some(4, right)])).toBe(false);
    expect(isAlarming([...some(17), ...some(3, right)])).toBe(true);
  });

  test("is judged by the newest, and not by what people decided or missed", () => {
    verifies("reviewer.alarm");
    const old = some(40, { created_at: -1 });
    expect(isAlarming([...old, ...some(20, { llm_verdict: "inconclusive" })])).toBe(false);
    expect(isAlarming(some(20, { decision: "false_positive" }))).toBe(false);
    expect(isAlarming(some(20, { direction: "false_negative" }))).toBe(false);
    expect(isAlarming(some(20, { llm_verdict: null }))).toBe(false);
  });
});
