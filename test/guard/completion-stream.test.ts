import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { isRecord } from "#core/json/json";
import { COMPLETIONS } from "#guard/apis/completions";
import { StreamGuard } from "#guard/stream/guard";
import type { CompiledPolicy } from "#scan/policy";
import { redactText, scanText } from "#scan/scan";
import { REDACTING } from "#test/scan/policies";
import { PERSONAL, policyOf, SECRETS } from "#test/scan/samples";
import { LABELS } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { callUnder } from "./call-fixture";

const BLOCKING = policyOf({ rules: [{ type: "secret.aws_access_key", thresholds: { block: 0.5 } }] });
const FRAGMENTS = [
  ...[...Object.values(SECRETS), ...Object.values(PERSONAL)],
  ...Object.values(SECRETS).map((secret) => secret.slice(0, 9)),
  ...["@", "4539 1488 ", " ", "\n", '"', "\\", "def add(a, b):", "é", "🌍"],
];
const pieces = fc.array(
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 3 }).map((parts) => parts.join("")),
  { maxLength: 8 },
);
/** Nothing that could belong to a secret behind it. */
const harmless = fc.array(fc.array(fc.constantFrom(" ", "\n", "def add(a, b):", "é", "🌍"), { maxLength: 8 }), {
  minLength: 1,
  maxLength: 3,
});
const choices = fc.array(pieces, { minLength: 1, maxLength: 3 });
const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 30 });

const chunk = (index: number, text: string, finish_reason: string | null, hasLogprobs: boolean): string => {
  const logprobs = hasLogprobs ? { tokens: [text], token_logprobs: [-0.5], top_logprobs: [{ [text]: -0.5 }] } : null;
  const body = { id: "cmpl-1", object: "text_completion", created: 1, model: "m" };
  return `data: ${JSON.stringify({ ...body, choices: [{ index, text, logprobs, finish_reason }] })}\n\n`;
};

/** The pieces of all choices in turn, then their ends. */
const streamOf = (texts: readonly (readonly string[])[], hasLogprobs: boolean): string => {
  const longest = Math.max(...texts.map(({ length }) => length));
  const events = Array.from({ length: longest }, (_, at) =>
    texts.map((own, index) => (at < own.length ? chunk(index, own[at] ?? "", null, hasLogprobs) : "")),
  ).flat();
  return [...events, ...texts.map((_, index) => chunk(index, "", "stop", false)), "data: [DONE]\n\n"].join("");
};

const guarded = (policy: CompiledPolicy, stream: string, lengths: readonly number[]) => {
  const call = callUnder(policy);
  const events = COMPLETIONS.stream?.({ wantsUsage: true });
  if (!events) throw new Error("completions have streams");
  const guard = new StreamGuard(call, events, 100);
  const decoder = new TextDecoder();
  const bytes = Buffer.from(stream);
  let out = "";
  let error: GuardError | null = null;
  try {
    for (let at = 0, i = 0; at < bytes.length; i += 1) {
      const size = lengths[i % lengths.length] ?? 1;
      out += guard.push(decoder.decode(bytes.subarray(at, at + size), { stream: true }));
      at += size;
    }
    out += guard.end() + guard.lastEvent;
  } catch (thrown) {
    if (!(thrown instanceof GuardError)) throw thrown;
    error = thrown;
    out += guard.handOut() + guard.cutOff({ error: thrown, isBlock: thrown.code === "content_filter", isQuiet: false });
  }
  return { out, error };
};

type Choice = { readonly index: number; readonly text: string; readonly finish_reason: string | null };

const choicesIn = (out: string): Choice[] =>
  out
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .flatMap((event) => {
      const body: unknown = JSON.parse(event.slice(6));
      return isRecord(body) && Array.isArray(body["choices"]) ? body["choices"] : [];
    });

const textOf = (out: string, choice: number): string =>
  choicesIn(out)
    .filter(({ index }) => index === choice)
    .map(({ text }) => text)
    .join("");

describe("streamed completions", () => {
  test("say of each choice what its text is redacted to, however the bytes are cut", () => {
    verifies("completions.stream");
    fc.assert(
      fc.property(choices, sizes, fc.boolean(), (texts, lengths, hasLogprobs) => {
        const { out, error } = guarded(REDACTING, streamOf(texts, hasLogprobs), lengths);
        expect(error).toBeNull();
        for (const [index, own] of texts.entries()) {
          const whole = own.join("");
          const left = redactText(whole, scanText(REDACTING, whole, "output").findings, LABELS);
          expect(textOf(out, index) === left).toBe(true);
        }
        expect(out.endsWith("data: [DONE]\n\n")).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("end each open choice with content_filter where one is blocked, and log probabilities repeat nothing", () => {
    verifies("completions.stream", "completions.blocks", "completions.logprobs");
    fc.assert(
      fc.property(harmless, sizes, fc.nat({ max: 8 }), (texts, lengths, at) => {
        const key = SECRETS.awsAccessKey;
        const [first = [], ...others] = texts;
        const own = [...first.slice(0, at), "\n", key.slice(0, 8), key.slice(8), " is it."];
        const { out, error } = guarded(BLOCKING, streamOf([own, ...others], true), lengths);
        expect(error?.code).toBe("content_filter");
        expect(out.includes(key)).toBe(false);
        const ends = choicesIn(out).filter(({ finish_reason }) => finish_reason !== null);
        expect(ends.every(({ finish_reason, text }) => finish_reason === "content_filter" && text === "")).toBe(true);
        expect(ends.some(({ index }) => index === 0)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
