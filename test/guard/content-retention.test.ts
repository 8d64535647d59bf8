import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CallContent } from "#guard/call-content";
import { ContentRetention } from "#guard/content-retention";
import type { AuditRecord } from "#model/audit";
import {
  CONTENT_HMAC,
  comparableForm,
  comparableFormInSlices,
  cutTo,
  type KeptContent,
  type KeptTexts,
  MAX_KEPT,
} from "#model/kept-content";
import { keyedHash } from "#platform/hash";
import { verifies } from "#test/support/verifies";
import { QUIET } from "./call-fixture";

const FULL = { store_content: "full", retention_days: 1 } as const;
const REDACTED = { store_content: "redacted", retention_days: 1 } as const;
const NONE = { store_content: "none", retention_days: 1 } as const;
const ENDED = { isForwarded: true, isAnswered: true };

const slot = (text: string, param = "messages[0].content") =>
  ({ param, origin: "user", text, replace: () => {} }) as const;

const keeperOver = (keep: (rows: readonly KeptContent[]) => Promise<void>, keepBlockedHours = 24) => {
  let next = 0;
  const ids = () => {
    next += 1;
    return `id-${next}`;
  };
  const hash = keyedHash(new Uint8Array(32), CONTENT_HMAC);
  const seal = (_purpose: string, secret: string) => secret;
  return new ContentRetention({ content: { keep }, seal, hash, keepBlockedHours, clock: () => 1_000, ids, log: QUIET });
};

const RECORD: AuditRecord = {
  ...{ v: 1, id: "r1", call_id: "c1", phase: "final", kind: "chat.completion", at: "", outcome: "answered" },
  actor: { via: "token", user_id: "u1", agent_id: "a1", token_id: "t1" },
};

describe("how much is kept", () => {
  test("one bound for all of a call's texts, and what was cut says so", () => {
    verifies("content.bounded");
    const content = new CallContent(FULL);
    content.watch("input", [slot("a".repeat(MAX_KEPT - 10)), slot("b".repeat(20)), slot("c")]);
    const kept = content.retained(ENDED);
    expect(kept?.texts.map(({ text }) => text.length)).toEqual([MAX_KEPT - 10, 10]);
    expect(kept?.cut).toBe(true);
    expect(new CallContent(FULL).retained(ENDED)).toBeNull();
  });

  test("of a long stream the end is kept for a dispute, and never half a character", () => {
    verifies("content.bounded");
    const content = new CallContent(NONE);
    const channel = content.channel("choices[0].message.content");
    for (let n = 0; n < 100_000; n += 1) channel?.came("🌷tulips");
    channel?.came(" secret");
    channel?.withhold();
    const [text] = content.withheld()?.texts ?? [];
    expect(text?.text.length).toBeLessThan(MAX_KEPT);
    expect(text?.text.endsWith("tulips secret")).toBe(true);
    expect(text?.text.isWellFormed()).toBe(true);
    expect(content.withheld()?.cut).toBe(true);
  });

  test("of a stream with a great many channels only the first are followed, and that is said", () => {
    verifies("content.bounded");
    const content = new CallContent(FULL);
    for (let n = 0; n < 1_000; n += 1) content.channel(`choices[${n}].message.content`)?.came("x");
    expect(content.retained(ENDED)?.texts.length).toBe(64);
    expect(content.retained(ENDED)?.cut).toBe(true);
  });

  test("stored content is cut to the longest prefix of whole characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, length) => {
        const cut = cutTo(text, length);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(length);
        expect(cut.isWellFormed()).toBe(text.isWellFormed());
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length) - 1);
      }),
    );
  });
});

describe("stored content: texts that count as passed on", () => {
  test("nothing of a scan that was blocked, and nothing of an answer that never left", () => {
    verifies("content.as-passed-on");
    const content = new CallContent(REDACTED);
    content.passed(content.watch("input", [slot("the first")]));
    content.watch("output", [slot("the secret one")]);
    content.streams();
    content.passed(content.watch("output", [slot("beside a stream")]));
    expect(content.retained(ENDED)?.texts.map(({ text }) => text)).toEqual(["the first"]);
    expect(content.retained({ isForwarded: false, isAnswered: false })).toBeNull();
  });
});

describe("keeping", () => {
  test("a store that fails is counted, and what comes after is kept", async () => {
    verifies("content.never-in-the-way");
    let broken = true;
    const rows: KeptContent[] = [];
    const contentRetention = keeperOver(async (batch) => {
      if (broken) throw new Error("disk I/O error");
      rows.push(...batch);
    });
    const content = new CallContent(FULL);
    content.watch("input", [slot("tulips")]);
    content.withhold("input", slot("tulips"));
    contentRetention.keep(RECORD, content, true);
    await contentRetention.settled();
    expect([contentRetention.failures, rows.length]).toEqual([2, 0]);
    broken = false;
    contentRetention.keep(RECORD, content, true);
    await contentRetention.settled();
    expect(contentRetention.failures).toBe(2);
    expect(rows.map(({ purpose, expires_at }) => [purpose, expires_at])).toEqual([
      ["blocked", 1_000 + 86_400_000],
      ["retained", 1_000 + 86_400_000],
    ]);
  });

  test("a store that stands still is not given texts without end", async () => {
    verifies("content.never-in-the-way", "content.bounded");
    const contentRetention = keeperOver(() => new Promise(() => {}));
    const content = new CallContent(FULL);
    content.watch("input", [slot("a".repeat(MAX_KEPT))]);
    contentRetention.keep(RECORD, content, true);
    await Promise.resolve();
    await Promise.resolve();
    for (let n = 0; n < 100; n += 1) contentRetention.keep(RECORD, content, true);
    expect(contentRetention.failures).toBeGreaterThan(30);
  });

  test("for no hours: nothing is kept of what was blocked, but it is bound all the same", async () => {
    verifies("content.bound");
    const rows: KeptContent[] = [];
    const contentRetention = keeperOver(async (batch) => void rows.push(...batch), 0);
    const content = new CallContent(NONE);
    content.withhold("input", slot("tulips"));
    contentRetention.keep(RECORD, content, false);
    await contentRetention.settled();
    expect(rows).toEqual([]);
    expect((await contentRetention.hmacOf(content))?.texts).toHaveLength(1);
  });

  test("encrypted content is read back unchanged", async () => {
    const rows: KeptContent[] = [];
    const contentRetention = keeperOver(async (batch) => void rows.push(...batch));
    const content = new CallContent(FULL);
    content.watch("input", [slot('tulips "and"\n\u0000 🌷')]);
    contentRetention.keep(RECORD, content, true);
    await contentRetention.settled();
    const sealed: KeptTexts = JSON.parse(rows[0]?.sealed ?? "");
    expect(sealed.texts[0]?.text).toBe('tulips "and"\n\u0000 🌷');
  });
});

describe("hashes", () => {
  test("differ with the key, the purpose and the text; not with white space and look-alikes", () => {
    verifies("content.bound");
    const key = crypto.getRandomValues(new Uint8Array(32));
    const hash = keyedHash(key, CONTENT_HMAC);
    expect(hash.of("tulips")).toBe(keyedHash(key, CONTENT_HMAC).of("tulips"));
    expect(hash.of("tulips")).not.toBe(keyedHash(key, "other").of("tulips"));
    expect(hash.of("tulips")).not.toBe(keyedHash(new Uint8Array(32), CONTENT_HMAC).of("tulips"));
    expect(comparableForm("  Red\r\n\ttulips ")).toBe(comparableForm("Red tulips"));
    expect(comparableForm("tulıps\u200b")).not.toBe(comparableForm("roses"));
  });
});

describe("long texts", () => {
  test("have the same comparable form in slices, wherever they are cut", async () => {
    verifies("fairness.kept-texts");
    const part = fc.constantFrom(
      ...["a", " ", "\n\t", "\u00a0", "é", "e\u0301", "\u200b", "😀", "\ud83d", "\ude00", "Ａ", "𝟙", "ﬁ", "ж"],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 300 }), fc.integer({ min: 2, max: 80 }), async (parts, units) => {
        const text = parts.join("");
        expect(await comparableFormInSlices(text, () => null, units)).toBe(comparableForm(text));
      }),
      { numRuns: 500 },
    );
    const long = `${"Привет,  é ".repeat(100_000)}\ud83d`;
    expect(await comparableFormInSlices(long, () => null)).toBe(comparableForm(long));
  });

  test("are hashed and sealed in turns with other work, to the same hashes and texts", async () => {
    verifies("fairness.kept-texts");
    const rows: KeptContent[] = [];
    const contentRetention = keeperOver(async (batch) => void rows.push(...batch));
    const content = new CallContent(FULL);
    const text = "Ｐривет, ｍир ".repeat(70_000);
    content.watch("input", [slot(text)]);
    content.withhold("input", slot(text));
    let hmac: unknown;
    const turns = await turnsDuring(async () => {
      hmac = await contentRetention.hmacOf(content);
    });
    expect(turns).toBeGreaterThan(3);
    const { keyId: key_id, of } = keyedHash(new Uint8Array(32), CONTENT_HMAC);
    const [stage, param] = ["input", "messages[0].content"];
    expect(hmac).toEqual({ key_id, texts: [{ stage, param, hmac: of(comparableForm(text)) }] });
    const sealing = await turnsDuring(async () => {
      contentRetention.keep(RECORD, content, true);
      await contentRetention.settled();
    });
    expect(sealing).toBeGreaterThanOrEqual(2);
    expect(rows.map(({ purpose }) => purpose)).toEqual(["blocked", "retained"]);
    for (const { sealed } of rows) expect(JSON.parse(sealed).texts[0].text).toBe(text);
  });
});

/** How often the event loop came round meanwhile. */
const turnsDuring = async (work: () => Promise<void>): Promise<number> => {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  await work();
  clearImmediate(next);
  return turns;
};
