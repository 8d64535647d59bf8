import { type ErrorBody, errorBody, GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { SSE_DONE, sseData } from "#core/sse";
import type {
  ApiStream,
  BesideOptions,
  EventNote,
  GroupProgress,
  Leaving,
  Piece,
  StreamEnd,
  StreamWish,
} from "#guard/apis/api-stream";
import { dropLogprobs, hasTextsBeside, isSaidInChat, textsBeside } from "#guard/apis/chat-texts";
import { StreamTools } from "#guard/apis/chat-tools";
import type { AnsweredCall } from "#model/answered-call";
import { usageOf } from "#model/chat";
import type { Usage } from "#model/model-api";
import { shownPath } from "#scan/texts/field-names";
import { isProtocolValue, type Texts } from "#scan/texts/text-walk";

/** What differs between the chunks of chat and those of older completions. */
export type ChunkForm = {
  readonly object: string;
  /** Where a choice stands in the whole answer. */
  readonly place: (choice: number) => string;
  /** Whether a text is said in a choice, beside its log probabilities. */
  readonly isSaid: (choice: JsonRecord, text: string) => boolean;
  /** What a choice ends with that is blocked; `refusal` says why where no error does. */
  readonly ending: (index: number, spoke: boolean, refusal: string | null) => readonly JsonRecord[];
};

const CHAT_FORM: ChunkForm = {
  object: "chat.completion.chunk",
  place: (choice) => `choices[${choice}].message`,
  isSaid: isSaidInChat,
  ending: (index, spoke, refusal) => {
    const role = spoke ? {} : { role: "assistant" };
    const end = { index, delta: refusal === null ? role : {}, finish_reason: "content_filter" };
    return refusal === null ? [end] : [{ index, delta: { ...role, refusal }, finish_reason: null }, end];
  },
};

/** The chunks of one streamed completion. A group is a choice. */
export class ChatStream implements ApiStream {
  readonly endMark = "[DONE]";
  readonly endsWithGroups = true;
  readonly isNamed = false;
  readonly padding = PADDING;
  readonly toolCallMark = /"(?:tool_calls|function_call)"/;
  private readonly tools = new StreamTools();
  /** What all chunks have in common. */
  private base: JsonRecord;

  constructor(
    private readonly wish: StreamWish,
    private readonly form: ChunkForm = CHAT_FORM,
  ) {
    this.base = { object: form.object };
  }

  piecesOf(chunk: JsonRecord): Piece[] {
    return piecesOf(chunk);
  }

  beside(chunk: JsonRecord, { maxDepth, seen }: BesideOptions): Texts | null {
    return hasTextsBeside(chunk, seen) ? textsBeside(chunk, maxDepth, seen, this.form.isSaid) : null;
  }

  usageOf(chunk: JsonRecord): Usage | null {
    return usageOf(chunk);
  }

  /** Usage is always asked for. */
  isForHub(chunk: JsonRecord): boolean {
    if (this.wish.wantsUsage || usageOf(chunk) === null) return false;
    const choices = chunk["choices"];
    return !Array.isArray(choices) || choices.length === 0;
  }

  note(chunk: JsonRecord): EventNote {
    const choices: unknown[] = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    const { id, object, created, model } = chunk;
    if (id !== this.base["id"]) this.base = { id, object, created, model };
    const groups: number[] = [];
    let finished = NOT_FINISHED;
    for (let position = 0; position < choices.length; position += 1) {
      const choice = choices[position];
      if (!isRecord(choice)) continue;
      const group = indexOf(choice, position);
      groups.push(group);
      const reason = choice["finish_reason"];
      if (typeof reason === "string") finished = [...finished, { group, reason }];
    }
    return { groups, finished };
  }

  faultOf(chunk: JsonRecord): unknown {
    const error = chunk["error"];
    return error == null || Array.isArray(chunk["choices"]) ? undefined : error;
  }

  begun(chunk: JsonRecord): AnsweredCall[] {
    return this.tools.note(chunk);
  }

  callsOf(choice: number, leaving: Leaving): AnsweredCall[] {
    return this.tools.of(choice, leaving);
  }

  paramOf({ group, path }: Pick<Piece, "group" | "path">): string {
    return `${this.form.place(group)}.${shownPath(path)}`;
  }

  /** The token-by-token copies of the old text and its padding go. */
  dropCopies(chunk: JsonRecord): void {
    dropLogprobs(chunk);
    delete chunk[PADDING];
  }

  ending({ error, isBlock, isQuiet, groups }: StreamEnd): string {
    const said = isQuiet ? "" : sseData(inStream(error));
    if (!isBlock) return said;
    const open = groups.size === 0 ? NO_CHOICE : groups;
    return this.endingOf(open, isQuiet ? error.message : null) + said + SSE_DONE;
  }

  /** The chunks that end every open choice. */
  private endingOf(open: ReadonlyMap<number, GroupProgress>, refusal: string | null): string {
    return [...open]
      .filter(([, { closed }]) => !closed)
      .flatMap(([index, { spoke }]) => this.form.ending(index, spoke, refusal))
      .map((choice) => sseData({ ...this.base, choices: [choice] }))
      .join("");
  }
}

const PADDING = "obfuscation";
const NOT_FINISHED: EventNote["finished"] = [];
const NO_CHOICE: ReadonlyMap<number, GroupProgress> = new Map([[0, { spoke: false, closed: false }]]);

/**
 * The error as an event. There is no status beside it, and LiteLLM shows its mapping the message alone: one that does not
 * name OpenAI's type for a bad request is taken for a broken connection, and the call is sent again.
 */
const inStream = (error: GuardError): ErrorBody => {
  const body = errorBody(error);
  const { message, type } = body.error;
  if (type !== "invalid_request_error") return body;
  return { error: { ...body.error, message: `${message} (${type})` } };
};

/** Repeats the text token by token; dropped from every chunk whose text is changed. */
const LOGPROBS = "logprobs";
/** Tool inputs: held until complete. */
const ARGUMENT_KEYS = new Set(["arguments", "input"]);
/** No real delta nests this deep. */
const MAX_DELTA_DEPTH = 16;

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
  group: number,
  depth: number,
): void => {
  const value = Array.isArray(holder) ? holder[Number(key)] : holder[key];
  if (typeof value === "string") {
    const name = String(key);
    if (isProtocolValue(name, value)) return;
    out.push({ path, group, isArguments: ARGUMENT_KEYS.has(name), text: value, holder, key });
  } else if (typeof value === "object" && value !== null) {
    if (depth > MAX_DELTA_DEPTH)
      throw new GuardError("upstream_error", "The provider sent an answer nested without end.");
    if (Array.isArray(value)) collectItems(out, value, path, group, depth + 1);
    else if (isRecord(value)) collectFields(out, value, path, group, depth + 1);
  }
};

const collectFields = (out: Piece[], record: JsonRecord, path: string, group: number, depth: number): void => {
  for (const key in record) {
    if (key !== LOGPROBS) collect(out, record, key, path === "" ? key : `${path}.${key}`, group, depth);
  }
};

const collectItems = (out: Piece[], list: unknown[], path: string, group: number, depth: number): void => {
  for (let position = 0; position < list.length; position += 1) {
    const item = list[position];
    const at = isRecord(item) ? indexOf(item, position) : position;
    collect(out, list, position, `${path}[${at}]`, group, depth);
  }
};
