import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { answerOf, OpenQuestions, processOf } from "#features/tools/questions/open-questions";
import { judged } from "#features/tools/questions/question";
import { Cancellation } from "#platform/cancellation";
import { verifies } from "#test/support/verifies";

const BOTH = { form: true, url: true };

describe("an answer", () => {
  test("of whatever shape is an answer of the protocol or none", () => {
    verifies("elicitation.bound");
    const plain = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.array(fc.string()));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), plain, { maxKeys: 20 }), (content) => {
        expect(answerOf({ action: "accept", content })).toEqual({ action: "accept", content });
      }),
    );
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        const answer = answerOf(anything);
        expect(typeof answer === "string" || ["accept", "decline", "cancel"].includes(answer.action)).toBe(true);
      }),
    );
  });

  test("is taken once, from its token, until its time is up", async () => {
    verifies("elicitation.bound");
    const questions = new OpenQuestions("0-1");
    const over = new Cancellation();
    const ids: string[] = [];
    const first = questions.ask("mine", 60_000, over, (id) => ids.push(id));
    const [id = ""] = ids;
    expect(processOf(id)).toBe("0-1");
    const result = { action: "decline" };
    expect(questions.answer("other", { kind: "result", id, result })).toBe("unknown");
    expect(questions.answer("mine", { kind: "result", id, result: {} })).toBe("invalid");
    expect(questions.answer("mine", { kind: "result", id, result })).toBe("taken");
    expect(questions.answer("mine", { kind: "result", id, result })).toBe("unknown");
    expect(await first).toEqual({ action: "decline", content: null });
    const late = questions.ask("mine", 1, over, () => {});
    expect(await late).toBeNull();
    const left = questions.ask("mine", 60_000, over, () => {});
    over.abort();
    expect(await left).toBeNull();
    expect(questions.size).toBe(0);
  });
});

test("an address is shown only where its host is what it seems, and is allowed", () => {
  verifies("elicitation.url");
  const at = (url: unknown, hosts: readonly string[] = ["example.com", "*.example.org"]) => {
    const question = judged({ mode: "url", message: "x", url }, { modes: BOTH, hosts });
    return "reason" in question ? question.reason : question.host;
  };
  expect(at("https://example.com/a?b#c")).toBe("example.com");
  expect(at("https://login.example.org")).toBe("login.example.org");
  for (const url of [
    "http://example.com/",
    "https://user@example.com/",
    "https://example.com@evil.net/",
    "https://example.com\\@evil.net/",
    "https://example.com.evil.net/",
    "https://evil-example.org/",
    "https://exаmple.com/", // a Cyrillic letter
    "https://xn--exmple-4nf.example.org/",
    "https://example.com:8443/",
    " https://example.com/",
    "https:/example.com",
    "javascript:alert(1)",
    `https://example.com/${"x".repeat(3_000)}`,
    7,
  ]) {
    expect([url, at(url)]).toEqual([url, "url"]);
  }
  expect(at("https://xn--exmple-4nf.com/", ["xn--exmple-4nf.com"])).toBe("xn--exmple-4nf.com");
  fc.assert(
    fc.property(fc.webUrl(), (url) => {
      const host = at(url);
      expect(host === "url" || url.startsWith("https://")).toBe(true);
    }),
  );
});
