import { isRecord, type JsonRecord } from "#core/chat";
import type { CompiledPolicy } from "#core/scan/policy";
import type { Judged, Labels } from "#core/scan/scan";
import { StreamScanner } from "#core/scan/stream-scanner";
import { parseJson, textsOfArguments } from "#core/texts";
import type { GuardedCall } from "#engine/guarded-call";

/** What a channel says about the text it was given so far. Offsets are UTF-16 units of the whole channel. */
export type Channel = {
  readonly param: string;
  readonly pushedTo: number;
  /** Everything before this is decided and may be released. */
  readonly clearedTo: number;
  /** How far the text has been taken. */
  readonly takenTo: number;
  /** What was looked at; null when the call counts it by itself. */
  readonly coverage: { readonly chars: number; readonly unscanned: string | null } | null;
  push(text: string): void;
  end(): void;
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
    policy: CompiledPolicy,
    labels: Labels,
  ) {
    this.scanner = new StreamScanner(policy, "output", labels);
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
    const { findings } = this.scanner;
    if (findings.length === this.told) return NONE;
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
  ) {}

  get clearedTo(): number {
    return this.guarded === null ? 0 : this.pushedTo;
  }
  push(text: string): void {
    this.pieces.push(text);
    this.pushedTo += text.length;
  }
  /** Throws `content_filter` for a block: the call records findings in whole texts by itself. */
  end(): void {
    if (this.guarded !== null) return;
    this.text = this.pieces.join("");
    const holder = { arguments: this.text };
    this.call.scan(textsOfArguments(holder, this.param, "output", this.maxDepth), "output");
    this.guarded = holder.arguments;
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
  replace(text: string): void;
};

/** Keys of a delta whose values are protocol, not text. */
const PROTOCOL_KEYS = new Set(["role", "id", "type", "index", "object", "tool_call_id", "logprobs", "finish_reason"]);
/** Tool inputs: held until complete. */
const ARGUMENT_KEYS = new Set(["arguments", "input"]);

/** Every text of one streamed chunk, each with the channel it continues. Deep, so that unknown fields are read too. */
export const piecesOf = (chunk: JsonRecord): Piece[] => {
  const pieces: Piece[] = [];
  const choices = chunk["choices"];
  if (!Array.isArray(choices)) return pieces;
  choices.forEach((choice: unknown, position) => {
    if (!isRecord(choice)) return;
    const index = typeof choice["index"] === "number" ? choice["index"] : position;
    for (const key of Object.keys(choice)) {
      if (PROTOCOL_KEYS.has(key)) continue;
      collect(pieces, choice, key, key === "delta" ? "" : key, index, 0);
    }
  });
  return pieces;
};

/** How deep a delta may nest before the rest counts as one opaque text. */
const DEEPEST_DELTA = 16;

const collect = (out: Piece[], holder: JsonRecord, key: string, path: string, choice: number, depth: number): void => {
  const value = holder[key];
  if (typeof value === "string") {
    out.push({
      path,
      choice,
      isArguments: ARGUMENT_KEYS.has(key),
      text: value,
      replace: (text) => {
        holder[key] = text;
      },
    });
    return;
  }
  if (depth > DEEPEST_DELTA) {
    // Deeper than any real delta: its text could not be followed from chunk to chunk, so it does not pass.
    holder[key] = null;
    return;
  }
  if (Array.isArray(value)) {
    value.forEach((item: unknown, position) => {
      if (typeof item === "string") {
        const replace = (text: string) => {
          value[position] = text;
        };
        out.push({ path: `${path}[${position}]`, choice, isArguments: false, text: item, replace });
        return;
      }
      if (!isRecord(item)) return;
      const at = typeof item["index"] === "number" ? item["index"] : position;
      for (const inner of Object.keys(item)) {
        if (!PROTOCOL_KEYS.has(inner)) collect(out, item, inner, `${path}[${at}].${inner}`, choice, depth + 1);
      }
    });
    return;
  }
  if (!isRecord(value)) return;
  for (const inner of Object.keys(value)) {
    if (!PROTOCOL_KEYS.has(inner)) collect(out, value, inner, path === "" ? inner : `${path}.${inner}`, choice, depth + 1);
  }
};

/** Parsed chunk of an event, or null when it is none (`[DONE]`, not JSON, not an object). */
export const chunkOf = (data: string): JsonRecord | null => {
  const parsed = parseJson(data);
  return isRecord(parsed) ? parsed : null;
};
