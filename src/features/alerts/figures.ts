import type { LoopDelay } from "#hub/loop-delay";
import type { NodeFigures } from "#model/alert";
import { type Clock, hasPassed } from "#platform/clock";
import type { AlertStore } from "#store/alert-port";
import type { NodeStore } from "#store/node-port";

type LastCheck = { readonly at: number; readonly faults: number };
type AuditCheck = NodeFigures["audit"];

export type FiguresNeeds = {
  readonly alerts: Pick<AlertStore, "noteFigures" | "figures">;
  readonly loopDelay: Pick<LoopDelay, "recentMaxMs">;
  /** The last check of the audit log by this process; null for none. */
  readonly lastCheck: () => LastCheck | null;
  /** When the newest backup was made, Unix milliseconds; null without any. */
  readonly newestBackup: () => Promise<number | null>;
  /** Tool servers that this process uses and cannot reach. */
  readonly failingTools: () => NodeFigures["tool_servers"];
  readonly nodes: Pick<NodeStore, "holdsHere" | "self" | "here">;
  readonly now: Clock;
  /** How often this is reported, milliseconds. */
  readonly everyMs: number;
};

/** Backups are looked for less often than all else. */
const BACKUP_ROUNDS = 20;

/** What this process says of itself, so that who evaluates rules sees all processes of all hubs. */
export class FigureReporter {
  private readonly startedAt: number;
  private readonly directory: string;
  private backup: { readonly at: number | null; readonly seenAt: number } | null = null;
  /** What an earlier process of this directory found out last. */
  private inherited: AuditCheck | null = null;

  constructor(private readonly needs: FiguresNeeds) {
    this.startedAt = needs.now();
    this.directory = directoryOf(needs.nodes);
  }

  async report(): Promise<void> {
    const { alerts, loopDelay, lastCheck, failingTools } = this.needs;
    this.inherited ??= await this.lastOfDirectory();
    const check = lastCheck();
    await alerts.noteFigures({
      directory: this.directory,
      started_at: this.startedAt,
      loop_delay_ms: Math.round(loopDelay.recentMaxMs),
      audit: check === null ? this.inherited : { checked_at: check.at, faults: check.faults },
      backup: await this.ownBackup(),
      tool_servers: [...failingTools()],
    });
  }

  private async lastOfDirectory(): Promise<AuditCheck> {
    const all = (await this.needs.alerts.figures()).map(({ figures }) => figures);
    return lastCheckOf(all.filter(({ directory }) => directory === this.directory));
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

/** Of several processes of a directory the one that checked its log last is right. */
export const lastCheckOf = (figures: readonly NodeFigures[]): AuditCheck =>
  figures
    .map(({ audit }) => audit)
    .reduce((last, one) => ((one.checked_at ?? 0) > (last.checked_at ?? 0) ? one : last), {
      checked_at: null,
      faults: 0,
    });

/** What a node of a shared database is called without its worker. */
const directoryOf = ({ self, here }: FiguresNeeds["nodes"]): string => {
  const own = here.self;
  if (self === null || own === null || self.id === own.id) return "";
  return own.isAlone ? self.id : self.id.slice(0, -own.id.length - 1);
};
