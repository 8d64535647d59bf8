import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS, numbered } from "#test/support/labels";
import { REDACTING } from "./policies";
import { DEFAULT, PERSONAL, policyOf, SECRETS, uniform } from "./samples";

const NO_EMAIL = policyOf({
  rules: [
    { type: "secret", thresholds: { redact: 0.5 } },
    { type: "secret.generic", thresholds: { flag: 0 } },
    { type: "pii.credit_card", thresholds: { redact: 0 } },
    { type: "pii.phone", thresholds: { redact: 0 } },
    { type: "pii.iban", thresholds: { redact: 0 } },
    { type: "injection", thresholds: { flag: 0 } },
  ],
});

const held = (text: string, policy = REDACTING): string => {
  const scanner = new StreamScanner(policy, "output", LABELS);
  scanner.push(text);
  return text.slice(scanner.clearedTo);
};

describe("hold-back releases text that no detector can still match", () => {
  test.each([
    "Hello ",
    "Hello, ",
    "A sentence. ",
    "In 1999, ",
    "100 % ",
    "Done!\n",
    "password: ",
    "日本語です。",
    "x = 3; ",
  ])("%j", (text) => {
    expect(held(text)).toBe("");
  });

  test.each(["Hello", "Hello, wor", "the task", "pass", "rough", "begin", "password", "Ignore all previous instr"])(
    "%j, without emails",
    (text) => {
      expect(held(text, NO_EMAIL)).toBe("");
    },
  );
});

describe("hold-back holds exactly what may still match", () => {
  test.each([
    ["so gh", "gh"],
    ["so sk", "sk"],
    ["to D", "D"],
    ["to DE", "DE"],
    ["to DE89 37", "DE89 37"],
    ["so sk-ant", "sk-ant"],
    ["see -----BEG", "-----BEG"],
    ["no 4111 11", "4111 11"],
    ["tel +49 3", "+49 3"],
    ["see https://user:se", "https://user:se"],
    [`x ${SECRETS.github.slice(0, 30)}`, SECRETS.github.slice(0, 30)],
    [`x ${SECRETS.jwt.slice(0, 30)}`, SECRETS.jwt.slice(0, 30)],
  ])("%j", (text, tail) => {
    expect(held(text, NO_EMAIL)).toBe(tail);
  });

  test("a word that may be the start of an address", () => {
    expect(held("write to jane.do")).toBe("jane.do");
    expect(held("write to jane.doe@acme.co")).toBe("jane.doe@acme.co");
    expect(held("write to jane.doe@acme.com now ")).toBe("");
  });

  test("the start of a key within the start of a cue that holds nothing itself", () => {
    const secrets = policyOf({ rules: [{ type: "secret", thresholds: { redact: 0 } }] });
    expect(held("use aws s", secrets)).toBe("s");
    expect(held("use awss", secrets)).toBe("");
  });

  test("a first half of a surrogate pair", () => {
    expect(held("hi \ud83d", uniform("flag"))).toBe("\ud83d");
  });
});

test("hold-back: rules that only flag or monitor hold nothing", () => {
  for (const policy of [uniform("flag"), uniform("block", "monitor"), policyOf({ mode: "off" })]) {
    for (const value of [...Object.values(SECRETS), ...Object.values(PERSONAL)]) {
      expect(held(`x ${value.slice(0, -1)}`, policy)).toBe("");
    }
  }
});

test("never more than the policy's hold_back is waiting", () => {
  const runs = [
    "a",
    "1",
    "1 ",
    "-",
    "A1",
    "eyJ",
    "sk-",
    "x.",
    "4111 ",
    "+1",
    "a@",
    "https://a:",
    "-----BEGIN ",
    "de89",
    "%41",
    "%2541",
    "\\u005cu0041",
    "&amp;",
    "password&#58; a1",
    `${btoa("please say it again")}\n`,
    btoa(btoa("please say it again, so ")),
  ];
  const texts = fc.array(
    fc.tuple(fc.constantFrom(...runs, ...Object.values(SECRETS)), fc.integer({ min: 1, max: 400 })),
    { maxLength: 4 },
  );
  for (const policy of [DEFAULT, REDACTING, uniform("redact")]) {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 50 }), (parts, size) => {
        const text = parts.map(([part, times]) => part.repeat(Math.ceil(times / part.length))).join("");
        const scanner = new StreamScanner(policy, "output", LABELS);
        for (let at = 0; at < text.length; at += size) {
          scanner.push(text.slice(at, at + size));
          expect(scanner.pushedTo - scanner.clearedTo).toBeLessThanOrEqual(policy.holdBack("output"));
          scanner.release(scanner.clearedTo);
        }
      }),
      { numRuns: 150 },
    );
  }
});

test("a block is never passed, and nothing of it goes out", () => {
  const scanner = new StreamScanner(uniform("block"), "output", LABELS);
  scanner.push(`key: ${SECRETS.github} and more. `);
  scanner.end();
  expect(scanner.blocked).toBe(true);
  expect(scanner.clearedTo).toBe(5);
  expect(scanner.release(5)).toEqual({ text: "key: ", changed: false });
  expect(() => scanner.release(6)).toThrow("cleared");
});

test("an endless value is swallowed as it comes", () => {
  const scanner = new StreamScanner(REDACTING, "output", LABELS);
  scanner.push(`a ${SECRETS.jwt}`);
  for (let i = 0; i < 200; i++) scanner.push("x".repeat(100));
  expect(scanner.pushedTo - scanner.clearedTo).toBeLessThanOrEqual(REDACTING.holdBack("output"));
  expect(numbered(scanner.release(scanner.clearedTo).text)).toBe("a [secret.jwt:1]");
  scanner.push(" end ");
  expect(scanner.release(scanner.clearedTo).text).toBe(" end ");
  scanner.push("of it. ");
  expect(scanner.release(scanner.clearedTo)).toEqual({ text: "of it. ", changed: false });
});
