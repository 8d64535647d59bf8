import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { sseNamed } from "#core/sse";
import type { ApiStream, BesideOptions, EventNote, Piece, Repeat, StreamEnd } from "#guard/apis/api-stream";
import { textsOfEvent } from "#guard/apis/events";
import type { Texts } from "#scan/texts/text-walk";
import { COMMON_RULES } from "#scan/texts/walk-rules";

/**
 * A stream form that has what chat's has not: named and numbered events, texts that later events repeat, channels that
 * end before their part, an event that ends the stream, keep-alives.
 */
export class NumberedStream implements ApiStream {
  readonly endMark = null;
  readonly endsWithGroups = false;
  readonly isNamed = true;
  readonly toolCallMark = /"call"/;
  readonly counter = "number";
  private next = 0;

  piecesOf(event: JsonRecord): Piece[] {
    const { type, part, delta } = event;
    if ((type !== "text.delta" && type !== "call.delta") || typeof delta !== "string") return [];
    const isArguments = type === "call.delta";
    const path = isArguments ? "arguments" : "text";
    return [{ group: numberOf(part) ?? 0, path, isArguments, text: delta, holder: event, key: "delta" }];
  }

  beside(event: JsonRecord, options: BesideOptions): Texts | null {
    return textsOfEvent(event, this.piecesOf(event), COMMON_RULES, options);
  }

  repeatsIn(event: JsonRecord): Repeat[] {
    if (event["type"] === "text.done") return [repeatIn(event, numberOf(event["part"]) ?? 0)];
    const { parts } = event;
    return Array.isArray(parts) ? parts.flatMap((part, at) => (isRecord(part) ? [repeatIn(part, at)] : [])) : [];
  }

  note(event: JsonRecord): EventNote {
    const group = numberOf(event["part"]);
    const groups = group === undefined ? [] : [group];
    switch (event["type"]) {
      case "text.done":
        return { groups, finished: [], ended: [{ group: groups[0] ?? 0, path: "text" }] };
      case "part.done":
        return { groups, finished: groups.map((each) => ({ group: each, reason: null })) };
      case "done":
        return { groups: [], finished: [], reasons: ["stop"], isLast: true };
      default:
        return { groups, finished: [] };
    }
  }

  usageOf(): null {
    return null;
  }

  isKeepAlive(event: JsonRecord): boolean {
    return event["type"] === "ping" && Object.keys(event).length === 1;
  }

  faultOf(event: JsonRecord): unknown {
    return event["type"] === "error" ? event["error"] : undefined;
  }

  begun(): [] {
    return [];
  }

  callsOf(): [] {
    return [];
  }

  paramOf({ group, path }: Pick<Piece, "group" | "path">): string {
    return `parts[${group}].${path}`;
  }

  dropCopies(event: JsonRecord): void {
    delete event["padding"];
  }

  leaves(event: JsonRecord): boolean {
    const at = this.next;
    this.next += 1;
    if (event["number"] === at) return false;
    event["number"] = at;
    return true;
  }

  ending({ error }: StreamEnd): string {
    return sseNamed("stopped", { type: "stopped", number: this.next, code: error.code });
  }
}

const repeatIn = (holder: JsonRecord, group: number): Repeat => ({ group, path: "text", holder, key: "text" });
