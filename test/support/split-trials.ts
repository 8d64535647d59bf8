import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { ApiStream } from "#guard/apis/api-stream";
import { MessagesStream } from "#guard/apis/messages-stream";
import { ResponsesStream } from "#guard/apis/responses-stream";
import { StreamGuard } from "#guard/stream/guard";
import { callUnder } from "#test/guard/call-fixture";
import { PERSONAL, SECRETS, uniform } from "#test/scan/samples";
import { type BlockScript, messageEvents } from "#test/support/message-script";
import { eventText, type ItemScript, responseEvents } from "#test/support/response-script";

/*
 * Streams of both newer forms, cut into writes at random bytes: what leaves is what leaves of the stream in one write,
 * and holds nothing of what was planted.
 */

export const PLANTED = [SECRETS.awsAccessKey, SECRETS.github, SECRETS.stripe, PERSONAL.email];
const WORDS = ["Hello ", "world. ", "\n", '"quoted" ', "é ", "日本 ", "🌍 ", "a \\ b "];

/** Numbers below a bound, by a seed: mulberry32. */
export type Random = (below: number) => number;

export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

const list = <T>(random: Random, most: number, make: () => T): T[] => Array.from({ length: 1 + random(most) }, make);
const pick = <T>(random: Random, all: readonly [T, ...T[]]): T => all[random(all.length)] ?? all[0];

const textOf = (random: Random, isPlain: boolean): string => {
  const texts: readonly string[] = isPlain ? WORDS : [...WORDS, ...PLANTED];
  return list(random, 5, () => texts[random(texts.length)] ?? "").join(" ");
};

/** A text cut at random lengths. */
const piecesOf = (random: Random, text: string): string[] => {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const length = 1 + random(24);
    pieces.push(text.slice(from, from + length));
    from += length;
  }
  return pieces;
};

const blockOf = (random: Random, isPlain: boolean): BlockScript => {
  const text = textOf(random, isPlain);
  const pieces = piecesOf(random, text);
  const input = piecesOf(random, JSON.stringify({ text }));
  const result = { type: "web_search_result", url: "https://a.example/", title: text };
  return pick<BlockScript>(random, [
    { text: pieces },
    { thinking: pieces, signature: "RXFRQkNnSVlBaElr" },
    { tool: "save", input: { text }, pieces: input },
    { block: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [result] } },
  ]);
};

const itemOf = (random: Random, isPlain: boolean): ItemScript => {
  const text = textOf(random, isPlain);
  const pieces = piecesOf(random, text);
  const given = piecesOf(random, JSON.stringify({ text }));
  const results = [{ file_id: "file_1", filename: "a.txt", score: 0.5, text }];
  return pick<ItemScript>(random, [
    { text: pieces },
    {
      text: pieces,
      annotations: [{ type: "url_citation", start_index: 0, end_index: 1, url: "https://a.example/", title: text }],
    },
    { refusal: pieces },
    { reasoning: pieces, summary: piecesOf(random, textOf(random, isPlain)), encrypted: "RW5jcnlwdGVk" },
    { tool: "save", arguments: given },
    { custom: "note", input: pieces },
    { mcp: "lookup", arguments: given, output: text },
    { code: pieces, logs: text },
    { item: { type: "file_search_call", status: "completed", queries: [text], results } },
  ]);
};

/** A form of streams, as trials need it. */
type Form = {
  readonly stream: () => ApiStream;
  /** The events of a random stream. */
  readonly made: (random: Random, isPlain: boolean) => string;
  /** Where the text of an event's delta belongs; null for what has none. */
  readonly place: (event: JsonRecord) => { readonly channel: string; readonly text: string } | null;
  readonly assertWhole: (events: readonly JsonRecord[]) => void;
};

const fail = (what: string): never => {
  throw new Error(what);
};

const MESSAGES: Form = {
  stream: () => new MessagesStream(),
  made: (random, isPlain) => messageEvents({ blocks: list(random, 3, () => blockOf(random, isPlain)) }).join(""),
  place: ({ index, delta }) => {
    const [key, text] = (isRecord(delta) && Object.entries(delta).find(([name]) => name !== "type")) || [];
    return index !== undefined && typeof text === "string" ? { channel: `${index} ${key}`, text } : null;
  },
  assertWhole: (events) => {
    const types = events.map(({ type }) => type);
    const count = (type: string) => types.filter((one) => one === type).length;
    if (types[0] !== "message_start" || types.at(-1) !== "message_stop") fail("a message has no begin or no end");
    if (count("message_stop") !== 1 || count("message_delta") !== 1) fail("a message ends more than once");
    if (count("content_block_start") !== count("content_block_stop")) fail("a block stays open");
  },
};

const ENDS = new Set<unknown>(["response.completed", "response.incomplete", "response.failed", "error"]);

const RESPONSES: Form = {
  stream: () => new ResponsesStream(),
  made: (random, isPlain) => {
    const items = list(random, 3, () => itemOf(random, isPlain));
    return responseEvents({ items, isPadded: random(2) === 0 })
      .map(eventText)
      .join("");
  },
  place: ({ type, output_index, summary_index, delta }) =>
    typeof delta === "string" ? { channel: `${output_index} ${type} ${summary_index}`, text: delta } : null,
  assertWhole: (events) => {
    if (events.some(({ sequence_number }, at) => sequence_number !== at)) fail("numbers have a gap");
    if (events.filter(({ type }) => ENDS.has(type)).length !== 1 || !ENDS.has(events.at(-1)?.["type"])) {
      fail("a response does not end once");
    }
    const count = (end: string) => events.filter(({ type }) => String(type).endsWith(end)).length;
    if (count("output_item.added") !== count("output_item.done")) fail("an item stays open");
    if (count("part.added") !== count("part.done")) fail("a part stays open");
  },
};

export const FORMS = { messages: MESSAGES, responses: RESPONSES } as const;
export type FormName = keyof typeof FORMS;

const ACTIONS = ["flag", "redact", "block"] as const;
export type Action = (typeof ACTIONS)[number];
const POLICIES = { flag: uniform("flag"), redact: uniform("redact"), block: uniform("block") };

/** What leaves of writes. */
const guarded = (form: Form, writes: readonly Uint8Array[], action: Action): { left: string; isBlocked: boolean } => {
  const guard = new StreamGuard(callUnder(POLICIES[action]), form.stream(), 64);
  const decoder = new TextDecoder();
  let left = "";
  try {
    for (const bytes of writes) left += guard.push(decoder.decode(bytes, { stream: true }));
    left += guard.push(decoder.decode()) + guard.end();
    if (!guard.isComplete) fail("a whole stream is taken for one that broke off");
    return { left: left + guard.lastEvent, isBlocked: false };
  } catch (error) {
    if (!(error instanceof GuardError) || error.code !== "content_filter") throw error;
    left += guard.handOut() + guard.cutOff({ error, isBlock: true, isQuiet: false });
    return { left, isBlocked: true };
  }
};

const eventsOf = (stream: string): JsonRecord[] =>
  stream
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const value: unknown = JSON.parse(event.slice(event.indexOf("\ndata: ") + 7));
      return isRecord(value) ? value : fail("an event is no object");
    });

/** All that deltas say, by channel. */
const saidIn = ({ place }: Form, events: readonly JsonRecord[]): Map<string, string> => {
  const said = new Map<string, string>();
  for (const event of events) {
    const found = place(event);
    if (found) said.set(found.channel, (said.get(found.channel) ?? "") + found.text);
  }
  return said;
};

const LABEL = /\[[a-z_.]+:\w+\]/g;
const unplanted = (text: string): string =>
  PLANTED.reduce((rest, secret) => rest.replaceAll(secret, "[]"), text).replace(LABEL, "[]");

/** No byte of a secret leaves, and nothing else changes. */
const assertGuarded = (form: Form, came: string, left: string, action: Action): void => {
  if (action === "flag") {
    if (left !== came) fail("an unchanged stream does not leave as it came");
    return;
  }
  const events = eventsOf(left);
  form.assertWhole(events);
  if (PLANTED.some((secret) => left.includes(secret))) fail("a secret leaves in one piece");
  const said = saidIn(form, events);
  for (const [channel, text] of saidIn(form, eventsOf(came))) {
    const now = said.get(channel) ?? "";
    if (action === "redact" && unplanted(text) !== unplanted(now)) fail("a redaction changes something else");
    const first = Math.min(...PLANTED.map((secret) => text.indexOf(secret)).filter((at) => at >= 0));
    if (action === "block" && !text.slice(0, first).startsWith(now)) fail("a byte of a secret leaves before a block");
  }
};

const cutAnywhere = (random: Random, bytes: Uint8Array): Uint8Array[] => {
  const writes: Uint8Array[] = [];
  const longest = [2, 16, 128, 1_024][random(4)] ?? 16;
  for (let from = 0; from < bytes.length; ) {
    const length = 1 + random(longest);
    writes.push(bytes.subarray(from, from + length));
    from += length;
  }
  return writes;
};

export type Tally = { cuts: number; streams: number; writes: number; bytes: number; blocked: number };

/** So many ways to cut one stream. */
const CUTS_PER_STREAM = 10;

/** Cuts streams of a form until there were so many cuts. Throws what is wrong, with the seed of the stream. */
export const trySplits = (name: FormName, cuts: number, seed: number): Tally => {
  const form = FORMS[name];
  const tally = { cuts: 0, streams: 0, writes: 0, bytes: 0, blocked: 0 };
  for (let at = seed; tally.cuts < cuts; at += 1) {
    const random = randomOf(at);
    const action = pick(random, ACTIONS);
    try {
      trial(form, action, random, Math.min(CUTS_PER_STREAM, cuts - tally.cuts), tally);
    } catch (cause) {
      throw new Error(`${name}, ${action}, seed ${at}: ${cause instanceof Error ? cause.message : "no error"}`, {
        cause,
      });
    }
  }
  return tally;
};

const trial = (form: Form, action: Action, random: Random, cuts: number, tally: Tally): void => {
  const came = form.made(random, action === "flag" && random(2) === 0);
  const bytes = new TextEncoder().encode(came);
  const { left, isBlocked } = guarded(form, [bytes], action);
  assertGuarded(form, came, left, action);
  tally.streams += 1;
  if (isBlocked) tally.blocked += 1;
  for (let at = 0; at < cuts; at += 1) {
    const writes = cutAnywhere(random, bytes);
    if (guarded(form, writes, action).left !== left) fail("what leaves depends on where the stream is cut");
    tally.cuts += 1;
    tally.writes += writes.length;
    tally.bytes += bytes.length;
  }
};
