const LINE_FEED = 10;
/** Buffer for a line that comes in pieces. It grows for longer ones and shrinks after them. */
const BUFFER_BYTES = 16 * 1024;

/** Cuts a stream of bytes into lines, whatever the chunking. Works on bytes: no character can be cut in two. */
export class LineSplitter {
  private buffer = new Uint8Array(BUFFER_BYTES);
  private held = 0;
  private readonly decoder = new TextDecoder();

  /** `longest` in bytes. */
  constructor(private readonly longest: number) {}

  /** The lines that end in `chunk`, without their line feeds. Throws RangeError when one outgrows the limit. */
  *push(chunk: Uint8Array): Generator<string> {
    let begin = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, begin)) {
      yield this.line(chunk.subarray(begin, end));
      begin = end + 1;
    }
    this.hold(chunk.subarray(begin));
  }

  private line(rest: Uint8Array): string {
    if (this.held === 0 && rest.length <= this.longest) return this.decoder.decode(rest);
    this.hold(rest);
    const line = this.decoder.decode(this.buffer.subarray(0, this.held));
    this.held = 0;
    if (this.buffer.length > BUFFER_BYTES) this.buffer = new Uint8Array(BUFFER_BYTES);
    return line;
  }

  /** One buffer that doubles: a list of pieces could be made to cost many times what it holds. */
  private hold(part: Uint8Array): void {
    const length = this.held + part.length;
    if (length > this.longest) throw new RangeError("line too long");
    if (length > this.buffer.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(this.longest, this.buffer.length * 2)));
      larger.set(this.buffer.subarray(0, this.held));
      this.buffer = larger;
    }
    this.buffer.set(part, this.held);
    this.held = length;
  }
}
