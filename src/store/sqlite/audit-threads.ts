import type { DataDirectory } from "#platform/data-directory";
import type { DropOrder } from "./audit-retention";
import { AuditThread, type ThreadSettings } from "./audit-thread";
import { nodeLogFile, nodesWithLog } from "./node-log";

export type ThreadsSettings = ThreadSettings & {
  readonly nodeLogs: DataDirectory["nodeLogs"];
  /** Whose log is written: that of the main database for null. */
  readonly node: string | null;
};

/**
 * The logs a process writes to: its own, and now and then the others of its directory, to bring their index up to date
 * and to remove what has had its time.
 */
export class AuditThreads {
  readonly #own: AuditThread;
  readonly #others = new Map<string | null, AuditThread>();

  constructor(
    private readonly settings: ThreadsSettings,
    private readonly upkeepFailed: (error: unknown) => void,
  ) {
    this.#own = this.#begin(settings.node);
    // The main log has no other writer then, only changes: somebody must sign its end and copy its WAL back.
    if (settings.node !== null) this.#of(null);
  }

  append(bodies: readonly string[]): void {
    this.#own.append(bodies);
  }

  probe(): void {
    this.#own.probe();
  }

  flush(): void {
    this.#own.flush();
    for (const other of this.#others.values()) other.flush();
  }

  /** For somebody who waits for it. */
  index(): void {
    this.#own.index();
    for (const node of nodesWithLog(this.settings)) if (node !== this.settings.node) this.#of(node);
    for (const other of this.#others.values()) other.index();
  }

  drop(order: DropOrder): void {
    this.#of(order.node ?? null).drop(order);
  }

  afterBatch(): void {
    this.#own.afterBatch();
  }

  close(): void {
    try {
      this.#own.close();
    } finally {
      for (const other of this.#others.values()) other.close();
    }
  }

  #of(node: string | null): AuditThread {
    if (node === this.settings.node) return this.#own;
    const known = this.#others.get(node);
    if (known !== undefined) return known;
    const other = this.#begin(node);
    this.#others.set(node, other);
    return other;
  }

  #begin(node: string | null): AuditThread {
    const { settings } = this;
    const database = node === null ? settings.database : nodeLogFile(settings, node);
    const member = node === settings.node ? (settings.member ?? null) : null;
    const thread = new AuditThread({ ...settings, database, member });
    thread.upkeepFailed = this.upkeepFailed;
    return thread;
  }
}
