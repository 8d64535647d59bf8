import { afterAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { verifies } from "#test/support/verifies";
import { AnswerTooLarge, sizeOf, textWithin } from "#upstream/answer-limit";
import { plainFetch } from "#upstream/plain-fetch";

const PACKERS = {
  identity: (plain: Buffer) => plain,
  gzip: (plain: Buffer) => gzipSync(plain),
  deflate: (plain: Buffer) => deflateSync(plain),
  br: (plain: Buffer) => brotliCompressSync(plain),
  zstd: (plain: Buffer) => zstdCompressSync(plain),
} as const;

type Answer = { readonly coding: string; readonly packed: Buffer; readonly cut: number; readonly announced: boolean };
let next: Answer = { coding: "identity", packed: Buffer.alloc(0), cut: 1, announced: false };

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    const { coding, packed, cut, announced } = next;
    let at = 0;
    const pieces = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at < packed.length) controller.enqueue(packed.subarray(at, at + cut));
        else controller.close();
        at += cut;
      },
    });
    return new Response(announced ? new Uint8Array(packed) : pieces, { headers: { "content-encoding": coding } });
  },
});
afterAll(() => server.stop(true));

const read = async (maxBytes: number): Promise<string> => textWithin(await plainFetch(server.url.href, {}), maxBytes);

describe("compressed answers that were not requested", () => {
  test.each(Object.keys(PACKERS) as (keyof typeof PACKERS)[])(
    "is read as it was, however it is cut (%s)",
    async (coding) => {
      verifies("upstream.answer-size");
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: "binary", maxLength: 3_000 }),
          fc.integer({ min: 1, max: 4_000 }),
          fc.boolean(),
          async (text, cut, announced) => {
            const plain = Buffer.from(text);
            next = { coding, packed: PACKERS[coding](plain), cut, announced };
            // As every client reads text: a byte order mark at the beginning is no text.
            expect(await read(100_000)).toBe(new TextDecoder().decode(plain));
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  test.each(Object.keys(PACKERS) as (keyof typeof PACKERS)[])(
    "is taken up to the limit and no byte further (%s)",
    async (coding) => {
      verifies("upstream.answer-size");
      for (const announced of [false, true]) {
        next = { coding, packed: PACKERS[coding](Buffer.alloc(50_000, "a")), cut: 1_000, announced };
        expect(await read(50_000)).toHaveLength(50_000);
        await expect(read(49_999)).rejects.toBeInstanceOf(AnswerTooLarge);
      }
    },
  );

  test("is an error when cut short or in an unknown encoding", async () => {
    verifies("upstream.answer-size");
    const packed = gzipSync(Buffer.alloc(50_000, "a"));
    for (const coding of ["gzip", "compress", "gzip, gzip"]) {
      next = { coding, packed: packed.subarray(0, packed.length - 20), cut: 1_000, announced: false };
      await expect(read(100_000)).rejects.toBeInstanceOf(Error);
    }
  });
});

test("sizes are said in words", () => {
  expect([1_000, 2_048, 67_108_864].map(sizeOf)).toEqual(["1000 bytes", "2 KiB", "64 MiB"]);
});
