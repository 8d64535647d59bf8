import type { JsonRecord } from "#core/json/json";
import type { ClientAnswer } from "#features/tools/questions/open-questions";
import type { CallerTrace } from "#guard/call-trace";
import type { ToolList } from "#guard/tools/tool-list";
import type { TokenPrincipal } from "#model/principal";
import type {
  CallToolRequestParams,
  CallToolResult,
  ProgressNotificationParams,
  Unchecked,
} from "#model/tools/mcp-types";
import type { ToolDefinition } from "#model/tools/tool";
import type { CancelSignal } from "#platform/cancellation";
import type { LogListener } from "#upstream/tool-port";

/*
 * What the dialects ask of the service. A dialect only translates: who may see what, what is scanned and what is
 * written down is decided behind these two functions, the same for all of them.
 */

export const DIALECTS = ["minimal", "2025", "2026"] as const;
export type Dialect = (typeof DIALECTS)[number];

export type ToolRequest = {
  /** UUIDv7; the `x-request-id` the caller sees. */
  readonly id: string;
  readonly dialect: Dialect;
  /** Aborts when the caller cancels, in whatever way its protocol has. */
  readonly signal: CancelSignal;
  /** What the caller says of its trace. */
  readonly callerTrace: () => CallerTrace;
};

export type ListRequest = ToolRequest;

/** What a tool is given. */
export type CallArguments = NonNullable<CallToolRequestParams["arguments"]>;

/** Which questions a client can show: forms to fill in, pages to open. */
export type QuestionModes = { readonly form: boolean; readonly url: boolean };

/** How the caller's user is asked what a server wants to know during a call (elicitation). */
export type CallerQuestions =
  | { readonly kind: "none" }
  /** 2025 era: by a request on the stream that answers the call. */
  | {
      readonly kind: "stream";
      readonly modes: QuestionModes;
      readonly ask: (params: JsonRecord, waitMs: number, signal: CancelSignal) => Promise<ClientAnswer>;
      readonly completed: (elicitationId: string) => void;
    }
  /** 2026-07-28: by a result; the client calls again with the answer. */
  | { readonly kind: "result"; readonly modes: QuestionModes };

export type CallRequest = ToolRequest & {
  /** All of `params` as it came: `name`, `arguments`, `_meta` and what else there is. Checked by the service. */
  readonly params: unknown;
  /** `x-conversation-id`, if sent. */
  readonly conversation: string | null;
  /** What the caller's client can do, where its protocol says so. */
  readonly clientCapabilities: JsonRecord | null;
  readonly questions: CallerQuestions;
  /** `params` of each progress notification, without the token; null when the caller asked for none. */
  readonly onProgress: ((params: Unchecked<ProgressNotificationParams>) => void) | null;
  /** What its server logs meanwhile, from a level on; null when the caller asked for none. */
  readonly log: LogListener | null;
  /** Called once the tool is known to be the caller's, before anything is sent; throws to refuse the call. */
  readonly checkTool: ((tool: ToolDefinition, args: CallArguments) => void) | null;
};

/** A request for something that servers offer beside tools. */
export type OfferRequest = Omit<CallRequest, "checkTool">;

/** The lists beside that of tools. */
export const OFFER_LISTS = ["resources/list", "resources/templates/list", "prompts/list"] as const;
export type OfferList = (typeof OFFER_LISTS)[number];

/** What the response headers say about a call. */
export type ToolNote = { readonly action: string; readonly eventId: string | null; readonly overheadMs: number };

export type ListAnswer = {
  /** The visible ones, in order of name: kept ready, so that nothing is serialised per call. */
  readonly tools: Pick<ToolList, "within">;
  /** Slugs of servers that have not told their tools yet. */
  readonly leftOut: readonly string[];
  readonly note: ToolNote;
};

export type CallAnswer =
  /** A failed or blocked call too: `isError` is in the result. `resultType` is there only if the server sent it. */
  | { readonly kind: "result"; readonly result: Unchecked<CallToolResult>; readonly note: ToolNote }
  /** A JSON-RPC error of the tool's own server, scanned. */
  | {
      readonly kind: "error";
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
      readonly note: ToolNote;
    };

export type OffersAnswer = {
  /** What the result calls the list. */
  readonly field: string;
  /** The JSON of each, in order of name or URI. */
  readonly items: readonly string[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly note: ToolNote;
};

/**
 * As `Tools`; `not_found` for what does not exist or is not the caller's. Blocks and failures of servers are thrown:
 * `content_filter`, `upstream_error`, `upstream_timeout`.
 */
export type Offers = {
  list(
    caller: TokenPrincipal,
    request: ListRequest & Pick<CallRequest, "params">,
    list: OfferList,
  ): Promise<OffersAnswer>;
  read(caller: TokenPrincipal, request: OfferRequest): Promise<CallAnswer>;
  prompt(caller: TokenPrincipal, request: OfferRequest): Promise<CallAnswer>;
  complete(caller: TokenPrincipal, request: OfferRequest): Promise<CallAnswer>;
  /** Begins to watch one resource: a call like reading it, and recorded as such. */
  subscribe(
    caller: TokenPrincipal,
    request: OfferRequest,
    news: ToolNews,
  ): Promise<{ readonly watch: ResourceWatch; readonly note: ToolNote }>;
  /** Records that a resource is watched no more. */
  unsubscribe(caller: TokenPrincipal, request: OfferRequest): Promise<ToolNote>;
  /** Whether every call of the caller's would be refused: a kill switch, a suspension. */
  isStopped(caller: TokenPrincipal): boolean;
  /** Calls `onChange` whenever what the caller would be listed of prompts, or of resources and templates, has changed. */
  watch(caller: TokenPrincipal, kind: OfferedKind, onChange: () => void): ToolWatch;
};

/** What who watches a resource is told. Neither throws. */
export type ToolNews = {
  readonly onUpdated: () => void;
  /** It is watched no more: it is not the caller's any more, or its server tells nothing any more. */
  readonly onEnded: () => void;
};

export type ResourceWatch = ToolWatch & {
  /** The public one. */
  readonly uri: string;
};

export type OfferedKind = "prompts" | "resources";

/**
 * Everything is recorded before these return or throw. They throw `GuardError`: `tool_not_found` for what does not
 * exist or is not the caller's, `invalid_value` for wrong parameters, `agent_suspended`, `audit_unavailable`,
 * `upstream_error` for a list when every server is down and nothing is known of any, `client_closed`; and whatever
 * `checkTool` threw.
 */
export type Tools = {
  list(caller: TokenPrincipal, request: ListRequest): Promise<ListAnswer>;
  call(caller: TokenPrincipal, request: CallRequest): Promise<CallAnswer>;
  /** Calls `onChange` whenever what the caller would be listed has changed. */
  watch(caller: TokenPrincipal, onChange: () => void): ToolWatch;
};

export type ToolWatch = {
  /** Looks anew, as who the caller is now: their client may have been given another list, their agent another profile. */
  readonly lookAs: (now: TokenPrincipal) => void;
  readonly end: () => void;
};
