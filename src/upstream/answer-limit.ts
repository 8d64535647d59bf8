/** An answer had more than `maxBytes` bytes, counted as they are after unpacking. The message quotes nothing of it. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
  constructor(readonly maxBytes: number) {
    super(`The answer has more than ${sizeOf(maxBytes)}.`);
  }
}

/** A number of bytes in words: in MiB or KiB where it is a whole number of them. */
export const sizeOf = (bytes: number): string => {
  if (bytes >= MIB && bytes % MIB === 0) return `${bytes / MIB} MiB`;
  return bytes >= KIB && bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`;
};

const KIB = 1_024;
const MIB = 1_048_576;

/**
 * The whole body as text. One that is longer is not read on: its connection is closed. Throws `AnswerTooLarge`, and
 * what the connection throws.
 */
export const textWithin = async (response: Response, maxBytes: number): Promise<string> => {
  const pieces = await piecesWithin(response, maxBytes);
  return pieces === null ? response.text() : new TextDecoder().decode(joined(pieces));
};

/** The same as bytes. */
export const bytesWithin = async (response: Response, maxBytes: number): Promise<Uint8Array> => {
  const pieces = await piecesWithin(response, maxBytes);
  return pieces === null ? new Uint8Array(await response.arrayBuffer()) : joined(pieces);
};

const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [only = new Uint8Array(), second] = pieces;
  return second === undefined ? only : Buffer.concat(pieces);
};

/** Null for a body that is known to be short enough, and was not asked for yet. */
const piecesWithin = async (response: Response, maxBytes: number): Promise<Uint8Array[] | null> => {
  const { headers } = response;
  const length = headers.has("content-encoding") ? null : headers.get("content-length");
  // The connection carries no more than was announced. The body is not asked for: that would make a stream of it.
  if (length !== null && Number(length) <= maxBytes) return null;
  const { body } = response;
  if (body === null) return [];
  if (length !== null) {
    await body.cancel();
    throw new AnswerTooLarge(maxBytes);
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > maxBytes) {
      // Closes the connection.
      await reader.cancel();
      throw new AnswerTooLarge(maxBytes);
    }
    pieces.push(read.value);
  }
  return pieces;
};
