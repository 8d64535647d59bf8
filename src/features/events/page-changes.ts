import type { AuditRecord } from "#model/audit";
import type { OutboxStore } from "#store/loop-port";

/** Records read at a time. */
const BATCH = 100;

/** Tells the pages of this process of every change, also of those that another process has told receivers of. */
export class PageChanges {
  private seen: number | null = null;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly outbox: Pick<OutboxStore, "after" | "newest">,
    private readonly onRecord: (record: AuditRecord) => void,
  ) {}

  /** To be called several times a second. What happened before the first call no page waits for. */
  runOnce(): Promise<void> {
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async read(): Promise<void> {
    this.seen ??= await this.outbox.newest();
    for (;;) {
      const rows = await this.outbox.after(this.seen, BATCH);
      for (const { seq, record } of rows) {
        this.onRecord(JSON.parse(record));
        this.seen = seq;
      }
      if (rows.length < BATCH) return;
    }
  }
}
