import { connect } from "node:net";

/** What came back over a socket. `status` is null when the other side closed without an answer. */
export type RawAnswer = {
  readonly status: number | null;
  readonly headers: Headers;
  /** The body, its chunks joined. */
  readonly body: string;
  /** Every byte that came, as Latin-1. */
  readonly bytes: string;
  /** Milliseconds until the answer was whole or the connection ended. */
  readonly ms: number;
  /** True when the other side closed; false when the answer was whole before that, or time was up. */
  readonly closed: boolean;
};

export type RawOptions = {
  /** When to give up. */
  readonly withinMs?: number;
  /** Sent again and again after the first bytes, until the connection ends. */
  readonly drip?: { readonly bytes: string; readonly everyMs: number };
  /** Leaves when it aborts. */
  readonly signal?: AbortSignal;
};

const HEAD_END = "\r\n\r\n";
/** It may come in as many pieces as it has bytes. */
const LAST_CHUNK = "\r\n0\r\n\r\n";

/**
 * Writes bytes to the hub as they are, for requests no HTTP client would send, and for more connections at once
 * than `fetch` opens. Reads until the answer is whole, the hub closes, or time is up.
 */
export const sendRaw = (
  url: string,
  bytes: string | Uint8Array,
  { withinMs = 10_000, drip, signal }: RawOptions = {},
): Promise<RawAnswer> => {
  const { promise, resolve } = Promise.withResolvers<RawAnswer>();
  const { hostname, port } = new URL(url);
  const began = performance.now();
  const pieces: string[] = [];
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const finish = (closed: boolean): void => {
    clearTimeout(late);
    clearInterval(dripping);
    socket.destroy();
    resolve({ ...read(pieces.join("")), ms: performance.now() - began, closed });
  };
  const late = setTimeout(finish, withinMs, false);
  const dripping = drip && setInterval(() => socket.write(drip.bytes), drip.everyMs);
  signal?.addEventListener("abort", () => finish(false), { once: true });
  socket.setEncoding("latin1");
  socket.on("connect", () => socket.write(bytes));
  socket.on("data", (data) => {
    pieces.push(String(data));
    if (isWhole(pieces)) finish(false);
  });
  // "close" follows an error; a reset is one of the ways a hub may refuse.
  socket.on("error", () => undefined);
  socket.on("close", () => finish(true));
  return promise;
};

/** The bytes of a request: `POST /v1 HTTP/1.1`, header lines, an empty line, the body. */
export const request = (line: string, headers: readonly string[], body = ""): string =>
  `${line}\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n${body}`;

/** The body as one HTTP chunk after the other, with the last one. */
export const chunked = (...pieces: readonly string[]): string =>
  [...pieces, ""].map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join("");

const read = (bytes: string): Omit<RawAnswer, "ms" | "closed"> => {
  const end = bytes.indexOf(HEAD_END);
  const [line = "", ...lines] = bytes.slice(0, end < 0 ? bytes.length : end).split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1];
  const headers = new Headers();
  for (const header of lines) {
    const colon = header.indexOf(":");
    if (colon > 0) headers.append(header.slice(0, colon), header.slice(colon + 1).trim());
  }
  const rest = end < 0 ? "" : bytes.slice(end + HEAD_END.length);
  const body = headers.get("transfer-encoding") === "chunked" ? joined(rest) : rest;
  return {
    status: status === undefined ? null : Number(status),
    headers,
    body: Buffer.from(body, "latin1").toString(),
    bytes,
  };
};

/** An answer of known length whose bytes are all there. What has no length ends with the connection. */
const isWhole = (pieces: string[]): boolean => {
  const [first = ""] = pieces;
  const end = first.indexOf(HEAD_END);
  if (end < 0) {
    if (pieces.length > 1) pieces.splice(0, pieces.length, pieces.join(""));
    return false;
  }
  const head = first.slice(0, end).toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (length === undefined)
    return (
      /\r\ntransfer-encoding: *chunked/.test(head) && pieces.slice(-LAST_CHUNK.length).join("").endsWith(LAST_CHUNK)
    );
  const got = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return got >= end + HEAD_END.length + Number(length);
};

const joined = (chunks: string): string => {
  let body = "";
  for (let at = 0; at < chunks.length; ) {
    const lineEnd = chunks.indexOf("\r\n", at);
    const size = Number.parseInt(chunks.slice(at, lineEnd), 16);
    if (lineEnd < 0 || !(size > 0)) return body;
    body += chunks.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
  return body;
};
