import type { ToolDiscovery } from "#guard/tools/discovery";
import { withOffers } from "#guard/tools/pages";
import type { Actor } from "#model/change";
import type { ToolPin, ToolServer } from "#model/tools/tool";
import { withoutTasks } from "#model/tools/tool-definition";
import { causeOf, type Log } from "#platform/log";
import type { ToolServerStore } from "#store/port";
import { type ToolConnector, ToolFailure, type ToolFailureReason, type ToolListing } from "#upstream/tool-port";

/** What a live server said. `tools` are its pins afterwards; where it did not answer, as they were. */
export type DiscoveryResult =
  | {
      readonly ok: true;
      readonly tools: readonly ToolPin[];
      readonly ms: number;
      /** The MCP version spoken, where it is known. */
      readonly protocol: string | null;
      /** Names of tools that are not offered because the server does not run the tasks they need. */
      readonly withoutTasks: readonly string[];
    }
  | {
      readonly ok: false;
      readonly tools: readonly ToolPin[];
      readonly reason: ToolFailureReason;
      /** For those who manage the server: what went wrong, with the server's own words, secrets removed. */
      readonly problem: string;
    };

type LookNeeds = {
  readonly connect: ToolConnector;
  readonly discovery: Pick<ToolDiscovery, "withoutSecrets">;
  readonly log: Log;
  /** Longest wait for connection, handshake and list together, milliseconds. */
  readonly discoveryMs: number;
};

type DiscoverToolsNeeds = Omit<LookNeeds, "discovery"> & {
  readonly discovery: ToolDiscovery;
  readonly tools: Pick<ToolServerStore, "pins">;
  /** The caller, for the audit record. */
  readonly by?: Actor;
};

type Look =
  | { readonly ok: true; readonly listing: ToolListing; readonly ms: number }
  | Omit<Extract<DiscoveryResult, { ok: false }>, "tools">;

/** Connects to a server anew, reads its list, and closes the connection: whether it works, seen from here. */
export const lookAt = async (
  { connect, discovery, log, discoveryMs }: LookNeeds,
  server: ToolServer,
): Promise<Look> => {
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
    return { ok: true, listing, ms: Math.round(performance.now() - since) };
  } catch (error) {
    if (!(error instanceof ToolFailure)) log.error("tools.look_failed", { server_id: server.id, ...causeOf(error) });
    const known = error instanceof ToolFailure ? error : null;
    const problem = known ? problemOf(server, known, discovery) : INVALID_LIST;
    return { ok: false, reason: known?.reason ?? "garbage", problem };
  } finally {
    await upstream?.close();
  }
};

const INVALID_LIST = "Its tool list is invalid.";

/** Looks at a server and takes its list in. */
export const discoverTools =
  ({ discovery, tools, by, ...needs }: DiscoverToolsNeeds) =>
  async (server: ToolServer): Promise<DiscoveryResult> => {
    const look = await lookAt({ ...needs, discovery }, server);
    if (!look.ok) return { ...look, tools: await tools.pins(server.id) };
    const { listing, ms } = look;
    const { protocol = null, runsTasks = false } = listing;
    try {
      const pins = await discovery.record(server, listing, by);
      return { ok: true, tools: pins, ms, protocol, withoutTasks: withoutTasks(listing.tools, runsTasks) };
    } catch (error) {
      needs.log.error("tools.look_failed", { server_id: server.id, ...causeOf(error) });
      return { ok: false, reason: "garbage", problem: INVALID_LIST, tools: await tools.pins(server.id) };
    }
  };

/**
 * The server's own words only where an operator named it: the body of an address that a user gave, in a network the
 * hub may reach and the user may not, is not read out to them.
 */
const problemOf = (
  server: ToolServer,
  { message, serverText }: ToolFailure,
  discovery: LookNeeds["discovery"],
): string =>
  serverText === null || server.given_by === "user"
    ? message
    : `${message} It said: ${discovery.withoutSecrets(serverText)}`;
