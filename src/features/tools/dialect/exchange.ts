import type { JsonRecord } from "#core/json/json";
import type { OpenQuestions } from "#features/tools/questions/open-questions";
import { type CallerTrace, callerTraceIn, callerTraceOf } from "#guard/call-trace";
import type { OpenCalls } from "#guard/open-calls";
import type { TokenPrincipal } from "#model/principal";
import { metaOf } from "#model/tools/mcp";
import type { CallToolResult, Unchecked } from "#model/tools/mcp-types";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { ClientSessions } from "./client-sessions";
import type { InFlight } from "./in-flight";
import type { ListAnswer, Offers, ToolNote, Tools } from "./port";
import type { Subscriptions } from "./subscriptions";

/** One authenticated HTTP request. */
export type ToolExchange = {
  readonly request: Request;
  readonly caller: TokenPrincipal;
  /** UUIDv7; the `x-request-id` of the answer. */
  readonly id: string;
  /** What every answer carries: the request's id, what browsers need, what caches may do. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whom the token stands for now; null when it is no longer valid. Asked while a stream is held open. */
  readonly callerNow: () => TokenPrincipal | null | Promise<TokenPrincipal | null>;
};

export type DialectNeeds = {
  readonly service: Tools;
  readonly offers: Offers;
  readonly ids: Ids;
  readonly log: Log;
  /** Drives keep-alives. */
  readonly openCalls: OpenCalls;
  readonly inFlight: InFlight;
  readonly questions: OpenQuestions;
  readonly sessions: ClientSessions;
  /** Whether tool servers may ask users at all. */
  readonly isAskable: boolean;
  readonly subscriptions: Subscriptions;
  readonly serverInfo: { readonly name: string; readonly version: string };
};

/** What the hub tells a model about itself. Never anything that a tool server says. */
export const INSTRUCTIONS =
  "Tools, prompts and resources of several servers behind one address; the part of a name before the first double underscore, or after the scheme of a URI, is the server. Calls are checked and recorded: when one is blocked, the result says why and what to do.";

/** An answer in JSON, with every header it will have. */
export const jsonAnswer = (
  exchange: ToolExchange,
  text: string | Blob,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(text, { status, headers: { ...exchange.headers, "content-type": "application/json", ...headers } });

export const noteHeaders = ({ action, eventId, overheadMs }: ToolNote): Readonly<Record<string, string>> => {
  const headers = { "x-guard-action": action, "x-guard-overhead-ms": overheadMs.toFixed(3) };
  return eventId === null ? headers : { ...headers, "x-guard-event-id": eventId };
};

/** `_meta` of a list that goes without some servers, or null. Their owner learns more by `guardhouse__whoami`. */
export const listMeta = ({ leftOut }: Pick<ListAnswer, "leftOut">): JsonRecord | null =>
  leftOut.length === 0 ? null : { "guardhouse/left_out": leftOut };

/** Taken in, and nothing to say. */
export const accepted = (exchange: ToolExchange): Response =>
  new Response(null, { status: 202, headers: exchange.headers });

export const acceptsEvents = (request: Request): boolean =>
  (request.headers.get("accept") ?? "").toLowerCase().includes("text/event-stream");

/** By `_meta` where that says it, as OpenTelemetry has it for MCP (SEP-414); else by the HTTP headers. */
export const callerTraceOfMessage =
  ({ headers }: Request, params: unknown) =>
  (): CallerTrace => {
    const { traceparent, tracestate } = metaOf(params) ?? {};
    if (typeof traceparent === "string") {
      const said = callerTraceOf(traceparent, typeof tracestate === "string" ? tracestate : null);
      if (said.parent !== null) return said;
    }
    return callerTraceIn((name) => headers.get(name));
  };

/** A call that failed in a way that a model can act on. */
export const failedResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });

/** A result of 2026-07-28, which says whether it is one. */
export type TypedResult = Unchecked<CallToolResult & { resultType: string }>;

/**
 * A result for callers whose protocol knows no `resultType`. A tool that asks back (`input_required`, or whatever
 * comes to be) has not answered them, and must not look as if it had.
 */
export const plainResult = ({ resultType, ...result }: TypedResult): Unchecked<CallToolResult> =>
  resultType === undefined || resultType === "complete"
    ? result
    : failedResult(
        "This tool asks for further input before it answers, which only clients of MCP 2026-07-28 or newer can give. Nothing was completed; call another tool or use a newer client.",
      );
