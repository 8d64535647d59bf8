import type { Crash, Node, NodeEpoch, NodeStore } from "./node-port";
import type { SerialisedRecord } from "./record";

type Contains = NodeStore["contains"];

/**
 * The processes of several hubs, in their common database, and those of this hub's data directory, whose lock and records
 * they share. A process is a node of both.
 */
export class HubNodes implements NodeStore {
  /** Since when the common database has answered without a break; null while it does not. By the process's own clock. */
  private answersSince: number | null = performance.now();
  /** When it answered last. By the same clock. */
  private answeredAt = performance.now();

  constructor(
    readonly here: NodeStore,
    private readonly common: NodeStore,
    /** How long a process of the common database may be silent. Milliseconds. */
    private readonly leaseMs: number,
  ) {}

  get self(): NodeStore["self"] {
    return this.common.self;
  }

  get ahead(): number {
    return this.common.ahead;
  }

  list(): Promise<Node[]> {
    return this.common.list();
  }

  async listens(address: string): Promise<void> {
    await this.here.listens(address);
    await this.common.listens(address);
  }

  async renew(atLeastMs?: number): Promise<boolean> {
    try {
      const isLive = await this.common.renew(atLeastMs);
      const now = performance.now();
      // A renewal that was under way when the database went away may wait until it is back instead of failing.
      if (now - this.answeredAt > this.leaseMs / 2) this.answersSince = now;
      this.answersSince ??= now;
      this.answeredAt = now;
      return isLive;
    } catch (error) {
      this.answersSince = null;
      throw error;
    }
  }

  /** Of a database that was away no process could renew its lease: nobody is ended before all of them had the time to. */
  async endSilent(): Promise<NodeEpoch[]> {
    const { answersSince, answeredAt } = this;
    const now = performance.now();
    if (answersSince === null || now - answersSince < this.leaseMs) return [];
    // A renewal that is under way may be waiting for a database that has just come back.
    if (now - answeredAt > this.leaseMs / 2) return [];
    return this.common.endSilent();
  }

  crashes(): Promise<Crash[]> {
    return this.common.crashes();
  }

  recovered(...said: Parameters<NodeStore["recovered"]>): Promise<void> {
    return this.common.recovered(...said);
  }

  remove(id: string, record: SerialisedRecord): Promise<"done" | "missing" | "live"> {
    return this.common.remove(id, record);
  }

  contains(...asked: Parameters<Contains>): ReturnType<Contains> {
    return this.common.contains(...asked);
  }

  holds(name: string): Promise<boolean> {
    return this.common.holds(name);
  }

  holdsHere(name: string): Promise<boolean> {
    return this.here.holdsHere(name);
  }

  release(name: string): Promise<void> {
    return this.common.release(name);
  }
}
