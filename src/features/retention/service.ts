import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { ContentStore, UsageStore } from "#store/governance-port";
import type { AuditLog, RetentionStore, Store } from "#store/port";
import type { Shipping } from "#store/shipped-port";

const DAY_MS = 86_400_000;
/** Records are dropped by whole months: nothing goes before the records that tell of it. */
const MONTH_MS = 31 * DAY_MS;
/** As long as shared content of a report that is closed. */
const HOLDS_MS = 30 * DAY_MS;

type RetentionNeeds = {
  readonly store: Pick<Store, "stopUpkeep">;
  readonly usage: Pick<UsageStore, "dropBefore">;
  readonly retention: RetentionStore;
  readonly audit: Pick<AuditLog, "dropBefore">;
  readonly shipping: Pick<Shipping, "dropBefore"> | null;
  readonly calls: Pick<Store["calls"], "retain">;
  readonly content: Pick<ContentStore, "dropExpired">;
  /** How long the audit log is kept. */
  readonly retentionDays: number;
  /** What features take away of their own, one after the other. */
  readonly sweeps: readonly (() => Promise<unknown>)[];
  readonly forgetReports: () => Promise<{ readonly contents: number; readonly events: number }>;
  /** A record of the hub's own. */
  readonly systemRecord: (kind: string, detail: Readonly<Record<string, unknown>>) => string;
  readonly now: Clock;
  readonly log: Log;
};

type Step = () => Promise<void>;

/** Takes away what has had its time, a little at a time beside the calls. */
export class Retention {
  #isStopping = false;
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly needs: RetentionNeeds) {}

  /** What all hubs keep together, as long as the audit log. To be called a few times a day. */
  retain(): Promise<void> {
    return this.#run([this.#dropOver, this.#dropShipped]);
  }

  /** The audit log of this data directory. To be called a few times a day. */
  retainRecords(): Promise<void> {
    return this.#run([this.#dropRecords]);
  }

  /** Texts of calls, which go sooner. To be called every hour. */
  forget(): Promise<void> {
    return this.#run([this.#dropContent]);
  }

  /** Ends what goes on after the slice it is at; the next start goes on from there. Resolves when nothing goes on. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.needs.store.stopUpkeep();
    await Promise.allSettled(this.#running);
  }

  async #run(steps: readonly Step[]): Promise<void> {
    const run = this.#inOrder(steps);
    this.#running.add(run);
    try {
      await run;
    } finally {
      this.#running.delete(run);
    }
  }

  async #inOrder(steps: readonly Step[]): Promise<void> {
    for (const step of steps) if (!this.#isStopping) await step();
  }

  get #before(): number {
    return this.needs.now() - this.needs.retentionDays * DAY_MS;
  }

  readonly #dropOver = async (): Promise<void> => {
    const { usage, retention, sweeps, now, log } = this.needs;
    const governance = this.#before - MONTH_MS;
    await usage.dropBefore(this.#before);
    // Holds keep arguments of calls: those go sooner.
    const rows = await retention.drop({ governance, holds: Math.max(governance, now() - HOLDS_MS) });
    if (Object.values(rows).some((count) => count > 0)) log.info("rows.dropped", rows);
    for (const sweep of sweeps) await sweep();
  };

  readonly #dropRecords = async (): Promise<void> => {
    const { audit, calls, retentionDays: retention_days, systemRecord, now, log } = this.needs;
    const record = (partitions: readonly string[]) => systemRecord("audit.drop", { partitions, retention_days });
    const dropped = await audit.dropBefore(this.#before, record);
    if (dropped.length > 0) log.info("audit.dropped", { partitions: dropped.join(",") });
    await calls.retain(now());
  };

  /** What hubs have shipped: one of them sees to that. */
  readonly #dropShipped = async (): Promise<void> => {
    const { shipping, retentionDays: retention_days, systemRecord, log } = this.needs;
    if (shipping === null) return;
    const { dropped, waitsFor } = await shipping.dropBefore(this.#before, ({ month, logs }) =>
      systemRecord("audit.drop", { month, logs, retention_days }),
    );
    if (dropped.length > 0) log.info("audit.dropped", { months: dropped.map(({ month }) => month).join(",") });
    if (waitsFor !== null) log.warn("audit.drop_waits", { node: waitsFor });
  };

  readonly #dropContent = async (): Promise<void> => {
    const { content, forgetReports, now, log } = this.needs;
    const dropped = await content.dropExpired(now());
    if (dropped > 0) log.info("content.dropped", { count: dropped });
    const { contents, events } = await forgetReports();
    if (contents + events > 0) log.info("reports.dropped", { contents, events });
  };
}
