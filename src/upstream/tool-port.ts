import type { JsonRecord } from "#core/json/json";
import type { LogLevel } from "#model/tools/log-level";
import type { RpcError, ServerMethod } from "#model/tools/mcp";
import type {
  CallToolRequestParams,
  CallToolResult,
  LoggingMessageNotificationParams,
  ProgressNotificationParams,
  ServerCapabilities,
  Unchecked,
} from "#model/tools/mcp-types";
import type { ToolServer } from "#model/tools/tool";
import type { TraceHeaders } from "#model/trace-context";
import type { CancelSignal } from "#platform/cancellation";

/** One MCP server, reached on behalf of one user with one version of its credentials. Connects when first used. */
export type ToolUpstream = {
  /** All pages of `tools/list`. Throws `ToolFailure`. */
  list(signal: AbortSignal): Promise<ToolListing>;
  /** Throws `ToolFailure`; an error the server itself answers is a value. */
  call(call: UpstreamToolCall): Promise<UpstreamToolAnswer>;
  /** Anything else that a server answers. Throws as `call` does. */
  ask(request: UpstreamRequest): Promise<UpstreamToolAnswer>;
  /**
   * Watches one resource until the signal aborts or the connection ends: resolves then. Throws `ToolFailure` where the
   * server does not tell of it.
   */
  watch(watch: UpstreamWatch): Promise<void>;
  /** Ends its connections and child processes. Calls under way fail. Never throws. */
  close(): Promise<void>;
};

export type ToolListing = {
  /** As they came: each is checked by who takes them in, so that one odd tool costs only itself. */
  readonly tools: readonly unknown[];
  /** Never shown to callers unreviewed. */
  readonly instructions: string | null;
  /** The version of MCP that was spoken, where it is known. */
  readonly protocol?: string | null;
  /** Whether it runs calls as tasks (2025-11-25). */
  readonly runsTasks?: boolean;
  /** What the server says it offers. */
  readonly capabilities?: Unchecked<ServerCapabilities>;
};

export type UpstreamToolCall = {
  /** The server's own name. */
  readonly name: CallToolRequestParams["name"];
  readonly arguments: NonNullable<CallToolRequestParams["arguments"]>;
  /** Further parameters passed on as they are: `inputResponses`, `requestState`. */
  readonly extra: JsonRecord;
  /** `_meta` passed on (trace context); protocol keys and progress token are the adapter's own. */
  readonly meta: JsonRecord;
  /** The trace in `meta`, which HTTP headers repeat; null or absent for none. */
  readonly trace?: TraceHeaders | null;
  /** What the caller's client can do, where its protocol says so with every request. */
  readonly clientCapabilities: JsonRecord | null;
  /** The approved schema: says which arguments are repeated in `Mcp-Param-*` headers. */
  readonly inputSchema: unknown;
  /** Whether the tool runs as a task alone: then it is followed to its end. */
  readonly isTask?: boolean;
  /** Longest silence; progress ends a silence. Milliseconds. */
  readonly silenceMs: number;
  /** Aborts when the caller cancels; the server is told. */
  readonly signal: CancelSignal;
  /** `params` of each `notifications/progress` of this call, without the token. Null when nobody wants them. */
  readonly onProgress: ((params: Unchecked<ProgressNotificationParams>) => void) | null;
  /** Who answers what the server asks while the call runs (2025 era). Null or absent for nobody. */
  readonly questions?: QuestionListener | null;
  /** Who is told what the server logs while the call runs. Null or absent for nobody. */
  readonly log?: LogListener | null;
};

export type LogListener = {
  /** The least severe that is wanted; a server may send others all the same. */
  readonly level: LogLevel;
  /** Given the params of `notifications/message` as they came. Never throws. */
  readonly tell: (params: Unchecked<LoggingMessageNotificationParams>) => void;
};

/** What a question to a person comes to: the result of `elicitation/create`, or the error that says why nobody is asked. */
export type QuestionReply =
  | { readonly kind: "result"; readonly result: JsonRecord }
  | ({ readonly kind: "error" } & Pick<RpcError, "code" | "message">);

export type QuestionListener = {
  /** Given the params of `elicitation/create` as they came. Never rejects. No silence is counted while it is open. */
  ask(question: JsonRecord): Promise<QuestionReply>;
  /** The server says that the page of a question in URL mode is done with. */
  completed(elicitationId: string): void;
};

/** A request beside the call of a tool: a page of a list, a resource, a prompt, the completion of an argument. */
export type UpstreamRequest = Pick<
  UpstreamToolCall,
  "meta" | "trace" | "clientCapabilities" | "silenceMs" | "signal" | "onProgress" | "questions" | "log"
> & {
  readonly method: ServerMethod;
  /** Without `_meta`. */
  readonly params: JsonRecord;
};

/** A resource whose changes somebody waits for. */
export type UpstreamWatch = {
  /** The server's own. */
  readonly uri: string;
  readonly signal: CancelSignal;
  /** The server tells from now on. Neither throws. */
  readonly onBegun: () => void;
  readonly onUpdated: () => void;
};

export type UpstreamToolAnswer =
  | { readonly kind: "result"; readonly result: Unchecked<CallToolResult> }
  /** A JSON-RPC error. */
  | ({ readonly kind: "error"; readonly data: unknown } & Pick<RpcError, "code" | "message">);

export const TOOL_FAILURES = [
  /** No connection, or it broke. */
  "unreachable",
  "timeout",
  /** It refuses our credentials, or there are none yet. */
  "unauthorized",
  /** What it answered is not MCP. */
  "garbage",
  "too_large",
  /** The address is one the hub does not connect to. */
  "forbidden_address",
  /** The caller went away or cancelled. */
  "cancelled",
  /** Given up without trying: the breaker is open, or too many calls are under way. */
  "breaker_open",
  "busy",
] as const;
export type ToolFailureReason = (typeof TOOL_FAILURES)[number];

/** Why a server gave no answer. `message` is for people and names neither content nor secrets. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  constructor(
    readonly reason: ToolFailureReason,
    message: string,
    /** Whether the server may have done what it was asked: then nobody asks again by himself. */
    readonly mayHaveRun: boolean,
    cause?: unknown,
    /**
     * The server's own words about it, bounded and unchecked: the end of a process's stderr, an error's message, the
     * body of a refusal. Only from before any call was sent, so no call's content is in it. For those who manage the
     * server, once secrets are removed; never for callers, records or logs.
     */
    readonly serverText: string | null = null,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }

  /** The same failure, of something that may have run or not. */
  withMayHaveRun(mayHaveRun: boolean): ToolFailure {
    if (mayHaveRun === this.mayHaveRun) return this;
    return new ToolFailure(this.reason, this.message, mayHaveRun, this.cause, this.serverText);
  }

  /** The same failure, with the server's own words; unchanged where it has some already or there are none. */
  withServerText(text: string | null): ToolFailure {
    if (text === null || this.serverText !== null) return this;
    return new ToolFailure(this.reason, this.message, this.mayHaveRun, this.cause, text);
  }
}

/** The most of a server's own words that a failure carries, in UTF-16 units: what is kept of stderr. */
const MAX_SERVER_TEXT = 4_096;

/** A shorter value is no secret worth hiding, and would make holes into ordinary words. In UTF-16 units. */
const MIN_HIDDEN_VALUE = 6;

/** Without the credentials the hub gave the server: programs print their settings, servers repeat headers. */
export const withoutValues = (text: string | null, values: Iterable<string>): string | null => {
  let clean = text;
  for (const value of values)
    if (value.length >= MIN_HIDDEN_VALUE) clean = clean?.replaceAll(value, "[hidden]") ?? null;
  return clean;
};

/** The end (or the beginning) of what a server wrote, bounded and without control characters; null for nothing. */
export const boundedServerText = (text: string, keep: "start" | "end"): string | null => {
  const plain = text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
  const trimmed = plain.trim();
  if (trimmed === "") return null;
  if (trimmed.length <= MAX_SERVER_TEXT) return trimmed;
  return keep === "start"
    ? `${trimmed.slice(0, MAX_SERVER_TEXT).toWellFormed()}…`
    : `…${trimmed.slice(-MAX_SERVER_TEXT).toWellFormed()}`;
};

export type ToolEvents = {
  /** The server says that its list has changed. */
  readonly onListChanged: () => void;
};

/** Makes a server callable. Nothing is connected before it is used. */
export type ToolConnector = (server: ToolServer, events: ToolEvents) => ToolUpstream;

/** What came back from a tool server's authorization server, through the person's browser; null for what did not. */
export type ToolSignInAnswer = {
  readonly state: string;
  readonly code: string | null;
  /** RFC 6749 §4.1.2.1. */
  readonly error: string | null;
  /** RFC 9207. */
  readonly issuer: string | null;
};

/** Sign-in of a person at a tool server's own authorization server. Both throw `ToolFailure`. */
export type ToolSignIn = {
  /**
   * The address the person opens in a browser. It is good once, and for some minutes. `ends` says where it may come to
   * its end: in a browser in which that person is signed in to the hub, or in any.
   */
  begin(server: ToolServer, userId: string, ends: SignInPlace): Promise<string>;
  /** `visitor` is who is signed in to the hub in that browser; null for nobody. */
  finish(answer: ToolSignInAnswer, visitor: string | null): Promise<SignInEnd>;
};

/**
 * Not in any browser for what a person begins: they could have somebody else open the address, and the hub would act
 * for them with what is the other's (RFC 9700 §4.7). An operator who begins it may be somebody without a session.
 */
export type SignInPlace = "own_browser" | "any_browser";

export type SignInEnd =
  | { readonly kind: "signed_in"; readonly server_id: string }
  /** A state nobody waits for: unknown, used or expired. */
  | { readonly kind: "not_begun" }
  /** It was begun by somebody who is not signed in there. Nothing was asked of anybody. */
  | { readonly kind: "another_person" };

/**
 * Several processes of one hub on a host: the program of a tool server runs once, in one of them, and the others ask
 * that one.
 */
export type ToolSharing = {
  /** The server by whichever process runs it; `local` makes it callable where that is this one. */
  through(server: ToolServer, local: () => ToolUpstream): ToolUpstream;
  /** Answers what other processes ask of servers that this one runs. */
  serve(tools: SharedTools): void;
  /** This process is about to stop: others take its servers over. What is under way goes on. */
  leave(): Promise<void>;
  /** Resolves when nothing that others asked is under way. */
  stop(): Promise<void>;
};

/** What a process that runs servers lets the others use. */
export type SharedTools = {
  /** Null for one that is not known here, or not with these credentials. */
  find(serverId: string, credentialVersion: number): ToolServer | null;
  list(server: ToolServer, signal: AbortSignal): Promise<ToolListing>;
  call(server: ToolServer, call: UpstreamToolCall): Promise<UpstreamToolAnswer>;
  ask(server: ToolServer, request: UpstreamRequest): Promise<UpstreamToolAnswer>;
  watch(server: ToolServer, watch: UpstreamWatch): Promise<void>;
};

/** Several processes of one hub on a host: a request that is about a call which another of them holds. */
export type ProcessRelay = {
  /** Answers what other processes pass on. */
  serve(answer: (request: Request) => Promise<Response>): void;
  /** Null where that process is not on this host or has ended. `body` is the request's, which was read; null for none. */
  forward(process: string, request: Request, body: string | null): Promise<Response | null>;
  stop(): Promise<void>;
};
