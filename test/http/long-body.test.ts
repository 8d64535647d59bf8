import { expect, test } from "bun:test";
import { readBody } from "#http/body";

const MAX = 64 * 1024 * 1024;
const LONG = "Größe 12 €, 😀 and a plain end. ".repeat(40_000);

const withServer = async (work: (url: string) => Promise<void>): Promise<void> => {
  const fetch = async (request: Request) => new Response(await readBody(request, MAX));
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", maxRequestBodySize: MAX, fetch });
  try {
    await work(server.url.href);
  } finally {
    await server.stop(true);
  }
};

/** The bytes in pieces of a prime length, so that characters are cut in all places. */
const inPieces = (bytes: Uint8Array, length: number): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.subarray(at, at + length));
      controller.close();
    },
  });

test("a long body is the same text however it comes", async () => {
  const bytes = new TextEncoder().encode(`\uFEFF${LONG}`);
  const broken = new Uint8Array([...bytes.subarray(0, 300_000), 0xff, 0xe2, 0x82]);
  await withServer(async (url) => {
    for (const body of [bytes, broken]) {
      const expected = new TextDecoder().decode(body);
      expect((await (await fetch(url, { method: "POST", body })).text()) === expected).toBe(true);
      for (const length of [4_093, 262_147]) {
        const answer = await fetch(url, { method: "POST", body: inPieces(body, length) });
        expect((await answer.text()) === expected).toBe(true);
      }
    }
  });
});

test("while a long body is decoded the event loop goes round", async () => {
  const body = new TextEncoder().encode(LONG.repeat(12));
  const headers = { "content-length": String(body.length) };
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const text = await readBody(new Request("http://hub.example/", { method: "POST", body, headers }), MAX);
  isOver = true;
  expect(text.length).toBe(LONG.length * 12);
  expect(turns).toBeGreaterThan(3);
});
