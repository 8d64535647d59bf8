import { GuardError } from "#core/errors";

/** The body as text. Throws `request_too_large` before reading what is announced to be too long, or after what turned out to be. */
export const readBody = async (request: Request, maxBytes: number): Promise<string> => {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const text = await request.text();
  // UTF-16 units never outnumber UTF-8 bytes; only a text that might be too long is measured.
  if (text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)) throw tooLarge(maxBytes);
  return text;
};

/** The body as JSON. Throws `invalid_json`. */
export const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's own message quotes the text, so only its kind is kept.
    throw new GuardError("invalid_json", "The body is not valid JSON.", { cause });
  }
};

const tooLarge = (maxBytes: number): GuardError =>
  new GuardError("request_too_large", `The body is larger than the ${maxBytes} bytes this hub reads. Operators change it with limits.body_bytes.`);
