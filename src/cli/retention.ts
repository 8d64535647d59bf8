import type { App } from "#app";
import type { Config } from "#config/schema";
import { systemClock } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import type { SqliteStore } from "#store/sqlite/index";

const DAY_MS = 86_400_000;
/** Records are dropped by whole months: nothing goes before the records that tell of it. */
const MONTH_MS = 31 * DAY_MS;
/** As long as shared content of a report that is closed. */
const HOLDS_MS = 30 * DAY_MS;

type Deps = {
  readonly app: App;
  readonly store: SqliteStore;
  readonly config: Config;
  readonly log: Log;
  /** A record of the hub's own. */
  readonly recordOf: (kind: string, detail: Readonly<Record<string, unknown>>) => string;
};

/** Takes away what has had its time, a little at a time beside the calls. */
export class Retention {
  #isStopping = false;
  readonly #running = new Map<string, Promise<void>>();

  constructor(private readonly deps: Deps) {}

  /** What is kept as long as the audit log. To be called a few times a day. */
  retain(): void {
    this.#start("retention", [this.#dropOver, this.#dropRecords]);
  }

  /** Texts of calls, which go sooner. To be called every hour. */
  forget(): void {
    this.#start("content", [this.#dropContent]);
  }

  /** Ends what goes on after the slice it is at; the next start goes on from there. Resolves when nothing goes on. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.deps.store.stopUpkeep();
    await Promise.all(this.#running.values());
  }

  /** Does nothing while the same still goes on from before. */
  #start(task: string, steps: readonly (() => Promise<void>)[]): void {
    if (this.#isStopping || this.#running.has(task)) return;
    const run = async () => {
      try {
        for (const step of steps) if (!this.#isStopping) await step();
      } catch (error) {
        this.deps.log.error("task.failed", { task, ...causeOf(error) });
      } finally {
        this.#running.delete(task);
      }
    };
    this.#running.set(task, run());
  }

  get #before(): number {
    return systemClock() - this.deps.config.audit.retention_days * DAY_MS;
  }

  readonly #dropOver = async (): Promise<void> => {
    const { app, store, log } = this.deps;
    const governance = this.#before - MONTH_MS;
    await store.usage.dropBefore(this.#before);
    // Holds keep arguments of calls: those go sooner.
    const rows = await store.retention.drop({ governance, holds: Math.max(governance, systemClock() - HOLDS_MS) });
    if (Object.values(rows).some((count) => count > 0)) log.info("rows.dropped", rows);
    await app.signIn.sweep();
    await app.oauth.sweep();
    await app.webhooks.retain();
  };

  readonly #dropRecords = async (): Promise<void> => {
    const { store, config, log, recordOf } = this.deps;
    const { retention_days } = config.audit;
    const record = (partitions: readonly string[]) => recordOf("audit.drop", { partitions, retention_days });
    const dropped = await store.audit.dropBefore(this.#before, record);
    if (dropped.length > 0) log.info("audit.dropped", { partitions: dropped.join(",") });
    await store.calls.retain(systemClock());
  };

  readonly #dropContent = async (): Promise<void> => {
    const { app, store, log } = this.deps;
    const dropped = await store.content.dropExpired(systemClock());
    if (dropped > 0) log.info("content.dropped", { count: dropped });
    const { contents, events } = await app.loop.forget();
    if (contents + events > 0) log.info("reports.dropped", { contents, events });
  };
}
