import { InvalidAnswer } from "./invalid-answer";

/*
 * The lines of a head or of trailers, up to and with the empty line (RFC 9112 §2.1). Stricter than the RFC makes us: a
 * line ends in CR LF and nothing else, since readers that disagree on where a line ends disagree on where an answer
 * ends (response splitting, CWE-113; smuggling, CWE-444).
 */

/** Of one head, or of the trailers. Providers send one to three KB. */
const MAX_BYTES = 65_536;
const MAX_LINES = 256;

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const DELETE = 127;

/** What may stand in a line: visible characters, spaces and tabs, and bytes above ASCII (`obs-text`). */
export const isText = (byte: number): boolean => (byte >= SPACE && byte !== DELETE) || byte === TAB;

/** Reads one section, however it is cut. Refuses a bad byte when it comes, not when the section is over. */
export class SectionReader {
  /** What has been read, as Latin-1. */
  private text = "";
  private bytes = 0;
  private lines = 0;
  private lineLength = 0;
  private isAfterCr = false;
  private isFirstLineSeen = false;

  /** `onFirstLine` sees the first line of a section that has not come as a whole: what is no HTTP is not waited for. */
  constructor(private readonly onFirstLine: (line: string) => void = () => {}) {}

  /** The index behind the section's end, or -1 where more is to come. Throws `InvalidAnswer`. */
  take(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.isAfterCr) {
        if (!this.endLine(byte)) continue;
        this.keep(bytes, from, at + 1);
        return at + 1;
      }
      if (byte === CR) this.isAfterCr = true;
      else if (isText(byte)) this.lineLength += 1;
      else throw new InvalidAnswer(byte === LF ? "an LF without CR" : "a control character in a header");
    }
    this.keep(bytes, from, bytes.length);
    this.showFirstLine();
    return -1;
  }

  /** The lines without the empty one; to be asked for once the section has ended. */
  get read(): readonly string[] {
    return this.text.split("\r\n").slice(0, -2);
  }

  /** The byte behind a CR. True when the line was the empty one. */
  private endLine(byte: number): boolean {
    if (byte !== LF) throw new InvalidAnswer("a CR without LF");
    this.isAfterCr = false;
    if (this.lineLength === 0) return true;
    this.lineLength = 0;
    this.lines += 1;
    if (this.lines > MAX_LINES) throw new InvalidAnswer("too many header lines");
    return false;
  }

  private showFirstLine(): void {
    if (this.isFirstLineSeen || this.lines === 0) return;
    this.isFirstLineSeen = true;
    this.onFirstLine(this.text.slice(0, this.text.indexOf("\r\n")));
  }

  private keep(bytes: Buffer, from: number, end: number): void {
    this.bytes += end - from;
    if (this.bytes > MAX_BYTES) throw new InvalidAnswer("headers too large");
    this.text += bytes.toString("latin1", from, end);
  }
}

export type Field = { readonly name: string; readonly value: string };

/** RFC 9110 §5.6.2. Refuses a space before the colon and a folded line, too. */
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** Names in lower case. Throws `InvalidAnswer`. */
export const fieldsIn = (lines: readonly string[]): readonly Field[] => lines.map(fieldIn);

const fieldIn = (line: string): Field => {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0));
  if (!TOKEN.test(name)) throw new InvalidAnswer("a header line without a name");
  return { name: name.toLowerCase(), value: trimmed(line, colon + 1) };
};

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** Without the spaces and tabs at both ends. Not `trim`, which takes bytes above ASCII; no expression, which may take long. */
const trimmed = (line: string, from: number): string => {
  let begin = from;
  let end = line.length;
  while (begin < end && isBlank(line.charCodeAt(begin))) begin += 1;
  while (end > begin && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return line.slice(begin, end);
};
