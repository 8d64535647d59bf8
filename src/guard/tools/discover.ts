import type { ToolDiscovery } from "#guard/tools/discovery";
import { withOffers } from "#guard/tools/pages";
import type { Actor } from "#model/change";
import type { ToolPin, ToolServer } from "#model/tools/tool";
import { causeOf, type Log } from "#platform/log";
import type { ToolServerStore } from "#store/port";
import { type ToolConnector, ToolFailure, type ToolFailureReason } from "#upstream/tool-port";

/** What a live server said. `tools` are its pins afterwards; where it did not answer, as they were. */
export type DiscoveryResult =
  | {
      readonly ok: true;
      readonly tools: readonly ToolPin[];
      readonly ms: number;
      /** The MCP version spoken, where it is known. */
      readonly protocol: string | null;
    }
  | {
      readonly ok: false;
      readonly tools: readonly ToolPin[];
      readonly reason: ToolFailureReason;
      /** For those who manage the server: what went wrong, with the server's own words, secrets removed. */
      readonly problem: string;
    };

type DiscoverToolsNeeds = {
  readonly connect: ToolConnector;
  readonly discovery: ToolDiscovery;
  readonly tools: Pick<ToolServerStore, "pins">;
  readonly log: Log;
  /** Longest wait for connection, handshake and list together, milliseconds. */
  readonly discoveryMs: number;
  /** The caller, for the audit record. */
  readonly by?: Actor;
};

/** Connects to a server anew, takes its list in, and closes the connection: whether it works, seen from here. */
export const discoverTools =
  ({ connect, discovery, tools, log, discoveryMs, by }: DiscoverToolsNeeds) =>
  async (server: ToolServer): Promise<DiscoveryResult> => {
    const since = performance.now();
    let upstream: ReturnType<ToolConnector> | null = null;
    try {
      const connection = connect(server, { onListChanged: () => undefined });
      upstream = connection;
      const signal = AbortSignal.timeout(discoveryMs);
      const listing = await withOffers(await connection.list(signal), {
        slug: server.slug,
        ask: (request) => connection.ask(request),
        silenceMs: discoveryMs,
        signal,
      });
      const ms = Math.round(performance.now() - since);
      return { ok: true, tools: await discovery.record(server, listing, by), ms, protocol: listing.protocol ?? null };
    } catch (error) {
      if (!(error instanceof ToolFailure)) log.error("tools.look_failed", { server_id: server.id, ...causeOf(error) });
      const known = error instanceof ToolFailure ? error : null;
      return {
        ok: false,
        tools: await tools.pins(server.id),
        reason: known?.reason ?? "garbage",
        problem: known ? problemOf(server, known, discovery) : "Its tool list is invalid.",
      };
    } finally {
      await upstream?.close();
    }
  };

/**
 * The server's own words only where an operator named it: the body of an address that a user gave, in a network the
 * hub may reach and the user may not, is not read out to them.
 */
const problemOf = (server: ToolServer, { message, serverText }: ToolFailure, discovery: ToolDiscovery): string =>
  serverText === null || server.given_by === "user"
    ? message
    : `${message} It said: ${discovery.withoutSecrets(serverText)}`;
