import type { ToolServer } from "#core/tool";
import type { ToolConnections } from "#engine/tools/connections";
import type { ToolIntake } from "#engine/tools/intake";
import type { ToolRoster } from "#engine/tools/roster";
import { Turns } from "#engine/tools/turns";
import { type Clock, hasPassed } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import { ToolFailure } from "#upstream/tool-port";

type Deps = {
  readonly roster: ToolRoster;
  readonly connections: ToolConnections;
  readonly intake: ToolIntake;
  readonly now: Clock;
  readonly log: Log;
  /** How long a list is taken for fresh, milliseconds. */
  readonly freshMs: number;
  /** Longest wait for one server's list, milliseconds. */
  readonly listMs: number;
  /** A slow server is waited for no longer than `listMs`, yet what it answers until then still comes in. Milliseconds. */
  readonly lookMs: number;
};

type Look = {
  /** The version of the server's credentials it was made with: others may do better. */
  readonly credentials: number;
  /** Unix milliseconds of the last look's end, whatever came of it; 0 for none. */
  lookedAt: number;
  running: Promise<void> | null;
  /** The list changed while it was being read: look once more. */
  isOutdated: boolean;
  failure: ToolFailure | null;
};

/** A server that says every moment that its list has changed is not asked more often than this. Milliseconds. */
const LEAST_BETWEEN_MS = 500;

/**
 * Keeps the lists of tool servers. Whoever asks gets what is known at once, and a look that is due happens behind
 * his back; only a server nothing is known of is waited for, and not for long.
 */
export class ToolCatalogue {
  private readonly looks = new Map<string, Look>();
  private readonly turns = new Turns();

  constructor(private readonly deps: Deps) {}

  /** Resolves when every one of the servers is known or had its time. Null when there is nothing to wait for. */
  ready(servers: readonly ToolServer[]): Promise<unknown> | null {
    let waiting: Promise<void>[] | null = null;
    for (const server of servers) {
      if (!server.active) continue;
      this.deps.connections.touch(server);
      const look = this.lookOf(server);
      if (!this.isDue(look) && !look.isOutdated) continue;
      const running = this.refresh(server);
      if (this.isKnown(server)) continue;
      waiting ??= [];
      waiting.push(within(server.list_ms ?? this.deps.listMs, running));
    }
    return waiting && Promise.all(waiting);
  }

  /** Whether the server has ever told its tools. */
  isKnown({ id }: ToolServer): boolean {
    const look = this.looks.get(id);
    return this.deps.roster.pinsOf(id).length > 0 || (look !== undefined && look.lookedAt > 0 && !look.failure);
  }

  /** Why the last look failed; null when it did not. */
  failureOf({ id }: ToolServer): ToolFailure | null {
    return this.looks.get(id)?.failure ?? null;
  }

  /** The server says that its list has changed. */
  changed(serverId: string): void {
    const server = this.deps.roster.server(serverId);
    if (!server?.active) return;
    const look = this.lookOf(server);
    look.isOutdated = true;
    const wait = Math.min(LEAST_BETWEEN_MS, look.lookedAt + LEAST_BETWEEN_MS - this.deps.now());
    if (wait <= 0) void this.refresh(server);
    else setTimeout(() => look.isOutdated && void this.refresh(server), wait).unref();
  }

  /** Looks at servers with an open connection whose look is due: finds the dead ones, and those that are back. */
  checkHealth(): void {
    for (const server of this.deps.roster.all()) {
      if (!server.active || !this.deps.connections.isOpen(server)) continue;
      if (this.isDue(this.lookOf(server))) void this.refresh(server);
    }
  }

  /** Forgets servers that are gone. */
  retain(): void {
    for (const id of this.looks.keys()) if (!this.deps.roster.server(id)) this.looks.delete(id);
  }

  /** Never rejects: what went wrong is told by `failureOf`. */
  private refresh(server: ToolServer): Promise<void> {
    const look = this.lookOf(server);
    look.running ??= this.look(server, look).finally(() => {
      look.running = null;
      // What changed while it was being read may have been read before it changed.
      if (look.isOutdated && this.looks.get(server.id) === look) this.changed(server.id);
    });
    return look.running;
  }

  private async look(server: ToolServer, look: Look): Promise<void> {
    const { connections, intake, roster, now, log } = this.deps;
    look.isOutdated = false;
    try {
      const listing = await connections.list(server, AbortSignal.timeout(this.deps.lookMs));
      roster.putPins(server.id, await this.turns.run(() => intake.take(server, listing)));
      look.failure = null;
    } catch (error) {
      const known = error instanceof ToolFailure ? error : null;
      if (!known) log.error("tools.look_failed", { server_id: server.id, ...causeOf(error) });
      else if (!look.failure)
        log.warn("tools.unreachable", { server_id: server.id, reason: known.reason, problem: known.message });
      look.failure = known ?? new ToolFailure("garbage", "Its list could not be taken in.", false, error);
    } finally {
      look.lookedAt = now();
    }
  }

  private isDue({ lookedAt }: Look): boolean {
    return hasPassed(this.deps.freshMs, lookedAt, this.deps.now());
  }

  private lookOf({ id, credential_version }: ToolServer): Look {
    const known = this.looks.get(id);
    if (known?.credentials === credential_version) return known;
    const look: Look = {
      credentials: credential_version,
      lookedAt: 0,
      running: null,
      isOutdated: false,
      failure: null,
    };
    this.looks.set(id, look);
    return look;
  }
}

/** Resolves with the work, or when its time is up. */
const within = (ms: number, work: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
