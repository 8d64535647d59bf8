import type { AuditRecord } from "#model/audit";
import { eventsOf, type HubEvent } from "#model/event";
import type { OutboxStore } from "#store/loop-port";

type Listener = (event: HubEvent) => Promise<void>;

/** Notifies subscribers in this process. */
export class Events {
  private readonly listeners = new Set<Listener>();

  /** Returns what ends it. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Resolves when all have taken it. Rejects when one could not: then it is told again, to all. */
  async emit(event: HubEvent): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => listener(event)));
  }
}

/** Records read at a time. */
const BATCH = 100;

/**
 * Makes events of changes. Every change leaves its record in the outbox, in the same transaction, also when another
 * process makes it; here they are told in order, and crossed out once everybody has taken them. What a crash
 * interrupts is told again after the start.
 */
export class OutboxReader {
  private reading: Promise<void> | null = null;

  constructor(
    private readonly deps: {
      readonly outbox: OutboxStore;
      readonly events: Events;
      /** Told of every record, also where it makes no event. */
      readonly onRecord?: (record: AuditRecord) => void;
    },
  ) {}

  /** Tells what there is to tell; to be called several times a second. One at a time. */
  runOnce(): Promise<void> {
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async read(): Promise<void> {
    const { outbox, events } = this.deps;
    for (;;) {
      const rows = await outbox.pending(BATCH);
      for (const { seq, record } of rows) {
        const read: AuditRecord = JSON.parse(record);
        this.deps.onRecord?.(read);
        for (const event of eventsOf(read)) await events.emit(event);
        await outbox.done(seq);
      }
      if (rows.length < BATCH) return;
    }
  }
}
