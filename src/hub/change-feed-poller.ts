import type { PrincipalCache } from "#identity/principal-cache";
import { type Clock, hasPassed } from "#platform/clock";
import type { ChangeFeed, FeedChanges } from "#store/port";
import type { ChangeSubscriber } from "./feature";

/** A process that has said nothing for half a minute counts as dead, and nobody waits for it. Milliseconds. */
const SIGN_OF_LIFE_MS = 10_000;

/** A call is judged by what was so this long ago at most, where the store answers. Milliseconds. */
const RECENT_MS = 1_000;
/** How long the store may take to answer before it counts as away. Milliseconds. */
const ANSWERS_WITHIN_MS = 2_000;
/** A timer that is later than this was held up with the process, and says nothing of the store. Milliseconds. */
const HELD_UP_MS = 100;

const JOIN_TRIES = 500;
const JOIN_AGAIN_MS = 20;

type ChangeFeedPollerNeeds = {
  readonly now: Clock;
  readonly changes: ChangeFeed;
  readonly principals: PrincipalCache;
  /** Told of changes after the principals, in their order: what restricts comes before what may fail. */
  readonly changeSubscribers: Iterable<ChangeSubscriber>;
  /**
   * The store has answered, also where nothing has changed: what is known here was so at this moment, by
   * `performance.now()`.
   */
  readonly onPolled: (askedAt: number) => void;
  /** Names this process in the change feed. */
  readonly processId: string;
};

/** Takes in what other processes have changed, and says so, so that a command line can wait until it holds here. */
export class ChangeFeedPoller {
  private polling: Promise<void> | null = null;
  private next: Promise<void> | null = null;
  private acknowledgedAt = Number.NEGATIVE_INFINITY;
  /** When what is known here was so, by `performance.now()`. */
  private knownAt = Number.NEGATIVE_INFINITY;
  /** Something has changed that was not taken in yet. */
  private isBehind = false;
  private isStoreAway = false;
  private catching: Promise<void> | null = null;

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

  /**
   * Before a call is judged. Null where what is known here was so a second ago at most; otherwise resolves when the store
   * has answered, however late this process is. A store that is away is waited for once: then calls go on by what is
   * known, for as long as the policies allow.
   */
  recent(): Promise<void> | null {
    const since = performance.now() - RECENT_MS;
    return this.isKnownAs(since) ? null : this.catchUpWith(since);
  }

  private isKnownAs(since: number): boolean {
    return this.knownAt >= since || this.isStoreAway;
  }

  private async catchUpWith(since: number): Promise<void> {
    // Twice for who came when one that had begun much earlier was under way.
    while (!this.isKnownAs(since)) {
      this.catching ??= this.catchUp().finally(() => {
        this.catching = null;
      });
      await this.catching;
    }
  }

  private async catchUp(): Promise<void> {
    const begun = performance.now();
    const polled = this.refresh().catch(() => {
      // The job that asks again and again says so; `knownAt` stays as it is.
    });
    const isOver = await endsWithin(polled, ANSWERS_WITHIN_MS);
    // That something has changed is an answer: what it is may take longer, and no call is served without it.
    if (!isOver && this.isBehind) await polled;
    if (this.knownAt < begun) this.isStoreAway = true;
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
    let askedAt = performance.now();
    if (principals.revision === 0 || (await changes.revision()) !== principals.revision) {
      this.isBehind = true;
      askedAt = performance.now();
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
    this.isBehind = false;
    this.isStoreAway = false;
    this.knownAt = askedAt;
    this.needs.onPolled(askedAt);
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

/** Whether it ends in that time, in which this process was not held up. */
const endsWithin = async (work: Promise<unknown>, ms: number): Promise<boolean> => {
  for (;;) {
    const due = performance.now() + ms;
    const isOver = await Promise.race([work.then(() => true), Bun.sleep(ms).then(() => false)]);
    if (isOver || performance.now() < due + HELD_UP_MS) return isOver;
  }
};
