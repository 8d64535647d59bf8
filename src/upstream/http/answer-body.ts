import type { Framing } from "./answer-head";
import { InvalidAnswer } from "./invalid-answer";
import { fieldsIn, isText, SectionReader } from "./section";

/** Takes the bytes of one body as they come. */
export type BodyReader = {
  /** True once the body has ended; what came behind its end is `behind`. */
  readonly isOver: boolean;
  /** The part of the body in these bytes, which are the reader's from now on; null for none. Throws `InvalidAnswer`. */
  take(bytes: Buffer, from: number): Buffer | null;
  /** Whether the last bytes went on behind the end. */
  readonly hasMore: boolean;
  /** Whether the body may end because the connection does. */
  readonly endsWithConnection: boolean;
};

export const bodyReaderOf = (framing: Framing): BodyReader => {
  switch (framing.kind) {
    case "none":
      return new LengthReader(0);
    case "length":
      return new LengthReader(framing.length);
    case "chunked":
      return new ChunkReader();
    case "until-closed":
      return UNTIL_CLOSED;
  }
};

const UNTIL_CLOSED: BodyReader = {
  isOver: false,
  hasMore: false,
  endsWithConnection: true,
  take: (bytes, from) => (from < bytes.length ? bytes.subarray(from) : null),
};

class LengthReader implements BodyReader {
  readonly endsWithConnection = false;
  hasMore = false;

  constructor(private left: number) {}

  get isOver(): boolean {
    return this.left === 0;
  }

  take(bytes: Buffer, from: number): Buffer | null {
    const end = Math.min(from + this.left, bytes.length);
    this.left -= end - from;
    this.hasMore = end < bytes.length;
    return end > from ? bytes.subarray(from, end) : null;
  }
}

/** The line that says a chunk's size, with its extensions. Bytes. */
const MAX_SIZE_LINE = 4_096;
/** Most are zeros, where there are that many. */
const MAX_DIGITS = 16;

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const SEMICOLON = 59;

type ChunkState = "size" | "blank" | "extension" | "line-end" | "data" | "data-cr" | "data-lf" | "trailers" | "over";

/** RFC 9112 §7.1. What it takes out is moved together in the bytes it was given: one piece a read, and no copy. */
class ChunkReader implements BodyReader {
  readonly endsWithConnection = false;
  hasMore = false;
  private state: ChunkState = "size";
  /** Of the chunk: what its line has said, then what is left of it. */
  private size = 0;
  private digits = 0;
  private lineLength = 0;
  private trailers: SectionReader | null = null;

  get isOver(): boolean {
    return this.state === "over";
  }

  take(bytes: Buffer, from: number): Buffer | null {
    let at = from;
    let begin = from;
    let end = from;
    while (at < bytes.length && this.state !== "over") {
      if (this.state === "data") {
        const taken = Math.min(this.size, bytes.length - at);
        if (begin === end) begin = end = at;
        else bytes.copyWithin(end, at, at + taken);
        at += taken;
        end += taken;
        this.size -= taken;
        if (this.size === 0) this.state = "data-cr";
      } else if (this.state === "trailers") at = this.takeTrailers(bytes, at);
      else {
        this.takeByte(bytes[at] ?? 0);
        at += 1;
      }
    }
    this.hasMore = at < bytes.length;
    return end > begin ? bytes.subarray(begin, end) : null;
  }

  private takeTrailers(bytes: Buffer, from: number): number {
    this.trailers ??= new SectionReader();
    const end = this.trailers.take(bytes, from);
    if (end < 0) return bytes.length;
    // They must be fields, and nobody wants them: in a body that is read piece by piece they come too late.
    fieldsIn(this.trailers.read);
    this.state = "over";
    return end;
  }

  private takeByte(byte: number): void {
    switch (this.state) {
      case "size":
        this.takeSize(byte);
        return;
      case "blank":
      case "extension":
        this.takeExtension(byte);
        return;
      case "line-end":
        expect(byte, LF, "a CR without LF");
        this.state = this.size === 0 ? "trailers" : "data";
        this.digits = this.lineLength = 0;
        return;
      case "data-cr":
        expect(byte, CR, "a chunk longer than its size");
        this.state = "data-lf";
        return;
      default:
        expect(byte, LF, "a CR without LF");
        this.state = "size";
        this.size = 0;
    }
  }

  private takeSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.digits += 1;
      this.size = this.size * 16 + digit;
      if (this.digits > MAX_DIGITS || !Number.isSafeInteger(this.size)) throw new InvalidAnswer("a chunk too large");
    } else if (this.digits === 0) throw new InvalidAnswer("a chunk size that is no number");
    else if (byte === CR) this.state = "line-end";
    else if (byte === SEMICOLON) this.state = "extension";
    else if (isBlank(byte)) this.state = "blank";
    else throw new InvalidAnswer("a chunk size that is no number");
  }

  private takeExtension(byte: number): void {
    this.lineLength += 1;
    if (this.lineLength > MAX_SIZE_LINE) throw new InvalidAnswer("a chunk's line too long");
    if (this.state === "blank") {
      // Blanks are allowed before an extension alone: readers that take them elsewhere disagree on what they mean.
      if (byte === SEMICOLON) this.state = "extension";
      else if (!isBlank(byte)) throw new InvalidAnswer("a chunk size that is no number");
    } else if (byte === CR) this.state = "line-end";
    else if (!isText(byte)) throw new InvalidAnswer("a control character in a chunk's line");
  }
}

const expect = (byte: number, wanted: number, fault: string): void => {
  if (byte !== wanted) throw new InvalidAnswer(fault);
};

const isBlank = (byte: number): boolean => byte === SPACE || byte === TAB;

const hexDigit = (byte: number): number => {
  if (byte >= 48 && byte <= 57) return byte - 48;
  // Letters of both cases: 32 is what they differ in.
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
};
