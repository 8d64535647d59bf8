import type { AuditRecord } from "#model/audit";
import type { HubEvent } from "#model/event";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";

type BlockedSummaryNeeds = {
  readonly emit: (event: HubEvent) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

type BlockedCaller = { readonly agent_id: string | null; readonly user_id: string };

/**
 * Whose calls were blocked since the last round: one event each, however many they were, so that an agent that runs
 * into the guard a thousand times a minute does not do so to a receiver. A crash loses a round; the calls are on record.
 */
export class BlockedSummary {
  private callers = new Map<string, BlockedCaller>();

  constructor(private readonly deps: BlockedSummaryNeeds) {}

  /** Takes every record; those of blocked calls count. Never throws, never waits. */
  note({ outcome, actor: { agent_id, user_id } }: AuditRecord): void {
    if ((outcome !== "blocked_input" && outcome !== "blocked_output") || user_id === null) return;
    this.callers.set(agent_id ?? user_id, { agent_id, user_id });
  }

  /** To be called every five minutes. */
  async runOnce(): Promise<void> {
    const callers = this.callers;
    this.callers = new Map();
    for (const [subject_id, caller] of callers) {
      try {
        await this.emit(subject_id, caller);
      } catch (error) {
        // Who was not told of is told of in the next round.
        for (const [id, one] of callers) this.callers.set(id, one);
        throw error;
      }
      callers.delete(subject_id);
    }
  }

  private emit(subject_id: string, caller: BlockedCaller): Promise<void> {
    return this.deps.emit({
      id: this.deps.ids(),
      type: "call.blocked.summary",
      at: this.deps.now(),
      ...caller,
      subject: caller.agent_id === null ? "user" : "agent",
      subject_id,
    });
  }
}
