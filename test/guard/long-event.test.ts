import { expect, test } from "bun:test";
import fc from "fast-check";
import { SseSplitter } from "#core/sse";
import { expectLinear } from "#test/support/cost";

const inPieces = (text: string, length: number): string[] => {
  const splitter = new SseSplitter();
  const raw: string[] = [];
  for (let at = 0; at < text.length; at += length) {
    for (const event of splitter.push(text.slice(at, at + length))) raw.push(event.raw);
  }
  const rest = splitter.rest();
  return rest ? [...raw, rest.raw] : raw;
};

test("a long event in many pieces costs what its length says", () => {
  const sizes = { short: 1_000_000, long: 4_000_000, noiseMs: 100 };
  expectLinear("data of one event, ", (text) => inPieces(text, 1_024), sizes);
});

test("long events are the same however they are cut", () => {
  const ends = fc.constantFrom("\n\n", "\r\n\r\n", "\r\r", "\n\r\n");
  const lines = fc
    .tuple(fc.integer({ min: 0, max: 3_000 }), ends)
    .map(([length, end]) => `data: ${"x".repeat(length)}${end}`);
  const streams = fc.array(lines, { maxLength: 4 }).map((parts) => `${parts.join("")}data: rest`);
  fc.assert(
    fc.property(streams, fc.integer({ min: 1, max: 700 }), (text, length) => {
      const cut = inPieces(text, length);
      expect(cut.join("")).toBe(text);
      expect(cut).toEqual(inPieces(text, text.length));
    }),
  );
});
