import type { Auditor } from "#audit/auditor";
import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";

const NOBODY: Actor = { via: "token", user_id: null, agent_id: null, token_id: null };

/**
 * Refused tokens, counted and written as one record a second at most: somebody who guesses leaves a trace, and
 * cannot fill the disk by guessing.
 */
export class RefusalLog {
  private count = 0;

  constructor(
    private readonly auditor: Auditor,
    private readonly now: Clock,
    private readonly ids: Ids,
  ) {}

  note(): void {
    this.count += 1;
  }

  /** Throws `audit_unavailable`; the count is kept then. */
  async flush(): Promise<void> {
    const { count } = this;
    if (count === 0) return;
    const at = this.now();
    const change = {
      kind: "auth.refused",
      by: NOBODY,
      subject: "auth",
      subject_id: "gateway_token",
      detail: { count },
    };
    this.count = 0;
    try {
      await this.auditor.writeLine(changeRecord(change, { id: this.ids(), at }));
    } catch (error) {
      this.count += count;
      throw error;
    }
  }
}
