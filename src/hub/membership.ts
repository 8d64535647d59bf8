import { endInterrupted, interruptedEnd } from "#audit/auditor";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { NodeEpoch, NodeStore } from "#store/node-port";
import type { AuditLog, AuditUpkeep } from "#store/port";
import type { Shipping } from "#store/shipped-port";
import { feature } from "./feature";
import { single } from "./graph";

/** How often a process that serves alone says that it lives. Milliseconds. */
const ALONE_MS = 10_000;
/** How often it is noted how far the logs of all nodes go. Milliseconds. */
const ANCHOR_MS = 60_000;
/** How often one of several does; several times in a lease. Milliseconds. */
const BESIDE_MS = 2_000;

type MembershipNeeds = {
  readonly nodes: NodeStore;
  readonly audit: Pick<AuditLog & AuditUpkeep, "endAbandoned" | "anchor">;
  readonly shipping: Pick<Shipping, "run" | "bind" | "endInterrupted"> | null;
  /** A record of the hub's own. */
  readonly systemRecord: (kind: string, detail: Readonly<Record<string, unknown>>) => string;
  /** Ends what a node of this data directory that is dead has left running. */
  readonly sweepNode: (id: string) => void;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** This process among those that serve from the same store: says that it lives, and takes over what dead ones leave. */
export class Membership {
  /** Resolves when others hold this process for dead, and have taken over what was its own. */
  readonly lost: Promise<void>;
  private lose: () => void = () => {};
  private isLost = false;
  /** How long renewals are for, at least. Milliseconds. */
  private atLeastMs = 0;

  constructor(private readonly needs: MembershipNeeds) {
    this.lost = new Promise((resolve) => {
      this.lose = resolve;
    });
  }

  /** Until `isOver` the process may hold up its own thread: meanwhile each renewal is for so long. Milliseconds. */
  starting(atLeastMs: number, isOver: Promise<unknown>): void {
    const end = () => {
      this.atLeastMs = 0;
    };
    this.atLeastMs = atLeastMs;
    isOver.then(end, end);
  }

  /** Says in the data directory that the process lives. A renewal waits for nothing else, and nothing else for it. */
  renewHere(): Promise<void> {
    return this.renew(this.needs.nodes.here);
  }

  /** The same in the database that others share: it may be away. */
  renewCommon(): Promise<void> {
    return this.renew(this.needs.nodes);
  }

  /** Ends the processes that are silent, and what they have left. */
  async endSilent(): Promise<void> {
    // Others may have begun again what was this process's own.
    if (this.isLost) return;
    await this.takeOver();
    const { nodes } = this.needs;
    if (nodes.here !== nodes) this.tell(await nodes.endSilent());
  }

  /** Notes in this data directory where the logs of its nodes stand, and the chain of changes. */
  anchor(): Promise<void> {
    const { audit, systemRecord } = this.needs;
    return audit.anchor((detail) => systemRecord("audit.anchor", detail));
  }

  /** Names in the chain of changes where the logs of all hubs stand. */
  async bind(): Promise<void> {
    const { shipping, systemRecord } = this.needs;
    await shipping?.bind((detail) => systemRecord("audit.anchor", detail));
  }

  /** To be called when this process has joined the others, and when it has recorded its last. */
  async anchorAll(): Promise<void> {
    const { shipping, log } = this.needs;
    await this.anchor();
    try {
      await shipping?.run();
      await this.bind();
    } catch (error) {
      // While the database is away: another hub does it within a minute, of what is shipped by then.
      log.warn("audit.not_bound", causeOf(error));
    }
  }

  private async renew(nodes: NodeStore): Promise<void> {
    if ((await nodes.renew(this.atLeastMs)) || this.isLost) return;
    this.isLost = true;
    this.needs.log.error("node.lost", { node: nodes.self?.id ?? null });
    this.lose();
  }

  /** Calls and programs that processes of this data directory have left. */
  private async takeOver(): Promise<void> {
    const { nodes, sweepNode } = this.needs;
    if (nodes.here.self?.isAlone !== false) return;
    const ended = await nodes.here.endSilent();
    for (const { id } of ended) sweepNode(id);
    // Where others share the store they are told of under the name they have there.
    if (nodes.here === nodes) this.tell(ended);
    await this.endCalls();
  }

  private tell(ended: readonly NodeEpoch[]): void {
    for (const { id, epoch } of ended) this.needs.log.warn("node.ended", { node: id, epoch });
  }

  /** Ends on record what hubs that are dead have shipped the begin of. */
  async endShipped(): Promise<void> {
    const { shipping, systemRecord, now, ids, log } = this.needs;
    if (shipping === null) return;
    const interrupted = await shipping.endInterrupted(
      (request) => interruptedEnd(request, now, ids),
      ({ node, calls }) => systemRecord("node.interrupted", { node, calls }),
    );
    if (interrupted > 0) log.warn("node.calls_ended", { interrupted });
  }

  /** Asked each time: who had begun with it may be dead too. */
  private async endCalls(): Promise<void> {
    const { audit, now, ids, log } = this.needs;
    const interrupted = await endInterrupted(audit, now, ids);
    if (interrupted > 0) log.warn("node.calls_ended", { interrupted });
  }
}

const beatOf = ({ self }: NodeStore): number => (self?.isAlone === false ? BESIDE_MS : ALONE_MS);

type Parts = {
  readonly membership: Membership;
  readonly nodes: NodeStore;
  readonly shipping: Shipping | null;
};

export const membership = feature({
  provides: { membership: single(Membership) },
  jobs: ({ membership, nodes, shipping }: Parts) => [
    { name: "node", everyMs: beatOf(nodes), run: () => membership.renewHere() },
    { name: "silent nodes", everyMs: beatOf(nodes), run: () => membership.endSilent() },
    ...(nodes.here === nodes ? [] : [{ name: "lease", everyMs: BESIDE_MS, run: () => membership.renewCommon() }]),
    { name: "anchor", everyMs: ANCHOR_MS, singleton: "directory", run: () => membership.anchor() },
    ...(shipping === null
      ? []
      : [
          { name: "bind", everyMs: ANCHOR_MS, singleton: true, run: () => membership.bind() } as const,
          { name: "ends", everyMs: BESIDE_MS, singleton: true, run: () => membership.endShipped() } as const,
        ]),
  ],
});
