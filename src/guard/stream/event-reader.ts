import { isRecord, type JsonRecord } from "#core/json/json";
import type { ApiStream, EventNote, Piece, Skipped } from "#guard/apis/api-stream";
import { type Alike, eventOf, type StreamedEvent } from "#guard/stream/channel";
import { Field, isProtocolValue, type Texts } from "#scan/texts/text-walk";

/** One step down from an event to what holds its text: the value there, and the key of the next step. */
type Step = { readonly value: JsonRecord | unknown[]; readonly key: string };

/** What stands before a number, and behind it. */
type Numbered = { readonly before: string; readonly behind: string };

/**
 * An event with one text, cut in two where the text stands: what has the same two parts differs in the text alone, and in
 * its number where one of the parts has that. With `padding` the second part ends where the padding begins, which ends the event.
 */
type Pattern = {
  readonly head: string;
  readonly tail: string;
  readonly padding: string | null;
  readonly counter: { readonly key: string; readonly head: Numbered | null; readonly tail: Numbered | null } | null;
  /** From the event down to what holds the holder; the holder is not among them. */
  readonly steps: readonly Step[];
  readonly holder: JsonRecord;
  readonly piece: Piece & { readonly key: string };
  readonly note: EventNote;
  /** The event's own. */
  readonly type: unknown;
};

/** So many patterns are made before one is used: in some streams no event is like another. */
const MAX_UNUSED = 16;
/** What does not stand for itself in a JSON string. */
const ESCAPED = /["\\\u0000-\u001f]/;
/** Names that are written one way only. */
const SIMPLE_NAME = /^\w+$/;
/** Texts that grow lie no deeper. */
const MAX_STEPS = 8;

/**
 * Reads the events of one stream. Nearly all of them repeat the one before but for a piece of text; such an event is not
 * parsed again, nor looked through for numbers and repeated names, which costs most of what an event costs.
 */
export class EventReader {
  private pattern: Pattern | null = null;
  private unused = 0;
  /** What is to be looked at of padding that is plain: its place is that of any other. */
  private example: Texts | null = null;
  private latest: { readonly data: string; readonly event: StreamedEvent } | null = null;
  /** The latest event: what the next one repeats of it need not be looked at again. */
  private seen: Pick<StreamedEvent, "value"> = { value: {} };

  constructor(private readonly stream: Pick<ApiStream, "piecesOf" | "beside" | "counter" | "padding">) {}

  /** Parsed event, or null when it is none. Those that are `alike` have nothing else that is new. */
  read(data: string): StreamedEvent | null {
    const like = this.readAlike(data);
    if (like) return like;
    const event = eventOf(data);
    this.latest = event && { data, event };
    return event;
  }

  /** The event, if it is like one before it but for its text. */
  readAlike(data: string): LikeEvent | null {
    const like = this.pattern && repeated(this.pattern, data);
    if (like) this.unused = 0;
    return like;
  }

  /** What is to be looked at of an event beside its pieces; null for nothing. */
  beside(event: StreamedEvent, maxDepth: number, skipped: Skipped = NOTHING): Texts | null {
    if (event.alike) return null;
    const padding = this.paddingOf(event);
    const seen = padding === null ? this.seen.value : { ...this.seen.value, ...padding };
    return this.stream.beside(event.value, { maxDepth, seen, skipped });
  }

  /** What is to be looked at of an event's padding, and what holds it there; null for none. */
  besideIn(event: StreamedEvent, maxDepth: number): Padding | null {
    const holder = this.paddingOf(event);
    if (holder === null) return null;
    const text = holder[this.stream.padding ?? ""];
    const texts =
      typeof text === "string" && PLAIN_PADDING.test(text)
        ? this.plainPadding(holder, text, maxDepth)
        : this.stream.beside(holder, { maxDepth, seen: {}, skipped: NOTHING });
    return texts && { holder, texts };
  }

  /** Nearly all padding: where one stands, all do, and no walk is needed to see that it is a text and nothing else. */
  private plainPadding(holder: JsonRecord, text: string, maxDepth: number): Texts | null {
    const key = this.stream.padding ?? "";
    this.example ??= this.stream.beside({ [key]: PLAIN_EXAMPLE }, { maxDepth, seen: {}, skipped: NOTHING });
    if (this.example === null) return null;
    const { slots, envelope, repeated } = this.example;
    return {
      slots: slots.map(({ param, origin, field = key }) => new Field(param, origin, text, holder, key, field)),
      gaps: NO_GAPS,
      ...(envelope && { envelope }),
      ...(repeated && { repeated }),
    };
  }

  private paddingOf(event: StreamedEvent): JsonRecord | null {
    const key = this.stream.padding;
    if (key === undefined) return null;
    const text = event instanceof LikeEvent ? event.padding : event.value[key];
    return typeof text === "string" ? { [key]: text } : null;
  }

  /** All of it has been looked at. */
  saw(event: StreamedEvent): void {
    this.seen = event;
  }

  /** `note`: of an event in which nothing has to be looked at but its pieces, so that others may be like it. */
  pieces(event: StreamedEvent, note: EventNote | null): readonly Piece[] {
    if (event.alike) return event.alike.pieces;
    const pieces = this.stream.piecesOf(event.value);
    const { latest } = this;
    if (note && !event.isAmbiguous && latest?.event === event && this.unused < MAX_UNUSED) {
      const { counter, padding } = this.stream;
      const pattern = patternOf({ data: latest.data, event: event.value, note, counter, padding }, pieces);
      if (pattern) {
        this.pattern = pattern;
        this.unused += 1;
      }
    }
    return pieces;
  }
}

/** The padding of an event by itself, as an event of its own. */
export type Padding = { readonly holder: JsonRecord; readonly texts: Texts };

const NOTHING: Skipped = new Map();
const NO_GAPS: Texts["gaps"] = [];

/** Neither too short to be looked at nor anything but a text: no address of data, no JSON. */
const PLAIN_PADDING = /^[A-Za-z0-9]{6,64}$/;
const PLAIN_EXAMPLE = "abcdefgh";

const repeated = (pattern: Pattern, data: string): LikeEvent | null => {
  const padding = pattern.padding === null ? null : paddingAtEnd(data);
  if (padding === null && pattern.padding !== null) return null;
  const stop = padding === null ? data.length : data.length - padding.length - PADDING_END.length;
  const head = headOf(pattern, data);
  const tail = tailOf(pattern, data, stop);
  if (head === null || tail === null) return null;
  const end = stop - tail.length;
  if (end < head.length) return null;
  const between = data.slice(head.length, end);
  const text = ESCAPED.test(between) ? unescaped(between) : between;
  return text === null ? null : new LikeEvent(pattern, text, head.number || tail.number, padding);
};

/** The piece of an event that is like another. What holds it is made when it is asked for: few pieces are changed. */
export class LikePiece implements Piece {
  private made: JsonRecord | null = null;

  constructor(
    private readonly pattern: Pattern,
    readonly text: string,
  ) {}

  get group(): number {
    return this.pattern.piece.group;
  }
  get path(): string {
    return this.pattern.piece.path;
  }
  get key(): string {
    return this.pattern.piece.key;
  }
  get isArguments(): boolean {
    return this.pattern.piece.isArguments;
  }
  get holder(): JsonRecord {
    this.made ??= { ...this.pattern.holder, [this.key]: this.text };
    return this.made;
  }
}

/** An event that is like another but for its piece. Its value is made when it is asked for: most leave as they came. */
export class LikeEvent implements StreamedEvent {
  readonly piece: LikePiece;
  private made: JsonRecord | null = null;

  constructor(
    readonly pattern: Pattern,
    text: string,
    private readonly number: string,
    readonly padding: string | null,
  ) {
    this.piece = new LikePiece(pattern, text);
  }

  get isAmbiguous(): boolean {
    return false;
  }
  get alike(): Alike {
    return { note: this.pattern.note, pieces: [this.piece] };
  }

  get value(): JsonRecord {
    this.made ??= this.build();
    return this.made;
  }

  private build(): JsonRecord {
    const { steps, counter, padding } = this.pattern;
    const { holder } = this.piece;
    let value: JsonRecord = holder;
    let inner: unknown = holder;
    for (let at = steps.length - 1; at >= 0; at -= 1) {
      const step = steps[at];
      if (step === undefined) break;
      if (Array.isArray(step.value)) inner = [inner];
      else {
        value = { ...step.value, [step.key]: inner };
        inner = value;
      }
    }
    if (counter) value[counter.key] = Number(this.number);
    if (padding !== null) value[padding] = this.padding;
    return value;
  }
}

/** A part that was found, its length, and the number in it; an empty one where it has none. */
type Found = { readonly length: number; readonly number: string };

const headOf = ({ head, counter }: Pattern, data: string): Found | null => {
  if (!counter?.head) return data.startsWith(head) ? { length: head.length, number: "" } : null;
  const { before, behind } = counter.head;
  if (!data.startsWith(before)) return null;
  const number = FIRST_NUMBER.exec(data.slice(before.length, before.length + MAX_DIGITS + 1))?.[0];
  if (number === undefined || !data.startsWith(behind, before.length + number.length)) return null;
  return { length: before.length + number.length + behind.length, number };
};

const tailOf = ({ tail, counter }: Pattern, data: string, stop: number): Found | null => {
  if (!counter?.tail) return data.endsWith(tail, stop) ? { length: tail.length, number: "" } : null;
  const { before, behind } = counter.tail;
  if (!data.endsWith(behind, stop)) return null;
  const end = stop - behind.length;
  const number = LAST_NUMBER.exec(data.slice(Math.max(0, end - MAX_DIGITS - 1), end))?.[0];
  if (number === undefined || !data.endsWith(before, end - number.length)) return null;
  return { length: before.length + number.length + behind.length, number };
};

/** What stands behind the padding of an event that ends with it. */
const PADDING_END = '"}';
/** What is longer is read as a text among others. */
const MAX_PADDING = 256;

/** The last string of an event that ends with one; null for none, and where it does not stand for itself. */
const paddingAtEnd = (data: string): string | null => {
  if (!data.endsWith(PADDING_END)) return null;
  const end = data.length - PADDING_END.length;
  const begin = data.lastIndexOf('"', end - 1) + 1;
  if (begin === 0 || end - begin > MAX_PADDING) return null;
  const padding = data.slice(begin, end);
  return ESCAPED.test(padding) ? null : padding;
};

/** Shorter than any number that is looked at. */
const MAX_DIGITS = 8;
const FIRST_NUMBER = /^(?:0|[1-9]\d{0,7})(?!\d)/;
const LAST_NUMBER = /(?<!\d)(?:0|[1-9]\d{0,7})$/;

/** Null for what is not the inside of one JSON string. */
const unescaped = (between: string): string | null => {
  try {
    const value: unknown = JSON.parse(`"${between}"`);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
};

/** An event that others may be like. */
type Model = {
  readonly data: string;
  readonly event: JsonRecord;
  readonly note: EventNote;
  readonly counter: string | undefined;
  readonly padding: string | undefined;
};

/** Where the number of an event stands; null where it has none, or that is not certain. */
const counterIn = (event: JsonRecord, key: string | undefined, head: string, tail: string): Pattern["counter"] => {
  const number = key === undefined ? undefined : event[key];
  if (key === undefined || typeof number !== "number") return null;
  const name = `"${key}":`;
  const [inHead, inTail] = [around(head, name, number), around(tail, name, number)];
  // Twice would be in doubt which of them is the event's own.
  if ((inHead === null) === (inTail === null)) return null;
  return { key, head: inHead, tail: inTail };
};

const around = (part: string, name: string, number: number): Numbered | null => {
  const at = part.indexOf(name);
  if (at < 1 || part[at - 1] === "\\" || part.includes(name, at + 1)) return null;
  const begin = at + name.length + (part[at + name.length] === " " ? 1 : 0);
  const digits = String(number);
  const end = begin + digits.length;
  // Behind it: what ends a number, and no point or exponent of another.
  if (!part.startsWith(digits, begin) || !/^[,}]/.test(part.slice(end, end + 1))) return null;
  return { before: part.slice(0, begin), behind: part.slice(end) };
};

/** Only for events in which everything but the piece, and what it stands in, is a plain value: nothing of them is shared. */
const patternOf = ({ data, event, note, counter, padding }: Model, pieces: readonly Piece[]): Pattern | null => {
  const [piece, second] = pieces;
  if (!piece || second || typeof piece.key !== "string" || piece.isArguments) return null;
  const { key, holder } = piece;
  if (!SIMPLE_NAME.test(key) || isProtocolValue(key, "") || !isRecord(holder)) return null;
  const steps = stepsTo(event, holder);
  // Elsewhere the same name would be found in place of the piece's own.
  if (steps === null || steps.some(({ value }) => Object.hasOwn(value, key))) return null;
  const begin = placeOf(data, key, piece.text);
  if (begin === null) return null;
  const [head, rest] = [data.slice(0, begin), data.slice(begin + piece.text.length)];
  const tail = padding !== undefined && padding in event ? beforePadding(head, rest, padding) : rest;
  if (tail === null) return null;
  return {
    head,
    tail,
    padding: tail === rest ? null : (padding ?? null),
    steps,
    holder: { ...holder },
    piece: { ...piece, key },
    note,
    type: event["type"],
    counter: counterIn(event, counter, head, tail),
  };
};

/** The second part of an event up to where its padding begins; null where it does not end with that, or that is not certain. */
const beforePadding = (head: string, rest: string, key: string): string | null => {
  const name = `"${key}":`;
  const at = rest.indexOf(name);
  if (at < 1 || rest[at - 1] === "\\" || rest.includes(name, at + 1) || head.includes(name)) return null;
  const padding = paddingAtEnd(rest);
  if (padding === null) return null;
  const begin = rest.length - PADDING_END.length - padding.length;
  const between = rest.slice(at + name.length, begin);
  return between === '"' || between === ' "' ? rest.slice(0, begin) : null;
};

/** An empty list may be shared: nothing is ever put into one. */
const isNested = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !(Array.isArray(value) && value.length === 0);

/** The way down to what holds a piece; null where anything on it has a second value that is none of the plain ones. */
const stepsTo = (event: JsonRecord, holder: object): Step[] | null => {
  const steps: Step[] = [];
  let value: JsonRecord | unknown[] = event;
  while (steps.length <= MAX_STEPS) {
    const inner: [string, unknown][] = Object.entries(value).filter(([, each]) => isNested(each));
    if (value === holder) return inner.length === 0 ? steps : null;
    const [only, second] = inner;
    if (!only || second || (Array.isArray(value) && value.length !== 1)) return null;
    const [key, next] = only;
    if (!isRecord(next) && !Array.isArray(next)) return null;
    steps.push({ value: Array.isArray(value) ? [] : { ...value }, key });
    value = next;
  }
  return null;
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
