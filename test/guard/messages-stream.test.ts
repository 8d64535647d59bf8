import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { MESSAGES } from "#guard/apis/messages";
import { MessagesStream } from "#guard/apis/messages-stream";
import { StreamGuard } from "#guard/stream/guard";
import { PERSONAL, SECRETS, uniform } from "#test/scan/samples";
import { type BlockScript, messageEvents, PING } from "#test/support/message-script";
import { verifies } from "#test/support/verifies";
import { callUnder } from "./call-fixture";

setDefaultTimeout(120_000);

const PLANTED = [SECRETS.awsAccessKey, SECRETS.github, SECRETS.stripe, PERSONAL.email];
const WORDS = [
  "Hello ",
  "world. ",
  "\n",
  '"quoted" ',
  "é ",
  "日本 ",
  "🌍 ",
  "a \\ b ",
  "4539 1488 ",
  "sk-",
  "AKIA ",
  "{",
  "}",
];
const TYPES = ["text", "thinking", "tool", "search"] as const;

type Planned = {
  readonly type: (typeof TYPES)[number];
  readonly parts: readonly string[];
  readonly cuts: readonly number[];
};

const planned = (texts: readonly string[]) =>
  fc.record({
    type: fc.constantFrom(...TYPES),
    parts: fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 6 }),
    cuts: fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 4 }),
  });

/** A text cut at lengths that repeat. */
const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const pieces: string[] = [];
  for (let from = 0, at = 0; from < text.length; at += 1) {
    const length = cuts[at % cuts.length] ?? 1;
    pieces.push(text.slice(from, from + length));
    from += length;
  }
  return pieces;
};

const blockOf = ({ type, parts, cuts }: Planned): BlockScript => {
  const text = parts.join(" ");
  if (type === "thinking") return { thinking: cutAt(text, cuts), signature: "RXFRQkNnSVlBaElr" };
  if (type === "tool") return { tool: "save", input: { text }, pieces: cutAt(JSON.stringify({ text }), cuts) };
  if (type === "text") return { text: cutAt(text, cuts) };
  const result = {
    type: "web_search_result",
    url: "https://a.example/",
    title: text,
    encrypted_content: "RW5jcnlwdGVk",
  };
  return { block: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [result] } };
};

/** What comes out of the guard for a stream cut into writes of these lengths. */
const guarded = (stream: string, sizes: readonly number[], action: "flag" | "redact" | "block"): string => {
  const guard = new StreamGuard(callUnder(uniform(action)), new MessagesStream(), 64);
  let out = "";
  try {
    for (const write of cutAt(stream, sizes)) out += guard.push(write);
    out += guard.end();
    expect(guard.isComplete).toBe(true);
    return out + guard.lastEvent;
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    return out + guard.handOut() + guard.cutOff({ error, isBlock: error.code === "content_filter", isQuiet: false });
  }
};

const eventsOf = (stream: string): JsonRecord[] =>
  stream
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const [name = "", data = ""] = event.split("\n");
      const value: unknown = JSON.parse(data.slice("data: ".length));
      if (!isRecord(value)) throw new Error("an event is an object");
      expect(name).toBe(`event: ${value["type"]}`);
      return value;
    });

/** The texts of a block's begin, or of one piece of it, by their field. */
const textsOf = (holder: unknown): (readonly [field: string, text: string])[] =>
  Object.entries(isRecord(holder) ? holder : {})
    .filter(([key, value]) => key !== "type" && value !== null)
    .map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]);

/** All that was said, by block and field, whatever the cuts. */
const saidIn = (stream: string): string => {
  const byPlace = new Map<string, string>();
  for (const { index, delta, content_block } of eventsOf(stream)) {
    for (const [field, text] of [...textsOf(content_block), ...textsOf(delta)]) {
      const place = `${index} ${field}`;
      byPlace.set(place, (byPlace.get(place) ?? "") + text);
    }
  }
  return [...byPlace.values()].join("\n");
};

const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });
const streamOf = (blocks: readonly Planned[], pingAt: number): string =>
  messageEvents({ blocks: blocks.map(blockOf), between: { [pingAt]: PING } }).join("");

/** Grammar of a message: its blocks one after another, begun and ended. */
const expectGrammar = (stream: string): void => {
  const open: unknown[] = [];
  const types: unknown[] = [];
  for (const { type, index } of eventsOf(stream)) {
    if (type === "ping") continue;
    types.push(type);
    if (type === "content_block_start") open.push(index);
    if (type === "content_block_delta") expect(open.at(-1)).toBe(index);
    if (type === "content_block_stop") expect(open.pop()).toBe(index);
  }
  expect(open).toEqual([]);
  expect(types[0]).toBe("message_start");
  expect(types.slice(-2)).toEqual(["message_delta", "message_stop"]);
};

describe("streams of messages, cut anywhere", () => {
  const pingAt = fc.integer({ min: 1, max: 6 });

  test("without findings leave byte for byte", () => {
    verifies("messages.stream");
    const plain = fc.array(planned(WORDS), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(plain, sizes, pingAt, (blocks, cuts, ping) => {
        const stream = streamOf(blocks, ping);
        // A ping waits for nothing, so it may overtake what is held.
        const [came, left] = [stream, guarded(stream, cuts, "flag")].map((text) => text.replaceAll(PING, ""));
        expect(left === came).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("redacted, leak nothing of what was planted and change nothing else", () => {
    verifies("messages.stream");
    const blocks = fc.array(planned([...WORDS.slice(0, 8), ...PLANTED]), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(blocks, sizes, pingAt, (list, cuts, ping) => {
        const stream = streamOf(list, ping);
        const left = guarded(stream, cuts, "redact");
        const said = saidIn(left);
        expect(PLANTED.filter((secret) => said.includes(secret))).toEqual([]);
        expectGrammar(left);
        const without = (text: string) =>
          PLANTED.reduce((rest, secret) => rest.replaceAll(secret, "[]"), saidIn(text)).replace(
            /\[[a-z_.]+:\w+\]/g,
            "[]",
          );
        expect(without(left) === without(stream)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("blocked, end as a message ends and hold nothing of what was planted", () => {
    verifies("messages.stream-block");
    const blocks = fc.array(planned([...WORDS.slice(0, 8), ...PLANTED]), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(blocks, sizes, pingAt, (list, cuts, ping) => {
        const left = guarded(streamOf(list, ping), cuts, "block");
        const said = saidIn(left);
        expect(PLANTED.filter((secret) => said.includes(secret))).toEqual([]);
        expectGrammar(left);
      }),
      { numRuns: 200 },
    );
  });
});

test("the guard keeps clients of Messages waiting with an event that they know", () => {
  verifies("messages.stream");
  expect(MESSAGES.keepAlive).toBe('event: ping\ndata: {"type":"ping"}\n\n');
});
