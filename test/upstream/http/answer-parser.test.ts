import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { verifies } from "#test/support/verifies";
import { AnswerParser } from "#upstream/http/answer-parser";
import { InvalidAnswer } from "#upstream/http/invalid-answer";
import { cutAt, cuts, INVALID_ANSWERS, writtenAnswer } from "./written-answer";

const readIn = (pieces: readonly Buffer[], method = "GET") => {
  const parser = new AnswerParser(method);
  const parts: Buffer[] = [];
  for (const piece of pieces) {
    const part = parser.take(piece);
    if (part !== null) parts.push(Buffer.from(part));
  }
  return { parser, body: Buffer.concat(parts) };
};

describe("an answer of HTTP/1.1", () => {
  test("reads the same, however it is cut", () => {
    verifies("upstream.http-cuts");
    fc.assert(
      fc.property(writtenAnswer, cuts, ({ wire, status, fields, body, untilClosed }, places) => {
        const { parser, body: read } = readIn(cutAt(wire, places));
        expect(parser.head?.status).toBe(status);
        const own = parser.head?.fields.filter(({ name }) => name.startsWith("x-"));
        expect(own?.map(({ name, value }) => [name, value])).toEqual(fields.map(([name, value]) => [name, value]));
        expect(read.equals(body)).toBe(true);
        expect(parser.isComplete).toBe(!untilClosed);
        expect(parser.end()).toBe(untilClosed);
        expect(parser.hasMore).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  test("reads the same byte by byte", () => {
    verifies("upstream.http-cuts");
    fc.assert(
      fc.property(writtenAnswer, ({ wire, status, body, untilClosed }) => {
        const { parser, body: read } = readIn([...wire].map((byte) => Buffer.of(byte)));
        expect([parser.head?.status, parser.isComplete]).toEqual([status, !untilClosed]);
        expect(read.equals(body)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("is not complete before its last byte, and takes nothing of what comes behind it", () => {
    verifies("upstream.http-cuts", "upstream.http-smuggling");
    fc.assert(
      fc.property(writtenAnswer, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 9 }), (answer, place, behind) => {
        const { wire, body, untilClosed } = answer;
        const part = readIn([Buffer.from(wire.subarray(0, place % wire.length))]);
        expect(part.parser.isComplete).toBe(false);
        if (untilClosed) return;
        const { parser, body: read } = readIn([Buffer.concat([wire, behind])]);
        expect(read.equals(body)).toBe(true);
        expect([parser.isComplete, parser.hasMore]).toEqual([true, true]);
      }),
      { numRuns: 500 },
    );
  });

  test("to HEAD has no body, whatever it announces", () => {
    verifies("upstream.http-framing");
    for (const line of ["content-length: 5", "transfer-encoding: chunked", "x-a: b"]) {
      const { parser, body } = readIn([Buffer.from(`HTTP/1.1 200 OK\r\n${line}\r\n\r\n`)], "HEAD");
      expect([parser.isComplete, parser.hasMore, body.length]).toEqual([true, false, 0]);
    }
  });
});

describe("what is no answer of HTTP/1.1", () => {
  test.each([...INVALID_ANSWERS])("%s: refused, however it is cut", (_, text) => {
    verifies("upstream.http-smuggling");
    const wire = Buffer.from(text, "latin1");
    const refused = (pieces: readonly Buffer[]) => expect(() => readIn(pieces)).toThrow(InvalidAnswer);
    refused([Buffer.from(wire)]);
    refused([...wire].map((byte) => Buffer.of(byte)));
    fc.assert(
      fc.property(cuts, (places) => refused(cutAt(wire, places))),
      { numRuns: 20 },
    );
  });

  test("any bytes are read or refused, and nothing else is thrown", () => {
    verifies("upstream.http-smuggling");
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      // A valid one with some bytes replaced.
      fc
        .tuple(writtenAnswer, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }))
        .map(([{ wire }, changes]) => {
          const bytes = Buffer.from(wire);
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
          return bytes;
        }),
    );
    const outcome = (pieces: readonly Buffer[]) => {
      try {
        const { parser, body } = readIn(pieces);
        return [parser.head?.status, parser.isComplete, body.toString("latin1")];
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidAnswer);
        return "refused";
      }
    };
    fc.assert(
      fc.property(noise, cuts, (bytes, places) => {
        expect(outcome(cutAt(Buffer.from(bytes), places))).toEqual(outcome([Buffer.from(bytes)]));
      }),
      { numRuns: 2_000 },
    );
  });
});
