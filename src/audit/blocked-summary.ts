import type { AuditRecord } from "#model/audit";
import type { HubEvent } from "#model/event";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { BlockedCaller, SharedStore } from "#store/shared-port";

type BlockedSummaryNeeds = {
  readonly emit: (event: HubEvent) => Promise<void>;
  /** Null in a process that serves alone, which notes in memory. */
  readonly shared: Pick<SharedStore, "noteBlocked" | "blockedCallers" | "forgetBlocked"> | null;
  readonly now: Clock;
  readonly ids: Ids;
};

/**
 * Whose calls were blocked since the last round, in any process: one event each, however many they were, so that an agent
 * that runs into the guard a thousand times a minute does not do so to a receiver. A crash loses what was not stored (a
 * second where several serve, else a round); the calls are on record.
 */
export class BlockedSummary {
  private callers = new Map<string, BlockedCaller>();

  constructor(private readonly deps: BlockedSummaryNeeds) {}

  /** Takes every record; those of blocked calls count. Never throws, never waits. */
  note({ outcome, actor: { agent_id, user_id } }: AuditRecord): void {
    if ((outcome !== "blocked_input" && outcome !== "blocked_output") || user_id === null) return;
    const subject_id = agent_id ?? user_id;
    const event_id = this.callers.get(subject_id)?.event_id ?? this.deps.ids();
    this.callers.set(subject_id, { subject_id, event_id, agent_id, user_id });
  }

  /** Tells the other processes. To be called every second where there are some, and when this one stops. */
  async share(): Promise<void> {
    const { shared } = this.deps;
    const callers = this.callers;
    if (shared === null || callers.size === 0) return;
    this.callers = new Map();
    try {
      await shared.noteBlocked([...callers.values()]);
    } catch (error) {
      for (const [id, one] of callers) this.callers.set(id, one);
      throw error;
    }
  }

  /** To be called every five minutes, by one of the processes. */
  async runOnce(): Promise<void> {
    const { shared } = this.deps;
    if (shared === null) await this.tellOwn();
    else {
      await this.share();
      // Told again after a failure, or by another process, it has the same id: a receiver's queue takes it once.
      for (const caller of await shared.blockedCallers()) {
        await this.emit(caller);
        await shared.forgetBlocked(caller);
      }
    }
  }

  private async tellOwn(): Promise<void> {
    const callers = this.callers;
    this.callers = new Map();
    for (const [subject_id, caller] of callers) {
      try {
        await this.emit(caller);
      } catch (error) {
        // Who was not told of is told of in the next round.
        for (const [id, one] of callers) this.callers.set(id, one);
        throw error;
      }
      callers.delete(subject_id);
    }
  }

  private emit({ subject_id, event_id, agent_id, user_id }: BlockedCaller): Promise<void> {
    return this.deps.emit({
      id: event_id,
      type: "call.blocked.summary",
      at: this.deps.now(),
      agent_id,
      user_id,
      subject: agent_id === null ? "user" : "agent",
      subject_id,
    });
  }
}
