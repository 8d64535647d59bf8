import { anthropicErrorType } from "#core/anthropic-error";
import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { sseNamed } from "#core/sse";
import type { ApiStream, BesideOptions, EventNote, Leaving, Piece, StreamEnd } from "#guard/apis/api-stream";
import { textsOfEvent } from "#guard/apis/events";
import { emptyMessage, MESSAGE_STOP, messageStart, refusedDelta } from "#guard/apis/messages-refusal";
import { EVENT_RULES, OPAQUE } from "#guard/apis/messages-texts";
import { blockParam, StreamedTools, toolOf } from "#guard/apis/messages-tools";
import type { AnsweredCall } from "#model/answered-call";
import { MessageTokens } from "#model/messages";
import type { Usage } from "#model/model-api";
import { shownPath } from "#scan/texts/field-names";
import { isProtocolValue, type Texts } from "#scan/texts/text-walk";
import { appliesTo } from "#scan/texts/walk-rules";

/** The events of one streamed message. A group is a block of its content. */
export class MessagesStream implements ApiStream {
  readonly endMark = null;
  readonly endsWithGroups = false;
  readonly isNamed = true;
  readonly toolCallMark = /tool_use"/;
  private readonly tools = new StreamedTools();
  private readonly tokens = new MessageTokens();
  /** The message as its first event has it. */
  private message: unknown = null;
  private hasStarted = false;
  private fault: string | null = null;

  piecesOf(event: JsonRecord): Piece[] {
    return piecesOf(event);
  }

  beside(event: JsonRecord, options: BesideOptions): Texts | null {
    return textsOfEvent(event, piecesOf(event), EVENT_RULES, options);
  }

  usageOf(event: JsonRecord): Usage | null {
    if (event["type"] === "message_start" && isRecord(event["message"])) {
      return this.tokens.add(event["message"]["usage"]);
    }
    return event["type"] === "message_delta" ? this.tokens.add(event["usage"]) : null;
  }

  isKeepAlive(event: JsonRecord): boolean {
    return event["type"] === "ping" && Object.keys(event).length === 1;
  }

  note(event: JsonRecord): EventNote {
    const { type, delta } = event;
    switch (type) {
      case "content_block_start":
      case "content_block_delta":
        return { groups: [indexOf(event)], finished: NONE };
      case "content_block_stop":
        return { groups: [indexOf(event)], finished: [{ group: indexOf(event), reason: null }] };
      case "message_delta": {
        const reason = isRecord(delta) ? delta["stop_reason"] : null;
        return { groups: NONE, finished: NONE, reasons: typeof reason === "string" ? [reason] : NONE };
      }
      case "message_stop":
        return { groups: NONE, finished: NONE, isLast: true };
      default:
        if (type === "message_start") this.message ??= event["message"];
        return { groups: NONE, finished: NONE };
    }
  }

  faultOf(event: JsonRecord): unknown {
    if (event["type"] !== "error") return undefined;
    const error = event["error"] ?? null;
    const type = isRecord(error) ? error["type"] : null;
    if (typeof type === "string" && FAULTS.has(type)) this.fault = type;
    return error;
  }

  begun(event: JsonRecord): readonly AnsweredCall[] {
    return this.tools.note(event, indexOf(event));
  }

  callsOf(index: number, leaving: Leaving): readonly AnsweredCall[] {
    return this.tools.of(index, leaving);
  }

  paramOf({ group, path }: Pick<Piece, "group" | "path">): string {
    // A call's name is what a record names the call by.
    return path === NAME ? blockParam(group) : `${blockParam(group)}.${path === "thinking" ? path : shownPath(path)}`;
  }

  /** No event repeats its own text. */
  dropCopies(): void {}

  /** A message begins with an event that has no text. */
  readonly ignoresAlike = true;

  leaves(event: JsonRecord): boolean {
    if (event["type"] === "message_start") this.hasStarted = true;
    return false;
  }

  ending({ error, isBlock, groups }: StreamEnd): string {
    if (!isBlock) {
      const type = this.fault ?? anthropicErrorType(error);
      return sseNamed("error", { type: "error", error: { type, message: error.message, ...error.extra } });
    }
    let out = this.hasStarted ? "" : messageStart(isRecord(this.message) ? this.message : emptyMessage("msg_0", ""));
    for (const [index, { spoke, closed }] of groups) {
      if (spoke && !closed) out += sseNamed("content_block_stop", { type: "content_block_stop", index });
    }
    const end = refusedDelta(error, this.tokens.output);
    return out + sseNamed(end.type, end) + MESSAGE_STOP;
  }
}

const NONE: readonly never[] = [];

/** Anthropic's types of errors, which its clients decide by. */
const FAULTS: ReadonlySet<string> = new Set([
  "invalid_request_error",
  "rate_limit_error",
  "api_error",
  "overloaded_error",
  "timeout_error",
]);

const indexOf = (event: JsonRecord): number => numberOf(event["index"]) ?? 0;

/** The channel of a tool's name. */
const NAME = "name";

/** Texts of a block's begin that go on in its deltas. */
const BEGUN: ReadonlyMap<unknown, string> = new Map([
  ["text", "text"],
  ["thinking", "thinking"],
  ["compaction", "content"],
]);

const piecesOf = (event: JsonRecord): Piece[] => {
  const { type, delta, content_block: block } = event;
  if (type === "content_block_delta" && isRecord(delta)) return growing(delta, indexOf(event));
  if (type !== "content_block_start" || !isRecord(block)) return [];
  const group = indexOf(event);
  // With its name held a call leaves whole, or not at all: clients run what has a begin and an end.
  const tool = toolOf(block);
  if (tool !== null) return [{ group, path: NAME, isArguments: true, text: tool, holder: block, key: NAME }];
  const key = BEGUN.get(block["type"]);
  const text = key === undefined ? null : block[key];
  return key === undefined || typeof text !== "string"
    ? []
    : [{ group, path: key, isArguments: false, text, holder: block, key }];
};

/** Strings of a delta go on from event to event, those of unknown deltas too. */
const growing = (delta: JsonRecord, group: number): Piece[] =>
  Object.entries(delta).flatMap(([key, text]): Piece[] => {
    if (typeof text !== "string" || isProtocolValue(key, text) || appliesTo(OPAQUE, key, delta)) return [];
    const isArguments = key === "partial_json";
    return [{ group, path: isArguments ? "input" : key, isArguments, text, holder: delta, key }];
  });
