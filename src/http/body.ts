import { GuardError } from "#core/errors";
import { parseExactly, type ReaderPause, readJsonSliced, SMALL_TEXT } from "#core/json/json-reader";
import { slices } from "#platform/slices";

/**
 * The body of a call, read to its end: what comes back parses it, or throws what was wrong with it. So that the
 * call is begun, and its refusal written down, whatever the body is like.
 */
export const bodyOf = (request: Request, maxBytes: number): Promise<() => unknown> =>
  bodyRead(request, maxBytes, JSON.parse);

type Parse = (text: string) => unknown;

const bodyRead = async (request: Request, maxBytes: number, parse: Parse): Promise<() => unknown> => {
  try {
    const text = await readBody(request, maxBytes);
    return () => parseBody(text, parse);
  } catch (error) {
    return () => {
      throw error;
    };
  }
};

/**
 * As `bodyOf`, for bodies that may be long: a long one is parsed in slices, and comes as a promise. Numbers are kept
 * digit for digit.
 */
export const longBodyOf = async (request: Request, maxBytes: number): Promise<() => unknown | Promise<unknown>> => {
  try {
    const text = await readBody(request, maxBytes);
    return () => textParsed(text);
  } catch (error) {
    return () => {
      throw error;
    };
  }
};

/**
 * The value of a body, its numbers digit for digit. A long one is parsed in slices, with a pause between two. Throws
 * `invalid_json`, and what a pause rejects with.
 */
export const textParsed = (text: string, pause: ReaderPause = () => slices.turn()): unknown | Promise<unknown> =>
  text.length <= SMALL_TEXT ? parseBody(text, parseExactly) : parseInSlices(text, pause);

const parseInSlices = async (text: string, pause: ReaderPause): Promise<unknown> => {
  try {
    return (await readJsonSliced(text, pause)).value;
  } catch (cause) {
    if (cause instanceof SyntaxError) throw notJson(cause);
    throw cause;
  }
};

/**
 * The body as text. Throws `request_too_large` before reading what is announced to be too long, and as soon as
 * what says nothing of its length turns out to be; `client_closed` for a body that breaks off.
 */
export const readBody = async (request: Request, maxBytes: number): Promise<string> => {
  const announced = request.headers.get("content-length");
  // HTTP's own framing keeps a body to the length it announced.
  const isShort = announced !== null && Number(announced) <= Math.min(maxBytes, MAX_BYTES_AT_ONCE);
  return isShort ? whole(() => request.text()) : readText(request, maxBytes, () => {});
};

/**
 * The same; `onBytes` is given every piece of it as it came, before it is decoded. Throws the reason of `ends`, too, also
 * where nothing more comes.
 */
export const readText = async (
  request: Request,
  maxBytes: number,
  onBytes: (bytes: Uint8Array) => void,
  ends?: AbortSignal,
): Promise<string> => {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return whole(() => readInPieces(request, maxBytes, onBytes, ends));
};

const whole = async (read: () => Promise<string>): Promise<string> => {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof GuardError) throw cause;
    throw new GuardError("client_closed", "The request body ended early.", { cause });
  }
};

/** Bytes that are decoded in one piece: about half a millisecond. */
const MAX_BYTES_AT_ONCE = 262_144;

/** Decodes what comes as it comes, in slices: a long body decoded whole holds everybody up. */
const readInPieces = async (
  { body }: Request,
  maxBytes: number,
  onBytes: (bytes: Uint8Array) => void,
  ends: AbortSignal | undefined,
): Promise<string> => {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  const pause = slices.begin();
  let length = 0;
  for await (const piece of ends && body ? piecesUntil(body, ends) : (body ?? [])) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    for (let at = 0; at < piece.length; at += MAX_BYTES_AT_ONCE) {
      const bytes = piece.subarray(at, at + MAX_BYTES_AT_ONCE);
      onBytes(bytes);
      parts.push(decoder.decode(bytes, { stream: true }));
      const wait = pause();
      if (wait) await wait;
    }
  }
  parts.push(decoder.decode());
  return parts.join("");
};

async function* piecesUntil(body: ReadableStream<Uint8Array>, ends: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  // What a broken body is broken by is told by its reading.
  const cancel = () => void reader.cancel().catch(() => undefined);
  ends.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      ends.throwIfAborted();
      const { done, value } = await reader.read();
      ends.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    ends.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The body as JSON. Throws `invalid_json`. */
const parseBody = (text: string, parse: Parse): unknown => {
  try {
    return parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
};

/** The parser's own message quotes the text, so only its kind is kept. */
const notJson = (cause: unknown): GuardError =>
  new GuardError("invalid_json", "The body is not valid JSON.", { cause });

const tooLarge = (maxBytes: number): GuardError =>
  new GuardError("request_too_large", `The body is larger than ${maxBytes} bytes. Operators raise limits.body_bytes.`);
