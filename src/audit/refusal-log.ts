import type { Auditor } from "#audit/auditor";
import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { SharedStore } from "#store/shared-port";

const NOBODY: Actor = { via: "token", user_id: null, agent_id: null, token_id: null };

/** At most one record in so long, in milliseconds. */
const RECORD_MS = 1_000;

type RefusalLogNeeds = {
  /** What was refused: `gateway_token`. */
  readonly subject: string;
  readonly auditor: Auditor;
  /** Null in a process that serves alone, which counts in memory. */
  readonly shared: Pick<SharedStore, "tally"> | null;
  readonly now: Clock;
  readonly ids: Ids;
};

/**
 * Refused tokens and the like, counted and written as one record a second at most, over all processes: somebody who guesses leaves a
 * trace, and cannot fill the disk by guessing.
 */
export class RefusalLog {
  private count = 0;
  /** To be written by this process. */
  private due = 0;
  /** Some are counted in the store and not on record yet. */
  private isLeft = false;

  constructor(private readonly deps: RefusalLogNeeds) {}

  note(): void {
    this.count += 1;
  }

  /** To be called every second. Throws `audit_unavailable`; the count is kept then. */
  async flush(everyMs = RECORD_MS): Promise<void> {
    await this.take(everyMs);
    const { due } = this;
    if (due === 0) return;
    const { auditor, subject, now, ids } = this.deps;
    const change = {
      kind: "auth.refused",
      by: NOBODY,
      subject: "auth",
      subject_id: subject,
      detail: { count: due },
    };
    this.due = 0;
    try {
      await auditor.writeLine(changeRecord(change, { id: ids(), at: now() }));
    } catch (error) {
      this.due += due;
      throw error;
    }
  }

  /** Writes what is left: this process ends. */
  close(): Promise<void> {
    return this.flush(0);
  }

  /** Counts what was noted, and takes the whole count where it is time for a record. */
  private async take(everyMs: number): Promise<void> {
    const { shared, subject } = this.deps;
    const { count } = this;
    if (count === 0 && !this.isLeft) return;
    this.count = 0;
    try {
      const { taken, left } = shared
        ? await shared.tally(`auth.refused ${subject}`, count, everyMs)
        : { taken: count, left: 0 };
      this.due += taken;
      this.isLeft = left > 0;
    } catch (error) {
      this.count += count;
      throw error;
    }
  }
}
