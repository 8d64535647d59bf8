import { isRecord, type JsonRecord } from "#core/json/json";
import { META, type RpcMessage } from "#model/tools/mcp";
import type { Implementation, InitializeResult, ServerCapabilities, Unchecked } from "#model/tools/mcp-types";
import type { CallListener } from "./call-listener.ts";
import type { HttpHeaders } from "./http-client.ts";
import { headerValue } from "./http-param-headers.ts";

/** What the hub and a server agreed on. Never changed: a new agreement is a new link. */
export type Link = {
  /** `modern`: every request stands for itself. `legacy`: begins with `initialize`, may have a session. */
  readonly era: "modern" | "legacy";
  readonly version: string;
  readonly session: string | null;
  readonly server: JsonRecord | null;
  readonly instructions: string | null;
  readonly capabilities: Unchecked<ServerCapabilities>;
  /** Of every request. */
  readonly headers: HttpHeaders;
  /** `_meta` of every modern request, but for the caller's capabilities. */
  readonly envelope: JsonRecord;
};

/** Hears what a server says beside its answers: on the stream of one call, which has a listener, or on its own. */
export type AsideListener = (message: RpcMessage, link: Link, listener?: CallListener | null) => void;

/** As the hub names itself to servers. */
export const clientInfo = (version: string): Implementation => ({ name: "guardhouse", version });

export const CONTENT: HttpHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

export const modernEnvelope = (version: string, hubVersion: string): JsonRecord => ({
  [META.protocolVersion]: version,
  [META.clientInfo]: clientInfo(hubVersion),
  [META.clientCapabilities]: {},
});

/** From the result of `server/discover`. */
export const modernLink = (version: string, result: Unchecked<InitializeResult>, hubVersion: string): Link => {
  const meta = isRecord(result._meta) ? result._meta : {};
  return {
    era: "modern",
    version,
    session: null,
    // Where 2026-07-28 has it, or where it was.
    server: recordOr(meta[META.serverInfo] ?? result.serverInfo, null),
    instructions: textOf(result.instructions),
    capabilities: recordOr(result.capabilities, {}),
    headers: { ...CONTENT, "mcp-protocol-version": version },
    envelope: modernEnvelope(version, hubVersion),
  };
};

/** From the result of `initialize`. */
export const legacyLink = (version: string, session: string | null, result: Unchecked<InitializeResult>): Link => ({
  era: "legacy",
  version,
  session,
  server: recordOr(result.serverInfo, null),
  instructions: textOf(result.instructions),
  capabilities: recordOr(result.capabilities, {}),
  headers: {
    ...CONTENT,
    "mcp-protocol-version": version,
    ...(session !== null && { "mcp-session-id": session }),
  },
  envelope: {},
});

/** `name` is what the request is about: a tool's own name. */
export const requestHeaders = (link: Link, method: string, name: string | null, params: HttpHeaders): HttpHeaders => {
  if (link.era === "legacy") return link.headers;
  if (name === null) return { ...link.headers, "mcp-method": method };
  return { ...link.headers, "mcp-method": method, "mcp-name": headerValue(name), ...params };
};

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
const recordOr = <T>(value: unknown, other: T): JsonRecord | T => (isRecord(value) ? value : other);
