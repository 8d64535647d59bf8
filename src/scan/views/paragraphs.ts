/** Units of a paragraph: what is shorter is judged together with the next, what is longer in parts. */
const LEAST = 256;
export const MOST = 4_096;
/** A part ends behind one of its last words. */
const LAST_WORDS = 512;

const BLANK = /^[ \t\r]*$/;

/** Cuts a text that grows into paragraphs, each given when it ends; how the text came in makes no difference. */
export class Paragraphs {
  /** Pieces put together, which costs nothing until it is read. */
  private text = "";
  /** Nothing stands in the line that has begun, which is not the first. */
  private isLineEmpty = false;
  /** Where the paragraph begins that has not ended. */
  start = 0;

  constructor(private readonly ended: (text: string, start: number) => void) {}

  /** What puts it back to where it is now. */
  mark(): () => void {
    const { text, isLineEmpty, start } = this;
    return () => {
      Object.assign(this, { text, isLineEmpty, start });
    };
  }

  push(piece: string, isLast: boolean): void {
    for (let done = 0; ; ) {
      const to = Math.min(piece.length, done + MOST - this.text.length);
      const end = this.endIn(piece, done, to);
      const until = end < 0 ? to : end;
      this.text += done === 0 && until === piece.length ? piece : piece.slice(done, until);
      done = end < 0 ? to : end;
      if (end >= 0) this.give(this.text.length);
      else if (this.text.length === MOST) this.give(this.lastWord());
      else break;
    }
    if (isLast) this.give(this.text.length);
  }

  /** Where a paragraph that is long enough ends in a piece, behind its empty line; -1 if it goes on. */
  private endIn(piece: string, from: number, to: number): number {
    let line = from;
    for (let at = piece.indexOf("\n", from); at >= 0 && at < to; at = piece.indexOf("\n", line)) {
      const isEnd = this.isLineEmpty && BLANK.test(piece.slice(line, at));
      line = at + 1;
      this.isLineEmpty = true;
      if (isEnd && this.text.length + line - from >= LEAST) return line;
    }
    if (this.isLineEmpty) this.isLineEmpty = BLANK.test(piece.slice(line, to));
    return -1;
  }

  private lastWord(): number {
    const { text } = this;
    const at = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n")) + 1;
    return at > MOST - LAST_WORDS ? at : MOST;
  }

  private give(size: number): void {
    if (size === 0) return;
    const { text, start } = this;
    this.text = text.slice(size);
    this.start = start + size;
    this.ended(text.slice(0, size), start);
  }
}
