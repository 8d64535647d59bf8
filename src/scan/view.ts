import { type CharSet, inSet } from "./char-set";

/**
 * The folded text a detector may look at. In a stream it is a piece: what lies behind its end is
 * unknown until `final`. Reading there sets `short`, which makes the decision void until more text
 * has come; so no decision can depend on how the text was cut.
 */
export class View {
  short = false;
  /** How long the text must be at least for what was short to become anything else. */
  least = 0;

  /** What was last told of the text before a place: several detectors ask the same of each number in a table. */
  private toldAt = -1;
  private toldFor = "";
  private toldLast: string | undefined;

  constructor(
    public text: string,
    public final: boolean,
    /** Offset of `text` in the whole folded text. */
    public base = 0,
  ) {}

  /** The unit at `i`, or -1 before the text's start or behind its end. */
  code(i: number): number {
    if (i < 0) return -1;
    if (i < this.text.length) return this.text.charCodeAt(i);
    this.lack(i + 1);
    return -1;
  }

  is(i: number, set: CharSet): boolean {
    return inSet(set, this.code(i));
  }

  /** Length of the run of `set` from `i` on, counted up to `max`. */
  run(i: number, set: CharSet, max: number): number {
    const { text } = this;
    const stop = Math.min(text.length, i + max);
    let at = i;
    while (at < stop && inSet(set, text.charCodeAt(at))) at++;
    if (at === text.length && at < i + max) this.lack(at + 1);
    return at - i;
  }

  /** Length of the run of `set` that ends before `i`, counted up to `max`. */
  runBack(i: number, set: CharSet, max: number): number {
    const stop = Math.max(0, i - max);
    let at = i;
    while (at > stop && inSet(set, this.text.charCodeAt(at - 1))) at--;
    return i - at;
  }

  /** Whether `literal` stands at `i`; only a text that ends within it is too short to say. */
  has(i: number, literal: string): boolean {
    for (let k = 0; k < literal.length; k++) {
      if (this.code(i + k) !== literal.charCodeAt(k)) return false;
    }
    return true;
  }

  /** The text from `from` up to `to`: all of it is read. */
  slice(from: number, to: number): string {
    if (to > this.text.length) this.lack(to);
    return this.text.slice(Math.max(0, from), to);
  }

  /** Up to `length` units before `i`. */
  before(i: number, length: number): string {
    return this.text.slice(Math.max(0, i - length), i);
  }

  /** What `tell` says of the text before `i`, kept until something else is asked. It must read nothing behind. */
  told(i: number, sign: string, tell: (view: View, i: number, sign: string) => string | undefined): string | undefined {
    const at = this.base + i;
    if (this.toldAt !== at || this.toldFor !== sign) {
      this.toldLast = tell(this, i, sign);
      this.toldAt = at;
      this.toldFor = sign;
    }
    return this.toldLast;
  }

  /** Of several reads the first counts: those behind it depend on what it gave. */
  private lack(least: number): void {
    if (this.final || this.short) return;
    this.short = true;
    this.least = least;
  }
}
