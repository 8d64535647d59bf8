import { ToolServerBreaker } from "#guard/tools/breaker";
import type { ToolServer } from "#model/tools/tool";
import type { Clock } from "#platform/clock";
import {
  type ToolConnector,
  ToolFailure,
  type ToolListing,
  type ToolUpstream,
  type UpstreamRequest,
  type UpstreamToolAnswer,
  type UpstreamToolCall,
  type UpstreamWatch,
} from "#upstream/tool-port";

type ToolConnectionsNeeds = {
  readonly connect: ToolConnector;
  readonly now: Clock;
  /** How long an unused connection is kept, milliseconds. */
  readonly idleMs: number;
  /** Calls open to one server at a time. */
  readonly maxConcurrent: number;
  readonly onListChanged: (serverId: string) => void;
};

type Line = {
  /** As it was met last: the same object has the same key. */
  server: ToolServer;
  readonly key: string;
  upstream: ToolUpstream;
  readonly breaker: ToolServerBreaker;
  busy: number;
  /** Resources that are watched: a connection is kept for them. */
  watching: number;
  usedAt: number;
};

/**
 * Open connections to tool servers. One belongs to one user, one server and one version of its credentials, and is
 * never shared beyond that.
 */
export class ToolConnections {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly deps: ToolConnectionsNeeds) {}

  list(server: ToolServer, signal: AbortSignal): Promise<ToolListing> {
    return this.through(server, (upstream) => upstream.list(signal));
  }

  call(server: ToolServer, call: UpstreamToolCall): Promise<UpstreamToolAnswer> {
    this.touch(server);
    return this.through(server, (upstream) => upstream.call(call));
  }

  ask(server: ToolServer, request: UpstreamRequest): Promise<UpstreamToolAnswer> {
    return this.through(server, (upstream) => upstream.ask(request));
  }

  /** As of `ToolUpstream`. Takes no place among calls. */
  async watch(server: ToolServer, watch: UpstreamWatch): Promise<void> {
    const line = this.lineOf(server);
    line.watching += 1;
    try {
      await line.upstream.watch(watch);
    } finally {
      line.watching -= 1;
      line.usedAt = this.deps.now();
    }
  }

  isOpen(server: ToolServer): boolean {
    return this.lines.has(server.id);
  }

  /** Somebody wants something of the server: its connection is kept for a while. */
  touch({ id }: ToolServer): void {
    const line = this.lines.get(id);
    if (line) line.usedAt = this.deps.now();
  }

  /** Closes what belongs to servers that are gone, switched off, or have other credentials or another address now. */
  async retain(servers: Iterable<ToolServer>): Promise<void> {
    const keys = new Set([...servers].filter(({ active }) => active).map(connectionKey));
    await this.closeWhere((line) => !keys.has(line.key));
  }

  async closeIdle(): Promise<void> {
    const before = this.deps.now() - this.deps.idleMs;
    await this.closeWhere((line) => line.busy === 0 && line.watching === 0 && line.usedAt < before);
  }

  closeAll(): Promise<void> {
    return this.closeWhere(() => true);
  }

  private async closeWhere(isDone: (line: Line) => boolean): Promise<void> {
    const done = [...this.lines].filter(([, line]) => isDone(line));
    for (const [id] of done) this.lines.delete(id);
    await Promise.all(done.map(([, line]) => line.upstream.close()));
  }

  private async through<T>(server: ToolServer, work: (upstream: ToolUpstream) => Promise<T>): Promise<T> {
    const line = this.lineOf(server);
    if (line.busy >= this.deps.maxConcurrent) {
      throw new ToolFailure("busy", `Too many calls to ${server.slug} are under way. Try again in a moment.`, false);
    }
    if (!line.breaker.mayTry()) {
      throw new ToolFailure(
        "breaker_open",
        `${server.slug} has failed several times in a row and is paused. Try again in a minute.`,
        false,
      );
    }
    line.busy += 1;
    try {
      const result = await work(line.upstream);
      line.breaker.succeeded();
      return result;
    } catch (error) {
      this.failed(server, line, error);
      throw error;
    } finally {
      line.busy -= 1;
    }
  }

  private failed(server: ToolServer, line: Line, error: unknown): void {
    if (!(error instanceof ToolFailure) || !tellsOfServer(error)) {
      line.breaker.abstained();
      return;
    }
    if (!line.breaker.failed()) return;
    // The trial after the rest must not meet the same dead session again.
    const dead = line.upstream;
    line.upstream = this.connect(server);
    void dead.close();
  }

  private lineOf(server: ToolServer): Line {
    const known = this.lines.get(server.id);
    if (known?.server === server) return known;
    const key = connectionKey(server);
    if (known?.key === key) {
      known.server = server;
      return known;
    }
    if (known) void known.upstream.close();
    const { now } = this.deps;
    const upstream = this.connect(server);
    const line = { server, key, upstream, breaker: new ToolServerBreaker(now), busy: 0, watching: 0, usedAt: now() };
    this.lines.set(server.id, line);
    return line;
  }

  private connect(server: ToolServer): ToolUpstream {
    const { connect, onListChanged } = this.deps;
    return connect(server, { onListChanged: () => onListChanged(server.id) });
  }
}

/** Everything a connection depends on. */
export const connectionKey = ({
  owner_id,
  id,
  credential_version,
  transport,
  url,
  command,
  protocol,
}: ToolServer): string => JSON.stringify([owner_id, id, credential_version, transport, url, command, protocol]);

const tellsOfServer = ({ reason }: ToolFailure): boolean => reason === "unreachable" || reason === "timeout";
