/** One server-sent event (WHATWG HTML §9.2). */
export type SseEvent = {
  /** Its exact text, blank line included. */
  readonly raw: string;
  /** Its data lines, joined. */
  readonly data: string | null;
  /** All other lines, joined: comments, fields, and what is no event stream at all. Empty for most. */
  readonly beside: string;
};

/** An event longer than this is no token but an attack on our memory. In UTF-16 units. */
export const LONGEST_EVENT = 8 * 1024 * 1024;

/**
 * Cuts a stream of text into events, whatever the chunking and the line ends (LF, CR, CRLF, mixed).
 * Joining all `raw` parts and `rest()` gives the input again, byte for byte.
 */
export class SseSplitter {
  private buffer = "";
  /** Where the search for a blank line may go on. */
  private from = 0;

  /** `longest` in UTF-16 units. */
  constructor(private readonly longest = LONGEST_EVENT) {}

  /** Throws RangeError when an event outgrows the limit. */
  push(text: string): SseEvent[] {
    this.buffer = this.buffer === "" ? text : this.buffer + text;
    const events: SseEvent[] = [];
    let begin = 0;
    const nextBlank = this.buffer.includes("\r") ? blankLineAny : blankLine;
    for (;;) {
      const end = nextBlank(this.buffer, this.from);
      if (end < 0) break;
      events.push(eventOf(this.buffer.slice(begin, end)));
      begin = end;
      this.from = end;
    }
    this.buffer = this.buffer.slice(begin);
    // A blank line needs at most four characters of what is here already: CR LF CR and the LF to come.
    this.from = Math.max(0, this.buffer.length - 3);
    if (this.buffer.length > this.longest) throw new RangeError("event too long");
    return events;
  }

  /** True when nothing is waiting: the input so far ended at an event's end. */
  get isEmpty(): boolean {
    return this.buffer === "";
  }

  /** UTF-16 units of an event that is not complete. */
  get waiting(): number {
    return this.buffer.length;
  }

  /** What is left when the stream has ended: an event without its blank line counts for us, as providers do it. */
  rest(): SseEvent | null {
    const raw = this.buffer;
    this.buffer = "";
    this.from = 0;
    return raw.trim() === "" ? null : eventOf(raw);
  }
}

/** The index after the next blank line, or -1. */
const blankLine = (text: string, from: number): number => {
  const at = text.indexOf("\n\n", from);
  return at < 0 ? -1 : at + 2;
};

const BLANK_LINE = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))/g;

const blankLineAny = (text: string, from: number): number => {
  // A CR at the very end may be half of a CRLF: leave it for the next push.
  const settled = text.endsWith("\r") ? text.slice(0, -1) : text;
  BLANK_LINE.lastIndex = from;
  const match = BLANK_LINE.exec(settled);
  return match ? match.index + match[0].length : -1;
};

const eventOf = (raw: string): SseEvent => {
  // The shape nearly every provider sends: one data line, LF LF.
  if (raw.startsWith("data: ") && raw.endsWith("\n\n")) {
    const inner = raw.slice(6, -2);
    if (!inner.includes("\n") && !inner.includes("\r")) return { raw, data: inner, beside: "" };
  }
  const lines = raw.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const data = lines.filter(isData).map((line) => line.slice(line.startsWith("data: ") ? 6 : 5));
  const beside = lines.filter((line) => line !== "" && !isData(line));
  return { raw, data: data.length === 0 ? null : data.join("\n"), beside: beside.join("\n") };
};

const isData = (line: string): boolean => line.startsWith("data:");

/** Whether lines beside the data are what an event stream may hold: comments and the fields of the standard. */
export const isEventStream = (beside: string): boolean => /^(?:(?::|event:|id:|retry:).*(?:\n|$))*$/.test(beside);

/** One event as we write it. JSON holds no raw line ends, so one data line is enough. */
export const sseData = (value: unknown): string =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;

export const SSE_DONE = "data: [DONE]\n\n";
/** A comment line: both official SDKs skip it, proxies see a living connection. */
export const SSE_KEEP_ALIVE = ": keep-alive\n\n";
