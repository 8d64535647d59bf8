import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json";
import { numberOf } from "#core/json-number";
import { type JsonDocument, readJson, readJsonSliced } from "#core/json-reader";
import type { Judged, Labels } from "#core/scan/scan";
import { StreamScanner } from "#core/scan/stream-scanner";
import { isProtocolValue } from "#core/text-walk";
import { textsOfArguments } from "#core/texts";
import type { ChannelText } from "#engine/call-content";
import type { Rules } from "#engine/governance/governor";
import type { GuardedCall } from "#engine/guarded-call";
import { slices } from "#platform/slices";

/** What a channel says about the text it was given so far. Offsets are UTF-16 units of the whole channel. */
export type Channel = {
  readonly param: string;
  readonly pushedTo: number;
  /** Everything before this is decided and may be released. */
  readonly clearedTo: number;
  /** How far the text has been taken. */
  readonly takenTo: number;
  /** Its text, for what is kept of the call; null where that is not followed any more. */
  readonly content: ChannelText | null;
  /** What was looked at; null when the call counts it by itself. */
  readonly coverage: { readonly chars: number; readonly unscanned: string | null } | null;
  push(text: string): void;
  end(): void;
  /** Does what takes long about `end` before it is called. */
  prepareEnd?(): Promise<void>;
  /** The guarded text of the next stretch, up to `upTo`. */
  take(upTo: number): { text: string; changed: boolean };
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
    { policy, tuner }: Pick<Rules, "policy" | "tuner">,
    labels: Labels,
    readonly content: ChannelText | null = null,
  ) {
    const place = { param, origin: "output" } as const;
    const amend = (finding: Judged, value: string | null) => tuner.amendOne(policy, finding, place, value);
    this.scanner = new StreamScanner(policy, "output", labels, tuner.isIdle ? undefined : amend);
  }

  get pushedTo(): number {
    return this.scanner.pushedTo;
  }
  get clearedTo(): number {
    return this.scanner.clearedTo;
  }
  get coverage() {
    return { chars: this.scanner.pushedTo, unscanned: this.scanner.unscanned?.reason ?? null };
  }
  push(text: string): void {
    this.scanner.push(text);
  }
  end(): void {
    this.scanner.end();
  }
  take(upTo: number): { text: string; changed: boolean } {
    this.takenTo = upTo;
    return this.scanner.take(upTo);
  }
  settled(): readonly Judged[] {
    if (this.scanner.findingCount === this.told) return NONE;
    const { findings } = this.scanner;
    const fresh = findings.slice(this.told);
    this.told = findings.length;
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
  get clearedTo(): number {
    return this.guarded === null ? 0 : this.pushedTo;
  }
  push(text: string): void {
    this.pieces.push(text);
    this.pushedTo += text.length;
    if (this.pushedTo > this.call.policy.maxText) {
      throw new GuardError("upstream_error", "The provider sent arguments of a tool call without end.");
    }
  }
  /** Throws `content_filter` for a block: the call records findings in whole texts by itself. */
  end(): void {
    if (this.guarded !== null) return;
    const holder = this.joined();
    this.call.scanAtOnce(textsOfArguments(holder, this.param, "output", this.maxDepth), "output");
    this.guarded = holder.arguments;
  }
  async prepareEnd(): Promise<void> {
    if (this.guarded !== null) return;
    const holder = this.joined();
    await this.call.scan(textsOfArguments(holder, this.param, "output", this.maxDepth), "output");
    this.guarded = holder.arguments;
  }
  private joined(): { arguments: string } {
    this.text = this.pieces.join("");
    return { arguments: this.text };
  }
  /** Changed arguments come whole with the first piece; the other pieces are left empty. */
  take(upTo: number): { text: string; changed: boolean } {
    const first = this.takenTo === 0;
    this.takenTo = upTo;
    return this.guarded === this.text ? UNCHANGED : { text: first ? (this.guarded ?? "") : "", changed: true };
  }
  settled(): readonly Judged[] {
    return NONE;
  }
}

/** The text of an unchanged piece is not asked for: its chunk leaves byte for byte. */
const UNCHANGED = { text: "", changed: false };
const NONE: readonly Judged[] = [];

/** One piece of text in one chunk: where it stands in the chunk, and which stretch of its channel it is. */
export type Piece = {
  /** Inside its choice: `content`, `tool_calls[0].function.arguments`. Names the channel together with `choice`. */
  readonly path: string;
  readonly choice: number;
  readonly isArguments: boolean;
  readonly text: string;
  readonly holder: JsonRecord | unknown[];
  readonly key: string | number;
};

/** Puts another text in the place of a piece. */
export const replacePiece = ({ holder, key }: Piece, text: string): void => {
  if (Array.isArray(holder)) holder[Number(key)] = text;
  else holder[key] = text;
};

/** Repeats the text token by token; dropped from every chunk whose text is changed. */
const LOGPROBS = "logprobs";
/** Tool inputs: held until complete. */
const ARGUMENT_KEYS = new Set(["arguments", "input"]);
/** No real delta nests this deep. */
const DEEPEST_DELTA = 16;

/**
 * Every text of one streamed chunk, each with the channel it continues. Deep, so that unknown fields are read too.
 * Throws `upstream_error` for a chunk too deep to be followed.
 */
export const piecesOf = (chunk: JsonRecord): Piece[] => {
  const pieces: Piece[] = [];
  const choices = chunk["choices"];
  if (!Array.isArray(choices)) return pieces;
  for (let position = 0; position < choices.length; position += 1) {
    const choice: unknown = choices[position];
    if (!isRecord(choice)) continue;
    const index = indexOf(choice, position);
    for (const key in choice) {
      if (key !== LOGPROBS) collect(pieces, choice, key, key === "delta" ? "" : key, index, 0);
    }
  }
  return pieces;
};

/** Pieces of one thing come under its own number, wherever they stand in a chunk's list. */
const indexOf = (item: JsonRecord, position: number): number => {
  return numberOf(item["index"]) ?? position;
};

type Holder = JsonRecord | unknown[];

const collect = (
  out: Piece[],
  holder: Holder,
  key: string | number,
  path: string,
  choice: number,
  depth: number,
): void => {
  const value = Array.isArray(holder) ? holder[Number(key)] : holder[key];
  if (typeof value === "string") {
    const name = String(key);
    if (isProtocolValue(name, value)) return;
    out.push({ path, choice, isArguments: ARGUMENT_KEYS.has(name), text: value, holder, key });
  } else if (typeof value === "object" && value !== null) {
    if (depth > DEEPEST_DELTA)
      throw new GuardError("upstream_error", "The provider sent an answer nested without end.");
    if (Array.isArray(value)) collectItems(out, value, path, choice, depth + 1);
    else if (isRecord(value)) collectFields(out, value, path, choice, depth + 1);
  }
};

const collectFields = (out: Piece[], record: JsonRecord, path: string, choice: number, depth: number): void => {
  for (const key in record) {
    if (key !== LOGPROBS) collect(out, record, key, path === "" ? key : `${path}.${key}`, choice, depth);
  }
};

const collectItems = (out: Piece[], list: unknown[], path: string, choice: number, depth: number): void => {
  for (let position = 0; position < list.length; position += 1) {
    const item = list[position];
    const at = isRecord(item) ? indexOf(item, position) : position;
    collect(out, list, position, `${path}[${at}]`, choice, depth);
  }
};

/** Parsed chunk of an event, or null when it is none (`[DONE]`, not JSON, not an object). */
export const chunkOf = (data: string): Chunk | null => {
  try {
    return chunkIn(readJson(data));
  } catch (error) {
    return noChunk(error);
  }
};

/** The same for a long event. */
export const chunkInSlices = (data: string): Promise<Chunk | null> =>
  readJsonSliced(data, () => slices.turn()).then(chunkIn, noChunk);

const chunkIn = ({ value, repeated }: JsonDocument): Chunk | null =>
  isRecord(value) ? { value, isAmbiguous: repeated !== null } : null;

const noChunk = (error: unknown): null => {
  if (error instanceof SyntaxError) return null;
  throw error;
};

/**
 * `isAmbiguous`: an object in it has a name twice, so that it must not leave as it came. `pieces`: where it is one of
 * many alike, all that it says anew.
 */
export type Chunk = {
  readonly value: JsonRecord;
  readonly isAmbiguous: boolean;
  readonly pieces?: readonly Piece[];
};
