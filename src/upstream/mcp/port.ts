import type { ProtocolVersion } from "#model/tools/tool";
import type { ToolEvents } from "#upstream/tool-port";

/*
 * What the transports to tool servers share. A transport is one of: Streamable HTTP (both eras), SSE, stdio.
 */

/** `fetch` as far as tool servers are concerned: it refuses forbidden addresses and follows no redirects. */
export type ToolFetch = (url: string, init: RequestInit) => Promise<Response>;

/** How requests to one server are authorised. */
export type ToolAuthorization = {
  /** Throws `ToolFailure` `unauthorized` when there is nothing to authorise with, e.g. nobody signed in yet. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * The server answered 401, or 403 with `insufficient_scope`. True when `headers` will give something else now, so
   * that asking once more makes sense.
   */
  refused(response: Response): Promise<boolean>;
};

export type TransportLimits = {
  /** Longest wait for a connection, milliseconds. */
  readonly connectMs: number;
  /** Longest wait for the handshake, milliseconds; a stdio server's program may have to install itself first. */
  readonly handshakeMs: number;
  /** Longest silence of a list request, milliseconds. */
  readonly listMs: number;
  /** Largest answer, in bytes. */
  readonly resultBytes: number;
};

export type TransportOptions = {
  /** For messages and logs: the server's slug. */
  readonly slug: string;
  /** The hub's version, sent as `clientInfo`. */
  readonly version: string;
  readonly limits: TransportLimits;
  readonly events: ToolEvents;
  /** Whether people can be asked for a server in the middle of a call. */
  readonly isAskable?: boolean;
  /** The only version that is spoken; null or absent for whichever both sides know. */
  readonly protocol?: ProtocolVersion | null;
};
