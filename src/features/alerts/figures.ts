import type { LoopDelay } from "#hub/loop-delay";
import type { NodeFigures } from "#model/alert";
import { type Clock, hasPassed } from "#platform/clock";
import type { AlertStore } from "#store/alert-port";
import type { NodeStore } from "#store/node-port";

type LastCheck = { readonly at: number; readonly faults: number };

export type FiguresNeeds = {
  readonly alerts: Pick<AlertStore, "noteFigures">;
  readonly loopDelay: Pick<LoopDelay, "recentMaxMs">;
  /** The last check of the audit log by this process; null for none. */
  readonly lastCheck: () => LastCheck | null;
  /** When the newest backup was made, Unix milliseconds; null without any. */
  readonly newestBackup: () => Promise<number | null>;
  /** Tool servers that this process uses and cannot reach. */
  readonly failingTools: () => NodeFigures["tool_servers"];
  readonly nodes: Pick<NodeStore, "holdsHere">;
  readonly now: Clock;
  /** How often this is reported, milliseconds. */
  readonly everyMs: number;
};

/** Backups are looked for less often than all else. */
const BACKUP_ROUNDS = 20;

/** What this process says of itself, so that who evaluates rules sees all processes of all hubs. */
export class OwnFigures {
  private readonly startedAt: number;
  private backup: { readonly at: number | null; readonly seenAt: number } | null = null;

  constructor(private readonly needs: FiguresNeeds) {
    this.startedAt = needs.now();
  }

  async report(): Promise<void> {
    const { alerts, loopDelay, lastCheck, failingTools } = this.needs;
    const check = lastCheck();
    await alerts.noteFigures({
      started_at: this.startedAt,
      loop_delay_ms: Math.round(loopDelay.recentMaxMs),
      audit: { checked_at: check?.at ?? null, faults: check?.faults ?? 0 },
      backup: await this.ownBackup(),
      tool_servers: [...failingTools()],
    });
  }

  /** One process of a data directory says it for all of them. */
  private async ownBackup(): Promise<NodeFigures["backup"]> {
    const { nodes, newestBackup, now, everyMs } = this.needs;
    if (!(await nodes.holdsHere("alert figures"))) return null;
    const isOld = this.backup === null || hasPassed(everyMs * BACKUP_ROUNDS, this.backup.seenAt, now());
    if (isOld || this.backup === null) this.backup = { at: await newestBackup(), seenAt: now() };
    return { at: this.backup.at };
  }
}
