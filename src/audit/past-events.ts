import { recordIn } from "#audit/audit-rows";
import type { AuditRecord } from "#model/audit";
import { type PastEvent, pastEventOf } from "#model/past-event";
import type { PastEventStore } from "#store/loop-port";
import type { NodeStore } from "#store/node-port";
import type { AuditLog } from "#store/port";

/** How long an event can be reported. */
export const REPORTABLE_MS = 30 * 86_400_000;
/** Longer than events wait in memory before they are stored. */
const UNSTORED_MS = 60_000;

/**
 * Finds events by their id: what was judged, and whose it is. New ones wait in memory until `flush` stores them; what a
 * crash takes is read from the audit log again.
 */
export class PastEvents {
  private readonly waiting = new Map<string, PastEvent>();
  private recovering: Promise<number> | null = null;
  private flushing: Promise<void> = Promise.resolve();

  /** `besideMs`: how often the other processes store theirs; 0 for a process that serves alone. Milliseconds. */
  constructor(
    private readonly store: PastEventStore,
    private readonly besideMs = 0,
  ) {}

  /** Takes an event in by its call's final record; every other record is none of its business. */
  note(record: AuditRecord): void {
    const event = pastEventOf(record);
    if (event) this.waiting.set(event.id, event);
  }

  async byId(id: string): Promise<PastEvent | null> {
    const found = this.waiting.get(id) ?? (await this.store.byId(id));
    if (found) return found;
    if (this.besideMs > 0) {
      // The process that judged it may be about to store it.
      await Bun.sleep(2 * this.besideMs);
      const stored = await this.store.byId(id);
      if (stored) return stored;
    }
    if (!this.recovering) return null;
    await this.recovering;
    return this.store.byId(id);
  }

  /** Stores what waits. When the store cannot take it, it is kept and the promise rejects. */
  flush(): Promise<void> {
    // One after the other, whatever became of the one before.
    this.flushing = this.flushing.catch(() => undefined).then(() => this.put());
    return this.flushing;
  }

  /** Reads what the hub did not store before it crashed at that moment. Says how many events that were. */
  recover(audit: Pick<AuditLog, "read">, crash: number): Promise<number> {
    this.recovering = this.read(audit, crash - UNSTORED_MS).finally(() => {
      this.recovering = null;
    });
    return this.recovering;
  }

  /**
   * The same of other processes that crashed: until the next flush of those that live it is all the same who had not
   * stored an event. To be run by one process at a time.
   */
  async recoverCrashed(audit: Pick<AuditLog, "read">, nodes: Pick<NodeStore, "crashes" | "recovered">): Promise<void> {
    for (const crash of await nodes.crashes()) {
      if (crash.has_events) continue;
      await this.recover(audit, crash.heard_at);
      await nodes.recovered(crash, "has_events");
    }
  }

  /** Forgets what is too old to be reported. */
  forget(now: number): Promise<number> {
    return this.store.dropBefore(now - REPORTABLE_MS);
  }

  private async put(): Promise<void> {
    const events = [...this.waiting.values()];
    await this.store.add(events);
    for (const { id } of events) this.waiting.delete(id);
  }

  private async read(audit: Pick<AuditLog, "read">, since: number): Promise<number> {
    const found: PastEvent[] = [];
    for await (const { body } of audit.read({ since })) {
      if (!body.includes('"event_id":"')) continue;
      const record = recordIn(body);
      const event = record && pastEventOf(record);
      if (event) found.push(event);
    }
    await this.store.add(found);
    return found.length;
  }
}
