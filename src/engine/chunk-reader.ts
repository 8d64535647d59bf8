import { isRecord, type JsonRecord } from "#core/json";
import { isProtocolValue, type Texts } from "#core/text-walk";
import { hasTextsBeside, textsBeside } from "#core/texts";
import { type Chunk, chunkOf, type Piece, piecesOf } from "#engine/stream-channel";

/** A chunk with one text, cut in two where the text stands: what has the same two parts differs in the text alone. */
type Pattern = {
  readonly head: string;
  readonly tail: string;
  readonly chunk: JsonRecord;
  readonly choice: JsonRecord;
  readonly delta: JsonRecord;
  readonly piece: Piece & { readonly key: string };
};

/** So many patterns are made before one is used: in some streams no chunk is like another. */
const MAX_UNUSED = 16;
/** What does not stand for itself in a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a string.
const ESCAPED = /["\\\u0000-\u001f]/;
/** Names that are written one way only. */
const SIMPLE_NAME = /^\w+$/;

/**
 * Reads the chunks of one stream. Nearly all of them repeat the one before but for a piece of text; such a chunk is not
 * parsed again, nor looked through for numbers and repeated names, which costs most of what a chunk costs.
 */
export class ChunkReader {
  private pattern: Pattern | null = null;
  private unused = 0;
  private latest: { readonly data: string; readonly chunk: Chunk } | null = null;
  /** The latest chunk: what the next one repeats of it need not be looked at again. */
  private seen: JsonRecord = {};

  /** Parsed chunk of an event, or null when it is none. Those with `pieces` have nothing else that is new. */
  read(data: string): Chunk | null {
    const like = this.pattern && repeated(this.pattern, data);
    if (like) {
      this.unused = 0;
      return like;
    }
    const chunk = chunkOf(data);
    this.latest = chunk && { data, chunk };
    return chunk;
  }

  /** What is to be looked at of a chunk beside its pieces; null for nothing. */
  beside({ value, pieces }: Chunk, maxDepth: number): Texts | null {
    return pieces || !hasTextsBeside(value, this.seen) ? null : textsBeside(value, maxDepth, this.seen);
  }

  /** All of it has been looked at. */
  saw({ value }: Chunk): void {
    this.seen = value;
  }

  /** As `piecesOf`. `isPlain`: nothing in the chunk has to be looked at but its pieces, so that others may be like it. */
  pieces(chunk: Chunk, isPlain: boolean): readonly Piece[] {
    if (chunk.pieces) return chunk.pieces;
    const pieces = piecesOf(chunk.value);
    const { latest } = this;
    if (isPlain && !chunk.isAmbiguous && latest?.chunk === chunk && this.unused < MAX_UNUSED) {
      const pattern = patternOf(latest.data, chunk.value, pieces);
      if (pattern) {
        this.pattern = pattern;
        this.unused += 1;
      }
    }
    return pieces;
  }
}

const repeated = ({ head, tail, chunk, choice, delta, piece }: Pattern, data: string): Chunk | null => {
  const end = data.length - tail.length;
  if (end < head.length || !data.startsWith(head) || !data.endsWith(tail)) return null;
  const between = data.slice(head.length, end);
  const text = ESCAPED.test(between) ? unescaped(between) : between;
  if (text === null) return null;
  const holder = { ...delta, [piece.key]: text };
  const value = { ...chunk, choices: [{ ...choice, delta: holder }] };
  const { path, choice: index, key } = piece;
  return { value, isAmbiguous: false, pieces: [{ path, choice: index, isArguments: false, text, holder, key }] };
};

/** Null for what is not the inside of one JSON string. */
const unescaped = (between: string): string | null => {
  try {
    const value: unknown = JSON.parse(`"${between}"`);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
};

/** Only for chunks of one choice in which everything but the piece is a plain value: nothing of them is shared. */
const patternOf = (data: string, chunk: JsonRecord, pieces: readonly Piece[]): Pattern | null => {
  const [piece, second] = pieces;
  if (!piece || second || typeof piece.key !== "string" || piece.isArguments) return null;
  const { key } = piece;
  if (!SIMPLE_NAME.test(key) || isProtocolValue(key, "")) return null;
  const choices = chunk["choices"];
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : null;
  const delta = isRecord(choice) ? choice["delta"] : null;
  if (!isRecord(choice) || !isRecord(delta) || piece.holder !== delta || choice["finish_reason"] != null) return null;
  if (!isFlat(chunk, "choices") || !isFlat(choice, "delta") || !isFlat(delta, "")) return null;
  // Elsewhere the same name would be found in place of the piece's own.
  if (Object.hasOwn(chunk, key) || Object.hasOwn(choice, key)) return null;
  const begin = placeOf(data, key, piece.text);
  if (begin === null) return null;
  const [head, tail] = [data.slice(0, begin), data.slice(begin + piece.text.length)];
  return { head, tail, chunk: { ...chunk }, choice: { ...choice }, delta: { ...delta }, piece: { ...piece, key } };
};

const isFlat = (record: JsonRecord, but: string): boolean => {
  for (const key in record) {
    const value = record[key];
    if (key !== but && typeof value === "object" && value !== null) return false;
  }
  return true;
};

/** Where the text of a name begins in a JSON text; null where that is not certain. */
const placeOf = (data: string, key: string, text: string): number | null => {
  const name = `"${key}":`;
  const at = data.indexOf(name);
  // Behind a backslash the quotation mark belongs to a longer name.
  if (at < 1 || data[at - 1] === "\\" || data.includes(name, at + 1) || ESCAPED.test(text)) return null;
  const behind = at + name.length;
  const begin = data[behind] === " " ? behind + 2 : behind + 1;
  const isThere = data[begin - 1] === '"' && data.startsWith(text, begin) && data[begin + text.length] === '"';
  return isThere ? begin : null;
};
