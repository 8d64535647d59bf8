import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { isRecord } from "#core/json/json";
import { StreamGuard } from "#guard/stream/guard";
import type { CompiledPolicy } from "#scan/policy";
import { redactText, scanText } from "#scan/scan";
import { REDACTING } from "#test/scan/policies";
import { PERSONAL, SECRETS, uniform } from "#test/scan/samples";
import { LABELS } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { callUnder } from "./call-fixture";
import { NumberedStream } from "./numbered-stream";

setDefaultTimeout(120_000);

const FRAGMENTS = [
  ...Object.values(SECRETS),
  ...Object.values(PERSONAL),
  ...Object.values(SECRETS).map((secret) => secret.slice(0, 9)),
  "@",
  "4539 1488 ",
  " ",
  "\n",
  '"',
  "\\",
  "Hello, world",
  "é",
  "🌍",
];

const said = fc.array(
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 3 }).map((parts) => parts.join("")),
  {
    maxLength: 8,
  },
);
const parts = fc.array(said, { maxLength: 3 });
const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 30 });

type Event = { readonly type: string; readonly [key: string]: unknown };

const wire = (events: readonly Event[]): string =>
  events
    .map(
      (event, number) =>
        `event: ${event.type}\ndata: ${JSON.stringify(event.type === "ping" ? event : { ...event, number })}\n\n`,
    )
    .join("");

/** Deltas of each part, then what repeats them. */
const eventsOf = (texts: readonly (readonly string[])[]): Event[] => [
  { type: "begin", id: "answer-1" },
  ...texts.flatMap((pieces, part) => [
    ...pieces.map((delta) => ({ type: "text.delta", part, delta, padding: delta })),
    { type: "text.done", part, text: pieces.join("") },
    { type: "part.done", part },
  ]),
  { type: "done", parts: texts.map((pieces) => ({ text: pieces.join("") })) },
];

const cut = (text: string, lengths: readonly number[]): Uint8Array[] => {
  const bytes = Buffer.from(text);
  const cuts: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = lengths[i % lengths.length] ?? 1;
    cuts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cuts;
};

/** What leaves; `last` only when the final record is on disk. */
const guarded = async (policy: CompiledPolicy, pushed: readonly Uint8Array[], isLong = false) => {
  const call = callUnder(policy);
  const guard = new StreamGuard(call, new NumberedStream(), 100);
  const decoder = new TextDecoder();
  let out = "";
  let error: GuardError | null = null;
  try {
    for (const bytes of pushed) {
      const text = decoder.decode(bytes, { stream: true });
      out += isLong ? await guard.pushLong(text) : guard.push(text);
    }
    out += isLong ? await guard.endLong() : guard.end();
  } catch (thrown) {
    if (!(thrown instanceof GuardError)) throw thrown;
    error = thrown;
    out += guard.handOut() + guard.cutOff({ error: thrown, isBlock: thrown.code === "content_filter", isQuiet: false });
  }
  return { out, last: guard.lastEvent, error, isComplete: guard.isComplete, reasons: call.context.finishReasons };
};

const parsed = (out: string): Event[] =>
  out
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const [name = "", data = ""] = event.split("\n");
      const value: Event = JSON.parse(data.slice("data: ".length));
      expect(name).toBe(`event: ${value.type}`);
      return value;
    });

const redacted = (policy: CompiledPolicy, text: string): string =>
  redactText(text, scanText(policy, text, "output").findings, LABELS);

const deltasOf = (events: readonly Event[], part: number): string =>
  events.flatMap((event) => (event.type === "text.delta" && event["part"] === part ? [event["delta"]] : [])).join("");

describe("events that repeat what others said", () => {
  test("say what has left, however the bytes are cut, and numbers have no gap", async () => {
    verifies("stream.repeats", "stream.numbers", "stream.last-event");
    await fc.assert(
      fc.asyncProperty(parts, sizes, fc.boolean(), async (texts, lengths, isLong) => {
        const stream = wire(eventsOf(texts));
        const { out, last, error, isComplete } = await guarded(REDACTING, cut(stream, lengths), isLong);
        expect(error).toBeNull();
        expect(isComplete).toBe(true);
        expect(out).not.toContain("event: done");
        const events = parsed(out + last);
        expect(events.map(({ number }) => number)).toEqual(events.map((_, at) => at));
        const whole = texts.map((pieces) => redacted(REDACTING, pieces.join("")));
        for (const [part, text] of whole.entries()) {
          expect(deltasOf(events, part)).toBe(text);
          expect(events.find((event) => event.type === "text.done" && event["part"] === part)).toMatchObject({ text });
        }
        expect(events.at(-1)).toMatchObject({ type: "done", parts: whole.map((text) => ({ text })) });
      }),
      { numRuns: 300 },
    );
  });

  test("leave byte for byte where nothing was found", async () => {
    verifies("stream.byte-fidelity", "stream.repeats");
    const harmless = fc.array(fc.array(fc.constantFrom("Hello ", "world, ", "é", '"', "\\", "🌍"), { maxLength: 6 }), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(harmless, sizes, async (texts, lengths) => {
        const stream = wire(eventsOf(texts));
        const { out, last } = await guarded(REDACTING, cut(stream, lengths));
        expect(out + last).toBe(stream);
      }),
      { numRuns: 200 },
    );
  });

  test("are new text where they say something else", async () => {
    verifies("stream.repeats");
    const secret = SECRETS.github;
    const events: Event[] = [
      { type: "text.delta", part: 0, delta: "Nothing to see." },
      { type: "text.done", part: 0, text: `Write to ${secret} now` },
      { type: "done", parts: [{ text: `and again ${secret} here` }] },
    ];
    const { out, last } = await guarded(uniform("redact"), [Buffer.from(wire(events))]);
    expect(out + last).not.toContain(secret);
    expect(parsed(out)[1]?.["text"]).toBe(redacted(uniform("redact"), `Write to ${secret} now`));
  });
});

test("what comes after the event that ends a stream does not leave, and without it a stream is not complete", async () => {
  verifies("stream.last-event");
  const events = eventsOf([["Hello"]]);
  const more = wire([{ type: "text.delta", part: 7, delta: "more" }]);
  const { out, last } = await guarded(REDACTING, [Buffer.from(wire(events) + more)]);
  expect(out + last).toBe(wire(events));
  const cutOff = await guarded(REDACTING, [Buffer.from(wire(events.slice(0, -1)))]);
  expect(cutOff).toMatchObject({ isComplete: false, last: "" });
});

test("a keep-alive of the provider does not wait for text that is held", async () => {
  verifies("stream.provider-keep-alive");
  const held = wire([{ type: "text.delta", part: 0, delta: "My key is sk-" }]);
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  const { out } = await guarded(REDACTING, [Buffer.from(held + ping)]);
  expect(out.indexOf(ping)).toBeLessThan(out.indexOf('"delta"'));
  const disguised = wire([{ type: "ping", note: SECRETS.github }]);
  expect((await guarded(uniform("redact"), [Buffer.from(disguised)])).out).not.toContain(SECRETS.github);
});

test("a block ends with the events of the API, whose numbers go on, and nothing of the text leaves", async () => {
  verifies("stream.block");
  await fc.assert(
    fc.asyncProperty(parts, sizes, async (texts, lengths) => {
      const secret = ` ${SECRETS.github}`;
      const { out, error } = await guarded(uniform("block"), cut(wire(eventsOf([...texts, [secret]])), lengths));
      expect(error?.code).toBe("content_filter");
      const events = parsed(out);
      expect(events.map(({ number }) => number)).toEqual(events.map((_, at) => at));
      expect(events.at(-1)).toMatchObject({ type: "stopped", code: "content_filter" });
      expect(events.every((event) => !isRecord(event) || event.type !== "done")).toBe(true);
      // In the texts before it a secret may stand inside a longer word, where it is none.
      expect(deltasOf(events, texts.length)).not.toContain(SECRETS.github.slice(0, 8));
    }),
    { numRuns: 100 },
  );
});
