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
export const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/**
 * Cuts a stream of text into events, whatever the chunking and the line ends (LF, CR, CRLF, mixed).
 * Joining all `raw` parts and `rest()` gives the input again, byte for byte.
 */
export class SseSplitter {
  /** The event that is not complete. Joined when it is: to join it with every push would cost its square. */
  private blocks: string[] = [];
  private recent: string[] = [];
  private units = 0;
  /** The last characters of it, where a blank line may have begun. */
  private tail = "";

  /** `longest` in UTF-16 units. */
  constructor(private readonly longest = MAX_EVENT_LENGTH) {}

  /** Throws RangeError when an event outgrows the limit. */
  push(text: string): SseEvent[] {
    const window = this.tail + text;
    const nextBlank = window.includes("\r") ? blankLineAny : blankLine;
    let end = nextBlank(window, 0);
    if (end < 0) {
      this.add(text, window);
      return [];
    }
    const events: SseEvent[] = [];
    const buffer = this.units === 0 ? text : this.joined() + text;
    const before = buffer.length - window.length;
    const isPlain = nextBlank === blankLine && (this.units === 0 || !buffer.includes("\r"));
    let begin = 0;
    for (; end >= 0; end = nextBlank(window, end)) {
      events.push((isPlain && usualEvent(buffer, begin, before + end)) || eventOf(buffer.slice(begin, before + end)));
      begin = before + end;
    }
    this.clear();
    const rest = buffer.slice(begin);
    if (rest !== "") this.add(rest, rest);
    return events;
  }

  /** True when nothing is waiting: the input so far ended at an event's end. */
  get isEmpty(): boolean {
    return this.units === 0;
  }

  /** UTF-16 units of an event that is not complete. */
  get waiting(): number {
    return this.units;
  }

  /** What is left when the stream has ended: an event without its blank line counts for us, as providers do it. */
  rest(): SseEvent | null {
    const raw = this.joined();
    this.clear();
    return raw.trim() === "" ? null : eventOf(raw);
  }

  private add(text: string, window: string): void {
    this.recent.push(text);
    this.units += text.length;
    this.tail = window.slice(-MAX_TAIL);
    if (this.units > this.longest) throw new RangeError("event too long");
    if (this.recent.length < MAX_RECENT) return;
    this.blocks.push(this.recent.join(""));
    this.recent = [];
  }

  private joined(): string {
    return this.blocks.join("") + this.recent.join("");
  }

  private clear(): void {
    this.blocks = [];
    this.recent = [];
    this.units = 0;
    this.tail = "";
  }
}

/** A blank line needs at most four characters, CR LF CR LF: the last may be yet to come. */
const MAX_TAIL = 3;
/** Pieces that are joined from time to time: each alone takes more memory than its characters. */
const MAX_RECENT = 256;

/** The index after the next blank line, or -1. */
const blankLine = (text: string, from: number): number => {
  // One character is looked for many times faster than two.
  for (let at = text.indexOf("\n", from); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text.charCodeAt(at + 1) === LINE_FEED) return at + 2;
  }
  return -1;
};

const LINE_FEED = 10;

const BLANK_LINE = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))/g;

const blankLineAny = (text: string, from: number): number => {
  // A CR at the very end may be half of a CRLF: leave it for the next push.
  const settled = text.endsWith("\r") ? text.slice(0, -1) : text;
  BLANK_LINE.lastIndex = from;
  const match = BLANK_LINE.exec(settled);
  return match ? match.index + match[0].length : -1;
};

/** The two shapes that nearly every event has, cut out of a text without CR; null for others. */
const usualEvent = (text: string, begin: number, end: number): SseEvent | null => {
  const last = end - 2;
  const line = text.indexOf("\n", begin);
  // One data line.
  if (line === last) {
    if (!text.startsWith("data: ", begin)) return null;
    return new UsualEvent(text, begin, end, text.slice(begin + 6, last), "");
  }
  // Its name, then its data.
  if (!text.startsWith("event: ", begin) || !text.startsWith("data: ", line + 1)) return null;
  if (text.indexOf("\n", line + 1) !== last) return null;
  return new UsualEvent(text, begin, end, text.slice(line + 7, last), text.slice(begin, line));
};

/** Knows where it stands in what came, so that several are cut out of that in one. */
class UsualEvent implements SseEvent {
  constructor(
    readonly text: string,
    readonly begin: number,
    readonly end: number,
    readonly data: string,
    readonly beside: string,
  ) {}

  get raw(): string {
    return this.text.slice(this.begin, this.end);
  }
}

/** The exact text of events that one push gave one after the other. */
export const rawOf = (events: readonly SseEvent[]): string => {
  const [first] = events;
  const last = events.at(-1);
  if (first instanceof UsualEvent && last instanceof UsualEvent && first.text === last.text) {
    return first.text.slice(first.begin, last.end);
  }
  return events.map(({ raw }) => raw).join("");
};

const eventOf = (raw: string): SseEvent => {
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

/** The same with an `event:` line. A name that does not fit in a line is left out. */
export const sseNamed = (name: string, value: unknown): string =>
  /[\r\n]/.test(name) ? sseData(value) : `event: ${name}\n${sseData(value)}`;

export const SSE_DONE = "data: [DONE]\n\n";
/** A comment line: both official SDKs skip it, proxies see a living connection. */
export const SSE_KEEP_ALIVE = ": keep-alive\n\n";
