import type { JsonRecord } from "#core/json";
import type { ToolServer } from "#core/tool";

/** One MCP server, reached on behalf of one user with one version of its credentials. Connects when first used. */
export type ToolUpstream = {
  /** All pages of `tools/list`. Throws `ToolFailure`. */
  list(signal: AbortSignal): Promise<ToolListing>;
  /** Throws `ToolFailure`; an error the server itself answers is a value. */
  call(call: UpstreamToolCall): Promise<UpstreamToolAnswer>;
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
};

export type UpstreamToolCall = {
  /** The server's own name. */
  readonly name: string;
  readonly arguments: JsonRecord;
  /** Further parameters passed on as they are: `inputResponses`, `requestState`. */
  readonly extra: JsonRecord;
  /** `_meta` passed on (trace context); protocol keys and progress token are the adapter's own. */
  readonly meta: JsonRecord;
  /** What the caller's client can do, where its protocol says so with every request. */
  readonly clientCapabilities: JsonRecord | null;
  /** The approved schema: says which arguments are repeated in `Mcp-Param-*` headers. */
  readonly inputSchema: unknown;
  /** Longest silence; progress ends a silence. Milliseconds. */
  readonly silenceMs: number;
  /** Aborts when the caller cancels; the server is told. */
  readonly signal: AbortSignal;
  /** `params` of each `notifications/progress` of this call, without the token. Null when nobody wants them. */
  readonly onProgress: ((params: JsonRecord) => void) | null;
};

export type UpstreamToolAnswer =
  | { readonly kind: "result"; readonly result: JsonRecord }
  /** A JSON-RPC error. */
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data: unknown };

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
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

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
