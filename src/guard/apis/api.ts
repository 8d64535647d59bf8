import type { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import type { TSchema } from "#core/schema";
import type { ApiStream, StreamWish } from "#guard/apis/api-stream";
import type { AnsweredCall } from "#model/answered-call";
import type { ModelApiName, ModelCallKind, Usage } from "#model/model-api";
import type { ServerTool } from "#model/server-tools";
import type { TokenEncoding } from "#model/token-encoding";
import type { Pause } from "#platform/slices";
import type { Speech } from "#policy/provenance/speech";
import type { Walk } from "#scan/texts/text-walk";
import type { TokenTable } from "#scan/texts/token-ids";

/**
 * What the guard knows of one API that agents speak to models. Whatever differs between APIs is here: the service, the
 * guard of streams, records, limits and provenance ask this, and name no field of any API.
 *
 * To add one: a file in `src/guard/apis/` with a constant of this type, and an entry in
 * `src/features/model-calls/endpoints.ts`. An endpoint whose answers differ (`count_tokens`) is a constant of its own
 * that spreads the first. Functions are pure but for `stream`, whose result remembers one stream. What is not known is
 * read and passed on, at every level: tables say what is special, never what is allowed.
 */
export type ModelApi = {
  /** What providers say they speak. */
  readonly name: ModelApiName;
  /** Kind of its calls in the audit log: `chat.completion`. */
  readonly kind: ModelCallKind;
  /** Where providers take it, below their base URL, with a slash before it. */
  readonly path: string;
  readonly request: RequestSide;
  readonly answer: AnswerSide;
  readonly errors: ErrorSide;
  /** What its streams say; null where it has none. Made anew for each stream. */
  readonly stream: ((wish: StreamWish) => ApiStream) | null;
  /** What keeps a client waiting while text is held back: a comment, or an event of the API's own. */
  readonly keepAlive: string;
};

/** A request without so many blocks of reasoning that its provider did not take. */
export type Repaired = { readonly body: JsonRecord; readonly reasoningDropped: number };

/** A tool of the provider's that a request turns on, with its place. */
export type TurnedOn = ServerTool & { readonly param: string };

/** A tool as a request declares it. */
export type DeclaredTool = readonly [param: string, name: string, definition: unknown];

/**
 * Where a request speaks of what its provider keeps of earlier calls, or has it keep more. Reasoning stands there itself,
 * but only its provider can read it.
 */
export type KeptState =
  | { readonly param: string; readonly kind: "background" | "conversation" | "response" }
  | { readonly param: string; readonly kind: "item" | "reasoning"; readonly id: string };

/** What a request asks for, beside its texts. */
export type RequestSide = {
  /** Its shape, as far as it is looked at; open at every level. Long bodies are checked by the same schema in slices. */
  readonly schema: TSchema;
  /** What the body must be: `a chat-completions request`. */
  readonly title: string;
  readonly modelOf: (body: JsonRecord) => string;
  readonly setModel: (body: JsonRecord, model: string) => void;
  readonly wantsStream: (body: JsonRecord) => boolean;
  /** Whether a client that streams asked for the usage, where usage is sent to those alone that ask; else true. */
  readonly wantsUsage: (body: JsonRecord) => boolean;
  /** Changes a request for a stream so that the provider says what the hub needs: the usage. */
  readonly prepareStream?: (body: JsonRecord) => void;
  /** The conversation it says it belongs to; `header` gives the client's headers by lower-case name. */
  readonly conversationOf: (header: (name: string) => string | null, body: JsonRecord) => string | null;
  /**
   * Which of the client's sub-agents calls, and which began that one: headers; none where clients do not say. Where main
   * agents send an id too, `kind` is what sub-agents alone send.
   */
  readonly subAgentHeaders?: { readonly id: string; readonly parent: string; readonly kind?: string };
  /** Whether its client asks again after an answer that the guard cut off, unless that is said as a fault of its request. */
  readonly asksAgain?: (header: (name: string) => string | null) => boolean;
  /** Keys that bound the answer in tokens, the current one first, which is set where a profile has a bound; none where an answer has no length. */
  readonly lengthKeys: readonly string[];
  /** How many answers are asked for. */
  readonly answersWanted: (body: JsonRecord) => number;
  /** Every tool it declares or turns on, by all names it could be read as, with its place. */
  readonly declaredTools: (body: JsonRecord) => Iterable<DeclaredTool>;
  /**
   * Every tool of the provider's own that it turns on: they run past the tool gateway. Null for each definition that turns
   * on none, so that callers can work in steps.
   */
  readonly serverTools?: (body: JsonRecord) => Iterable<TurnedOn | null>;
  /**
   * Every place where it speaks of what its provider keeps of other calls, which the hub does not see. Null for each item
   * that does not.
   */
  readonly keptState?: (body: JsonRecord) => Iterable<KeptState | null>;
  /** Has its provider keep nothing of the call, for callers that may not have that. */
  readonly keepNothing?: (body: JsonRecord) => void;
  /** The request as it may be asked once more, where a provider refused it for what the hub can mend; else null. */
  readonly repaired?: (
    body: JsonRecord,
    refusal: { readonly status: number; readonly text: string },
  ) => Repaired | null;
  /** The encoding of token ids that stand in place of texts; null for none. Throws `invalid_value` for one nobody knows. */
  readonly encodingOf?: (body: JsonRecord) => TokenEncoding | null;
  /**
   * Every text of it, with its origin: `requestWalk` of a table. The model is left out. `tokens` reads the ids that
   * `encodingOf` spoke of; null for none.
   */
  readonly walk: (body: JsonRecord, maxDepth: number, tokens: TokenTable | null) => Walk;
  /** Who said what in it, for provenance; null where it holds no conversation. */
  readonly speechOf: (body: JsonRecord) => Speech | null;
  /** The client's headers that its providers are given, by lower-case name. */
  readonly passedHeaders: readonly string[];
};

/** A string of an answer or an event. */
export type StringPlace = { readonly holder: JsonRecord; readonly key: string };

/** What a whole answer says. */
export type AnswerSide = {
  /** Every id of it, or of an event, under which its provider keeps something that requests can name: callers get others. */
  readonly keptIds?: (said: JsonRecord) => Iterable<StringPlace>;
  /** Ids of its items, or of those in an event, that requests can name, too: they stay as they are. */
  readonly itemIds?: (said: JsonRecord) => Iterable<string>;
  /** Takes out of its JSON what is long and no text: the rest alone is read. For answers that are mostly such. */
  readonly withoutBulk?: (json: string, pause: Pause) => Promise<Lightened>;
  /** Every text of it: `answerWalk` of its rules. */
  readonly walk: (answer: JsonRecord, maxDepth: number) => Walk;
  /** Places of what a tool is given, in the paths of `walk` and of streams: their values are traced to their source. */
  readonly toolInput: RegExp;
  /** Places that repeat the request, under the paths they have in it. */
  readonly repeated?: RegExp;
  readonly usageOf: (answer: JsonRecord) => Usage | null;
  readonly finishReasonsOf: (answer: JsonRecord) => readonly string[];
  /** Every tool call of it that the caller is to make, with its place as `walk` names it. */
  readonly answeredCallsIn: (answer: JsonRecord) => readonly AnsweredCall[];
  /** Removes what repeats the text in other forms, where something in the text was redacted: log probabilities. */
  readonly dropCopies: (answer: JsonRecord) => void;
};

/** An answer's JSON with short marks where bulk stood, and the way back. */
export type Lightened = { readonly json: string; readonly restored: (json: string) => string };

/** What a call asked for, as far as a refusal in place of its answer has to look like it. */
export type RefusedRequest = {
  readonly id: string;
  readonly model: string;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
  /** As in `StreamWish`. */
  readonly asksAgain: boolean;
  /** Unix seconds. */
  readonly created: number;
};

/** How it says that something went wrong. */
export type ErrorSide = {
  /** The body of an error answer. */
  readonly bodyOf: (error: GuardError, callId: string) => JsonRecord;
  /** Headers of an error answer and of any other, beside those all have. */
  readonly headersOf: (callId: string) => Readonly<Record<string, string>>;
  /** A provider's own 4xx about the request, parsed, as it is shown once it was scanned. */
  readonly ofProvider: (body: unknown) => JsonRecord;
  /** Which bodies of a provider's 429 and 5xx are shown like that, since clients act on the words; none where it is not there. */
  readonly showsFailure?: (body: unknown) => boolean;
  /** A block as an answer without content: the whole body, or the text of a stream; null where there is no such answer. */
  readonly refusalOf: ((error: GuardError, request: RefusedRequest) => string) | null;
};
