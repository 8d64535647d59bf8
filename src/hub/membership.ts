import { endInterrupted } from "#audit/auditor";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { NodeEpoch, NodeStore } from "#store/node-port";
import type { AuditLog, AuditUpkeep } from "#store/port";
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

  constructor(private readonly needs: MembershipNeeds) {
    this.lost = new Promise((resolve) => {
      this.lose = resolve;
    });
  }

  async beat(): Promise<void> {
    const { nodes } = this.needs;
    // First what needs no database that others share: it may be away.
    if (!(await this.renews(nodes.here))) return;
    await this.takeOver();
    if (nodes.here === nodes || !(await this.renews(nodes))) return;
    this.tell(await nodes.endSilent());
  }

  /** Notes where the logs of all nodes stand. */
  anchor(): Promise<void> {
    const { audit, systemRecord } = this.needs;
    return audit.anchor((logs) => systemRecord("audit.anchor", { logs }));
  }

  private async renews(nodes: NodeStore): Promise<boolean> {
    if (await nodes.renew()) return true;
    this.needs.log.error("node.lost", { node: nodes.self?.id ?? null });
    this.lose();
    return false;
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

  /** Asked at each beat: who had begun with it may be dead too. */
  private async endCalls(): Promise<void> {
    const { audit, now, ids, log } = this.needs;
    const interrupted = await endInterrupted(audit, now, ids);
    if (interrupted > 0) log.warn("node.calls_ended", { interrupted });
  }
}

type Parts = { readonly membership: Membership; readonly nodes: NodeStore };

export const membership = feature({
  provides: { membership: single(Membership) },
  jobs: ({ membership, nodes }: Parts) => [
    {
      name: "node",
      everyMs: nodes.self?.isAlone === false ? BESIDE_MS : ALONE_MS,
      run: () => membership.beat(),
    },
    { name: "anchor", everyMs: ANCHOR_MS, singleton: true, run: () => membership.anchor() },
  ],
});
