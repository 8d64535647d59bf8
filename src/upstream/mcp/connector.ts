import type { ToolServer } from "#model/tools/tool";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type {
  ToolConnector,
  ToolListing,
  ToolUpstream,
  UpstreamRequest,
  UpstreamToolAnswer,
  UpstreamToolCall,
  UpstreamWatch,
} from "#upstream/tool-port";
import { authorizationFor } from "./authorization.ts";
import { credentialsOf, type Open } from "./credentials.ts";
import { fetchFor } from "./guarded-fetch.ts";
import { NotStreamableHttp } from "./http-failure.ts";
import { notRun } from "./not-run.ts";
import type { GrantStore, RenewalTurns } from "./oauth-grant.ts";
import type { TransportLimits } from "./port.ts";
import { SseUpstream } from "./sse.ts";
import { StdioUpstream } from "./stdio.ts";
import { StreamableHttpUpstream } from "./streamable-http.ts";
import { OlderServers } from "./streamable-http-eras.ts";

export type ConnectorOptions = {
  /** The hub's own. */
  readonly version: string;
  readonly limits: TransportLimits;
  /** Whether people can be asked for a server in the middle of a call. */
  readonly isAskable?: boolean;
  /** Networks in which servers given through `/api` may be although they are not public. */
  readonly allowPrivate: readonly string[];
  readonly open: Sealing["unseal"];
  readonly seal: Sealing["seal"];
  /** Where the tokens of sign-ins are kept. */
  readonly grants: GrantStore;
  readonly turns?: RenewalTurns | undefined;
  /** Whether servers that are programs are started here. */
  readonly runsPrograms: boolean;
  /** Where notes of running processes are kept. */
  readonly pidDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly now: () => number;
};

/** Makes stored tool servers callable: each by its transport, with its credentials, at addresses it may have. */
export const mcpConnector = (options: ConnectorOptions): ToolConnector => {
  const { allowPrivate, limits, version, now } = options;
  const reach = fetchFor({ allowPrivate, connectMs: limits.connectMs });
  const older = new OlderServers(now);
  return (server, events) => {
    const transport = {
      slug: server.slug,
      version,
      limits,
      events,
      isAskable: options.isAskable ?? false,
      protocol: server.protocol,
    };
    if (server.transport === "stdio") {
      const { pidDirectory, environment, log } = options;
      if (!options.runsPrograms) return notRun(server.slug);
      return new StdioUpstream({
        ...transport,
        command: server.command ?? [],
        serverId: server.id,
        variables: () => variablesOf(server, options.open),
        pidDirectory,
        environment,
        log,
        now,
      });
    }
    const fetch = reach(server);
    const authorization = authorizationFor(server, { ...options, fetch });
    const http = { ...transport, url: server.url ?? "", fetch, authorization };
    if (server.transport === "sse") return new SseUpstream(http);
    return new WebUpstream(new StreamableHttpUpstream({ ...http, older, now }), () => new SseUpstream(http));
  };
};

const variablesOf = (server: ToolServer, open: Open): Readonly<Record<string, string>> => {
  const credentials = credentialsOf(server, open);
  return credentials?.kind === "environment" ? credentials.variables : {};
};

/**
 * A server at a URL whose age nobody told: Streamable HTTP, or what came before it where the server knows nothing
 * else (specification 2025-11-25, transports, backwards compatibility).
 */
class WebUpstream implements ToolUpstream {
  private old: ToolUpstream | null = null;

  constructor(
    private readonly current: ToolUpstream,
    private readonly older: () => ToolUpstream,
  ) {}

  list(signal: AbortSignal): Promise<ToolListing> {
    return this.through((upstream) => upstream.list(signal));
  }

  call(call: UpstreamToolCall): Promise<UpstreamToolAnswer> {
    return this.through((upstream) => upstream.call(call));
  }

  ask(request: UpstreamRequest): Promise<UpstreamToolAnswer> {
    return this.through((upstream) => upstream.ask(request));
  }

  watch(watch: UpstreamWatch): Promise<void> {
    return this.through((upstream) => upstream.watch(watch));
  }

  async close(): Promise<void> {
    await Promise.all([this.current.close(), this.old?.close()]);
  }

  private async through<T>(work: (upstream: ToolUpstream) => Promise<T>): Promise<T> {
    if (this.old) return work(this.old);
    try {
      return await work(this.current);
    } catch (error) {
      if (!(error instanceof NotStreamableHttp)) throw error;
      this.old ??= this.older();
      return work(this.old);
    }
  }
}
