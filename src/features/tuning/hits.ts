import type { AuditRecord } from "#model/audit";
import type { Clock } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import type { TuningStore } from "#store/loop-port";

type TuningHitsNeeds = { readonly tuning: Pick<TuningStore, "hit">; readonly now: Clock; readonly log: Log };

/** Counts how often each tuning rule has made a difference, or in monitor mode would have. */
export class TuningHits {
  private counts = new Map<string, number>();

  constructor(private readonly deps: TuningHitsNeeds) {}

  /** Called with every final record: most have no flag of a rule. */
  note({ call }: AuditRecord): void {
    for (const { tuned } of call?.flags ?? []) {
      if (tuned !== undefined) this.counts.set(tuned, (this.counts.get(tuned) ?? 0) + 1);
    }
  }

  /** To be called from time to time, and at the end. What cannot be written is counted with the next. */
  async flush(): Promise<void> {
    if (this.counts.size === 0) return;
    const { counts } = this;
    this.counts = new Map();
    const at = this.deps.now();
    try {
      await this.deps.tuning.hit([...counts].map(([id, hits]) => ({ id, hits, at })));
    } catch (error) {
      this.deps.log.warn("tuning.hits_not_written", causeOf(error));
      for (const [id, hits] of counts) this.counts.set(id, (this.counts.get(id) ?? 0) + hits);
    }
  }
}
