import type { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { sseNamed } from "#core/sse";
import type {
  ApiStream,
  BesideOptions,
  EventNote,
  Leaving,
  Piece,
  Repeat,
  Skipped,
  StreamEnd,
  StreamWish,
} from "#guard/apis/api-stream";
import { dropLogprobsIn, finishReasonsOf } from "#guard/apis/responses-answer";
import { textsBeside } from "#guard/apis/responses-events";
import { endedBy, groupOf, NO_ITEM, paramOf, piecesOf } from "#guard/apis/responses-growing";
import { ResponsesLeft, type Unnumbered } from "#guard/apis/responses-left";
import { blockedEnd, emptyResponse, refusal } from "#guard/apis/responses-refusal";
import { ResponsesRepeats } from "#guard/apis/responses-repeats";
import { mayNameState } from "#guard/apis/responses-state";
import { ResponsesStreamTools } from "#guard/apis/responses-stream-tools";
import type { AnsweredCall } from "#model/answered-call";
import type { Usage } from "#model/model-api";
import { responseUsage } from "#model/responses";
import { dropLogprobsOf } from "#scan/texts/logprobs";
import type { Texts } from "#scan/texts/text-walk";
import { withoutAddresses } from "./reported-error";

/** The events of one streamed response. A group is an item of its output. */
export class ResponsesStream implements ApiStream {
  readonly endMark = null;
  readonly endsWithGroups = false;
  readonly isNamed = true;
  readonly isResumable = true;
  readonly counter = "sequence_number";
  readonly padding = "obfuscation";
  readonly toolCallMark = /_call"/;
  private readonly repeats = new ResponsesRepeats();
  private readonly tools = new ResponsesStreamTools();
  private readonly left = new ResponsesLeft();
  private lateGroups: readonly number[] = [];
  /** The number of the next event; null while none has left. */
  private next: number | null = null;

  constructor(
    private readonly wish: Pick<StreamWish, "toCaller" | "asksAgain" | "after"> = {},
    private readonly used: (response: JsonRecord) => Usage | null = responseUsage,
  ) {}

  piecesOf(event: JsonRecord): Piece[] {
    return piecesOf(event);
  }

  repeatsIn(event: JsonRecord): readonly Repeat[] {
    return this.repeats.repeatsIn(event);
  }

  beside(event: JsonRecord, options: BesideOptions): Texts | null {
    const known = this.repeats.skippedIn(event);
    this.noteTools(event, options.skipped, known);
    return textsBeside(event, piecesOf(event), known, options);
  }

  private noteTools(event: JsonRecord, said: Skipped, known: Skipped): void {
    this.tools.note(event, said);
    if (!isLast(event)) return;
    const news = this.repeats.itemsIn(event).filter(({ list, index }) => known.get(list)?.has(index) !== true);
    this.lateGroups = this.tools.noteLast(news, said);
  }

  usageOf(event: JsonRecord): Usage | null {
    return isRecord(event["response"]) ? this.used(event["response"]) : null;
  }

  note(event: JsonRecord): EventNote {
    const { type, response } = event;
    if (isLast(event)) {
      const finished = this.lateGroups.map((group) => ({ group, reason: null }));
      const reasons = isRecord(response) ? finishReasonsOf(response) : FAILED;
      return { groups: NONE, finished, reasons, isLast: true, isFault: isFault(event) };
    }
    const group = groupOf(event);
    const path = endedBy(event);
    const groups = group === NO_ITEM ? NONE : [group];
    const isItemDone = type === "response.output_item.done" && group !== NO_ITEM;
    return {
      groups,
      finished: isItemDone ? [{ group, reason: null }] : NONE,
      ...(path !== null && { ended: [{ group, path }] }),
    };
  }

  /** An error of another API, as proxies send it. */
  faultOf(event: JsonRecord): unknown {
    return typeof event["type"] === "string" ? undefined : (event["error"] ?? undefined);
  }

  begun(): readonly AnsweredCall[] {
    return this.tools.begun();
  }

  callsOf(group: number, leaving: Leaving): readonly AnsweredCall[] {
    return this.tools.of(group, leaving);
  }

  paramOf(piece: Pick<Piece, "group" | "path">): string {
    return paramOf(piece);
  }

  dropCopies(event: JsonRecord): void {
    const { part, item, response } = event;
    dropLogprobsOf(event);
    if (isRecord(part)) dropLogprobsOf(part);
    if (isRecord(item)) dropLogprobsIn([item]);
    if (isRecord(response)) dropLogprobsIn(response["output"]);
  }

  leaves(event: JsonRecord): boolean {
    const isRebuilt = this.repeats.rebuild(event);
    const isShort = isFault(event) && shorten(event);
    const isNumbered = this.numbered(event);
    const isRenamed = (event["type"] === undefined || mayNameState(event)) && this.wish.toCaller?.(event) === true;
    this.left.follow(event);
    return isRebuilt || isShort || isNumbered || isRenamed;
  }

  isHad(event: JsonRecord): boolean {
    const { after = null } = this.wish;
    const number = numberOf(event["sequence_number"]);
    return after !== null && number !== undefined && number <= after;
  }

  /** True where its number was another: an event before it did not leave. */
  private numbered(event: JsonRecord): boolean {
    const number = numberOf(event["sequence_number"]);
    if (number === undefined) return false;
    this.next ??= number;
    const isSame = number === this.next;
    if (!isSame) event["sequence_number"] = this.next;
    this.next += 1;
    return !isSame;
  }

  ending({ error, isBlock }: StreamEnd): string {
    const { response } = this.left;
    // How a response ends is said to callers, too, who asked for what is behind the place where it was cut off.
    this.next = Math.max(this.next ?? 0, (this.wish.after ?? -1) + 1);
    const begun = response ?? emptyResponse("resp_0", "", 0);
    const start = response ? [] : [{ type: "response.created", response: begun }];
    const closing = isBlock ? this.left.closing() : [];
    const { output } = this.left;
    const { type, fields } = isBlock
      ? blockedEnd(error, this.wish.asksAgain === true)
      : { type: "response.failed", fields: failedFields(error) };
    const said = isBlock ? [...output, refusal("blocked", error.message)] : output;
    const end = { ...begun, ...fields, output: said };
    return [...start, ...closing, { type, response: end }].map((event) => this.written(event)).join("");
  }

  private written({ type, ...fields }: Unnumbered): string {
    const sequence_number = this.next ?? 0;
    this.next = sequence_number + 1;
    return sseNamed(type, { type, sequence_number, ...fields });
  }
}

const NONE: readonly never[] = [];
const FAILED: readonly string[] = ["failed"];

/** Events about the whole response that are no end, whatever status it has. */
const BEGINS: ReadonlySet<unknown> = new Set(["response.created", "response.queued", "response.in_progress"]);
const ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.failed", "error"]);
const ENDED: ReadonlySet<unknown> = new Set(["completed", "incomplete", "failed", "cancelled"]);

const isLast = ({ type, response }: JsonRecord): boolean =>
  ENDS.has(type) || (isRecord(response) && ENDED.has(response["status"]) && !BEGINS.has(type));

const isFault = ({ type }: JsonRecord): boolean => type === "error" || type === "response.failed";

/** Takes addresses out of what a provider says of its own error: they may be of the operator's networks. */
const shorten = (event: JsonRecord): boolean => {
  const { response, error } = event;
  const holders = [event, error, isRecord(response) ? response["error"] : null];
  let isChanged = false;
  for (const holder of holders) {
    if (!isRecord(holder) || typeof holder["message"] !== "string") continue;
    const message = withoutAddresses(holder["message"]);
    isChanged ||= message !== holder["message"];
    holder["message"] = message;
  }
  return isChanged;
};

/** How a response ends that could not be finished. */
const failedFields = ({ code, status, message, extra }: GuardError) => ({
  status: "failed",
  error: { code: status >= 500 ? "server_error" : code, message },
  ...(extra && { guardhouse: { event_id: extra["event_id"] ?? null, guard: extra["guard"] ?? null } }),
});
