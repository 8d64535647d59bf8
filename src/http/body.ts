import { GuardError } from "#core/errors";
import { parseExactly, readJsonSliced, SMALL_TEXT } from "#core/json/json-reader";
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
    return text.length <= SMALL_TEXT ? () => parseBody(text, parseExactly) : () => parseInSlices(text);
  } catch (error) {
    return () => {
      throw error;
    };
  }
};

const parseInSlices = async (text: string): Promise<unknown> => {
  try {
    return (await readJsonSliced(text, () => slices.turn())).value;
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
  if (Number(announced ?? 0) > maxBytes) throw tooLarge(maxBytes);
  try {
    // HTTP's own framing keeps a body to the length it announced.
    const isShort = announced !== null && Number(announced) <= MAX_BYTES_AT_ONCE;
    return isShort ? await request.text() : await readInPieces(request, maxBytes);
  } catch (cause) {
    if (cause instanceof GuardError) throw cause;
    throw new GuardError("client_closed", "The request body ended early.", { cause });
  }
};

/** Bytes that are decoded in one piece: about half a millisecond. */
const MAX_BYTES_AT_ONCE = 262_144;

/** Decodes what comes as it comes, in slices: a long body decoded whole holds everybody up. */
const readInPieces = async ({ body }: Request, maxBytes: number): Promise<string> => {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  const pause = slices.begin();
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    for (let at = 0; at < piece.length; at += MAX_BYTES_AT_ONCE) {
      parts.push(decoder.decode(piece.subarray(at, at + MAX_BYTES_AT_ONCE), { stream: true }));
      const wait = pause();
      if (wait) await wait;
    }
  }
  parts.push(decoder.decode());
  return parts.join("");
};

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
