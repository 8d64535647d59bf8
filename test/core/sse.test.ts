import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isEventStream, MAX_EVENT_LENGTH, type SseEvent, SseSplitter, sseData } from "#core/sse";
import { verifies } from "#test/support/verifies";

const split = (parts: readonly string[]) => {
  const splitter = new SseSplitter();
  const events = parts.flatMap((part) => splitter.push(part));
  return { events, rest: splitter.rest() };
};

const dataOf = (text: string): (string | null)[] => {
  const { events, rest } = split([text]);
  return [...events, ...(rest ? [rest] : [])].map(({ data }) => data);
};

describe("an event's data", () => {
  test.each([
    ["data: a\n\n", ["a"]],
    ["data:a\n\n", ["a"]],
    ["data:  a\n\n", [" a"]],
    ["data: a\r\n\r\n", ["a"]],
    ["data: a\r\rdata: b\r\r", ["a", "b"]],
    ["data: a\ndata: b\n\n", ["a\nb"]],
    ["data: {\r\ndata: }\r\n\r\n", ["{\n}"]],
    ["data: a\r\n\ndata: b\n\r\n", ["a", "b"]],
    [": hi\n\ndata: a\n\n", [null, "a"]],
    ["event: x\nid: 1\ndata: a\nretry: 5\n\n", ["a"]],
    ["data: a\n\ndata: b", ["a", "b"]],
    ["data: a\n\n\n\n", ["a", null]],
    ["\uFEFFdata: a\n\n", ["a"]],
    ["data\n\n", [null]],
    ["", []],
    ["\n", []],
  ])("%j", (text, data) => {
    expect(dataOf(text)).toEqual(data);
  });

  test("SSE reader keeps other fields apart from data", () => {
    const [event] = split(["event: x\n: note\ndata: a\n<html>\n\n"]).events;
    expect(event).toEqual({
      raw: "event: x\n: note\ndata: a\n<html>\n\n",
      data: "a",
      beside: "event: x\n: note\n<html>",
    });
  });
});

describe("SSE reader: fields other than data", () => {
  test.each(["", ":", ": keep-alive", "event: x", "id: 1\n: note\nretry: 5"])("%j", (beside) => {
    expect(isEventStream(beside)).toBe(true);
  });
  test.each(["<html>", ": ok\n<p>", "eventually", "data", "Event: x", " : x", "x: y"])("not %j", (beside) => {
    expect(isEventStream(beside)).toBe(false);
  });
});

const lines = fc.constantFrom("data: a", "data: {", "data:", ": c", "event: x", "junk", "é🌍");
const ends = fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r", "\n\r\n", "\r\n\n");
const streams = fc.array(fc.tuple(lines, ends), { maxLength: 20 }).map((parts) => parts.flat().join(""));
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 10 });

const pieces = (text: string, lengths: readonly number[]): string[] => {
  const cut: string[] = [];
  for (let at = 0, i = 0; at < text.length; i += 1) {
    const size = lengths[i % lengths.length] ?? 1;
    cut.push(text.slice(at, at + size));
    at += size;
  }
  return cut;
};

/** A blank line that may still grow (CR, CRLF) is settled at another moment, but as the same lines. */
const lineList = ({ events, rest }: { events: SseEvent[]; rest: SseEvent | null }) => [
  ...events,
  ...(rest ? [rest] : []),
];

describe("however it is cut", () => {
  test("the parts join to the input, byte for byte", () => {
    verifies("stream.chunking");
    fc.assert(
      fc.property(streams, sizes, (text, lengths) => {
        const splitter = new SseSplitter();
        const events = pieces(text, lengths).flatMap((part) => splitter.push(part));
        const seen = events.map(({ raw }) => raw).join("");
        expect(text).toStartWith(seen);
        const rest = splitter.rest();
        const left = text.slice(seen.length);
        expect(rest?.raw ?? "").toBe(left.trim() === "" ? "" : left);
      }),
      { numRuns: 1000 },
    );
  });

  test("the events that hold data are the same", () => {
    verifies("stream.chunking");
    fc.assert(
      fc.property(streams, sizes, (text, lengths) => {
        const whole = lineList(split([text])).filter(({ data }) => data !== null);
        const parts = lineList(split(pieces(text, lengths))).filter(({ data }) => data !== null);
        expect(parts.map(({ data }) => data)).toEqual(whole.map(({ data }) => data));
      }),
      { numRuns: 1000 },
    );
  });
});

test("an event without end is refused", () => {
  const splitter = new SseSplitter();
  const part = `data: ${"x".repeat(1024 * 1024)}`;
  const push = () => {
    for (let sent = 0; sent <= MAX_EVENT_LENGTH; sent += part.length) splitter.push(part);
  };
  expect(push).toThrow(RangeError);
});

test("many events in one piece take time in proportion", () => {
  const stream = sseData({ choices: [{ delta: { content: "word" } }] }).repeat(60_000);
  const begin = performance.now();
  expect(new SseSplitter().push(stream)).toHaveLength(60_000);
  // Looking at the whole of it for each event would take minutes.
  expect(performance.now() - begin).toBeLessThan(10_000);
});
