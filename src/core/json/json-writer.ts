import { isExactNumber } from "#core/json/json-number";
import { type ReaderPause, SLICE } from "#core/json/json-reader";
import { isLongJson } from "#core/json/json-size";

/**
 * As `JSON.stringify`, for documents of any size on a thread that serves others: after each `slice` the work stops
 * until `pause` resolves. For values that JSON can hold; the document must not be changed meanwhile.
 */
export const stringifySliced = async (value: unknown, pause: ReaderPause, slice = SLICE): Promise<string> => {
  const writer = new JsonWriter(value);
  while (!writer.run(slice)) await pause();
  return writer.text;
};

/**
 * The JSON text of a value, at once when it is short. A long one comes as a promise, written in slices: see
 * `stringifySliced`.
 */
export const jsonText = (value: unknown, pause: ReaderPause): string | Promise<string> =>
  isLongJson(value) ? stringifySliced(value, pause) : JSON.stringify(value);

/** Of a long string, so much is written at once, in UTF-16 units. */
const BLOCK = 65_536;
/** Pieces are joined from time to time, so that the end costs little. */
const MAX_PIECES = 4_096;

type Open =
  | { readonly list: readonly unknown[]; at: number }
  | { readonly record: Record<string, unknown>; readonly names: readonly string[]; at: number; isFirst: boolean };

/** Writes a document piece by piece, without recursion. */
export class JsonWriter {
  private readonly stack: Open[] = [];
  private pieces: string[] = [];
  private readonly joined: string[] = [];
  /** A long string of which the beginning is written. */
  private long: { readonly text: string; at: number } | null = null;

  constructor(value: unknown) {
    this.value(value);
  }

  /** Once `run` has returned true. */
  get text(): string {
    return this.joined.join("") + this.pieces.join("");
  }

  /** Goes on for about `budget` values, or 64 characters of long strings; true when all is written. */
  run(budget: number): boolean {
    for (let left = budget; left > 0; left -= 1) {
      if (this.long) {
        left -= BLOCK >> 6;
        this.block(this.long);
      } else {
        const top = this.stack.at(-1);
        if (!top) return true;
        this.step(top);
      }
      if (this.pieces.length > MAX_PIECES) {
        this.joined.push(this.pieces.join(""));
        this.pieces = [];
      }
    }
    return this.stack.length === 0 && this.long === null;
  }

  private step(top: Open): void {
    const { at } = top;
    top.at += 1;
    if ("list" in top) {
      if (at >= top.list.length) this.close("]");
      else this.item(top.list[at], at);
    } else {
      const name = top.names[at];
      if (name === undefined) this.close("}");
      else if (top.record[name] !== undefined) this.field(top, name, top.record[name]);
    }
  }

  private item(value: unknown, at: number): void {
    if (at > 0) this.pieces.push(",");
    this.value(value === undefined ? null : value);
  }

  private field(top: { isFirst: boolean }, name: string, value: unknown): void {
    this.pieces.push(`${top.isFirst ? "" : ","}${JSON.stringify(name)}:`);
    top.isFirst = false;
    this.value(value);
  }

  private close(mark: string): void {
    this.pieces.push(mark);
    this.stack.pop();
  }

  private value(value: unknown): void {
    if (typeof value === "string" && value.length > BLOCK) {
      this.pieces.push('"');
      this.long = { text: value, at: 0 };
    } else if (Array.isArray(value)) {
      this.pieces.push("[");
      this.stack.push({ list: value, at: 0 });
    } else if (isPlainObject(value)) {
      this.pieces.push("{");
      this.stack.push({ record: value, names: Object.keys(value), at: 0, isFirst: true });
    } else this.pieces.push(JSON.stringify(value) ?? "null");
  }

  private block(long: { readonly text: string; at: number }): void {
    let end = Math.min(long.at + BLOCK, long.text.length);
    // The two halves of a character stay together: a half alone is written as an escape.
    if (end < long.text.length && (long.text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    this.pieces.push(JSON.stringify(long.text.slice(long.at, end)).slice(1, -1));
    long.at = end;
    if (end < long.text.length) return;
    this.pieces.push('"');
    this.long = null;
  }
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !isExactNumber(value) && !("toJSON" in value);
