import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { type JsonDocument, readJson, readJsonSliced } from "#core/json/json-reader";
import type { EventNote, Piece } from "#guard/apis/api-stream";
import type { ChannelText } from "#guard/call-content";
import type { Rules } from "#guard/enforcement/policy-resolver";
import type { GuardedCall } from "#guard/guarded-call";
import { slices } from "#platform/slices";
import type { Labels } from "#scan/label";
import type { Judged } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { textsOfArguments, walkOfArguments, walkSliced } from "#scan/texts/text-walk";

/** What a channel says about the text it was given so far. Offsets are UTF-16 units of the whole channel. */
export type Channel = {
  readonly param: string;
  readonly pushedTo: number;
  /** It takes no more text. */
  readonly isEnded: boolean;
  /** Everything before this is decided and may be released. */
  readonly clearedTo: number;
  /** How far the text has been taken. */
  readonly takenTo: number;
  /** Its text, for what is kept of the call; null where that is not followed any more. */
  readonly content: ChannelText | null;
  /** What was looked at; null when the call counts it by itself. */
  readonly coverage: { readonly chars: number; readonly unscanned: string | null } | null;
  push(text: string): void;
  /** Takes in a text in which nothing is found; else false, and nothing has happened: it is to be pushed piece by piece. */
  pushFree?(text: string): boolean;
  /** What is cleared leaves as it came. */
  readonly isPlain?: boolean;
  end(): void;
  /** Does what takes long about `end` before it is called. */
  prepareEnd?(): Promise<void>;
  /** The guarded text of the next stretch, up to `upTo`. */
  release(upTo: number): { text: string; changed: boolean };
  /** Findings settled since the last call. */
  settled(): readonly Judged[];
};

/** Text that is read as it comes: released as soon as no detector could still match it. */
export class TextChannel implements Channel {
  private readonly scanner: StreamScanner;
  private told = 0;
  takenTo = 0;

  constructor(
    readonly param: string,
    { policy, exceptionMatcher }: Pick<Rules, "policy" | "exceptionMatcher">,
    labels: Labels,
    readonly content: ChannelText | null = null,
  ) {
    const place = { param, origin: "output" } as const;
    const amend = (finding: Judged, value: string | null) => exceptionMatcher.amendOne(policy, finding, place, value);
    this.scanner = new StreamScanner(policy, "output", labels, exceptionMatcher.isIdle ? undefined : amend);
  }

  get pushedTo(): number {
    return this.scanner.pushedTo;
  }
  get clearedTo(): number {
    return this.scanner.clearedTo;
  }
  get isEnded(): boolean {
    return this.scanner.isEnded;
  }
  get coverage() {
    return { chars: this.scanner.pushedTo, unscanned: this.scanner.unscanned?.reason ?? null };
  }
  get isPlain(): boolean {
    return this.scanner.isPlain;
  }
  push(text: string): void {
    this.scanner.push(text);
  }
  pushFree(text: string): boolean {
    return this.scanner.pushFree(text);
  }
  end(): void {
    this.scanner.end();
  }
  release(upTo: number): { text: string; changed: boolean } {
    this.takenTo = upTo;
    return this.scanner.release(upTo);
  }
  settled(): readonly Judged[] {
    if (this.scanner.findingCount === this.told) return NONE;
    const fresh = this.scanner.settledFrom(this.told);
    this.told += fresh.length;
    return fresh;
  }
}

/**
 * Arguments of a tool call, held until complete: nobody runs half a call, and only the whole is JSON whose
 * unescaped leaves can be judged. Redacted arguments stay valid JSON.
 */
export class ArgumentsChannel implements Channel {
  private readonly pieces: string[] = [];
  private text = "";
  private guarded: string | null = null;
  readonly coverage = null;
  takenTo = 0;
  pushedTo = 0;

  constructor(
    readonly param: string,
    private readonly call: GuardedCall,
    private readonly maxDepth: number,
    readonly content: ChannelText | null = null,
  ) {}

  /** As they will leave; null until they are complete. */
  get whole(): string | null {
    return this.guarded;
  }
  get isEnded(): boolean {
    return this.guarded !== null;
  }
  get clearedTo(): number {
    return this.guarded === null ? 0 : this.pushedTo;
  }
  push(text: string): void {
    this.pieces.push(text);
    this.pushedTo += text.length;
    if (this.pushedTo > this.call.context.policy.maxText) {
      throw new GuardError("upstream_error", "The provider sent arguments of a tool call without end.");
    }
  }
  /** Throws `content_filter` for a block: the call records findings in whole texts by itself. */
  end(): void {
    if (this.guarded !== null) return;
    const holder = this.joined();
    this.call.gate.scanAtOnce(textsOfArguments(holder, this.param, "output", this.maxDepth), "output");
    this.guarded = holder.arguments;
  }
  async prepareEnd(): Promise<void> {
    if (this.guarded !== null) return;
    const holder = this.joined();
    const walk = walkOfArguments(holder, this.param, "output", this.maxDepth);
    await this.call.gate.scan(await walkSliced(walk, () => slices.turn()), "output");
    this.guarded = holder.arguments;
  }
  private joined(): { arguments: string } {
    this.text = this.pieces.join("");
    return { arguments: this.text };
  }
  /** Changed arguments come whole with the first piece; the other pieces are left empty. */
  release(upTo: number): { text: string; changed: boolean } {
    const first = this.takenTo === 0;
    this.takenTo = upTo;
    return this.guarded === this.text ? UNCHANGED : { text: first ? (this.guarded ?? "") : "", changed: true };
  }
  settled(): readonly Judged[] {
    return NONE;
  }
}

/** The text of an unchanged piece is not asked for: its event leaves byte for byte. */
const UNCHANGED = { text: "", changed: false };
const NONE: readonly Judged[] = [];

/** Puts another text in the place of a piece. */
export const replacePiece = ({ holder, key }: Piece, text: string): void => {
  if (Array.isArray(holder)) holder[Number(key)] = text;
  else holder[key] = text;
};

/** Parsed chunk of an event, or null when it is none (`[DONE]`, not JSON, not an object). */
export const eventOf = (data: string): StreamedEvent | null => {
  try {
    return eventIn(readJson(data));
  } catch (error) {
    return noStreamedEvent(error);
  }
};

/** The same for a long event. */
export const eventInSlices = (data: string): Promise<StreamedEvent | null> =>
  readJsonSliced(data, () => slices.turn()).then(eventIn, noStreamedEvent);

const eventIn = ({ value, repeated }: JsonDocument): StreamedEvent | null =>
  isRecord(value) ? { value, isAmbiguous: repeated !== null } : null;

const noStreamedEvent = (error: unknown): null => {
  if (error instanceof SyntaxError) return null;
  throw error;
};

/** What is known of an event that is like one before it but for its text: where it stands, and all that it says anew. */
export type Alike = { readonly note: EventNote; readonly pieces: readonly Piece[] };

/** `isAmbiguous`: an object in it has a name twice, so that it must not leave as it came. */
export type StreamedEvent = {
  readonly value: JsonRecord;
  readonly isAmbiguous: boolean;
  readonly alike?: Alike;
};
