import { expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonRecord } from "#core/json/json";
import type { Piece } from "#guard/apis/api-stream";
import { ChatStream, piecesOf } from "#guard/apis/chat-stream";
import { hasTextsBeside } from "#guard/apis/chat-texts";
import { eventOf, type StreamedEvent } from "#guard/stream/channel";
import { EventReader } from "#guard/stream/event-reader";
import { verifies } from "#test/support/verifies";
import { NumberedStream } from "./numbered-stream";

const NOTE = { groups: [0], finished: [] };

/** The chunk as it is without any chunk before it. */
const alone = (data: string): StreamedEvent | null => eventOf(data);

/** With what is made of a piece only when it is asked for. */
const plain = (pieces: readonly Piece[]) =>
  pieces.map(({ group, path, key, text, isArguments, holder }) => ({ group, path, key, text, isArguments, holder }));

/** What stands in a string of a JSON text: plain, escaped, or ending the string where nobody expects it. */
const inside = fc.oneof(
  fc.constantFrom(" token", "naïve", "日本", "\\n", '\\"', "\\u0041", "\\\\", "😀", ""),
  fc.constantFrom('","role":"x', '"},"content":{"a":"', "\\", "\n", '"', '","content":"twice', '","id":"other'),
  fc.string().map((text) => JSON.stringify(text).slice(1, -1)),
);
const heads = fc.constantFrom(
  '{"id":"c-1","created":1750000000,"model":"m","choices":[{"index":0,"delta":{"content":"',
  '{"id": "c-1", "choices": [{"index": 0, "delta": {"content": "',
  '{"choices":[{"index":1,"logprobs":null,"delta":{"role":"assistant","content":"',
  '{"choices":[{"delta":{"reasoning_content":"',
  '{"choices":[{"delta":{"x\\"content":"a","content":"',
  '{"choices":[{"delta":{"x\\"content":"',
  '{"choices":[{"delta":{"content" : "a","x\\"content":"',
  '{"content":"a","choices":[{"delta":{"content":"',
  '{"choices":[{"delta":{"content":"a","content":"',
  '{"n":1.0,"choices":[{"index":0,"delta":{"content":"',
  '{"usage":{"n":1},"choices":[{"delta":{"content":"',
  '{"choices":[{"delta":{"id":"',
  '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"',
);
const tails = fc.constantFrom(
  '"},"finish_reason":null}]}',
  '"}, "finish_reason": null}]}',
  '"},"finish_reason":"stop"}]}',
  '"}}],"content":"b"}',
  '","content":"b"}}]}',
  '"}},{"index":1,"delta":{"content":"b"}}]}',
  '"}}]}',
  '"}}]}]}}]}',
);

/** Reads an event and compares it with the same read by a reader that has seen no other. */
const readAsAlone = (
  reader: EventReader,
  data: string,
  piecesIn: (event: JsonRecord) => Piece[],
  compare: (read: StreamedEvent, known: StreamedEvent) => void = () => {},
): void => {
  const read = reader.read(data);
  const known = alone(data);
  expect(read === null).toBe(known === null);
  if (!read || !known) return;
  expect(JSON.stringify(read.value)).toBe(JSON.stringify(known.value));
  expect(read.isAmbiguous).toBe(known.isAmbiguous);
  const beside = reader.beside(read, 100);
  compare(read, known);
  reader.saw(read);
  expect(plain(reader.pieces(read, beside === null ? NOTE : null))).toEqual(plain(piecesIn(known.value)));
};

test("a chunk that repeats another but for its text is read as if it came alone, whatever the text is like", () => {
  verifies("stream.chunking", "json.exact", "json.repeated-names");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(heads, tails), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(2), inside), { minLength: 1, maxLength: 12 }),
      (shapes, texts) => {
        const reader = new EventReader(new ChatStream({ wantsUsage: true }));
        for (const [at, text] of texts) {
          const [head, tail] = shapes[at % shapes.length] ?? ["", ""];
          const data = head + text + tail;
          readAsAlone(reader, data, piecesOf);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a chunk that ends with padding and repeats another but for that and its text is read as if it came alone", () => {
  verifies("stream.chunking", "json.exact");
  const shapes = fc.constantFrom<readonly [string, string, string]>(
    ['{"id":"c-1","choices":[{"index":0,"delta":{"content":"', '"}}],"obfuscation":"', '"}'],
    ['{"id":"c-1","choices":[{"index":0,"delta":{"content":"', '"}}], "obfuscation": "', '"}'],
    ['{"id":"c-1","choices":[{"index":0,"delta":{"content":"', '"}}],"obfuscation":"', '","id":"c-2"}'],
    ['{"obfuscation":"a","choices":[{"delta":{"content":"', '"}}],"obfuscation":"', '"}'],
    ['{"choices":[{"delta":{"content":"', '"}}],"x":"\\"obfuscation\\":","obfuscation":"', '"}'],
    ['{"choices":[{"delta":{"content":"', '","obfuscation":"', '"}}]}'],
    ['{"choices":[{"delta":{"content":"', '"}}],"x":{"obfuscation":"', '"}}'],
    ['{"choices":[{"delta":{"content":"', '"}}],"obfuscation":1,"x":"', '"}'],
  );
  fc.assert(
    fc.property(shapes, fc.array(fc.tuple(inside, inside), { minLength: 1, maxLength: 12 }), ([a, b, c], said) => {
      const reader = new EventReader(new ChatStream({ wantsUsage: true }));
      for (const [text, padding] of said) {
        const data = a + text + b + padding + c;
        readAsAlone(reader, data, piecesOf, (read, known) => {
          const own = known.value["obfuscation"];
          const slots = reader.besideIn(read, 100)?.texts.slots ?? [];
          expect(slots.map((slot) => slot.text)).toEqual(typeof own === "string" && own.length >= 6 ? [own] : []);
        });
      }
    }),
    { numRuns: 2_000 },
  );
});

test("chunks in a row share nothing that is changed in one of them", () => {
  verifies("stream.redact");
  const reader = new EventReader(new ChatStream({ wantsUsage: true }));
  const values = ["one", "two", "three", "four"].map((text) => {
    const chunk = reader.read(`{"id":"c","choices":[{"index":0,"delta":{"content":"${text}"}}]}`);
    if (!chunk) throw new Error("no chunk");
    const beside = reader.beside(chunk, 100);
    reader.saw(chunk);
    const [piece] = reader.pieces(chunk, beside === null ? NOTE : null);
    if (text === "three" && piece && !Array.isArray(piece.holder)) piece.holder[piece.key] = "[redacted]";
    return chunk;
  });
  expect(values.map(({ value }) => JSON.stringify(value["choices"]))).toEqual(
    ["one", "two", "[redacted]", "four"].map((content) => JSON.stringify([{ index: 0, delta: { content } }])),
  );
  // The first is looked at throughout, the second is the pattern of those behind it.
  expect(values.map(({ alike }) => alike !== undefined)).toEqual([false, false, true, true]);
  expect(values.slice(2).every(({ value }) => !hasTextsBeside(value, values[1]?.value))).toBe(true);
});

test("a text beside the choices is not taken for the text of the choice that has the same name", () => {
  verifies("stream.channels");
  const reader = new EventReader(new ChatStream({ wantsUsage: true }));
  const texts = ["a", "a", "b"].map((beside) => {
    const chunk = reader.read(`{"content":"${beside}","choices":[{"delta":{"content" : "a"}}]}`);
    if (!chunk) throw new Error("no chunk");
    const unlike = reader.beside(chunk, 100);
    reader.saw(chunk);
    return reader.pieces(chunk, unlike === null ? NOTE : null).map(({ text }) => text);
  });
  expect(texts).toEqual([["a"], ["a"], ["a"]]);
});

test("a numbered event that repeats another but for text and number is read as if it came alone", () => {
  verifies("stream.numbers", "json.exact");
  const shapes = fc.constantFrom<readonly [string, string, string]>(
    ['{"type":"text.delta","part":0,"delta":"', '","number":', "}"],
    ['{"type":"text.delta","number":', ',"part":0,"delta":"', '"}'],
    ['{"number": ', ',"type":"text.delta","delta":"', '","part":0}'],
    ['{"type":"text.delta","x":{"number":1},"delta":"', '","number":', "}"],
    ['{"type":"text.delta","delta":"', '","logprobs":[],"number":', "}"],
    ['{"number":1,"type":"text.delta","delta":"', '","number":', "}"],
    ['{"type":"text.delta","delta":"', '","number" : 5,"x":{"number":', "}}"],
  );
  const number = fc.oneof(
    fc.nat(200).map(String),
    fc.constantFrom("01", "1.0", "1e3", "123456789", "4539148803436467", "-1", "", "9007199254740993"),
  );
  fc.assert(
    fc.property(shapes, fc.array(fc.tuple(inside, number), { minLength: 1, maxLength: 12 }), ([a, b, c], said) => {
      const isTextFirst = a.endsWith('"');
      const stream = new NumberedStream();
      const reader = new EventReader(stream);
      for (const [text, digits] of said) {
        const data = isTextFirst ? a + text + b + digits + c : a + digits + b + text + c;
        readAsAlone(reader, data, (event) => stream.piecesOf(event));
      }
    }),
    { numRuns: 2_000 },
  );
  const reader = new EventReader(new NumberedStream());
  const alike = ["one", "two", "three"].map((delta, at) => {
    const event = reader.read(JSON.stringify({ type: "text.delta", part: 0, delta, logprobs: [], number: at }));
    if (!event) throw new Error("no event");
    const beside = reader.beside(event, 100);
    reader.saw(event);
    reader.pieces(event, beside === null ? NOTE : null);
    return event.alike !== undefined;
  });
  expect(alike).toEqual([false, true, true]);
});
