import { pipeline } from "node:stream";
import type * as Zlib from "node:zlib";

/*
 * `fetch` without its own unpacking. The runtime unpacks all that has arrived in one go when a body is given up, so that
 * kilobytes of an answer become gigabytes in memory after the hub has stopped reading (decompression bomb, CWE-409).
 * Here nothing packed is asked for, and what comes packed all the same is unpacked piece by piece, as far as it is read.
 */

export const plainFetch = (url: string, init: BunFetchRequestInit): Promise<Response> =>
  fetch(url, { ...init, headers: plainHeaders(init.headers), decompress: false }).then(unpacked);

/** The headers that `plainFetch` sends; made once, they serve for many requests. */
export const plainHeaders = (given: BunFetchRequestInit["headers"]): Headers => {
  if (given instanceof Headers && given.get("accept-encoding") === "identity") return given;
  const headers = new Headers(given);
  headers.set("accept-encoding", "identity");
  return headers;
};

/** Content codings of RFC 9110 §8.4.1, RFC 7932 and RFC 8878. */
const UNPACKERS = {
  gzip: "createGunzip",
  "x-gzip": "createGunzip",
  deflate: "createInflate",
  br: "createBrotliDecompress",
  zstd: "createZstdDecompress",
} as const satisfies Record<string, keyof typeof Zlib>;

/** The library is loaded for the first answer that comes packed, which few do: it takes 4 ms of CPU. */
const unpackerOf = (coding: keyof typeof UNPACKERS) => process.getBuiltinModule("node:zlib")[UNPACKERS[coding]]();

const isKnown = (coding: string): coding is keyof typeof UNPACKERS => Object.hasOwn(UNPACKERS, coding);

/** The answer with a plain body. `content-encoding` stays, for those who take nothing packed. */
const unpacked = (response: Response): Response => {
  const { headers, status, statusText } = response;
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  // Before the body is asked for: that makes a stream of it, which takes several times as long to read.
  if (coding === "" || coding === "identity") return response;
  const { body } = response;
  if (body === null) return response;
  // A list of codings is not known either: nobody packs twice without a bad purpose.
  const plain = isKnown(coding) ? unpack(body, unpackerOf(coding)) : unreadable(body);
  const kept = new Headers(headers);
  // It is the length of what was packed.
  kept.delete("content-length");
  return new Response(plain, { status, statusText, headers: kept });
};

type Unpacker = ReturnType<typeof unpackerOf>;

const unpack = (body: ReadableStream<Uint8Array>, unpacker: Unpacker): ReadableStream<Uint8Array> => {
  // A failure on either side ends the other; it is reported to the reader below, hence nothing to do here.
  pipeline(piecesOf(body), unpacker, () => {});
  const pieces: AsyncIterator<Uint8Array> = unpacker[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void unpacker.destroy(),
    },
    { highWaterMark: 0 },
  );
};

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Ending the loop early cancels the body, and with it the connection.
  for await (const piece of body) yield piece;
}

/** Fails when it is read: until then the status alone may be of interest. */
const unreadable = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      async pull() {
        await body.cancel();
        throw new TypeError("an unknown content-encoding");
      },
      cancel: () => body.cancel(),
    },
    { highWaterMark: 0 },
  );
