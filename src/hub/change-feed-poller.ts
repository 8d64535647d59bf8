import type { PrincipalCache } from "#identity/principal-cache";
import { type Clock, hasPassed } from "#platform/clock";
import type { ChangeFeed, FeedChanges } from "#store/port";
import type { ChangeSubscriber } from "./feature";

/** A process that has said nothing for half a minute counts as dead, and nobody waits for it. Milliseconds. */
const SIGN_OF_LIFE_MS = 10_000;

const JOIN_TRIES = 500;
const JOIN_AGAIN_MS = 20;

type ChangeFeedPollerNeeds = {
  readonly now: Clock;
  readonly changes: ChangeFeed;
  readonly principals: PrincipalCache;
  /** Told of changes after the principals, in their order: what restricts comes before what may fail. */
  readonly changeSubscribers: Iterable<ChangeSubscriber>;
  /** The store was asked and has answered, also where nothing has changed. */
  readonly onPolled: () => void;
  /** Names this process in the change feed. */
  readonly processId: string;
};

/** Takes in what other processes have changed, and says so, so that a command line can wait until it holds here. */
export class ChangeFeedPoller {
  private polling: Promise<void> | null = null;
  private next: Promise<void> | null = null;
  private acknowledgedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly needs: ChangeFeedPollerNeeds) {}

  /**
   * Before the first call: from then on commands wait for this process. While others write, the database may be busy
   * every time it is tried to say so.
   */
  async join(): Promise<void> {
    for (let tries = 0; tries < JOIN_TRIES; tries++) {
      await this.refresh();
      if (this.acknowledgedAt !== Number.NEGATIVE_INFINITY) return;
      await Bun.sleep(JOIN_AGAIN_MS);
    }
    throw new Error("The database was busy for too long: commands would not wait for this process");
  }

  /**
   * Cheap when nothing has changed: one row read. Who asks during a poll waits for the next one: this one may have
   * come too early for a change that was just made.
   */
  refresh(): Promise<void> {
    if (this.next) return this.next;
    if (!this.polling) return this.begin();
    this.next = this.polling.then(this.begin, this.begin);
    return this.next;
  }

  private readonly begin = (): Promise<void> => {
    this.next = null;
    this.polling = this.poll().finally(() => {
      this.polling = null;
    });
    return this.polling;
  };

  private async poll(): Promise<void> {
    const { changes, principals } = this.needs;
    if (principals.revision === 0 || (await changes.revision()) !== principals.revision) {
      const since = principals.revision;
      const news = await changes.changesSince(since);
      try {
        this.apply(news);
      } catch (error) {
        // It is asked for again: what was not taken in would never hold here.
        principals.revision = since;
        throw error;
      }
      this.acknowledgedAt = Number.NEGATIVE_INFINITY;
    }
    this.needs.onPolled();
    await this.acknowledge();
  }

  private apply(news: FeedChanges): void {
    this.needs.principals.apply(news);
    for (const subscriber of this.needs.changeSubscribers) subscriber.apply(news);
  }

  private async acknowledge(): Promise<void> {
    const now = this.needs.now();
    if (!hasPassed(SIGN_OF_LIFE_MS, this.acknowledgedAt, now)) return;
    const isAcknowledged = await this.needs.changes.acknowledge(this.needs.processId, this.needs.principals.revision);
    if (isAcknowledged) this.acknowledgedAt = now;
  }

  /** Leaves the feed: nobody waits for this process any more. */
  leave(): Promise<void> {
    return this.needs.changes.forget(this.needs.processId);
  }
}
