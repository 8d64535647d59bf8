import type { Clock } from "#platform/clock";
import { RecentlyUsed } from "#platform/recently-used";
import type { FeedChanges } from "#store/port";

/** An answer as it went out. */
export type Given = {
  readonly id: string;
  readonly text: string;
  /** Whether it stands for the same frame when it comes again. */
  readonly isKept: boolean;
};

type Ending = Pick<
  FeedChanges,
  "kill_switches" | "users" | "agents" | "restrictions" | "profiles" | "policy" | "tuning"
>;
type Kept = { readonly at: number; readonly given: Promise<Given> };

/** Frames that are remembered; an answer is some 800 bytes. */
const MAX_KEPT = 10_000;
/** As long as a signature counts, on either side of it. */
const KEPT_MS = 600_000;

/**
 * Frames that come again, as senders do who had no answer in time: they are given the answer of the first, which is on
 * record, also while that one is still judged. In this process alone: elsewhere a repetition is judged anew.
 */
export class Repeats {
  private readonly kept = new RecentlyUsed<Kept>(MAX_KEPT);

  constructor(private readonly now: Clock) {}

  /** An answer ends with what was in force when it was given: nothing passes a kill switch because it passed before. */
  apply({ kill_switches, users, agents, restrictions, profiles, policy, tuning }: Ending): void {
    const changed = [kill_switches, users, agents, restrictions, profiles, tuning].some((rows) => rows.length > 0);
    if (changed || policy !== null) this.kept.clear();
  }

  async once(message: string | null, work: () => Promise<Given>): Promise<Given> {
    if (message === null) return work();
    const known = this.kept.get(message);
    if (known && this.now() - known.at < KEPT_MS) {
      // Where it came to nothing, as for a sender that hung up, this one is judged by itself.
      const earlier = await known.given.catch(() => null);
      if (earlier !== null) return earlier;
    }
    const given = work();
    this.kept.set(message, { at: this.now(), given });
    try {
      const answer = await given;
      if (!answer.isKept) this.kept.delete(message);
      return answer;
    } catch (error) {
      // What came to nothing is tried again.
      this.kept.delete(message);
      throw error;
    }
  }
}
